"""MRP: one graph per line as a JSON object, versions 0.9 to 1.1.

A line is decoded straight into the values of the model. Only lines that hold
what older tools wrote (null for nothing, numbers as ids, `properties` of edges)
take the longer way of being put right first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Annotated, Any

import msgspec

from karat.core.files.notations import doubled_key
from karat.core.files.opener import Source
from karat.core.format import LineFormat, Part
from karat.core.options import File, Range
from karat.core.reading.items import Item, Key
from karat.errors import OptionError
from karat.graphs.anchoring import CompanionText, reanchored
from karat.graphs.errors import UnreadableGraph
from karat.graphs.formats.base import GraphFormat, broken_item, item_of
from karat.graphs.model import Anchor, Edge, Graph, Node

OUTDATED = "spell edge attributes 'properties', as before version 1.0"
TWICE = "have edges twice, the first of each counts"
DOUBLED = "have a key twice in one object, the last counts"
SAME_ID = "have nodes with the same id, later ones got a fresh one"
UNKNOWN = "name nodes that are not there, which were added without content"


_WITH_HOUR = r"(\d{4}-\d\d-\d\d) \(\d\d?:\d\d\)"


class _Record(msgspec.Struct):
    id: str
    flavor: int | None = None
    framework: str | None = None
    version: float | None = None
    time: str | None = None
    language: str | None = None
    source: str | None = None
    provenance: str | None = None
    targets: tuple[str, ...] | None = None
    input: str | None = None
    tops: tuple[int, ...] | None = None
    nodes: tuple[Node, ...] | None = None
    edges: tuple[Edge, ...] | None = None


class _Name(msgspec.Struct):
    """The fields that identify a graph."""

    id: str
    framework: str | None = None
    language: str | None = None


_decode = msgspec.json.Decoder(_Record).decode
_decode_name = msgspec.json.Decoder(_Name).decode
_decode_anything = msgspec.json.Decoder().decode


class Mrp(GraphFormat, LineFormat):
    """The interchange format of the MRP shared tasks, as JSON lines.

    Of edges with the same ends and label, the first is kept.
    """

    name = "mrp"
    writing = frozenset({"version"})
    blank_lines = "skipped"

    robust: Annotated[
        bool, "keep edges and tops that name an unknown node, as a node without content"
    ] = False
    text: Annotated[str, File(), "companion text to move the graphs to, anchors included"] = ""
    inverse: Annotated[
        bool, "take the ids from the companion text, by input, and leave the rest alone"
    ] = False
    version: Annotated[float, Range(0.9), "the version to state when writing"] = 1.1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.inverse and (not self.text):
            raise OptionError("``inverse`` needs ``text``", code="K303")
        self.companion = CompanionText(self.text) if self.text else None
        self.names = self.companion.inverted() if self.companion and self.inverse else None

    @classmethod
    def recognizes(cls, head: str) -> bool:
        first = head.lstrip().partition("\n")[0]
        return first.startswith("{") and '"id"' in first

    def read(self, source: Source) -> Iterator[Item]:
        return LineFormat.read(self, source)

    graphs = read

    @property
    def cuts(self) -> bool:
        # What is injected, or taken from a companion text, may change the keys.
        return not self.inject and self.companion is None

    def name_items(self, part: Part, file: str) -> None:
        refs = part.refs
        refs.keys, refs.fields = [], []
        for row, data in enumerate(part.data()):
            key: Key | None
            try:
                name = _decode_name(data)
                key = (name.id, name.framework, name.language)
            except (msgspec.DecodeError, RecursionError):
                key = _key_of(data)
                if key is None:
                    item = self.parse_line(data.decode(), int(refs.line[row]), file)
                    key = item.key
                    if item.error is not None:
                        refs.errors[row] = item.error
            refs.keys.append(key)
            refs.fields.append({"framework": key[1]} if key and key[1] is not None else {})

    def parse_line(self, text: str, line: int, file: str) -> Item:
        try:
            graph, notices = decode(text, self.robust)
        except UnreadableGraph as problem:
            return broken_item(problem, file, line, _key_of(text))
        if self.names is not None and graph.input in self.names:
            graph = msgspec.structs.replace(graph, id=self.names[graph.input])
        elif self.companion is not None and self.names is None:
            graph = self._moved(graph, notices)
        return item_of(graph, line, tuple(notices))

    def _moved(self, graph: Graph, notices: list[str]) -> Graph:
        assert self.companion is not None
        text = self.companion.get(graph.id)
        if text is None:
            notices.append("have no companion text (left unchanged)")
            return graph
        if graph.input is None or text == graph.input:
            return msgspec.structs.replace(graph, input=text)
        moved, lost = reanchored(graph, text)
        if lost:
            notices.append("have anchors whose text is not in the companion text; they are gone")
        return moved

    def write(self, values: Iterable[Graph], stream: IO[bytes]) -> None:
        for graph in values:
            stream.write(encode(graph, self.version) + b"\n")


# -- reading ------------------------------------------------------------------


def decode(line: str, robust: bool = False) -> tuple[Graph, list[str]]:
    """The graph on a line, and what had to be put right about it."""
    notices: list[str] = []
    try:
        edges_begin = line.find('"edges"')
        outdated = edges_begin >= 0 and line.find('"properties"', edges_begin) >= 0
        record = None if outdated else _decode(line)
    except (msgspec.DecodeError, RecursionError):
        record = None
    if record is None:
        record = _fixed(line, notices)
    if doubled_key(line):
        notices.append(DOUBLED)
    return _checked(record, robust, notices), notices


def _fixed(line: str, notices: list[str]) -> _Record:
    """A record from a line that is not quite what the format asks for."""
    try:
        record = _decode_anything(line)
    except msgspec.DecodeError as error:
        raise UnreadableGraph(f"this is not JSON: {error}", code="K120") from None
    except RecursionError:
        raise UnreadableGraph("this JSON is nested too deeply", code="K120") from None
    if not isinstance(record, dict):
        raise UnreadableGraph(f"expected a JSON object, found {str(record)[:40]!r}", code="K120")
    record = _without_nulls(record)
    if isinstance(record.get("id"), int):
        record["id"] = str(record["id"])
    version = record.get("version")
    if isinstance(version, str):
        try:
            record["version"] = float(version)
        except ValueError:
            del record["version"]
    if record.get("flavor") == -1:
        _place_by_tokens(record)
    for node in _dicts(record.get("nodes")):
        _fix_label(node)
    outdated = False
    for edge in _dicts(record.get("edges")):
        _fix_label(edge)
        if "properties" in edge and "attributes" not in edge:
            edge["attributes"] = edge.pop("properties")
            outdated = True
    if outdated:
        notices.append(OUTDATED)
    try:
        return msgspec.convert(record, _Record)
    except msgspec.ValidationError as error:
        raise UnreadableGraph(_plain(str(error)), code="K121") from None


def _plain(message: str) -> str:
    """A message of the decoder as a sentence of karat's: the path first."""
    what, _, path = message.partition(" - at ")
    what = what[:1].lower() + what[1:]
    return f"{path.strip('`')}: {what}" if path else what


