"""Fine-grained AMR scores: what kinds of things a parser gets right."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

import numpy as np

from karat.core.metric import Metric
from karat.core.options import Range
from karat.core.scores import Array, Scores, precision_recall
from karat.graphs.matching import DEFAULT_BUDGET, Kind, match_many
from karat.graphs.metrics.base import DrawsGraphs
from karat.graphs.metrics.smatch import tuples_of_triples
from karat.graphs.triples import Top, Triples, penman_of_text, triples_of
from karat.graphs.tuples import Tuples, as_pair

_MATCHED = ("smatch", "unlabeled", "no_wsd", "reentrancies", "srl")
_LISTED = (
    "concepts",
    "frames",
    "non_sense_frames",
    "named_entities",
    "negations",
    "wikification",
    "ignore_vars",
)
_ROWS = (*_MATCHED, *_LISTED)
_WORTH = (Kind(rank=1), Kind(rank=3), Kind(rank=2))
_SENSE = re.compile(r"-\d\d+$")
_FRAME = re.compile(r"-\d\d$")


class AmrFine(DrawsGraphs, Metric[str, str]):
    """Smatch and its parts: unlabelled, without senses, reentrancies, roles, names, negation.

    The rows of Damonte, Cohen and Satta (2017) and of the tools after them. Rows that
    need a mapping of variables (`smatch`, `unlabeled`, `no_wsd`, `reentrancies`, `srl`)
    have the best one, each its own; the others compare what the graphs hold: all
    concepts, frames with and without sense, the concepts of what has a name or is
    negated, wiki links, and triples with concepts in place of variables.

    Those rows count an entry once a graph, as amrlib does, or with
    `counting="multiset"` as often as it occurs, as amr-evaluation does. Reentrancies
    and roles are the relations themselves with the instances of their variables; the
    tools add other triples there, each its own.

    >>> scores = AmrFine().score("(b / bark-01 :ARG0 (d / dog))", "(b / bark-02 :ARG0 (d / dog))")
    >>> scores["smatch"]["f"], scores["no_wsd"]["f"], scores["non_sense_frames"]["f"]
    (0.75, 1.0, 1.0)
    """

    name = "amr-fine"
    kind = "amr"
    headline = "smatch.f"
    columns = (
        "n",
        "inexact",
        *(f"{row}.{count}" for row in _ROWS for count in "gsc"),
        *(f"{row}.bound" for row in _MATCHED),
    )
    totals = frozenset(
        (
            "n",
            "exact",
            *(f"{r}.{c}" for r in _ROWS for c in "gsc"),
            *(f"{r}.bound" for r in _MATCHED),
        )
    )
    releases_gil = True
    inexact_column = "inexact"
    chunk_size = 64

    def __init__(
        self,
        *,
        top: Annotated[Top, "what the triple of the top holds"] = "constant",
        counting: Annotated[
            Literal["set", "multiset"], "count an entry once a graph, or as often as it occurs"
        ] = "set",
        budget: Annotated[
            int, Range(0), "work to spend on one pair before its score is called not proven"
        ] = DEFAULT_BUDGET,
    ) -> None:
        self.top = top
        self.counting = counting
        self.budget = budget

    def absent(self, gold: str) -> str:
        return ""

    def measure_many(self, pairs: Sequence[tuple[str, str]]) -> Array:
        graphs = [(_Graph(gold), _Graph(system)) for system, gold in pairs]
        rows = np.zeros((len(pairs), len(self.columns)))
        rows[:, 0] = 1
        for number, name in enumerate(_MATCHED):
            found = match_many(
                [as_pair(self._tuples(g, name), self._tuples(s, name)) for g, s in graphs],
                _WORTH,
                budget=self.budget,
            )
            rows[:, 1] = np.maximum(rows[:, 1], ~found.proven)
            rows[:, 2 + 3 * number : 5 + 3 * number] = found.counts.sum(axis=2)
            rows[:, 2 + 3 * len(_ROWS) + number] = found.bound
        for number, name in enumerate(_LISTED, len(_MATCHED)):
            entries = _ENTRIES[name]
            for row, (g, s) in zip(rows, graphs, strict=True):
                gold, system = self._counted(entries(g)), self._counted(entries(s))
                row[2 + 3 * number : 5 + 3 * number] = (
                    gold.total(),
                    system.total(),
                    (gold & system).total(),
                )
        return rows

    def _counted(self, entries: Iterable[Any]) -> Counter[Any]:
        return Counter(entries if self.counting == "multiset" else set(entries))

    def _tuples(self, graph: _Graph, row: str) -> Tuples:
        if row == "smatch":
            return tuples_of_triples(graph.plain, self.top)
        if row == "unlabeled":
            return tuples_of_triples(_unlabeled(graph.plain), self.top)
        if row == "no_wsd":
            concepts = {v: _SENSE.sub("-01", c) for v, c in graph.plain.instances.items()}
            return tuples_of_triples(replace(graph.plain, instances=concepts), self.top)
        part = _reentrant(graph.kept) if row == "reentrancies" else _roles(graph.kept)
        return tuples_of_triples(part, None)

    def summarize(self, totals: Array) -> Scores:
        column = dict(zip(self.columns, self.columns_of(totals), strict=True))
        scores: dict[str, Any] = {"n": column["n"], "exact": column["n"] - column["inexact"]}
        for row in _ROWS:
            scores[row] = precision_recall(*(column[f"{row}.{count}"] for count in "gsc"))
        for row in _MATCHED:
            scores[row]["bound"] = column[f"{row}.bound"]
        return scores


class _Graph:
    """A graph's triples: as Smatch has them, and with `mod` kept."""

    def __init__(self, text: str) -> None:
        penman = penman_of_text(text)
        self.plain = triples_of(penman)
        self.kept = triples_of(penman, mod_is_domain=False)
        self.concept = self.plain.instances


