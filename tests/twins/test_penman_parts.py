"""The native reader of parts against the lexer and parser in Python: the same parts, or none."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from karat._native import penman_parts
from karat.core.files.opener import Source
from karat.graphs.amr.penman import Block, Parts, _Parser, blocks
from karat.graphs.errors import UnreadableGraph

TOKENS = ["(", "(", ")", ")", "/", "a", "b", "c", ":r", ":ARG0", '"s t"', '""', "4:30", "km/h", "-",
          " ", "\n  ", "(d / dog)", "(e / x :y b)", "~e.1", '"q\\"x"', ":", "a/b", "~", "~1,2",
          "~a", "~e.1,", "\\", '"', "é", '"Zürich – 東京"', "\u3000", "\xa0", "\x1c", "\x85", "b/",
          ":r~e.2", "x~3", '"\\\n"', "\u0663", "~\u0663", "#", "\r\n", "\0", "😀"]  # fmt: skip
BEYOND_ASCII = "\u3000\xa0\x85\x1c\u0663"


def parsed(text: str) -> Parts | None:
    """What the parser reads without a complaint."""
    try:
        found = _Parser(Block(1, {}, text, 1), False, True).run()
    except UnreadableGraph:
        return None
    return None if found.warnings else found.parts()


def check(text: str) -> None:
    parts = penman_parts(text)
    if parts is not None or not set(text) & set(BEYOND_ASCII):
        assert parts == parsed(text)


@settings(max_examples=3000)
@given(st.lists(st.sampled_from(TOKENS), max_size=14), st.booleans(), st.integers(0, 3))
@example(["~e.1,"], False, 1)
@example(['"\\\n"'], False, 1)
def test_made_up_texts(tokens: list[str], spaced: bool, closed: int) -> None:
    body = (" " if spaced else "").join(tokens)
    check(f"(a / alpha {body}{')' * closed}")
    check(body)


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


@settings(max_examples=500)
@given(node)
def test_whole_graphs_are_read(tree: object) -> None:
    text = written(tree)
    found = penman_parts(text)
    assert found is not None
    assert found == parsed(text)


def test_real_texts(shared: Path) -> None:
    seen = 0
    for path in sorted((shared / "data" / "graphs").rglob("*.amr")):
        for block in blocks(Source(path).lines()):
            check(block.text)
            seen += penman_parts(block.text) is not None
    assert seen > 200


@pytest.mark.parametrize("text", ["", " ", "(", "(a", "\ud800", "(a / \ud800)"])
def test_odd_texts_are_left_alone(text: str) -> None:
    assert penman_parts(text) is None


def test_depth_costs_nothing() -> None:
    depth = 50_000
    text = "".join(f"(v{i} / x :r " for i in range(depth)) + "1" + ")" * depth
    found = penman_parts(text)
    assert found is not None
    assert len(found[0]) == depth
