"""English: word lists, which come with the package (see data/NOTICE.md), and Porter's stemmer."""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Literal

from karat import _native

# importlib.resources and pathlib take longer to load than all the rest of ROUGE.
_FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), "data")
_GZIP = zlib.MAX_WBITS | 16


def _lines(name: str) -> list[str]:
    with open(os.path.join(_FOLDER, name), "rb") as stream:
        return zlib.decompress(stream.read(), _GZIP).decode().splitlines()


@cache
def smart_stopwords() -> frozenset[str]:
    """The SMART stop list of ROUGE-1.5.5."""
    return frozenset(_lines("smart-stopwords.txt.gz"))


@cache
def wordnet_exceptions() -> Mapping[str, str]:
    """Irregular forms and their base forms, as ROUGE-1.5.5 reads them."""
    return dict(line.split("\t") for line in _lines("wordnet20-exceptions.tsv.gz"))


Variant = Literal["original", "martin", "nltk", "1.5.5"]
"""The variants of the Porter stemmer (Porter 1980) that published figures depend on.

- ``original``: as published, as NLTK's mode of that name.
- ``martin``: with Porter's own later departures; SIMetrix uses it.
- ``nltk``: NLTK's default with its extensions; rouge-score uses it.
- ``1.5.5``: the engine of ROUGE-1.5.5, whose fourth step cascades.
"""
_UTF_32 = "utf-32-le" if sys.byteorder == "little" else "utf-32-be"


def stem(word: str, variant: Variant = "martin") -> str:
    """The stem of a lower-case word, in time linear in its length.

    >>> stem("departmental", "1.5.5"), stem("departmental", "nltk")
    ('depart', 'department')
    """
    found = _native.porter_stem(word.encode(_UTF_32, "surrogatepass"), variant)
    return found.decode(_UTF_32, "surrogatepass")


@lru_cache(maxsize=1 << 17)
def martin_stem(word: str) -> str:
    """The stem of a lower-case word in the variant ``martin``; words seen lately are kept."""
    return stem(word, "martin")
