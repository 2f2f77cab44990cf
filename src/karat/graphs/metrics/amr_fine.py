"""Fine-grained AMR scores: what kinds of things a parser gets right."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Annotated, Literal

from karat.core.capabilities import grid_in
from karat.core.scores import Array
from karat.errors import OptionError
from karat.graphs.amr.fine_grained import Parts, Tool, parts_of, parts_of_tool
from karat.graphs.amr.triples import Top, Triples
from karat.graphs.matching.solver import DEFAULT_BUDGET, Budget, GraphPair, Matchings
from karat.graphs.matching.tuples import Tuples, as_pair
from karat.graphs.metrics.base import PenmanTexts
from karat.graphs.metrics.matched import FineMetric
from karat.graphs.metrics.smatch import Counting, counted, tuples_of_triples

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
_FRAME = re.compile(r"-\d\d$")


class AmrFine(PenmanTexts, FineMetric):
    """Smatch and its parts: unlabelled, without senses, reentrancies, roles, names, negation.

    The rows of Damonte, Cohen and Satta (2017) and of the tools after them. Rows that
    need a mapping of variables (`smatch`, `unlabeled`, `no_wsd`, `reentrancies`, `srl`)
    use the best one for each row; the others compare what the graphs contain: all
    concepts, frames with and without sense, the concepts of what has a name or is
    negated, wiki links, and triples with concepts in place of variables.

    Those rows count an entry once a graph, or with `counting="multiset"` as often as it
    occurs. Reentrancies and roles are the relations themselves with the instances of
    their variables. Other tools add further triples there, read as Smatch does, and
    count repeated triples m times n: `compat` names the one to follow.

    >>> scores = AmrFine().score("(b / bark-01 :ARG0 (d / dog))", "(b / bark-02 :ARG0 (d / dog))")
    >>> scores["smatch"]["f"], scores["no_wsd"]["f"], scores["non_sense_frames"]["f"]
    (0.75, 1.0, 1.0)
    """

    name = "amr-fine"
    main_row = "smatch"
    row_names = (*_MATCHED, *_LISTED)
    matched = _MATCHED

    top: Annotated[Top, "what the triple of the top contains"] = "constant"
    counting: Annotated[
        Literal["set", "multiset"], "count an entry once a graph, or as often as it occurs"
    ] = "set"
    compat: Annotated[
        Tool | None, "take the triples that this tool takes, and count as it does"
    ] = None
    budget: Budget = DEFAULT_BUDGET

    def __post_init__(self) -> None:
        if self.compat is not None and (self.top, self.counting) != ("constant", "set"):
            raise OptionError(
                f"{self.compat} decides itself what the top holds and how to count: "
                "leave out top and counting, or compat",
                code="K390",
            )

    tracing = grid_in("karat.graphs.metrics.grids.amr", "amr_fine")

    def signature(self) -> str:
        if self.compat:
            return f"{super().signature()}|standardize:{self.compat}|solver:exact"
        choices = f"top:{self.top}|counting:{self.counting}|standardize:smatch|solver:exact"
        return f"{super().signature()}|{choices}"

    def of_text(self, text: str, gold: bool) -> Parts:
        return parts_of_tool(text, self.compat) if self.compat else parts_of(text, self.top)

    def as_pair(self, gold: Parts, system: Parts, row: str) -> GraphPair:
        counting: Counting = "product" if self.compat else "set"
        theirs, ours = _tuples(getattr(gold, row)), _tuples(getattr(system, row))
        return as_pair(*counted(theirs, ours, counting))

    def entries(self, graph: Parts, row: str) -> Iterable[Hashable]:
        found = _ENTRIES[row](graph.whole)
        if self.compat and row == "wikification":  # the tools also list variables
            found = [*found, *(end for role, _, end in graph.whole.relations if role == "wiki")]
        repeated = self.counting == "multiset" or self.compat == "amr-evaluation"
        return found if repeated else list(dict.fromkeys(found))

    def counted_rows(
        self, known: Sequence[tuple[Parts, Parts]], found: Mapping[str, Matchings],
        listed: Sequence[str],
    ) -> Array:  # fmt: skip
        rows = super().counted_rows(known, found, listed)
        if self.compat:
            # The matcher saw m times n copies; each side has as many as are listed.
            for name in found:
                start = list(self.columns).index(f"{name}.g")
                part = attrgetter(name)
                rows[:, start : start + 2] = [(_size(part(g)), _size(part(s))) for g, s in known]
        return rows


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


_ENTRIES: dict[str, Callable[[Triples], Iterable[Hashable]]] = {
    "concepts": lambda triples: triples.instances.values(),
    "frames": _frames,
    "non_sense_frames": lambda triples: [_FRAME.sub("", each) for each in _frames(triples)],
    "named_entities": lambda triples: _sources(triples, "name"),
    "negations": lambda triples: _sources(triples, "polarity"),
    "wikification": lambda triples: [v for role, _, v in triples.attributes if role == "wiki"],
    "ignore_vars": _without_variables,
}
