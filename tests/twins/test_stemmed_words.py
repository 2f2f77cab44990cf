"""Stemmed words and letters of ROUGE, from bytes, against the words and stems of Python."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat import _native
from karat.core.reading.strings import Strings
from karat.text.rouge.profiles import Profile, Reading, coded, letters
from karat.text.words.english import Variant, smart_stopwords, stem, wordnet_exceptions

VARIANTS: dict[Profile, Variant] = {"1.5.5": "1.5.5", "google": "nltk", "python-rouge": "original"}

_PIECES = [
    *("running", "Dogs", "went", "better", "The", "of", "flies", "x1", "don't", "children", "ing"),
    *("\n", " ", "-", "é", "\u0130", "\u212a", "中", "Æ", "\x00", "\ud800", "\U0001f600"),
]
texts = st.lists(st.lists(st.sampled_from(_PIECES), max_size=25).map("".join), max_size=6)


def expected_lines(reading: Reading, text: str) -> list[list[str]]:
    """The stems of each line, word by word."""
    text = text.lower() if reading.profile == "google" else text
    lines = [
        re.findall("[a-z0-9]+", re.sub("[A-Z]", lambda m: m[0].lower(), line), re.ASCII)
        for line in text.split("\n")
        if line
    ]
    left_out = smart_stopwords() if reading.remove_stopwords else ()
    return [[stemmed(reading, word) for word in line if word not in left_out] for line in lines]


def stemmed(reading: Reading, word: str) -> str:
    """Irregular forms have their bases, other words of more than three letters are stemmed."""
    if not reading.stemming or len(word) <= 3:
        return word
    if reading.profile != "google" and word in wordnet_exceptions():
        return wordnet_exceptions()[word]
    return stem(word, VARIANTS[reading.profile])


@pytest.mark.parametrize("profile", ["1.5.5", "google", "python-rouge"])
@pytest.mark.parametrize("stemming", [True, False])
@pytest.mark.parametrize("stop_words", [True, False])
@given(texts)
def test_numbers_are_the_same_for_the_same_stems(
    profile: Profile, stemming: bool, stop_words: bool, each: list[str]
) -> None:
    reading = Reading(profile, stemming, None, stop_words and profile != "google")
    found, _ = coded(reading, Strings.of(each))
    expected = [expected_lines(reading, text) for text in each]
    assert np.diff(found.texts).tolist() == [len(lines) for lines in expected]
    assert np.diff(found.sentences).tolist() == [len(line) for text in expected for line in text]
    stems = [stem for text in expected for line in text for stem in line]
    numbers: dict[str, int] = {}
    assert found.tokens.tolist() == [numbers.setdefault(stem, len(numbers)) for stem in stems]


@given(texts | st.lists(st.text(max_size=20), max_size=4))
def test_letters(each: list[str]) -> None:
    assert letters(Strings.of(each)).tolist() == [
        [sum(map(str.isalpha, text)), sum(c.isalpha() and c > "\x7f" for c in text)]
        for text in each
    ]


def test_what_does_not_fit_is_refused() -> None:
    some, none = Strings.of(["a"]).columns, Strings.of([]).columns
    with pytest.raises(ValueError, match="no such stemmer"):
        _native.stemmed_words(*some, "snowball", *none, *none)
    with pytest.raises(ValueError, match="its base"):
        _native.stemmed_words(*some, "nltk", *some, *none)
    with pytest.raises(ValueError, match="all characters"):
        _native.letter_counts(*some, np.zeros(128, np.uint8))
    with pytest.raises(ValueError, match="UTF-32"):
        _native.porter_stem(b"abc", "nltk")
