"""Universal Dependencies as graphs: basic trees (ud) and enhanced graphs (eud), in CoNLL-U.

The family of dependency trees reads CoNLL-U as trees; here words are nodes of a
bilexical graph. The reader is karat's own: ten columns need no library, and
errors have to name their line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import IO, Annotated, ClassVar, NamedTuple

from karat.core.files.opener import Source
from karat.core.options import File
from karat.core.reading.items import Item
from karat.errors import FormatError, Place, counted
from karat.graphs.anchoring import in_order, words_of
from karat.graphs.errors import UnreadableGraph, cannot_hold, whole_number
from karat.graphs.formats.base import GraphFormat, Labelled, node_of, paragraphs
from karat.graphs.model import Anchor, Graph, Node, Token
from karat.graphs.normalize import Compat

_ID = re.compile(r"(\d{1,9})(?:-(\d{1,9})|\.(\d{1,9}))?")
_PLACE = re.compile(r"\d{1,18}")
_RANGE = re.compile(r"TokenRange=(\d+):(\d+)")
_FIXED = ("lemma", "upos", "xpos")


class _Row(NamedTuple):
    line: int
    id: str
    cells: list[str]

    @property
    def is_range(self) -> bool:
        return "-" in self.id

    @property
    def is_empty(self) -> bool:
        return "." in self.id


_OF_WORDS = ("ud", "eud", "conllu")
"""Frameworks whose nodes are the words."""


class Ud(GraphFormat):
    """Basic dependencies: the words are the nodes as in the file.

    Words of a multiword token have that token's anchor; empty nodes are no
    words. With ``compat="mtool"`` every row is a node.
    """

    name = "ud"
    enhanced: ClassVar[bool] = False

    anchors: Annotated[str, File(), "a file of from, to and form for each surface token"] = ""
    compat: Annotated[Compat | None, "make every row a node, as mtool did"] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._given = _read_anchors(self.anchors) if self.anchors else None

    @classmethod
    def recognizes(cls, head: str) -> bool:
        # Marks in the fifth and sixth column are those of SDP, whose rows may be as wide.
        row = re.search(
            r"^1(?:-\d+)?\t(?:[^\t\n]*\t){3}(?![+-]\t[+-]\t)(?:[^\t\n]*\t){2}(?:\d+|_)"
            r"\t[^\t\n]*\t([^\t\n]*)\t[^\t\n]*\r?$",
            head,
            re.MULTILINE,
        )
        return row is not None and (":" in row[1]) == cls.enhanced

    def graphs(self, source: Source) -> Iterator[Item]:
        for number, block in enumerate(paragraphs(source), self.before):
            metadata = _metadata(block)
            name = metadata.get("sent_id", self.numbered(number))
            given = None
            if self._given is not None:
                given = self._given[number] if number < len(self._given) else []
            make = partial(self._graph, name, metadata.get("text"), block, given)
            yield self.item(source, block[0][0], name, make)

    def _graph(
        self,
        name: str,
        text: str | None,
        block: Sequence[tuple[int, str]],
        given: Sequence[Anchor] | None,
    ) -> Graph:
        rows = _rows(block)
        surface = _surface(rows)
        if text is None:
            text = _rebuilt(surface)
        anchors = _anchors(text, surface, given)
        if not self.compat:
            anchors |= _inside_ranges(rows, anchors)
        nodes_of = [row for row in rows if self._is_node(row)]
        number = {row.id: i for i, row in enumerate(nodes_of, 1)}
        tops: list[int] = []
        edges: list[Labelled] = []
        for row in nodes_of:
            if self._is_top(row):
                tops.append(number[row.id])
            for head, label in self._heads(row):
                if head == "0":
                    continue
                if head in number:
                    edges.append((number[head], number[row.id], label))
                else:
                    raise UnreadableGraph(
                        f"the head of word {row.id} is {head}, which is not there",
                        code="K123",
                        line=row.line,
                    )
        nodes = (_node(number[row.id], row, anchors.get(row.id)) for row in nodes_of)
        tokens = () if self.compat else map(_token, rows)
        return self.graph(name, text, dict.fromkeys(tops), nodes, dict.fromkeys(edges), tokens)

    def _is_node(self, row: _Row) -> bool:
        if self.compat:
            return True
        return not row.is_range and (self.enhanced or not row.is_empty)

    def _is_top(self, row: _Row) -> bool:
        """Whether HEAD is 0; in files that leave that column to DEPS, whether a head there is."""
        head = row.cells[6]
        return head == "0" or (head == "_" and ("0" in dict(self._heads(row))))

    def _heads(self, row: _Row) -> list[tuple[str, str]]:
        head, relation, enhanced = row.cells[6:9]
        if not self.enhanced:
            return [] if head == "_" else [(head, relation)]
        if enhanced == "_":
            return [(head, relation)] if head == "0" else []
        found = []
        for part in enhanced.split("|"):
            other, colon, label = part.partition(":")
            if not colon or not _ID.fullmatch(other):
                raise UnreadableGraph(
                    f"{part!r} is not a head and label with a colon between them",
                    code="K133",
                    line=row.line,
                )
            found.append((other, label))
        return found

    def write(self, values: Iterable[Graph], stream: IO[bytes]) -> None:
        for graph in self.told(values):
            stream.write(_conllu(graph, self.enhanced).encode())

    def losses(self, graph: Graph) -> Iterator[str]:
        yield from super().losses(graph)
        words = () if graph.framework in _OF_WORDS else words_of(graph)
        if words and any(node.label != words[node.id].form for node in graph.nodes):
            yield f"have labels that are not the words, which are lemmas as {self.name}"
        unlabelled = any(edge.label is None for edge in graph.edges)
        if unlabelled or (not words and any(node.label is None for node in graph.nodes)):
            yield f"have nodes or edges without a label, which get _ as {self.name}"


class Eud(Ud):
    """Enhanced dependencies: words and empty nodes, with all heads of the column DEPS."""

    name = "eud"
    enhanced = True


def _metadata(block: Sequence[tuple[int, str]]) -> dict[str, str]:
    pairs = (line[1:].partition("=") for _, line in block if line.startswith("#"))
    return {key.strip(): value.strip() for key, equals, value in pairs if equals}


def _rows(block: Sequence[tuple[int, str]]) -> list[_Row]:
    rows = []
    for number, line in block:
        if line.startswith("#"):
            continue
        cells = line.split("\t")
        if len(cells) != 10:
            raise UnreadableGraph(
                f"the row has {counted(len(cells), 'column')}, expected 10 with tabs between",
                code="K131",
                line=number,
            )
        if not _ID.fullmatch(cells[0]):
            raise UnreadableGraph(
                f"{cells[0]!r} is not a word id, expected 3, 3-4 or 3.1", code="K133", line=number
            )
        rows.append(_Row(number, cells[0], cells))
    if len({row.id for row in rows}) != len(rows):
        raise UnreadableGraph("two rows have the same id", code="K133", line=block[0][0])
    return rows


def _surface(rows: Sequence[_Row]) -> list[_Row]:
    """The tokens that stand in the text: ranges, and words outside of them."""
    result = []
    last = 0
    for row in rows:
        match = _ID.fullmatch(row.id)
        assert match is not None
        if row.is_range:
            last = int(match[2])
            result.append(row)
        elif not row.is_empty and int(match[1]) > last:
            result.append(row)
    return result


def _rebuilt(surface: Sequence[_Row]) -> str:
    parts = []
    for row in surface:
        parts.append(row.cells[1])
        if "SpaceAfter=No" not in row.cells[9].split("|"):
            parts.append(" ")
    return "".join(parts).rstrip(" ")


def _inside_ranges(rows: Sequence[_Row], anchors: dict[str, Anchor]) -> dict[str, Anchor]:
    """The anchors of words that stand in the text only as part of a multiword token."""
    found: dict[str, Anchor] = {}
    done = 0
    for row in rows:
        if row.is_range:
            first, last = map(int, row.id.split("-"))
            inside = range(max(first, done + 1), min(last, len(rows)) + 1)
            found |= {str(number): anchors[row.id] for number in inside}
            done = max(done, last)
    return found


def _anchors(
    text: str, surface: Sequence[_Row], given: Sequence[Anchor] | None
) -> dict[str, Anchor]:
    """The anchors of surface tokens, each as given, as the last column says, or as found."""
    found: Sequence[Anchor]
    if given is not None:
        if len(given) != len(surface):
            raise UnreadableGraph(
                f"there are {len(given)} anchors for {counted(len(surface), 'token')}", code="K132"
            )
        found = given
    else:
        ranges = [_RANGE.search(row.cells[9]) for row in surface]
        known = [
            match and Anchor(whole_number(match[1]), whole_number(match[2])) for match in ranges
        ]
        found = list(in_order(text, [row.cells[1] for row in surface], known))
    return {row.id: anchor for row, anchor in zip(surface, found, strict=True)}


def _node(number: int, row: _Row, anchor: Anchor | None) -> Node:
    pairs = list(zip(_FIXED, row.cells[2:5], strict=True))
    if row.cells[5] != "_":
        features = (each.partition("=") for each in row.cells[5].split("|"))
        pairs += [(name, value) for name, _, value in features]
    return node_of(number, row.cells[1], pairs, () if anchor is None else (anchor,))


def _token(row: _Row) -> Token:
    cells = [None if cell == "_" else cell for cell in row.cells]
    return Token(row.cells[1], cells[2], cells[3], number=row.id, misc=cells[9])


def _read_anchors(path: str) -> list[list[Anchor]]:
    source = Source(path)
    result: list[list[Anchor]] = []
    for block in paragraphs(source):
        anchors = []
        for number, line in block:
            if line.startswith("#"):
                continue
            cells = line.split("\t")
            if len(cells) < 2 or not (_PLACE.fullmatch(cells[0]) and _PLACE.fullmatch(cells[1])):
                raise FormatError(
                    "expected from, to and form with tabs between",
                    code="K131",
                    place=Place(source.name, number),
                )
            anchors.append(Anchor(int(cells[0]), int(cells[1])))
        result.append(anchors)
    return result


# -- writing ------------------------------------------------------------------


def _conllu(graph: Graph, enhanced: bool) -> str:
    tokens = graph.tokens if all(token.number for token in graph.tokens) else ()
    known = bool(tokens)
    if not known:
        tokens = _numbered(graph)
    names = _names(graph, tokens, enhanced)
    lines = [f"# sent_id = {graph.id}"]
    if graph.input is not None:
        lines.append(f"# text = {graph.input}")
    numbers = {name: number for number, name in names.items()}
    for token in tokens:
        node = graph.node_of.get(numbers.get(token.number, -1))
        if node is None:
            cells = [token.form, token.lemma, token.pos, None, None, None, None, None]
        else:
            lemma, upos, xpos = (node.property(name) for name in _FIXED)
            features = [
                f"{name}={value}"
                for name, value in zip(node.properties, node.values, strict=False)
                if name not in _FIXED
            ]
            cells = [
                token.form,
                lemma or token.lemma or (node.label if node.label != token.form else None),
                upos or node.property("pos") or token.pos,
                xpos,
                "|".join(features) or None,
                *_relations(graph, node, names, enhanced),
            ]
        shown = [token.number, *("_" if cell is None else str(cell) for cell in cells)]
        shown.append(_misc(token, node, known))
        if any("\t" in cell or "\n" in cell or not cell for cell in shown):
            raise cannot_hold(graph, "CoNLL-U", f"word {token.number} has an empty or broken cell")
        lines.append("\t".join(shown))
    if any("\n" in line for line in lines):
        raise cannot_hold(graph, "CoNLL-U", "its id or input has several lines")
    if any(text != text.strip() for text in (graph.id, graph.input or "")):
        raise cannot_hold(graph, "CoNLL-U", "its id or input begins or ends with a blank")
    if not known:
        _check_text(graph, lines)
    return "\n".join(lines) + "\n\n"


def _check_text(graph: Graph, lines: Sequence[str]) -> None:
    """Words that were made up from nodes must be in the text, in their order."""
    surface = _surface(_rows(list(enumerate(lines, 1))))
    text = graph.input
    try:
        _anchors(_rebuilt(surface) if text is None else text, surface, None)
    except UnreadableGraph as problem:
        raise cannot_hold(graph, "CoNLL-U", str(problem)) from None


def _numbered(graph: Graph) -> tuple[Token, ...]:
    """The words of a graph that was not read from CoNLL-U."""
    if graph.framework in _OF_WORDS:
        # Whatever the numbers of the nodes are: words count from 1, and 0 is the root.
        return tuple(
            Token(node.label or "_", number=str(i))
            for i, node in enumerate(sorted(graph.nodes, key=lambda node: node.id), 1)
        )
    return tuple(
        Token(word.form, word.lemma, word.pos, number=str(i))
        for i, word in enumerate(words_of(graph), 1)
    )


def _names(graph: Graph, tokens: Sequence[Token], enhanced: bool) -> dict[int, str]:
    """The word id of each node."""
    if graph.framework in _OF_WORDS:
        words = [
            token.number
            for token in tokens
            if "-" not in token.number and (enhanced or "." not in token.number)
        ]
        if len(words) != len(graph.nodes):
            raise cannot_hold(graph, "CoNLL-U", "its nodes are not the words")
        ordered = sorted(node.id for node in graph.nodes)
        return dict(zip(ordered, words, strict=True))
    if any(node.id >= len(tokens) for node in graph.nodes):
        raise cannot_hold(graph, "CoNLL-U", "its nodes are not numbered as tokens")
    return {node.id: str(node.id + 1) for node in graph.nodes}


def _relations(graph: Graph, node: Node, names: dict[int, str], enhanced: bool) -> list[str | None]:
    """HEAD, DEPREL and DEPS."""
    heads = [(names[edge.source], edge.label or "_") for edge in graph.incoming[node.id]]
    if node.id in graph.tops:
        heads.insert(0, ("0", "root"))
    if enhanced:
        if any("|" in label for _, label in heads):
            raise cannot_hold(graph, "CoNLL-U", f"word {names[node.id]} has a label with a '|'")
        ordered = sorted(heads, key=lambda head: tuple(map(int, head[0].split("."))))
        return [None, None, "|".join(f"{head}:{label}" for head, label in ordered) or None]
    if len(heads) > 1:
        raise cannot_hold(
            graph, "CoNLL-U", f"word {names[node.id]} has {len(heads)} heads, write eud instead"
        )
    return [*(heads[0] if heads else (None, None)), None]


def _misc(token: Token, node: Node | None, known: bool) -> str:
    """The last column; for words that were not read from CoNLL-U, their anchor."""
    if known or node is None or len(node.anchors) != 1:
        return token.misc or "_"
    return f"TokenRange={node.anchors[0].start}:{node.anchors[0].end}"
