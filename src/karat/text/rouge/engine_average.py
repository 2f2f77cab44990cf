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


def engine_average(ids: Sequence[str], scores: Array) -> tuple[Array, Array, Array]:
    """Average, lower and upper bound of each column of scores, rounded as printed.

    The engine sorts items as strings, and what is drawn depends on that order.
    """
    order = sorted(range(len(ids)), key=lambda i: (ids[i] + ".").encode("utf-8", "replace"))
    ordered = np.ascontiguousarray(scores[order], np.float64)
    table = np.sort(_native.perl_bootstrap_means(ordered, RESAMPLES), axis=0)
    # The engine adds up one by one, smallest first; numpy's own sum would go another way.
    average = np.cumsum(table, axis=0)[-1] / RESAMPLES
    return average, table[_LOW], table[_HIGH]
