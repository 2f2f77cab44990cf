# ruff: noqa: E501 - tables of cases
"""karat run: what a file declares, and the file that declares a command."""

from __future__ import annotations

from pathlib import Path

import pytest

from commands import Karat


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    for name, texts in {"gold": "a b c", "good": "a b c", "poor": "a x y"}.items():
        (tmp_path / "data" / f"{name}.txt").write_text(texts.replace(" ", "\n") + "\n")


def test_a_command_and_its_file_give_the_same(karat: Karat, tmp_path: Path) -> None:
    """Also where the file lies in another folder than the command was given in."""
    words = (
        "evaluate", "exact", "-g", "data/gold.txt", "-s", "data/good.txt", "data/poor.txt",
        "--ignore-case", "--confidence", "0.9", "--fail-under", "accuracy=0.5", "--json", "x.json",
    )  # fmt: skip
    done = karat(*words, "--write-config", "data/karat.toml")
    assert done.returncode == 1  # a failed check
    first = (tmp_path / "x.json").read_bytes()
    (tmp_path / "x.json").unlink()
    text = (tmp_path / "data" / "karat.toml").read_text(encoding="utf-8")
    assert 'system = ["good.txt", "poor.txt"]' in text
    assert 'json = "../x.json"' in text
    assert "ignore-case = true" in text
    again = karat("run", "data/karat.toml")
    assert (again.returncode, again.stderr) == (1, done.stderr.replace("data/", ""))
    assert (tmp_path / "x.json").read_bytes() == first.replace(b"data/", b"")


@pytest.mark.parametrize("size", ["none", "0.5MB", "30"])
def test_sizes_are_declared_as_they_are_given(karat: Karat, tmp_path: Path, size: str) -> None:
    """In megabytes, not in the bytes that they are."""
    words = (
        "evaluate",
        "exact",
        "-g",
        "data/gold.txt",
        "-s",
        "data/good.txt",
        "--report",
        "p.html",
    )
    karat(*words, "--page-size", size, "--write-config", "karat.toml")
    text = (tmp_path / "karat.toml").read_text(encoding="utf-8")
    assert f'page-size = "{size.removesuffix("MB")}' in text
    assert karat("run", "--check").returncode == 0
    again = (*words, "--page-size", "none" if size == "none" else text.split('"')[-2])
    karat(*again, "--write-config", "again.toml")
    assert text.partition("\n")[2] == (tmp_path / "again.toml").read_text().partition("\n")[2]


def test_patterns_are_files_and_names_of_fields_are_none(karat: Karat, tmp_path: Path) -> None:
    """Wherever the file lies that declares them, and whatever files there are."""
    for name in ("type", "gold-1.txt", "gold-2.txt"):
        (tmp_path / name).write_text("a\n")
    (tmp_path / "texts.jsonl").write_text(
        '{"id": "1", "text": "a", "reference": "a", "type": "x"}\n'
    )
    words = ("evaluate", "exact", "-s", "texts.jsonl", "--by", "type", "-q")
    karat(*words, "--write-config", "data/fields.toml")
    assert 'by = ["type"]' in (tmp_path / "data/fields.toml").read_text()
    assert karat("run", "data/fields.toml").returncode == 0
    (tmp_path / "two.txt").write_text("a\na\n")
    karat(
        "evaluate", "exact", "-g", "gold-*.txt", "-s", "two.txt", "--write-config", "data/of.toml"
    )
    assert 'gold = ["../gold-*.txt"]' in (tmp_path / "data/of.toml").read_text()
    assert "2 items" in karat("run", "data/of.toml").stdout


