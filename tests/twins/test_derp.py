"""DERP against its definition: all spanning trees, plain edit distance; and what must hold."""

from __future__ import annotations

from functools import cache
from itertools import combinations, product
from typing import Any

import hypothesis.strategies as st
from hypothesis import given

from karat.trees.metrics.derp import Derp, Path, path
from karat.trees.model import Reference, Tree
from karat.trees.word_aligners import Sentence, by_form_and_lemma


@st.composite
def trees(draw: st.DrawFn, most: int = 6) -> Tree:
    size = draw(st.integers(1, most))
    order = draw(st.permutations(range(1, size + 1)))
    heads = [0] * size
    for place, word in enumerate(order):
        heads[word - 1] = draw(st.sampled_from([0, *order[:place]]))
    labels = draw(st.lists(st.sampled_from(["a", "b", "a:x"]), min_size=size, max_size=size))
    return Tree.of(heads, deprels=labels)


@st.composite
def aligned(draw: st.DrawFn) -> tuple[Tree, Reference]:
    hypothesis, reference = draw(trees()), draw(trees())
    pairs = list(product(range(len(hypothesis)), range(len(reference))))
    links = draw(st.sets(st.sampled_from(pairs), max_size=5))
    return hypothesis, Reference(reference, tuple(sorted(links)))


@cache
def levenshtein(a: tuple[str, ...], b: tuple[str, ...]) -> int:
    if not a or not b:
        return len(a) + len(b)
    return min(
        levenshtein(a[1:], b) + 1,
        levenshtein(a, b[1:]) + 1,
        levenshtein(a[1:], b[1:]) + (a[0] != b[0]),
    )


def disparity(ours: Path, theirs: Path) -> tuple[int, int]:
    cost = levenshtein(ours.up, theirs.up) + levenshtein(ours.down, theirs.down)
    most = max(len(ours.up), len(theirs.up)) + 1 + max(len(ours.down), len(theirs.down))
    return cost + (ours.direction != theirs.direction), most


def connects(nodes: list[int], edges: tuple[tuple[int, int], ...]) -> bool:
    reached = {nodes[0]}
    while True:
        more = {b for a, b in edges if a in reached} | {a for a, b in edges if b in reached}
        if more <= reached:
            return reached == set(nodes)
        reached |= more


def twin(hypothesis: Tree, reference: Reference) -> tuple[str, int, int, int]:
    """The base, the number of nodes, L and Lmax."""
    of_reference: dict[int, set[int]] = {}
    of_hypothesis: dict[int, set[int]] = {}
    for h, r in reference.links or ():
        of_reference.setdefault(r + 1, set()).add(h + 1)
        of_hypothesis.setdefault(h + 1, set()).add(r + 1)
    unique = [
        all(len(each) == 1 for each in side.values()) for side in (of_reference, of_hypothesis)
    ]
    if unique[1] and not unique[0]:
        name, base, other, counterparts = "hypothesis", hypothesis, reference.tree, of_hypothesis
    else:
        name, base, other, counterparts = "reference", reference.tree, hypothesis, of_reference
    nodes = sorted(counterparts)
    if len(nodes) < 2:
        return name, len(nodes), 0, 0
    weights = {}
    for n, m in combinations(nodes, 2):
        if counterparts[n] & counterparts[m]:
            weights[n, m] = (0, 0)
        else:
            weights[n, m] = min(
                disparity(path(base, n, m), path(other, n_other, m_other))
                for n_other, m_other in product(counterparts[n], counterparts[m])
            )
    best = min(
        (sum(weights[edge][0] for edge in edges), sum(weights[edge][1] for edge in edges))
        for edges in combinations(weights, len(nodes) - 1)
        if connects(nodes, edges)
    )
    return name, len(nodes), *best