def _unlabeled(triples: Triples) -> Triples:
    return Triples(
        triples.instances,
        [("label", variable, value) for _, variable, value in triples.attributes],
        [("label", source, target) for _, source, target in triples.relations],
    )


def _reentrant(triples: Triples) -> Triples:
    """Relations into variables that have several."""
    relations = list(dict.fromkeys(triples.relations))
    entering = Counter(target for _, _, target in relations)
    return _around(triples, [], [each for each in relations if entering[each[2]] > 1])


def _roles(triples: Triples) -> Triples:
    """What predicates say of their arguments."""
    return _around(
        triples,
        [each for each in triples.attributes if each[0].upper().startswith("ARG")],
        [each for each in triples.relations if each[0].upper().startswith("ARG")],
    )


def _around(
    triples: Triples, attributes: list[tuple[str, str, str]], relations: list[tuple[str, str, str]]
) -> Triples:
    """Some triples, with the instances of the variables they mention."""
    mentioned = dict.fromkeys(
        [v for _, v, _ in attributes] + [end for _, *ends in relations for end in ends]
    )
    return Triples({v: triples.instances[v] for v in mentioned}, attributes, relations)


def _sources(graph: _Graph, role: str) -> list[str]:
    triples = (*graph.plain.attributes, *graph.plain.relations)
    return [graph.concept[source] for name, source, _ in triples if name == role]


def _without_variables(graph: _Graph) -> list[tuple[str, str, str]]:
    concept, triples = graph.concept, graph.plain
    top = [("TOP", concept[triples.top], "top")] if triples.top is not None else []
    return [
        *top,
        *((role, concept[source], value) for role, source, value in triples.attributes),
        *((role, concept[source], concept[target]) for role, source, target in triples.relations),
    ]


_ENTRIES: dict[str, Callable[[_Graph], Iterable[Any]]] = {
    "concepts": lambda graph: graph.concept.values(),
    "frames": lambda graph: [c for c in graph.concept.values() if _FRAME.search(c)],
    "non_sense_frames": lambda graph: [
        _FRAME.sub("", c) for c in graph.concept.values() if _FRAME.search(c)
    ],
    "named_entities": lambda graph: _sources(graph, "name"),
    "negations": lambda graph: _sources(graph, "polarity"),
    "wikification": lambda graph: [v for role, _, v in graph.plain.attributes if role == "wiki"],
    "ignore_vars": _without_variables,
}
