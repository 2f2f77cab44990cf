"""The format penman: the same graphs as the line-wise reader finds, with ids and places."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from karat.core.files.opener import Source
from karat.core.format import block_text
from karat.graphs.amr.penman import blocks
from karat.graphs.formats.penman import PenmanText, text_block

LINES = st.sampled_from(
    ["", " ", "# ::id a.1", "# ::snt x ::id y", "# ::tok b", "# ::date 1 ::id c ::snt z", "#",
     "(a / b)",
     "(a / b", "  :r c)", "# ::id", "\t# ::id d"],
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@example(["(a / b)", " "], "\n", False)
@example(["# ::id", "# ::id a.1", "(a / b)"], "\n", False)
@example(["# ::id", "# ::snt x ::id y", "(a / b)"], "\n", False)
@given(st.lists(LINES, max_size=12), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_blocks(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], end: str, last: bool
) -> None:
    path = tmp_path_factory.mktemp("penman") / "a.amr"
    path.write_bytes((end.join(lines) + (end if last else "")).encode())
    source = Source(path)
    expected = [
        (block.line, block.metadata.get("id", "").partition(" ")[0], block.text, block.text_line)
        for block in blocks(source.lines())
    ]
    refs = PenmanText().scan(source)
    texts = [block_text(each) for each in source.read_spans(refs.begin.tolist(), refs.end.tolist())]
    found = [text_block(text, line) for text, line in zip(texts, refs.line.tolist(), strict=True)]
    assert [tuple(block[:4]) for block in found] == expected
    assert [(refs.key(row) or ("",))[0] for row in range(len(refs))] == [
        name for _, name, _, _ in expected
    ]


def test_items(tmp_path: Path) -> None:
    path = tmp_path / "a.amr"
    path.write_text("# ::id one\n(a / dog)\n\n# ::id two\n(b / cat\n\n# ::id three\n(c / :x)\n")
    reader = PenmanText()
    one, two, three = reader.read(Source(path))
    assert (one.key, one.value, one.line) == (("one",), "(a / dog)", 1)
    assert two.value == "(b / cat"
    assert reader.warnings == ["1 graph lacks ')' at the end: 'two'"]
    assert three.error is not None
    assert three.error.place is not None
    assert three.error.place.line == 8
