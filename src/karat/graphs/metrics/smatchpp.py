"""smatch++: Smatch after standardisation, and for aspects of meaning."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cache, lru_cache, partial
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.core.capabilities import LazyPairs, PairOutputs, grid_in
from karat.core.files.opener import Source
from karat.core.marks import Score, count, main, out_of, percent
from karat.core.metric import Explanation
from karat.core.options import File, Only
from karat.core.scores import Array, MetricsDict, Scores, convention, precision_recall
from karat.graphs.amr.aspects import ASPECTS, REENTRANCIES, part_of, read_frames, with_frame_roles
from karat.graphs.amr.penman import penman_of_text
from karat.graphs.amr.statements import (
    REIFICATIONS,
    Statements,
    Style,
    compressed,
    read_plainly,
    reified,
    shown_variable,
    standardized,
    statements_of,
)
from karat.graphs.matching import certificates
from karat.graphs.matching.solver import (
    DEFAULT_BUDGET,
    DEFAULT_TIE_BUDGET,
    Budget,
    GraphPair,
    Kind,
    Matchings,
    match_many,
    unpacked,
)
from karat.graphs.matching.tuples import Tuples, as_pair
from karat.graphs.metrics.base import DrawsGraphs
from karat.graphs.metrics.kernels import PenmanOutputs, reifications, tuples_of_texts
from karat.graphs.metrics.matched import MatchingMetric
from karat.graphs.metrics.smatch import are_texts, counted, unmatched_copies
from karat.graphs.pictures.marked import MarkedGraph, Part, chosen, frozen

Meaning: TypeAlias = str | Statements
"""A graph in PENMAN notation, or triples."""

_INSTANCE, _UNARY, _BINARY = range(3)
_ASPECTS = (*ASPECTS, REENTRANCIES)


class _Known(NamedTuple):
    """A chunk before any mapping: the parts of its graphs by aspect, and whole graphs."""

    pairs: int
    parts: Sequence[Sequence[tuple[Statements, Statements]]] = ()
    tuples: Sequence[tuple[Tuples, Tuples]] = ()


class SmatchPlusPlus(DrawsGraphs, MatchingMetric[Meaning, Meaning]):
    """Triples under the best mapping of variables, after standardising both graphs.

    With `style="amr"` inverted edges are turned, `domain` is `mod` turned around, the
    top is a triple with the root's concept, nodes that only stand for a role become
    edges, and triples count once; `style="generic"` turns edges and ignores case and
    quotes; `style="none"` takes the graphs as written. The figures, in per cent, are
    those of smatch++ (Opitz 2023) where that proves its solutions; it lower-cases
    variables and takes quoted constants for them, which `compat="smatchpp"` does too.

    `aspects="apart"` also scores the parts of both graphs that belong to an aspect
    (agents, negation, places …), each with a mapping of its own; `aspects="together"`
    uses the mapping of the whole graphs. A pair counts for an aspect where either
    side has something of it.

    >>> scores = SmatchPlusPlus().score("(b / big :domain (d / dog))", "(d / dog :mod (b / big))")
    >>> round(scores["f"], 2), scores["c"], scores["g"]
    (75.0, 3, 4)
    """

    name = "smatchpp"
    kind = "amr"
    kinds = ("amr", "triples")
    releases_gil = True  # texts go to native code as they are
    weights = (Kind(rank=1), Kind(rank=3), Kind(rank=2))
    _counts: ClassVar[tuple[str, ...]] = ("pairs", "g", "s", "c")

    style: Annotated[Style, "how the graphs are standardised"] = "amr"
    reify: Annotated[bool, "make nodes of edges rather than edges of nodes"] = False
    compress: Annotated[bool, "use concepts that occur once in place of variables"] = False
    aspects: Annotated[Literal["apart", "together"] | None, "score aspects of meaning too"] = None
    frames: Annotated[
        str, File(), Only("aspects"), "with aspects: a file that describes the roles of frames"
    ] = ""
    compat: Annotated[Literal["smatchpp"] | None, "read as smatch++ does, defects included"] = None
    budget: Budget = DEFAULT_BUDGET

    @property
    def used(self) -> certificates.Used:  # type: ignore[override]
        return "mapping" if self.aspects == "together" else "value"

    tracing = grid_in("karat.graphs.metrics.grids.amr", "smatchpp")

    def signature(self) -> str:
        top = "concept" if self.style == "amr" else "constant"
        counting = "set" if self.style == "amr" else "min"
        steps = [self.style, *(each for each in ("reify", "compress") if getattr(self, each))]
        choices = f"top:{top}|counting:{counting}|standardize:{'+'.join(steps)}|solver:exact"
        return f"{super().signature()}|{choices}"

    @property
    def _parts(self) -> tuple[str, ...]:
        return ("main", *_ASPECTS) if self.aspects else ("main",)

    @property
    def columns(self) -> Sequence[str]:  # type: ignore[override]
        counts = (f"{part}.{each}" for part in self._parts for each in self._counts)
        return ("n", "inexact", *counts, "bound")

    def absent(self, gold: Meaning) -> Meaning:
        return ""

    # -- counting -------------------------------------------------------------

    def statements(self, meaning: Meaning) -> Statements:
        """The statements of a graph, standardised."""
        as_tool = self.compat == "smatchpp"
        if isinstance(meaning, Statements):
            found = standardized(meaning, self.style, as_tool)
        else:
            found = _statements_of_text(meaning, self.style, as_tool)
        return reified(found) if self.reify else found

    def _pair(self, gold: Statements, system: Statements, compress: bool = False) -> GraphPair:
        if compress:
            gold, system = compressed(gold, system)
        return as_pair(*counted(_tuples(gold), _tuples(system), "min"))

    def measure_many(self, pairs: Sequence[tuple[Meaning, Meaning]]) -> Array:
        # Rows are the same for all mappings of the same value.
        return self._measure(pairs, tie_budget=0)[0]

    def measure_mapped(
        self, pairs: Sequence[tuple[Meaning, Meaning]]
    ) -> tuple[Array, Sequence[bytes]]:
        return self._measure(pairs)

    def _measure(
        self, pairs: Sequence[tuple[Meaning, Meaning]], tie_budget: int = DEFAULT_TIE_BUDGET
    ) -> tuple[Array, Sequence[bytes]]:
        if not are_texts(pairs) or self.compress or self.aspects:
            return super().measure_many(pairs), ()
        plain, found = self._match_texts(pairs, tie_budget=tie_budget)
        rows = self.rows(_Known(len(pairs)), [found])
        rest = np.flatnonzero(~plain).tolist()
        if rest:
            rows[rest] = super().measure_many([pairs[i] for i in rest])
        return rows, found.packed() if self._is_usual else ()

    def _match_texts(
        self,
        pairs: Sequence[tuple[Meaning, Meaning]],
        threads: int = 1,
        tie_budget: int = DEFAULT_TIE_BUDGET,
    ) -> tuple[npt.NDArray[np.bool_], Matchings]:
        """Which pairs of texts are plain, and the matchings of all."""
        read = partial(
            _native.standardized_triples,
            style=self.style,
            as_tool=self.compat == "smatchpp",
            reifications=reifications(self.compat == "smatchpp"),
            reified=[
                (concept, role, first, second)
                for role, (concept, first, second) in (REIFICATIONS if self.reify else {}).items()
            ],
        )
        found = tuples_of_texts(pairs, read)
        search = {"budget": self.budget, "tie_budget": tie_budget, "threads": threads}
        return found.plain, found.matched(self.weights, **search)

    @property
    def _is_usual(self) -> bool:
        """Whether graphs are standardised in the usual way, as kernels explain and show them."""
        return self.style == "amr" and not (self.reify or self.compress or self.compat)

    def look_at(self, chunk: LazyPairs) -> PairOutputs | None:
        if not self._is_usual:
            return None
        pairs = chunk.pairs()
        if not are_texts(pairs):
            return None
        if chunk.mappings:
            known = unpacked(chunk.mappings)
        else:
            _, found = self._match_texts(pairs, chunk.threads)
            known = found.mapping, found.mapping_offsets
        return PenmanOutputs(pairs, known, "concept", chunk.outputs, standardized=True)

    def prepare(
        self, pairs: Sequence[tuple[Meaning, Meaning]]
    ) -> tuple[_Known, list[list[GraphPair]]]:
        graphs = [(self.statements(gold), self.statements(system)) for system, gold in pairs]
        searches = [[self._pair(gold, system, self.compress) for gold, system in graphs]]
        if not self.aspects:
            return _Known(len(pairs)), searches
        frames = _frames(self.frames) if self.frames else {}
        described = [
            (with_frame_roles(gold, frames), with_frame_roles(system, frames))
            for gold, system in graphs
        ]
        as_tool = self.compat == "smatchpp"
        parts = [
            [
                (part_of(gold, aspect, as_tool), part_of(system, aspect, as_tool))
                for gold, system in described
            ]
            for aspect in _ASPECTS
        ]
        if self.aspects == "apart":
            searches += [[self._pair(*each) for each in part] for part in parts]
            return _Known(len(pairs), parts), searches
        tuples = [(_tuples(gold), _tuples(system)) for gold, system in described]
        searches.append([as_pair(*both) for both in tuples])
        return _Known(len(pairs), parts, tuples), searches

    def rows(self, known: _Known, found: Sequence[Matchings]) -> Array:
        whole, *others = found
        rows = np.zeros((known.pairs, len(self.columns)))
        rows[:, 0] = 1
        rows[:, 1] = np.any([~each.proven for each in found], axis=0)
        rows[:, 2] = 1
        rows[:, 3:6] = whole.counts.sum(axis=2)
        rows[:, -1] = whole.bound
        mappings = [
            {g.nodes[i]: s.nodes[j] for i, j in each.pairs}
            for (g, s), each in zip(known.tuples, others[0] if known.tuples else (), strict=True)
        ]
        for number, parts in enumerate(known.parts):
            at = 6 + 4 * number
            rows[:, at] = [bool(g.all or s.all) for g, s in parts]
            if self.aspects == "apart":
                rows[:, at + 1 : at + 4] = others[number].counts.sum(axis=2)
            else:
                rows[:, at + 1 : at + 4] = [
                    _counts(g, s, m) for (g, s), m in zip(parts, mappings, strict=True)
                ]
        return rows

    def summarize(self, totals: Array) -> Scores:
        column = self.by_column(totals)

        def compared(name: str, empty: float) -> dict[str, Array | Score]:
            gold, system, common = (column[f"{name}.{side}"] for side in "gsc")
            # Two empty graphs agree; an aspect that no graph has is not scored.
            nothing = (gold == 0) & (system == 0)

            def scaled(value: Any) -> Score:
                return out_of(np.where(nothing, convention(empty), 100 * value), 100)

            figures = precision_recall(gold, system, common)
            return {k: scaled(each) if k in "prf" else each for k, each in figures.items()}

        best = precision_recall(column["main.g"], column["main.s"], column["bound"])
        whole = compared("main", 100.0)
        scores: dict[str, Any] = {
            "n": count(column["n"]),
            **whole,
            "f": main(whole["f"]),
            "exact": count(column["n"] - column["inexact"]),
            "bound": {"c": best["c"], "f": percent(best["f"])},
        }
        for part in self._parts[1:]:
            scores[part] = {"pairs": count(column[f"{part}.pairs"]), **compared(part, np.nan)}
        return scores

    def line(self, scores: MetricsDict) -> str:
        """What the package smatchpp prints for the whole (``-score_type micro``)."""
        f, p, r = (round(scores[name] or 0.0, 2) for name in "fpr")
        rule = "-" * 28
        return "\n".join(
            (
                f"main ---->   F1: {f}    Precision: {p}    Recall: {r}",
                rule,
                "--95-confidence intervals:--",
                rule,
                "main ---->   F1: [None,None]    Precision: [None,None]    Recall: [None,None]",
            )
        )

    def explain(self, system: Meaning, gold: Meaning) -> Explanation:
        """Which variables correspond, and the standardised triples missing or surplus."""
        return self.explain_many([(system, gold)])[0]

    def explain_many(self, pairs: Sequence[tuple[Meaning, Meaning]]) -> list[Explanation]:
        """The same for many pairs, whose mappings are searched at once."""
        sides = [[_tuples(each) for each in self._graphs(*pair)] for pair in pairs]
        copies = [counted(theirs, ours, "min") for theirs, ours in sides]
        matchings = match_many(
            [as_pair(*both) for both in copies], self.weights, budget=self.budget
        )
        result: list[Explanation] = []
        for (theirs, ours), both, found in zip(sides, copies, matchings, strict=True):
            missing, surplus = unmatched_copies(*both, found.mapping.tolist())
            result.append(
                {
                    "correspondences": [
                        [shown_variable(theirs.nodes[i]), shown_variable(ours.nodes[j])]
                        for i, j in found.pairs
                        if theirs.nodes[i]
                    ],
                    "missing": [_shown(each, theirs) for each in missing],
                    "surplus": [_shown(each, ours) for each in surplus],
                }
            )
        return result

    def _graphs(self, system: Meaning, gold: Meaning) -> tuple[Statements, Statements]:
        """The statements of gold and system as they are matched."""
        graphs = self.statements(gold), self.statements(system)
        return compressed(*graphs) if self.compress else graphs

    def overlay(self, system: Meaning, gold: Meaning, explanation: Explanation) -> MarkedGraph:
        both = [_tuples(each) for each in self._graphs(system, gold)]
        wanted = None, frozenset(map(frozen, explanation["surplus"]))
        parts = [_parts(side, each) for side, each in zip(both, wanted, strict=True)]
        nodes, others = ([shown_variable(name) for name in side.nodes if name] for side in both)
        return MarkedGraph(
            nodes,
            parts[0],
            missing=chosen(parts[0], explanation["missing"]),
            surplus=chosen(parts[1], explanation["surplus"]),
            partners={ours: theirs for theirs, ours in explanation["correspondences"]},
            others=others,
        )


@lru_cache(maxsize=512)
def _statements_of_text(text: str, style: Style, as_tool: bool) -> Statements:
    """The statements of a text, not to be changed: explaining and showing share them."""
    graph = read_plainly(text) if as_tool else statements_of(penman_of_text(text))
    return standardized(graph, style, as_tool)


def _tuples(graph: Statements) -> Tuples:
    """Statements on positions of variables; those without variables on one node for all."""
    instances = (s for s, role, _ in graph.all if role == "instance" and s in graph.variables)
    # In parts of graphs, variables may be without their concepts.
    names = [*dict.fromkeys((*instances, *sorted(graph.variables))), ""]
    position = {name: i for i, name in enumerate(names)}
    nowhere = position[""]
    result = Tuples(names)
    for source, role, target in graph.all:
        s = position.get(source) if source else None
        t = position.get(target) if target and role != "instance" else None
        if s is not None and t is not None:
            result.links.append((s, t, _BINARY, role))
        elif s is not None:
            kind = _INSTANCE if role == "instance" else _UNARY
            result.features.append((s, kind, (role, None, target)))
        elif t is not None:
            result.features.append((t, _UNARY, (role, source, None)))
        else:
            result.features.append((nowhere, _UNARY, (role, source, target)))
    return result


def _counts(gold: Statements, system: Statements, mapping: dict[str, str]) -> tuple[int, int, int]:
    def image(term: str) -> object:
        return mapping.get(term, ("gold", term)) if term in gold.variables else term

    theirs = {(image(s), role, t if role == "instance" else image(t)) for s, role, t in gold.all}
    ours = set(system.all)
    return len(theirs), len(ours), len(theirs & ours)


@cache
def _frames(path: str) -> dict[str, dict[str, str]]:
    return read_frames(line for _, line in Source(path).lines())


def _shown(each: Any, tuples: Tuples) -> list[Any]:
    *ends, kind, key = each
    nodes = [shown_variable(tuples.nodes[end]) for end in ends]
    if kind == _BINARY:
        return [nodes[0], key, nodes[1]]
    role, source, target = key
    return [source or nodes[0], role, target or nodes[0]]


def _parts(tuples: Tuples, wanted: frozenset[Hashable] | None) -> list[Part]:
    """Statements as parts of a picture; only those that are wanted, where there is a choice."""
    each_said = [(each, _shown(each, tuples)) for each in (*tuples.features, *tuples.links)]
    keyed = [(each, said, frozen(said)) for each, said in each_said]
    return [
        _part(each, tuples, said)._replace(key=key)
        for each, said, key in keyed
        if wanted is None or key in wanted
    ]


def _part(each: Any, tuples: Tuples, said: list[Any]) -> Part:
    """A statement as a part of a picture; one without variables stands beside the graph."""
    *ends, kind, key = each
    nodes = tuple(shown_variable(tuples.nodes[end]) for end in ends)
    if kind == _BINARY:
        return Part(said, "edge", nodes, key, key)
    role, source, target = key
    if not nodes[0]:
        return Part(said, "beside", (), " ".join(map(str, said)))
    if kind == _INSTANCE:
        return Part(said, "label", nodes, target)
    return Part(
        said, "property", nodes, f"{role} {target}" if source is None else f"{source} {role}"
    )
