"""DTED: edit distance of the ordered dependency trees of two sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import numpy as np

from karat import _native
from karat.core.marks import cost, count, main
from karat.core.scores import Array, Scores, ratio
from karat.core.scoring import encoded_scores, nested_scores
from karat.errors import LimitExceeded
from karat.trees.metrics.aligned_sentences import AlignedMetric, flat_links, flat_trees
from karat.trees.model import Links, Reference, Tree, climb

_MOST_STEPS = 20_000_000_000
_MOST_CELLS = 25_000_000


class Dted(AlignedMetric):
    """Edit distance of ordered forests (after McCaffery & Nederhof, WMT 2016).

    Children stand in the order of the sentence; inserting and deleting a node
    cost 1. What it costs to match two words depends on the variant: `aligned` 0
    if they are linked, else 1; `strict` 0 or 2; `structure` always 0; `label` 0
    if their labels are equal, else 1; `core` is `strict` on the trees without
    the words that have no link. The score is 1 - distance / number of nodes of
    both; `micro` that of all sentences together, `macro` the mean of theirs.

    >>> reference = Tree.of([2, 0, 2], forms=["dogs", "chase", "cats"])
    >>> hypothesis = Tree.of([2, 0, 2], forms=["cats", "chase", "dogs"])
    >>> scores = Dted().score(hypothesis, reference)
    >>> scores["distance"], scores["normaliser"]
    (2, 6)
    """

    name = "dted"
    columns = (
        "distance", "normaliser", "score", "scored", "sentences",
        "inserted", "deleted", "renamed", "kept",
    )  # fmt: skip

    variant: Annotated[
        Literal["aligned", "strict", "structure", "label", "core"],
        "what it costs to match two words",
    ] = "aligned"
    empty_score: Annotated[
        Literal[0, 1] | None, "the score of a sentence with no nodes to compare"
    ] = None

    @property
    def needs_links(self) -> bool:
        return self.variant not in ("structure", "label")

    def rows_of(self, hypotheses: Sequence[Tree], references: Sequence[Reference]) -> Array:
        trees = [reference.tree for reference in references]
        links: list[Links] = [reference.links or () for reference in references]
        if self.variant == "core":
            cut = [_core(*each) for each in zip(hypotheses, trees, links, strict=True)]
            hypotheses = [hypothesis for hypothesis, _, _ in cut]
            trees = [reference for _, reference, _ in cut]
            links = [kept for _, _, kept in cut]
        for hypothesis, reference in zip(hypotheses, trees, strict=True):
            _check_size(hypothesis, reference)
        codes: dict[str, int] = {}
        edits = _native.tree_edits(
            *flat_trees(trees, codes),
            *flat_trees(hypotheses, codes),
            *flat_links(links),
            by_label=self.variant == "label",
            mismatch={"structure": 0, "strict": 2, "core": 2}.get(self.variant, 1),
        ).astype(np.float64)
        sizes = np.array([len(h) + len(r) for h, r in zip(hypotheses, trees, strict=True)], float)
        score, scored = self.scores_of(edits[:, 0], sizes)
        ones = np.ones(len(trees))
        return np.column_stack([edits[:, 0], sizes, score, scored, ones, edits[:, 1:]])

    def summarize(self, totals: Array) -> Scores:
        distance, normaliser, score, scored, sentences, *edits = self.columns_of(totals)
        names = ("inserted", "deleted", "renamed", "kept")
        return {
            "micro": main(1 - ratio(distance, normaliser, np.nan)),
            "macro": ratio(score, scored, np.nan),
            "distance": cost(count(distance)),
            "normaliser": count(normaliser),
            "sentences": count(sentences),
            "scored": count(scored),
            "edits": dict(zip(names, map(count, edits), strict=True)),
        }

    def told(self, hypotheses: Sequence[Tree], references: Sequence[Reference]) -> list[bytes]:
        """Distance, size and the numbers of edits."""
        rows = self.rows_of(hypotheses, references)
        scores = nested_scores(encoded_scores(self, rows))
        return [
            b'{"links":[%b],%b'
            % (",".join([f'"{h}-{r}"' for h, r in each.links or ()]).encode(), own[1:])
            for each, own in zip(references, scores, strict=True)
        ]


def _core(hypothesis: Tree, reference: Tree, links: Links) -> tuple[Tree, Tree, Links]:
    """Both trees without the words that have no link, and the links between what is left."""
    first = _without(hypothesis, {h for h, _ in links})
    second = _without(reference, {r for _, r in links})
    places = [{word: i for i, word in enumerate(kept)} for _, kept in (first, second)]
    return first[0], second[0], tuple((places[0][h], places[1][r]) for h, r in links)


def _without(tree: Tree, kept: set[int]) -> tuple[Tree, list[int]]:
    """The tree of the kept words, from 0; the head of each is its nearest kept ancestor."""
    words = sorted(kept)
    root = len(tree)
    parents = np.array([*(head - 1 if head else root for head in tree.heads), root], np.int64)
    stays = np.full(root + 1, False)
    stays[[*words, root]] = True
    closest = climb(np.where(stays, np.arange(root + 1), parents))[parents]
    number = {word: i for i, word in enumerate(words, 1)}
    heads = tuple(number.get(int(closest[word]), 0) for word in words)
    labels = tree.deprels
    columns = {"deprels": tuple(labels[word] for word in words)} if labels else {}
    return Tree(heads=heads, columns=columns), words


def _check_size(hypothesis: Tree, reference: Tree) -> None:
    """Guards against pairs that would take hours or fill the memory."""
    sizes = len(hypothesis), len(reference)
    if sizes[0] * sizes[1] <= 10_000:
        return
    steps = _steps(hypothesis) * _steps(reference)
    if steps > _MOST_STEPS or sizes[0] * sizes[1] > _MOST_CELLS:
        raise LimitExceeded(
            f"the sentences have {sizes[0]} and {sizes[1]} words: too many for tree edit distance",
            code="K522",
            place=hypothesis.place(),
        )


def _steps(tree: Tree) -> int:
    """The number of nodes in the forests that Zhang and Shasha's algorithm visits."""
    # A word begins a forest of its own unless it is the first child of its head.
    first_child: dict[int, int] = {}
    size = [1] * (len(tree) + 1)
    children: list[list[int]] = [[] for _ in range(len(tree) + 1)]
    for word, head in enumerate(tree.heads, 1):
        first_child.setdefault(head, word)
        children[head].append(word)
    order: list[Any] = [0]
    for word in order:
        order.extend(children[word])
    for word in reversed(order[1:]):
        size[tree.heads[word - 1]] += size[word]
    return sum(
        size[word]
        for word, head in enumerate(tree.heads, 1)
        if head == 0 or first_child[head] != word
    )
