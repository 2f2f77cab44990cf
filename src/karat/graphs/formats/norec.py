"""Structured sentiment as in NoReC: opinions with holder, target and expression, in JSON."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import IO, Annotated, Any

import msgspec

from karat.core.files.opener import Source
from karat.core.format import array_elements
from karat.core.reading.items import Item
from karat.graphs.errors import UnreadableGraph, cannot_hold, whole_number
from karat.graphs.formats.base import GraphFormat, Labelled, broken_item, node_of
from karat.graphs.model import Anchor, Graph, Node

_SPAN = re.compile(r"(\d+):(\d+)")
_MOST_VALUES = 2_000_000
_Texts = tuple[list[str], list[str]]


class _Opinion(msgspec.Struct, rename={"source": "Source", "target": "Target"}):
    expression: _Texts = msgspec.field(name="Polar_expression")
    source: _Texts = ([], [])
    target: _Texts = ([], [])
    polarity: str | None = msgspec.field(name="Polarity", default=None)


class _Sentence(msgspec.Struct):
    sent_id: str | int
    text: str
    opinions: list[_Opinion] = []


_decode = msgspec.json.Decoder(_Sentence).decode


class Norec(GraphFormat):
    """A JSON list of sentences with opinions.

    By default each opinion is an `expression` with a `source` and a `target` of
    its own. With `strict` sources and targets with the same spans are one
    unlabelled node and the edges carry the labels; with `reify` an extra top has
    an edge to each expression that is labelled with the polarity.
    """

    name = "norec"
    properties = frozenset({"polarity"})
    json_keys = "all"

    strict: Annotated[bool, "share sources and targets, label the edges to them"] = False
    reify: Annotated[bool, "a top of its own, polarity as the label of its edges"] = False

    @classmethod
    def recognizes(cls, head: str) -> bool:
        return head.lstrip().startswith("[") and '"sent_id"' in head

    def graphs(self, source: Source) -> Iterator[Item]:
        for data, line in array_elements(source, "sentences", "K120", most_values=_MOST_VALUES):
            try:
                sentence = _decode(data)
            except (msgspec.DecodeError, RecursionError) as error:
                yield broken_item(UnreadableGraph(str(error), code="K121"), source, line)
                continue
            yield self.item(source, line, str(sentence.sent_id), partial(self._graph, sentence))

    def _graph(self, sentence: _Sentence) -> Graph:
        nodes: list[Node] = []
        edges: list[Labelled] = []
        tops: list[int] = []
        shared: dict[tuple[Anchor, ...], int] = {}
        if self.reify:
            nodes.append(Node(0))
            tops.append(0)
        for opinion in sentence.opinions:
            expression = len(nodes)
            properties: list[tuple[str, str]] = []
            if self.reify:
                edges.append((0, expression, opinion.polarity))
            else:
                tops.append(expression)
                if opinion.polarity is not None:
                    properties.append(("polarity", opinion.polarity))
            anchors = _spans(opinion.expression)
            nodes.append(node_of(expression, "expression", properties, anchors))
            for role, texts in (("source", opinion.source), ("target", opinion.target)):
                anchors = _spans(texts)
                if not anchors:
                    continue
                if self.strict:
                    number = shared.setdefault(anchors, len(nodes))
                    if number == len(nodes):
                        nodes.append(Node(number, anchors=anchors))
                    edges.append((expression, number, role))
                else:
                    edges.append((expression, len(nodes), None))
                    nodes.append(Node(len(nodes), role, anchors=anchors))
        return self.graph(str(sentence.sent_id), sentence.text, tops, nodes, edges)

    def write(self, values: Iterable[Graph], stream: IO[bytes]) -> None:
        stream.write(b"[")
        for number, graph in enumerate(self.told(values)):
            stream.write(b",\n" if number else b"\n")
            stream.write(msgspec.json.encode(_record(graph)))
        stream.write(b"\n]\n")


def _spans(texts: _Texts) -> tuple[Anchor, ...]:
    result = []
    for text in texts[1]:
        match = _SPAN.fullmatch(text)
        if match is None:
            raise UnreadableGraph(f"{text[:40]!r} is not a span, expected from:to", code="K121")
        result.append(Anchor(whole_number(match[1]), whole_number(match[2])))
    return tuple(result)


def _record(graph: Graph) -> dict[str, Any]:
    text = graph.input
    if text is None:
        raise cannot_hold(graph, "NoReC", "it has no input")

    def texts(node: Node | None) -> list[list[str]]:
        anchors = node.anchors if node else ()
        return [
            [text[anchor.start : anchor.end] for anchor in anchors],
            [f"{anchor.start}:{anchor.end}" for anchor in anchors],
        ]

    opinions = []
    expressions = [node for node in graph.nodes if node.label == "expression"]
    # With `reify` there is a top without content above all expressions.
    tops = {top for top in graph.tops if graph.node_of[top] == Node(top)}
    if len(tops) > 1 or set(graph.tops) != (tops or {node.id for node in expressions}):
        raise cannot_hold(graph, "NoReC", "its tops are neither its expressions nor one above them")
    held: set[int] = set(tops)
    edges = len(expressions) if tops else 0
    for node in expressions:
        parts: dict[str, Node] = {}
        for edge in graph.outgoing[node.id]:
            target = graph.node_of[edge.target]
            role = edge.label or target.label
            if role not in ("source", "target") or role in parts or not target.anchors:
                raise cannot_hold(graph, "NoReC", f"edges of node {node.id} are not an opinion")
            parts[role] = target
        held.update((node.id, *(part.id for part in parts.values())))
        edges += len(parts)
        above = [edge.label for edge in graph.incoming[node.id]]
        polarity = node.property("polarity") or (above[0] if above else None)
        opinions.append(
            {
                "Source": texts(parts.get("source")),
                "Target": texts(parts.get("target")),
                "Polar_expression": texts(node),
                "Polarity": polarity,
            }
        )
    if edges != len(graph.edges) or len(held) != len(graph.nodes):
        raise cannot_hold(graph, "NoReC", "it has nodes or edges that are not part of an opinion")
    return {"sent_id": graph.id, "text": text, "opinions": opinions}
