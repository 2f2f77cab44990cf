"""UCCA passages in XML: a file, a list of files, or a folder of them."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import IO, Annotated, NamedTuple
from xml.etree.ElementTree import Element

from karat.core.files.opener import Source
from karat.core.format import Format
from karat.core.options import File
from karat.core.reading.items import Item
from karat.graphs.anchoring import in_sequence
from karat.graphs.errors import MOST_DIGITS, UnreadableGraph, cannot_hold
from karat.graphs.formats.amr import converted_id
from karat.graphs.formats.base import (
    CompanionFormat,
    broken_item,
    listed_files,
    parse_xml,
    xml_bytes,
    xml_files,
)
from karat.graphs.model import Anchor, Edge, Graph, Node, Token, is_false
from karat.graphs.normalize import Compat
from karat.graphs.ucca.passages import parse_passage

_REMOTE = (("remote",), (True,))
_SOMETHING = re.compile(rb"\S")
_END = b"</root>"


class Ucca(CompanionFormat):
    """Passages in the XML of the UCCA toolkit.

    The input is one passage, several one after the other, a list of file names
    (relative to the list), or a folder. Without companion text, the input is
    made of the terminals with blanks between them.
    """

    name = "ucca"
    folders = True
    holds = frozenset({"anchors"})
    properties = frozenset({"implicit"})

    text: Annotated[str, File(), "companion text to take the input and anchors from"] = ""
    prefix: Annotated[str, "put this before each passage id"] = ""
    full: Annotated[bool, "keep implicit units, with the property 'implicit'"] = False
    compat: Annotated[Compat | None, "no input and no anchors where there is no companion text"] = (
        None
    )

    @classmethod
    def recognizes(cls, head: str) -> bool:
        first = head.lstrip()
        return bool(re.match(r"(?:<\?xml[^>]*\?>\s*)?<root\s", first)) or bool(
            re.match(r"\S+\.xml\s*(?:\n|$)", first)
        )

    def graphs(self, source: Source) -> Iterator[Item]:
        for file, text, line in _passages(source):
            try:
                root = parse_xml(text, line)
            except UnreadableGraph as problem:
                yield broken_item(problem, file, line)
                continue
            name = self._name(root.get("passageID", ""))
            make = partial(self._graph, name, root)
            yield self.item(file, line, name, make, self.notices_of(name))

    def _name(self, written: str) -> str:
        name = converted_id(written)
        return self.prefix + written if name == written else name

    def _graph(self, name: str, root: Element) -> Graph:
        terminals, units = _layers(root)
        if not self.full:
            units = {key: unit for key, unit in units.items() if not unit.implicit}
        forms = [terminal.form for terminal in terminals.values()]
        text = self.companion_text(name)
        anchors: Sequence[Anchor | None]
        if text is not None:
            anchors = list(in_sequence(text, forms))
        elif self.compat:
            anchors = [None] * len(forms)
        else:
            text = " ".join(forms)
            anchors = list(_joined(forms))
        place = {key: position for position, key in enumerate(terminals)}
        order = _ordered(units, place)
        number = {key: i for i, key in enumerate(order)}
        edges = [
            (number[key], number[link.target], tag, link.remote)
            for key, unit in units.items()
            for link in unit.links
            if link.target in number
            for tag in link.tags
        ]
        entered = {target for _, target, _, _ in edges}
        return Graph(
            name,
            1,
            "ucca",
            input=text,
            tops=tuple(number[key] for key in units if number[key] not in entered),
            nodes=tuple(
                _node(i, units[key], [anchors[place[each]] for each in units[key].terminals])
                for i, key in enumerate(order)
            ),
            edges=tuple(
                Edge(source, target, tag or None, i, None, *(_REMOTE if remote else ()))
                for i, (source, target, tag, remote) in enumerate(_distinct(edges))
            ),
            tokens=tuple(
                Token(each.form, pos="PUNCT" if each.punctuation else None)
                for each in terminals.values()
            ),
        )

    def write(self, values: Iterable[Graph], stream: IO[bytes]) -> None:
        for graph in self.told(values):
            stream.write(xml_bytes(graph, passage(graph)) + b"\n")

    def losses(self, graph: Graph) -> Iterator[str]:
        yield from super().losses(graph)
        if {node.id for node in graph.nodes if not graph.incoming[node.id]} != {*graph.tops}:
            yield "have tops that are not the units without parents, as in XML"


Key = tuple[int, int]


class _Terminal(NamedTuple):
    form: str
    punctuation: bool


class _Link(NamedTuple):
    target: Key
    tags: list[str]
    remote: bool


class _Unit(NamedTuple):
    links: list[_Link]
    terminals: list[Key]
    implicit: bool


def _passages(source: Source) -> Iterator[tuple[Source, bytes, int]]:
    """Each passage's file, XML and first line."""
    if source.is_folder:
        for file in xml_files(source):
            yield from _split(file, file.content())
        return
    data = source.content()
    if data.removeprefix(codecs.BOM_UTF8).lstrip()[:1] == b"<":
        yield from _split(source, data)
        return
    for _, listed in listed_files(source, source.lines()):
        yield from _split(listed, listed.content())


