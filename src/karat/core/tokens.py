"""Tokens as numbers, which is how kernels take them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt


def numbered(
    texts: Iterable[Sequence[str]], codes: dict[str, int]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Tokens as numbers, one text after the other, and where each begins.

    >>> numbered([["a", "b"], ["b"]], {})
    (array([0, 1, 1], dtype=int32), array([0, 2, 3]))
    """
    flat: list[int] = []
    offsets = [0]
    for tokens in texts:
        flat.extend([codes.setdefault(token, len(codes)) for token in tokens])
        offsets.append(len(flat))
    return np.array(flat, np.int32), np.array(offsets, np.int64)
