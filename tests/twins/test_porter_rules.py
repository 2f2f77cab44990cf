"""The kernel of the Porter stemmer against one that is written from its rules (Porter 1980).

- ``original``: as published, as NLTK's mode of that name.
- ``martin``: with Porter's own later departures; SIMetrix uses it.
- ``nltk``: NLTK's default with its extensions; rouge-score uses it.
- ``1.5.5``: the engine of ROUGE-1.5.5, whose fourth step cascades.

All work on lower-case words and take time linear in the length of the word.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import get_args

from hypothesis import given, settings
from hypothesis import strategies as st

from drawn import drawn
from karat.text.words.english import Variant
from karat.text.words.english import stem as by_kernel

_STEP_2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize",
    "alli": "al", "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate",
    "ator": "ate", "alism": "al", "iveness": "ive", "fulness": "ful", "ousness": "ous",
    "aliti": "al", "iviti": "ive", "biliti": "ble",
}  # fmt: skip
_STEP_3 = {
    "icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": "",
}  # fmt: skip
_STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ou", "ism",
    "ate", "iti", "ous", "ive", "ize",
)  # fmt: skip
_IRREGULAR = {
    "skies": "sky", "sky": "sky", "dying": "die", "lying": "lie", "tying": "tie", "news": "news",
    "innings": "inning", "inning": "inning", "outings": "outing", "outing": "outing",
    "cannings": "canning", "canning": "canning", "howe": "howe", "proceed": "proceed",
    "exceed": "exceed", "succeed": "succeed",
}  # fmt: skip


def stem(word: str, variant: Variant = "martin") -> str:
    """The stem of a lower-case word."""
    return _stem_155(word) if variant == "1.5.5" else _Word(variant).stem(word)


def _longest_suffix(word: str, suffixes: Mapping[str, str]) -> str | None:
    """The longest of the suffixes that the word ends in."""
    for size in range(min(7, len(word)), 1, -1):
        if word[-size:] in suffixes:
            return word[-size:]
    return None


# -- 1.5.5 ---------------------------------------------------------------------

_CONSONANTS, _VOWELS = "[^aeiou][^aeiouy]*", "[aeiouy][aeiou]*"
_M_ABOVE_0 = re.compile(f"(?:{_CONSONANTS})?{_VOWELS}{_CONSONANTS}")
_M_IS_1 = re.compile(f"(?:{_CONSONANTS})?{_VOWELS}{_CONSONANTS}(?:{_VOWELS})?\\Z")
_M_ABOVE_1 = re.compile(f"(?:{_CONSONANTS})?{_VOWELS}{_CONSONANTS}{_VOWELS}{_CONSONANTS}")
_HAS_VOWEL = re.compile(f"(?:{_CONSONANTS})?[aeiouy]")
_SHORT = re.compile(f"{_CONSONANTS}[aeiouy][^aeiouwxy]\\Z")
_STEP_2_155 = {**_STEP_2, "bli": "ble", "logi": "log"}
_STEP_4_155 = {suffix: "" for suffix in _STEP_4 if suffix not in ("ment", "ent")}


def _stem_155(word: str) -> str:
    if len(word) < 3:
        return word
    # A capital letter is no vowel to the patterns, which is what an initial y needs.
    initial_y = word[0] == "y"
    if initial_y:
        word = "Y" + word[1:]
    word = _inflection_155(word)
    for table in (_STEP_2_155, _STEP_3):
        suffix = _longest_suffix(word, table)
        if suffix and _M_ABOVE_0.match(word[: -len(suffix)]):
            word = word[: -len(suffix)] + table[suffix]
    word = _derivation_155(word)
    if word.endswith("e"):
        rest = word[:-1]
        if _M_ABOVE_1.match(rest) or (_M_IS_1.match(rest) and not _SHORT.match(rest)):
            word = rest
    if word.endswith("ll") and _M_ABOVE_1.match(word):
        word = word[:-1]
    return "y" + word[1:] if initial_y else word


def _inflection_155(word: str) -> str:
    if word.endswith(("sses", "ies")):
        word = word[:-2]
    elif len(word) > 1 and word[-1] == "s" and word[-2] != "s":
        word = word[:-1]
    if word.endswith("eed"):
        if _M_ABOVE_0.match(word[:-3]):
            word = word[:-1]
    elif word.endswith(("ed", "ing")):
        rest = word[:-2] if word.endswith("ed") else word[:-3]
        if _HAS_VOWEL.match(rest):
            word = rest
            if rest.endswith(("at", "bl", "iz")):
                word += "e"
            elif len(rest) > 1 and rest[-1] == rest[-2] and rest[-1] not in "aeiouylsz":
                word = rest[:-1]
            elif _SHORT.match(rest):
                word += "e"
    if word.endswith("y") and _HAS_VOWEL.match(word[:-1]):
        word = word[:-1] + "i"
    return word


def _derivation_155(word: str) -> str:
    """The fourth step, whose three parts apply one after the other."""
    suffix = _longest_suffix(word, _STEP_4_155)
    if suffix and _M_ABOVE_1.match(word[: -len(suffix)]):
        word = word[: -len(suffix)]
    if word.endswith("ment") and _M_ABOVE_1.match(word[:-4]):
        word = word[:-4]
    if word.endswith("ent"):
        if _M_ABOVE_1.match(word[:-3]):
            word = word[:-3]
    elif word.endswith(("sion", "tion")) and _M_ABOVE_1.match(word[:-3]):
        word = word[:-3]
    return word


# -- the published algorithm and its extensions --------------------------------


def _shape(word: str) -> str:
    """One letter per letter: c for a consonant, v for a vowel.

    An initial y and a y after a vowel are consonants.
    """
    result = []
    previous = "v"
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and previous == "c")
        previous = "v" if vowel else "c"
        result.append(previous)
    return "".join(result)


class _Word:
    """The steps on one word; where variants differ, the options decide."""

    def __init__(self, variant: Variant) -> None:
        self.original = variant == "original"
        self.nltk = variant == "nltk"
        self.step_2 = dict(_STEP_2)
        if self.original:
            self.step_2["abli"] = "able"
        else:
            self.step_2 |= {"bli": "ble", "logi": "log"}
        if self.nltk:
            self.step_2["fulli"] = "ful"

    def stem(self, word: str) -> str:
        if self.nltk and word in _IRREGULAR:
            return _IRREGULAR[word]
        if not self.original and len(word) <= 2:
            return word
        word = self._plural(word)
        word = self._past(word)
        word = self._final_y(word)
        word = self._double_suffix(word)
        word = self._replace(word, _STEP_3)
        word = self._remove(word)
        return self._tidy(word)

    @staticmethod
    def _measure(word: str) -> int:
        return _shape(word).count("vc")

    def _short(self, word: str) -> bool:
        """Whether the word ends in consonant, vowel, consonant other than w, x, y."""
        shape = _shape(word)
        if shape.endswith("cvc") and word[-1] not in "wxy":
            return True
        return self.nltk and shape == "vc"

    def _plural(self, word: str) -> str:
        if self.nltk and word.endswith("ies") and len(word) == 4:
            return word[:-1]
        if word.endswith(("sses", "ies")):
            return word[:-2]
        if word.endswith("s") and not word.endswith("ss"):
            return word[:-1]
        return word

    def _past(self, word: str) -> str:
        if self.nltk and word.endswith("ied"):
            return word[:-1] if len(word) == 4 else word[:-2]
        if word.endswith("eed"):
            return word[:-1] if self._measure(word[:-3]) > 0 else word
        for suffix in ("ed", "ing"):
            rest = word[: -len(suffix)]
            if word.endswith(suffix) and "v" in _shape(rest):
                return self._restore(rest)
        return word

    def _restore(self, word: str) -> str:
        """Gives back what a removed -ed or -ing had changed."""
        if word.endswith(("at", "bl", "iz")):
            return word + "e"
        if len(word) > 1 and word[-1] == word[-2] and _shape(word)[-1] == "c":
            return word if word[-1] in "lsz" else word[:-1]
        if self._measure(word) == 1 and self._short(word):
            return word + "e"
        return word

    def _final_y(self, word: str) -> str:
        if not word.endswith("y"):
            return word
        rest = word[:-1]
        shape = _shape(rest)
        fits = len(rest) > 1 and shape[-1] == "c" if self.nltk else "v" in shape
        return rest + "i" if fits else word

    def _double_suffix(self, word: str) -> str:
        if self.nltk and word.endswith("alli") and self._measure(word[:-4]) > 0:
            return self._double_suffix(word[:-2])
        if self.nltk and word.endswith("logi"):
            # Counted with the l, which is part of the stem.
            return word[:-1] if self._measure(word[:-3]) > 0 else word
        return self._replace(word, self.step_2)

    def _replace(self, word: str, table: Mapping[str, str]) -> str:
        suffix = _longest_suffix(word, table)
        if suffix and self._measure(word[: -len(suffix)]) > 0:
            return word[: -len(suffix)] + table[suffix]
        return word

    def _remove(self, word: str) -> str:
        suffix = _longest_suffix(word, dict.fromkeys((*_STEP_4, "ion"), ""))
        if suffix is None:
            return word
        rest = word[: -len(suffix)]
        if self._measure(rest) > 1 and (suffix != "ion" or rest[-1:] in ("s", "t")):
            return rest
        return word

    def _tidy(self, word: str) -> str:
        if word.endswith("e"):
            measure = self._measure(word[:-1])
            if measure > 1 or (measure == 1 and not self._short(word[:-1])):
                word = word[:-1]
        if word.endswith("ll") and self._measure(word[:-1]) > 1:
            word = word[:-1]
        return word


# -- the kernel ----------------------------------------------------------------

_ENDINGS = [
    "", "s", "es", "ies", "ied", "ed", "eed", "ing", "y", "e", "ll", "lly", "ying", "sion", "ion",
    "abli", "bli", "logi", "fulli", "ment", "ent", "ement", "sses", "at", "bl", "iz",
    *_STEP_2, *_STEP_3, *_STEP_4, *_IRREGULAR,
]  # fmt: skip
_letters = st.text("aeiouybdlnstwxz", max_size=8)
_words = st.builds(lambda a, b, c: a + b + c, _letters, *[st.sampled_from(_ENDINGS)] * 2)


@settings(max_examples=drawn(1500))
@given(_words | st.text(max_size=12))
def test_the_kernel_follows_the_rules(word: str) -> None:
    for variant in get_args(Variant):
        assert by_kernel(word, variant) == stem(word, variant), variant
