"""Settings of the metrics of structured output."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from karat.core.tracing import Grid, Part, Preset, Scores, Value, passes_of
from karat.records.metrics.json import Json
from karat.records.metrics.tool_calls import ToolCalls

_CHOICES: dict[str, tuple[Any, ...]] = {
    "strings": ("exact", "text", "fuzzy"), "types": ("strict", "loose"),
    "lists": ("set", "ordered", "index"), "empty": ("drop", "leaf"),
    "extract": ("none", "fence", "first", "last"),
}  # fmt: skip
"""The options, the usual choice first; one of them is tried at a time."""


def json() -> Grid:
    """How strings, numbers, lists and what is empty are compared, one choice at a time."""
    return _grid(Json, "json", "records")


def tool_calls() -> Grid:
    """The same for the arguments of calls."""
    return _grid(ToolCalls, "toolcalls", "calls")


def _grid(metric: Callable[..., Json], name: str, records: str) -> Grid:
    parts: dict[str, Part] = {"f": "f", "recall": "r", "precision": "p"}
    scores: Scores = {
        **{score: ("leaves", part, "corpus") for score, part in parts.items()},
        f"{records}.f": (records, "f", "corpus"),
        "exact": ("exact", "", "corpus"),
        "parsed": ("parsed", "", "corpus"),
    }
    usual: dict[str, Value] = {each: values[0] for each, values in _CHOICES.items()}
    ways: list[dict[str, Any]] = [
        {}, *({each: value} for each, values in _CHOICES.items() for value in values[1:])
    ]  # fmt: skip
    metrics = [(metric(**way), {**usual, **way}) for way in ways]
    leaves, exact = {"leaves": 0}, {"exact": 0}
    return Grid(
        {
            "": {**leaves, **exact, records: 1, "parsed": 2}, name: leaves, "f": leaves,
            "f1": leaves, "exact": exact, "exactmatch": exact, "em": exact, "accuracy": exact,
            records: {records: 0}, "parsed": {"parsed": 0},
        },
        {**usual, "aggregation": "corpus"},
        [Preset("karat"), Preset("karat, mean of items", {"aggregation": "mean"})],
        partial(passes_of, metrics, scores, tries=True),
    )  # fmt: skip
