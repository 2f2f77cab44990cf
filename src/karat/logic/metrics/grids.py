"""Settings of the metrics of logical forms."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial

import numpy as np

from karat.core.scores import Array, leaves
from karat.core.tracing import Grid, Once, Pairs, Part, Pass, Preset, Value, passes_of
from karat.logic.metrics.base import Component, Forms
from karat.logic.metrics.cogs import Cogs
from karat.logic.model import AnyDialect, Counting, Grammar

_DIALECTS: tuple[AnyDialect, ...] = ("cogs", "slog", "recogs", "reduced", "varfree")
_WAYS: tuple[tuple[Grammar, Counting | None, bool], ...] = (
    ("tolerant", None, False), ("tolerant", "set", False), ("strict", None, False),
    ("tolerant", None, True),
)  # fmt: skip
_OBJECTS = ("terms", "predicates", "arguments")
_PLACES = ("all", "prefix", "conjunction")
_PARTS: dict[str, Part] = {"f1": "f", "recall": "r", "precision": "p"}
_RATES = {
    "exact_match": "exact match",
    "exact_match_tokens": "exact match of tokens",
    "order_invariant": "order-invariant match",
    "semantic_match": "semantic match",
    "well_formed": "well-formed",
    "well_formed_strict": "strictly well-formed",
}


def cogs() -> Grid:
    """Dialects, grammars, ways to count repeated parts, and the first evaluator."""
    exact = {"exact match": 0, "exact match of tokens": 1}
    semantic = {"semantic match": 0}
    order = {"order-invariant match": 0}
    parts = {
        f"{each} {place}": (0 if (each, place) == ("terms", "all") else 1)
        for each in (*_OBJECTS, "triples")
        for place in (_PLACES if each != "triples" else ("all",))
    }
    return Grid(
        {
            "": {**exact, **semantic, **order, **parts, "bleu": 2},
            "cogs": exact, "exact": exact, "exactmatch": exact, "em": exact,
            "accuracy": {**exact, **semantic},
            "semanticmatch": semantic, "sem": semantic, "semanticexactmatch": semantic,
            "orderinvariant": order, "orderfree": order, "orderinvariantmatch": order,
            "f1": parts, "f": parts, "micro": parts, "macro": parts,
            **{each: {name: far for name, far in parts.items() if name.startswith(each)}
               for each in (*_OBJECTS, "triples")},
            "wellformed": {"well-formed": 0, "strictly well-formed": 1},
            "editdistance": {"edit distance": 0}, "bleu": {"bleu": 1},
        },
        {
            "dialect": "cogs", "grammar": "tolerant", "counting": None, "legacy": False,
            "aggregation": "corpus",
        },
        [
            *(Preset(dialect, {"dialect": dialect}) for dialect in _DIALECTS),
            *(Preset(f"{dialect}, macro", {"dialect": dialect, "aggregation": "macro"})
              for dialect in _DIALECTS),
            Preset("first COGS evaluator", {"legacy": True}, "evaluate.py GOLD SYSTEM"),
        ],
        _passes,
    )  # fmt: skip


def _passes(names: Collection[str]) -> list[Pass]:
    found: list[Pass] = []
    once = Once()
    for dialect in _DIALECTS:
        for grammar, counting, legacy in _WAYS:
            if dialect == "varfree" and (legacy or grammar == "strict"):
                continue
            metric = Cogs(dialect=dialect, grammar=grammar, counting=counting, legacy=legacy)
            choices: dict[str, Value] = {
                "dialect": dialect, "grammar": grammar, "counting": counting, "legacy": legacy,
            }  # fmt: skip
            scores = {path: each for path, each in _scores(metric).items() if each[0] in names}
            found += passes_of(
                [(metric, choices)], scores, names, means=False, tries=True,
                rows=partial(_rows, once, _needed(metric, scores)),
            )  # fmt: skip
    return found


def _needed(metric: Cogs, scores: Collection[str]) -> list[Component]:
    """The components that some scores are made from."""
    nothing = np.zeros(1)
    return [
        each
        for each in metric.components
        if {
            ".".join(path)
            for path, _ in leaves(each.summarize(nothing, np.zeros((1, len(each.columns)))))
        }.intersection(scores)
    ]


def _rows(once: Once, components: Sequence[Component], metric: Cogs, pairs: Pairs) -> Array:
    """The rows of a metric with these components, from texts that all metrics share."""
    forms = once.of("forms", pairs, lambda: Forms.of(pairs))
    groups = tuple(each.group for each in components)
    # How repeated items count says nothing of the other columns.
    ways = (metric.counting, metric.legacy) if "parts" in groups else ()
    counted: Array = once.of(
        (metric.dialect, metric.grammar, tuple(metric.columns), *groups, *ways),
        pairs,
        lambda: metric.measure_forms(forms, components),
    )
    return counted


def _scores(metric: Cogs) -> dict[str, tuple[str, Part, str]]:
    known = {".".join(path) for path in metric.about.marks}
    found: dict[str, tuple[str, Part, str]] = {
        f"{name}.rate": (called, "", "corpus") for name, called in _RATES.items()
    }
    counted = {f"{each}.{place}": f"{each} {place}" for each in _OBJECTS for place in _PLACES}
    for path, called in {**counted, "triples": "triples all"}.items():
        for score, part in _PARTS.items():
            found[f"{path}.micro.{score}"] = (called, part, "corpus")
            found[f"{path}.macro.{score}"] = (called, part, "macro")
    found["edit_distance.mean"] = ("edit distance", "", "corpus")
    found["edit_distance.per_gold_token"] = ("edit distance", "", "corpus")
    found["bleu"] = ("bleu", "", "corpus")
    return {path: each for path, each in found.items() if path in known}
