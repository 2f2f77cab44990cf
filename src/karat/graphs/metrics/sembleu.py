"""SemBLEU: BLEU on the paths of graphs, without any correspondence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

import numpy as np

from karat.core.capabilities import LazyPairs, PairOutputs, grid_in
from karat.core.marks import count, main
from karat.core.metric import Counts, Explanation, Metric
from karat.core.scores import Array, Scores
from karat.errors import FormatError, LimitExceeded, OptionError
from karat.graphs.amr.penman import marked_segments, penman_of_text
from karat.graphs.metrics.base import PenmanTexts

_MOST_PATHS = 1_000_000
_LIKE_A_VARIABLE = re.compile("[a-z][0-9]*")
_AFTER = {"": "(", "(": "/", "/": ":)", ":": ":)(", ")": ":)"}
"""The marks that may follow each mark of the notation."""


class SemBleu(PenmanTexts, Metric[str, str]):
    """Paths of one, two and three nodes that two graphs share, put together as BLEU does.

    A path is concepts and roles in turn, along edges in their normal direction and
    no edge twice, from any node that a root reaches. Precisions of the lengths are
    weighted 0.34, 0.33 and 0.34, as in the tool of Song and Gildea (2019); shorter
    system graphs are penalised by the number of nodes and edges. Concepts and constants are
    compared without their quotes; the tool keeps those of concepts, among other things
    that its reader does, and so does `compat="sembleu"`.

    >>> SemBleu().score("(b / bark-01 :ARG0 (d / dog))", "(b / bark-01 :ARG0 (d / dog))")["f"]
    1.0
    """

    name = "sembleu"
    tool_line = "{f:.12g}"

    weights: Annotated[tuple[float, ...], "the weights of paths of one node, of two, and so on"] = (
        0.34,
        0.33,
        0.34,
    )
    compat: Annotated[Literal["sembleu"] | None, "read graphs as SemBLEU does"] = None

    tracing = grid_in("karat.graphs.metrics.grids.amr", "sembleu")

    def __post_init__(self) -> None:
        if not self.weights or min(self.weights) < 0:
            raise OptionError(
                "sembleu: weights must be at least one number, none negative", code="K302"
            )

    @property
    def columns(self) -> Sequence[str]:  # type: ignore[override]
        orders = range(1, len(self.weights) + 1)
        return ("n", "g", "s", *(f"{i}.{name}" for i in orders for name in ("matched", "paths")))

    def measure(self, system: str, gold: str) -> Counts:
        read = _read if self.compat is None else _read_like_sembleu
        ours, theirs = read(system), read(gold)
        row: list[float] = [1, theirs.size, ours.size]
        orders = len(self.weights)
        for s, g in zip(ours.paths(orders), theirs.paths(orders), strict=True):
            row += [(s & g).total(), s.total()]
        return row

    def explain(self, system: str, gold: str) -> Explanation:
        """For each length the paths that both graphs have, and those of one side alone."""
        read = _read if self.compat is None else _read_like_sembleu
        ours, theirs = read(system), read(gold)
        result: Explanation = {}
        orders = len(self.weights)
        for order, (s, g) in enumerate(
            zip(ours.paths(orders), theirs.paths(orders), strict=True), 1
        ):
            found: dict[str, list[list[str]]] = {"matched": [], "missing": [], "surplus": []}
            for path, times in g.items():
                common = min(times, s.get(path, 0))
                found["matched"] += [list(path)] * common
                found["missing"] += [list(path)] * (times - common)
            for path, times in s.items():
                found["surplus"] += [list(path)] * (times - g.get(path, 0))
            result[f"paths of {order}"] = {name: sorted(each) for name, each in found.items()}
        return result

    def look_at(self, chunk: LazyPairs) -> PairOutputs | None:
        from karat.graphs.metrics.kernels import ListOutputs

        return None if self.compat else ListOutputs(chunk, self.name, orders=len(self.weights))

    def summarize(self, totals: Array) -> Scores:
        column = self.by_column(totals)
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
        by_order = {
            str(i): {"matched": count(m), "paths": count(p)}
            for i, (m, p) in enumerate(zip(matched, paths, strict=True), 1)
        }
        return {
            "n": count(column["n"]),
            "f": main(value),
            "g": count(gold),
            "s": count(system),
            **by_order,
        }


class _Graph:
    """Nodes with labels, and edges in their normal direction; a constant is a node each time."""

    def __init__(self, labels: Sequence[str], roles: Sequence[tuple[int, str, int]]) -> None:
        self.labels = [label.lower() for label in labels]
        self.edges = [_directed(*role) for role in roles]
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

    def _check(self, orders: int) -> None:
        """Refuses graphs with too many paths, of which a hub has as many as it has pairs of edges.

        Those that pass an edge twice are counted among them.
        """
        ending = [1] * len(self.labels)
        for _ in range(orders - 1):
            ending = [sum(ending[self.edges[edge][2]] for edge in each) for each in self.leaving]
            if sum(ending) > _MOST_PATHS:
                raise LimitExceeded(
                    f"a graph has more than {_MOST_PATHS:,} paths of up to {orders} nodes",
                    code="K503",
                    advice="take the graph out of both files, or give fewer ``weights``",
                )

    def paths(self, orders: int) -> Iterator[Counter[tuple[str, ...]]]:
        """All paths of one node, of two and so on, as labels and roles in turn."""
        self._check(orders)
        found: list[tuple[int, tuple[int, ...], tuple[str, ...]]] = [
            (node, (), (self.labels[node],)) for node in self._reached()
        ]
        yield Counter([path for _, _, path in found])
        for _ in range(orders - 1):
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
            yield Counter([path for _, _, path in found])


def _directed(source: int, role: str, target: int) -> tuple[int, str, int]:
    if role.endswith("-of"):
        return target, f":{role.replace('-of', '')}", source
    return source, f":{role}", target


def _read(text: str) -> _Graph:
    penman = penman_of_text(text)
    labels = [concept or "" for concept in penman.concepts]
    number = {variable: i for i, variable in enumerate(penman.variables)}
    roles: list[tuple[int, str, int]] = []
    for source, role, value, kind, _ in penman.roles:
        if kind == "variable":
            target = number[value]
        else:
            target = len(labels)
            labels.append(value)
        roles.append((source, role, target))
    return _Graph(labels, roles)


def _read_like_sembleu(text: str) -> _Graph:
    """A graph as the reader of the tool sees it.

    Concepts keep their quotes and lose their blanks, marks inside quotes are left out,
    alignments stay at what they are written at, a value is a variable only if that was
    introduced before or is a letter with digits, and a constant that is spelt like
    a variable has the label of that variable.
    """
    concepts, written = _written(text)
    labels = list(concepts.values())
    number = {variable: i for i, variable in enumerate(concepts)}
    roles: list[tuple[int, str, int]] = []
    for source, name, value, is_variable in written:
        if is_variable and value not in number:
            raise _unreadable(f"{value!r} is taken for a variable, but is not one")
        target = number[value] if is_variable else len(labels)
        if not is_variable:
            plain = value[1:-1] if value[0] == value[-1] == '"' else value
            labels.append(concepts.get(plain, plain))
        roles.append((number[source], name, target))
    return _Graph(labels, roles)


def _written(text: str) -> tuple[dict[str, str], list[tuple[str, str, str, bool]]]:
    """The variables with their concepts; the roles: of whom, name, value, is it a variable."""
    lines = (line.strip() for line in text.split("\n") if not line.startswith("#"))
    concepts: dict[str, str] = {}
    written: list[tuple[str, str, str, bool]] = []
    open_nodes: list[str] = []
    variable = before = ""
    role: str | None = None
    segments = list(marked_segments(" ".join(lines)))
    if segments and segments[-1][0] == "/":
        raise _unreadable("it ends within a concept")
    if segments and segments[-1][0] in "(:":  # what is not closed is not seen
        segments.pop()
    for mark, inside in segments:
        content = "".join(character for character in inside if character not in "(:/)")
        if mark not in _AFTER[before] or (mark in ":)" and (role is not None or not open_nodes)):
            raise _unreadable(f"'{mark}{content}' stands where it is not expected")
        if mark == "(":
            if open_nodes and not role:
                raise _unreadable(f"the node {content!r} has no role")
            variable = content.replace(" ", "")
        elif mark == "/":
            if variable in concepts:
                raise _unreadable(f"the variable {variable!r} is introduced twice")
            if role:
                written.append((open_nodes[-1], role, variable, True))
            open_nodes.append(variable)
            concepts[variable], role = content.replace(" ", ""), None
        elif mark == ":":
            role, *words = content.split() or [""]
            if value := " ".join(words):
                known = value in concepts or _LIKE_A_VARIABLE.fullmatch(value) is not None
                written.append((open_nodes[-1], role, value, known))
                role = None
        else:
            open_nodes.pop()
        before = mark
    return concepts, written


def _unreadable(message: str) -> FormatError:
    return FormatError(f"SemBLEU cannot read this graph: {message}", code="K141")
