"""Clauses of the Parallel Meaning Bank, read as graphs (DRG) and written from them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import IO, Annotated

from karat.core.files.opener import Source
from karat.core.options import File
from karat.core.reading.items import Item
from karat.graphs.drs.rules import CONDITIONS, MEMBER, OPERATORS, Kind, kinds
from karat.graphs.errors import UnreadableGraph, cannot_hold, whole_number
from karat.graphs.formats.base import CompanionFormat, Labelled, node_of, paragraphs
from karat.graphs.model import Anchor, Edge, Graph, Node

_DOCUMENT = re.compile(r"[/\s]p(\d{1,9})/d(\d{1,9})(?:/|$|\s)")
_NAMED = re.compile(r"%%%\s*::id\s+(\S+)")
_SPAN = re.compile(r"\[(\d+)\.\.\.(\d+)\]")
_WORD = re.compile(r'"[^"]*"|\S+')
_BOX = re.compile(r"b\d+")
_PLACE = re.compile(r"\[(\d{1,9})\.\.\.(\d{1,9})\]")
_GAP = 9
"""The most blanks between two tokens; a wider gap comes from a wrong anchor."""
_EMPTY = "ø"
"""A token of the header that the text does not have."""
_SENSE = re.compile(r'"[a-z]\.\d+"')


class Pmb(CompanionFormat):
    """Clauses, one per line, graphs with blank lines between them.

    Boxes and referents are nodes; a box has an edge to each of its referents.
    Roles and conditions are edges, or nodes of their own with `reify`.
    """

    name = "pmb"
    properties = frozenset({"sense"})
    framework = "drg"

    text: Annotated[str, File(), "companion text to take the input from"] = ""
    reify: Annotated[bool, "make roles and conditions nodes of their own"] = False
    full: Annotated[bool, "with reify: an edge from its box to every role"] = False
    strict: Annotated[bool, "with reify: refuse referents with two boxes or two concepts"] = False

    @classmethod
    def recognizes(cls, head: str) -> bool:
        return bool(re.search(r"^b\d+ REF \S+|^%%% bin/boxer ", head, re.MULTILINE))

    def graphs(self, source: Source) -> Iterator[Item]:
        for position, block in enumerate(paragraphs(source), self.before):
            name = _id_of(block) or self.numbered(position)
            make = partial(self._graph, name, block)
            yield self.item(source, block[0][0], name, make, self.notices_of(name))

    def _graph(self, name: str, block: Sequence[tuple[int, str]]) -> Graph:
        builder = _Builder(self.reify, self.full, self.strict)
        for number, line in block:
            if line.lstrip().startswith("%"):
                continue
            words = list(_WORD.finditer(line))
            # A constant may have the mark of comments in it, which ends other clauses.
            size = next((i for i, each in enumerate(words) if each[0][0] == "%"), len(words))
            comment = line[words[size].start() :] if size < len(words) else ""
            spans = tuple(
                Anchor(whole_number(m[1]), whole_number(m[2])) for m in _SPAN.finditer(comment)
            )
            builder.add([each[0] for each in words[:size]], spans, number)
        text = self.companion_text(name)
        return self.graph(name, _sentence(block) if text is None else text, *builder.parts())

    def write(self, values: Iterable[Graph], stream: IO[bytes]) -> None:
        for graph in self.told(values):
            lines = [*_header(graph), *_Clauses(graph).lines()]
            stream.write("\n".join([*lines, "", ""]).encode())

    def losses(self, graph: Graph) -> Iterator[str]:
        yield from super().losses(graph)
        of = kinds(graph)
        entered = {edge.target for edge in graph.edges}
        if {node for node in of if of[node] == "box"} - entered != set(graph.tops):
            yield "have tops that are not the boxes that no edge enters, as in PMB"
        if any(graph.node_of[node].anchors for node in of if of[node] != "node"):
            yield "have anchors of boxes or roles, which are not written as pmb"


def _id_of(block: Sequence[tuple[int, str]]) -> str | None:
    for _, line in block:
        if line.startswith("%%%"):
            if match := _NAMED.match(line):
                return match[1]
            if "bin/boxer" in line and (match := _DOCUMENT.search(line)):
                return f"{int(match[1]):02d}{int(match[2]):04d}"
    return None


def _sentence(block: Sequence[tuple[int, str]]) -> str | None:
    """The text of the header: as it is between quotes, or else in tokens.

    Anchors count the characters of the text, so tokens are put where they are anchored.
    """
    headers = [line[3:].strip() for _, line in block if line.startswith("%%%")]
    named = [i for i, line in enumerate(headers) if "bin/boxer" in line or line.startswith("::id")]
    shown = headers[named[0] + 1 :][:1] if named else []
    quoted = [line[1:-1] for line in headers if len(line) > 1 and line[0] == line[-1] == "'"]
    text = _joined(shown[0].split(), block) if shown else None
    return text or next(iter((*quoted, *shown)), None)


def _joined(tokens: Sequence[str], block: Sequence[tuple[int, str]]) -> str | None:
    """The text that tokens make at the places of the anchors; None where they don't fit."""
    words = [token.replace("~", " ") for token in tokens if token != _EMPTY]
    comments = (line.partition("%")[2] for _, line in block if not line.startswith("%%%"))
    spans = {(int(m[1]), int(m[2])) for comment in comments for m in _PLACE.finditer(comment)}
    text = ""
    for (start, end), word in zip(sorted(spans), words, strict=False):
        if not 0 <= start - len(text) <= _GAP or end - start != len(word):
            return None
        text += " " * (start - len(text)) + word
    return text if len(spans) == len(words) else None


