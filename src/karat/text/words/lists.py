"""The word lists that come with the package; see data/NOTICE.md."""

from __future__ import annotations

import os
import zlib
from collections.abc import Mapping
from functools import cache

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
