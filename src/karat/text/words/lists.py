"""The word lists that come with the package; see data/NOTICE.md."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from functools import cache
from importlib.resources import files


def _lines(name: str) -> list[str]:
    packed = files("karat.text").joinpath("data", name).read_bytes()
    return gzip.decompress(packed).decode().splitlines()


@cache
def smart_stopwords() -> frozenset[str]:
    """The SMART stop list of ROUGE-1.5.5."""
    return frozenset(_lines("smart-stopwords.txt.gz"))


@cache
def wordnet_exceptions() -> Mapping[str, str]:
    """Irregular forms and their base forms, as ROUGE-1.5.5 reads them."""
    return dict(line.split("\t") for line in _lines("wordnet20-exceptions.tsv.gz"))
