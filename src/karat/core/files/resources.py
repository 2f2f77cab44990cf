"""Resources that are not part of the package: the folder of them, and word vectors."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from karat.core.files.opener import Source
from karat.errors import FormatError, Place, counted


def home() -> Path:
    """The folder of resources: the variable KARAT_HOME, else ``.karat`` in the user's home."""
    return Path(os.environ.get("KARAT_HOME") or Path.home() / ".karat")


def metric_folder(metric: str) -> Path:
    """The folder of the resources of one metric; it need not exist."""
    return home() / "metrics" / metric


Vector = npt.NDArray[np.float64]
_LARGEST = 1e100
"""The square of a larger number is infinite, and so is the length of its vector."""


class WordVectors:
    """The vectors of a file; words are looked up in lower case."""

    def __init__(self, path: str) -> None:
        self._vectors: dict[str, Vector] = {}
        source = Source(path)
        size = 0
        for number, line in source.lines():
            if not line.strip():
                continue
            word, *figures = line.split()
            if number == 1 and len(figures) == 1:
                continue  # the header of word2vec: how many, and how long
            if size and len(figures) != size:
                raise FormatError(
                    f"the vector of {word!r} has {counted(len(figures), 'number')}, not {size}",
                    code="K119",
                    place=Place(source.name, number),
                )
            size = len(figures)
            try:
                vector = np.array(figures, np.float64)
                if not size:
                    raise ValueError("there are none")
                if not np.abs(vector).max() <= _LARGEST:
                    raise ValueError("one is not finite, or above 1e100")
            except ValueError as error:
                raise FormatError(
                    f"the vector of {word!r} is not made of numbers: {error}",
                    code="K119",
                    place=Place(source.name, number),
                ) from None
            self._vectors.setdefault(word.lower(), vector)
        if not self._vectors:
            raise FormatError("there are no vectors", code="K119", place=Place(source.name))

    def cosine(self, one: str, other: str) -> float:
        """The cosine of the angle between two words; 0 where one has no vector."""
        first, second = self.sum_of([one]), self.sum_of([other])
        return float(first @ second) if first is not None and second is not None else 0.0

    def sum_of(self, words: Iterable[str]) -> Vector | None:
        """The sum of the vectors of words, as a direction; None where one has no vector."""
        vectors = [self._vectors.get(word) for word in words]
        known = [vector for vector in vectors if vector is not None]
        if not known or len(known) != len(vectors):
            return None
        total = np.sum(known, axis=0)
        length = float(np.linalg.norm(total))
        return np.asarray(total / length) if length else None


@lru_cache(maxsize=2)
def load_vectors(path: str) -> WordVectors:
    """The vectors of a file, read once."""
    return WordVectors(path)
