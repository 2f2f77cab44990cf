"""PENMAN notation: texts as they are written, for metrics that count triples; graphs written."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import IO, Annotated, NamedTuple, TypeAlias

from msgspec.structs import replace

from karat._native import graph_names, is_plain_penman
from karat.core.format import BlockFormat, Part, block_text
from karat.core.reading.items import Item, NameKeys, Refs
from karat.core.reading.strings import Strings
from karat.graphs.amr.penman import Block, blocks, parse, quoted
from karat.graphs.errors import UnreadableGraph, cannot_hold
from karat.graphs.formats.base import broken_item, size_class
from karat.graphs.model import Edge, Graph, Node
from karat.graphs.normalize import uninverted

_ID = re.compile(r"^#(?:.*\s)?::id +(\S+)", re.MULTILINE)


class PenmanText(BlockFormat):
    """PENMAN notation, graphs with blank lines between them; each item is the text of one.

    Nothing is left out or turned around. Graphs are paired by ``::id`` where all have one.
    """

    name = "penman"
    kind = "amr"
    indented_comments = True
    other_reading = "amr"
    other_options = frozenset({"full", "reify", "text", "alignment", "inject"})

    strict: Annotated[bool, "refuse parentheses that do not match"] = False

    @classmethod
    def recognizes(cls, head: str) -> bool:
        return bool(re.search(r"^\s*\(\s*[^\s()/]+\s*/", head, re.MULTILINE))

    def name_items(self, part: Part, file: str) -> None:
        refs = part.refs
        begin, end = refs.begin - part.offset, refs.end - part.offset
        spans = graph_names(part.content, begin, begin + refs.extra["body"], end)
        if spans is not None and len(spans):
            refs.keys = NameKeys(Strings.at(part.content, spans).compact())
            return
        bodies = refs.extra["body"].tolist()
        names = [_name(data, body) for data, body in zip(part.data(), bodies, strict=True)]
        if any(names):
            refs.keys = [(name,) if name else None for name in names]

    def parse(self, refs: Refs, data: Sequence[bytes], file: str) -> list[Item]:
        lines = zip(data, refs.line.tolist(), strict=True)
        return [
            self._item(text_block(block_text(each), line), file, _fields(each))
            for each, line in lines
        ]

    def sentence(self, data: bytes) -> str:
        return _sentence(data).decode()

    def write(self, values: Iterable[str | Graph], stream: IO[bytes]) -> None:
        for value in values:
            text = value if isinstance(value, str) else penman_of(value)
            stream.write(f"{text.strip()}\n\n".encode())

    def with_comments(
        self,
        repaired: Iterable[tuple[str, str | Graph]],
        texts: Iterable[str],
        golds: Iterable[str],
    ) -> Iterator[str]:
        """Graphs below the comments that they have in files, by their ids; what the system's files
        do not name comes with those of gold."""
        known = _comments(texts)
        theirs = _comments(golds) if any(known) else {}
        for name, value in repaired:
            text = value if isinstance(value, str) else penman_of(replace(value, id=name))
            body = text_block(text.strip(), 1).text
            lines = known.get(name) or theirs.get(name) or [f"# ::id {name}"]
            yield "\n".join([*lines, body])

    def _item(self, block: TextBlock, file: str, fields: Mapping[str, str]) -> Item:
        key = (block.id,) if block.id else None
        notices: tuple[str, ...] = ()
        if not block.plain:
            try:
                read = Block(block.line, {}, block.text, block.text_line)
                notices = parse(read, strict=self.strict).warnings
            except UnreadableGraph as problem:
                return broken_item(problem, file, block.line, key)
        return Item(block.text, key, block.line, fields, notices=notices)


def _comments(texts: Iterable[str]) -> dict[str, list[str]]:
    """The lines above each graph, by its id."""
    known: dict[str, list[str]] = {}
    for text in texts:
        lines = [each.removesuffix("\r") for each in text.split("\n")]
        for block in blocks(enumerate(lines, 1)):
            known[block.id] = lines[block.line - 1 : block.text_line - 1]
    return known


def _sentence(data: bytes) -> bytes:
    """The sentence of a graph, where a comment says it."""
    at = data.find(b"::snt ")
    while at >= 0:
        found = data[at + 6 :].partition(b"\n")[0].strip()
        if found and data[data.rfind(b"\n", 0, at) + 1 : at].lstrip().startswith(b"#"):
            return found
        at = data.find(b"::snt ", at + 1)
    return b""


def _fields(data: bytes) -> Mapping[str, str]:
    """The length of the sentence of a graph."""
    words = len(_sentence(data).split())
    return _of_length(words) if words else {}


@cache
def _of_length(words: int) -> Mapping[str, str]:
    return {"words": size_class(words)}


def _name(data: bytes, body: int) -> str:
    """The id of a graph whose comments come before `body`."""
    head = data[:body]
    if b"#" not in data[body:] and b"\n " not in head and b"\n\t" not in head:
        before, *after = head.split(b"::id")
        if not after:
            return ""
        if head[:1] == b"#" and len(after) == 1 and b"::snt" not in before and head.isascii():
            found = _ID.search(block_text(head))
            return found[1] if found else ""
    return text_block(block_text(data), 1).id


class TextBlock(NamedTuple):
    """The text of one graph, where it and its comments begin, and its id."""

    line: int
    id: str
    text: str
    text_line: int
    plain: bool
    """Whether the native reader knows all that is in it."""


def text_block(text: str, line: int) -> TextBlock:
    """The graph that a block of lines holds; `line` is the number of the first one."""
    begin = 0
    while text.startswith("#", begin):
        begin = text.find("\n", begin) + 1
    head, body = text[:begin], text[begin:]
    ends_plainly = "\r" not in text and not body[-1].isspace()
    before, *after = head.split("::id")
    has_plain_id = len(after) < 2 and "::snt" not in before
    if ends_plainly and has_plain_id and is_plain_penman(body):
        found = _ID.search(head) if head else None
        return TextBlock(line, found[1] if found else "", body, line + head.count("\n"), True)
    lines = (each.removesuffix("\r") for each in text.split("\n"))
    (block,) = blocks(enumerate(lines, line))
    return TextBlock(block.line, block.id, block.text, block.text_line, False)


# A colon outside of quotes begins a role for other readers.
_BARE_VALUE = re.compile(r"[-+]|[-+]?[0-9]+(?:[.,][0-9]+)*|interrogative|imperative|expressive")
_NO_LINES = re.compile(r"\r\n|\n\s*(?:\n|#)")
_BARE_CONCEPT = re.compile(r'[^\s()":/~]+')
_DEEPEST_SHOWN = 40
"""Levels that are set in; with all of them the text would grow with the square of the depth."""
_ROLE = re.compile(r"[^\s()~]*")


def penman_of(graph: Graph, names: dict[int, str] | None = None) -> str:
    """The graph in PENMAN notation with its comments; one that is not connected is an error.

    `names` are the variables to use, by node.
    """
    if not graph.nodes:
        raise cannot_hold(graph, "PENMAN", "it is empty")
    if len(graph.tops) > 1:
        raise cannot_hold(graph, "PENMAN", f"it has {len(graph.tops)} tops")
    if re.search(r"\s|^::", graph.id) or not graph.id:
        raise cannot_hold(graph, "PENMAN", "its id is empty, has blanks in it or begins with '::'")
    lines = [f"# ::id {graph.id}"]
    if graph.input is not None:
        lines.append("# ::snt " + " ".join(graph.input.split("\n")).strip())
    top = graph.tops[0] if graph.tops else _root(graph)
    plan = _in_node_order(graph, top) or _depth_first(graph, top)
    if plan is None:
        raise cannot_hold(graph, "PENMAN", "it is not connected")
    order = [graph.node_of[node] for node in plan.in_order(top)]
    return "\n".join([*lines, *_lines(graph, top, plan, names or _variables(order))]) + "\n"


def _root(graph: Graph) -> int:
    """The node to begin with where no top is given."""
    return next((node.id for node in graph.nodes if not graph.incoming[node.id]), graph.nodes[0].id)


_Role: TypeAlias = tuple[int, str, int]
"""The number of the edge, its label, and the node that it leads to."""


class _Plan:
    """Under which edge each node is written, and the edges of each node in order."""

    def __init__(self, graph: Graph) -> None:
        self.introduced_by: dict[int, int] = {}
        self.roles: dict[int, list[_Role]] = {node.id: [] for node in graph.nodes}

    def introduces(self, role: _Role) -> bool:
        """Whether a role has a node of its own for its value, not the name of one."""
        return self.introduced_by.get(role[2]) == role[0]

    def in_order(self, top: int) -> list[int]:
        """The nodes as they are written.

        As in what is read, roles with names of nodes that are not yet there come after the others.
        """
        found = {top: None}
        path: list[tuple[int, Iterator[_Role], list[_Role], list[_Role]]]
        path = [(top, iter(self.roles[top]), [], [])]
        while path:
            node, rest, first, later = path[-1]
            role = next(rest, None)
            if role is None:
                self.roles[node] = first + later
                path.pop()
            elif self.introduces(role):
                first.append(role)
                found[role[2]] = None
                path.append((role[2], iter(self.roles[role[2]]), [], []))
            else:
                (first if role[2] in found else later).append(role)
        return list(found)


def _in_node_order(graph: Graph, top: int) -> _Plan | None:
    """A plan in which nodes come in their own order, if edges as they are allow it."""
    order = [node.id for node in graph.nodes]
    if order[0] != top:
        return None
    plan = _Plan(graph)
    following = 1
    stack: list[Iterator[Edge]] = [iter(graph.outgoing[top])]
    number = 0
    while stack:
        edge = next(stack[-1], None)
        if edge is None:
            stack.pop()
            continue
        number += 1
        plan.roles[edge.source].append((number, edge.label or "", edge.target))
        if following < len(order) and order[following] == edge.target:
            following += 1
            plan.introduced_by[edge.target] = number
            stack.append(iter(graph.outgoing[edge.target]))
    return plan if following == len(order) else None


def _depth_first(graph: Graph, top: int) -> _Plan | None:
    """A plan that turns edges around where nodes cannot be reached otherwise."""
    plan = _Plan(graph)
    leaving: dict[int, list[int]] = {node.id: [] for node in graph.nodes}
    entering: dict[int, list[int]] = {node.id: [] for node in graph.nodes}
    for i, edge in enumerate(graph.edges):
        leaving[edge.source].append(i)
        entering[edge.target].append(i)
    rest = {node: iter(edges) for node, edges in leaving.items()}
    seen, path = {top}, [top]
    written: set[int] = set()
    waiting = entering[top]  # a heap of the edges that lead to nodes which are there
    while path or waiting:
        if path:
            here, at = path[-1], next(rest[path[-1]], None)
            if at is None:
                path.pop()
                continue
        else:
            # All that edges lead to is there: go on with one that leads to it.
            at = heapq.heappop(waiting)
            here = graph.edges[at].target
            if graph.edges[at].source in seen:
                continue
        if at in written:
            continue
        written.add(at)
        edge = graph.edges[at]
        other, label = edge.target, edge.label or ""
        if edge.source != here:
            other, label = edge.source, _inverse(label)
        plan.roles[here].append((len(written), label, other))
        if other not in seen:
            seen.add(other)
            plan.introduced_by[other] = len(written)
            path.append(other)
            for each in entering[other]:
                heapq.heappush(waiting, each)
    return plan if len(seen) == len(graph.nodes) else None


def _inverse(label: str) -> str:
    """The role that says the same from the other end.

    >>> _inverse("ARG0"), _inverse("ARG0-of"), _inverse("consist-of")
    ('ARG0-of', 'ARG0', 'consist-of-of')
    """
    turned = label.endswith("-of") and uninverted(label) is not None
    return label[:-3] if turned else f"{label}-of"


def _lines(graph: Graph, top: int, plan: _Plan, names: dict[int, str]) -> Iterator[str]:
    line = _head(graph.node_of[top], names, graph)
    stack = [iter(plan.roles[top])]
    while stack:
        role = next(stack[-1], None)
        if role is None:
            stack.pop()
            line += ")"
            continue
        _, label, target = role
        if not _ROLE.fullmatch(label):
            raise cannot_hold(graph, "PENMAN", f"{label!r} cannot be a role")
        yield line
        line = "      " * min(len(stack), _DEEPEST_SHOWN) + f":{label} "
        if plan.introduces(role):
            line += _head(graph.node_of[target], names, graph)
            stack.append(iter(plan.roles[target]))
        else:
            line += names[target]
    yield line


def _head(node: Node, names: dict[int, str], graph: Graph) -> str:
    text = f"({names[node.id]}"
    if node.label is not None:
        bare = _BARE_CONCEPT.fullmatch(node.label)
        text += " / " + (node.label if bare else _on_lines(node.label, graph))
    for name, value in zip(node.properties, node.values, strict=False):
        if not _ROLE.fullmatch(name):
            raise cannot_hold(graph, "PENMAN", f"{name!r} cannot be a role")
        shown = str(value)
        bare = _BARE_VALUE.fullmatch(shown)
        text += f" :{name} " + (shown if bare else _on_lines(shown, graph))
    return text


def _on_lines(text: str, graph: Graph) -> str:
    """A text in quotes, none of whose lines ends the graph or begins a comment."""
    if _NO_LINES.search(text):
        raise cannot_hold(graph, "PENMAN", f"{text[:40]!r} has a blank line or a comment in it")
    return quoted(text)


def _variables(nodes: Iterable[Node]) -> dict[int, str]:
    """Names as annotators give them: the first letter of the concept, and a number if taken."""
    counts: dict[str, int] = {}
    result = {}
    for node in nodes:
        first = (node.label or "x")[:1].lower()
        letter = first if "a" <= first <= "z" else "x"
        counts[letter] = counts.get(letter, 0) + 1
        result[node.id] = letter if counts[letter] == 1 else f"{letter}{counts[letter]}"
    return result
