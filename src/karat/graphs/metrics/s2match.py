"""S²match: Smatch with concepts that are only similar."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Annotated, Any

import numpy as np

from karat.core.capabilities import LazyPairs, PairOutputs, grid_in
from karat.core.files.opener import Source
from karat.core.files.resources import load_vectors
from karat.core.marks import count
from karat.core.metric import Explanation
from karat.core.options import Only, Range
from karat.core.scores import Array, Scores, precision_recall
from karat.core.shown import ExplainedOutputs
from karat.errors import FormatError, Place
from karat.graphs.amr.penman import Top, Triples, folded, penman_of_text, triples_of
from karat.graphs.matching.solver import (
    DEFAULT_BUDGET,
    Budget,
    GraphPair,
    Kind,
    Matchings,
    unpacked,
)
from karat.graphs.matching.tuples import INSTANCE, Tuples, as_pair, difference
from karat.graphs.metrics.base import PenmanTexts
from karat.graphs.metrics.matched import MatchingMetric
from karat.graphs.metrics.smatch import tuples_of_triples

#: The weight of a triple that matches wholly; similarities are rounded to that.
_WHOLE = 1000
_CONSTANT, _RELATION, _SIMILAR = range(3)
_SENSE = re.compile(r"-\d\d+$")


class S2match(PenmanTexts, MatchingMetric[str, str]):
    """Smatch in which concepts that are similar count in part.

    The definition of Opitz, Parcalabescu and Frank (2020), computed exactly: under the
    best mapping a pair of variables earns 1 if their concepts are equal, a half if they
    differ in their sense only or one has none, else the cosine of the vectors of the two
    words if it is above `cutoff`, half of it if either has a sense; the same holds for the
    concept of the top. Cosines are rounded to three digits. Without `vectors` only senses
    are looked at. `similarities` names a file of your own: two concepts and how similar
    they are on each line. What it says of two concepts comes before all that.

    >>> scores = S2match().score("(b / bark-01 :ARG0 (d / dog))", "(b / bark-02 :ARG0 (d / dog))")
    >>> scores["c"], scores["g"], scores["f"]
    (3, 4, 0.75)
    """

    name = "s2match"
    tool_line = "Document F-score: {f:.3f}, {f:.4f}"
    columns = ("n", "inexact", "g", "s", "c", "bound")
    weights = (Kind(_WHOLE), Kind(_WHOLE), *(Kind(weight) for weight in range(1, _WHOLE + 1)))

    vectors: Annotated[str, "a file of word vectors: a word and its numbers on each line"] = ""
    similarities: Annotated[
        str, "a file of similarities: two concepts and a number from 0 to 1 on each line"
    ] = ""
    cutoff: Annotated[
        float, Range(0, 1), Only("vectors"), "with vectors: cosines up to this one count as nothing"
    ] = 0.5
    top: Annotated[Top, "what the triple of the top contains"] = "concept"
    budget: Budget = DEFAULT_BUDGET

    tracing = grid_in("karat.graphs.metrics.grids.amr", "s2match")

    def signature(self) -> str:
        files = {"vectors": self.vectors, "similarities": self.similarities}
        digests = [f"|{name}:{Source(path).digest()[:12]}" for name, path in files.items() if path]
        choices = f"|top:{self.top}|counting:set|standardize:smatch|solver:exact"
        return super().signature() + choices + "".join(digests)

    def similarity(self, one: str, other: str) -> float:
        """How similar two concepts are, from 0 to 1.

        >>> S2match().similarity("bark-01", "bark"), S2match().similarity("bark-01", "sing-01")
        (0.5, 0.0)
        """
        if one == other:
            return 1.0
        if self.similarities:
            known = load_similarities(self.similarities).get((one, other))
            if known is not None:
                return known
        words = _SENSE.sub("", one), _SENSE.sub("", other)
        if words[0] == words[1]:
            return 0.5
        if not self.vectors:
            return 0.0
        cosine = load_vectors(self.vectors).cosine(*words)
        if cosine <= self.cutoff:
            return 0.0
        return cosine if words == (one, other) else cosine / 2

    # -- counting -------------------------------------------------------------

    def prepare(
        self, pairs: Sequence[tuple[str, str]]
    ) -> tuple[list[tuple[int, int]], list[list[GraphPair]]]:
        both = [_triples_of_pair(*pair) for pair in pairs]
        sizes = [(_size(theirs, self.top), _size(ours, self.top)) for theirs, ours in both]
        return sizes, [[self._pair(theirs, ours) for theirs, ours in both]]

    def _pair(self, gold: Triples, system: Triples) -> GraphPair:
        """Features that two variables share for each two concepts that are similar."""
        sides = [_without_concepts(each, self.top) for each in (gold, system)]
        concepts = [[folded(each) for each in side.instances.values()] for side in (gold, system)]
        places: list[dict[str, list[int]]] = [{}, {}]
        for found, names in zip(places, concepts, strict=True):
            for i, each in enumerate(names):
                found.setdefault(each, []).append(i)
        stems: dict[str, list[str]] = {}
        for each in places[1]:
            stems.setdefault(_SENSE.sub("", each), []).append(each)
        every = list(places[1]) if self.vectors or self.similarities else None
        for one, theirs in places[0].items():
            # By senses alone, nothing is similar but concepts with the same stem.
            for other in stems.get(_SENSE.sub("", one), ()) if every is None else every:
                ours = places[1][other]
                weight = round(_WHOLE * self.similarity(one, other))
                if not weight:
                    continue
                kind = _SIMILAR + weight - 1
                for side, nodes in zip(sides, (theirs, ours), strict=True):
                    side.features += [(node, kind, (one, other)) for node in nodes]
                if self.top == "concept" and theirs[0] == ours[0] == 0:
                    for side in sides:
                        side.features.append((0, kind, ("top", one, other)))
        return as_pair(sides[0], sides[1])

    def explain(self, system: str, gold: str) -> Explanation:
        """The variables that correspond with how similar their concepts are, and the triples that
        are missing or surplus under this mapping."""
        return self.explain_many([(system, gold)])[0]

    def explain_many(self, pairs: Sequence[tuple[str, str]]) -> list[Explanation]:
        """The same for many pairs, whose mappings are searched at once."""
        return self._explain_all(pairs, ())

    def look_at(self, chunk: LazyPairs) -> PairOutputs:
        return ExplainedOutputs(
            chunk, lambda pairs: self._explain_all(pairs, chunk.mappings), self.shown
        )

    def _explain_all(
        self, pairs: Sequence[tuple[str, str]], known: Sequence[bytes]
    ) -> list[Explanation]:
        """The explanations under the mappings that measuring found, or else those found here."""
        both = [_triples_of_pair(*pair) for pair in pairs]
        if not known:
            searches = [[self._pair(theirs, ours) for theirs, ours in both]]
            known = self.best_mappings(None, searches)[0].packed()
        mapping, bounds = unpacked(known)
        return [
            self._explained(*triples, mapping[begin:end].tolist())
            for triples, (begin, end) in zip(both, pairwise(bounds.tolist()), strict=True)
        ]

    def measure_mapped(self, pairs: Sequence[tuple[str, str]]) -> tuple[Array, Sequence[bytes]]:
        sizes, searches = self.prepare(pairs)
        found = self.best_mappings(sizes, searches)
        return self.rows(sizes, found), found[0].packed()

    def _explained(self, theirs: Triples, ours: Triples, mapping: Sequence[int]) -> Explanation:
        names = [list(side.instances.items()) for side in (theirs, ours)]
        matched = []
        for i, j in enumerate(mapping):
            alike = self._alike(names[0][i][1], names[1][j][1]) if j >= 0 else 0.0
            if alike:
                matched.append([*names[0][i], *names[1][j], alike])
        known = {each[0] for each in matched}, {each[2] for each in matched}
        result: Explanation = {
            "correspondences": [
                [names[0][i][0], names[1][j][0]] for i, j in enumerate(mapping) if j >= 0
            ],
            "concepts": {
                "matched": matched,
                "missing": [list(each) for each in names[0] if each[0] not in known[0]],
                "surplus": [list(each) for each in names[1] if each[0] not in known[1]],
            },
        }
        if self.top == "concept" and theirs.top and ours.top and mapping[0] == 0:
            top = names[0][0][1], names[1][0][1]
            if alike := self._alike(*top):
                result["top"] = {"matched": [[*top, alike]]}
        sides = [_without_concepts(each, self.top) for each in (theirs, ours)]
        found = difference(sides[0], sides[1], mapping)
        for kind, name in ((_CONSTANT, "attributes"), (_RELATION, "relations")):
            result[name] = {
                "matched": _triples(found.matched, kind, sides[0]),
                "missing": _triples(found.missing, kind, sides[0]),
                "surplus": _triples(found.surplus, kind, sides[1]),
            }
        return result

    def _alike(self, one: str, other: str) -> float:
        """The similarity of two concepts as it is counted."""
        return round(_WHOLE * self.similarity(folded(one), folded(other))) / _WHOLE

    def rows(self, known: Sequence[tuple[int, int]], found: Sequence[Matchings]) -> Array:
        (matchings,) = found
        sizes = np.array(known, np.float64).reshape(-1, 2)
        ends = np.stack((matchings.value, matchings.bound), axis=1) / _WHOLE
        front = np.stack((np.ones(len(known)), ~matchings.proven), axis=1)
        return np.concatenate((front, sizes, ends), axis=1, dtype=np.float64)

    def summarize(self, totals: Array) -> Scores:
        n, inexact, gold, system, common, bound = self.columns_of(totals)
        best = precision_recall(gold, system, bound)
        return {
            "n": count(n),
            **precision_recall(gold, system, common, headline=True),
            "exact": count(n - inexact),
            "bound": {"c": best["c"], "f": best["f"]},
        }


def _without_concepts(triples: Triples, top: Top) -> Tuples:
    """Attributes and relations, the top among them if it is a constant."""
    found = tuples_of_triples(triples, top if top == "constant" else None)
    return Tuples(
        found.nodes,
        [(node, _CONSTANT, key) for node, kind, key in found.features if kind != INSTANCE],
        [(source, target, _RELATION, key) for source, target, _, key in found.links],
    )


def _triples(found: Sequence[Any], kind: int, side: Tuples) -> list[list[Any]]:
    """Triples of one kind, with the variables that they are about."""
    result: list[list[Any]] = []
    for *nodes, each, key in found:
        if each == kind:
            source, *target = (side.nodes[node] for node in nodes)
            result.append([source, key, *target] if target else [source, *key])
    return result


def _triples_of_pair(system: str, gold: str) -> tuple[Triples, Triples]:
    """The triples of gold and of the system."""
    return triples_of(penman_of_text(gold)), triples_of(penman_of_text(system))


def _size(triples: Triples, top: Top) -> int:
    tuples = tuples_of_triples(triples, top)
    return len(set(tuples.features)) + len(set(tuples.links))


Similarities = dict[tuple[str, str], float]


@lru_cache(maxsize=2)
def load_similarities(path: str) -> Similarities:
    """The similarity of each two concepts, in both orders; the file is read once."""
    source = Source(path)
    result: Similarities = {}
    for number, line in source.lines():
        if not line.strip():
            continue
        one, other, similarity = _row(line, Place(source.name, number))
        if result.get((one, other), similarity) != similarity:
            raise FormatError(
                f"{one!r} and {other!r} had the similarity {result[one, other]:g} before",
                code="K144",
                place=Place(source.name, number),
            )
        result[one, other] = result[other, one] = similarity
    return result


def _row(line: str, place: Place) -> tuple[str, str, float]:
    fields = line.split()
    try:
        one, other = (folded(each) for each in fields[:2])
        similarity = float(fields[2])
    except (ValueError, IndexError):
        similarity = -1.0
    if len(fields) != 3 or not 0 <= similarity <= 1:
        raise FormatError(
            f"found {line.strip()[:60]!r}, expected two concepts and a number from 0 to 1",
            code="K144",
            place=place,
        )
    if one == other and similarity != 1:
        raise FormatError(
            f"the concept {one!r} is equal to itself: its similarity is 1", code="K144", place=place
        )
    return one, other, similarity
