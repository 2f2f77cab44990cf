"""Reading trees: what is accepted, and what is said of the rest."""
# ruff: noqa: E501 - a table of messages has one row per line

from __future__ import annotations

import io
from pathlib import Path

import pytest

from karat.core.files import opener
from karat.core.files.opener import Source
from karat.core.format import Format
from karat.core.reading.items import Item
from karat.trees.formats.conll import ConllU, ConllX, NedColumns
from karat.trees.model import MultiwordToken, Tree

CONLLU = """\
# sent_id = a
# text = don't go
1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
1\tdo\tdo\tAUX\tVBP\t_\t3\taux\t_\t_
2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t_\t_
3\tgo\tgo\tVERB\tVB\t_\t0\troot\t_\t_
3.1\tit\tit\tPRON\t_\t_\t_\t_\t_\t_

"""


def test_an_empty_node_may_come_first() -> None:
    node = "0.1\tit\tit\tPRON\t_\t_\t_\t_\t_\t_\n"
    assert ConllU.recognizes("# sent_id = a\n" + node)
    assert ConllU.recognizes(node)
    assert not ConllU.recognizes("1\tit\tit\tPRON\t_\t_\t0\t_\t_\t_\n")


def _read(tmp_path: Path, text: str, format: Format) -> list[Item]:
    path = tmp_path / "file"
    path.write_bytes(text.encode())
    return list(format.read(Source(path)))


def _line(cells: dict[int, str]) -> str:
    return "\t".join(cells.get(i, "_") for i in range(10))


@pytest.mark.parametrize(
    ("text", "heads"),
    [
        ("2\n0\n", [(2, 0)]),
        ("2\n-1", [(2, 0)]),
        ("2\r\n0\r\n\r\n0\r\n", [(2, 0), (0,)]),
        ("\n\n0\n\n\n0\n\n\n", [(0,), (0,)]),
        ("I\tPRP\t2\neat\tVB\t-1\n", [(2, 0)]),
        ("", []),
    ],
)
def test_ned_columns(tmp_path: Path, text: str, heads: list[tuple[int, ...]]) -> None:
    assert [item.value.heads for item in _read(tmp_path, text, NedColumns())] == heads


def test_conllu_keeps_words_and_multiword_tokens(tmp_path: Path) -> None:
    (item,) = _read(tmp_path, CONLLU, ConllU())
    tree: Tree = item.value
    assert item.key == ("a",)
    assert tree.forms == ("do", "n't", "go")
    assert tree.heads == (3, 3, 0)
    assert tree.multiword == (MultiwordToken(1, 2, "don't"),)
    assert tree.lines == (4, 5, 6)
    assert tree.place(3).line == 6


def test_what_is_written_reads_back(tmp_path: Path) -> None:
    (item,) = _read(tmp_path, CONLLU, ConllU())
    stream = io.BytesIO()
    ConllU().write([item.value], stream)
    (again,) = _read(tmp_path, stream.getvalue().decode(), ConllU())
    assert again.value == item.value
    assert again.key == item.key
    words = Tree.of([2, 0], forms=["a", "b"], deprels=["det", "root"])
    stream = io.BytesIO()
    ConllX().write([words], stream)
    (again,) = _read(tmp_path, stream.getvalue().decode(), ConllX())
    assert (again.value.heads, again.value.forms, again.value.deprels) == (
        words.heads, words.forms, words.deprels,
    )  # fmt: skip


WORD = _line({0: "1", 1: "a", 6: "0"})


@pytest.mark.parametrize(
    ("format", "text", "code", "line", "message"),
    [
        (NedColumns(), "a\t2\n", "K180", 1, "the line has 2 columns, expected 1 or 3 or 10"),
        (NedColumns(), "0\n\na\tNN\t0\n", "K181", 3, "the line has 3 columns, the lines before have 1"),
        (NedColumns(), "0\n\n0\ntwo\n", "K182", 4, "the head is 'two', expected a number from 1 to 2, or 0 or -1 for the root"),
        (NedColumns(), "0\n-2\n", "K182", 2, "the head is '-2', expected a number from 1 to 2, or 0 or -1 for the root"),
        (NedColumns(), "٢\n0\n", "K182", 1, "the head is '٢', expected a number from 1 to 2, or 0 or -1 for the root"),
        (NedColumns(), "+2\n0\n", "K182", 1, "the head is '+2', expected a number from 1 to 2, or 0 or -1 for the root"),
        (NedColumns(), "3\n0\n", "K182", 1, "the head is 3, but the sentence has 2 words"),
        (NedColumns(), "5000\n0\n", "K182", 1, "the head is 5000, but the sentence has 2 words"),
        (NedColumns(), "1\n", "K183", 1, "word 1 ('1') is its own head"),
        (NedColumns(), "0\n\n0\n3\n2\n", "K183", 4, "word 2 ('2') with head 3 is in a cycle"),
        (NedColumns(), "# x\n0\n", "K182", 1, "the head is '# x', expected a number from 1 to 2, or 0 or -1 for the root"),
        (ConllU(), _line({0: "1", 6: "-1"}), "K182", 1, "the head is '-1', expected a number from 1 to 1, or 0 for the root"),
        (ConllU(), WORD.replace("1", "2", 1), "K184", 1, "the id is '2', expected 1"),
        (ConllX(), _line({0: "1-2"}) + "\n" + WORD, "K184", 1, "the id is '1-2', expected 1"),
        (ConllU(), WORD + "\n# late\n", "K180", 2, "the line has 1 column, expected 10"),
        (ConllU(), _line({0: "1-2"}) + "\n" + WORD, "K185", 2, "the multiword token 1-2 ends after the last word, 1"),
        (ConllU(), _line({0: "2-3"}) + "\n" + WORD, "K185", 1, "the multiword token '2-3' does not fit: expected it to begin with 1 and not to end before"),
        (ConllU(), _line({0: "0.1"}), "K184", 1, "the sentence has no words"),
    ],
)  # fmt: skip
def test_errors(
    tmp_path: Path, format: Format, text: str, code: str, line: int, message: str
) -> None:
    errors = [item.error for item in _read(tmp_path, text, format) if item.error]
    assert len(errors) == 1
    error = errors[0]
    assert error.place is not None
    assert (error.code, error.place.line, error.message) == (code, line, message)
    assert error.exit_code == 1


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1 << 20])
def test_blocks_do_not_depend_on_chunks(
    tmp_path: Path, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opener, "BLOCK", size)
    path = tmp_path / "file"
    path.write_bytes(b"\n\na\nb\n\n\n# c\nd\r\n\r\ne")
    refs = ConllU().scan(Source(path))
    found = zip(
        Source(path).read_spans(refs.begin.tolist(), refs.end.tolist()),
        refs.line.tolist(),
        *(refs.extra[name].tolist() for name in ("body", "body_line", "blanks", "closed")),
        strict=True,
    )
    assert list(found) == [
        (b"a\nb", 3, 0, 3, 2, True),
        (b"# c\nd", 7, 4, 8, 2, True),
        (b"e", 10, 0, 10, 1, False),
    ]


def test_deep_and_long_sentences_end_quickly(tmp_path: Path) -> None:
    size = 50_000
    chain = "".join(f"{i}\n" for i in range(size))
    (item,) = _read(tmp_path, chain, NedColumns())
    assert item.value.heads[-1] == size - 1
    (item,) = _read(tmp_path, chain.replace("0\n", f"{size}\n", 1), NedColumns())
    assert item.error is not None
    assert item.error.code == "K183"
