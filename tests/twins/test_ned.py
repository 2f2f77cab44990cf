"""NED and attachment against their definitions, word by word."""

from __future__ import annotations

from dataclasses import dataclass

import hypothesis.strategies as st
from hypothesis import given

from karat.trees.metrics.attachment import Attachment
from karat.trees.metrics.ned import Ned
from karat.trees.metrics.same_words import PENN_TAGS
from karat.trees.model import Tree, depths, flat_parents, offsets_of

TAGS = ["NN", "VB", "$", ",", ".", "``"]


@st.composite
def heads(draw: st.DrawFn, size: int) -> list[int]:
    """Heads of a tree with one or more roots: everyone hangs from someone before in some order."""
    order = draw(st.permutations(range(1, size + 1)))
    result = [0] * size
    for place, word in enumerate(order):
        result[word - 1] = draw(st.sampled_from([0, *order[:place]]))
    return result


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Tree, Tree]:
    size = draw(st.integers(1, 8))
    tags = draw(st.lists(st.sampled_from(TAGS), min_size=size, max_size=size))
    labels = st.lists(st.sampled_from(["a", "b", "a:x"]), min_size=size, max_size=size)
    system, gold = (Tree.of(draw(heads(size)), xpos=tags, deprels=draw(labels)) for _ in range(2))
    return system, gold


@dataclass
class Twin:
    directed: int = 0
    undirected: int = 0
    ned: int = 0
    total: int = 0


def lifted(tree: Tree, punctuation: list[bool]) -> list[int]:
    result = []
    for head in tree.heads:
        while head and punctuation[head - 1]:
            head = tree.heads[head - 1]
        result.append(head)
    return result


def twin(system: Tree, gold: Tree, lift: bool) -> Twin:
    assert gold.tags is not None
    punctuation = [tag in PENN_TAGS for tag in gold.tags]
    g, t = list(gold.heads), list(system.heads)
    if lift:
        g, t = lifted(gold, punctuation), lifted(system, punctuation)
    result = Twin()
    for i in range(1, len(g) + 1):
        if punctuation[i - 1]:
            continue
        result.total += 1
        directed = t[i - 1] == g[i - 1]
        undirected = directed or (t[i - 1] != 0 and g[t[i - 1] - 1] == i)
        grandparent = g[i - 1] != 0 and t[i - 1] == g[g[i - 1] - 1]
        result.directed += directed
        result.undirected += undirected
        result.ned += undirected or grandparent
    return result


@given(pairs(), st.booleans())
def test_ned_is_its_definition(pair: tuple[Tree, Tree], lift: bool) -> None:
    system, gold = pair
    scores = Ned(punct_heads="lift" if lift else "keep").score(system, gold)
    expected = twin(system, gold, lift)
    assert {name: scores[name] for name in vars(expected)} == vars(expected)
    assert scores["excluded"] == len(gold) - expected.total


@given(st.integers(1, 8).flatmap(heads))
def test_one_flipped_edge_is_no_error(gold: list[int]) -> None:
    for child, parent in enumerate(gold, 1):
        if parent:
            flipped = list(gold)
            flipped[parent - 1], flipped[child - 1] = child, gold[parent - 1]
            assert Ned().score(Tree.of(flipped), Tree.of(gold))["ned_score"] == 1.0


@given(pairs())
def test_attachment_is_its_definition(pair: tuple[Tree, Tree]) -> None:
    system, gold = pair
    assert gold.tags is not None
    assert gold.deprels is not None
    assert system.deprels is not None
    scored = [i for i, tag in enumerate(gold.tags) if tag not in PENN_TAGS]
    head = [i for i in scored if system.heads[i] == gold.heads[i]]
    label = [i for i in scored if system.deprels[i][0] == gold.deprels[i][0]]
    scores = Attachment(subtypes="ignore").score(system, gold)
    assert scores["correct"] == {
        "heads": len(head), "labels": len(label), "both": len(set(head) & set(label)),
    }  # fmt: skip
    if scored:
        assert scores["UEM"] == (len(head) == len(scored))
        roots = [[i for i in scored if tree.heads[i] == 0] for tree in pair]
        assert scores["root_accuracy"] == (roots[0] == roots[1])
    else:
        assert scores["UAS"] is None


@given(pairs(), st.sampled_from(Ned.facets))
def test_parts_sum_up_to_the_whole(pair: tuple[Tree, Tree], facet: str) -> None:
    metric = Ned(punct_heads="keep")
    whole = metric.measure(*pair)
    split = metric.split(facet, [pair])
    words = split.rows[:, :5]
    assert words.sum(axis=0).tolist() == whole[:5]
    assert len(set(split.values)) == len(split.values)


@given(st.integers(1, 9).flatmap(heads))
def test_depths(tree: list[int]) -> None:
    def depth(word: int) -> int:
        return 0 if word == 0 else 1 + depth(tree[word - 1])

    trees = [Tree.of(tree)]
    found = depths(flat_parents(trees, offsets_of(trees))).tolist()
    assert found == [depth(word) for word in range(1, len(tree) + 1)] + [0]
