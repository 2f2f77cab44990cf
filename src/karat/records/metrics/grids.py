"""Settings of the metrics of structured output."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import lru_cache, partial
from typing import Any

from karat.core.metric import Metric
from karat.core.scores import Array
from karat.core.tracing import (
    Grid,
    Pairs,
    Part,
    Pass,
    Preset,
    RowsOf,
    Scores,
    Value,
    measured,
    pass_of_groups,
    passes_of,
)
from karat.records.metrics.json import Json
from karat.records.metrics.spans import Spans
from karat.records.metrics.tool_calls import ToolCalls, prepared
from karat.records.spans import SCHEMES

_CHOICES: dict[str, tuple[Any, ...]] = {
    "strings": ("exact", "text", "fuzzy"), "types": ("strict", "loose"),
    "lists": ("set", "ordered", "index"), "empty": ("drop", "leaf"),
    "extract": ("none", "fence", "first", "last"),
}  # fmt: skip
"""The options; one of them is tried at a time."""


def json() -> Grid:
    """How strings, numbers, lists and what is empty are compared, one choice at a time."""
    return _grid(Json, "json", "records")


def tool_calls() -> Grid:
    """The same for the arguments of calls."""
    return _grid(ToolCalls, "toolcalls", "calls", _from_known_calls)


@lru_cache(maxsize=1 << 15)
def _prepared(text: bytes, gold: bool) -> tuple[bytes, bool]:
    return prepared(text, gold=gold)


class _KnownCalls(ToolCalls):
    """Calls are found in each document once for all settings."""

    def prepared(self, text: bytes, gold: bool) -> tuple[bytes, bool]:
        return _prepared(text, gold)


def _from_known_calls(metric: Metric[Any, Any], pairs: Pairs) -> Array:
    return measured(_KnownCalls(**metric.changed_options()), pairs)


def _grid(metric: Callable[..., Json], name: str, records: str, rows: RowsOf | None = None) -> Grid:
    parts: dict[str, Part] = {"f": "f", "recall": "r", "precision": "p"}
    scores: Scores = {
        **{score: ("leaves", part, "corpus") for score, part in parts.items()},
        f"{records}.f": (records, "f", "corpus"),
        "exact": ("exact", "", "corpus"),
        "parsed": ("parsed", "", "corpus"),
    }
    options = metric().options
    usual: dict[str, Value] = {each: options[each] for each in _CHOICES}
    ways: list[dict[str, Any]] = [
        {},
        *({each: value} for each, values in _CHOICES.items() for value in values
          if value != usual[each]),
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
        partial(passes_of, metrics, scores, tries=True, rows=rows),
    )  # fmt: skip


def spans() -> Grid:
    """How tags are read, what is asked for, and whose pairing of spans is followed."""
    parts: dict[str, Part] = {"f": "f", "recall": "r", "precision": "p"}
    scores: Scores = {
        **{score: ("strict", part, "corpus") for score, part in parts.items()},
        **{
            f"{match}.{score}": (f"{match} match", part, "corpus")
            for match in ("exact", "partial", "type")
            for score, part in parts.items()
        },
    }
    by_type: Scores = {
        score: (name, part, "types")
        for score, (name, part, _) in scores.items()
        if name == "strict"
    }
    metrics = [
        (Spans(tags=tags, compat=compat), {"tags": tags, "compat": compat})
        for tags in SCHEMES
        for compat in ("none", "nervaluate")
    ]

    def passes(names: Collection[str]) -> list[Pass]:
        found = passes_of(metrics, scores, names, tries=True)
        if "strict" in names:
            found += [
                pass_of_groups(metric, "type", by_type, choices)
                for metric, choices in metrics
                if metric.compat == "none"
            ]
        return found

    strict = {"strict": 0}
    others = {f"{match} match": 0 for match in ("exact", "partial", "type")}
    nervaluate: dict[str, Value] = {"compat": "nervaluate"}
    return Grid(
        {
            "": {**strict, **others}, "spans": strict, "f": strict, "f1": strict, "ner": strict,
            "entities": strict, "strict": strict, "seqeval": strict, "conlleval": strict,
            "nervaluate": {**strict, **others}, "precision": strict, "recall": strict,
            **{name.replace(" ", ""): {name: 0} for name in others},
            **{name.split()[0]: {name: 0} for name in others},
        },
        {"tags": "lenient", "compat": "none", "aggregation": "corpus"},
        [
            Preset("seqeval", {}, "seqeval's f1_score(gold, system)", names=frozenset(strict)),
            Preset("karat"),
            *(
                Preset(f"seqeval, strict, {tags}", {"tags": tags},
                       f'f1_score(gold, system, mode="strict", scheme={tags})',
                       names=frozenset(strict))
                for tags in SCHEMES[1:]
            ),
            Preset("seqeval, macro", {"aggregation": "types"},
                   'f1_score(gold, system, average="macro")', names=frozenset(strict)),
            *(
                Preset(f"seqeval, macro, strict, {tags}", {"tags": tags, "aggregation": "types"},
                       f'f1_score(gold, system, average="macro", mode="strict", scheme={tags})',
                       names=frozenset(strict))
                for tags in SCHEMES[1:]
            ),
            Preset("nervaluate", nervaluate, "nervaluate.Evaluator(gold, system, tags=...)"),
        ],
        passes,
    )  # fmt: skip
