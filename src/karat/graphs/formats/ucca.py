"""UCCA passages in XML: a file, a list of files, or a folder of them."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import IO, TYPE_CHECKING, Annotated, Any

from karat.core.files.opener import Source
from karat.core.format import Format
from karat.core.options import File
from karat.core.reading.items import Item
from karat.graphs.anchoring import in_sequence
from karat.graphs.errors import UnreadableGraph, cannot_hold, parse_xml
from karat.graphs.formats.amr import converted_id
from karat.graphs.formats.base import (
    CompanionFormat,
    broken_item,
    listed_files,
    node_of,
    xml_bytes,
    xml_files,
)
from karat.graphs.model import Anchor, Edge, Graph, Token, is_false
from karat.graphs.normalize import Compat
from karat.graphs.ucca.passages import TERMINAL, Unit, UnitId, read_passage

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

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
    attributes = frozenset({"remote"})

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
        for file, text, line in _documents(source):
            try:
                root, line_of = parse_xml(text, line)
            except UnreadableGraph as problem:
                yield broken_item(problem, file, line)
                continue
            name = self._name(root.get("passageID", ""))
            make = partial(self._graph, name, root, line_of)
            yield self.item(file, line, name, make, self.notices_of(name))

    def _name(self, written: str) -> str:
        name = converted_id(written)
        return self.prefix + written if name == written else name

    def _graph(self, name: str, root: Element, line_of: Callable[[Element], int]) -> Graph:
        passage = read_passage(root, line_of)
        terminals = passage.terminals
        units = [
            unit
            for key, unit in sorted(passage.units.items())
            if key[0] and unit.tag != "LKG" and (self.full or not unit.implicit)
        ]
        forms = [terminal.text for terminal in terminals]
        text = self.companion_text(name)
        anchors: Iterable[Anchor] = ()
        if text is not None:
            anchors = in_sequence(text, forms)
        elif not self.compat:
            text = " ".join(forms)
            anchors = _joined(forms)
        anchor_of = {each.id: anchor for each, anchor in zip(terminals, anchors, strict=False)}
        held = {unit.id: _held(unit) for unit in units}
        place = {unit: i for i, unit in enumerate(units)}
        parents = [
            [
                place[link.parent]
                for link in unit.parents
                if not link.remote and link.parent in place
            ]
            for unit in units
        ]
        order = [units[i] for i in _in_order(list(held.values()), parents)]
        number = {unit.id: i for i, unit in enumerate(order)}
        edges: dict[tuple[int, int, str | None], bool] = {}
        for unit in units:
            for link in unit.children:
                for tag in link.categories or [""]:
                    if tag != TERMINAL and link.child.id in number:
                        ends = number[unit.id], number[link.child.id]
                        edges.setdefault((*ends, tag or None), link.remote)
        entered = {target for _, target, _ in edges}
        return Graph(
            name,
            1,
            "ucca",
            input=text,
            tops=tuple(number[unit.id] for unit in units if number[unit.id] not in entered),
            nodes=tuple(
                node_of(
                    i,
                    None,
                    [("implicit", True)] if unit.implicit else [],
                    tuple(anchor_of[each] for each in held[unit.id] if each in anchor_of),
                )
                for i, unit in enumerate(order)
            ),
            edges=tuple(
                Edge(*edge, i, None, *(_REMOTE if remote else ()))
                for i, (edge, remote) in enumerate(edges.items())
            ),
            tokens=tuple(
                Token(each.text, pos="PUNCT" if each.tag == "Punctuation" else None)
                for each in terminals
            ),
        )

    def write(self, values: Iterable[Graph], stream: IO[bytes]) -> None:
        for graph in self.told(values):
            stream.write(xml_bytes(graph, passage(graph)) + b"\n")

    def losses(self, graph: Graph) -> Iterator[str]:
        yield from super().losses(graph)
        if {node.id for node in graph.nodes if not graph.incoming[node.id]} != {*graph.tops}:
            yield "have tops that are not the units without parents, as in XML"
        if _uncovered(graph):
            yield "have words that no node is anchored to, which are not written as ucca"


def _uncovered(graph: Graph) -> bool:
    """Whether there is text, other than blanks, outside of all anchors."""
    text, cursor = graph.input or "", 0
    for anchor in sorted(anchor for node in graph.nodes for anchor in node.anchors):
        if text[cursor : anchor.start].strip():
            return True
        cursor = max(cursor, anchor.end)
    return bool(text[cursor:].strip())


def _documents(source: Source) -> Iterator[tuple[Source, bytes, int]]:
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


def _held(unit: Unit) -> list[UnitId]:
    """The terminals of a unit."""
    found = [link.child.id for link in unit.children if TERMINAL in link.categories]
    for layer, number in found:
        if layer:
            raise UnreadableGraph(
                f"unit {unit.id[0]}.{unit.id[1]} has an edge of the type Terminal to "
                f"{layer}.{number}, which is not a terminal",
                code="K129",
            )
    return found


def _in_order(held: Sequence[Sequence[Any]], parents: Sequence[Sequence[int]]) -> list[int]:
    """The places of units: those with terminals in the order of these, others by what they cover.

    `held` are the terminals of each unit, `parents` the places of the units that primary edges
    lead from.
    """
    first = sorted((terminal, i) for i, own in enumerate(held) for terminal in own)
    rank = {terminal: i for i, (terminal, _) in enumerate(first)}
    places = [(rank[terminal], i) for terminal, i in first]
    low, high = _first_below(parents, places), _first_below(parents, places[::-1])
    with_terminals = dict.fromkeys(i for _, i in first)
    rest = (i for i in range(len(held)) if i not in with_terminals)
    return [*with_terminals, *sorted(rest, key=lambda i: (low[i], high[i]))]


def _first_below(
    parents: Sequence[Sequence[int]], terminals: Iterable[tuple[int, int]]
) -> list[int]:
    """Of terminals in some order, with the places of their units, the first below each unit.

    Cycles do no harm; -1 where there is none.
    """
    result = [-1] * len(parents)
    for terminal, place in terminals:
        waiting = [place]
        while waiting:
            unit = waiting.pop()
            if result[unit] < 0:
                result[unit] = terminal
                waiting += parents[unit]
    return result


def _joined(forms: Sequence[str]) -> Iterator[Anchor]:
    cursor = 0
    for form in forms:
        yield Anchor(cursor, cursor + len(form))
        cursor += len(form) + 1


class PassageXml(Format):
    """Passages in one file, in those of a list, relative to it, or in those of a folder."""

    name = "ucca-xml"
    kind = "passage"
    folders = True

    @classmethod
    def recognizes(cls, head: str) -> bool:
        first = head.lstrip().partition("\n")[0].strip()
        return first.startswith("<") or first.endswith(".xml")

    def read(self, source: Source) -> Iterator[Item]:
        for file, data, line in _documents(source):
            try:
                found = read_passage(*parse_xml(data, line)).checked()
            except UnreadableGraph as problem:
                yield broken_item(problem, file, line)
                continue
            self.warnings.extend(found.notes)
            yield Item(found, (found.id,), line)


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
    units = _numbered(graph, terminal)
    for node, number in units.items():
        lines += _unit_lines(graph, node, number, units, terminal)
    return "\n".join([*lines, "  </layer>", "</root>"])


def _numbered(graph: Graph, terminal: Mapping[Anchor, int]) -> dict[int, int]:
    """The units breadth first from those without primary parents, tops before others.

    Units side by side are in the order of readers, so that these find the same numbers.
    """
    place = {node.id: i for i, node in enumerate(graph.nodes)}
    parents = [
        [place[edge.source] for edge in graph.incoming[node] if not edge.is_remote]
        for node in place
    ]
    held = [[terminal[anchor] for anchor in node.anchors] for node in graph.nodes]
    order = [graph.nodes[i].id for i in _in_order(held, parents)]
    rank = {node: i for i, node in enumerate(order)}
    roots = [node for node in order if not parents[place[node]]]
    units: dict[int, int] = {}
    # A cycle has no root: what is not reached starts a tree of its own.
    for start in (*graph.tops, *roots, *order):
        level = [start]
        for node in level:
            if node not in units:
                units[node] = len(units) + 1
                below = {edge.target for edge in graph.outgoing[node] if not edge.is_remote}
                level += sorted(below, key=rank.__getitem__)
    return units


def _unit_lines(
    graph: Graph, node: int, number: int, units: dict[int, int], terminal: dict[Anchor, int]
) -> list[str]:
    implicit = graph.node_of[node].property("implicit")
    shown = ' implicit="True"' if implicit is not None and not is_false(implicit) else ""
    lines = [f'    <node ID="1.{number}" type="FN">', f"      <attributes{shown} />"]
    for held in sorted(terminal[anchor] for anchor in graph.node_of[node].anchors):
        lines += _edge(f"0.{held}", [TERMINAL], False)
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
