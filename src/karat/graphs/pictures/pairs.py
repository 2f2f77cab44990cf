"""Pictures of pairs, for pages that show what went wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from karat.graphs.formats.amr import Amr
from karat.graphs.model import Graph
from karat.graphs.pictures.layout import LEGEND, Heading, heading_of, overlaid, side_by_side
from karat.graphs.pictures.marked import MarkedGraph, Part, Side

MOST_NODES = 150
"""A picture of more would not be readable."""
_COMMENT = re.compile(r"# *::(id|snt) +(\S.*)")


def in_one(found: MarkedGraph, gold: object) -> str:
    """Both graphs in one, with the marks of a metric's explanation."""
    if len(found.nodes) > MOST_NODES:
        return ""
    return overlaid(found, _heading(gold))


def apart(system: str, gold: str, explanation: Mapping[str, Any]) -> str:
    """Both graphs as they are, and below them what an explanation lists as missing and surplus."""
    ours, theirs = _graph(system), _graph(gold)
    if max(len(ours.nodes), len(theirs.nodes)) > MOST_NODES:
        return ""
    sides: tuple[Side, Side] = ("missing", "surplus")
    listed = [
        (Part([row, each], "beside", (), f"{row}: {_text(each)}"), side)
        for row, found in explanation.items()
        for side in sides
        for each in found.get(side, ())
    ]
    return side_by_side(theirs, ours, beside=listed)


def _heading(gold: object) -> Heading:
    if isinstance(gold, Graph):
        return heading_of(gold, LEGEND)
    told = dict(_COMMENT.findall(gold)) if isinstance(gold, str) else {}
    title = " · ".join(part for part in (LEGEND, told.get("id", "").split(" ")[0]) if part)
    return Heading(title, told.get("snt", ""))


def _text(each: Any) -> str:
    return " ".join(map(str, each)) if isinstance(each, (list, tuple)) else str(each)


def _graph(meaning: str | Graph) -> Graph:
    return meaning if isinstance(meaning, Graph) else Amr().of_text(meaning)
