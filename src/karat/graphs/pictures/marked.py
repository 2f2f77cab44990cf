"""Two graphs in one: the parts of gold, and which of them are missing or surplus in the system's.

Which are is for a metric's explanation to say: nothing is compared here. `Records` are the
explanations of ``karat evaluate mrp --errors``: a line per item, or, as mtool writes them, one
object with framework and id outside; missing parts have gold ids, surplus ones system ids.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec

from karat.core.files.notations import NOT_JSON
from karat.core.files.opener import Source
from karat.errors import FormatError, Place
from karat.graphs.model import Edge, Graph
from karat.graphs.normalize import lowered, normalize

Side: TypeAlias = Literal["", "missing", "surplus"]
Look: TypeAlias = Literal["top", "label", "anchor", "property", "edge", "attribute", "beside"]


class Part(NamedTuple):
    """A label, property, edge … of one node, of two, or of none, and how it is drawn."""

    said: Any
    """How an explanation lists it, after the name of its list where there are several."""
    look: Look
    nodes: tuple[Hashable, ...]
    text: str
    edge: Hashable = None
    """The label of an edge, or of the edge that has an attribute."""
    key: Hashable = None
    """`said` as a value to look up, where it is known."""


class SystemNode(NamedTuple):
    """A node that only the system has."""

    number: int


class MarkedGraph:
    """The nodes and parts of both graphs, each with its mark.

    Nodes are known by gold's names. `partners` tells for nodes of the system which of gold they
    correspond to, and a node without partner is marked; where it is None, a node has the same name
    on both sides and no mark.
    """

    def __init__(
        self,
        nodes: Iterable[Hashable],
        parts: Iterable[Part],
        *,
        missing: Iterable[Part],
        surplus: Iterable[Part],
        partners: Mapping[Hashable, Hashable] | None,
        others: Iterable[Hashable] = (),
        words: Mapping[Hashable, str] | None = None,
    ) -> None:
        paired = None if partners is None else frozenset(partners.values())
        self.nodes: dict[Hashable, Side] = {
            node: "missing" if paired is not None and node not in paired else "" for node in nodes
        }
        self._names: dict[Hashable, Hashable] | None = None if partners is None else dict(partners)
        self.names: dict[Hashable, Hashable] = {node: node for node in self.nodes}
        """How nodes are called on their own side."""
        self.words = words or {}
        """The text that nodes are anchored to, in its order."""
        self._fresh = 0
        self.parts: list[tuple[Part, Side]] = []
        lost = [(key_of(part), part) for part in missing]
        left = Counter(key for key, _ in lost)
        if left:
            for part in parts:
                key = key_of(part)
                if key in left:
                    self.parts.append((part, "missing" if left[key] > 0 else ""))
                    left[key] -= 1
                else:
                    self.parts.append((part, ""))
        else:
            self.parts = [(part, "") for part in parts]
        for key, part in lost:
            # An explanation that was made from another reading of the graph is shown all the same.
            if left[key] > 0:
                left[key] -= 1
                self.parts.append((part, "missing"))
        for node in others:
            self._place(node)
        for part in surplus:
            here = part._replace(nodes=tuple(map(self._place, part.nodes)))
            self.parts.append((here, "surplus"))
        for part, _ in self.parts:
            for node in part.nodes:
                self.nodes.setdefault(node, "")

    def respell(self, gold: Mapping[str, str], system: Mapping[str, str]) -> None:
        """Gives labels the spelling of their own side, where comparing has changed their case."""
        if not gold and not system:
            return
        for i, (part, side) in enumerate(self.parts):
            text = _respelt(part.text, system if side == "surplus" else gold)
            if text != part.text:
                self.parts[i] = part._replace(text=text), side

    def _place(self, node: Hashable) -> Hashable:
        """The node of this graph that a node of the system is."""
        if self._names is None:
            self.nodes.setdefault(node, "")
            self.names.setdefault(node, node)
            return node
        if node not in self._names:
            fresh = self._names[node] = SystemNode(self._fresh)
            self._fresh += 1
            self.nodes[fresh] = "surplus"
            self.names[fresh] = node
        return self._names[node]

    @cached_property
    def _by_nodes(self) -> dict[tuple[Hashable, ...], list[tuple[Part, Side]]]:
        found: dict[tuple[Hashable, ...], list[tuple[Part, Side]]] = {}
        for each in self.parts:
            found.setdefault(each[0].nodes, []).append(each)
        return found

    def of_node(self, node: Hashable) -> Sequence[tuple[Part, Side]]:
        """The parts of one node."""
        return self._by_nodes.get((node,), ())

    def of(self, node: Hashable, *looks: Look) -> list[tuple[Part, Side]]:
        """The parts of one node that have one of these looks."""
        return [each for each in self.of_node(node) if each[0].look in looks]

    def edges(self) -> Iterator[tuple[Part, Side, list[tuple[Part, Side]]]]:
        """The edges, each with what is said of it beside its label."""
        for nodes, parts in self._by_nodes.items():
            if len(nodes) != 2:
                continue
            attributes = [each for each in parts if each[0].look == "attribute"]
            for part, side in parts:
                if part.look == "edge":
                    if not attributes:
                        yield part, side, []
                        continue
                    own = [each for each in attributes if each[0].edge == part.edge]
                    attributes = [each for each in attributes if each not in own]
                    yield part, side, own
            for part, side in attributes:
                yield part, side, []

    def beside(self) -> list[tuple[Part, Side]]:
        """The parts that belong to no node."""
        return [each for each in self.parts if not each[0].nodes]


def _respelt(text: str, spelling: Mapping[str, str]) -> str:
    """A label, or the name and the value of a property, as the file spells them."""
    if text in spelling:
        return spelling[text]
    if " " not in text:
        return text
    return " ".join(spelling.get(part, part) for part in text.split(" "))


def spelling_of(graph: object) -> dict[str, str]:
    """How a graph, or its PENMAN notation, spells its labels, by their lower case."""
    if isinstance(graph, str):
        words: list[Any] = re.findall(_PENMAN_WORD, graph)
    elif isinstance(graph, Graph):
        words = [
            word for node in graph.nodes for word in (node.label, *node.properties, *node.values)
        ]
        for edge in graph.edges:
            words += [edge.label, *edge.attributes, *edge.values]
    else:
        return {}
    found: dict[str, str] = {}
    for word in dict.fromkeys([word for word in words if word and isinstance(word, str)]):
        found.setdefault(word.lower(), word)
    # What is in lower case says nothing, unless it keeps its parts from being spelt by themselves.
    return {lower: word for lower, word in found.items() if lower != word or " " in word}


_PENMAN_WORD = r'(?<=")[^"\n]+(?=")|[^\s()/:"~]+'


_INTS = {int}


def frozen(said: Any) -> Hashable:
    """An entry of an explanation as a value to look up, the same before and after JSON."""
    if isinstance(said, (list, tuple)):
        if said and said[0].__class__ is int and set(map(type, said)) == _INTS:
            return str(list(said))  # the characters of an anchor, of which there are many
        return tuple([each if each.__class__ is str else frozen(each) for each in said])
    return str(said)


def key_of(part: Part) -> Hashable:
    """What an explanation says of a part, as a value to look up."""
    return part.key or frozen(part.said)


def chosen(parts: Sequence[Part], said: Iterable[Any]) -> list[Part]:
    """The parts that an explanation lists, as often as it does."""
    left = Counter(map(frozen, said))
    found = []
    for part in parts:
        key = key_of(part)
        if left[key] > 0:
            left[key] -= 1
            found.append(part)
    return found


def once(parts: Iterable[Part]) -> list[Part]:
    """The parts without repetitions, for metrics that count each once."""
    found: dict[Hashable, Part] = {}
    for part in parts:
        found.setdefault(key_of(part), part)
    return list(found.values())


Record: TypeAlias = dict[str, Any]


def overlay_of(
    gold: Graph, record: Record, others: Iterable[int] = (), *, words: bool = True
) -> MarkedGraph:
    """Gold, as it was compared, with the marks of a record; `others` are the system's nodes.

    Anchors are shown as the words that they cover, unless `words` is false.
    """
    text = gold.input if words else None
    return MarkedGraph(
        [node.id for node in gold.nodes],
        once(_parts(gold)),
        missing=[_anchored(part, text) for part in _listed(record, "missing")],
        surplus=[_anchored(part, text) for part in _listed(record, "surplus")],
        partners={theirs: mine for mine, theirs in record.get("correspondences", ())},
        others=others,
        words=words_of_nodes(gold),
    )


def as_compared(gold: Graph, record: Record) -> Graph:
    """A gold graph as a record from a file saw it: normalised, or as it is."""
    missing = {frozen(part.said) for part in _listed(record, "missing") if part.look != "anchor"}
    standard = normalize(gold)
    for graph in (standard, gold):
        if missing <= {frozen(part.said) for part in _parts(graph)}:
            return graph
    return standard


def covered_text(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The parts of a text that spans cover; … stands where there is more than blanks between.

    >>> covered_text("a big old dog", [(0, 1), (2, 5), (10, 13)])
    'a big … dog'
    """
    parts: list[str] = []
    last = None
    for begin, end in sorted(spans):
        if last is not None and not text[last:begin].strip():
            parts[-1] += text[last:begin] + text[max(begin, last) : end]
        else:
            parts.append(text[begin:end])
        last = end if last is None else max(last, end)
    return " … ".join(parts)


