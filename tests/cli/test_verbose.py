"""``--verbose`` says what a run does with its files; ``--json-lines`` has a line for each run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import karat as package
from commands import Karat

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
TEXTS = [
    "-g", f"{EXAMPLES}/translation/gold.txt",
    "-s", f"{EXAMPLES}/translation/careful.txt", f"{EXAMPLES}/translation/hasty.txt",
]  # fmt: skip


def test_what_a_run_does_with_its_files(karat: Karat) -> None:
    done = karat("evaluate", "smatch", "-g", f"{EXAMPLES}/graphs/gold.amr",
                 "-s", f"{EXAMPLES}/graphs/system.amr", "--verbose", "-b", "-j", "1")  # fmt: skip
    assert done.stdout == "0.8710\n"
    assert done.stderr.splitlines() == [
        f"system {EXAMPLES}/graphs/system.amr: read as penman (guessed from its content)",
        f"gold {EXAMPLES}/graphs/gold.amr: read as penman (guessed from its content)",
        "3 system items, 3 of gold, paired by id: 3 pairs",
        "1 job: as was asked for",
    ]
    done = karat("compare", "chrf", *TEXTS, "--format", "lines", "--verbose")
    assert "hasty.txt: read as lines (as was asked for)" in done.stderr
    assert done.stderr.count("33 system items, 33 of gold, paired by position: 33 pairs") == 2
    assert "1 job: one for each 2 MiB of the files, up to " in done.stderr
    done = karat("gate", "scores", "-s", f"{EXAMPLES}/logs/base.csv", f"{EXAMPLES}/logs/base.csv",
                 "--verbose")  # fmt: skip
    assert "240 system items, no gold file: 240 items to measure" in done.stderr


@pytest.mark.parametrize("verb", ["evaluate", "compare", "gate", "score", "explain"])
def test_every_command_with_a_metric_says_so(verb: str, karat: Karat) -> None:
    files = TEXTS if verb in ("compare", "gate") else TEXTS[:4]
    told = karat(verb, "bleu", *files, "--verbose").stderr
    assert "careful.txt: read as lines (guessed from its content)" in told
    assert "33 system items, 33 of gold, paired by position: 33 pairs" in told


def test_it_is_told_before_what_fails(karat: Karat, tmp_path: Path) -> None:
    (tmp_path / "short.txt").write_text("one line\n", encoding="utf-8")
    done = karat("evaluate", "bleu", *TEXTS[:2], "-s", "short.txt", "--verbose")
    assert done.returncode == 1
    assert done.stderr.startswith("system short.txt: read as lines (guessed from its content)\n")
    assert karat("evaluate", "bleu", *TEXTS, "--verbose", "--quiet").returncode == 2


def test_values_in_memory() -> None:
    lines: list[str] = []
    package.evaluate("exact", ["a", "b"], ["a", "c"], log=lines.append)
    assert len(lines) == 4
    assert all("values in memory" in line for line in lines[:2])


@pytest.mark.parametrize("verb", ["evaluate", "compare"])
def test_json_lines_are_the_list_of_json(verb: str, karat: Karat, tmp_path: Path) -> None:
    done = karat(verb, "bleu,chrf", *TEXTS, "--json", "all.json", "--json-lines", "-")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines == json.loads((tmp_path / "all.json").read_text("utf-8"))
    assert len(lines) == (4 if verb == "evaluate" else 2)
    single = karat("evaluate", "bleu", *TEXTS[:4], "--json-lines", "-").stdout
    assert single.count("\n") == 1
    assert json.loads(single) == lines[0] or verb == "compare"
