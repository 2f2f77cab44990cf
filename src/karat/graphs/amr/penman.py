"""PENMAN notation: the graphs of a file with their comments, and what a graph says.

The notation itself is read by native code (native/include/karat/penman.hpp), which tells
where something is wrong; here the error gets its line, column and excerpt.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, TypeAlias

import msgspec

from karat._native import read_penman
from karat.graphs.errors import UnreadableGraph

Kind: TypeAlias = Literal["variable", "string", "symbol"]
Role: TypeAlias = tuple[int, str, str, Kind, bool]
"""Number of the variable, name, value, kind of value, and whether that variable was known."""

_TO_THE_END = frozenset(("snt", "tok"))
_TOLERATED: dict[str, tuple[str, ...]] = {
    "": (),
    "unclosed": ("lack ')' at the end",),
    "surplus": ("have a ')' too many at the end",),
}


class Penman(msgspec.Struct, frozen=True, gc=False):
    """One graph: variables in the order they are introduced, roles in the order of the text."""

    variables: list[str]
    concepts: list[str | None]
    roles: list[Role]
    warnings: tuple[str, ...] = ()


class Block(msgspec.Struct, frozen=True):
    """The lines of one graph, and what its comments say."""

    line: int
    metadata: dict[str, str]
    text: str
    text_line: int

    @property
    def id(self) -> str:
        """The first word of the comment ``::id``; empty where there is none."""
        return self.metadata.get("id", "").partition(" ")[0]


def blocks(lines: Iterable[tuple[int, str]]) -> Iterator[Block]:
    """The graphs between blank lines; comments alone are no graph."""
    comments: list[str] = []
    body: list[str] = []
    begin = body_begin = 0
    for number, line in lines:
        if not line or line.isspace():
            if body:
                yield Block(begin, _metadata(comments), "\n".join(body), body_begin)
                body = []
            if comments:
                comments = []
            begin = 0
        elif line[0] == "#" or line.lstrip()[0] == "#":
            begin = begin or number
            comments.append(line)
            if body:
                body.append("")  # keeps the count of lines
        else:
            if not body:
                begin, body_begin = begin or number, number
            body.append(line)
    if body:
        yield Block(begin, _metadata(comments), "\n".join(body), body_begin)


def _metadata(comments: Sequence[str]) -> dict[str, str]:
    """The ``::key value`` pairs; a sentence goes to the end of its line."""
    result: dict[str, str] = {}
    for comment in comments:
        at = comment.find("::")
        while at >= 0:
            key, _, value = comment[at + 2 :].partition(" ")
            following = -1
            if key not in _TO_THE_END:
                following = comment.find(" ::", at + 2)
                if following >= 0:
                    value = comment[at + 3 + len(key) : following]
                    following += 1
            if not result.get(key):  # an empty one says nothing
                result[key] = value.strip()
            at = following
    return result


def parse(block: Block, *, chinese: bool = False, strict: bool = False) -> Penman:
    """The graph of a block, without alignments; `strict` refuses parentheses that do not match."""
    variables, concepts, roles, problem, place, found = read_penman(
        block.text, chinese=chinese, strict=strict
    )
    if not problem or (not strict and problem in _TOLERATED):
        return Penman(variables, concepts, roles, _TOLERATED[problem])
    raise _error(block, _message(problem, found), place)


def _message(problem: str, found: str) -> str:
    match problem:
        case "no graph":
            return "expected '(' to begin"
        case "no variable":
            return "expected a variable after '('"
        case "twice":
            return f"the variable {found!r} is introduced twice"
        case "no concept":
            return "expected a concept after '/'"
        case "unexpected":
            return f"expected a role or ')', found {found[:20]!r}"
        case "no value":
            return f"the role :{found} has no value"
        case "after the end":
            return f"the graph ended before {found[:20]!r}"
        case _:
            return "'(' is never closed; expected ')'"


def _error(block: Block, message: str, place: int) -> UnreadableGraph:
    before = block.text[:place]
    start = before.rfind("\n") + 1
    number, column = block.text_line + before.count("\n"), place - start + 1
    first = max(0, column - 60)
    line = block.text[start:].partition("\n")[0][first : first + 100]
    return UnreadableGraph(
        message,
        code="K124",
        line=number,
        column=column,
        excerpt=f"{number:5} | {line}\n      | {' ' * (column - 1 - first)}^",
    )


def unquoted(text: str) -> str:
    """The content of a quoted string.

    >>> unquoted(r'"a \\"b\\""')
    'a "b"'
    """
    inner = text[1:-1]
    return re.sub(r"(?s)\\(.)", r"\1", inner) if "\\" in inner else inner


def quoted(text: str) -> str:
    """The text in quotes, so that `unquoted` gives it back."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
