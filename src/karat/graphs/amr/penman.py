"""PENMAN notation: its tokens with their places, and what they say.

Native code reads what is right. The lexer here is for what is not, since every error has
to name its line and column, and for alignments and Chinese AMR; parsing keeps its own
stack, so depth costs nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Literal, NamedTuple, TypeAlias, cast

import msgspec

from karat._native import penman_parts
from karat.graphs.errors import UnreadableGraph

Kind: TypeAlias = Literal["variable", "string", "symbol"]
Parts: TypeAlias = tuple[list[str], list[str | None], list[tuple[int, str, str, Kind, bool]]]
"""Variables, their concepts, and the fields of roles (without alignments)."""

_PATTERN = r"""
    (?: (?P<open>\() | (?P<close>\)) | (?P<slash>/)
      | (?: (?P<string> "(?:[^"\\]|\\.)*" )
          | (?P<role> :(?:[^\s()~]|~(?!{number}))* {comment} )
          | (?P<symbol> [^\s()":/~] (?:[^\s()~]|~(?!{number}))* )
        ) (?P<alignment> ~{number} )?
      | (?P<other> \S )
    )
"""
_NUMBER = r"(?:[a-z]\.?)?\d+(?:,(?:[a-z]\.?)?\d+)*(?=[\s()]|$)"
_TO_THE_END = frozenset(("snt", "tok"))


class Role(msgspec.Struct, frozen=True, gc=False):
    """A role of a node and its value: a variable, or a constant with or without quotes."""

    source: int
    name: str
    value: str
    kind: Kind
    nested: bool = False
    alignment: str = ""


class Instance(msgspec.Struct, frozen=True, gc=False):
    """A variable and its concept."""

    variable: str
    concept: str | None
    alignment: str = ""


class Penman(msgspec.Struct, frozen=True):
    """One graph: variables in the order they are introduced, roles in the order of the text."""

    instances: tuple[Instance, ...]
    roles: tuple[Role, ...]
    warnings: tuple[str, ...] = ()

    def parts(self) -> Parts:
        """The same as plain lists, without alignments."""
        return (
            [each.variable for each in self.instances],
            [each.concept for each in self.instances],
            [(r.source, r.name, r.value, r.kind, r.nested) for r in self.roles],
        )


class Block(msgspec.Struct, frozen=True):
    """The lines of one graph, and what its comments say."""

    line: int
    metadata: dict[str, str]
    text: str
    text_line: int


def blocks(lines: Iterable[tuple[int, str]]) -> Iterator[Block]:
    """What stands between blank lines; comments alone are no graph."""
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
    """The graph of a block; `strict` refuses parentheses that do not match."""
    # Alignments are told by the parser only.
    parts = None if chinese or "~" in block.text else plain_parts(block.text)
    if parts is None:
        return _Parser(block, chinese, strict).run()
    variables, concepts, roles = parts
    return Penman(tuple(map(Instance, variables, concepts)), tuple([Role(*role) for role in roles]))


def plain_parts(text: str) -> Parts | None:
    """The parts of a graph, by native code; None where that leaves it to the parser.

    That is where something is wrong, and where blanks or digits are not those of ASCII.
    """
    return cast("Parts | None", penman_parts(text))


class _Token(NamedTuple):
    kind: str
    text: str
    alignment: str
    begin: int


class _Parser:
    def __init__(self, block: Block, chinese: bool, strict: bool) -> None:
        self.block = block
        self.strict = strict
        self.chinese = chinese
        self.tokens = list(_tokens(_token(chinese), block.text))
        self.tokens.append(_Token("end", "", "", len(block.text)))
        self.variables: dict[str, int] = {}
        self.instances: list[Instance] = []
        self.roles: list[Role] = []
        self.open: list[tuple[int, int]] = []
        self.warnings: list[str] = []

    def run(self) -> Penman:
        tokens = self.tokens
        if tokens[0].kind != "open":
            raise self._error(tokens[0], "expected '(' to begin")
        at = self._node(0)
        while tokens[at].kind != "end":
            token = tokens[at]
            if not self.open:
                at = self._after_the_end(at)
            elif token.kind == "role":
                at = self._role(at)
            elif token.kind == "close":
                self.open.pop()
                at += 1
            else:
                raise self._error(token, f"expected a role or ')', found {token.text[:20]!r}")
        if self.open:
            _, begin = self.open[-1]
            if self.strict:
                raise self._error(tokens[begin], "'(' is never closed; expected ')'")
            self.warnings.append("lack ')' at the end")
        variables = self.variables
        return Penman(
            tuple(self.instances),
            tuple(
                Role(role.source, role.name, role.value, "variable", False, role.alignment)
                if role.kind == "symbol" and role.value in variables
                else role
                for role in self.roles
            ),
            tuple(self.warnings),
        )

    def _node(self, at: int) -> int:
        """From a '(' to where the roles of the node begin."""
        token = self.tokens[at + 1]
        if token.kind != "symbol":
            raise self._error(token, "expected a variable after '('")
        variable, slash, concept = token.text.partition("/")
        if variable in self.variables:
            raise self._error(token, f"the variable {variable!r} is introduced twice")
        number = self.variables[variable] = len(self.instances)
        self.open.append((number, at))
        alignment = token.alignment
        at += 2
        if not slash and self.tokens[at].kind == "slash":
            slash, at = "/", at + 1
        if slash and not concept:
            token = self.tokens[at]
            if token.kind not in ("symbol", "string"):
                raise self._error(token, "expected a concept after '/'")
            concept = unquoted(token.text) if token.kind == "string" else token.text
            alignment, at = token.alignment or alignment, at + 1
        self.instances.append(Instance(variable, concept or None, alignment))
        return at

    def _role(self, at: int) -> int:
        """A role and its value; of a node, what comes before its roles."""
        role, value = self.tokens[at], self.tokens[at + 1]
        name = role.text[1:].partition("(")[0] if self.chinese else role.text[1:]
        source = self.open[-1][0]
        if value.kind == "open":
            end = self._node(at + 1)
            variable = self.instances[-1].variable
            self.roles.append(Role(source, name, variable, "variable", True, role.alignment))
            return end
        text, kind = value.text, value.kind
        if kind == "string":
            text = unquoted(text)
        elif kind != "symbol":
            raise self._error(role, f"the role :{name} has no value")
        elif text in self.variables:
            kind = "variable"
        elif self.chinese and "/" in text:
            text, kind = text.partition("/")[2], "string"
        alignment = value.alignment or role.alignment
        self.roles.append(Role(source, name, text, kind, kind == "variable", alignment))  # type: ignore[arg-type]
        return at + 2

    def _after_the_end(self, at: int) -> int:
        token = self.tokens[at]
        if token.kind != "close" or self.strict:
            raise self._error(token, f"the graph ended before {token.text[:20]!r}")
        if not self.warnings:
            self.warnings.append("have a ')' too many at the end")
        return at + 1

    def _error(self, token: _Token, message: str) -> UnreadableGraph:
        text = self.block.text
        starts = [0, *(match.end() for match in re.finditer("\n", text))]
        row = bisect_right(starts, token.begin) - 1
        column = token.begin - starts[row] + 1
        number = self.block.text_line + row
        first = max(0, column - 60)
        line = text[starts[row] :].partition("\n")[0][first : first + 100]
        return UnreadableGraph(
            message,
            code="K124",
            line=number,
            column=column,
            excerpt=f"{number:5} | {line}\n      | {' ' * (column - 1 - first)}^",
        )


@cache
def _token(chinese: bool) -> re.Pattern[str]:
    comment = r"(?:\([^()]*\))?" if chinese else ""
    return re.compile(_PATTERN.format(number=_NUMBER, comment=comment), re.VERBOSE)


def _tokens(pattern: re.Pattern[str], text: str) -> Iterator[_Token]:
    for match in pattern.finditer(text):
        kind = match.lastgroup
        if kind == "alignment":
            kind = "string" if match["string"] else "role" if match["role"] else "symbol"
        if kind is not None:
            yield _Token(kind, match[kind], match["alignment"] or "", match.start())


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
