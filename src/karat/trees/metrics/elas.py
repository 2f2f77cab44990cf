"""Enhanced dependencies against gold, as in the shared tasks of IWPT."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from typing import Annotated, Any, Literal

import msgspec

from karat import _native
from karat.core.capabilities import Measured, ToLookAt
from karat.core.marks import count, main
from karat.core.metric import Explanation
from karat.core.reading.raw import RawChunk
from karat.core.scores import Array, Scores, ratio
from karat.core.shown import Shown, only_shown
from karat.errors import FormatError, KaratError, counted
from karat.trees.enhanced import Edge, Nodes, edge_lists
from karat.trees.formats.conll import CONLL_WIDTH, lines, side_of_texts
from karat.trees.metrics.ud import Aligned, DocumentMetric, Given, sides_of
from karat.trees.model import Tree
from karat.trees.sentence_alignment import share_of

_NAN = float("nan")
_AT_START = re.compile(rb"[0-9]+\.")
_EMPTY_NODE = re.compile(rb"\n[0-9]+\.")


class Elas(DocumentMetric):
    """Labelled edges of enhanced dependencies that system and gold share (ELAS, EULAS).

    Words are aligned as for `ud`. An edge is right if its dependents and its heads are aligned (or
    both heads are the root) and its labels are equal; EULAS leaves subtypes out. Each edge is
    used once, so a file against itself is always 1. Paths through empty nodes are one edge with
    the labels joined, as the shared task collapses them.

    Bouma et al., IWPT 2021.
    """

    name = "elas"
    releases_gil = True
    chunk_size = 1024
    columns = ("gold", "system", "correct", "universal", "doubled")

    empty_nodes: Annotated[Nodes, "paths through empty nodes become edges, or are left out"] = (
        "collapse"
    )
    ignore: Annotated[
        tuple[Literal[1, 2, 3, 4, 5, 6], ...],
        "enhancements to leave out: 1 gapping, 2 shared parents, 3 shared dependents, 4 control, "
        "5 relative clauses, 6 case",
    ] = ()
    compat: Annotated[
        Literal["none", "udtools"], "count equal edges more than once, and ignore as that script"
    ] = "none"

    def measure_many(self, pairs: Sequence[tuple[Given, Tree]]) -> Array:
        return self._look(pairs).rows()[:, : len(self.columns)]

    def measure_bytes(self, chunk: RawChunk) -> Measured | None:
        """The same counts, from the bytes of files whose edges are all between words."""
        found = self._look_at_bytes(chunk)
        if found is None:
            return None
        rows = found.rows()
        sizes = rows[:, len(self.columns)].astype(int)
        return Measured(rows[:, : len(self.columns)], {"length": list(map(str, sizes.tolist()))})

    def summarize(self, totals: Array) -> Scores:
        gold, system, correct, universal, _ = self.columns_of(totals)

        def figures(right: Array) -> dict[str, Any]:
            return {
                "correct": count(right),
                "precision": ratio(right, system, _NAN),
                "recall": ratio(right, gold, _NAN),
                "f": ratio(2 * right, gold + system, _NAN),
            }

        labelled, unlabelled = figures(correct), figures(universal)
        labelled["f"] = main(labelled["f"])
        return {
            "elas": labelled,
            "eulas": unlabelled,
            "gold": count(gold),
            "system": count(system),
        }

    def objection(self, totals: Array) -> KaratError | None:
        if not totals[0]:
            return FormatError(
                "no word of gold has enhanced dependencies: the ninth column (DEPS) is empty",
                code="K242",
            )
        return None

    def caveats(self, totals: Array) -> list[str]:
        doubled = int(totals[4])
        return [f"{counted(doubled, 'edge is', 'edges are')} written twice"] if doubled else []

    def explain(self, system: Given, gold: Tree) -> Explanation:
        """The edges that one side has alone."""
        (told,) = self._look([(system, gold)]).explanations()
        explanation: Explanation = msgspec.json.decode(told)
        return explanation

    def shown(self, system: Given, gold: Tree, explanation: Explanation) -> Shown:
        return only_shown(self._look([(system, gold)]).shown())

    def look_at(self, chunk: ToLookAt) -> _native.EnhancedLook:
        raw = chunk.raw()
        found = self._look_at_bytes(raw) if raw is not None else None
        return found or self._look(chunk.pairs())

    def _look_at_bytes(self, chunk: RawChunk) -> _native.EnhancedLook | None:
        sides = None if self.ignore else sides_of(chunk)
        if sides is None or any(_has_empty_nodes(data) for data, *_ in sides):
            return None
        return _native.look_at_enhanced(*sides, self.compat == "udtools")

    def _look(self, pairs: Sequence[tuple[Given, Tree]]) -> _native.EnhancedLook:
        aligned = Aligned([(share_of(system, gold), gold) for system, gold in pairs])
        trees = aligned.trees, aligned.golds
        ours, theirs = (side_of_texts([self._text(tree) for tree in side]) for side in trees)
        words = aligned.partners, aligned.homes
        try:
            return _native.look_at_enhanced_aligned(
                ours, theirs, *words, self.compat == "udtools", bool(self.ignore)
            )
        except ValueError:
            for tree in chain(*trees):
                self._edges(tree)  # says what is wrong
            raise

    def _text(self, tree: Tree) -> bytes:
        """The lines of a tree with the edges to compare; see `look_at_enhanced_aligned`."""
        if tree.width == CONLL_WIDTH and not self.ignore and not _has_empty_nodes(tree.text):
            return tree.text
        rows = tree.rows()
        words = (row for row in rows if "-" not in row[0])
        for row, edges in zip(words, self._edges(tree), strict=True):
            named = (f"{'-' if head < 0 else head}:{'>'.join(labels)}" for head, labels in edges)
            row[8] = "|".join(named) or "_"
        return lines(rows)

    def _edges(self, tree: Tree) -> list[list[Edge]]:
        return edge_lists(tree, self.empty_nodes, self.ignore, self.compat == "udtools")


def _has_empty_nodes(data: bytes) -> bool:
    return bool(_AT_START.match(data) or _EMPTY_NODE.search(data))