class _Builder:
    """Nodes and edges in the order in which clauses bring them up."""

    def __init__(self, reify: bool, full: bool, strict: bool) -> None:
        self.reify = reify
        self.full = full
        self.strict = strict
        self.number: dict[str, int] = {}
        self.labels: list[str | None] = []
        self.senses: dict[int, str] = {}
        self.anchors: dict[int, dict[Anchor, None]] = {}
        self.edges: list[Labelled] = []
        self.boxes: dict[int, None] = {}
        self.box_of: dict[int, int] = {}
        self.concept_in: dict[int, str] = {}
        self.roles: list[tuple[int, int, int]] = []
        self.line = 0

    def add(self, words: Sequence[str], spans: tuple[Anchor, ...], line: int) -> None:
        self.line = line
        if len(words) == 3 and words[1] == "REF":
            self._referent(words[0], words[2], spans)
        elif len(words) == 3 and _BOX.fullmatch(words[2]):
            # The lower box is numbered first, as in the graphs of the shared tasks.
            lower = self._box(words[2])
            self.edges.append((self._box(words[0]), lower, words[1]))
        elif len(words) == 4 and words[1] in CONDITIONS:
            self._role(words[0], CONDITIONS[words[1]], words[2], words[3], spans)
        elif len(words) == 4 and words[1].isupper() and _BOX.fullmatch(words[2]):
            self.edges.append((self._box(words[2]), self._box(words[3]), words[1]))
        elif len(words) == 4 and words[1][:1].isupper() and not _SENSE.fullmatch(words[2]):
            self._role(words[0], words[1], words[2], words[3], spans)
        elif len(words) == 4 and words[2].startswith('"'):
            self._concept(words[0], words[1], words[2].strip('"'), words[3], spans)
        else:
            raise UnreadableGraph(
                f"{' '.join(words)[:60]!r} is not a clause", code="K135", line=line
            )

    def _node(self, name: str, label: str | None = None) -> int:
        if name not in self.number:
            self.number[name] = len(self.labels)
            self.labels.append(label)
        return self.number[name]

    def _box(self, name: str) -> int:
        number = self._node(name)
        self.boxes[number] = None
        return number

    def _anchor(self, node: int, spans: Iterable[Anchor]) -> None:
        self.anchors.setdefault(node, {}).update(dict.fromkeys(spans))

    def _referent(self, box: str, name: str, spans: tuple[Anchor, ...]) -> None:
        number, referent = self._box(box), self._node(name)
        if self.strict and self.reify and self.box_of.get(referent, number) != number:
            raise UnreadableGraph(f"{name!r} is in two boxes", code="K135", line=self.line)
        self.box_of.setdefault(referent, number)
        self.edges.append((number, referent, MEMBER))
        self._anchor(referent, spans)

    def _value(self, name: str, spans: tuple[Anchor, ...]) -> int:
        """A referent, or the one node of a constant, anchored where it came first."""
        if not name.startswith('"'):
            return self._node(name)
        new = name not in self.number
        number = self._node(name, name)
        if new:
            self._anchor(number, spans)
        return number

    def _role(
        self, box: str, label: str, source: str, target: str, spans: tuple[Anchor, ...]
    ) -> None:
        first, second = self._value(source, spans), self._value(target, spans)
        if not self.reify:
            self.edges.append((first, second, label))
            return
        number = self._box(box)
        role = len(self.labels)
        self.labels.append(label)
        self.edges += [(first, role, None), (role, second, None)]
        self.roles.append((number, first, role))

    def _concept(
        self, box: str, lemma: str, sense: str, name: str, spans: tuple[Anchor, ...]
    ) -> None:
        number = self._node(name)
        self.concept_in.setdefault(number, box)
        if self.labels[number] is not None and self.strict and self.reify:
            raise UnreadableGraph(f"{name!r} has two concepts", code="K135", line=self.line)
        self.labels[number] = lemma
        self.senses[number] = sense
        self._anchor(number, spans)

    def parts(self) -> tuple[Iterable[int], Iterable[Node], Iterable[Labelled]]:
        """The tops, the nodes and the edges of the graph."""
        for box, source, role in self.roles:
            if self.full or self._home(source) != box:
                self.edges.append((box, role, MEMBER))
        entered = {target for _, target, _ in self.edges}
        return (
            (box for box in sorted(self.boxes) if box not in entered),
            (self._made(number, label) for number, label in enumerate(self.labels)),
            dict.fromkeys(self.edges),
        )

    def _home(self, referent: int) -> int | None:
        """The box that introduces a referent, or else the one of its concept."""
        if referent in self.box_of:
            return self.box_of[referent]
        return self.number.get(self.concept_in.get(referent, ""))

    def _made(self, number: int, label: str | None) -> Node:
        sense = [("sense", self.senses[number])] if number in self.senses else []
        return node_of(number, label, sense, tuple(self.anchors.get(number, ())))


