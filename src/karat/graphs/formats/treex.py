"""Tectogrammatical trees of the Prague treebanks in Treex's PML XML (PTG)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import IO, Annotated, NamedTuple
from xml.etree.ElementTree import Element
from xml.sax.saxutils import escape, quoteattr

from karat.core.files.opener import Source
from karat.core.reading.items import Item
from karat.errors import FormatError, Place
from karat.graphs.anchoring import in_sequence
from karat.graphs.errors import UnreadableGraph, cannot_hold, parse_xml
from karat.graphs.formats.base import GraphFormat, node_of, xml_bytes
from karat.graphs.model import Anchor, Graph, Node

_NAMESPACE = "http://ufal.mff.cuni.cz/pdt/pml/"


class Treex(GraphFormat):
    """Bundles of zones with an analytical and a tectogrammatical tree each.

    The nodes are those of the tectogrammatical tree in their order, anchored by
    the words they refer to; coreference adds edges to the tree.
    """

    name = "treex"
    properties = frozenset({"frame", "tense", "negation"})
    framework = "ptg"

    zone: Annotated[str, "the language of the zones to read"] = "en"

    @classmethod
    def recognizes(cls, head: str) -> bool:
        return "<treex_document" in head

    def graphs(self, source: Source) -> Iterator[Item]:
        try:
            root, line_of = parse_xml(source.content())
        except UnreadableGraph as problem:
            place = Place(source.name, problem.line, problem.column)
            raise FormatError(str(problem), code=problem.code, place=place) from None
        bundles = root.find("bundles")
        for bundle in () if bundles is None else bundles:
            name = bundle.get("id", "")
            for zone in bundle.iter("zone"):
                if zone.get("language") != self.zone:
                    continue
                yield self.item(source, line_of(zone), name, partial(self._graph, name, zone))

    def _graph(self, name: str, zone: Element) -> Graph:
        text = _text(zone, "sentence")
        a_tree, t_tree = next(zone.iter("a_tree"), None), next(zone.iter("t_tree"), None)
        if t_tree is None:
            raise UnreadableGraph("the zone has no t_tree", code="K129")
        words = _tree_nodes(a_tree) if a_tree is not None else []
        anchors: dict[str, Anchor] = {}
        if text is not None:
            located = in_sequence(text, [_text(word.element, "form") or "" for word in words])
            anchors = {word.id: anchor for word, anchor in zip(words, located, strict=True)}
        t_nodes = _tree_nodes(t_tree)
        number = {node.id: i for i, node in enumerate(t_nodes)}
        nodes: list[Node] = []
        last = 0
        for i, each in enumerate(t_nodes):
            there = _anchors(each.element, anchors)
            if not there and each.element.find("a") is None and text is not None:
                there = (Anchor(last, last),)
            if there:
                last = there[-1].end
            nodes.append(_node(i, each.element, there))
        edges = [
            (number[each.parent], number[each.id], _text(each.element, "functor"))
            for each in t_nodes
            if each.parent is not None
        ]
        for each in t_nodes:
            for target in _references(each.element, "coref_gram.rf"):
                if target not in number:
                    raise UnreadableGraph(f"{each.id} refers to {target}, not there", code="K123")
                edges.append((number[each.id], number[target], "coref_gram"))
        tops = (number[each.id] for each in t_nodes if each.parent is None)
        return self.graph(name, text, tops, nodes, dict.fromkeys(edges))

    def write(self, values: Iterable[Graph], stream: IO[bytes]) -> None:
        stream.write(
            f'<?xml version="1.0" encoding="utf-8"?>\n<treex_document xmlns="{_NAMESPACE}">\n'
            " <bundles>\n".encode()
        )
        for graph in self.told(values):
            stream.write(xml_bytes(graph, "\n".join(_bundle(graph, self.zone))) + b"\n")
        stream.write(b" </bundles>\n</treex_document>\n")

    def losses(self, graph: Graph) -> Iterator[str]:
        yield from super().losses(graph)
        anchors = {each for node in graph.nodes for each in node.anchors}
        covered = [(graph.input or "")[each.start : each.end] for each in anchors]
        if any(each != each.strip() for each in covered):
            yield "have anchors with blanks at their ends, which are written without them"


class _TNode(NamedTuple):
    order: float
    id: str
    element: Element
    parent: str | None


def _text(element: Element, path: str) -> str | None:
    found = element.find(path)
    return None if found is None else (found.text or "").strip()


def _tree_nodes(tree: Element) -> list[_TNode]:
    """The nodes below the root by their order; lists of one may lack their LM."""
    found: list[_TNode] = []
    stack: list[tuple[Element, str | None]] = [(tree, None)]
    while stack:
        element, parent = stack.pop()
        for children in element.findall("children"):
            members = children.findall("LM") if children.get("id") is None else [children]
            for child in members:
                name = child.get("id")
                order = _text(child, "ord")
                if name is None or order is None or not re.fullmatch(r"\d+(\.\d+)?", order):
                    raise UnreadableGraph("a node of a tree lacks its id or its ord", code="K129")
                found.append(_TNode(float(order), name, child, parent))
                stack.append((child, name))
    return sorted(found, key=lambda node: node.order)


def _references(element: Element, path: str) -> list[str]:
    found = element.find(path)
    if found is None:
        return []
    members = found.findall("LM")
    return [(member.text or "").strip() for member in members or [found]]


def _anchors(element: Element, anchors: dict[str, Anchor]) -> tuple[Anchor, ...]:
    names = [*_references(element, "a/lex.rf"), *_references(element, "a/aux.rf")]
    names = [name.rpartition("#")[2] for name in names]
    found = {anchors[name] for name in names if name in anchors}
    return tuple(sorted(found, key=lambda anchor: anchor.end))


def _node(number: int, element: Element, anchors: tuple[Anchor, ...]) -> Node:
    pairs = []
    if frame := _text(element, "val_frame.rf"):
        pairs.append(("frame", frame.rpartition("#")[2]))
    for name, silent in (("tense", "nil"), ("negation", "neg0")):
        value = _text(element, f"gram/{name}")
        if value and value != silent:
            pairs.append((name, value))
    return node_of(number, _text(element, "t_lemma"), pairs, anchors)


# -- writing ------------------------------------------------------------------


def _bundle(graph: Graph, zone: str) -> Iterator[str]:
    if len(graph.tops) > 1 or (graph.nodes and not graph.tops):
        raise cannot_hold(graph, "Treex", f"it has {len(graph.tops)} tops")
    children = _children(graph)
    spans = sorted({a for node in graph.nodes for a in node.anchors if a.end > a.start})
    if spans and graph.input is None:
        raise cannot_hold(graph, "Treex", "it has anchors but no input")
    text = graph.input or ""
    labels = [each.label for each in graph.nodes] + [each.label for each in graph.edges]
    if any(each != each.strip() or "\r" in each for each in (text, *filter(None, labels))):
        raise cannot_hold(graph, "Treex", "its input or a label has blanks around it, or a CR")
    if any(not text[a.start : a.end].strip() for a in spans):
        raise cannot_hold(graph, "Treex", "an anchor covers nothing but blanks")
    # Words between anchors are needed too, since forms follow each other without gaps.
    words = _words(graph, text, spans)
    name = {anchor: f"a{i}" for i, anchor in enumerate(words, 1)}
    yield f"  <LM id={quoteattr(graph.id)}><zones><zone language={quoteattr(zone)}>"
    if graph.input is not None:
        yield f"   <sentence>{escape(text)}</sentence>"
    yield '   <trees>\n   <a_tree id="a-root"><children>'
    for i, anchor in enumerate(words, 1):
        form = escape(text[anchor.start : anchor.end].strip())
        yield f'    <LM id="a{i}"><ord>{i}</ord><form>{form}</form></LM>'
    yield '   </children></a_tree>\n   <t_tree id="t-root">'
    order = {node.id: i for i, node in enumerate(graph.nodes, 1)}
    stack: list[tuple[int, bool]] = [(top, False) for top in graph.tops]
    while stack:
        number, closing = stack.pop()
        if closing:
            yield "    </LM></children>"
            continue
        yield from _t_node(graph, graph.node_of[number], order, name)
        stack.append((number, True))
        stack += [(child, False) for child in reversed(children[number])]
    yield "   </t_tree></trees></zone></zones></LM>"


def _children(graph: Graph) -> dict[int, list[int]]:
    """The nodes below each, in their order; coreference is no part of the tree."""
    parent: dict[int, int] = {}
    for edge in graph.edges:
        if edge.label == "coref_gram":
            continue
        if edge.target in parent or edge.target in graph.tops:
            raise cannot_hold(graph, "Treex", f"node {edge.target} has two parents")
        parent[edge.target] = edge.source
    children: dict[int, list[int]] = {node.id: [] for node in graph.nodes}
    for node in graph.nodes:
        if node.id in parent:
            children[parent[node.id]].append(node.id)
    reached = list(graph.tops)
    for each in reached:
        reached += children[each]
    if len(reached) < len(graph.nodes):
        lost = next(node.id for node in graph.nodes if node.id not in set(reached))
        raise cannot_hold(graph, "Treex", f"node {lost} is not below the top")
    return children


def _words(graph: Graph, text: str, spans: list[Anchor]) -> list[Anchor]:
    words: list[Anchor] = []
    cursor = 0
    for span in (*spans, Anchor(len(text), len(text))):
        if span.start < cursor:
            raise cannot_hold(graph, "Treex", "anchors overlap")
        between = re.finditer(r"\S+", text[cursor : span.start])
        words += [Anchor(cursor + match.start(), cursor + match.end()) for match in between]
        if span.end > span.start:
            words.append(span)
        cursor = span.end
    return words


def _t_node(
    graph: Graph, node: Node, order: dict[int, int], name: dict[Anchor, str]
) -> Iterator[str]:
    yield f'    <children><LM id="t{order[node.id]}"><ord>{order[node.id]}</ord>'
    if node.label is not None:
        yield f"     <t_lemma>{escape(node.label)}</t_lemma>"
    for edge in graph.incoming[node.id]:
        if edge.label not in (None, "coref_gram"):
            yield f"     <functor>{escape(str(edge.label))}</functor>"
    words = [name[anchor] for anchor in node.anchors if anchor in name]
    if words or not node.anchors:
        others = "".join(f"<LM>{word}</LM>" for word in words[:-1])
        lex = f"<lex.rf>{words[-1]}</lex.rf>" if words else ""
        yield f"     <a>{lex}{f'<aux.rf>{others}</aux.rf>' if others else ''}</a>"
    if (frame := node.property("frame")) is not None:
        yield f"     <val_frame.rf>v#{escape(str(frame))}</val_frame.rf>"
    grams = [(key, node.property(key)) for key in ("tense", "negation")]
    shown = "".join(f"<{key}>{escape(str(v))}</{key}>" for key, v in grams if v is not None)
    if shown:
        yield f"     <gram>{shown}</gram>"
    targets = [edge.target for edge in graph.outgoing[node.id] if edge.label == "coref_gram"]
    if targets:
        inner = "".join(f"<LM>t{order[target]}</LM>" for target in targets)
        yield f"     <coref_gram.rf>{inner}</coref_gram.rf>"
