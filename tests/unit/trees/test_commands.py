"""``karat validate`` and ``karat analyze`` on trees; converting what a format cannot hold."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from karat.cli import cli
from karat.core.commands import Job
from karat.core.pairing.pairs import Report
from karat.core.reading.streams import Stream
from karat.core.registry import parse
from karat.errors import FormatError
from karat.trees.commands import AnalyzeTrees, ConvertTrees, DrawTrees, ValidateTrees
from karat.trees.formats.conll import ConllU
from karat.trees.model import Tree, TreeError


def conllu(*heads: int, labels: tuple[str, ...] = ()) -> str:
    cells = labels or tuple("root" if head == 0 else "dep" for head in heads)
    rows = [
        f"{word}\tw{word}\tw\tX\tX\t_\t{head}\t{label}\t_\t_\n"
        for word, (head, label) in enumerate(zip(heads, cells, strict=True), 1)
    ]
    return "".join(rows) + "\n"


def job(path: Path, text: str, name: str, **options: Any) -> Job:
    path.write_text(text)
    return Job([Stream(path, ["tree"], "input", name)], **options)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("conllu", conllu(2, 1), "is in a cycle"),
        ("conllu", conllu(0, 0), "the sentence has several roots: words 1, 2"),
        ("conllu", conllu(0).replace("\t0\t", "\t_\t"), "the head is '_'"),
        ("ned", "2\n1\n", "is in a cycle"),
        ("ned", "x\n", "the head is 'x'"),
    ],
)
def test_what_is_no_tree(tmp_path: Path, name: str, text: str, message: str) -> None:
    answer = ValidateTrees().answer(job(tmp_path / "a", text, name))
    assert answer.failed
    assert message in answer.text
    assert answer.text.endswith("1 sentence, 1 problem")
    (problem,) = answer.document["problems"]
    assert problem["line"] in (1, 2)
    assert message in problem["message"]


def test_several_roots_are_for_other_formats_to_forbid(tmp_path: Path) -> None:
    two = job(tmp_path / "a", "0\n0\n", "ned")
    assert ValidateTrees().answer(two).text == "1 sentence, 0 problems"
    assert ValidateTrees(strict=True).answer(two).failed


def test_labels_that_some_words_lack(tmp_path: Path) -> None:
    text = conllu(2, 0, labels=("_", "root"))
    assert not ValidateTrees().answer(job(tmp_path / "a", text, "conllu")).failed
    found = ValidateTrees(strict=True).answer(job(tmp_path / "a", text, "conllu"))
    assert "word 1 has no label" in found.text
    none = conllu(2, 0, labels=("_", "_"))
    assert not ValidateTrees(strict=True).answer(job(tmp_path / "a", none, "conllu")).failed


def test_counts(tmp_path: Path) -> None:
    """By hand: edges 1-2, 3-2, 4-1 (crossing) of lengths 1, 1, 3; a chain of three below ROOT."""
    text = conllu(2, 0, 2, 1) + conllu(0, 0)
    answer = AnalyzeTrees().answer(job(tmp_path / "a", text, "conllu"))
    assert answer.document == {
        "sentences": 2,
        "words": 6,
        "longest": 4,
        "deepest": 3,
        "several_roots": 1,
        "not_projective": 1,
        "mean_dependency_length": pytest.approx(5 / 3),
        "labels": {"dep": 3, "root": 3},
        "tags": {"X": 6},
    }


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.f2"
    path.write_text("I\tPRP\t2\nrun\tVBP\t0\n")
    assert cli.main(["analyze", str(path), "--json"], standalone_mode=False) == 0
    assert json.loads(capsys.readouterr().out)["words"] == 2
    for name in ("ned", "conllx"):
        path.write_text(conllu(2, 1))
        assert cli.main(["validate", "--from", name, str(path)], standalone_mode=False) == 1
        assert "is in a cycle" in capsys.readouterr().out


def test_several_roots_are_not_written_as_conllu(tmp_path: Path) -> None:
    for on_error, kept in (("skip", 1), ("fail", 0)):
        asked = job(
            tmp_path / "a", "0\n0\n\n0\n1\n", "ned", writer=ConllU(), report=Report(on_error)
        )
        if on_error == "fail":
            with pytest.raises(FormatError, match=r"K126.* one root in a sentence"):
                list(ConvertTrees().convert(asked))
        else:
            trees = list(ConvertTrees().convert(asked))
            assert len(trees) == kept
            asked.writer.write(trees, io.BytesIO())  # type: ignore[union-attr]


@pytest.mark.parametrize("metric", ["attachment", "ned"])
def test_sentences_of_unequal_length(metric: str) -> None:
    long = Tree.of([2, 0, 2], forms=["I", "eat", "fish"])
    short = Tree.of([2, 0], forms=["I", "eat"])
    for pair in ((long, short), (short, long)):
        with pytest.raises(TreeError, match=r"K186: the sentence has . words"):
            parse(metric).score(*pair)


def test_texts_without_words_have_nothing_to_compare() -> None:
    bare = Tree.of([2, 0, 2])
    for pair in ((bare, bare), (bare, Tree.of([2, 0, 2], forms=["I", "eat", "fish"]))):
        with pytest.raises(TreeError, match="K191: the sentence has no words"):
            parse("ud").score(*pair)


def test_a_sentence_without_words_has_no_root() -> None:
    nothing = Tree.of([], forms=[])
    with pytest.raises(TreeError, match="K189: the sentence has no words"):
        parse("ud").score(nothing, nothing)


def named(*ids: str) -> str:
    return "".join(f"# sent_id = {id}\n1\t{id}\t_\tX\t_\t_\t0\troot\t_\t_\n\n" for id in ids)


@pytest.mark.parametrize(
    ("system", "gold", "partners", "warnings"),
    [
        ("ab", "ba", "ab", []),
        ("ab", "bc", "-b", ["1 sentence has no gold, drawn alone: 'a'"]),
        ("ab", "cd", "cd", ["no id is in both files: sentences are compared by position"]),
    ],
)
def test_sentences_are_drawn_with_the_gold_of_their_ids(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    system: str,
    gold: str,
    partners: str,
    warnings: list[str],
) -> None:
    seen = []
    monkeypatch.setattr(
        DrawTrees, "_svg", lambda self, tree, gold, *_: seen.append(gold.id if gold else "-") or ""
    )
    golds = job(tmp_path / "gold", named(*gold), "conllu").inputs
    work = job(tmp_path / "system", named(*system), "conllu", golds=golds)
    assert len(list(DrawTrees().draw(work))) == len(system)
    assert "".join(seen) == partners
    assert work.warnings() == warnings
