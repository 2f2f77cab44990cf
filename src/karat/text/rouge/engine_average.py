"""The "Average" and the 95 % interval that ROUGE-1.5.5 prints for a system.

The engine draws 1000 resamples with Perl's own random numbers; its average is
the mean of the resamples' means, not the mean of the items.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from karat import _native
from karat.core.scores import Array

RESAMPLES = 1000
_LOW, _HIGH = 25, 974
_BLOCK = 1 << 22


def engine_average(ids: Sequence[str], scores: Array) -> tuple[Array, Array, Array]:
    """Average, lower and upper bound of each column of scores, rounded as printed.

    The engine sorts items as strings, and what is drawn depends on that order.
    """
    order = sorted(range(len(ids)), key=lambda i: (ids[i] + ".").encode("utf-8", "replace"))
    ordered = scores[order]
    step = max(1, _BLOCK // max(1, len(ids)))
    means = []
    for first in range(0, RESAMPLES, step):
        weights = np.empty((min(step, RESAMPLES - first), len(ids)))
        _native.perl_bootstrap_weights(weights, first)
        means.append(weights @ ordered / len(ids))
    table = np.sort(np.concatenate(means), axis=0)
    return table.mean(axis=0), table[_LOW], table[_HIGH]
