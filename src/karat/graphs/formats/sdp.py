"""The columns of the SDP shared tasks (2014 and 2015): dm, psd, pas and ccd.

One row per token; the graph's nodes are the tokens that have an edge or are
tops. All tokens are kept beside the graph, so that nothing is lost on the way
back to columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import IO, Annotated, Literal

from karat.core.files.opener import Source
from karat.core.options import File
from karat.core.reading.items import Item
from karat.errors import counted
from karat.graphs.anchoring import in_sequence, words_of
from karat.graphs.errors import UnreadableGraph, cannot_hold
from karat.graphs.formats.base import CompanionFormat, Labelled, node_of, paragraphs
from karat.graphs.model import Anchor, Graph, Node, Token

Year = Literal["2014", "2015"]


class SdpColumns(CompanionFormat):
    """Rows of id, form, lemma, pos, top, pred, frame, and one column per predicate.

    Files of 2014 have no frame column and no header line; they are told apart
    by that line.
    """

    writing = frozenset({"columns"})
    properties = frozenset({"pos", "frame"})

    text: Annotated[str, File(), "companion text to take the input and anchors from"] = ""
    year: Annotated[
        Year | None, "the columns of which year; taken from the header if not given"
    ] = None
    columns: Annotated[Year, "the columns of which year to write"] = "2015"

    @classmethod
    def recognizes(cls, head: str) -> bool:
        return _looks_like(head) == cls.name

    def graphs(self, source: Source) -> Iterator[Item]:
        year = self.year
        for block in paragraphs(source):
            if block[0][1].startswith("#SDP"):
                year = self.year or ("2014" if "2014" in block[0][1] else "2015")
                block = block[1:]
                if not block:
                    continue
            if year is None:
                year = "2014"
            line, first = block[0]
            name = first[1:].strip() if first.startswith("#") else ""
            make = partial(self._graph, name, block, 7 if year == "2015" else 6)
            yield self.item(source, line, name or None, make, self.notices_of(name))

    def _graph(self, name: str, block: Sequence[tuple[int, str]], columns: int) -> Graph:
        if not name:
            raise UnreadableGraph(
                f"a sentence begins with '#' and its id, found {block[0][1][:40]!r}", code="K130"
            )
        rows = [(n, row) for n, row in block[1:] if not row.startswith("#")]
        cells = [_cells(row, place, number, columns) for number, (place, row) in enumerate(rows, 1)]
        predicates = [i for i, row in enumerate(cells) if row[5] == "+"]
        for (place, _), row in zip(rows, cells, strict=True):
            if len(row) != columns + len(predicates):
                raise UnreadableGraph(
                    f"the row has {counted(len(row), 'column')}, not {columns + len(predicates)}: "
                    f"{columns} and one for each of {len(predicates)} predicates",
                    code="K131",
                    line=place,
                )
        text = self.companion_text(name)
        anchors: Sequence[Anchor | None] = [None] * len(cells)
        if text is not None:
            anchors = list(in_sequence(text, [row[1] for row in cells]))
        edges: list[Labelled] = [
            (predicate, i, row[columns + column])
            for i, row in enumerate(cells)
            for column, predicate in enumerate(predicates)
            if row[columns + column] != "_"
        ]
        tops = tuple(i for i, row in enumerate(cells) if row[4] == "+")
        used = {end for source, target, _ in edges for end in (source, target)}.union(tops)
        tokens = tuple(
            Token(
                row[1],
                _filled(row[2]),
                _filled(row[3]),
                row[5] == "+",
                _filled(row[6]) if columns == 7 else None,
            )
            for row in cells
        )
        nodes = (_node(i, tokens[i], anchors[i]) for i in sorted(used))
        return self.graph(name, text, tops, nodes, edges, tokens)

    def write(self, values: Iterable[Graph], stream: IO[bytes]) -> None:
        if self.columns == "2015":
            stream.write(b"#SDP 2015\n")
        for graph in self.told(values):
            stream.write(_columns(graph, self.columns == "2015").encode())

    def losses(self, graph: Graph) -> Iterator[str]:
        yield from super().losses(graph)
        touched = {end for edge in graph.edges for end in (edge.source, edge.target)}
        if not all(node.id in touched or node.id in graph.tops for node in graph.nodes):
            yield "have nodes without edges, which are not nodes in SDP columns"
        if self.columns != "2015" and any("frame" in node.properties for node in graph.nodes):
            yield "have frames, for which these columns have no place"


def _cells(row: str, place: int, number: int, columns: int) -> list[str]:
    cells = row.split("\t")
    if len(cells) < columns:
        raise UnreadableGraph(
            f"the row has {counted(len(cells), 'column')}, expected {columns} or more, with tabs",
            code="K131",
            line=place,
        )
    if cells[0] != str(number):
        raise UnreadableGraph(
            f"the first column is {cells[0]!r}, expected {number}", code="K133", line=place
        )
    for column in (4, 5):
        if cells[column] not in ("+", "-"):
            raise UnreadableGraph(
                f"column {column + 1} is {cells[column]!r}, expected + or -",
                code="K133",
                line=place,
            )
    return cells


def _filled(cell: str) -> str | None:
    return None if cell == "_" else cell


def _node(number: int, token: Token, anchor: Anchor | None) -> Node:
    pairs = [("pos", token.pos or "_")]
    if token.frame is not None:
        pairs.append(("frame", token.frame))
    label = token.form if token.lemma is None else token.lemma
    return node_of(number, label, pairs, () if anchor is None else (anchor,))


def _columns(graph: Graph, frames: bool) -> str:
    """The rows of a sentence; tokens that are not nodes come from the graph or its input."""
    tokens = graph.tokens or words_of(graph)
    if not graph.id or graph.id != graph.id.strip() or "\n" in graph.id:
        why = "its id is empty, or has several lines or blanks around it"
        raise cannot_hold(graph, "SDP columns", why)
    if graph.nodes and max(node.id for node in graph.nodes) >= len(tokens):
        raise cannot_hold(graph, "SDP columns", "its nodes are not numbered as tokens")
    labels: dict[tuple[int, int], str] = {}
    for edge in graph.edges:
        if labels.setdefault((edge.source, edge.target), edge.label or "") != (edge.label or ""):
            raise cannot_hold(graph, "SDP columns", "two edges have the same ends")
        if not edge.label or edge.label == "_":
            raise cannot_hold(graph, "SDP columns", "an edge has no label")
    sources = {edge.source for edge in graph.edges}
    predicates = [i for i, token in enumerate(tokens) if i in sources or token.predicate]
    lines = [f"#{graph.id}"]
    for i, token in enumerate(tokens):
        node = graph.node_of.get(i)
        if node is not None:
            token = _as_token(token, node, bool(graph.tokens))
        cells = [
            str(i + 1),
            token.form,
            token.lemma or "_",
            token.pos or "_",
            "+" if i in graph.tops else "-",
            "+" if i in predicates else "-",
            *([token.frame or "_"] if frames else []),
            *(labels.get((predicate, i), "_") for predicate in predicates),
        ]
        if any("\t" in cell or "\n" in cell or not cell for cell in cells):
            raise cannot_hold(graph, "SDP columns", f"token {i + 1} has an empty or broken cell")
        lines.append("\t".join(cells))
    return "\n".join(lines) + "\n\n"


def _as_token(token: Token, node: Node, known: bool) -> Token:
    """The token with what its node says, which may have been changed since reading."""
    label = node.label
    lemma = token.lemma if known and label == (token.lemma or token.form) else label
    pos, frame = node.property("pos"), node.property("frame")
    return Token(
        token.form,
        lemma,
        None if pos in (None, "_") else str(pos),
        token.predicate,
        None if frame is None else str(frame),
    )


_PAS_LABEL = re.compile(
    r"\t(?:verb|noun|adj|prep|det|aux|conj|coord|lparen|punct|relative)_(?:ARG\d|MOD)\b"
)
_PSD_LABEL = re.compile(r"\t(?:[A-Z0-9]+-arg|RSTR|[A-Z]+\.member)\b")
_DM_LABEL = re.compile(r"\t(?:ARG\d|BV|compound|loc|poss)\b")
_CCD_LABEL = re.compile(r"\t[1-9](?:\t|\n|$)")


def _looks_like(head: str) -> str | None:
    """The framework that the labels in the beginning of a file speak of."""
    if not re.match(r"#SDP|#\S+\s*\n1\t", head):
        return None
    for name, label in (("pas", _PAS_LABEL), ("psd", _PSD_LABEL), ("dm", _DM_LABEL)):
        if label.search(head):
            return name
    return "ccd" if _CCD_LABEL.search(head) else None


class Dm(SdpColumns):
    """DELPH-IN MRS bi-lexical dependencies, in SDP columns."""

    name = "dm"


class Psd(SdpColumns):
    """Prague semantic dependencies, in SDP columns."""

    name = "psd"


class Pas(SdpColumns):
    """Enju predicate-argument structures, in SDP columns."""

    name = "pas"


class Ccd(SdpColumns):
    """Dependencies of CCGbank, in SDP columns."""

    name = "ccd"
