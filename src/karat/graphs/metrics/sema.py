"""SEMA: triples of AMR graphs whose concepts agree, without any mapping of variables."""

from __future__ import annotations

from typing import Annotated, Literal

from karat.core.marks import count
from karat.core.metric import Counts, Metric
from karat.core.scores import Array, Scores, precision_recall
from karat.core.tracing import Grid, grid_in
from karat.graphs.amr.triples import Triples, read_like_smatch
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

    @classmethod
    def tracing(cls) -> Grid:
        return grid_in("karat.graphs.metrics.grids.amr", "sema")

    def measure(self, system: str, gold: str) -> Counts:
        ours, theirs = read_like_smatch(system), read_like_smatch(gold)
        return self.row(n=1, g=_size(theirs), s=_size(ours), c=self._common(ours, theirs))

    def _common(self, ours: Triples, theirs: Triples) -> int:
        concept, gold_concept = ours.instances, theirs.instances
        counted: set[str] = set()
        count = 0
        if ours.top and theirs.top and concept[ours.top] == gold_concept[theirs.top]:
            count += 1
            if self.compat is None:
                counted.add(ours.top)
        known = {(role, gold_concept[s], gold_concept[t]) for role, s, t in theirs.relations}
        ends: set[tuple[str, str]] = set()
        for role, source, target in dict.fromkeys(ours.relations):
            if (role, concept[source], concept[target]) not in known:
                continue
            if target not in counted:
                count += 2
            elif (source, target) not in ends:
                count += 1
            counted.add(target)
            ends.add((source, target))
            if source not in counted:
                count += 1
                counted.add(source)
        found = {(role, concept[node], value) for role, node, value in ours.attributes}
        return count + len(
            {
                (role, node, value)
                for role, node, value in theirs.attributes
                if (role, gold_concept[node], value) in found
            }
        )

    def summarize(self, totals: Array) -> Scores:
        n, gold, system, common = self.columns_of(totals)
        return {"n": count(n), **precision_recall(gold, system, common, headline=True)}


def _size(triples: Triples) -> int:
    return len(triples.instances) + len(triples.attributes) + len(triples.relations)
