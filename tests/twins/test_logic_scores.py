"""BLEU of forms against sacreBLEU, and trees against comparison by recursion."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawn import drawn
from karat.logic import Tree, parse_varfree, serialize_varfree
from karat.logic.metrics.cogs import LfBleu
from karat.logic.parser import same_tree

GOLD = "* boy ( x _ 1 ) ; see . agent ( x _ 2 , x _ 1 ) AND see . theme ( x _ 2 , Nora )"
TOKENS = st.lists(st.sampled_from(GOLD.split()), max_size=30).map(" ".join)


@settings(max_examples=drawn(100), deadline=None)
@given(st.lists(TOKENS, min_size=1, max_size=4))
def test_bleu_is_sacrebleus(systems: list[str]) -> None:
    sacrebleu = pytest.importorskip("sacrebleu")
    peer = sacrebleu.metrics.BLEU(tokenize="none", smooth_method="none")
    expected = peer.corpus_score(systems, [[GOLD] * len(systems)]).score
    found, _ = LfBleu().evaluate(systems, [GOLD] * len(systems))
    assert found["bleu"] == pytest.approx(expected, abs=1e-9)


Nested = tuple[str, tuple[tuple[str, "Nested"], ...]]  # type: ignore[misc]
LABELS = st.sampled_from(["eat", "* dog", "cake", "see"])
ROLES = st.sampled_from(["agent", "theme", "nmod . in"])
TREES = st.recursive(
    LABELS.map(lambda word: (word, ())),
    lambda inner: st.tuples(
        LABELS, st.lists(st.tuples(ROLES, inner), min_size=1, max_size=3).map(tuple)
    ),
    max_leaves=7,
)


def text(node: Nested) -> str:
    label, edges = node
    if not edges:
        return label
    return f"{label} ( {' , '.join(f'{role} = {text(child)}' for role, child in edges)} )"


def sorted_tree(node: Nested) -> Nested:
    label, edges = node
    return label, tuple(sorted((role, sorted_tree(child)) for role, child in edges))


def shuffled(node: Nested, rng: random.Random) -> Nested:
    label, edges = node
    inner = [(role, shuffled(child, rng)) for role, child in edges]
    rng.shuffle(inner)
    return label, tuple(inner)


@settings(max_examples=drawn(300), deadline=None)
@given(TREES, TREES, st.integers(0, 99))
def test_trees_are_compared_up_to_the_order_of_siblings(
    one: Nested, other: Nested, seed: int
) -> None:
    a, b = parse_varfree(text(one)), parse_varfree(text(other))
    assert same_tree(a, b) == (sorted_tree(one) == sorted_tree(other))
    assert same_tree(a, parse_varfree(text(shuffled(one, random.Random(seed)))))


@settings(max_examples=drawn(200), deadline=None)
@given(TREES)
def test_trees_are_written_and_read_back(tree: Nested) -> None:
    parsed = parse_varfree(text(tree))
    assert isinstance(parsed, Tree)
    assert serialize_varfree(parsed) == text(tree)
    closed = text(tree).replace(" ", "")
    assert parse_varfree(closed) == parsed