def _anchored(part: Part, text: str | None) -> Part:
    """An anchor as the words that it covers, where the text is known."""
    if part.look != "anchor" or text is None:
        return part
    return part._replace(text=anchor_text(part.said[1][1], text))


def anchor_text(places: Sequence[Any], text: str | None) -> str:
    """The words at characters or spans of a text, or these where it is not known."""
    if text is None or not places:
        return "{" + "\u2009".join(map(str, places)) + "}"
    spans = [(at, at + 1) if isinstance(at, int) else (at[0], at[1]) for at in places]
    return f"“{covered_text(text, spans)}”"


class _Covered(Mapping[Hashable, str]):
    """What nodes cover of a text, made when it is asked for."""

    def __init__(self, graph: Graph, text: str) -> None:
        anchored = [node for node in graph.nodes if node.anchors]
        anchored.sort(key=lambda node: min(each.start for each in node.anchors))
        self._anchors = {node.id: node.anchors for node in anchored}
        self._text = text

    def __getitem__(self, node: Hashable) -> str:
        anchors = self._anchors[node]  # type: ignore[index]
        return covered_text(self._text, [(each.start, each.end) for each in anchors])

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._anchors)

    def __len__(self) -> int:
        return len(self._anchors)


def words_of_nodes(graph: Graph) -> Mapping[Hashable, str]:
    """The text that nodes are anchored to, by their ids."""
    return {} if graph.input is None else _Covered(graph, graph.input)