def _without_nulls(record: dict[str, Any]) -> dict[str, Any]:
    for name in ("nodes", "edges"):
        part = record.get(name)
        if isinstance(part, list):
            record[name] = [
                {k: v for k, v in each.items() if v is not None} if isinstance(each, dict) else each
                for each in part
            ]
    return {name: value for name, value in record.items() if value is not None}


def _dicts(values: Any) -> list[dict[str, Any]]:
    return [each for each in values if isinstance(each, dict)] if isinstance(values, list) else []


def _fix_label(record: dict[str, Any]) -> None:
    label = record.get("label")
    if isinstance(label, (int, float)) and not isinstance(label, bool):
        record["label"] = str(label)
    if isinstance(record.get("anchorings"), list):
        record["anchorings"] = [each or [] for each in record["anchorings"]]


def _place_by_tokens(record: dict[str, Any]) -> None:
    """Token numbers of an overlay become spans of tokens; its edges have no ends."""
    for each in (*_dicts(record.get("nodes")), *_dicts(record.get("edges"))):
        lists = [each.get("anchors"), *(each.get("anchorings") or ())]
        for anchor in (anchor for one in lists for anchor in _dicts(one)):
            if isinstance(token := anchor.pop("#", None), int):
                anchor |= {"from": token, "to": token + 1}
    for edge in _dicts(record.get("edges")):
        edge.setdefault("source", -1)
        edge.setdefault("target", -1)


