"""Exact optimal transport: the least cost of turning one distribution into another."""

from __future__ import annotations

import numpy as np

from karat.core.scores import Array
from karat.errors import LimitExceeded, MissingExtra

_MOST_CELLS = 250_000


def transport_cost(supply: Array, demand: Array, costs: Array) -> float:
    """The cost of the best plan; both distributions have the same sum.

    The plan is the solution of a linear program, found by HiGHS.
    """
    try:
        from scipy.optimize import linprog
        from scipy.sparse import coo_array
    except ImportError:
        raise MissingExtra.package("scipy", "embedding", "moverscore") from None
    rows, columns = costs.shape
    if rows * columns > _MOST_CELLS:
        raise LimitExceeded(
            f"two texts of {rows} and {columns} words are too long for moverscore", code="K503"
        )
    cells = np.arange(rows * columns)
    places = np.concatenate([cells // columns, rows + cells % columns])
    constraints = coo_array(
        (np.ones(2 * len(cells)), (places, np.concatenate([cells, cells]))),
        shape=(rows + columns, len(cells)),
    ).tocsr()
    # One constraint follows from the others; left in, rounding could contradict it.
    amounts = np.concatenate([supply, demand])[:-1]
    solution = linprog(costs.ravel(), A_eq=constraints[:-1], b_eq=amounts, method="highs")
    return float(solution.fun)
