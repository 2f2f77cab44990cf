"""Tokens as numbers, which is how kernels take them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt


class Codes(dict[str, int]):
    """A number for each token, the next free one for a new token."""

    def __missing__(self, token: str) -> int:
        number = self[token] = len(self)
        return number


def numbered(
    texts: Iterable[Sequence[str]], codes: dict[str, int]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Tokens as numbers, one text after the other, and where each begins.

    `codes` takes up the new tokens; `Codes` are the fastest kind of it.

    >>> numbered([["a", "b"], ["b"]], Codes())
    (array([0, 1, 1], dtype=int32), array([0, 2, 3]))
    """
    known = codes if isinstance(codes, Codes) else Codes(codes)
    flat: list[int] = []
    offsets = [0]
    for tokens in texts:
        flat.extend(map(known.__getitem__, tokens))
        offsets.append(len(flat))
    if known is not codes:
        codes.update(known)
    return np.array(flat, np.int32), np.array(offsets, np.int64)


def characters(texts: Sequence[str]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Characters as small numbers, one text after the other, and where each begins."""
    points = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
    present = np.zeros(int(points.max(initial=0)) + 1, np.int32)
    present[points] = 1
    ranks = np.cumsum(present, dtype=np.int32) - 1
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) for text in texts], out=offsets[1:])
    return np.ascontiguousarray(ranks[points]), offsets
