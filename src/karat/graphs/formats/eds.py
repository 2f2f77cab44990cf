"""Elementary Dependency Structures in their native notation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, Annotated, NamedTuple

from karat.core.files.opener import ItemSize, Source
from karat.core.options import File
from karat.core.reading.items import Item
from karat.graphs.errors import UnreadableGraph, cannot_hold, whole_number
from karat.graphs.formats.base import CompanionFormat, Labelled, node_of
from karat.graphs.model import Anchor, Graph, Node

_BEGIN = re.compile(
    r"\s*\{\s*(?:([^\s:{}]*)\s*:(?=[\s(|}]|$|[^\s:<>{}\[\]]+:))?(?:\s*\([a-z ]+\))?"
)
"""What stands before a colon is the top, unless the name of a predicate follows at once."""
_HEAD = re.compile(
    r"^\s*\{[^\s:{}\"]*:[^\S\n]*(?:\([a-z ]+\)[^\S\n]*)?(?:$|\|?[^\s:{}\"]+:[^\s\"]+[<\[])",
    re.MULTILINE,
)
"""The top, then the end of the line, or the first predication where all stand in one line."""
_LONGEST_NAME, _LONGEST_CONSTANT = 1000, 2000
_SPAN = r"< (?P<start>-?\d+) : (?P<end>-?\d+) >"


def _predication_with(span: str) -> re.Pattern[str]:
    """Names and constants have limits, as hostile ones would be tried from each of their signs."""
    return re.compile(
        rf"""\s*\|?\s*(?P<handle>[^\s:]+) : (?P<pred>\S{{1,{_LONGEST_NAME}}}?) {span}
            (?: \( " (?P<carg>(?:[^"\\]|\\.|"(?!\)\s*[\[{{])){{0,{_LONGEST_CONSTANT}}}) " \) )?
            \s* (?: \{{ \s* (?P<kind>[^\s{{}}]*) (?P<properties>[^{{}}]*) \}} )?
            \s* \[ (?P<roles>[^\[\]]*) \]""",
        re.VERBOSE,
    )


# A predicate may hold any sign, so the one that stands before a span is looked for first.
_PREDICATIONS = (_predication_with(_SPAN), _predication_with(rf"(?: {_SPAN} )?"))
_BROKEN_SPAN = re.compile(r"<[\d:][^<>#]*>?$")
_END = re.compile(r"\s*\}")
_PAIR = re.compile(r"[^\s,{}\[\]]+ [^\s,{}\[\]]+")
_ESCAPE = re.compile(r"\\(.)")
_NO_LABEL = "_"
"""Written as the role of an edge that has no label."""


_ADVICE = "fix it, or leave such roles and tops out with ``robust=True``"


class _Predication(NamedTuple):
    handle: str
    label: str
    anchors: tuple[Anchor, ...]
    constant: str | None
    properties: list[tuple[str, str]]
    roles: list[tuple[str | None, str]]


class _Block(NamedTuple):
    line: int
    id: str
    text: str
    text_line: int
    others: int


class Eds(CompanionFormat):
    """One predication per line between braces, after a line with the id.

    Where an id has several structures, the first counts.
    """

    name = "eds"

    text: Annotated[str, File(), "companion text to take the input from"] = ""
    reify: Annotated[bool, "make each constant (CARG) a node of its own"] = False
    robust: Annotated[
        bool, "leave out roles and tops that name no predication, as PyDelphin does"
    ] = False

    @classmethod
    def recognizes(cls, head: str) -> bool:
        return bool(_HEAD.search(head))

    def graphs(self, source: Source) -> Iterator[Item]:
        for block in _blocks(source, None if self.alone else self.before):
            notices = list(self.notices_of(block.id))
            if block.others:
                notices.append("have several structures, the first of each counts")
            make = partial(self._graph, block, notices)
            yield self.item(source, block.line, block.id, make, notices)

    def _graph(self, block: _Block, notices: list[str]) -> Graph:
        top, predications = _parse(block)
        if self.robust:
            found = _without_dangling(top, predications)
            if found != (top, predications):
                notices.append("have roles or tops that name no predication and are left out")
            top, predications = found
        numbers: dict[str, int] = {}
        nodes: list[Node] = []
        constants: list[tuple[int, int]] = []
        for each in predications:
            if each.handle in numbers:
                raise UnreadableGraph(f"the handle {each.handle!r} occurs twice", code="K134")
            number = numbers[each.handle] = len(nodes)
            pairs = each.properties
            if each.constant is not None and not self.reify:
                pairs = [("CARG", each.constant), *pairs]
            nodes.append(node_of(number, each.label, pairs, each.anchors))
            if each.constant is not None and self.reify:
                constants.append((number, len(nodes)))
                nodes.append(Node(len(nodes), each.constant, anchors=each.anchors))
        edges: list[Labelled]
        edges = [(source, target, "CARG") for source, target in constants]
        for each in predications:
            for role, handle in each.roles:
                if handle not in numbers:
                    raise UnreadableGraph(
                        f"{role or _NO_LABEL} of {each.handle!r} is {handle!r}, which is not there",
                        code="K123",
                        advice=_ADVICE,
                    )
                edges.append((numbers[each.handle], numbers[handle], role))
        if top and top not in numbers:
            raise UnreadableGraph(
                f"the top is {top!r}, which is not there", code="K123", advice=_ADVICE
            )
        tops = (numbers[top],) if top else ()
        return self.graph(block.id, self.companion_text(block.id), tops, nodes, edges)

    def write(self, values: Iterable[Graph], stream: IO[bytes]) -> None:
        for graph in self.told(values):
            stream.write(_native(graph).encode())


def _without_dangling(top: str, predications: list[_Predication]) -> tuple[str, list[_Predication]]:
    """The top and the roles that name a predication which is there."""
    known = {each.handle for each in predications}
    kept = [
        each._replace(roles=[role for role in each.roles if role[1] in known])
        for each in predications
    ]
    return top if top in known else "", kept


def _blocks(source: Source, first: int | None) -> Iterator[_Block]:
    """The text of the first structure after each id; without ids, each from `first`.

    Where `first` is None, they have no names.

    A file whose name is a number gives that to its first structure.
    """
    fallback = Path(source.path).name.partition(".")[0]
    nameless = int(fallback) if fallback.isdecimal() else first or 0
    name, begin = str(nameless), 0
    lines: list[str] = []
    text_line = others = 0
    closed = named = False
    held = ItemSize(source.name)

    def finished() -> Iterator[_Block]:
        held.begin()
        if lines:
            called = "" if first is None and not named else name or "0"
            yield _Block(begin or text_line, called, "\n".join(lines), text_line, others)

    for number, line in source.lines():
        if line.startswith("#") and not line.startswith("#|"):
            yield from finished()
            name, begin, named = line[1:].split("\t")[0].strip(), number, True
            lines, closed, others = [], False, 0
        elif line.strip():
            opening = line.lstrip().startswith("{")
            if closed and opening and not named:
                yield from finished()
                nameless += 1
                name, lines, closed = str(nameless), [], False
            if not lines:
                text_line = number
            if closed:
                others += opening
                continue
            lines.append(line)
            held.add(number, len(line))
            closed = line.rstrip().endswith("}") and not line.rstrip().endswith("{}")
        elif lines and not closed:
            lines.append("")
            held.add(number, 0)
    yield from finished()


def _parse(block: _Block) -> tuple[str, list[_Predication]]:
    text = block.text
    begin = _BEGIN.match(text)
    if begin is None:
        raise _error(block, 0, "expected '{' and the top")
    at = begin.end()
    found = []
    while not _END.match(text, at):
        match = next(filter(None, (each.match(text, at) for each in _PREDICATIONS)), None)
        if match is None:
            raise _error(block, at, "expected handle:predicate<from:to>[ROLE handle, ...]")
        if match["start"] is None and (broken := _BROKEN_SPAN.search(match["pred"])):
            message = f"expected a span <from:to> of two numbers, found {broken[0]!r}"
            raise _error(block, match.start("pred") + broken.start(), message)
        found.append(_predication(match, block))
        at = match.end()
    end = _END.match(text, at)
    if end is not None and text[end.end() :].strip():
        raise _error(block, end.end(), "the structure ended before this")
    return begin[1] or "", found


def _predication(match: re.Match[str], block: _Block) -> _Predication:
    constant = match["carg"]
    roles = _pairs(match["roles"], match, block)
    return _Predication(
        match["handle"],
        match["pred"],
        _anchors(match["start"], match["end"]),
        None if constant is None else _ESCAPE.sub(r"\1", constant),
        _pairs(match["properties"] or "", match, block),
        [(None if role == _NO_LABEL else role, handle) for role, handle in roles],
    )


def _anchors(start: str | None, end: str | None) -> tuple[Anchor, ...]:
    """The span of a predication; without one, or with a negative one, there is none."""
    if start is None or end is None or start.startswith("-"):
        return ()
    return (Anchor(whole_number(start), whole_number(end)),)


def _pairs(text: str, match: re.Match[str], block: _Block) -> list[tuple[str, str]]:
    result = []
    for part in text.split(","):
        words = part.split()
        if len(words) == 2:
            result.append((words[0], words[1]))
        elif words:
            raise _error(
                block, match.start(), f"expected a name and a value, found {part.strip()!r}"
            )
    return result


def _error(block: _Block, offset: int, message: str) -> UnreadableGraph:
    rest = block.text[offset:]
    offset += len(rest) - len(rest.lstrip())
    before = block.text[:offset]
    line = before.count("\n")
    column = offset - (before.rfind("\n") + 1) + 1
    shown = block.text.split("\n")[line][:100]
    return UnreadableGraph(
        message,
        code="K134",
        line=block.text_line + line,
        column=column,
        excerpt=f"{block.text_line + line:5} | {shown}",
    )


def _native(graph: Graph) -> str:
    """The native notation; handles and variable types are made up, as graphs have none."""
    if len(graph.tops) > 1:
        raise cannot_hold(graph, "EDS", f"it has {len(graph.tops)} tops")
    if re.search(r"^\||[\t\n]|^\s|\s$", graph.id):
        raise cannot_hold(
            graph, "EDS", "its id has a tab, several lines or blanks around it, or begins with '|'"
        )
    handles = {node.id: _handle(graph, node) for node in graph.nodes}
    top = handles[graph.tops[0]] if graph.tops else ""
    lines = [f"#{graph.id}", f"{{{top}:"]
    for node in graph.nodes:
        if not node.label or re.search(r"\s|<-?\d+:-?\d+>", node.label):
            raise cannot_hold(graph, "EDS", f"node {node.id} has no label, or one with blanks")
        if len(node.label) > _LONGEST_NAME:
            raise cannot_hold(graph, "EDS", f"the label of node {node.id} is too long")
        if len(node.anchors) > 1:
            raise cannot_hold(graph, "EDS", f"node {node.id} has several anchors")
        anchor = node.anchors[0] if node.anchors else Anchor(-1, -1)
        roles = [
            f"{edge.label or _NO_LABEL} {handles[edge.target]}" for edge in graph.outgoing[node.id]
        ]
        pairs = list(zip(node.properties, node.values, strict=False))
        constant = [str(value) for name, value in pairs if name == "CARG"]
        others = [f"{name} {value}" for name, value in pairs if name != "CARG"]
        if any(len(each) > _LONGEST_CONSTANT for each in constant):
            raise cannot_hold(graph, "EDS", f"the constant of node {node.id} is too long")
        if len(constant) > 1 or not all(_PAIR.fullmatch(each) for each in others):
            raise cannot_hold(graph, "EDS", f"node {node.id} has properties that do not fit")
        unclear = any(edge.label == _NO_LABEL for edge in graph.outgoing[node.id])
        if unclear or not all(_PAIR.fullmatch(role) for role in roles):
            raise cannot_hold(graph, "EDS", f"node {node.id} has a role that does not fit")
        quoted = [constant[0].replace("\\", "\\\\").replace('"', '\\"')] if constant else []
        lines.append(
            f" {handles[node.id]}:{node.label}<{anchor.start}:{anchor.end}>"
            + "".join(f'("{each}")' for each in quoted)
            + (f"{{{handles[node.id][0]} {', '.join(others)}}}" if others else "")
            + f"[{', '.join(roles)}]"
        )
    return "\n".join([*lines, "}"]) + "\n\n"


def _handle(graph: Graph, node: Node) -> str:
    if any(edge.label == "BV" for edge in graph.outgoing[node.id]):
        return f"_{node.id}"
    eventual = {"SF", "TENSE", "MOOD"} & set(node.properties)
    return f"{'e' if eventual or graph.outgoing[node.id] else 'x'}{node.id}"
