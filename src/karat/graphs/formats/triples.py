"""Graphs as triples, one a line, for the metrics that count them; and PENMAN read as triples."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import IO

from karat.core.files.opener import Source
from karat.core.format import Format
from karat.core.reading.items import Item
from karat.errors import FormatError, Place
from karat.graphs.amr.penman import blocks, parse, quoted
from karat.graphs.amr.statements import (
    ROOT,
    Statement,
    Statements,
    shown_variable,
    statements_of,
    variables_of,
)
from karat.graphs.errors import UnreadableGraph
from karat.graphs.formats.base import broken_item, paragraphs

_ID = re.compile(r"^#(?:.*\s)?::id +(\S+)")
_SYMBOL = re.compile(r"[^\s()\":/~][^\s()~\"]*")


class TripleLines(Format):
    """Triples, one a line: source, target, relation; graphs with blank lines between them.

    Fields are parted by tabs, or by blanks where a line has no tab. The relation
    `:instance` tells concepts, `root x :root` the top; without it a graph has none.
    Lines that begin with `#` are comments, of which `# ::id` is known.
    """

    name = "triples"
    kind = "triples"

    @classmethod
    def recognizes(cls, head: str) -> bool:
        lines = [line for line in head.split("\n") if line.strip() and line[0] != "#"]
        first = _fields(lines[0]) if lines else []
        return len(first) == 3 and first[2].startswith(":")

    def read(self, source: Source) -> Iterator[Item]:
        for block in paragraphs(source):
            found: list[Statement] = []
            name = ""
            try:
                for number, line in block:
                    if line[0] != "#":
                        found.append(_statement(line, number))
                    elif known := _ID.match(line):
                        name = known[1]
            except UnreadableGraph as problem:
                yield broken_item(problem, source, block[0][0], _key(name))
                continue
            if found:
                graph = Statements(found, variables_of(found), name)
                yield Item(graph, _key(name), block[0][0])

    def write(self, values: Iterable[Statements], stream: IO[bytes]) -> None:
        for graph in values:
            name = _names(graph)
            lines = []
            for s, role, t in _with_plain_root(graph):
                cells = [name(s), _concept(t) if role == "instance" else name(t), f":{role}"]
                line = "\t".join(cells)
                if (
                    "\n" in line
                    or line[0] == "#"
                    or _fields(line) != cells
                    or not (all(cells) and role)
                ):
                    raise FormatError(
                        f"triples cannot hold {line[:60]!r}: a part is empty or has a tab, a line "
                        "end or blanks around it",
                        code="K126",
                        place=Place("output", item=graph.id),
                    )
                lines.append(line)
            stream.write(_text(graph, *lines))


def _key(name: str) -> tuple[str] | None:
    return (name,) if name else None


def _text(graph: Statements, *lines: str) -> bytes:
    head = [f"# ::id {graph.id}"] if graph.id else []
    return "\n".join((*head, *lines)).encode() + b"\n\n"


def _fields(line: str) -> list[str]:
    return [each.strip() for each in line.split("\t")] if "\t" in line else line.split()


def _statement(line: str, number: int) -> Statement:
    fields = _fields(line)
    if len(fields) != 3 or not all(fields) or fields[2] == ":":
        raise UnreadableGraph(
            f"{line[:60]!r} is not a triple",
            code="K143",
            line=number,
            excerpt=f"{number:5} | {line[:100]}",
            advice="write source, target and relation, as in: d dog :instance",
        )
    source, target, relation = fields
    role = relation.removeprefix(":")
    return (ROOT if role == "root" else source, role, target)


class PenmanTriples(Format):
    """PENMAN notation read as triples, and triples in PENMAN notation."""

    name = "penman-triples"
    kind = "triples"

    def read(self, source: Source) -> Iterator[Item]:
        for block in blocks(source.block_lines()):
            try:
                graph = statements_of(parse(block))._replace(id=block.id)
            except UnreadableGraph as problem:
                yield broken_item(problem, source, block.line, _key(block.id))
                continue
            yield Item(graph, _key(block.id), block.line)

    def write(self, values: Iterable[Statements], stream: IO[bytes]) -> None:
        for graph in values:
            stream.write(_text(graph, penman_of_statements(graph)))


def penman_of_statements(graph: Statements) -> str:
    """A graph in PENMAN notation, on one line; parts that are not connected are an error.

    >>> graph = [(ROOT, "root", "b"), ("b", "instance", "big"), ("d", "instance", "dog"),
    ...          ("d", "mod", "b"), ("d", "quant", "2")]
    >>> penman_of_statements(Statements(graph, frozenset("bd")))
    '(b / big :mod-of (d / dog :quant 2))'
    """
    name = _names(graph)
    statements = _with_plain_root(graph)
    concept = {source: target for source, role, target in statements if role == "instance"}
    tops = [target for _, role, target in statements if role == "root"]
    if not statements:
        return ""
    top = (*tops, *concept)[0] if concept else ""
    if top not in concept or len(tops) > 1:
        raise _cannot_hold("its top is not a variable with a concept, or there are several")
    if odd := [name(each) for each in concept if not _SYMBOL.fullmatch(name(each))]:
        raise _cannot_hold(f"the variable {odd[0]!r} is not a word")
    links: dict[str, list[tuple[int, str, str]]] = {variable: [] for variable in concept}
    ordinary = [each for each in statements if each[1] not in ("instance", "root")]
    for number, (source, role, target) in enumerate(ordinary):
        if source in links:
            links[source].append((number, role, target))
    for number, (source, role, target) in enumerate(ordinary):
        if target in links and source != target:
            links[target].append((number, f"{role}-of", source))
    written = [f"({name(top)} / {_concept(concept[top])}"]
    known, told = {top}, set()
    path = [(top, iter(links[top]))]
    while path:
        node, rest = path[-1]
        for number, role, other in rest:
            # What leads here from a node that is known is told there.
            if number in told or (other in known and ordinary[number][0] != node):
                continue
            told.add(number)
            if other in links and other not in known:
                known.add(other)
                written.append(f" :{role} ({name(other)} / {_concept(concept[other])}")
                path.append((other, iter(links[other])))
                break
            written.append(f" :{role} {name(other)}")
        else:
            path.pop()
            written.append(")")
    if len(known) < len(concept) or len(told) < len(ordinary):
        raise _cannot_hold("it is not connected")
    return "".join(written)


def _cannot_hold(why: str) -> FormatError:
    return FormatError(
        f"PENMAN cannot hold this graph: {why}",
        code="K126",
        place=Place("output"),
        advice="choose another format, or use ``on_error='skip'`` to leave such graphs out",
    )


def _with_plain_root(graph: Statements) -> list[Statement]:
    """The statements, that of the top as it is read."""
    return [
        ("root", role, source if source in graph.variables else target)
        if role == "root"
        else (source, role, target)
        for source, role, target in graph.all
    ]


def _names(graph: Statements) -> Callable[[str], str]:
    """How a term is written: a constant that could be taken for a variable has quotes."""
    variables = {shown_variable(each) for each in graph.variables}

    def name(term: str) -> str:
        if term in graph.variables:
            return shown_variable(term)
        return quoted(term) if term in variables else _concept(term)

    return name


def _concept(term: str) -> str:
    """A word as it is, if it is one, or in quotes."""
    has_quotes = len(term) > 1 and term[0] == term[-1] == '"'
    return term if has_quotes or _SYMBOL.fullmatch(term) else quoted(term)