def _header(graph: Graph) -> Iterator[str]:
    if re.fullmatch(r"\d{6}", graph.id):
        yield "%%% Clauses written by karat"
        yield f"%%% bin/boxer --input out/p{graph.id[:2]}/d{graph.id[2:]}/en.parse.xml"
    else:
        if not re.fullmatch(r"\S+", graph.id):
            raise cannot_hold(graph, "PMB", "its id is empty or has blanks in it")
        yield f"%%% ::id {graph.id}"
    if graph.input is not None:
        if "\n" in graph.input:
            raise cannot_hold(graph, "PMB", "its input has several lines")
        yield f"%%% '{graph.input}'"


class _Clauses:
    """The clauses of a graph, whose roles may be edges or nodes of their own.

    Boxes and referents are named as they come up.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.kinds: dict[int, Kind] = kinds(graph)
        self.names: dict[int, str] = {}
        self.count = {"b": 0, "x": 0}
        self.first_box = next((n for n, kind in self.kinds.items() if kind == "box"), None)
        self.box_of: dict[int, int] = {}
        self.told: set[int] = set()
        """Boxes that a reader can tell by other clauses than those of roles."""
        for edge in graph.edges:
            if edge.label == MEMBER:
                self.box_of.setdefault(edge.target, edge.source)
            if edge.label == MEMBER or self.kinds[edge.source] == self.kinds[edge.target] == "box":
                self.told |= {edge.source, edge.target}
        self.anchored: set[int] = set()
        constants = [node for node in graph.nodes if (node.label or "").startswith('"')]
        for node in constants:
            if self.kinds[node.id] != "box":
                self.names[node.id] = str(node.label)
        for label, times in Counter(self.names.values()).items():
            if times > 1 or not re.fullmatch(r'"[^"]*"', label):
                why = f"the constant {label} is twice there, or has a quote in it"
                raise cannot_hold(graph, "PMB", why)

    def name(self, node: int) -> str:
        if node not in self.names:
            letter = "b" if self.kinds[node] == "box" else "x"
            self.count[letter] += 1
            self.names[node] = f"{letter}{self.count[letter]}"
        return self.names[node]

    def lines(self) -> Iterator[str]:
        """In the order of the edges, so that reading finds nodes in their order."""
        defined: set[int] = set()
        for edge in self.graph.edges:
            yield from self._clause(edge)
            for end in (edge.source, edge.target):
                if end not in defined and self.kinds[end] == "node":
                    defined.add(end)
                    yield from self._concept(self.graph.node_of[end])
        touched = {end for edge in self.graph.edges for end in (edge.source, edge.target)}
        for node in self.graph.nodes:
            if node.id not in touched:
                raise cannot_hold(self.graph, "PMB", f"node {node.id} has no edges")

    def _clause(self, edge: Edge) -> Iterator[str]:
        if re.search(r"\s|^%", edge.label or ""):
            why = f"the label {edge.label!r} has blanks in it, or begins with %"
            raise cannot_hold(self.graph, "PMB", why)
        source, target = self.kinds[edge.source], self.kinds[edge.target]
        name = self.name
        if edge.label == MEMBER:
            if source != "box":
                raise cannot_hold(
                    self.graph, "PMB", f"node {edge.source} has members, but is not a box"
                )
            if edge.target in self.names and name(edge.target).startswith('"'):
                raise cannot_hold(self.graph, "PMB", f"{name(edge.target)} is in a box")
            if target == "node":
                comment = self._comment(self.graph.node_of[edge.target])
                yield f"{name(edge.source)} REF {name(edge.target)}{comment}"
        elif source == target == "box":
            if not edge.label:
                raise cannot_hold(self.graph, "PMB", "an edge between boxes has no label")
            yield f"{name(edge.source)} {edge.label} {name(edge.target)}"
        elif edge.label is not None:
            yield self._role(self._box(edge.source), edge.label, edge.source, edge.target)
        elif target in ("role", "condition"):
            (onward,) = self.graph.outgoing[edge.target]
            node = self.graph.node_of[edge.target]
            box = self.box_of.get(edge.target)
            if source == "box" and box is None:
                raise cannot_hold(self.graph, "PMB", f"the role {node.label!r} of a box is in none")
            yield self._role(
                self._box(edge.source) if box is None else name(box),
                str(node.label),
                edge.source,
                onward.target,
            )
        elif source not in ("role", "condition"):
            raise cannot_hold(self.graph, "PMB", "an edge between referents has no label")

    def _role(self, box: str, label: str, source: int, target: int) -> str:
        name = OPERATORS.get(label, label)
        if name == label and not re.fullmatch(r"[A-Z]\S*", label):
            raise cannot_hold(self.graph, "PMB", f"{label!r} is not a role")
        is_told = source in self.told and (name in CONDITIONS or not name.isupper())
        if self.kinds[source] == "box" and not is_told:
            raise cannot_hold(self.graph, "PMB", f"{label!r} joins a box and a referent")
        comments = {
            self._comment(self.graph.node_of[end])
            for end in (source, target)
            if self.name(end).startswith('"') and end not in self.anchored
        }
        if len(comments) > 1:
            raise cannot_hold(self.graph, "PMB", f"the constants of {label!r} have other anchors")
        self.anchored.update((source, target))
        return f"{box} {name} {self.name(source)} {self.name(target)}{''.join(comments)}"

    def _box(self, node: int) -> str:
        """The box of a referent; roles of constants go with the first box."""
        box = self.box_of.get(node, self.first_box)
        if box is None:
            raise cannot_hold(self.graph, "PMB", "it has no box")
        return self.name(box)

    def _concept(self, node: Node) -> Iterator[str]:
        sense = node.property("sense")
        if node.label is None or node.label.startswith('"'):
            return
        if sense is None or re.search(r"\s", node.label):
            raise cannot_hold(self.graph, "PMB", f"node {node.id} has a label but no sense")
        if node.label[:1].isupper() and not _SENSE.fullmatch(f'"{sense}"'):
            raise cannot_hold(self.graph, "PMB", f"{node.label} {sense} would be taken for a role")
        box, name = self._box(node.id), self.name(node.id)
        yield f'{box} {node.label} "{sense}" {name}{self._comment(node)}'

    def _comment(self, node: Node) -> str:
        if not node.anchors:
            return ""
        text = self.graph.input or ""
        shown = (
            f"{re.sub(r'[%[]', '', text[each.start : each.end]) or '_'} [{each.start}...{each.end}]"
            for each in node.anchors
        )
        return " % " + " ".join(shown)