def test_several_tables(karat: Karat, tmp_path: Path) -> None:
    karat("evaluate", "exact", "-g", "data/gold.txt", "-s", "data/good.txt", "--save", "a.karat")
    (tmp_path / "karat.toml").write_text("""
[evaluate]
metric = "exact"
gold = "data/gold.txt"
system = "data/good.txt"
ignore_case = false

[[compare]]
metric = "exact"
gold = "data/gold.txt"
system = ["data/good.txt", "data/poor.txt"]

[[gate]]
runs = ["a.karat", "a.karat"]
margin = 0.5
""")
    assert karat("run", "--check").stdout == ""
    done = karat("run")
    assert done.returncode == 0, done.stderr
    assert "3 items  exact()" in done.stdout
    assert "paired permutation test" in done.stdout
    assert "identical on all 3 items" in done.stdout


@pytest.mark.parametrize("verb", ["compare", "gate"])
def test_a_command_with_saved_runs_and_its_file_give_the_same(
    verb: str, karat: Karat, tmp_path: Path
) -> None:
    for name in ("good", "poor"):
        karat(
            "evaluate",
            "exact",
            "-g",
            "data/gold.txt",
            "-s",
            f"data/{name}.txt",
            "--save",
            f"{name}.karat",
        )
    done = karat(
        verb, "good.karat", "poor.karat", "--alpha", "0.1", "--write-config", "data/karat.toml"
    )
    text = (tmp_path / "data" / "karat.toml").read_text(encoding="utf-8")
    assert 'runs = ["../good.karat", "../poor.karat"]' in text
    assert "alpha = 0.1" in text
    again = karat("run", "data/karat.toml")
    assert done.stdout
    assert (again.returncode, again.stdout) == (done.returncode, done.stdout)
    over = karat(verb, "good.karat", "poor.karat", "--write-config", "poor.karat")
    assert (over.returncode, "K305" in over.stderr) == (2, True)


BAD = [
    ("x = 1", "K374: karat.toml: there is no table 'x'"),
    ("[[evalaute]]", "there is no table 'evalaute'; did you mean 'evaluate'?"),
    ("", "K374: karat.toml declares nothing"),
    (
        '[[evaluate]]\nmetric = "exat"',
        "evaluate 1: there is no metric 'exat'; did you mean 'exact'?",
    ),
    (
        '[[evaluate]]\nmetric = "bleu"\nsystem = "a"\nmax-ngram-order = 0',
        "evaluate 1: option 'max_ngram_order' of bleu must be int from 1 to 16, got 0",
    ),
    (
        '[[evaluate]]\nmetric = "rouge"\nsystem = "a"\nlanguage = "german"',
        "evaluate 1: rouge: the profile 1.5.5 has its own stemmer, language is for unicode",
    ),
    (
        '[[evaluate]]\nmetric = "bleu"\nsystem = "a"\nseed = -1',
        "evaluate 1: invalid value for '--seed': -1 is not in the range x>=0",
    ),
    ("[[evaluate]]\nseed = 1", "evaluate 1: a table has a 'metric'"),
    (
        '[[evaluate]]\nmetric = "exact"\nsede = 1',
        "evaluate 1: there is no option 'sede'; did you mean 'seed'?",
    ),
    ('[[evaluate]]\nmetric = "exact"\nseed = [1, 2]', "evaluate 1: 'seed' has one value, got 2"),
    (
        '[[evaluate]]\nmetric = "exact"\nquiet = 1',
        "evaluate 1: 'quiet' must be true or false, got 1",
    ),
    ('[[evaluate]]\nmetric = "exact"\nseed = "x"\nsystem = "a"', "'x' is not a whole number"),
    ('[[evaluate]]\nmetric = "exakt"\nsystem = "a"', "there is no metric 'exakt'"),
    ("[[evaluate", "K147: this is not TOML"),
]


@pytest.mark.parametrize(("text", "message"), BAD)
def test_slips_are_named_before_anything_runs(
    text: str, message: str, karat: Karat, tmp_path: Path
) -> None:
    good = '[[compare]]\nmetric = "exact"\ngold = "data/gold.txt"\nsystem = ["data/good.txt", "data/poor.txt"]\n'
    content = good + text if text.startswith("[[evaluate]]") else text
    (tmp_path / "karat.toml").write_text(content, encoding="utf-8")
    done = karat("run")
    assert done.returncode in (1, 2)
    assert message in done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
