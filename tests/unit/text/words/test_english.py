"""The variants of the Porter stemmer."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.text.words.english import Variant, stem

_SUFFIXES = [
    "", "s", "es", "ies", "ied", "ed", "eed", "ing", "y", "ational", "tional", "enci", "bli",
    "abli", "alli", "eli", "fulli", "ization", "ousness", "biliti", "logi", "icate", "ative",
    "izer", "ness", "ement", "ment", "ent", "sion", "tion", "ion", "ou", "e", "ll", "lly", "ying",
]  # fmt: skip
letters = st.text("aeiouybdlnstwxz", max_size=8)
words = st.builds(lambda a, b, c: a + b + c, letters, *[st.sampled_from(_SUFFIXES)] * 2)


@settings(max_examples=1000)
@given(words)
def test_three_variants_are_those_of_nltk(word: str) -> None:
    porter = pytest.importorskip("nltk.stem.porter").PorterStemmer
    assert stem(word, "nltk") == porter().stem(word)
    assert stem(word, "original") == porter(porter.ORIGINAL_ALGORITHM).stem(word)
    assert stem(word, "martin") == porter(porter.MARTIN_EXTENSIONS).stem(word)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("departmental", "depart"),
        ("element", "elem"),
        ("constitutional", "constitut"),
        ("yes", "ye"),
        ("yy", "yy"),
        ("possibly", "possibl"),
        ("technology", "technolog"),
    ],
)
def test_the_fourth_step_of_the_engine_cascades(word: str, expected: str) -> None:
    assert stem(word, "1.5.5") == expected


@pytest.mark.parametrize("variant", ["original", "martin", "nltk", "1.5.5"])
@given(word=st.text("aeioubcdlsty", max_size=30))
def test_stems_are_never_longer_than_words_by_more_than_a_letter(
    variant: Variant, word: str
) -> None:
    result = stem(word, variant)
    assert len(result) <= len(word) + 1
    kept = max(0, len(result) - 2)
    assert result[:kept] == word[:kept]