def _split(source: Source, data: bytes) -> Iterator[tuple[Source, bytes, int]]:
    """The bytes up to each end of a root; the parser sees to their encoding."""
    begin, line = 0, 1
    while match := _SOMETHING.search(data, begin):
        end = data.find(_END, begin) + len(_END)
        if end < len(_END):
            end = len(data)
        line += data.count(b"\n", begin, match.start())
        yield source, data[match.start() : end], line
        line += data.count(b"\n", match.start(), end)
        begin = end


def _key(text: str | None) -> Key:
    layer, _, number = (text or "").partition(".")
    if not (layer.isdecimal() and number.isdecimal() and len(text or "") <= MOST_DIGITS):
        raise UnreadableGraph(
            f"{(text or '')[:40]!r} is not a unit id, expected layer.number", code="K129"
        )
    return int(layer), int(number)


def _layers(root: Element) -> tuple[dict[Key, _Terminal], dict[Key, _Unit]]:
    """The terminals in order, and the units in the order of their ids."""
    terminals: dict[Key, _Terminal] = {}
    units: dict[Key, _Unit] = {}
    for layer in root.iter("layer"):
        for node in layer.iter("node"):
            key = _key(node.get("ID"))
            attributes = _attributes(node)
            if key in terminals or key in units:
                raise UnreadableGraph(f"the unit {node.get('ID')} occurs twice", code="K129")
            if layer.get("layerID") == "0":
                punctuation = node.get("type") == "Punctuation"
                terminals[key] = _Terminal(attributes.get("text", ""), punctuation)
            elif node.get("type") != "LKG":
                units[key] = _unit(node, attributes.get("implicit", "").lower() == "true")
    for key, unit in units.items():
        for target in unit.terminals:
            if target in units:
                raise UnreadableGraph(
                    f"unit {key[0]}.{key[1]} has an edge of the type Terminal to "
                    f"{target[0]}.{target[1]}, which is not a terminal",
                    code="K129",
                )
        for target in (*unit.terminals, *(link.target for link in unit.links)):
            if target not in terminals and target not in units:
                raise UnreadableGraph(
                    f"unit {key[0]}.{key[1]} has an edge to {target[0]}.{target[1]}, "
                    "which is not there",
                    code="K123",
                )
    return dict(sorted(terminals.items())), dict(sorted(units.items()))


def _attributes(element: Element) -> dict[str, str]:
    found = element.find("attributes")
    return {} if found is None else dict(found.attrib)


def _unit(node: Element, implicit: bool) -> _Unit:
    links, terminals = [], []
    for edge in node.iter("edge"):
        target = _key(edge.get("toID"))
        tags = [each.get("tag", "") for each in edge.iter("category")] or [edge.get("type", "")]
        if "Terminal" in tags:
            terminals.append(target)
        tags = [tag for tag in tags if tag != "Terminal"]
        if tags:
            remote = _attributes(edge).get("remote", "").lower() == "true"
            links.append(_Link(target, tags, remote))
    return _Unit(sorted(links, key=lambda link: link.target), sorted(terminals), implicit)


def _ordered(units: dict[Key, _Unit], place: dict[Key, int]) -> list[Key]:
    """Units with terminals in the order of these, then the others by what they cover."""
    holders: dict[Key, list[Key]] = {}
    for key, unit in units.items():
        for terminal in unit.terminals:
            holders.setdefault(terminal, []).append(key)
    first = list(dict.fromkeys(key for terminal in place for key in holders.get(terminal, ())))
    held = set(first)
    covered = _extents(units, place)
    rest = sorted((key for key in units if key not in held), key=lambda key: (*covered[key], key))
    return first + rest


def _extents(units: dict[Key, _Unit], place: dict[Key, int]) -> dict[Key, tuple[int, int]]:
    """The first and last terminal under each unit over primary edges; cycles do no harm."""
    low = {key: min((place[t] for t in u.terminals), default=-1) for key, u in units.items()}
    high = {key: max((place[t] for t in u.terminals), default=-1) for key, u in units.items()}
    parents: dict[Key, list[Key]] = {}
    for key, unit in units.items():
        for link in unit.links:
            if not link.remote and link.target in units:
                parents.setdefault(link.target, []).append(key)
    waiting = [key for key in units if high[key] >= 0]
    while waiting:
        key = waiting.pop()
        for parent in parents.get(key, ()):
            lowest = low[key] if low[parent] < 0 else min(low[parent], low[key])
            highest = max(high[parent], high[key])
            if (lowest, highest) != (low[parent], high[parent]):
                low[parent], high[parent] = lowest, highest
                waiting.append(parent)
    return {key: (low[key], high[key]) for key in units}


def _node(number: int, unit: _Unit, anchors: Sequence[Anchor | None]) -> Node:
    there = tuple(anchor for anchor in anchors if anchor is not None)
    if unit.implicit:
        return Node(number, None, ("implicit",), (True,), there)
    return Node(number, anchors=there)


def _joined(forms: Sequence[str]) -> Iterator[Anchor]:
    cursor = 0
    for form in forms:
        yield Anchor(cursor, cursor + len(form))
        cursor += len(form) + 1


