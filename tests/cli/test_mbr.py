"""karat mbr: candidates from files, what is written, and wrong use."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands import Karat


def test_files_are_chosen_from_and_written(karat: Karat, tmp_path: Path) -> None:
    graphs = ["(w / want-01 :ARG0 (b / boy))", "(w / want-01 :ARG0 (g / girl))"]
    for name, one in (("a", graphs[0]), ("b", graphs[1]), ("c", graphs[1])):
        text = f"# ::id 1\n{one}\n\n# ::id 2\n{graphs[0]}\n"
        (tmp_path / f"{name}.amr").write_text(text)
    out, document = tmp_path / "out.amr", tmp_path / "out.json"
    paths = [tmp_path / f"{name}.amr" for name in "abc"]
    result = karat("mbr", "smatch", "-s", *map(str, paths), "-o", str(out), "--json", str(document))
    assert result.returncode == 0, result.stderr
    assert out.read_text() == f"# ::id 1\n{graphs[1]}\n\n# ::id 2\n{graphs[0]}\n\n"
    assert [item["chosen"] for item in json.loads(document.read_bytes())["items"]] == [
        "b.amr",
        "a.amr",
    ]


def test_samples_in_one_file(karat: Karat, tmp_path: Path) -> None:
    records = [("1", "a dog"), ("1", "a cat"), ("1", "a cat"), ("2", "x"), ("2", "y z")]
    lines = [json.dumps({"id": name, "output": text}) for name, text in records]
    path, gold = tmp_path / "samples.jsonl", tmp_path / "gold.jsonl"
    path.write_text("\n".join(lines))
    gold.write_text('{"id": "1", "reference": "a cat"}\n{"id": "2", "reference": "y z"}\n')
    out = tmp_path / "out.jsonl"
    result = karat(
        "mbr", "exact", "-s", str(path), "-g", str(gold), "-o", str(out), "--json", "-", "-q"
    )
    document = json.loads(result.stdout)
    assert document["systems"] == ["sample 1", "sample 2", "sample 3"]
    assert [item["chosen"] for item in document["items"]] == ["sample 2", "sample 1"]
    assert document["measured"][0]["consensus"] == 0.5
    assert out.read_text() == lines[1] + "\n" + lines[3] + "\n"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["bleu", "-s", "a.txt"], "K204"),
        (["bleu", "-s", "a.txt", "b.txt"], "K202"),
        (["bleu", "-s", "a.txt", "c.txt", "--weights", "1"], "K302"),
        (["bleu", "-s", "a.txt", "c.txt", "--weights", "1,-1"], "K302"),
        (["bleu", "-s", "a.txt", "c.txt", "--oracle"], "K303"),
        (["bleu", "-s", "a.txt", "c.txt", "--judge", "chrf"], "K303"),
        (["bleu,chrf", "-s", "a.txt", "c.txt"], "K322"),
        (["bleu", "-s", "a.txt", "c.txt", "-o", "a.txt"], "K305"),
        (["pyramid-score", "-s", "a.txt", "c.txt"], "K212"),
    ],
)
def test_wrong_use_is_one_clear_error(
    karat: Karat, arguments: list[str], code: str, tmp_path: Path
) -> None:
    for name, lines in (("a", 3), ("b", 2), ("c", 3)):
        (tmp_path / f"{name}.txt").write_text("a dog\n" * lines)
    before = (tmp_path / "a.txt").read_bytes()
    result = karat("mbr", *arguments)
    assert result.returncode in (1, 2)
    assert code in result.stderr
    assert "Traceback" not in result.stderr
    assert (tmp_path / "a.txt").read_bytes() == before


def test_an_item_that_cannot_be_read_shifts_no_other(karat: Karat, tmp_path: Path) -> None:
    """A line that is no JSON tells no id: the others are still paired by theirs."""
    outputs = {"1": "x y z", "2": "u v w", "3": "k l m"}
    for name, order in (("a", "123"), ("b", "21"), ("c", "312")):
        lines = [json.dumps({"id": key, "output": outputs[key]}) for key in order]
        lines += ['{"id": "3", "output":'] * (name == "b")
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines))
    paths = [str(tmp_path / f"{name}.jsonl") for name in "abc"]
    result = karat("mbr", "exact", "-s", *paths, "--json", "-")
    assert result.returncode == 0, result.stderr
    document = json.loads(result.stdout)
    assert [each["utility"] for each in document["items"]] == [1.0, 1.0, 1.0]
    assert "b.jsonl:3: FormatError K111" in result.stderr
    assert "b.jsonl has no output for 1 of 3 items" in result.stderr


def test_graphs_are_read_as_evaluate_reads_them(karat: Karat, tmp_path: Path) -> None:
    """What a reader tolerates has a vote, and is told."""
    for name, graph in (("a", "(b / boy)"), ("b", "(g / girl"), ("c", "(g / girl)")):
        (tmp_path / f"{name}.amr").write_text(f"# ::id 1\n{graph}\n")
    paths = [str(tmp_path / f"{name}.amr") for name in "abc"]
    result = karat("mbr", "smatch", "-s", *paths, "--json", "-")
    assert json.loads(result.stdout)["chosen"] == {"a.amr": 0, "b.amr": 1, "c.amr": 0}
    assert "b.amr: 1 graph lacks ')' at the end: '1'" in result.stderr


def test_the_score_that_chooses_is_the_one_in_the_table(karat: Karat, tmp_path: Path) -> None:
    for name, text in (("a", "a dog"), ("b", "a cat"), ("c", "one cat"), ("gold", "a cat")):
        (tmp_path / f"{name}.txt").write_text(f"{text}\n")
    *paths, gold = [str(tmp_path / f"{name}.txt") for name in ("a", "b", "c", "gold")]
    arguments = ("mbr", "chrf", "-s", *paths, "-g", gold, "--score", "sent-chrf", "-q")
    document = json.loads(karat(*arguments, "--json", "-", "--weights", "1e308,1e308,1e308").stdout)
    assert [each["score"] for each in document["measured"]] == ["sent-chrf", "bleu"]
    assert 0 < document["items"][0]["utility"] < 100
    lower = karat("mbr", "wer", "-s", *paths, "-g", gold, "-q").stdout
    assert "consensus adds (less is better)" in lower


def test_all_outputs_are_written_or_none(karat: Karat, tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text("x\n")
    paths = [str(tmp_path / f"{name}.txt") for name in "ab"]
    out = tmp_path / "out.txt"
    result = karat(
        "mbr", "exact", "-s", *paths, "-o", str(out), "--json", str(tmp_path / "no" / "x")
    )
    assert (result.returncode, out.exists()) == (2, False)
    assert "K305" in result.stderr
