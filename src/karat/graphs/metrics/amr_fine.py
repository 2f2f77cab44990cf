"""Fine-grained AMR scores: what kinds of things a parser gets right."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Annotated, Any, Literal

import numpy as np

from karat.core.options import Range
from karat.core.scores import Array, Scores, precision_recall
from karat.errors import OptionError
from karat.graphs.fine_grained import Parts, Tool, parts_of, parts_of_tool
from karat.graphs.matching import DEFAULT_BUDGET, GraphPair, Kind, Matchings
from karat.graphs.metrics.base import DrawsGraphs
from karat.graphs.metrics.searched import SearchedMetric
from karat.graphs.metrics.smatch import Counting, counted, tuples_of_triples
from karat.graphs.triples import Top, Triples
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
_FRAME = re.compile(r"-\d\d$")


class AmrFine(DrawsGraphs, SearchedMetric[str, str]):
    """Smatch and its parts: unlabelled, without senses, reentrancies, roles, names, negation.

    The rows of Damonte, Cohen and Satta (2017) and of the tools after them. Rows that
    need a mapping of variables (`smatch`, `unlabeled`, `no_wsd`, `reentrancies`, `srl`)
    have the best one, each its own; the others compare what the graphs hold: all
    concepts, frames with and without sense, the concepts of what has a name or is
    negated, wiki links, and triples with concepts in place of variables.

    Those rows count an entry once a graph, or with `counting="multiset"` as often as it
    occurs. Reentrancies and roles are the relations themselves with the instances of
    their variables. The tools add other triples there, each its own, read as Smatch does
    and count repeated triples m times n: `compat` names the one to follow.

    >>> scores = AmrFine().score("(b / bark-01 :ARG0 (d / dog))", "(b / bark-02 :ARG0 (d / dog))")
    >>> scores["smatch"]["f"], scores["no_wsd"]["f"], scores["non_sense_frames"]["f"]
    (0.75, 1.0, 1.0)
    """

    name = "amr-fine"
    kind = "amr"
    headline = "smatch.f"
    worth = (Kind(rank=1), Kind(rank=3), Kind(rank=2))
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

    def __init__(
        self,
        *,
        top: Annotated[Top, "what the triple of the top holds"] = "constant",
        counting: Annotated[
            Literal["set", "multiset"], "count an entry once a graph, or as often as it occurs"
        ] = "set",
        compat: Annotated[
            Tool | None, "take the triples that this tool takes, and count as it does"
        ] = None,
        budget: Annotated[
            int, Range(0), "work to spend on one pair before its score is called not proven"
        ] = DEFAULT_BUDGET,
    ) -> None:
        if compat is not None and (top, counting) != ("constant", "set"):
            raise OptionError(
                f"{compat} decides itself what the top holds and how to count: "
                "leave out top and counting, or compat",
                code="K390",
            )
        self.top = top
        self.counting = counting
        self.compat = compat
        self.budget = budget

    def absent(self, gold: str) -> str:
        return ""

    # -- counting -------------------------------------------------------------

    def _parts(self, text: str) -> Parts:
        return parts_of_tool(text, self.compat) if self.compat else parts_of(text, self.top)

    def prepare(
        self, pairs: Sequence[tuple[str, str]]
    ) -> tuple[list[tuple[Parts, Parts]], list[list[GraphPair]]]:
        graphs = [(self._parts(gold), self._parts(system)) for system, gold in pairs]
        counting: Counting = "product" if self.compat else "set"
        searches = [
            [as_pair(*counted(_tuples(part(g)), _tuples(part(s)), counting)) for g, s in graphs]
            for part in map(attrgetter, _MATCHED)
        ]
        return graphs, searches

    def rows(self, known: Sequence[tuple[Parts, Parts]], found: Sequence[Matchings]) -> Array:
        rows = np.zeros((len(known), len(self.columns)))
        rows[:, 0] = 1
        for number, (name, matchings) in enumerate(zip(_MATCHED, found, strict=True)):
            first = 2 + 3 * number
            rows[:, 1] = np.maximum(rows[:, 1], ~matchings.proven)
            rows[:, first : first + 3] = matchings.counts.sum(axis=2)
            if self.compat:
                # The matcher saw m times n copies; each side has as many as are listed.
                part = attrgetter(name)
                rows[:, first : first + 2] = [(_size(part(g)), _size(part(s))) for g, s in known]
            rows[:, 2 + 3 * len(_ROWS) + number] = matchings.bound
        for number, name in enumerate(_LISTED, len(_MATCHED)):
            entries = _ENTRIES[name]
            for row, (g, s) in zip(rows, known, strict=True):
                gold, system = self._counted(entries(g.whole)), self._counted(entries(s.whole))
                row[2 + 3 * number : 5 + 3 * number] = (
                    gold.total(),
                    system.total(),
                    (gold & system).total(),
                )
        return rows

    def _counted(self, entries: Iterable[Any]) -> Counter[Any]:
        repeated = self.counting == "multiset" or self.compat == "amr-evaluation"
        return Counter(entries if repeated else set(entries))

    def summarize(self, totals: Array) -> Scores:
        column = dict(zip(self.columns, self.columns_of(totals), strict=True))
        scores: dict[str, Any] = {"n": column["n"], "exact": column["n"] - column["inexact"]}
        for row in _ROWS:
            scores[row] = precision_recall(*(column[f"{row}.{count}"] for count in "gsc"))
        for row in _MATCHED:
            scores[row]["bound"] = column[f"{row}.bound"]
        return scores


def _tuples(triples: Triples) -> Tuples:
    return tuples_of_triples(triples, None)


def _size(triples: Triples) -> int:
    return len(triples.instances) + len(triples.attributes) + len(triples.relations)


def _sources(triples: Triples, role: str) -> list[str]:
    found = (*triples.attributes, *triples.relations)
    return [triples.instances[source] for name, source, _ in found if name == role]


def _without_variables(triples: Triples) -> list[tuple[str, str, str]]:
    concept = triples.instances
    top = [("TOP", concept[triples.top], "top")] if triples.top is not None else []
    return [
        *top,
        *((role, concept[source], value) for role, source, value in triples.attributes),
        *((role, concept[source], concept[target]) for role, source, target in triples.relations),
    ]


def _frames(triples: Triples) -> list[str]:
    return [concept for concept in triples.instances.values() if _FRAME.search(concept)]


_ENTRIES: dict[str, Callable[[Triples], Iterable[Any]]] = {
    "concepts": lambda triples: triples.instances.values(),
    "frames": _frames,
    "non_sense_frames": lambda triples: [_FRAME.sub("", each) for each in _frames(triples)],
    "named_entities": lambda triples: _sources(triples, "name"),
    "negations": lambda triples: _sources(triples, "polarity"),
    "wikification": lambda triples: [v for role, _, v in triples.attributes if role == "wiki"],
    "ignore_vars": _without_variables,
}
