"""Smatch: triples of two graphs under the best correspondence of variables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from karat import _native
from karat.core.capabilities import LazyPairs, PairOutputs, grid_in
from karat.core.metric import Explanation
from karat.core.options import Only, Range
from karat.core.repairs import Claim
from karat.core.scores import Array
from karat.errors import LimitExceeded, OptionError
from karat.graphs.amr.penman import (
    Top,
    Triples,
    directed,
    folded,
    penman_of_text,
    read_like_old_smatch,
    read_like_smatch,
    triples_of,
)
from karat.graphs.amr.statements import Statements, triples_of_statements
from karat.graphs.errors import refuse_overlay
from karat.graphs.matching.solver import (
    DEFAULT_BUDGET,
    Budget,
    Climb,
    GraphPair,
    Ids,
    Kind,
    Matchings,
    Numbers,
    match_many,
    unpacked,
)
from karat.graphs.matching.tuples import (
    ANCHORS,
    ATTRIBUTE,
    ATTRIBUTES,
    INSTANCE,
    LABELS,
    RELATION,
    TOPS,
    TRIPLES,
    Feature,
    Link,
    Tuples,
    difference,
    graph_tuples,
)
from karat.graphs.metrics.kernels import PenmanOutputs, look_at_graphs, tuples_of_texts
from karat.graphs.metrics.matched import TripleMetric
from karat.graphs.metrics.repairing import RepairsGraphs
from karat.graphs.model import Graph
from karat.graphs.normalize import ALL, normalize
from karat.graphs.pictures.marked import MarkedGraph, words_of_nodes
from karat.graphs.repair.steps import Rest, Side, elements_of

if TYPE_CHECKING:
    from karat.graphs.formats.amr import Amr

Meaning: TypeAlias = str | Graph | Statements
"""A graph in PENMAN notation, any graph, or triples."""
Counting: TypeAlias = Literal["set", "min", "product"]
_MOST_COPIES = 200_000


class Smatch(RepairsGraphs, TripleMetric[Meaning, Meaning]):
    """Instances, attributes and relations shared under the best mapping of variables.

    The definition of Cai and Knight (2013), computed exactly: no mapping matches
    more triples, while Smatch itself climbs from random starts and may fall short.
    A triple counts once, relations are turned to their normal direction, `mod` is
    `domain` turned around, case does not count. The top is a triple of its own with
    a constant (`top="constant"`, Smatch since 1.0.3) or with the concept of the root
    (before, and in mtool), so a wrong root costs twice.

    `compat="smatch"` reads and counts as Smatch does: only the first word of a
    quoted constant, alignments as part of names, repeated triples m times n;
    `compat="smatch-1.0.1"` as it did before 1.0.2: `mod` stays as it is, some inverted
    roles are not turned around, the top holds a concept. Graphs
    of other frameworks are scored on labels, properties, anchors and edges, as mtool
    does; there `top="concept"` gives mtool's figures.

    Kinds of triples can have weights; then the best mapping and all figures but those of
    single kinds go by them. `solver="climb"` looks for a mapping by hill climbing, as
    Smatch does, but with a seed; it may fall short, and `exact` counts the pairs for which
    its result happens to reach a bound that holds for all mappings.

    >>> gold = "(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-02 :ARG0 b))"
    >>> Smatch().score("(w / want-01 :ARG0 (b / boy))", gold)["f"]
    0.7272727272727273
    """

    name = "smatch"
    tool_line = "F-score: {f:.2f}"
    kind = "graph"
    kinds = ("amr", "graph", "triples")
    releases_gil = True  # texts go to native code as they are

    top: Annotated[Top, "what the triple of the top contains"] = "constant"
    counting: Annotated[
        Counting, "count a repeated triple once, as often as both have it, or m times n"
    ] = "set"
    only: Annotated[
        Literal["instances", "attributes", "relations"] | None,
        "match and count one kind of triple",
    ] = None
    compat: Annotated[
        Literal["smatch", "smatch-1.0.1"] | None,
        "read and count as Smatch 1.0 does, or as it did before 1.0.2, defects included",
    ] = None
    instances_weight: Annotated[int, Range(0, 1000), "weight of an instance"] = 1
    attributes_weight: Annotated[int, Range(0, 1000), "weight of an attribute"] = 1
    relations_weight: Annotated[int, Range(0, 1000), "weight of a relation"] = 1
    solver: Annotated[
        Literal["exact", "climb"], "prove the best mapping, or climb and take what is found"
    ] = "exact"
    restarts: Annotated[
        int,
        Range(0, 10_000),
        Only("solver", "climb"),
        "with solver=climb: climbs from random starts after the first",
    ] = 4
    climb_seed: Annotated[
        int, Range(0, 2**63 - 1), Only("solver", "climb"), "with solver=climb: seed of its choices"
    ] = 0
    budget: Budget = DEFAULT_BUDGET

    tracing = grid_in("karat.graphs.metrics.grids.amr", "smatch")

    def signature(self) -> str:
        standard = {None: "smatch", "smatch": "smatch-1.0"}.get(self.compat, self.compat)
        choices = f"top:{self._top}|counting:{self._counting}|standardize:{standard}"
        return f"{super().signature()}|{choices}|solver:{self.solver}"

    @property
    def weights(self) -> tuple[Kind, ...]:  # type: ignore[override]
        return (
            Kind(self.instances_weight, rank=1),
            Kind(self.attributes_weight, rank=3),
            Kind(self.relations_weight, rank=2),
        )

    @property
    def climb(self) -> Climb | None:
        """The options of hill climbing; None for the exact search."""
        return Climb(self.restarts, self.climb_seed) if self.solver == "climb" else None

    @property
    def certifies(self) -> bool:  # type: ignore[override]
        return self.solver == "exact"

    def absent(self, gold: Meaning) -> Meaning:
        return gold.emptied() if isinstance(gold, Graph) else ""

    def is_null(self, system: Meaning) -> bool:
        if isinstance(system, Statements):
            return not system.all
        return not (system.nodes if isinstance(system, Graph) else system.strip())

    # -- counting -------------------------------------------------------------

    def tuples(self, meaning: Meaning) -> Tuples:
        """The triples of a graph, repeated ones as often as they occur."""
        if isinstance(meaning, Graph):
            top = self.top
            found = meaning.once(("triples", top), lambda graph: _tuples_of_graph(graph, top))
        elif isinstance(meaning, Statements):
            triples, has_top = triples_of_statements(meaning)
            found = tuples_of_triples(triples, self.top if has_top else None)
        else:
            found = _tuples_of_text(meaning, self.compat, self.top)
        if self.only is not None:
            kind = TRIPLES.index(self.only)
            found = Tuples(
                found.nodes,
                [each for each in found.features if each[1] == kind],
                [each for each in found.links if each[2] == kind],
            )
        return found

    @property
    def facets(self) -> tuple[str, ...]:  # type: ignore[override]
        return ("tuple",) if self._counting == "set" else ()

    @property
    def _counting(self) -> Counting:
        return "product" if self.compat else self.counting

    @property
    def _top(self) -> Top:
        return "concept" if self.compat == "smatch-1.0.1" else self.top

    def with_copies(self, gold: Tuples, system: Tuples) -> tuple[Tuples, Tuples]:
        return counted(gold, system, self._counting)

    def best_mappings(self, known: Any, searches: Sequence[Sequence[GraphPair]]) -> list[Matchings]:
        return [
            match_many(each, self.weights, budget=self.budget, climb=self.climb)
            for each in searches
        ]

    def measure_many(self, pairs: Sequence[tuple[Meaning, Meaning]]) -> Array:
        return self.measure_mapped(pairs)[0]

    def measure_mapped(
        self, pairs: Sequence[tuple[Meaning, Meaning]]
    ) -> tuple[Array, Sequence[bytes]]:
        found_of_texts = self._match_texts(pairs)
        if found_of_texts is None:
            known, searches = self.prepare(pairs)
            matchings = self.best_mappings(known, searches)
            return self.rows(known, matchings), matchings[0].packed()
        plain, found = found_of_texts
        rows = self.rows(pairs, [found])
        rest = np.flatnonzero(~plain).tolist()
        if rest:
            rows[rest] = super().measure_many([pairs[i] for i in rest])
        return rows, found.packed()

    def _match_texts(
        self, pairs: Sequence[tuple[Meaning, Meaning]], threads: int = 1
    ) -> tuple[npt.NDArray[np.bool_], Matchings] | None:
        """Which pairs of texts are plain, and matchings; None where kernels cannot make triples."""
        if not (are_texts(pairs) and self._is_usual):
            return None
        read = partial(_native.penman_triples, top_is_concept=self.top == "concept")
        found = tuples_of_texts(pairs, read)
        search = {"budget": self.budget, "climb": self.climb, "threads": threads}
        return found.plain, found.matched(self.weights, **search)

    def look_at(self, chunk: LazyPairs) -> PairOutputs | None:
        if not self._is_usual:
            return None

        def mappings() -> tuple[Ids, Numbers]:
            texts = self._match_texts(chunk.pairs(), chunk.threads)
            found = self.matchings(chunk.pairs()) if texts is None else texts[1]
            return found.mapping, found.mapping_offsets

        variant = self.top == "concept"
        graphs = look_at_graphs(chunk, "smatch", variant=variant, mappings=mappings)
        if graphs is not None or not are_texts(chunk.pairs()):
            return graphs
        known = unpacked(chunk.mappings) if chunk.mappings else mappings()
        return PenmanOutputs(chunk.pairs(), known, self.top, chunk.outputs)

    @property
    def _is_usual(self) -> bool:
        """Whether all triples count, each once, as kernels make them."""
        return not (self.compat or self.only) and self._counting == "set"

    def rows(self, known: Sequence[tuple[Meaning, Meaning]], found: Sequence[Matchings]) -> Array:
        rows = super().rows(known, found)
        if self._counting == "product":
            # The matcher saw m times n copies; each side has as many triples as are written.
            first = list(self.columns).index(f"{TRIPLES[0]}.g")
            for row, (system, gold) in zip(rows, known, strict=True):
                for offset, side in enumerate((gold, system)):
                    tuples = self.tuples(side)
                    kinds = Counter(each[-2] for each in (*tuples.features, *tuples.links))
                    for kind in range(len(TRIPLES)):
                        row[first + 3 * kind + offset] = kinds[kind]
        return rows

    # -- repairing ------------------------------------------------------------

    repaired_scores = ""

    @property
    def unrepairable(self) -> str:  # type: ignore[override]
        if self.compat or self._counting != "set":
            return "triples that count several times belong to no single part of a graph"
        if self.top == "concept":
            return "with top='concept' the label of a root counts twice: use top='constant'"
        return ""

    @property
    def repair_claim(self) -> Claim:
        return "at least" if self.solver == "exact" else "estimate"

    def as_graph(self, meaning: Meaning) -> Graph:
        if isinstance(meaning, Graph):
            return meaning
        if isinstance(meaning, Statements):
            raise OptionError(
                "graphs that are read as triples cannot be repaired",
                code="K377",
                advice="give them in PENMAN notation or as MRP",
            )
        return msgspec.structs.replace(_amr().of_text(meaning), input=None)

    def to_write(self, repaired: Iterable[tuple[str, Meaning]]) -> Iterator[Meaning]:
        """Graphs with their ids, which texts in PENMAN notation come without."""
        for name, meaning in repaired:
            if isinstance(meaning, str):
                yield f"# ::id {name}\n{meaning}"
            elif isinstance(meaning, Graph) and not meaning.id:
                yield msgspec.structs.replace(meaning, id=name)
            else:
                yield meaning

    def placed(self, rest: Rest) -> Side:
        graph = _normal(rest.graph)
        found = _tuples_of_normal(graph, self.top)
        elements = elements_of(graph, rest.edges)
        every: list[Any] = [*found.features, *found.links]
        kinds = [self.only in (None, TRIPLES[each[-2]]) for each in every]
        size = len(found.features)
        kept = Tuples(
            found.nodes,
            [each for each, keep in zip(found.features, kinds[:size], strict=True) if keep],
            [each for each, keep in zip(found.links, kinds[size:], strict=True) if keep],
        )
        return Side.of(kept, [each for each, keep in zip(elements, kinds, strict=True) if keep])

    def unmatched(
        self, gold: Tuples, system: Tuples, mapping: Sequence[int]
    ) -> tuple[Sequence[Any], Sequence[Any]]:
        if self._counting == "min":
            return unmatched_copies(*self.with_copies(gold, system), mapping)
        return super().unmatched(gold, system, mapping)

    def overlay(self, system: Meaning, gold: Meaning, explanation: Explanation) -> MarkedGraph:
        words = words_of_nodes(_normal(gold)) if isinstance(gold, Graph) else None
        copies = self._counting == "min"
        return self.laid_over(system, gold, explanation, copies=copies, words=words)


@cache
def _amr() -> Amr:
    """What reads texts as graphs with all that they hold."""
    from karat.graphs.formats.amr import Amr

    return Amr(full=True)


def are_texts(pairs: Sequence[tuple[Any, Any]]) -> bool:
    """Whether all items are graphs in PENMAN notation."""
    return all(isinstance(each, str) for pair in pairs for each in pair)


@lru_cache(maxsize=512)
def _tuples_of_text(text: str, compat: str | None, top: Top) -> Tuples:
    """The triples of a text, not to be changed: measuring, explaining and showing share them."""
    if compat == "smatch":
        return tuples_of_triples(read_like_smatch(text), top)
    if compat == "smatch-1.0.1":
        return tuples_of_triples(*read_like_old_smatch(text))
    return tuples_of_triples(triples_of(penman_of_text(text)), top)


def tuples_of_triples(triples: Triples, top: Top | None = "constant") -> Tuples:
    """Triples on positions of variables, with names as they are compared."""
    position = {variable: i for i, variable in enumerate(triples.instances)}
    features: list[Feature] = [
        (i, INSTANCE, folded(concept)) for i, concept in enumerate(triples.instances.values())
    ]
    if triples.top is not None and top is not None:
        value = "top" if top == "constant" else folded(triples.instances[triples.top])
        features.append((position[triples.top], ATTRIBUTE, ("top", value)))
    for role, variable, constant in triples.attributes:
        features.append((position[variable], ATTRIBUTE, (folded(role), folded(constant))))
    links: list[Link] = [
        (position[source], position[target], RELATION, folded(role))
        for role, source, target in triples.relations
    ]
    return Tuples(list(triples.instances), features, links)


def _tuples_of_graph(graph: Graph, top: Top) -> Tuples:
    """The triples that mtool makes of a graph of any framework.

    Those of an AMR are the ones that its notation has: the format does not count.
    """
    return _tuples_of_normal(_normal(graph), top)


def _tuples_of_normal(graph: Graph, top: Top) -> Tuples:
    amr = graph.framework == "amr"
    plain = graph_tuples(graph)
    features: list[Feature] = []
    for node, kind, key in plain.features:
        if kind == TOPS:
            label = folded(graph.nodes[node].label or "")
            features.append((node, ATTRIBUTE, ("top", "top" if top == "constant" else label)))
        elif kind == LABELS:
            features.append((node, INSTANCE, folded(str(key))))
        else:
            shown = ("anchors", key) if kind == ANCHORS else key
            features.append((node, ATTRIBUTE, _folded_key(shown)))
    links: list[Link] = []
    for source, target, kind, key in plain.links:
        if kind == ATTRIBUTES:
            key = key[1:]  # type: ignore[index]
        elif amr and isinstance(key, str):
            key, source, target = directed(key, source, target)
        links.append((source, target, RELATION, _folded_key(key)))
    return Tuples(plain.nodes, features, links)


def _normal(graph: Graph) -> Graph:
    """The graph as its triples are made of it; relations of an AMR are turned around later."""
    refuse_overlay(graph)
    steps = [step for step in ALL if not (graph.framework == "amr" and step == "edges")]
    return normalize(graph, steps)


def _folded_key(key: Hashable) -> Hashable:
    if isinstance(key, tuple):
        return tuple(_folded_key(each) for each in key)
    return folded(key) if isinstance(key, str) else key


def counted(gold: Tuples, system: Tuples, counting: Counting) -> tuple[Tuples, Tuples]:
    """Both sides with copies of repeated triples, so that sets of them count as wanted.

    For m times n matches, the copies of gold run over all places of the system's and
    the other way round.
    """
    if counting == "set":
        return gold, system
    counts = [Counter((*side.features, *side.links)) for side in (gold, system)]
    most = [Counter[Any](), Counter[Any]()]
    for number, count in zip(most, counts, strict=True):
        for each, times in count.items():
            number[each[-2:]] = max(number[each[-2:]], times)
    if counting == "product":
        for count, other in zip(counts, reversed(most), strict=True):
            copies = sum(times * max(1, other[each[-2:]]) for each, times in count.items())
            if copies > _MOST_COPIES:
                raise LimitExceeded(
                    f"repeated triples of two graphs match {copies:,} times; "
                    f"at most {_MOST_COPIES:,} are counted",
                    code="K503",
                    advice="write each triple once, or use ``counting='min'``",
                )
    result = []
    for side, (tuples, count) in enumerate(zip((gold, system), counts, strict=True)):
        copied: list[Any] = []
        for each, times in count.items():
            other = most[1 - side][each[-2:]]
            *ends, kind, key = each
            if counting == "min":
                copied += [(*ends, kind, (key, i)) for i in range(times)]
            else:
                places = [(i, j) for i in range(times) for j in range(max(1, other))]
                copied += [(*ends, kind, (key, p if side == 0 else p[::-1])) for p in places]
        result.append(
            Tuples(
                tuples.nodes,
                [each for each in copied if len(each) == 3],
                [each for each in copied if len(each) == 4],
            )
        )
    return result[0], result[1]


def unmatched_copies(
    gold: Tuples, system: Tuples, mapping: Sequence[int]
) -> tuple[list[Any], list[Any]]:
    """The triples that are missing and surplus, of what `counted` makes of both sides."""
    parts = difference(gold, system, mapping)
    missing, surplus = (
        [(*rest, key) for *rest, (key, _) in side]  # type: ignore[misc]
        for side in (parts.missing, parts.surplus)
    )
    return missing, surplus