def _parts(graph: Graph) -> Iterator[Part]:
    """All parts of a graph but anchors, which are drawn only where they differ."""
    for top in graph.tops:
        yield _part("tops", top)
    for node in graph.nodes:
        if node.label is not None:
            yield _part("labels", [node.id, node.label])
        for name, value in zip(node.properties, node.values, strict=False):
            yield _part("properties", [node.id, name, lowered(value)])
    for edge in graph.edges:
        ends = edge.source, edge.target
        yield _part("edges", [*ends, edge.label])
        for name, value in zip(edge.attributes, edge.values, strict=False):
            yield _part("attributes", [*ends, edge.label, name, value])


def _listed(record: Record, side: str) -> list[Part]:
    kinds = ((kind, record[kind]) for kind in _KINDS if kind in record)
    return [_part(kind, each) for kind, found in kinds for each in found.get(side, ())]


_KINDS = ("tops", "labels", "properties", "anchors", "edges", "attributes")


def _part(kind: str, each: Any) -> Part:
    """An entry of a record, or what would be one."""
    said = [kind, each]
    match kind, each:
        case "tops", top:
            return Part(said, "top", (top,), "top")
        case "labels", [node, label]:
            text = str(label)
            return Part(said, "label", (node,), text, None, (kind, (str(node), text)))
        case "properties", [node, name, value]:
            return Part(said, "property", (node,), f"{name} {value}")
        case "anchors", [node, places]:
            return Part(said, "anchor", (node,), anchor_text(places, None))
        case "edges", [source, target, label]:
            key = kind, (str(source), str(target), str(label))
            return Part(said, "edge", (source, target), label or "", label, key)
        case "attributes", [source, target, label, name, value]:
            return Part(said, "attribute", (source, target), attribute_text(name, value), label)
    raise FormatError(f"expected what ``errors`` writes of {kind}, found {each!r}", code="K120")


def with_normal(edge: Edge) -> str | None:
    """The label, with what it is once turned around.

    >>> with_normal(Edge(0, 1, "ARG0-of", normal="ARG0")), with_normal(Edge(0, 1, normal="mod"))
    ('(ARG0)-of', '(mod)')
    """
    if edge.normal is None:
        return edge.label
    if edge.label == f"{edge.normal}-of":
        return f"({edge.normal})-of"
    return f"{edge.label or ''} ({edge.normal})".strip()


def attribute_text(name: object, value: object) -> str:
    """An attribute of an edge, its value left out where that is true."""
    return str(name) if str(value).lower() == "true" else f"{name}={value}"


class Records:
    """The records of a file of errors by framework and id."""

    def __init__(self, path: str) -> None:
        source = Source(path)
        self._found: dict[tuple[str | None, str], Record] = {}
        for number, line in source.lines():
            if not line.strip():
                continue
            try:
                record = msgspec.json.decode(line, type=dict[str, Any])
            except NOT_JSON as error:
                raise FormatError(
                    f"expected what ``errors`` writes: {error}",
                    code="K120",
                    place=Place(source.name, number),
                ) from None
            if "id" in record:
                self._found[record.get("framework"), str(record["id"])] = record
            else:
                for framework, items in record.items():
                    for name, each in items.items():
                        self._found[None if framework == "none" else framework, name] = each

    def of(self, graph: Graph) -> Record | None:
        return self._found.get((graph.framework, graph.id))
