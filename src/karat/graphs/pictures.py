"""Pictures of pairs, for pages that show what went wrong: both graphs in one."""

from __future__ import annotations

from karat.graphs.draw import laid_over
from karat.graphs.formats.amr import Amr
from karat.graphs.model import Graph

MOST_NODES = 150
"""A picture of more would not be readable."""


def of_pair(system: str | Graph, gold: str | Graph) -> str:
    """The two graphs in one, missing parts and surplus parts marked."""
    ours, theirs = _graph(system), _graph(gold)
    if max(len(ours.nodes), len(theirs.nodes)) > MOST_NODES:
        return ""
    return laid_over(theirs, ours)


def _graph(meaning: str | Graph) -> Graph:
    return meaning if isinstance(meaning, Graph) else Amr().of_text(meaning)