def _distinct(edges: Iterable[tuple[int, int, str, bool]]) -> Iterator[tuple[int, int, str, bool]]:
    """Of edges with the same ends and label, the first."""
    seen: set[tuple[int, int, str]] = set()
    for edge in edges:
        if edge[:3] not in seen:
            seen.add(edge[:3])
            yield edge


class PassageXml(Format):
    """One passage, a list of file names, one a line, relative to the list, or a folder."""

    name = "ucca-xml"
    kind = "passage"
    folders = True

    @classmethod
    def recognizes(cls, head: str) -> bool:
        first = head.lstrip().partition("\n")[0].strip()
        return first.startswith("<") or first.endswith(".xml")

    def read(self, source: Source) -> Iterator[Item]:
        if source.is_folder:
            for number, file in enumerate(xml_files(source), 1):
                yield self._item(file, number)
            return
        if source.head().lstrip().startswith(b"<"):
            yield self._item(source, 1)
            return
        for number, listed in listed_files(source, source.lines()):
            yield self._item(listed, number)

    def _item(self, source: Source, line: int) -> Item:
        try:
            passage = parse_passage(source.content())
        except UnreadableGraph as problem:
            return broken_item(problem, source, line)
        self.warnings.extend(passage.notes)
        return Item(passage, (passage.id,), line)


def passage(graph: Graph) -> str:
    """The passage with one unit per node; terminals are the distinct anchors."""
    if graph.input is None and graph.is_anchored:
        raise cannot_hold(graph, "UCCA", "it has anchors but no input")
    anchors = sorted({anchor for node in graph.nodes for anchor in node.anchors})
    if graph.input and not anchors:
        raise cannot_hold(graph, "UCCA", "nothing in it is anchored, and its input would be lost")
    terminal = {anchor: i for i, anchor in enumerate(anchors, 1)}
    marks = {
        anchor
        for edge in graph.edges
        if (edge.label or "").upper() == "U"
        for anchor in graph.node_of[edge.target].anchors
    }
    lines = [
        f'<root passageID={_attribute(graph.id)} annotationID="0">',
        "  <attributes />",
        '  <layer layerID="0">',
        "    <attributes />",
    ]
    for anchor, number in terminal.items():
        form = _attribute((graph.input or "")[anchor.start : anchor.end])
        lines += [
            f'    <node ID="0.{number}" type="{"Punctuation" if anchor in marks else "Word"}">',
            f'      <attributes text={form} paragraph="1" paragraph_position="{number}" />',
            "    </node>",
        ]
    lines += ["  </layer>", '  <layer layerID="1">', "    <attributes />"]
    units = _numbered(graph)
    for node, number in units.items():
        lines += _unit_lines(graph, node, number, units, terminal)
    return "\n".join([*lines, "  </layer>", "</root>"])


def _numbered(graph: Graph) -> dict[int, int]:
    """The units breadth first from those without primary parents, tops before others."""
    roots = [
        node.id for node in graph.nodes if all(edge.is_remote for edge in graph.incoming[node.id])
    ]
    queue = [*graph.tops, *(root for root in roots if root not in graph.tops)]
    units: dict[int, int] = {}
    # A cycle has no root: what is not reached starts a tree of its own.
    for start in (*queue, *(node.id for node in graph.nodes)):
        if start in units:
            continue
        level = [start]
        while level:
            following = []
            for node in level:
                if node not in units:
                    units[node] = len(units) + 1
                    following += sorted(
                        {edge.target for edge in graph.outgoing[node] if not edge.is_remote}
                    )
            level = following
    return units


def _unit_lines(
    graph: Graph, node: int, number: int, units: dict[int, int], terminal: dict[Anchor, int]
) -> list[str]:
    implicit = graph.node_of[node].property("implicit")
    shown = ' implicit="True"' if implicit is not None and not is_false(implicit) else ""
    lines = [f'    <node ID="1.{number}" type="FN">', f"      <attributes{shown} />"]
    for anchor in graph.node_of[node].anchors:
        lines += _edge(f"0.{terminal[anchor]}", ["Terminal"], False)
    children: dict[tuple[bool, int], list[Edge]] = {}
    for edge in graph.outgoing[node]:
        children.setdefault((edge.is_remote, edge.target), []).append(edge)
    for (remote, target), edges in sorted(
        children.items(), key=lambda item: (units[item[0][1]], item[0][0])
    ):
        tags = sorted(edge.label or "" for edge in edges)
        lines += _edge(f"1.{units[target]}", tags, remote)
    return [*lines, "    </node>"]


def _edge(target: str, tags: list[str], remote: bool) -> list[str]:
    return [
        f'      <edge toID="{target}" type={_attribute(tags[0])}>',
        f"        <attributes{' remote=' + chr(34) + 'True' + chr(34) if remote else ''} />",
        *(f"        <category tag={_attribute(tag)} />" for tag in tags),
        "      </edge>",
    ]


def _attribute(text: str) -> str:
    """A value in quotes, with what XML needs escaped."""
    from xml.sax.saxutils import quoteattr  # loads much that only writing needs

    return quoteattr(text)
