"""The native scanners against slow ones in Python."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from karat._native import (
    comment_keys,
    graph_names,
    line_ends,
    name_partners,
    scan_blocks,
    scan_lines,
    token_characters,
    utf8_fault,
)
from karat.core.reading.items import NameKeys
from karat.core.reading.strings import Strings
from karat.graphs.formats.penman import _name

PIECES = ["", "a", " ", "\t", "#", "# x = y", "\r", "\u00a0", "\u2028", "é", "%c", "  # z"]
few_lines = st.lists(st.lists(st.sampled_from(PIECES), max_size=3).map("".join), max_size=8)
# The scanners look at 64 bytes at a time, in most of which nothing special is.
many_lines = st.lists(
    st.sampled_from(
        ["word\tO", "a", "b" * 63, "long " * 14, "", " ", "\u3000", "é", "\x7f", "c\r"]
    ),
    min_size=20,
    max_size=60,
)
text_lines = few_lines | many_lines
ends = st.sampled_from(["\n", "\r\n"])


@given(
    st.binary(max_size=40)
    | st.lists(st.sampled_from([b"a" * 61, "é€".encode(), b"\xc3"])).map(b"".join)
)
@example("aé€😀".encode())
@example(b"\xed\xa0\x80")
@example(b"\xf4\x90\x80\x80")
@example(b"12345678\xc3")
def test_utf8(data: bytes) -> None:
    try:
        data.decode()
        expected = len(data)
    except UnicodeDecodeError as error:
        expected = error.start
    assert utf8_fault(data) == expected


@given(text_lines, ends, st.booleans())
def test_lines(lines: list[str], end: str, skip: bool) -> None:
    data = end.join(lines).encode()
    begin, stop, numbers = scan_lines(data, skip)
    found = [data[b:e].decode() for b, e in zip(begin.tolist(), stop.tolist(), strict=True)]
    expected = [
        (number, line.removesuffix("\r"))
        for number, line in enumerate(data.decode().split("\n"))
        if not skip or line.strip()
    ]
    assert list(zip(numbers.tolist(), found, strict=True)) == expected


@given(
    st.lists(st.sampled_from([b"\n", b"a" * 13, b"\n" * 300, b"\x8a"]), max_size=40).map(b"".join)
)
@example(b"\n" * 9001)
def test_line_ends(data: bytes) -> None:
    assert line_ends(data) == data.count(b"\n")


def slow_blocks(text: str, spaces: bool, comment: str, indented: bool) -> list[tuple[object, ...]]:
    """Blocks with the numbers of their lines, as a reader would find them line by line."""
    lines = text.split("\n")
    last = lines.pop()  # what follows the last end of a line is a line only if there is something
    if last:
        lines.append(last)
    found: list[tuple[object, ...]] = []
    block: list[tuple[int, str]] = []
    blanks = 0

    def close(closed: bool) -> None:
        nonlocal blanks

        def is_comment(line: str) -> bool:
            start = line.lstrip() if indented else line
            return bool(comment) and start.startswith(comment)

        body = next((number for number, line in block if not is_comment(line)), None)
        if body is not None:
            content = [line for _, line in block]
            found.append((content, block[0][0], body, blanks, closed))
            blanks = 0
        block.clear()

    for number, line in enumerate(lines):
        line = line.removesuffix("\r")
        if not line or (spaces and line.isspace()):
            close(True)
            blanks += 1
        else:
            block.append((number, line))
    close(False)
    return found


@given(
    text_lines,
    ends,
    st.booleans(),
    st.sampled_from(["", "#", "%"]),
    st.booleans(),
    st.integers(0, 600),
)
@example(["a", "", "# x", "", "b"], "\n", False, "#", False, 3)
def test_blocks(
    lines: list[str], end: str, spaces: bool, comment: str, indented: bool, cut: int
) -> None:
    data = end.join(lines).encode()
    begun = data[: data.rfind(b"\n", 0, cut) + 1]  # whole lines, the rest comes later
    found: list[tuple[object, ...]] = []
    before = blanks = base = 0
    pending = begun
    for final in (False, True):
        if final:
            pending = data[base:]
        columns, consumed, count, blanks = scan_blocks(
            pending, final, spaces, comment.encode(), indented, blanks, base, before
        )
        for begin, body, stop, line, body_line, blank, closed in columns.T.tolist():
            content = data[begin:stop].decode().replace("\r\n", "\n").split("\n")
            assert data[: begin + body].count(b"\n") == body_line
            found.append((content, line, body_line, blank, bool(closed)))
        before += count
        base += consumed
    assert found == slow_blocks(data.decode(), spaces, comment, indented)


COMMENTS = [
    "# sent_id = a", "#sent_id=b ", "# x = 1", "# sent_id",
    "#\u00a0sent_id\u2003=\u3000é\u00a0f\x1f ", "# sent_id = \u3000", "#é sent_id = g",
]  # fmt: skip


@given(st.lists(st.sampled_from(COMMENTS)))
def test_comment_keys(comments: list[str]) -> None:
    data = "".join(f"{line}\n" for line in [*comments, "1\ta"]).encode()
    body = len(data) - 4
    keys = comment_keys(data, np.array([0]), np.array([body]), b"sent_id")
    values = [
        value.strip()
        for name, equals, value in (line[1:].partition("=") for line in comments)
        if equals and name.strip() == "sent_id"
    ]
    assert keys == ([(values[0],)] if values and values[0] else None)


forms = st.text(st.sampled_from("ab \u00a0\u3000é😀_"), min_size=1, max_size=4)


@given(st.lists(st.tuples(forms, st.integers(0, 2)), min_size=1, max_size=6))
def test_token_characters(words: list[tuple[str, int]]) -> None:
    """A word may begin a multiword token over itself and the next, or have an empty node after."""
    rows: list[str] = []
    tokens: list[tuple[str, bool]] = []
    covered = 0
    for number, (form, kind) in enumerate(words, 1):
        if kind == 1 and number < len(words) and number > covered:
            rows.append(f"{number}-{number + 1}\t{form}x" + "\t_" * 8)
            tokens.append((form + "x", True))
            covered = number + 1
        rows.append(f"{number}\t{form}" + "\t_" * 8)
        if number > covered:
            tokens.append((form, False))
        if kind == 2:
            rows.append(f"{number}.1\t{form}" + "\t_" * 8)
    data = "\n".join(rows).encode()
    found = token_characters(data, np.array([0]), np.array([len(data)])).tolist()
    sizes = [sum(unicodedata.category(c) != "Zs" for c in form) for form, _ in tokens]
    assert found == [[sum(sizes), sizes[-1], tokens[-1][1]]]


def test_spans_must_be_inside() -> None:
    with pytest.raises(ValueError, match="inside"):
        token_characters(b"abc", np.array([0]), np.array([4]))
    with pytest.raises(ValueError, match="inside"):
        comment_keys(b"abc", np.array([2]), np.array([1]), b"x")


names = st.lists(st.text("ab\u00e9\ud800", max_size=12), max_size=12)


@given(names, names, st.booleans())
def test_partners(golds: list[str], others: list[str], permuted: bool) -> None:
    systems = sorted(golds)[1:] if permuted else others
    found = name_partners(*Strings.of(golds).columns, *Strings.of(systems).columns)
    plain = len(set(golds)) == len(golds) and len(set(systems)) == len(systems)
    if not plain or not set(systems) <= set(golds):
        assert found is None
    else:
        assert found is not None
        assert found.tolist() == [systems.index(g) if g in systems else -1 for g in golds]


def test_many_partners() -> None:
    golds = [f"name {i}" for i in range(5000)]
    found = name_partners(*Strings.of(golds).columns, *Strings.of(golds[::-1]).columns)
    assert found is not None
    assert found.tolist() == list(range(5000))[::-1]


@given(names, st.data())
def test_keys_of_names(texts: list[str], data: st.DataObject) -> None:
    keys = NameKeys(Strings.of(texts), (None,))
    assert list(keys) == [(text, None) for text in texts] == [keys[i] for i in range(len(keys))]
    places = data.draw(st.lists(st.integers(0, len(texts) - 1), max_size=9)) if texts else []
    some = keys.take(np.array(places, np.int64))
    assert list(some) == [(texts[place], None) for place in places]
    joined = NameKeys.joined([some, keys, some])
    assert list(joined) == [*some, *keys, *some]


HEADS = ["# ::id ", "a", " ", "::id b", "\n", "# ", "::snt x", "\u00e9", "\t", "\x1c", "\r"]


@given(st.lists(st.sampled_from(HEADS), max_size=6).map("".join), st.sampled_from(["", "\n# c"]))
def test_names_of_graphs(head: str, after: str) -> None:
    comments = "".join(f"#{line}\n" for line in f"# ::id {head}"[1:].split("\n")).encode()
    data = comments + f"(a / b{after})".encode()
    begin, body, end = (np.array([place]) for place in (0, len(comments), len(data)))
    found = graph_names(data, begin, body, end)
    if found is not None:
        assert data[found[0, 0] : found[0, 1]].decode() == _name(data, len(comments)) != ""
