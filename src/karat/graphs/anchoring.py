"""Words and where they stand in a text: companion files, and forms that are spelt otherwise there.

Treebanks write quotation marks, dashes, dots and brackets in several ways. A
form is found where the text agrees with it up to such spellings.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat

import msgspec

from karat.core.files.opener import Source
from karat.graphs.errors import UnreadableGraph, cannot_hold
from karat.graphs.model import Anchor, Graph, Token

_SPELLINGS: tuple[tuple[str, ...], ...] = (
    ("``", "''", "“", "”", "„", '"'),
    ("‘", "’", "`", "'"),
    ("---", "--", "—", "–", "-"),
    (". . .", "...", "…"),
    ("-LRB-", "("),
    ("-RRB-", ")"),
    ("-LSB-", "["),
    ("-RSB-", "]"),
    ("-LCB-", "{"),
    ("-RCB-", "}"),
    ("\\/", "/"),
    ("\\*", "*"),
)
"""Ways to write the same mark, longest first in each class."""
_CLASSES = tuple(
    sorted(
        ((mark, number) for number, marks in enumerate(_SPELLINGS) for mark in marks),
        key=lambda pair: -len(pair[0]),
    )
)
_FIRST = frozenset(mark[0] for mark, _ in _CLASSES)


class CompanionText:
    """The raw sentences of a corpus by id: a file of ``id<TAB>text``, or a folder of ``id.txt``."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._is_folder = Source(path).is_folder
        self._table = {} if self._is_folder else dict(_rows(path))

    def get(self, name: str) -> str | None:
        """The text of a graph, if there is one."""
        return self._first_line(name) if self._is_folder else self._table.get(name)

    def _first_line(self, name: str) -> str | None:
        from pathlib import Path  # takes its time to load

        file = Path(self.path) / f"{name}.txt"
        # An id is data, not a path: it must not lead out of the folder.
        if "/" in name or "\\" in name or not file.is_file():
            return None
        return next((line for _, line in Source(file).lines()), None)

    def inverted(self) -> dict[str, str]:
        """Ids by text."""
        return {text: name for name, text in self._table.items()}


def _rows(path: str) -> Iterator[tuple[str, str]]:
    for _, line in Source(path).lines():
        name, tab, text = line.partition("\t")
        if tab:
            yield name.strip(), text


class NotInText(UnreadableGraph):
    """A form is not where it should be."""

    def __init__(self, form: str, text: str, cursor: int) -> None:
        rest = text[cursor : cursor + 20]
        message = f"the form {form!r} is not in the text, which goes on with {rest!r}"
        super().__init__(message, code="K132")


def match_at(text: str, cursor: int, form: str) -> int | None:
    """Where `form` ends if it stands at the cursor, spelt this way or another.

    >>> match_at("“Yes…”", 0, "``"), match_at("a-- b", 0, "a—"), match_at("ab", 0, "b")
    (1, 3, None)
    """
    if text.startswith(form, cursor):
        return cursor + len(form)
    i, j = 0, cursor
    while i < len(form):
        if form[i] in _FIRST and (step := _same_mark(form, i, text, j)):
            i, j = i + step[0], j + step[1]
        elif j < len(text) and form[i] == text[j]:
            i, j = i + 1, j + 1
        else:
            return None
    return j


def _same_mark(form: str, i: int, text: str, j: int) -> tuple[int, int] | None:
    for mark, number in _CLASSES:
        if form.startswith(mark, i):
            for other in _SPELLINGS[number]:
                if text.startswith(other, j):
                    return len(mark), len(other)
    return None


def in_sequence(text: str, forms: Iterable[str]) -> Iterator[Anchor]:
    """The anchors of forms that follow each other with nothing but blanks between."""
    cursor = 0
    for form in forms:
        while cursor < len(text) and text[cursor].isspace():
            cursor += 1
        end = match_at(text, cursor, form)
        if end is None:
            raise NotInText(form, text, cursor)
        yield Anchor(cursor, end)
        cursor = end


def in_order(
    text: str, forms: Iterable[str], known: Iterable[Anchor | None] = ()
) -> Iterator[Anchor]:
    """The anchors of forms in this order, with anything between them; some may be known."""
    cursor = 0
    for form, anchor in zip(forms, chain(known, repeat(None)), strict=False):
        if anchor is not None:
            yield anchor
            cursor = max(cursor, anchor.end)
            continue
        start = next((i for i in range(cursor, len(text)) if not text[i].isspace()), cursor)
        end = match_at(text, start, form)
        if end is None:
            start = text.find(form, cursor)
            end = start + len(form)
        if start < 0:
            for start in range(cursor, len(text)):
                if (found := match_at(text, start, form)) is not None:
                    end = found
                    break
            else:
                raise NotInText(form, text, cursor)
        yield Anchor(start, end)
        cursor = end


