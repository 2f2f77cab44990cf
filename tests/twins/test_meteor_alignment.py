"""The alignment of METEOR against all alignments, and its counts against the definition."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat import _native
from karat.text.metrics.meteor import Meteor

words = st.lists(st.integers(0, 4), max_size=12)
STEMS = np.array([0, 1, 1, 2, 2], np.int32)
FUNCTION = np.array([1, 0, 0, 0, 1], np.uint8)
SYNSETS = np.array([3, 1, 3], np.int32)
SYNSET_OFFSETS = np.array([0, 0, 1, 1, 3, 3], np.int64)
SETS = [set(), {3}, set(), {1, 3}, set()]
LEXICON = (STEMS, FUNCTION, SYNSETS, SYNSET_OFFSETS)


def stage(a: int, b: int) -> int:
    if a == b:
        return 0
    if STEMS[a] == STEMS[b]:
        return 1
    return 2 if SETS[a] & SETS[b] else 3


def alignments(system: list[int], gold: list[int], used: frozenset[int]) -> Iterator[list[int]]:
    if not system:
        yield []
        return
    for rest in alignments(system[1:], gold, used):
        yield [-1, *rest]
    for place, word in enumerate(gold):
        if place not in used and stage(system[0], word) < 3:
            for rest in alignments(system[1:], gold, used | {place}):
                yield [place, *rest]


def chunks(places: list[int]) -> int:
    return sum(
        place >= 0 and not (i and places[i - 1] >= 0 and places[i - 1] + 1 == place)
        for i, place in enumerate(places)
    )


def rank(places: list[int]) -> tuple[int, int, int]:
    """Most matches, fewest chunks, least movement."""
    matched = [(i, place) for i, place in enumerate(places) if place >= 0]
    return -len(matched), chunks(places), sum(abs(i - place) for i, place in matched)


def beam(system: list[int], gold: list[int]) -> list[int]:
    """The 40 best beginnings at each word; words that can only match each other do match."""
    fits = [[j for j, word in enumerate(gold) if stage(own, word) < 3] for own in system]
    states: list[list[int]] = [[]]
    for candidates in fits:
        forced = len(candidates) == 1 and sum(candidates[0] in other for other in fits) == 1
        steps = [
            (rank([*state, place]), place, number, [*state, place])
            for number, state in enumerate(states)
            for place in ([] if forced else [-1]) + [j for j in candidates if j not in state]
        ]
        states = [step[3] for step in sorted(steps)[:40]]
    return states[0]


@given(st.lists(st.integers(0, 4), max_size=3), st.lists(st.integers(0, 4), max_size=3))
def test_the_alignment_of_few_words_is_the_best_of_all(system: list[int], gold: list[int]) -> None:
    tokens = np.array([*system, *gold], np.int32)
    offsets = np.array([0, len(system), len(system) + len(gold)], np.int64)
    places, _ = _native.word_alignment(tokens, offsets, *LEXICON, 1e6).tolist()
    assert rank(places) == min(map(rank, alignments(system, gold, frozenset())))


@given(words, words)
def test_alignments_and_their_counts(system: list[int], gold: list[int]) -> None:
    tokens = np.array([*system, *gold], np.int32)
    offsets = np.array([0, len(system), len(system) + len(gold)], np.int64)
    places, stages = _native.word_alignment(tokens, offsets, *LEXICON, 1e6).tolist()
    assert places == beam(system, gold)
    for word, place, how in zip(system, places, stages, strict=True):
        assert how == (stage(word, gold[place]) if place >= 0 else 3)
    counts = _native.alignment_counts(tokens, offsets, *LEXICON, np.array([[0, 1]], np.int32), 1e6)[
        0
    ].tolist()
    expected = [len(system), len(gold), *(sum(FUNCTION[w] for w in t) for t in (system, gold))]
    for how in range(3):
        matched = [
            (FUNCTION[word], FUNCTION[gold[place]])
            for word, place, found in zip(system, places, stages, strict=True)
            if place >= 0 and found == how
        ]
        for kind in (0, 1):
            expected += [sum(ours == kind for ours, _ in matched)]
            expected += [sum(theirs == kind for _, theirs in matched)]
    total = sum(place >= 0 for place in places)
    assert counts == [*expected, chunks(places), total, total]


def test_a_budget_that_does_not_suffice_is_told() -> None:
    tokens = np.array([1, 1, 1, 1], np.int32)
    offsets = np.array([0, 2, 4], np.int64)
    pair = np.array([[0, 1]], np.int32)
    assert _native.alignment_counts(tokens, offsets, *LEXICON, pair, 3.0)[0, 0] == -1
    with pytest.raises(ValueError, match="too long"):
        _native.word_alignment(tokens, offsets, *LEXICON, 3.0)


def test_the_formula_on_an_example_worked_out_by_hand() -> None:
    # the/the is exact and a function word, dogs/dog is a stem and a content word.
    scores = Meteor().score("the dogs", ["the dog barks"])
    precision = (0.25 * 1 + 0.6 * 0.75 * 1) / (0.75 * 1 + 0.25 * 1)
    recall = (0.25 * 1 + 0.6 * 0.75 * 1) / (0.75 * 2 + 0.25 * 1)
    mean = precision * recall / (0.85 * precision + 0.15 * recall)
    assert scores["precision"] == pytest.approx(precision)
    assert scores["recall"] == pytest.approx(recall)
    assert scores["METEOR"] == pytest.approx(mean * (1 - 0.6 * 0.5**0.2))


def test_matches_are_told_in_words() -> None:
    (found,) = Meteor().explain("Dogs bark!", ["a dog barked"])["references"]
    assert found["matched"] == [
        {"system": 0, "gold": 1, "words": ["dogs", "dog"], "stage": "stem"},
        {"system": 1, "gold": 2, "words": ["bark", "barked"], "stage": "stem"},
    ]
