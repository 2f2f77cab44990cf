"""Pictures of pairs, for pages that show what went wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from karat.core.metric import Explanation
from karat.graphs.model import Graph
from karat.graphs.pictures.marked import MarkedGraph, Part, Side

if TYPE_CHECKING:
    from karat.graphs.pictures.layout import Heading

# What lays out and draws is imported where a picture is made: few runs make one.

MOST_NODES = 150
"""A picture of more would not be readable."""
_COMMENT = re.compile(r"# *::(id|snt) +(\S.*)")


class DrawsGraphs:
    """For metrics whose explanations say which parts of both graphs are missing and surplus."""

    def overlay(self, system: Any, gold: Any, explanation: Explanation) -> MarkedGraph:
        """Gold's parts and the system's, marked as an explanation of this metric says."""
        raise TypeError(f"{type(self).__name__} has no overlay method")

    def picture(self, system: Any, gold: Any, explanation: Explanation) -> str:
        from karat.graphs.pictures.layout import overlaid

        found = self.overlay(system, gold, explanation)
        return overlaid(found, _heading(gold)) if len(found.nodes) <= MOST_NODES else ""


class DrawsApart:
    """For metrics of PENMAN texts that do not say which parts match: both graphs, unmarked.

    What an explanation lists as missing and surplus is written below them.
    """

    def picture(self, system: str, gold: str, explanation: Explanation) -> str:
        from karat.graphs.pictures.layout import side_by_side

        ours, theirs = _graph(system), _graph(gold)
        if max(len(ours.nodes), len(theirs.nodes)) > MOST_NODES:
            return ""
        return side_by_side(theirs, ours, beside=_listed(explanation))


def _listed(explanation: Mapping[str, Any]) -> list[tuple[Part, Side]]:
    sides: tuple[Side, Side] = ("missing", "surplus")
    return [
        (Part([row, each], "beside", (), f"{row}: {_text(each)}"), side)
        for row, found in explanation.items()
        for side in sides
        for each in found.get(side, ())
    ]


def _heading(gold: object) -> Heading:
    from karat.graphs.pictures.layout import LEGEND, Heading, heading_of

    if isinstance(gold, Graph):
        return heading_of(gold, LEGEND)
    told = dict(_COMMENT.findall(gold)) if isinstance(gold, str) else {}
    title = " · ".join(part for part in (LEGEND, told.get("id", "").split(" ")[0]) if part)
    return Heading(title, told.get("snt", ""))


def _text(each: Any) -> str:
    return " ".join(map(str, each)) if isinstance(each, (list, tuple)) else str(each)


def _graph(meaning: str | Graph) -> Graph:
    if isinstance(meaning, Graph):
        return meaning
    from karat.graphs.formats.amr import Amr

    return Amr().of_text(meaning)
