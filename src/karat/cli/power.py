"""``karat power``: how much data is needed to see a difference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from karat.cli.judging import (
    COEFFICIENTS,
    lower_is_better_option,
    one_coefficient_option,
    one_level_option,
)
from karat.cli.running import write_json
from karat.errors import OptionError
from karat.version import VERSION


@click.group("power")
def power() -> None:
    """How many items or systems are needed to tell two systems, or two metrics, apart?

    Data sets of several sizes are drawn from a pilot, and each is tested: the
    share in which the difference is found is the power at that size. The pilot's
    difference is taken for the true one, so small pilots are not to be trusted.
    """


_SHARED: tuple[Any, ...] = (
    click.option("--size", "sizes", multiple=True, type=click.IntRange(2), help="a size to try; repeat it  [default: from half to 16 times the pilot]"),
    click.option("--power", "target", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.8, show_default=True, help="how often the difference should be found"),
    click.option("--alpha", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.05, show_default=True, help="level of the test"),
    click.option("--trials", type=click.IntRange(1), default=200, show_default=True, help="random exchanges in each test"),
    click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="for everything random"),
    click.option("--json", "json_path", metavar="PATH", help="write the result as JSON (- is standard output)"),
)  # fmt: skip


def _shared(command: Any) -> Any:
    for option in reversed(_SHARED):
        command = option(command)
    return command


def _sizes(given: Sequence[int], pilot: int) -> list[int]:
    return sorted(given) if given else [max(2, pilot * step // 2) for step in (1, 2, 4, 8, 16, 32)]


@power.command("systems")
@click.argument("first", metavar="A.run")
@click.argument("second", metavar="B.run")
@click.option(
    "--score", metavar="NAME", help="the score to compare by (the metric's main one when left out)"
)
@click.option(
    "--runs",
    type=click.IntRange(1),
    default=500,
    show_default=True,
    help="data sets drawn for each size",
)
@_shared
def systems(
    first: str, second: str, score: str | None, sizes: tuple[int, ...], json_path: str | None,
    **options: Any,
) -> None:  # fmt: skip
    """How many items are needed to tell two systems apart, by a paired randomization test.

    A.run and B.run are what karat evaluate --save wrote for the two systems.
    """
    from karat.core.evaluation import Evaluation

    a, b = Evaluation.load(first), Evaluation.load(second)
    name, curve = a.power(b, _sizes(sizes, len(a)), score=score, **options)
    document = {
        "what": "items",
        "metric": a.metric.signature(),
        "score": name,
        "pilot_items": len(a),
    }
    _report(curve, document, options, json_path)


@power.command("metrics")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--dependent", required=True, metavar="NAME", help="the judgement to follow")
@click.option("--metrics", nargs=2, required=True, metavar="A B", help="is A better than B?")
@lower_is_better_option
@click.option(
    "--grow",
    type=click.Choice(["inputs", "systems"]),
    default="inputs",
    show_default=True,
    help="what there could be more of",
)
@one_level_option
@one_coefficient_option
@click.option(
    "--test",
    type=click.Choice(["permutation-both", "williams"]),
    default="permutation-both",
    show_default=True,
    help="the one-tailed test",
)
@click.option(
    "--summarizer-type",
    "who",
    type=click.Choice(["peer", "reference", "all"]),
    default="peer",
    show_default=True,
    help="whose outputs count",
)
@click.option(
    "--runs",
    type=click.IntRange(1),
    default=200,
    show_default=True,
    help="data sets drawn for each size",
)
@_shared
def metrics(
    files: tuple[str, ...], dependent: str, metrics: tuple[str, str], grow: str, level: Any,
    coefficient: str, who: Any, lower_is_better: tuple[str, ...], sizes: tuple[int, ...],
    json_path: str | None, **options: Any,
) -> None:  # fmt: skip
    """How many inputs or systems are needed to tell two metrics apart."""
    from karat.meta.table import ScoreTable
    from karat.stats.power import metric_power

    found = ScoreTable.read(files).matrices((*metrics, dependent), who).turned(lower_is_better)
    x, y, z = found.values
    pilot = x.shape[1] if grow == "inputs" else x.shape[0]
    shapes = [
        (x.shape[0], size) if grow == "inputs" else (size, x.shape[1])
        for size in _sizes(sizes, pilot)
    ]
    if len({*shapes}) < 2:
        raise OptionError("power needs at least two sizes to try", code="K363")
    curve = metric_power(x, y, z, level, COEFFICIENTS.index(coefficient), shapes, **options)
    document = {
        "what": grow,
        "metric_A": metrics[0],
        "metric_B": metrics[1],
        "dependent_metric": dependent,
        "level": level,
        "coefficient": coefficient,
        "pilot_systems": x.shape[0],
        "pilot_inputs": x.shape[1],
    }
    _report(curve, document, options, json_path)


def _report(
    curve: Any, document: dict[str, Any], options: dict[str, Any], json_path: str | None
) -> None:
    from dataclasses import asdict

    document = {"karat": VERSION, **document, **options, **asdict(curve)}
    if json_path:
        write_json(json_path, document)
    if json_path != "-":
        from karat.report import meta_tables, tables

        tables.console().print(meta_tables.power(document))