@given(aligned())
def test_derp_is_its_definition(pair: tuple[Tree, Reference]) -> None:
    found = Derp().explain(*pair)["references"][0]
    assert (found["base"], found["nodes"], found["L"], found["Lmax"]) == twin(*pair)
    assert sum(edge["L"] for edge in found["edges"]) == found["L"]
    assert sum(edge["Lmax"] for edge in found["edges"]) == found["Lmax"]
    sides = {"hypothesis": pair[0], "reference": pair[1].tree}
    base = sides.pop(found["base"])
    (other,) = sides.values()
    for edge in found["edges"]:
        for tree, side in ((base, edge["base"]), (other, edge["other"])):
            n, m = side["words"]
            assert side["forms"] == [tree.form(n), tree.form(m)]
            assert side["path"] == (None if n == m else str(path(tree, n, m)))


def identity(tree: Tree) -> Reference:
    return Reference(tree, tuple((i, i) for i in range(len(tree))))


@given(trees(12))
def test_a_tree_is_like_itself(tree: Tree) -> None:
    scores = Derp().score(tree, identity(tree))
    assert scores["L"] == 0
    assert scores["micro"] == (1.0 if len(tree) > 1 else None)


@given(trees(12))
def test_mirroring_one_sentence_costs_one_per_edge(tree: Tree) -> None:
    size = len(tree)
    assert tree.deprels is not None
    mirrored = Tree.of(
        [size + 1 - head if head else 0 for head in reversed(tree.heads)],
        deprels=tree.deprels[::-1],
    )
    links = tuple((i, size - 1 - i) for i in range(size))
    scores = Derp().score(mirrored, Reference(tree, links))
    assert scores["L"] == size - 1


@given(aligned())
def test_renaming_labels_changes_nothing(pair: tuple[Tree, Reference]) -> None:
    def renamed(tree: Tree) -> Tree:
        assert tree.deprels is not None
        return Tree.of(tree.heads, deprels=[f"<{label}>" for label in tree.deprels])

    hypothesis, reference = pair
    other = Derp().score(renamed(hypothesis), Reference(renamed(reference.tree), reference.links))
    assert other == Derp().score(hypothesis, reference)
    assert 0 <= (other["micro"] or 0) <= 1


@given(aligned())
def test_labels_can_be_told_apart_less(pair: tuple[Tree, Reference]) -> None:
    full, universal, none = (
        Derp(labels=labels).score(*pair)["L"] for labels in ("full", "universal", "none")  # type: ignore[arg-type]
    )  # fmt: skip
    assert none <= universal <= full


def aligned_by_enumeration(hypothesis: Sentence, reference: Sentence) -> list[tuple[int, int]]:
    links: list[tuple[int, int]] = []
    stages: list[Any] = [
        lambda s: s.tokens,
        lambda s: [token.lower() for token in s.tokens],
        lambda s: [lemma.lower() for lemma in s.lemmas],
    ]
    for number, stage in enumerate(stages):
        ours, theirs = stage(hypothesis), stage(reference)
        for key in dict.fromkeys(ours):
            if number == 2 and key == "_":
                continue
            h_free = [i for i, k in enumerate(ours) if k == key and i not in {h for h, _ in links}]
            r_free = [
                i for i, k in enumerate(theirs) if k == key and i not in {r for _, r in links}
            ]
            size = min(len(h_free), len(r_free))
            ways = [
                list(zip(hs, rs, strict=True))
                for hs in combinations(h_free, size)
                for rs in combinations(r_free, size)
            ]
            scales = len(reference.tokens), len(hypothesis.tokens)
            links += min(
                ways,
                key=lambda way: (
                    sum(abs((h + 1) * scales[0] - (r + 1) * scales[1]) for h, r in way),
                    way,
                ),
            )
    return sorted(links)


@st.composite
def sentences(draw: st.DrawFn) -> Sentence:
    tokens = draw(st.lists(st.sampled_from(["a", "A", "b"]), max_size=8))
    lemmas = [draw(st.sampled_from(["_", "x", "X", "a"])) for _ in tokens]
    return Sentence(tuple(tokens), tuple(lemmas), ("_",) * len(tokens))


@given(sentences(), sentences())
def test_the_aligner_is_its_definition(hypothesis: Sentence, reference: Sentence) -> None:
    found = by_form_and_lemma(hypothesis, reference)
    assert list(found) == aligned_by_enumeration(hypothesis, reference)
