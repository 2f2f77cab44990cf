"""NED and attachment on files: what must agree, what is left out, what is counted."""
# ruff: noqa: E501 - a table of messages has one row per line

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from karat.core.capabilities import ABSTAINS, Slot, Values
from karat.core.runs.evaluation import Evaluation
from karat.engine import evaluate, verify
from karat.errors import KaratError, OptionError
from karat.trees.metrics.attachment import Attachment
from karat.trees.metrics.ned import Ned
from karat.trees.model import Tree


def _files(tmp_path: Path, system: str, gold: str) -> dict[str, Any]:
    (tmp_path / "system.f2").write_text(system)
    (tmp_path / "gold.f2").write_text(gold)
    return {"system": tmp_path / "system.f2", "gold": tmp_path / "gold.f2"}


@pytest.mark.parametrize(
    ("metric", "system", "gold", "message"),
    [
        (Ned(), "0\n\n0\n", "0\n", "system.f2:3: PairingError K202: item '2': the system file has a sentence here, but the gold file ends after 1"),
        (Ned(), "0\n", "0\n\n0\n", "gold.f2:3: PairingError K202: item '2': the gold file has a sentence here, but the system file ends after 1"),
        (Ned(), "0\n\n\n0\n", "0\n\n0\n", "system.f2:4: TreeError K186: item '2': there are 2 blank lines before the sentence, 1 before the gold sentence at gold.f2:3"),
        (Ned(), "0\n1\n\n0\n", "0\n\n0\n1\n", "system.f2:1: TreeError K186: item '1': the sentence has 2 words, the gold sentence at gold.f2:1 has 1"),
        (Ned(single_root=True), "0\n0\n", "0\n1\n", "system.f2:2: TreeError K189: item '1': the sentence has 2 roots, expected one: words 1 ('1'), 2 ('2')"),
        (Ned(punct_upos=True), "0\n", "0\n", "gold.f2:1: TreeError K188: item '1': punctuation is recognised by UPOS, but the files have no such column"),
        (Attachment(), "a\tX\t0\n", "b\tX\t0\n", "system.f2:1: TreeError K187: item '1': the word is 'a', that of gold at gold.f2:1 is 'b'"),
    ],
)  # fmt: skip
def test_disagreement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, metric: Any, system: str, gold: str,
    message: str,
) -> None:  # fmt: skip
    _files(tmp_path, system, gold)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(KaratError) as caught:
        evaluate(metric, system="system.f2", gold="gold.f2")
    assert caught.value.headline == message
    assert caught.value.exit_code == 1


def test_what_is_skipped_is_counted(tmp_path: Path) -> None:
    files = _files(tmp_path, "a\tX\t0\n\nb\tX\t5\n\nc\tX\t0\n", "z\tX\t0\n\nb\tX\t0\n\nc\tX\t0\n")
    result = evaluate("ned", **files, on_error="skip")
    assert (len(result), result.skipped) == (1, 2)
    assert result.ids == ["3"]


def test_agreeing_extra_blank_lines_and_blank_ends(tmp_path: Path) -> None:
    files = _files(tmp_path, "\n0\n\n\n0\n\n\n", "\n0\n\n\n0")
    assert evaluate("ned", **files).scores()["total"] == 2


def test_an_empty_corpus(tmp_path: Path) -> None:
    files = _files(tmp_path, "", "")
    scores = evaluate("ned", **files).scores()
    assert (scores["total"], scores["ned_score"]) == (0, None)
    with pytest.raises(KaratError, match="K203"):
        evaluate("attachment", **files)


def test_sentences_left_out_may_have_punctuation_heads(tmp_path: Path) -> None:
    text = "a\tX\t2\n.\t.\t0\nb\tX\t2\n"
    files = _files(tmp_path, text, text)
    with pytest.raises(KaratError, match="has as its head the punctuation mark 2"):
        evaluate("ned", **files)
    assert evaluate("ned(max_length=1)", **files).scores()["skipped"] == 1


def test_ids_must_agree_unless_told_otherwise(tmp_path: Path) -> None:
    word = "1\ta\t_\t_\t_\t_\t0\t_\t_\t_\n\n"
    system, gold = tmp_path / "s.conllu", tmp_path / "g.conllu"
    gold.write_text(f"# sent_id = x\n{word}# sent_id = y\n{word}")
    system.write_text(f"# sent_id = y\n{word}# sent_id = x\n{word}")
    with pytest.raises(KaratError, match="the sentence id is 'y'"):
        evaluate("attachment", system=system, gold=gold)
    for mode in ("id", "position"):
        result = evaluate("attachment", system=system, gold=gold, pair=mode)  # type: ignore[arg-type]
        assert result.ids == ["x", "y"]


def test_punctuation_policies_exclude_each_other() -> None:
    with pytest.raises(OptionError, match="punct_upos and keep_punct exclude each other"):
        Ned(punct_upos=True, keep_punct=True)