def _checked(record: _Record, robust: bool, notices: list[str]) -> Graph:
    nodes, tops = record.nodes or (), tuple(dict.fromkeys(record.tops or ()))
    ids = {node.id for node in nodes}
    if len(ids) != len(nodes):
        nodes = _renumbered(nodes, ids)
        notices.append(SAME_ID)
    unknown: dict[int, None] = {top: None for top in tops if top not in ids}
    if unknown and not robust:
        raise UnreadableGraph(f"top {next(iter(unknown))} is not a node", code="K123")
    edges: list[Edge] = []
    seen: set[tuple[int, int, str | None]] = set()
    overlay = record.flavor == -1
    for edge in record.edges or ():
        source, target, label = edge.source, edge.target, edge.label or None
        if not (source in ids and target in ids) and not overlay:
            if not robust:
                end = source if source not in ids else target
                raise UnreadableGraph(
                    f"edge {source} -> {target} ({label}): {end} is not a node",
                    code="K123",
                    advice="fix it, or keep such edges with ``robust=True``",
                )
            unknown |= {end: None for end in (source, target) if end not in ids}
        key = (source, target, label)
        if key in seen and not overlay:
            continue
        seen.add(key)
        if edge.id is None or label is not edge.label:
            number = len(edges) if edge.id is None else edge.id
            edge = msgspec.structs.replace(edge, label=label, id=number)
        edges.append(edge)
    if unknown:
        nodes = (*nodes, *map(Node, unknown))
        notices.append(UNKNOWN)
    if len(edges) != len(record.edges or ()):
        notices.append(TWICE)
    return Graph(
        record.id,
        record.flavor,
        record.framework,
        record.version,
        record.time,
        record.language,
        record.source,
        record.provenance,
        record.targets or (),
        record.input,
        tops,
        nodes,
        tuple(edges),
    )


def _renumbered(nodes: Sequence[Node], ids: set[int]) -> tuple[Node, ...]:
    """Later nodes with an id that is taken get a fresh one; edges mean the first."""
    seen: set[int] = set()
    fresh = max(ids)
    result = []
    for node in nodes:
        if node.id in seen:
            fresh += 1
            node = msgspec.structs.replace(node, id=fresh)
        seen.add(node.id)
        result.append(node)
    return tuple(result)


def _key_of(line: str | bytes) -> Key | None:
    """The key of a graph that cannot be read as a whole, where that much is there."""
    try:
        record = _decode_anything(line)
    except (msgspec.DecodeError, RecursionError):
        return None
    if not isinstance(record, dict) or not isinstance(record.get("id"), (str, int)):
        return None
    framework, language = record.get("framework"), record.get("language")
    return (
        str(record["id"]),
        framework if isinstance(framework, str) else None,
        language if isinstance(language, str) else None,
    )


# -- writing ------------------------------------------------------------------


def encode(graph: Graph, version: float = 1.1) -> bytes:
    """The graph as one line of MRP, without the line's end."""
    return msgspec.json.encode(as_record(graph, version))


def as_record(graph: Graph, version: float = 1.1) -> dict[str, Any]:
    """The JSON object of a graph: keys in the order of the format, nothing empty."""
    overlay = graph.flavor == -1
    record = {
        "id": graph.id,
        "flavor": graph.flavor,
        "framework": graph.framework,
        "version": version,
        "time": _date(graph.time, version),
        "language": graph.language,
        "source": graph.source,
        "provenance": graph.provenance,
        "targets": graph.targets or None,
        "input": graph.input,
        "tops": graph.tops or None,
        "nodes": [_node_record(node, overlay) for node in graph.nodes] or None,
        "edges": [
            _edge_record(edge, overlay)
            for edge in sorted(graph.edges, key=lambda edge: -1 if edge.id is None else edge.id)
        ]
        or None,
    }
    return {
        name: value for name, value in record.items() if value not in (None, "") or name == "id"
    }


def _date(time: str | None, version: float) -> str | None:
    """When a graph was made; only version 0.9 states the hour beside the day."""
    if time is None or version < 1:
        return time
    match = re.fullmatch(_WITH_HOUR, time)
    return match[1] if match else time


def _node_record(node: Node, overlay: bool) -> dict[str, Any]:
    record: dict[str, Any] = {"id": node.id}
    if node.label:
        record["label"] = node.label
    if node.properties:
        record["properties"] = node.properties
        if node.values:
            record["values"] = node.values
    if node.anchorings:
        record["anchorings"] = [_anchors(each, overlay) for each in node.anchorings]
    if node.anchors:
        record["anchors"] = _anchors(node.anchors, overlay)
    return record


def _edge_record(edge: Edge, overlay: bool) -> dict[str, Any]:
    record: dict[str, Any] = {} if edge.id is None else {"id": edge.id}
    if not overlay:
        record |= {"source": edge.source, "target": edge.target}
    if edge.label is not None:
        record["label"] = edge.label
    if edge.normal is not None:
        record["normal"] = edge.normal
    if edge.attributes:
        record["attributes"] = edge.attributes
        record["values"] = edge.values
    if edge.anchors:
        record["anchors"] = _anchors(edge.anchors, overlay)
    return record


def _anchors(anchors: Iterable[Anchor], overlay: bool) -> list[Any]:
    if not overlay:
        return list(anchors)
    return [{"#": token} for each in anchors for token in range(each.start, each.end)]
