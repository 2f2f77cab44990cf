"""karat mbr: candidates from files, what is written, and wrong use."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Karat = Callable[..., "subprocess.CompletedProcess[str]"]


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
