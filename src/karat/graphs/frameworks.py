"""Graphs of one framework in a format of another: those that break its rules are refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from karat.core.pairing import Report
from karat.errors import FormatError, Place
from karat.graphs.analysis.checks import Check, check_record
from karat.graphs.formats.mrp import as_record
from karat.graphs.model import Graph

_SDP: tuple[Check, ...] = ("sdp",)
_FORMATS: dict[str, tuple[str, int, tuple[Check, ...]]] = {
    "amr": ("amr", 2, ("amr",)),
    "camr": ("amr", 2, ("amr",)),
    "eds": ("eds", 1, ("eds", "anchors")),
    "ucca": ("ucca", 1, ("ucca",)),
    "dm": ("dm", 0, _SDP),
    "psd": ("psd", 0, _SDP),
    "pas": ("pas", 0, _SDP),
    "ccd": ("ccd", 0, _SDP),
    "pmb": ("drg", 2, ()),
    "treex": ("ptg", 1, ()),
    "ud": ("ud", 0, ()),
    "eud": ("eud", 0, ()),
    "norec": ("norec", 1, ()),
}
"""The framework that a format stands for, its flavor, and the checks of its rules."""


def fitting(graphs: Iterable[Graph], format: str, report: Report) -> Iterator[Graph]:
    """The graphs that a format can hold as graphs of its own framework.

    What is wrong with a graph of that framework to begin with stays as it is.
    """
    if format not in _FORMATS:
        yield from graphs
        return
    framework, flavor, checks = _FORMATS[format]
    seen: dict[str, tuple[str | None, str | None]] = {}
    for graph in graphs:
        problem = _clash(graph, seen)
        if not problem and graph.framework != framework:
            problem = _broken_rule(graph, framework, flavor, checks)
        if not problem:
            yield graph
            continue
        report.broken(
            FormatError(
                f"this graph cannot be written as {format}: {problem}",
                code="K126",
                place=Place(item=graph.id),
                advice="``on_error='skip'`` leaves such graphs out, ``framework`` chooses those to "
                "convert, ``unchecked=True`` writes them all the same",
            )
        )


def _clash(graph: Graph, seen: dict[str, tuple[str | None, str | None]]) -> str:
    """Graphs with one id are no longer told apart where framework and language are not written."""
    own = graph.framework, graph.language
    other = seen.setdefault(graph.id, own)
    if other == own:
        return ""
    shown = " and ".join(filter(None, other)) or "none"
    return f"another graph with the same id comes before it (framework and language: {shown})"


def _broken_rule(graph: Graph, framework: str, flavor: int, checks: tuple[Check, ...]) -> str:
    record: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(as_record(graph)))
    record |= {"framework": framework, "flavor": flavor}
    found = [
        finding
        for finding in check_record(record, checks)
        if finding.check in checks and finding.level == "error"
    ]
    if not found:
        return ""
    first = found[0]
    where = "" if first.node is None else f"node {first.node}: "
    if first.edge is not None:
        source, target, label = first.edge
        where = f"edge {source} -> {target} ({label}): "
    return where + first.message
