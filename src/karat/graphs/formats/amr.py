"""Abstract Meaning Representation in PENMAN notation, and the Chinese variety.

PENMAN's own library was measured as too slow for corpora (see benchmarks) and
keeps no columns, so there is a reader in `karat.graphs.amr.penman`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import IO, Annotated, ClassVar, TypeAlias

from msgspec.structs import replace

from karat.core.files.opener import Source
from karat.core.options import File
from karat.core.reading.items import Item
from karat.errors import FormatError, Place
from karat.graphs.amr.penman import Block, Penman, blocks, parse, penman_of_text
from karat.graphs.anchoring import in_order
from karat.graphs.errors import cannot_hold
from karat.graphs.formats.base import CompanionFormat
from karat.graphs.formats.penman import penman_of
from karat.graphs.model import Anchor, Edge, Graph, Node
from karat.graphs.normalize import Compat, turned, uninverted

_source = itemgetter(0)
_WSJ = re.compile(r"wsj_(\d{1,9})\.(\d{1,9})(?!\d)")
_LPP = re.compile(r"lpp_1943\.(\d{1,9})(?!\d)")


def converted_id(name: str) -> str:
    """The id under which the shared tasks know a sentence.

    >>> converted_id("nw.wsj_0003.12"), converted_id("lpp_1943.17"), converted_id("other")
    ('20003012', '100170', 'other')
    """
    if match := _WSJ.search(name):
        return f"2{int(match[1]):04d}{int(match[2]):03d}"
    if match := _LPP.search(name):
        return f"1{int(match[1]):04d}0"
    return name


class Amr(CompanionFormat):
    """PENMAN notation, graphs with blank lines between them.

    Edges keep the direction they are written in; `normal` tells the label once
    an inverted edge is turned around. Constants are properties, with their case
    and all that is inside their quotes; alignments (``~e.4``) are left out.
    """

    name = "amr"
    holds = frozenset({"labels", "inverted"})
    framework = "amr"
    chinese: ClassVar[bool] = False

    text: Annotated[str, File(), "companion text to take the input from"] = ""
    full: Annotated[bool, "keep :wiki"] = False
    reify: Annotated[bool, "make each constant a node of its own"] = False
    strict: Annotated[bool, "refuse parentheses that do not match"] = False
    alignment: Annotated[str, File(), "a file of alignments, to make overlay graphs from"] = ""
    compat: Annotated[
        Compat | None, "lower-case constants, keep the last of repeated ones, as mtool did"
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.alignments = read_alignments(self.alignment) if self.alignment else {}
        self.overlays: list[Graph] = []
        self._nameless = 0

    @classmethod
    def recognizes(cls, head: str) -> bool:
        if re.search(r"^\s*\(\s*x\d+\S*\s*/|:[^\s(:]+\([^\s()]*\)\s", head, re.MULTILINE):
            return cls.chinese
        return not cls.chinese and bool(re.search(r"^\s*\(\s*[^\s()/]+\s*/", head, re.MULTILINE))

    def graphs(self, source: Source) -> Iterator[Item]:
        nameless = self._nameless if self.continues else 0
        for block in blocks(source.block_lines()):
            name = converted_id(block.id)
            if not name:
                name, nameless = self.numbered(nameless), nameless + 1
            yield self._item(source, name, block)
        self._nameless = nameless

    def read_text(self, text: str, where: str) -> Item:
        """The item of the one graph that a string holds; what is put right is among its notices."""
        found = list(blocks(enumerate(text.split("\n"), 1)))
        if len(found) != 1:
            raise FormatError(f"expected one graph, found {len(found) or 'none'}", code="K146")
        return self._item(where, converted_id(found[0].id), found[0])

    def of_text(self, text: str) -> Graph:
        """The graph that a text holds, without id and sentence; an empty text has no nodes."""
        graph = self._graph("", penman_of_text(text), Block(1, {}, text, 1))
        return graph if graph.nodes else graph.emptied()

    def _item(self, source: Source | str, name: str, block: Block) -> Item:
        notices = list(self.notices_of(name))

        def make() -> Graph:
            penman = parse(block, chinese=self.chinese, strict=self.strict)
            notices.extend(penman.warnings)
            graph = self._graph(name, penman, block)
            if block.id in self.alignments:
                overlay, notes = overlay_of(graph, penman.variables, self.alignments[block.id])
                self.overlays.append(overlay)
                self.warnings.extend(notes)
            return graph

        return self.item(source, block.line, name, make, notices)

    def _graph(self, name: str, penman: Penman, block: Block) -> Graph:
        sentence = block.metadata.get("snt")
        text = self.companion.get(name) if self.companion else sentence
        number_of, reified = self._numbers(penman)
        nodes, edges = self._content(penman, number_of)
        if self.chinese and text and (words := _words(text, sentence or text)):
            nodes = [
                replace(node, anchors=_aligned(variable, words))
                for node, variable in zip(nodes, penman.variables, strict=True)
            ]
        if reified:
            nodes += [Node(number, value) for _, number, _, value in reified]
            nodes.sort(key=lambda node: node.id)
            edges = [(source, number, role) for source, number, role, _ in reified] + edges
        compat = self.compat
        return Graph(
            name,
            2,
            "amr",
            input=text,
            tops=(0,),
            nodes=tuple(nodes),
            edges=tuple(
                [
                    Edge(source, target, role or None, number, uninverted(role, compat))
                    for number, (source, target, role) in enumerate(edges)
                ]
            ),
        )

    def _numbers(self, penman: Penman) -> tuple[Sequence[int], list[tuple[int, int, str, str]]]:
        """The node id of each variable; of constants that become nodes the source, id and label."""
        if not self.reify:
            return range(len(penman.variables)), []
        constants: list[list[tuple[str, str]]] = [[] for _ in penman.variables]
        for source, name, value, kind, _ in penman.roles:
            if kind != "variable" and (self.full or name != "wiki"):
                constants[source].append((name, value))
        numbers: list[int] = []
        reified: list[tuple[int, int, str, str]] = []
        for pairs in constants:
            number = len(numbers) + len(reified)
            numbers.append(number)
            for name, value in pairs:
                reified.append((number, len(numbers) + len(reified), name, value))
        return numbers, reified

    def _content(
        self, penman: Penman, number_of: Sequence[int]
    ) -> tuple[list[Node], list[tuple[int, int, str]]]:
        """The nodes with their properties, and the edges between variables, node by node.

        Edges to variables that were not known yet come after the others of a node.
        """
        index = dict(zip(penman.variables, number_of, strict=True))
        properties: dict[int, list[tuple[str, str]]] = {}
        edges: list[tuple[int, int, str]] = []
        later: list[tuple[int, int, str]] = []
        keeps_constants, full = not self.reify, self.full
        for source, name, value, kind, nested in penman.roles:
            if nested:
                edges.append((number_of[source], index[value], name))
            elif kind == "variable":
                later.append((number_of[source], index[value], name))
            elif keeps_constants and (name != "wiki" or full):
                if source in properties:
                    properties[source].append((name, value))
                else:
                    properties[source] = [(name, value)]
        edges += later
        edges.sort(key=_source)
        nodes = []
        for i, concept in enumerate(penman.concepts):
            pairs = properties.get(i)
            if pairs is None:
                nodes.append(Node(number_of[i], concept))
                continue
            if self.compat:
                pairs = list({name.lower(): value.lower() for name, value in pairs}.items())
            names, values = zip(*pairs, strict=True)
            nodes.append(Node(number_of[i], concept, names, values))
        return nodes, edges

    def write(self, values: Iterable[Graph], stream: IO[bytes]) -> None:
        for graph in self.told(values):
            stream.write(penman_of(graph).encode() + b"\n")

    def losses(self, graph: Graph) -> Iterator[str]:
        yield from super().losses(graph)
        if graph.nodes and not graph.tops:
            yield f"have no top, and get one as {self.name}"
        framework = graph.framework
        if any(
            turned(edge, framework) != turned(replace(edge, normal=None), "amr")
            for edge in graph.edges
        ):
            yield f"have edges whose labels, like mod or ARG0-of, are inverted only as {self.name}"


_WORD = re.compile(r"x(\d{1,9})")
_CHARACTER = re.compile(r"\d{1,9}")


class Camr(Amr):
    """Chinese AMR: variables tell the words they stand for, roles may tell theirs."""

    name = "camr"
    holds = frozenset({"labels", "anchors", "inverted"})
    chinese = True

    def write(self, values: Iterable[Graph], stream: IO[bytes]) -> None:
        for graph in self.told(values):
            stream.write(penman_of(graph, _aligned_names(graph)).encode() + b"\n")


def _words(text: str, sentence: str) -> list[Anchor]:
    """The words of an input, which variables number.

    One that is not split into words is read beside the sentence that came with the graph.
    """
    forms = max(text.split(), sentence.split(), key=list.__len__)
    return list(in_order(text, forms))


def _aligned_names(graph: Graph) -> dict[int, str]:
    """Variables that tell the words of each node; those of others are beyond the last word."""
    words = list(in_order(graph.input or "", (graph.input or "").split()))
    names: dict[int, str] = {}
    beyond = len(words)
    for node in graph.nodes:
        name = "_".join(_word_name(anchor, words, graph) for anchor in node.anchors)
        # Characters of one word in a row share its number.
        parts: list[str] = []
        word = ""
        for part in name.split("_") if name else ():
            if part.startswith("x") and part == word and parts[-1] != part:
                continue
            word = part if part.startswith("x") else word
            parts.append(part)
        if not parts:
            beyond += 1
            parts = [f"x{beyond}"]
        names[node.id] = "_".join(parts)
    if len(set(names.values())) != len(names):
        raise cannot_hold(graph, "Chinese AMR", "two nodes have the same anchors")
    return names


def _word_name(anchor: Anchor, words: Sequence[Anchor], graph: Graph) -> str:
    for number, word in enumerate(words, 1):
        if word == anchor:
            return f"x{number}"
        if word.start <= anchor.start < word.end and anchor.end == anchor.start + 1:
            return f"x{number}_{anchor.start - word.start + 1}"
    raise cannot_hold(graph, "Chinese AMR", "an anchor is neither a word nor a character of one")


def _aligned(variable: str, words: Sequence[Anchor]) -> tuple[Anchor, ...]:
    """The anchors that a variable like ``x4``, ``x4_1_3`` or ``x4_x6`` tells."""
    result: list[Anchor] = []
    word: Anchor | None = None
    whole = False
    for part in variable.split("_"):
        if match := _WORD.fullmatch(part):
            if whole and word is not None:
                result.append(word)
            number = int(match[1]) - 1
            word, whole = (words[number], True) if number < len(words) else (None, False)
        elif _CHARACTER.fullmatch(part) and word is not None:
            start = word.start + int(part) - 1
            if word.start <= start < word.end:
                result.append(Anchor(start, start + 1))
            whole = False
        else:
            return ()
    if whole and word is not None:
        result.append(word)
    return tuple(result)


Path: TypeAlias = tuple[str, ...]
_LINE = re.compile(r"(\S+(?: :\S+)*)\t(\d{1,9})-(\d{1,9})\s*")


def read_alignments(path: str) -> dict[str, list[tuple[Path, Anchor]]]:
    """Blocks of ``variable[ :role]<TAB>first-last`` by the id in their comment."""
    source = Source(path)
    result: dict[str, list[tuple[Path, Anchor]]] = {}
    current: list[tuple[Path, Anchor]] | None = None
    for number, line in source.lines():
        if match := re.match(r"#\s*::id\s+(\S+)", line):
            current = result.setdefault(match[1], [])
        elif not line.strip():
            current = None
        elif not line.startswith("#"):
            match = _LINE.fullmatch(line)
            if match is None:
                raise FormatError(
                    "expected a variable, roles, a tab and first-last",
                    code="K125",
                    place=Place(source.name, number),
                )
            if current is not None:
                anchor = Anchor(int(match[2]), int(match[3]) + 1)
                current.append((tuple(match[1].split(" ")), anchor))
    return result


def overlay_of(
    graph: Graph, variables: Sequence[str], alignment: Sequence[tuple[Path, Anchor]]
) -> tuple[Graph, list[str]]:
    """The graph of anchors (flavor -1), and what could not be placed in it."""
    number = {variable: i for i, variable in enumerate(variables)}
    anchors: dict[int, list[Anchor]] = {}
    anchorings: dict[int, list[tuple[str, Anchor]]] = {}
    edges: list[Edge] = []
    notes = []
    direct = [each for each in alignment if len(each[0]) == 1]
    for path, anchor in (*direct, *(each for each in alignment if len(each[0]) > 1)):
        variable, roles = path[0], [role.removeprefix(":") for role in path[1:]]
        node = number.get(variable)
        if roles == ["wiki"]:
            continue
        if node is None or len(roles) > 1:
            notes.append(f"graph {graph.id!r}: the alignment of {' '.join(path)!r} has no place")
        elif not roles:
            anchors.setdefault(node, []).append(anchor)
        elif roles[0] in graph.node_of[node].properties:
            anchorings.setdefault(node, []).append((roles[0], anchor))
        elif found := [edge for edge in graph.outgoing[node] if edge.label == roles[0]]:
            edges.append(Edge(-1, -1, None, found[0].id, anchors=(anchor,)))
        else:
            notes.append(f"graph {graph.id!r}: the alignment of {' '.join(path)!r} has no place")
    nodes = tuple(
        Node(
            node,
            None,
            tuple(name for name, _ in anchorings.get(node, ())),
            (),
            tuple(anchors.get(node, ())),
            tuple((anchor,) for _, anchor in anchorings.get(node, ())),
        )
        for node in dict.fromkeys((*anchors, *anchorings))
    )
    return Graph(graph.id, -1, "anchoring", nodes=nodes, edges=tuple(edges)), notes
