"""Similarities of concepts from a file: two concepts and a number on each line."""

from __future__ import annotations

from functools import lru_cache

from karat.core.files.opener import Source
from karat.errors import FormatError, Place
from karat.graphs.amr.triples import folded

Similarities = dict[tuple[str, str], float]


@lru_cache(maxsize=2)
def load_similarities(path: str) -> Similarities:
    """The similarity of each two concepts, in both orders; the file is read once."""
    source = Source(path)
    result: Similarities = {}
    for number, line in source.lines():
        if not line.strip():
            continue
        one, other, similarity = _row(line, Place(source.name, number))
        if result.get((one, other), similarity) != similarity:
            raise FormatError(
                f"{one!r} and {other!r} had the similarity {result[one, other]:g} before",
                code="K144",
                place=Place(source.name, number),
            )
        result[one, other] = result[other, one] = similarity
    return result


def _row(line: str, place: Place) -> tuple[str, str, float]:
    fields = line.split()
    try:
        one, other = (folded(each) for each in fields[:2])
        similarity = float(fields[2])
    except (ValueError, IndexError):
        similarity = -1.0
    if len(fields) != 3 or not 0 <= similarity <= 1:
        raise FormatError(
            f"found {line.strip()[:60]!r}, expected two concepts and a number from 0 to 1",
            code="K144",
            place=place,
        )
    if one == other and similarity != 1:
        raise FormatError(
            f"the concept {one!r} is equal to itself: its similarity is 1", code="K144", place=place
        )
    return one, other, similarity
