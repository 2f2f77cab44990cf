"""Smatch and smatch++ on PENMAN notation, by native code alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.graphs.amr.rules import REIFICATIONS
from karat.graphs.amr.statements import Style, edges_of_concepts
from karat.graphs.amr.triples import Top
from karat.graphs.matching.solver import (
    DEFAULT_BUDGET,
    DEFAULT_TIE_BUDGET,
    Climb,
    Kind,
    Matchings,
    graph_pairs,
    match_flat,
)


def match_penman(
    golds: Sequence[str],
    systems: Sequence[str],
    kinds: Sequence[Kind],
    *,
    top: Top = "constant",
    budget: int = DEFAULT_BUDGET,
    climb: Climb | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[np.bool_], Matchings]:
    """Which pairs are plain enough, and the matchings of all; those of others say nothing.

    >>> plain, found = match_penman(["(d / dog)"], ["(c / dog :quant 2)"], [Kind()] * 3)
    >>> plain.tolist(), found.value.tolist()
    ([True], [2])
    """
    found = _native.penman_triples(list(golds), list(systems), top_is_concept=top == "concept")
    return matched_tables(found, kinds, budget, climb, threads)


def matched_tables(
    found: tuple[Any, ...],
    kinds: Sequence[Kind],
    budget: int,
    climb: Climb | None = None,
    threads: int = 1,
    tie_budget: int = DEFAULT_TIE_BUDGET,
) -> tuple[npt.NDArray[np.bool_], Matchings]:
    """The matchings of the tables of triples that a native reader gives."""
    plain, nodes, gold, system = found
    count = len(plain)
    below = np.empty((0, 2), np.int32), np.zeros(count + 1, np.int64)
    pairs = graph_pairs(nodes, [0] * count, (*gold, *below), (*system, *below), kinds)
    matchings = match_flat(
        pairs, nodes[:, 0].tolist(),
        budget=budget, tie_budget=tie_budget, climb=climb, threads=threads,
    )  # fmt: skip
    return plain.astype(np.bool_), matchings


def match_standardized(
    golds: Sequence[str],
    systems: Sequence[str],
    kinds: Sequence[Kind],
    *,
    style: Style = "amr",
    as_tool: bool = False,
    reify: bool = False,
    budget: int = DEFAULT_BUDGET,
    tie_budget: int = DEFAULT_TIE_BUDGET,
    threads: int = 1,
) -> tuple[npt.NDArray[np.bool_], Matchings]:
    """Which pairs are plain enough, and the matchings of all, after standardising the graphs.

    With `reify`, edges whose role has a concept of its own become nodes.

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
        reifications=reifications(as_tool),
        reified=[
            (concept, role, first, second)
            for role, (concept, first, second) in (REIFICATIONS if reify else {}).items()
        ],
    )
    return matched_tables(found, kinds, budget, threads=threads, tie_budget=tie_budget)


def reifications(as_tool: bool = False) -> list[tuple[str, str, str, str]]:
    """Concepts that stand for a role, as kernels take them."""
    return [(concept, *edge) for concept, edge in edges_of_concepts(as_tool).items()]