@pytest.mark.parametrize(
    ("options", "total"),
    [
        ({}, 2),
        ({"keep_punct": True}, 4),
        ({"punct_tags": ("NN",)}, 3),
        ({"punct_upos": True}, 3),
        ({"punct_deprel": "punct"}, 1),
    ],
)
def test_punctuation_policies(options: dict[str, Any], total: int) -> None:
    tree = Tree.of(
        [0, 1, 1, 1],
        xpos=["NN", ".", "_", "$"],
        upos=["NOUN", "SYM", "PUNCT", "NUM"],
        deprels=["root", "punct", "punct:x", "punct"],
    )
    assert Ned(punct_heads="keep", **options).score(tree, tree)["total"] == total
    assert Attachment(**options).score(tree, tree)["total"] == total


def test_tags_of_one_file_are_used_for_both() -> None:
    tagged = Tree.of([0, 1], xpos=["NN", "."])
    plain = Tree.of([0, 1])
    assert Ned().score(tagged, plain)["total"] == Ned().score(plain, tagged)["total"] == 1


def test_explanations() -> None:
    gold = Tree.of([2, 0, 2, 3], forms=["I", "want", "to", "eat"], deprels=["a", "b", "c", "d"])
    system = Tree.of([2, 0, 4, 2], forms=["I", "want", "to", "eat"], deprels=["a", "x", "c", "d"])
    ways = [word["how"] for word in Ned().explain(system, gold)["words"]]
    assert ways == ["parent", "parent", "child", "grandparent"]
    assert Attachment().explain(system, gold)["wrong"] == [
        {"word": 2, "form": "want", "gold": [0, "b"], "system": [0, "x"]},
        {"word": 3, "form": "to", "gold": [2, "c"], "system": [4, "c"]},
        {"word": 4, "form": "eat", "gold": [3, "d"], "system": [2, "d"]},
    ]


def test_parts_are_saved_and_verified(tmp_path: Path) -> None:
    files = _files(tmp_path, "a\tX\t0\nb\tY\t1\n\nc\tX\t0\n", "a\tX\t2\nb\tY\t0\n\nc\tX\t0\n")
    result = evaluate("ned", **files, facets=["pos", "root-distance"])
    assert {tag: scores["total"] for tag, scores in result.by("pos").items()} == {"X": 2, "Y": 1}
    assert list(result.by("root-distance")) == ["1", "2"]
    assert result.group_sizes("pos") == {"X": 2, "Y": 1}
    path = str(tmp_path / "a.run")
    result.save(path)
    assert Evaluation.load(path).by("pos") == result.by("pos")
    assert verify(path).items == 2
    with pytest.raises(OptionError, match="K315"):
        result.by("deprel")


def test_a_system_without_labels_votes_on_heads_alone() -> None:
    """Else an audit would take each of gold's labels for one that the system denies."""
    gold = Tree.of([2, 0], forms=["we", "go"], deprels=["nsubj", "root"])
    (reading,) = Attachment().readings([(Tree.of([0, 1], forms=["we", "go"]), gold)])
    assert reading == {
        Slot("head", "we(1)"): Values("go(2)", "ROOT", others=1),
        Slot("label", "we(1)"): Values("nsubj", ABSTAINS),
        Slot("head", "go(2)"): Values("ROOT", "we(1)", others=1),
        Slot("label", "go(2)"): Values("root", ABSTAINS),
    }


@pytest.mark.parametrize("facets", [(), ("pos",)], ids=["from bytes", "from trees"])
@pytest.mark.parametrize(
    ("gold", "excluded"),
    [
        # The file of gold has no tags: those of the system are used.
        ("a\t_\t0\n,\t_\t1\n\nb\t_\t0\n,\t_\t1\n", 2),
        # It has some: a sentence without any has no punctuation.
        ("a\tNN\t0\n,\t,\t1\n\nb\t_\t0\n,\t_\t1\n", 1),
        ("a\t_\t0\n,\t_\t1\n\nb\tNN\t0\n,\t,\t1\n", 1),
        ("0\n1\n\n0\n1\n", 2),
    ],
)
@pytest.mark.parametrize("columns", [3, 10])
def test_tags_are_those_of_a_whole_file(
    tmp_path: Path, gold: str, excluded: int, facets: tuple[str, ...], columns: int
) -> None:
    system = "a\tNN\t0\n,\t,\t1\n\nb\tNN\t0\n,\t,\t1\n"
    files = _files(tmp_path, *(_wide(text) if columns == 10 else text for text in (system, gold)))
    for metric in (Attachment(), Ned()):
        assert evaluate(metric, **files, facets=facets).scores()["excluded"] == excluded


def _wide(text: str) -> str:
    """Ten columns from three."""
    if "\t" not in text:
        return text
    rows = []
    for block in text.strip("\n").split("\n\n"):
        cells = [line.split("\t") for line in block.split("\n")]
        rows.append("".join(
            f"{i}\t{form}\t_\t_\t{tag}\t_\t{head}\tx\t_\t_\n"
            for i, (form, tag, head) in enumerate(cells, 1)
        ))  # fmt: skip
    return "\n".join(rows)
