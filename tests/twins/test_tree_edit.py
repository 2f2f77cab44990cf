"""DTED against the textbook: the recursion on forests that Zhang and Shasha's algorithm solves."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any, TypeAlias

import hypothesis.strategies as st
import pytest
from hypothesis import given

from karat.trees.metrics.dted import Dted, _steps
from karat.trees.model import Reference, Tree

Forest: TypeAlias = tuple[Any, ...]
"""Trees (word, forest of children) from left to right."""

VARIANTS = ("aligned", "strict", "structure", "label", "core")


@st.composite
def trees(draw: st.DrawFn, most: int = 7) -> Tree:
    size = draw(st.integers(1, most))
    order = draw(st.permutations(range(1, size + 1)))
    heads = [0] * size
    for place, word in enumerate(order):
        heads[word - 1] = draw(st.sampled_from([0, *order[:place]]))
    labels = draw(st.lists(st.sampled_from(["a", "b"]), min_size=size, max_size=size))
    return Tree.of(heads, deprels=labels)


def forest(tree: Tree, kept: set[int], head: int = 0) -> Forest:
    """The words below `head`; what is not kept is replaced by its children, in sentence order."""
    below = sorted(word for word in kept if _kept_ancestor(tree, kept, word) == head)
    return tuple((word, forest(tree, kept, word)) for word in below)


def _kept_ancestor(tree: Tree, kept: set[int], word: int) -> int:
    word = tree.heads[word - 1]
    while word and word not in kept:
        word = tree.heads[word - 1]
    return word


def size(trees: Forest) -> int:
    return sum(1 + size(children) for _, children in trees)


def distance(a: Forest, b: Forest, cost: Any) -> int:
    @cache
    def between(a: Forest, b: Forest) -> int:
        if not a or not b:
            return size(a) + size(b)
        (*a_rest, (v, v_children)), (*b_rest, (w, w_children)) = a, b
        return min(
            between((*a_rest, *v_children), b) + 1,
            between(a, (*b_rest, *w_children)) + 1,
            between(tuple(a_rest), tuple(b_rest)) + between(v_children, w_children) + cost(v, w),
        )

    return between(a, b)


def twin(variant: str, hypothesis: Tree, reference: Reference) -> tuple[int, int]:
    links = {(h + 1, r + 1) for h, r in reference.links or ()}
    kept = [set(range(1, len(tree) + 1)) for tree in (hypothesis, reference.tree)]
    if variant == "core":
        kept = [{h for h, _ in links}, {r for _, r in links}]
    ours, theirs = hypothesis.deprels, reference.tree.deprels
    assert ours is not None
    assert theirs is not None
    costs: dict[str, Any] = {
        "aligned": lambda v, w: 0 if (v, w) in links else 1,
        "strict": lambda v, w: 0 if (v, w) in links else 2,
        "structure": lambda v, w: 0,
        "label": lambda v, w: 0 if ours[v - 1] == theirs[w - 1] else 1,
    }
    costs["core"] = costs["strict"]
    a, b = forest(hypothesis, kept[0]), forest(reference.tree, kept[1])
    return distance(a, b, costs[variant]), size(a) + size(b)


@given(st.data(), st.sampled_from(VARIANTS))
def test_dted_is_its_definition(data: st.DataObject, variant: Any) -> None:
    hypothesis, tree = data.draw(trees()), data.draw(trees())
    pairs = list(product(range(len(hypothesis)), range(len(tree))))
    links = data.draw(st.sets(st.sampled_from(pairs), max_size=6))
    reference = Reference(tree, tuple(sorted(links)))
    scores = Dted(variant=variant).score(hypothesis, reference)
    expected = twin(variant, hypothesis, reference)
    assert (scores["distance"], scores["normaliser"]) == expected
    edits = scores["edits"]
    aligned = edits["renamed"] + edits["kept"]
    if variant != "core":
        assert edits["deleted"] + aligned == len(hypothesis)
        assert edits["inserted"] + aligned == len(tree)
    price = 2 if variant in ("strict", "core") else 1
    assert edits["inserted"] + edits["deleted"] + price * edits["renamed"] == expected[0]


@given(trees(20))
def test_a_tree_is_like_itself(tree: Tree) -> None:
    same = Reference(tree, tuple((i, i) for i in range(len(tree))))
    for variant in VARIANTS:
        scores = Dted(variant=variant).score(tree, same)  # type: ignore[arg-type]
        assert (scores["distance"], scores["micro"]) == (0, 1.0)
        assert scores["edits"]["kept"] == len(tree)


def test_ties_prefer_matches() -> None:
    """One word against another costs 1 to rename under `aligned`; 2 either way under `strict`."""
    one = Tree.of([0], forms=["a"])
    other = Tree.of([0], forms=["b"])
    assert Dted(variant="strict").score(one, other)["edits"] == {
        "inserted": 0, "deleted": 0, "renamed": 1, "kept": 0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("heads", "steps"),
    [([0], 1), ([0, 1, 2], 3), ([0, 1, 1], 4), ([0, 0], 2)],
)
def test_steps(heads: list[int], steps: int) -> None:
    assert _steps(Tree.of(heads)) == steps
