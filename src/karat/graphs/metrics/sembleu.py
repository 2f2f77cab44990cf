"""SemBLEU: BLEU on the paths of graphs, without any correspondence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from karat.core.metric import Counts, Metric
from karat.core.scores import Array, Scores
from karat.errors import OptionError
from karat.graphs.metrics.base import DrawsApart
from karat.graphs.triples import penman_of_text


class SemBleu(DrawsApart, Metric[str, str]):
    """Paths of one, two and three nodes that two graphs share, put together as BLEU does.

    A path is concepts and roles in turn, along edges in their normal direction and
    no edge twice, from any node that a root reaches. Precisions of the lengths are
    weighted 0.34, 0.33 and 0.34, as in the tool of Song and Gildea (2019); shorter
    system graphs are penalised by the number of nodes and edges.

    >>> SemBleu().score("(b / bark-01 :ARG0 (d / dog))", "(b / bark-01 :ARG0 (d / dog))")["f"]
    1.0
    """

    name = "sembleu"
    kind = "amr"
    headline = "f"

    weights: Annotated[tuple[float, ...], "the weights of paths of one node, of two, and so on"] = (
        0.34,
        0.33,
        0.34,
    )

    def __post_init__(self) -> None:
        if not self.weights or min(self.weights) < 0:
            raise OptionError(
                "sembleu: weights must be at least one number, none negative", code="K302"
            )

    @property
    def columns(self) -> Sequence[str]:  # type: ignore[override]
        orders = range(1, len(self.weights) + 1)
        return ("n", "g", "s", *(f"{i}.{name}" for i in orders for name in ("matched", "paths")))

    @property
    def totals(self) -> frozenset[str]:  # type: ignore[override]
        return frozenset(self.columns)

    def absent(self, gold: str) -> str:
        return ""

    def measure(self, system: str, gold: str) -> Counts:
        ours, theirs = _Graph(system), _Graph(gold)
        row: list[float] = [1, theirs.size, ours.size]
        for order in range(1, len(self.weights) + 1):
            s, g = ours.paths(order), theirs.paths(order)
            row += [(s & g).total(), s.total()]
        return row

    def summarize(self, totals: Array) -> Scores:
        column = dict(zip(self.columns, self.columns_of(totals), strict=True))
        orders = len(self.weights)
        matched = np.stack([column[f"{i}.matched"] for i in range(1, orders + 1)])
        paths = np.stack([column[f"{i}.paths"] for i in range(1, orders + 1)])
        # Where long paths do not occur at all, the shorter ones share the weight.
        present = paths > 0
        highest = np.where(
            present, np.arange(1, orders + 1).reshape(-1, *[1] * (paths.ndim - 1)), 0
        )
        longest = highest.max(axis=0)
        place = np.arange(1, orders + 1).reshape(-1, *[1] * (paths.ndim - 1))
        even = np.where(place <= longest, 1 / np.maximum(longest, 1), 0.0)
        given = np.array(self.weights).reshape(-1, *[1] * (paths.ndim - 1))
        weight = np.where(longest == orders, given, even)
        # The j-th length without any match counts as half of the one before it.
        missed = np.cumsum((matched == 0) & present, axis=0)
        smooth = 1 / (2.0**missed * np.maximum(paths, 1))
        precision = np.where(matched > 0, matched / np.maximum(paths, 1), smooth)
        logs = np.where(weight > 0, weight * np.log(precision), 0.0).sum(axis=0)
        gold, system = column["g"], column["s"]
        penalty = np.where(system > gold, 0.0, 1 - gold / np.maximum(system, 1))
        value = np.where(matched[0] > 0, np.exp(logs + penalty), 0.0)
        scores: dict[str, Any] = {"n": column["n"], "f": value, "g": gold, "s": system}
        for i in range(1, orders + 1):
            scores[str(i)] = {"matched": matched[i - 1], "paths": paths[i - 1]}
        return scores


class _Graph:
    """Nodes with labels, and edges in their normal direction; a constant is a node each time."""

    def __init__(self, text: str) -> None:
        penman = penman_of_text(text)
        self.labels = [(each.concept or "").lower() for each in penman.instances]
        number = {each.variable: i for i, each in enumerate(penman.instances)}
        self.edges: list[tuple[int, str, int]] = []
        for role in penman.roles:
            if role.kind == "variable":
                target = number[role.value]
            else:
                target = len(self.labels)
                self.labels.append(role.value.lower())
            name = f":{role.name.replace('-of', '')}"
            ends = (role.source, target)
            if role.name.endswith("-of"):
                ends = ends[::-1]
            self.edges.append((ends[0], name, ends[1]))
        self.size = len(self.labels) + len(self.edges)
        self.leaving: list[list[int]] = [[] for _ in self.labels]
        for i, (source, _, _) in enumerate(self.edges):
            self.leaving[source].append(i)

    def _reached(self) -> list[int]:
        entered = {target for _, _, target in self.edges}
        roots = [node for node in range(len(self.labels)) if node not in entered]
        waiting = roots or list(range(len(self.labels)))[:1]
        seen = set(waiting)
        while waiting:
            for edge in self.leaving[waiting.pop()]:
                target = self.edges[edge][2]
                if target not in seen:
                    seen.add(target)
                    waiting.append(target)
        return sorted(seen)

    def paths(self, order: int) -> Counter[tuple[str, ...]]:
        """All paths of so many nodes, as labels and roles in turn."""
        found: list[tuple[int, tuple[int, ...], tuple[str, ...]]] = [
            (node, (), (self.labels[node],)) for node in self._reached()
        ]
        for _ in range(order - 1):
            found = [
                (
                    self.edges[edge][2],
                    (*used, edge),
                    (*path, self.edges[edge][1], self.labels[self.edges[edge][2]]),
                )
                for node, used, path in found
                for edge in self.leaving[node]
                if edge not in used
            ]
        return Counter(path for _, _, path in found)
