"""The Porter stemmer (Porter 1980) in the variants that published figures depend on.

- ``original``: as published, as NLTK's mode of that name.
- ``martin``: with Porter's own later departures; SIMetrix uses it.
- ``nltk``: NLTK's default with its extensions; rouge-score uses it.
- ``1.5.5``: the engine of ROUGE-1.5.5, whose fourth step cascades.

All work on lower-case words and take time linear in the length of the word.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import Literal

from karat import _native

Variant = Literal["original", "martin", "nltk", "1.5.5"]
_UTF_32 = "utf-32-le" if sys.byteorder == "little" else "utf-32-be"


def stem(word: str, variant: Variant = "martin") -> str:
    """The stem of a lower-case word.

    >>> stem("departmental", "1.5.5"), stem("departmental", "nltk")
    ('depart', 'department')
    """
    found = _native.porter_stem(word.encode(_UTF_32, "surrogatepass"), variant)
    return found.decode(_UTF_32, "surrogatepass")


@lru_cache(maxsize=1 << 17)
def martin_stem(word: str) -> str:
    """The stem of a lower-case word in the variant ``martin``; words seen lately are kept."""
    return stem(word, "martin")