class Alignment:
    """The characters of one text beside those of another that says the same."""

    def __init__(self, old: str, new: str) -> None:
        from rapidfuzz.distance import Levenshtein

        old_plain, old_at = _plain(old)
        new_plain, new_at = _plain(new)
        self._partner: dict[int, tuple[int, int]] = {}
        for block in Levenshtein.editops(old_plain, new_plain).as_matching_blocks():
            for offset in range(block.size):
                begin, end = new_at[block.b + offset]
                for position in range(*old_at[block.a + offset]):
                    self._partner[position] = (begin, end)
        self._old = list(self._partner)

    def move(self, anchor: Anchor) -> Anchor | None:
        """The same stretch in the new text; None where none of its characters is there.

        An empty stretch goes to the end of what comes before it.
        """
        if anchor.end <= anchor.start:
            before = bisect_left(self._old, anchor.start) - 1
            place = 0 if before < 0 else self._partner[self._old[before]][1]
            return Anchor(place, place)
        found = [
            self._partner[position]
            for position in range(anchor.start, anchor.end)
            if position in self._partner
        ]
        if not found:
            return None
        return Anchor(min(begin for begin, _ in found), max(end for _, end in found))


def reanchored(graph: Graph, text: str) -> tuple[Graph, int]:
    """The graph over another spelling of its input, and how many anchors have no place there."""
    alignment = Alignment(graph.input or "", text)
    lost = 0

    def moved(anchors: tuple[Anchor, ...]) -> tuple[Anchor, ...]:
        nonlocal lost
        found = [alignment.move(anchor) for anchor in anchors]
        lost += found.count(None)
        return tuple(anchor for anchor in found if anchor is not None)

    nodes = tuple(
        msgspec.structs.replace(
            node,
            anchors=moved(node.anchors),
            anchorings=tuple(moved(anchors) for anchors in node.anchorings),
        )
        for node in graph.nodes
    )
    edges = tuple(
        msgspec.structs.replace(edge, anchors=moved(edge.anchors)) if edge.anchors else edge
        for edge in graph.edges
    )
    return msgspec.structs.replace(graph, input=text, nodes=nodes, edges=edges), lost


def _plain(text: str) -> tuple[str, Sequence[tuple[int, int]]]:
    """The text with one spelling for each mark and without blanks, and where each came from."""
    marks, places = [], []
    i = 0
    while i < len(text):
        size, mark = 1, text[i]
        if mark in _FIRST:
            for spelling, number in _CLASSES:
                if text.startswith(spelling, i):
                    size, mark = len(spelling), _SPELLINGS[number][-1]
                    break
        if not mark.isspace():
            marks.append(mark)
            places.append((i, i + size))
        i += size
    return "".join(marks), places


_FARTHEST = 10_000


def words_of(graph: Graph) -> tuple[Token, ...]:
    """One token per node id, gaps filled from the stretches of input between the nodes.

    A stretch is split at blanks where that gives as many words as ids are
    missing, else between words and marks, else anywhere (mtool gave each
    missing word the whole stretch). What follows the last node is split at blanks.
    """
    if graph.tokens:
        return graph.tokens
    words: list[Token] = []
    cursor = 0
    text = graph.input
    for node in sorted(graph.nodes, key=lambda node: node.id):
        start = min((anchor.start for anchor in node.anchors), default=None)
        missing = node.id - len(words)
        if missing < 0 or missing > _FARTHEST:
            raise cannot_hold(graph, "a row of words", f"no word can have the number {node.id}")
        if missing:
            stretch = "" if text is None else text[cursor : cursor if start is None else start]
            words.extend(Token(form) for form in _split(stretch, missing))
        if text is None or start is None:
            words.append(Token(node.label or "_"))
            continue
        end = max(anchor.end for anchor in node.anchors)
        words.append(Token(text[start:end] or node.label or "_"))
        cursor = end
    if text is not None and graph.is_anchored:
        words.extend(Token(form) for form in text[cursor:].split())
    return tuple(words)


def _split(stretch: str, count: int) -> list[str]:
    parts = stretch.split()
    if len(parts) == count:
        return parts
    pieces = re.findall(r"\w+|[^\w\s]", stretch)
    if len(pieces) < count:
        pieces = [mark for mark in stretch if not mark.isspace()]
    pieces += ["_"] * (count - len(pieces))
    # What is too much goes with the last word, as it stands in the text.
    last = "".join(pieces[count - 1 :])
    return [*pieces[: count - 1], last]
