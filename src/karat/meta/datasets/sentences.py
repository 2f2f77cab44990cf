"""English sentences in a line of text, by a rule that is written down.

The rule, word by word (a word is what stands between blanks):

1. A sentence ends with a word that ends in ``!`` or ``?``, or in a full stop, with or without
   quotes and brackets after it.
2. A full stop ends none where the word is a title (``Mr.``), or where the next word begins
   with a small letter and the word is an abbreviation (``Inc.``, or any with a full stop in
   it, such as ``U.S.``), a single letter, a number or an ellipsis, or where ``No.`` and the
   like stand before a number.
3. An abbreviation or a single letter also ends none before a capital, unless the next word is
   one that often begins sentences (``The``, ``But``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_TITLES = frozenset(
    (
        "adm", "brig", "capt", "cmdr", "col", "cpl", "det", "dr", "fr", "gen", "gov", "hon", "lt",
        "maj", "messrs", "mr", "mrs", "ms", "mt", "prof", "rep", "rev", "sen", "sens", "sgt",
        "sr", "st", "supt"
    )
)  # fmt: skip
_ABBREVIATIONS = frozenset(
    (
        "approx", "apr", "assn", "aug", "ave", "bros", "co", "corp", "cos", "ct", "dec", "dept",
        "dist", "est", "etc", "feb", "inc", "jan", "jr", "jul", "jun", "ltd", "mar", "nov", "oct",
        "sep", "sept", "viz", "vs"
    )
)  # fmt: skip
_NUMBERED = frozenset(("art", "fig", "no", "nos", "pp", "vol"))
_BEGINNINGS = frozenset(
    (
        "a", "after", "although", "an", "and", "as", "at", "before", "both", "but", "by",
        "despite", "during", "even", "for", "from", "he", "her", "his", "how", "however", "i",
        "if", "in", "it", "its", "last", "many", "meanwhile", "more", "most", "nevertheless",
        "on", "one", "our", "she", "since", "so", "some", "still", "such", "that", "the", "their",
        "then", "there", "these", "they", "this", "those", "to", "under", "we", "what", "when",
        "where", "while", "who", "with", "yesterday", "you"
    )
)  # fmt: skip
_CLOSING = "\"')]}\u2019\u201d\u00bb"
_OPENING = "\"'([{\u2018\u201c\u00ab`"
_ELLIPSIS = re.compile(r"\.{2,}|\u2026")


def sentences(text: str) -> list[str]:
    """The sentences of a line, in order; together they have all its words.

    >>> sentences('Mr. Smith of the U.S. Senate left. "Why?" she asked. It was 5 p.m. The end')
    ['Mr. Smith of the U.S. Senate left.', '"Why?"', 'she asked.', 'It was 5 p.m.', 'The end']
    """
    words = text.split()
    found: list[str] = []
    begin = 0
    for i, word in enumerate(words):
        following = words[i + 1] if i + 1 < len(words) else None
        if following is None or _ends(word, following.lstrip(_OPENING)):
            found.append(" ".join(words[begin : i + 1]))
            begin = i + 1
    return found


def sentences_of(lines: Iterable[str]) -> list[str]:
    """The sentences of lines: a sentence never goes over the end of a line."""
    return [sentence for line in lines for sentence in sentences(line)]


def _ends(word: str, following: str) -> bool:
    """Whether a sentence ends with a word before another one."""
    bare = word.rstrip(_CLOSING)
    if bare.endswith(("!", "?")):
        return True
    if _ELLIPSIS.search(bare[-3:]) and bare.endswith((".", "\u2026")):
        return not following[:1].islower()
    if not bare.endswith("."):
        return False
    stem = bare[:-1].lstrip(_OPENING).lower()
    if stem in _TITLES:
        return False
    if stem in _NUMBERED:
        return not following[:1].isdigit()
    if "." in stem or stem in _ABBREVIATIONS or (len(stem) == 1 and stem.isalpha()):
        return following[:1].isupper() and following.rstrip(".,;:!?").lower() in _BEGINNINGS
    return not (stem[-1:].isdigit() and following[:1].islower())
