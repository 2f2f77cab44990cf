"""The checks of `karat validate`, on graphs as MRP records, so that nothing is fixed before.

By them, graphs are also told to be fit for a format of another framework.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeGuard, get_args

import msgspec

from karat.core.assigning import Groups
from karat.errors import FormatError, Place
from karat.graphs.formats.mrp import as_record
from karat.graphs.model import FLAVORS, Graph, is_false

if TYPE_CHECKING:
    from karat.core.pairing.pairs import Report

Check: TypeAlias = Literal["input", "anchors", "edges", "amr", "eds", "sdp", "ucca"]
CHECKS: tuple[Check, ...] = get_args(Check)
Record: TypeAlias = dict[str, Any]

_OF_THE_TASKS = frozenset(("ccd", "dm", "pas", "psd", "ptg", "ud", "eds", "ucca", "amr", "drg"))
_BILEXICAL = frozenset(("ccd", "dm", "pas", "psd"))
_CATEGORIES = frozenset("HAPSDGCEFNRTQLU")


def check_record(record: Record, checks: Collection[Check]) -> Iterator[Finding]:
    """Everything that is wrong with one graph."""
    nodes, edges = _dicts(record.get("nodes")), _dicts(record.get("edges"))
    yield from _header(record)
    yield from _identifiers(nodes)
    text = record.get("input")
    if "input" in checks and not (isinstance(text, str) and text):
        yield Finding("input", "missing or invalid 'input' property")
    if "anchors" in checks and isinstance(text, str) and text:
        yield from _anchors(nodes, edges, len(text))
    if "edges" in checks:
        yield from _edges(record, nodes, edges)
    framework = _text(record.get("framework"))
    if framework == "eds" and "eds" in checks:
        yield from _eds(nodes, "anchors" in checks)
    elif framework == "ucca" and "ucca" in checks:
        yield from _ucca(nodes, edges)
    elif framework == "amr" and "amr" in checks:
        yield from _amr(record, nodes, edges)
    elif framework in _BILEXICAL and "sdp" in checks:
        yield from _sdp(nodes, isinstance(text, str))


def _listed(values: Any) -> list[Any]:
    """A list as it is; that anything else stands in its place is said by `_header` and others."""
    return values if isinstance(values, list) else []


def _dicts(values: Any) -> list[Record]:
    return [each for each in _listed(values) if isinstance(each, dict)]


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _key(value: Any) -> Any:
    """An id to look up; in a file anything may stand in its place."""
    return value if isinstance(value, (int, str)) or value is None else repr(value)


def _no_lists(record: Record, names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for name in names:
        if record.get(name) is not None and not isinstance(record[name], list):
            yield name, f"{name!r} must be a list"


def _is_int(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_label(record: Record) -> bool:
    return isinstance(record.get("label"), str) and bool(record["label"])


def _ends(edge: Record) -> tuple[Any, Any, Any]:
    return edge.get("source"), edge.get("target"), edge.get("label")


def _header(record: Record) -> Iterator[Finding]:
    name, flavor = record.get("id"), record.get("flavor")
    framework = _text(record.get("framework"))
    if not (isinstance(name, str) and name):
        yield Finding("id", "missing or invalid 'id' property")
    good_flavor = _is_int(flavor) and flavor in (0, 1, 2)
    if not good_flavor:
        yield Finding("flavor", "missing or invalid 'flavor' property")
    if framework not in _OF_THE_TASKS:
        known = framework in FLAVORS
        yield Finding(
            "framework",
            "missing or invalid 'framework' property"
            + (f": {framework!r} is not of the MRP tasks" if known else ""),
            level="warning" if known else "error",
        )
    elif good_flavor and FLAVORS[str(framework)] != flavor:
        yield Finding("flavor", f"invalid Flavor ({flavor}) framework: {framework!r}")
    for key, problem in _no_lists(record, ("nodes", "edges", "tops")):
        yield Finding(key, problem)


def _identifiers(nodes: list[Record]) -> Iterator[Finding]:
    seen: set[Any] = set()
    for node in nodes:
        number = node.get("id")
        if not _is_int(number):
            yield Finding("nodes", "invalid identifier", node=number)
        elif number in seen:
            yield Finding("nodes", "another node has the same id", node=number)
        else:
            seen.add(number)
        for _, problem in _no_lists(node, ("properties", "values", "anchors", "anchorings")):
            yield Finding("nodes", problem, node=number)
        if len(_listed(node.get("properties"))) != len(_listed(node.get("values"))):
            yield Finding("nodes", "unaligned 'properties' vs. 'values'", node=number)


def _anchors(nodes: list[Record], edges: list[Record], length: int) -> Iterator[Finding]:
    for node in nodes:
        for anchors in (node.get("anchors"), *_listed(node.get("anchorings"))):
            for anchor in _misfits(anchors, length):
                yield Finding("anchors", f"invalid anchor: {anchor}", node=node.get("id"))
    for edge in edges:
        for anchor in _misfits(edge.get("anchors"), length):
            yield Finding("anchors", f"invalid anchor: {anchor}", edge=_ends(edge))


def _misfits(anchors: Any, length: int) -> list[Any]:
    return [each for each in _listed(anchors) if not _fits(each, length)]


def _fits(anchor: Any, length: int) -> bool:
    if not isinstance(anchor, dict):
        return False
    start, end = anchor.get("from"), anchor.get("to")
    return _is_int(start) and _is_int(end) and 0 <= start <= end <= length


def _edges(record: Record, nodes: list[Record], edges: list[Record]) -> Iterator[Finding]:
    ids = {node.get("id") for node in nodes if _is_int(node.get("id"))}
    for top in _listed(record.get("tops")):
        if _is_int(top) and top not in ids:
            yield Finding("edges", f"top {top} is not a node")
    seen: set[Any] = set()
    for edge in edges:
        ends = _ends(edge)
        for name, end in (("source", ends[0]), ("target", ends[1])):
            if not _is_int(end) or end not in ids:
                yield Finding("edges", f"invalid {name}", edge=ends)
        for _, problem in _no_lists(edge, ("attributes", "properties", "values", "anchors")):
            yield Finding("edges", problem, edge=ends)
        attributes = _listed(edge.get("attributes") or edge.get("properties"))
        if len(attributes) != len(_listed(edge.get("values"))):
            yield Finding("edges", "unaligned 'attributes' vs. 'values'", edge=ends)
        key = repr(ends)
        if key in seen:
            yield Finding("edges", "another edge has the same ends and label", edge=ends)
        seen.add(key)


def _eds(nodes: list[Record], anchors: bool) -> Iterator[Finding]:
    for node in nodes:
        number = node.get("id")
        if not _is_label(node):
            yield Finding("eds", "missing or invalid label", node=number)
        if not anchors:
            continue
        there = node.get("anchors")
        if not isinstance(there, list):
            yield Finding("eds", "missing or invalid anchoring", node=number)
        elif not (
            len(there) == 1
            and isinstance(there[0], dict)
            and "from" in there[0]
            and "to" in there[0]
        ):
            yield Finding("eds", f"invalid 'anchors' value: {there}", node=number)


def _is_remote(edge: Record) -> bool:
    names = _listed(edge.get("attributes") or edge.get("properties"))
    values = _listed(edge.get("values"))
    return any(
        name == "remote" and not is_false(value) for name, value in zip(names, values, strict=False)
    )


def _ucca(nodes: list[Record], edges: list[Record]) -> Iterator[Finding]:
    primary: dict[Any, list[Record]] = {}
    remote: dict[Any, list[Record]] = {}
    leading = {_key(edge.get("source")) for edge in edges}
    for edge in edges:
        ends = _ends(edge)
        if not _is_label(edge):
            yield Finding("ucca", "missing or invalid label", edge=ends)
        elif edge["label"].upper() not in _CATEGORIES:
            yield Finding("ucca", "edge label is not a UCCA category", edge=ends)
        if ends[0] == ends[1]:
            yield Finding("ucca", "loop edge", edge=ends)
        (remote if _is_remote(edge) else primary).setdefault(_key(ends[1]), []).append(edge)
    # Of nodes with the same id, edges mean the first.
    known: set[Any] = set()
    roots: list[Any] = []
    for node in nodes:
        number = _key(node.get("id"))
        first = number not in known
        known.add(number)
        parents = {_key(edge.get("source")) for edge in primary.get(number, ())} if first else set()
        if len(parents) > 1:
            edge = primary[number][-1]
            yield Finding(
                "ucca", "multiple primary parents for node", node=number, edge=_ends(edge)
            )
        if not parents:
            roots.append(number)
        implicit = "implicit" in _listed(node.get("properties"))
        leaf = number not in leading or not first
        if leaf and not node.get("anchors") and not implicit:
            yield Finding("ucca", "unanchored non-implicit node", node=number)
    if nodes and not roots:
        yield Finding("ucca", "no roots in graph")
    elif len(roots) > 1:
        yield Finding("ucca", "multiple roots in graph", node=roots[0])
    elif roots and roots[0] in remote:
        edge = remote[roots[0]][0]
        yield Finding("ucca", "root has remote parents", node=roots[0], edge=_ends(edge))


def _amr(record: Record, nodes: list[Record], edges: list[Record]) -> Iterator[Finding]:
    tops = _listed(record.get("tops"))
    if nodes and len(tops) != 1:
        yield Finding("amr", f"there are {len(tops)} tops, expected one")
    for node in nodes:
        if not _is_label(node):
            yield Finding("amr", "missing or invalid label", node=node.get("id"))
    for edge in edges:
        if not _is_label(edge):
            yield Finding("amr", "missing or invalid label", edge=_ends(edge))
    pieces = _pieces([node.get("id") for node in nodes], edges)
    if pieces > 1:
        yield Finding("amr", f"the graph falls into {pieces} parts")


def _pieces(ids: list[Any], edges: list[Record]) -> int:
    known = {repr(each) for each in ids}
    joined = Groups(known)
    for edge in edges:
        source, target = repr(edge.get("source")), repr(edge.get("target"))
        if source in known and target in known:
            joined.join(source, target)
    return len({joined.leader(each) for each in known})


def _sdp(nodes: list[Record], has_input: bool) -> Iterator[Finding]:
    last = -1
    for node in nodes:
        number = node.get("id")
        if not _is_label(node):
            yield Finding("sdp", "missing or invalid label", node=number)
        if not has_input:
            continue
        there = [each for each in _listed(node.get("anchors")) if _fits(each, 1 << 60)]
        if not there:
            yield Finding("sdp", "missing or invalid anchoring", node=number)
            continue
        if min(each["from"] for each in there) < last:
            yield Finding(
                "sdp", "the anchor begins before that of the node before it ends", node=number
            )
        last = max(each["to"] for each in there)


Level: TypeAlias = Literal["error", "warning"]


class Finding(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing that is not as it should be."""

    check: str
    message: str
    graph: str = ""
    level: Level = "error"
    file: str = ""
    line: int = 0
    node: Any = None
    edge: tuple[Any, Any, Any] | None = None

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        parts = [f"graph {self.graph!r}"] if self.graph or self.check != "line" else []
        if self.node is not None:
            parts.append(f"node {self.node}")
        if self.edge is not None:
            source, target, label = self.edge
            parts.append(f"edge {source} -> {target} ({label})")
        where = ", ".join(parts)
        return f"{place}: {self.level} [{self.check}]: {where}{': ' if where else ''}{self.message}"


# -- graphs for formats of other frameworks ------------------------------------------------------


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
