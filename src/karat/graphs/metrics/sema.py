"""SEMA: triples of AMR graphs whose concepts agree, without any mapping of variables."""

from __future__ import annotations

from typing import Annotated, Literal

from karat.core.capabilities import LazyPairs, PairOutputs, grid_in
from karat.core.marks import count
from karat.core.metric import Counts, Explanation, Metric
from karat.core.scores import Array, Scores, precision_recall
from karat.graphs.amr.penman import Triples, read_like_smatch
from karat.graphs.metrics.base import PenmanTexts


class Sema(PenmanTexts, Metric[str, str]):
    """Relations with equal role and equal concepts at both ends, their nodes, and attributes.

    The definition of Anchiêta, Cabezudo and Pardo (2019): no mapping of variables; a
    system relation is counted with the nodes at its ends, each once, when gold has one
    with the same role between the same concepts. The root counts where its concept is
    gold's; in the authors' tool it is counted again with its first relation, so that
    scores may exceed 1, which `compat="sema"` does too.

    >>> Sema().score("(b / bark-01 :ARG0 (d / dog))", "(b / bark-01 :ARG0 (c / cat))")["c"]
    1
    """

    name = "sema"
    columns = ("n", "g", "s", "c")

    compat: Annotated[Literal["sema"] | None, "count the root twice, as SEMA does"] = None

    tracing = grid_in("karat.graphs.metrics.grids.amr", "sema")

    def measure(self, system: str, gold: str) -> Counts:
        ours, theirs = read_like_smatch(system), read_like_smatch(gold)
        common = sum(points for _, _, points in self._common(ours, theirs))
        return self.row(n=1, g=theirs.size, s=ours.size, c=common)

    def explain(self, system: str, gold: str) -> Explanation:
        """The root, the relations and the attributes that agree, with what each counts, and those
        of one side alone."""
        ours, theirs = read_like_smatch(system), read_like_smatch(gold)
        agreed = self._common(ours, theirs)
        result: Explanation = {}
        for kind, mine, others in (
            ("root", _root(ours), _root(theirs)),
            ("relations", _relations(ours), _relations(theirs)),
            ("attributes", _attributes(ours), _attributes(theirs)),
        ):
            result[kind] = {
                "matched": [[*what, points] for name, what, points in agreed if name == kind],
                "missing": [list(each) for each in others if each not in mine],
                "surplus": [list(each) for each in mine if each not in others],
            }
        return result

    def look_at(self, chunk: LazyPairs) -> PairOutputs:
        from karat.graphs.metrics.kernels import ListOutputs

        return ListOutputs(chunk, self.name, variant=self.compat is not None)

    def _common(self, ours: Triples, theirs: Triples) -> list[tuple[str, tuple[str, ...], int]]:
        """What agrees, by its kind, and how much each counts."""
        concept, gold_concept = ours.instances, theirs.instances
        counted: set[str] = set()
        found: list[tuple[str, tuple[str, ...], int]] = []
        if ours.top and theirs.top and concept[ours.top] == gold_concept[theirs.top]:
            found.append(("root", (concept[ours.top],), 1))
            if self.compat is None:
                counted.add(ours.top)
        known = {(role, gold_concept[s], gold_concept[t]) for role, s, t in theirs.relations}
        ends: set[tuple[str, str]] = set()
        for role, source, target in dict.fromkeys(ours.relations):
            if (role, concept[source], concept[target]) not in known:
                continue
            points = 2 if target not in counted else int((source, target) not in ends)
            counted.add(target)
            ends.add((source, target))
            if source not in counted:
                points += 1
                counted.add(source)
            found.append(("relations", (concept[source], role, concept[target]), points))
        mine = {(role, concept[node], value) for role, node, value in ours.attributes}
        for role, node, value in dict.fromkeys(theirs.attributes):
            if (role, gold_concept[node], value) in mine:
                found.append(("attributes", (gold_concept[node], role, value), 1))
        return found

    def summarize(self, totals: Array) -> Scores:
        n, gold, system, common = self.columns_of(totals)
        return {"n": count(n), **precision_recall(gold, system, common, headline=True)}


def _root(triples: Triples) -> list[tuple[str, ...]]:
    return [(triples.instances[triples.top],)] if triples.top else []


def _relations(triples: Triples) -> list[tuple[str, ...]]:
    concept = triples.instances
    return [(concept[source], role, concept[target]) for role, source, target in triples.relations]


def _attributes(triples: Triples) -> list[tuple[str, ...]]:
    return [(triples.instances[node], role, value) for role, node, value in triples.attributes]
