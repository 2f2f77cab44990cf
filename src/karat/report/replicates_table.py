"""Tables of several runs of one system."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from karat.core import signature
from karat.core.runs.replicates import Replicates
from karat.core.scores import leaves, undefined_is_nan
from karat.errors import counted
from karat.report.numbers import shown
from karat.report.tables import plain_table

_SPREAD = ("mean", "sd", "min", "max")


def _spreads(scores: Mapping[str, Any]) -> dict[tuple[str, ...], dict[str, Any]]:
    """Mean, deviation, least and greatest of each score, by its name."""
    result: dict[tuple[str, ...], dict[str, Any]] = {}
    for path, value in leaves(scores):
        result.setdefault(path[:-1], {})[path[-1]] = value
    return result


def scores(averaged: Replicates) -> RenderableType:
    """How each score varies over the runs of one system."""
    metric = averaged.metric
    result = plain_table("", metric.name, *_SPREAD)
    with undefined_is_nan():
        found = averaged.scores()
    for path, spread in _spreads(found).items():
        name = ".".join(path)
        cells = [shown(spread[each], metric.about.scale_of(path)) for each in _SPREAD]
        result.add_row(Text(name, style="bold" if name == metric.about.headline else ""), *cells)
    notes = [
        f"{len(averaged.runs)} runs",
        counted(len(averaged.runs[0]), "item"),
        signature.of_runs(averaged.runs),
    ]
    return Group(result, Text("  ".join(notes), style="dim"))


def groups(averaged: Replicates, field: str) -> RenderableType:
    """Mean and deviation in each group, a row for each; the rest is in the JSON."""
    metric = averaged.metric
    paths = [
        path for path in _spreads(averaged.scores()) if ".".join(path) not in metric.about.totals
    ]
    result = plain_table(f"by {field}, mean ± sd", field, *(".".join(path) for path in paths))
    with undefined_is_nan():
        by_group = averaged.by(field)
    rows = {**by_group, "mean of groups": averaged.macro(field)}
    for name, found in rows.items():
        spreads = _spreads(found)
        cells = [
            " ± ".join(
                shown(spreads[path][each], metric.about.scale_of(path)) for each in ("mean", "sd")
            )
            for path in paths
        ]
        result.add_row(name or "(none)", *cells)
    return result
