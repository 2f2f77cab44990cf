"""Semantic match against its definition: every bijection is tried."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import form_meaning
from drawn import drawn
from karat.errors import LimitExceeded
from karat.logic import Form, Term, parse, same_meaning, serialize
from karat.logic.metrics.cogs import LfSemantic
from karat.logic.semantic import renaming


def twin(system: Form, gold: Form) -> bool:
    """The definition, word by word."""
    if system.type != gold.type or len(system.binders) != len(gold.binders):
        return False
    if system.type == "name":
        return system.name == gold.name
    ours, theirs = system.constants(), gold.constants()
    if len(ours) != len(theirs):
        return False
    letters = [
        {letter: f"<{i}>" for i, letter in enumerate(form.binders)} for form in (system, gold)
    ]
    target = _written(gold, {c: c for c in theirs}, letters[1])
    return any(
        _written(system, dict(zip(ours, order, strict=True)), letters[0]) == target
        for order in itertools.permutations(theirs)
    )


def _written(
    form: Form, constants: dict[int, int], letters: dict[str, str]
) -> tuple[Counter[object], Counter[object]]:
    def of(term: Term) -> object:
        return term.predicate, tuple(
            constants[a] if isinstance(a, int) else letters.get(a, a) for a in term.arguments
        )

    return Counter(map(of, form.definite)), Counter(map(of, form.conjuncts))


NODES = st.integers(0, 4)
EDGES = st.lists(st.tuples(st.sampled_from(["r", "s"]), NODES, NODES), min_size=1, max_size=7)


def graph(edges: list[tuple[str, int, int]], definite: list[int]) -> Form:
    return Form(
        "iota",
        tuple(Term(f"eat.{label}{label}", (a, b)) for label, a, b in edges),
        tuple(Term("dog", (a,)) for a in definite),
    )


@settings(max_examples=drawn(400), deadline=None)
@given(EDGES, EDGES, st.lists(NODES, max_size=2), st.integers(0, 999), st.booleans())
def test_random_graphs(
    one: list[tuple[str, int, int]],
    other: list[tuple[str, int, int]],
    definite: list[int],
    seed: int,
    related: bool,
) -> None:
    gold = graph(one, definite)
    if related:
        rng = random.Random(seed)
        order = rng.sample(range(10), 5)
        other = [(label, order[a], order[b]) for label, a, b in one]
        if rng.random() < 0.5:
            label, a, b = other.pop()
            other.append((label, b, a))
        rng.shuffle(other)
        definite = [order[a] for a in definite]
    system = graph(other, definite)
    expected = twin(system, gold)
    assert same_meaning(system, gold) == expected
    assert same_meaning(gold, system) == expected
    if expected:
        found = renaming(system, gold)
        assert found is not None
        back = {b: a for a, b in found.items()}
        assert len(back) == len(found)
        assert _written(system, back, {}) == _written(gold, {c: c for c in found}, {})


BINDERS = st.lists(st.sampled_from("abe"), min_size=1, max_size=3).map(tuple)
LAMBDA_TERMS = st.lists(
    st.builds(
        lambda a, b: Term("eat.agent", (a, b)),
        st.sampled_from(["a", "b", "e", 0, 1]),
        st.sampled_from(["a", "b", "e", 0, 1]),
    ),
    min_size=1,
    max_size=2,
).map(tuple)


@settings(max_examples=drawn(400), deadline=None)
@given(BINDERS, LAMBDA_TERMS, BINDERS, LAMBDA_TERMS)
def test_lambda_forms(
    binders: tuple[str, ...],
    terms: tuple[Term, ...],
    other_binders: tuple[str, ...],
    other_terms: tuple[Term, ...],
) -> None:
    one = Form("lambda", terms, (), binders)
    other = Form("lambda", other_terms, (), other_binders)
    assert same_meaning(one, other) == twin(one, other)


@settings(max_examples=drawn(300), deadline=None)
@given(st.integers(0, 10_000), st.integers(3, 6), st.integers(1, 3))
def test_regular_graphs_where_only_search_decides(seed: int, size: int, degree: int) -> None:
    """Unlabelled graphs in which every constant looks like every other."""
    rng = random.Random(seed)

    def regular() -> Form:
        edges = []
        for _ in range(degree):
            targets = rng.sample(range(size), size)
            edges += [("r", a, b) for a, b in enumerate(targets)]
        return graph(edges, [])

    one, other = regular(), regular()
    assert same_meaning(one, other) == twin(one, other)


def cycles(lengths: list[int], order: list[int]) -> Form:
    terms, first = [], 0
    for length in lengths:
        for i in range(length):
            ends = order[first + i], order[first + (i + 1) % length]
            terms.append(Term("dog.nmod.in", ends))
        first += length
    return Form("iota", tuple(terms))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ([3, 3], [6], False),
        ([3, 3, 6], [6, 3, 3], True),
        ([6] * 10, [6] * 9 + [3, 3], False),
        ([50], [50], True),
        ([25, 25], [50], False),
        ([7] * 30, [7] * 30, True),
    ],
)
def test_cycles(one: list[int], other: list[int], same: bool) -> None:
    size = sum(one)
    order = random.Random(1).sample(range(size), size)
    assert same_meaning(cycles(one, list(range(size))), cycles(other, order)) == same


def test_a_pair_beyond_the_budget_is_an_error() -> None:
    ring = cycles([30], list(range(30)))
    with pytest.raises(LimitExceeded, match="more than 10 steps"):
        same_meaning(ring, ring, steps=10)


@settings(max_examples=drawn(60), deadline=None)
@given(st.integers(0, 10_000), st.integers(7, 40), st.integers(1, 3), st.booleans())
def test_larger_forms_by_the_search_in_python(
    seed: int, size: int, degree: int, related: bool
) -> None:
    """Bijections cannot be tried here; pieces, colours and choices are those of another program."""
    rng = random.Random(seed)

    def drawn_form() -> Form:
        edges = [
            (rng.choice("rs"), a, b)
            for _ in range(degree)
            for a, b in enumerate(rng.sample(range(size), size))
        ]
        return graph(edges, rng.choices(range(size), k=2))

    gold = drawn_form()
    order = rng.sample(range(2 * size), size)
    terms = [Term(each.predicate, tuple(order[a] for a in each.arguments)) for each in gold.terms]  # type: ignore[index]
    system = Form("iota", tuple(rng.sample(terms[2:], len(terms) - 2)), tuple(terms[:2]))
    if not related:
        (predicate, (a, b)), *rest = system.conjuncts
        system = Form("iota", (Term(predicate, (b, a)), *rest), system.definite)
    expected = form_meaning.same_meaning(system, gold)
    assert same_meaning(system, gold) == expected
    assert expected or not related


def test_forced_partners_and_the_search_agree() -> None:
    """What the kernel decides by terms that occur once, and what it searches."""
    gold = parse(
        "boy ( x _ 1 ) AND see . agent ( x _ 2 , x _ 1 ) AND see . theme ( x _ 2 , x _ 4 )"
    )
    swapped = parse(
        "boy ( x _ 1 ) AND see . agent ( x _ 2 , x _ 4 ) AND see . theme ( x _ 2 , x _ 1 )"
    )
    assert renaming(gold, gold) == {1: 1, 2: 2, 4: 4}
    assert not same_meaning(swapped, gold)
    assert LfSemantic().score(serialize(swapped), serialize(gold))["semantic_match"]["count"] == 0
    renamed = "see . theme ( x _ 7 , x _ 3 ) AND see . agent ( x _ 7 , x _ 9 ) AND boy ( x _ 9 )"
    assert LfSemantic().score(renamed, serialize(gold))["semantic_match"]["count"] == 1
