"""The native reader of PENMAN notation against a lexer and parser in Python.

The same graphs, the same warnings, and the same errors at the same place.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from drawn import drawn
from karat.core.files.opener import Source
from karat.graphs.amr.penman import Block, Penman, Role, blocks, parse, unquoted
from karat.graphs.errors import UnreadableGraph

# -- the twin -----------------------------------------------------------------------

_PATTERN = r"""
    (?: (?P<open>\() | (?P<close>\)) | (?P<slash>/)
      | (?: (?P<string> "(?:[^"\\]|\\.)*" )
          | (?P<role> :(?:[^\s()~]|~(?!{number}))* {comment} )
          | (?P<symbol> [^\s()":/~] (?:[^\s()~]|~(?!{number}))* )
        ) (?P<alignment> ~{number} )?
      | (?P<other> \S )
    )
"""
_NUMBER = r"(?:[a-z]\.?)?[0-9]+(?:,(?:[a-z]\.?)?[0-9]+)*(?=[\s()]|$)"


class _Token(NamedTuple):
    kind: str
    text: str
    begin: int


class Parser:
    def __init__(self, block: Block, chinese: bool, strict: bool) -> None:
        self.block = block
        self.strict = strict
        self.chinese = chinese
        self.tokens = list(_tokens(_token(chinese), block.text))
        self.tokens.append(_Token("end", "", len(block.text)))
        self.variables: dict[str, int] = {}
        self.concepts: list[str | None] = []
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
        roles: list[Role] = [
            (source, name, value, "variable", False)
            if kind == "symbol" and value in self.variables
            else (source, name, value, kind, nested)
            for source, name, value, kind, nested in self.roles
        ]
        return Penman(list(self.variables), self.concepts, roles, tuple(self.warnings))

    def _node(self, at: int) -> int:
        """From a '(' to where the roles of the node begin."""
        token = self.tokens[at + 1]
        if token.kind != "symbol":
            raise self._error(token, "expected a variable after '('")
        variable, slash, concept = token.text.partition("/")
        if variable in self.variables:
            raise self._error(token, f"the variable {variable!r} is introduced twice")
        number = self.variables[variable] = len(self.concepts)
        self.open.append((number, at))
        at += 2
        if not slash and self.tokens[at].kind == "slash":
            slash, at = "/", at + 1
        if slash and not concept:
            token = self.tokens[at]
            if token.kind not in ("symbol", "string"):
                raise self._error(token, "expected a concept after '/'")
            concept = unquoted(token.text) if token.kind == "string" else token.text
            at += 1
        self.concepts.append(concept or None)
        return at

    def _role(self, at: int) -> int:
        """A role and its value; of a node, what comes before its roles."""
        role, value = self.tokens[at], self.tokens[at + 1]
        name = role.text[1:].partition("(")[0] if self.chinese else role.text[1:]
        source = self.open[-1][0]
        if value.kind == "open":
            end = self._node(at + 1)
            self.roles.append((source, name, list(self.variables)[-1], "variable", True))
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
        self.roles.append((source, name, text, kind, kind == "variable"))  # type: ignore[arg-type]
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
            yield _Token(kind, match[kind], match.start())


# -- both on the same texts -----------------------------------------------------------

TOKENS = ["(", "(", ")", ")", "/", "a", "b", "c", ":r", ":ARG0", '"s t"', '""', "4:30", "km/h", "-",
          " ", "\n  ", "(d / dog)", "(e / x :y b)", "~e.1", '"q\\"x"', ":", "a/b", "~", "~1,2",
          "~a", "~e.1,", "\\", '"', "é", '"Zürich – 東京"', "\u3000", "\xa0", "\x1c", "\x85", "b/",
          ":r~e.2", "x~3", '"\\\n"', "\u0663", "~\u0663", "#", "\r\n", "\0", "😀", ":r(词)", "(词)",
          ":r(a(b", "x1_2/词", "\u2009", "\u205f", "\u1680", "\u2028", "ᚁ", "\u200b", "\ud800",
          "~e.1\u3000", "~1~2", '"s"~e.4', '"s"t', "long" * 8]  # fmt: skip


def outcome(text: str, chinese: bool, strict: bool, native: bool) -> object:
    """What is read, or the error with all that it says."""
    block = Block(3, {}, text, 4)
    try:
        if native:
            return parse(block, chinese=chinese, strict=strict)
        return Parser(block, chinese, strict).run()
    except UnreadableGraph as problem:
        return str(problem), problem.code, problem.line, problem.column, problem.excerpt


def check(text: str) -> None:
    for chinese in (False, True):
        for strict in (False, True):
            expected = outcome(text, chinese, strict, native=False)
            assert outcome(text, chinese, strict, native=True) == expected


@settings(max_examples=drawn(3000), deadline=None)
@given(st.lists(st.sampled_from(TOKENS), max_size=14), st.booleans(), st.integers(0, 3))
@example(["~e.1,"], False, 1)
@example(['"\\\n"'], False, 1)
@example([":r", "(词)"], False, 1)
def test_made_up_texts(tokens: list[str], spaced: bool, closed: int) -> None:
    body = (" " if spaced else "").join(tokens)
    check(f"(a / alpha {body}{')' * closed}")
    check(body)


@settings(max_examples=drawn(1000), deadline=None)
@given(st.text(st.sampled_from(list('()/:~\\"ab1,.e \n\té東\u3000\x1f')), max_size=25))
def test_any_text(text: str) -> None:
    check(f"(a / b{text}")


node = st.recursive(
    st.sampled_from(["alpha", '"b c"', "d-01~e.3", '"é\\\\"~1', "km/h", "x~y"]).map(
        lambda c: (c, [])
    ),
    lambda inner: st.tuples(
        st.sampled_from(["alpha", "want-01", "", "né"]),
        st.lists(
            st.tuples(
                st.sampled_from(["ARG0", "op1~e.2", "mod", "ARG1-of", ""]),
                inner | st.sampled_from(["-", "v0", "v2", "v9", '"v0"', '"a (b"', "1~e.1,e.2"]),
            ),
            max_size=4,
        ),
    ),
    max_leaves=12,
)


def written(tree: object) -> str:
    count = 0

    def write(each: object) -> str:
        nonlocal count
        if isinstance(each, str):
            return each
        concept, roles = each  # type: ignore[misc]
        variable, count = f"v{count}", count + 1
        head = f"({variable} / {concept}" if concept else f"({variable}"
        return head + "".join(f"\n :{name} {write(value)}" for name, value in roles) + ")"

    return write(tree)


@settings(max_examples=drawn(500), deadline=None)
@given(node)
def test_whole_graphs_are_read(tree: object) -> None:
    text = written(tree)
    assert isinstance(outcome(text, False, True, native=True), Penman)
    check(text)


def test_real_texts(shared: Path) -> None:
    seen = 0
    for path in sorted((shared / "data" / "graphs").rglob("*amr")):
        if path.is_file():
            for block in blocks(Source(path).lines()):
                check(block.text)
                check(block.text[: -len(block.text) // 3])
                seen += 1
    assert seen > 200


@pytest.mark.parametrize("text", ["", " ", "(", "(a", "\ud800", "(a / \ud800)", '(a / "\ud800\\")'])
def test_odd_texts(text: str) -> None:
    check(text)


def test_depth_costs_nothing() -> None:
    depth = 50_000
    text = "".join(f"(v{i} / x :r " for i in range(depth)) + "1" + ")" * depth
    assert len(parse(Block(1, {}, text, 1), strict=True).variables) == depth
