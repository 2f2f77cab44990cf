"""smatch++ on PENMAN notation without going through Python's values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.graphs.amr.statements import Style, edges_of_concepts
from karat.graphs.amr.text_matching import matched_tables
from karat.graphs.matching.solver import DEFAULT_BUDGET, Kind, Matchings


def match_standardized(
    golds: Sequence[str],
    systems: Sequence[str],
    kinds: Sequence[Kind],
    *,
    style: Style = "amr",
    as_tool: bool = False,
    budget: int = DEFAULT_BUDGET,
) -> tuple[npt.NDArray[np.bool_], Matchings]:
    """Which pairs are plain enough, and the matchings of all, after standardising the graphs.

    >>> texts = ["(d / dog :mod (b / big))"], ["(b / big :domain (d / dog))"]
    >>> plain, found = match_standardized(*texts, [Kind()] * 3)
    >>> plain.tolist(), found.value.tolist(), found.counts.sum(axis=2).tolist()
    ([True], [3], [[4, 4, 3]])
    """
    found = _native.standardized_triples(
        list(golds),
        list(systems),
        style=style,
        as_tool=as_tool,
        reifications=[(concept, *edge) for concept, edge in edges_of_concepts(as_tool).items()],
    )
    return matched_tables(found, kinds, budget)
