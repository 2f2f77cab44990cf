"""The kernel that lists the edits between texts, against rapidfuzz and the definition."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from drawn import drawn
from karat import _native
from karat.core.reading.strings import Referenced, Strings
from karat.text.metrics.words import EditDistance, Exact

WORDS = st.sampled_from(["a", "b", "B", "cat", "ẞ", "ss", "東京", "\U0001f600", '"', "\\"])
BLANKS = st.sampled_from([" ", "  ", "\t", "\u3000", "\x1c"])
TEXTS = st.builds(str.join, BLANKS, st.lists(WORDS, max_size=12))
LONG = st.text("abc", min_size=50, max_size=200).map(" ".join)
PAIRS = st.lists(st.tuples(TEXTS, TEXTS) | st.tuples(LONG, LONG), min_size=1, max_size=3)


def tokens(text: str, fold: bool, characters: bool = False) -> list[str]:
    text = text.casefold() if fold else text
    return list(text) if characters else text.split()


def check_edits(edits: list[Any], gold: list[str], system: list[str]) -> None:
    """They make the system's tokens of gold's, and no fewer do; of few tokens as in rapidfuzz."""
    made, at = [], 0
    for edit in edits:
        made += gold[at : edit["position"]]
        at = edit["position"] + len(edit["gold"])
        assert gold[edit["position"] : at] == edit["gold"]
        made += edit["system"]
        sizes = {"replace": (1, 1), "delete": (1, 0), "insert": (0, 1)}[edit["edit"]]
        assert (len(edit["gold"]), len(edit["system"])) == sizes
    assert made + gold[at:] == system
    assert len(edits) == Levenshtein.distance(gold, system)
    if len(gold) <= 64:
        theirs = Levenshtein.editops(gold, system)
        assert [(e["edit"], e["position"]) for e in edits] == [(e.tag, e.src_pos) for e in theirs]


@pytest.mark.parametrize("fold", [False, True])
@settings(max_examples=drawn(200), deadline=None)
@given(pairs=PAIRS)
@example(pairs=[("", ""), ("", "a"), ("a", ""), (" a  b", "a b ")])
def test_exact_lists_the_fewest_edits(pairs: list[tuple[str, str]], fold: bool) -> None:
    metric = Exact(ignore_case=fold)
    texts = Referenced.of([(system, [gold]) for system, gold in pairs])
    found = metric.explain_texts(texts, metric.rows(texts))
    for (system, gold), own in zip(pairs, found, strict=True):
        told = msgspec.json.decode(own)
        assert told == metric.explain(system, gold)
        ours, theirs = tokens(system, fold), tokens(gold, fold)
        assert told["tokens"] == {"system": ours, "gold": theirs}
        assert told["correct"] == (ours == theirs) == ("first_difference" not in told)
        if ours != theirs:
            at = told["first_difference"]["position"]
            assert ours[:at] == theirs[:at]
            assert ours[at : at + 1] != theirs[at : at + 1]
        check_edits(told["edits"], theirs, ours)


@pytest.mark.parametrize("characters", [False, True])
@pytest.mark.parametrize("fold", [False, True])
@settings(max_examples=drawn(200), deadline=None)
@given(pairs=PAIRS)
def test_edit_distance_lists_the_fewest_edits(
    pairs: list[tuple[str, str]], fold: bool, characters: bool
) -> None:
    metric = EditDistance(ignore_case=fold, characters=characters)
    texts = Referenced.of([(system, [gold]) for system, gold in pairs])
    found = metric.explain_texts(texts, metric.rows(texts))
    for (system, gold), own in zip(pairs, found, strict=True):
        told = msgspec.json.decode(own)
        assert told["distance"] == len(told["edits"])
        check_edits(told["edits"], tokens(gold, fold, characters), tokens(system, fold, characters))


def test_edits_of_very_long_texts_are_left_out() -> None:
    sides = [*Strings.of(["a a x", "a b"]).columns, *Strings.of(["a c c c", "a c"]).columns]
    exact = [msgspec.json.decode(each) for each in _native.same_words_explained(*sides, 5)]
    assert ["edits" in each for each in exact] == [False, True]
    assert list(map(bool, _native.edits_explained(*sides, False, 5))) == [False, True]


def test_of_very_long_texts_the_distance_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karat.text.metrics.words.MOST_CELLS", 5)
    assert EditDistance().explain("a a x", "a c c c") == {"distance": 3}
