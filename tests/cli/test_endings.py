"""How commands end: exit codes, closed pipes, empty files, names in messages."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from commands import Karat

EXAMPLES = Path(__file__).parents[2] / "examples"

AMR = "# ::id 1\n(b / bark-01 :ARG0 (d / dog))\n\n# ::id 2\n(c / cat)\n"
TREE = "1\ta\t_\tNOUN\tNN\t_\t0\troot\t_\t_\n\n"
FORM = "A dog\tdog ( x _ 1 )\tx\n"

# A metric of each family, the suffix of its files, good gold and a broken system.
FAMILIES = [
    ("bleu", ".jsonl", '{"text": "a"}\n', "{\n"),
    ("smatch", ".amr", AMR, "(((\n"),
    ("mrp", ".mrp", '{"id": "1", "nodes": [{"id": 0}]}\n', "{\n"),
    ("attachment", ".conllu", TREE, TREE.replace("\t0\t", "\t9\t")),
    ("ned", ".f2", "1\ta\tNN\t0\n\n", "1\ta\n"),
    ("ud", ".conllu", TREE, "1\ta\n\n"),
    ("cogs", ".tsv", FORM, "A dog\tdog\n"),
    ("lf-exact", ".tsv", FORM, FORM * 2),
]


@pytest.mark.parametrize(("metric", "suffix", "gold", "system"), FAMILIES)
def test_bad_data_ends_with_1_in_every_family(
    karat: Karat, tmp_path: Path, metric: str, suffix: str, gold: str, system: str
) -> None:
    (tmp_path / f"gold{suffix}").write_text(gold)
    (tmp_path / f"system{suffix}").write_text(system)
    done = karat("evaluate", metric, "-g", f"gold{suffix}", "-s", f"system{suffix}")
    assert done.returncode == 1, done.stderr
    assert "Error K" in done.stderr.splitlines()[0]


COMMANDS = [
    ("--help",),
    ("evaluate", "bleu", "--help"),
    ("list", "metrics"),
    ("list", "metrics", "--json"),
    ("evaluate", "bleu", "-g", "translation/gold.txt", "-s", "translation/hasty.txt"),
    ("evaluate", "bleu", "-g", "translation/gold.txt", "-s", "translation/hasty.txt",
     "--json", "-"),
    ("convert", "graphs/mini.dm.mrp", "--to", "mrp"),
]  # fmt: skip


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_closed_pipe_is_no_failure(words: tuple[str, ...]) -> None:
    """Wherever in the output the reader goes away: before all of it here."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-c", "from karat.cli import main; main()", *words],
            stdout=writing, stderr=subprocess.PIPE, cwd=EXAMPLES, check=False,
        )  # fmt: skip
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("empty.mrp", ""),
        ("empty.mrp", "\n"),
        ("empty.conllu", ""),
        ("empty.lf", ""),
        ("empty.x", ""),
    ],
)
def test_there_is_nothing_to_analyze(karat: Karat, tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    done = karat("analyze", name)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"{name}: FormatError K106: ")


def test_a_file_is_named_once_in_a_warning(karat: Karat, tmp_path: Path) -> None:
    (tmp_path / "gold.amr").write_text(AMR)
    (tmp_path / "bad.amr").write_text(AMR.replace("(c / cat)", "((("))
    words = ("evaluate", "smatch", "-g", "gold.amr", "-s", "bad.amr")
    (line,) = karat(*words).stderr.splitlines()
    assert line.startswith("warning: counted as nothing: bad.amr:5:2: FormatError K124: ")
    (tmp_path / "bad.amr").write_text(AMR.replace("(c / cat)", "(c / cat))"))
    for line in karat(*words).stderr.splitlines():
        assert line.count("bad.amr") == 1
    for line in karat("evaluate", "smatch", "-g", "bad.amr", "-s", "gold.amr").stderr.splitlines():
        assert line.startswith("warning: bad.amr: ")
        assert line.count(".amr") == 1


def test_a_warning_without_a_file_gets_one(karat: Karat, tmp_path: Path) -> None:
    (tmp_path / "gold.amr").write_text(AMR)
    (tmp_path / "one.amr").write_text(AMR.partition("\n\n")[0] + "\n")
    done = karat("evaluate", "smatch", "-g", "gold.amr", "-s", "one.amr")
    assert done.stderr.startswith("warning: one.amr: 1 of 2 gold items has no system item")


@pytest.mark.parametrize(
    ("wanted", "advice"),
    [
        ("nope.txt", []),
        ("cores.txt", ["did you mean 'core.txt'?"]),
        ("core.tsv", ["did you mean 'core.txt'?"]),
    ],
)
def test_files_are_alike_by_name_not_by_ending(
    karat: Karat, tmp_path: Path, wanted: str, advice: list[str]
) -> None:
    (tmp_path / "core.txt").write_text("a\n")
    done = karat("evaluate", "bleu", "-g", wanted, "-s", "core.txt")
    assert done.returncode == 1
    assert done.stderr.splitlines()[1:] == advice


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_names_of_files_that_are_no_utf8(karat: Karat, tmp_path: Path) -> None:
    """They are read, and all outputs show them escaped."""
    odd = "a\udcff *[b].txt"
    (tmp_path / odd).write_text("a dog\na cat\n")
    outputs = ("--json", "a.json", "--save", "a.run", "--report", "a.html", "--items", "a.items")
    done = karat("evaluate", "bleu", "-g", odd, "-s", odd, *outputs, "--resume", "kept")
    assert done.returncode == 0, done.stderr
    shown = odd.encode("utf-8", "backslashreplace").decode()
    assert json.loads((tmp_path / "a.json").read_text())["system"] == shown
    assert b"</html>" in (tmp_path / "a.html").read_bytes()
    done = karat("verify", "a.run")
    assert done.returncode == 1
    assert done.stderr.startswith(f"{shown}: ")
    done = karat("evaluate", "bleu", "-g", odd, "-s", odd, "--write-config", "a.toml")
    assert "OptionError K374: the command cannot be declared in a file" in done.stderr
    done = karat("analyze", str(EXAMPLES / "graphs" / "gold.amr"), "--inject", "\udcff")
    expected = "OptionError K302: option 'inject' of format amr is not UTF-8 text: '\\udcff'"
    assert done.stderr.splitlines() == [expected]


def test_a_closed_standard_output_is_one_line(program: str) -> None:
    """What a shell makes of ``>&-``: nothing traceable, nothing silent."""
    files = ["-g", EXAMPLES / "translation/gold.txt", "-s", EXAMPLES / "translation/hasty.txt"]
    command = ["bash", "-c", '"$0" "$@" >&-', program, "evaluate", "bleu", *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == "the output cannot be written: standard output is closed\n"


def test_runs_by_different_metrics_are_refused(karat: Karat, tmp_path: Path) -> None:
    files = ("-g", EXAMPLES / "translation/gold.txt", "-s", EXAMPLES / "translation/hasty.txt")
    for metric in ("bleu", "chrf"):
        karat("evaluate", metric, *files, "--save", tmp_path / f"{metric}.karat")
    for verb in ("compare", "gate"):
        done = karat(verb, "bleu.karat", "chrf.karat", cwd=tmp_path)
        assert (done.returncode, done.stderr) == (
            2, "OptionError K316: cannot compare bleu() with chrf()\n",
        )  # fmt: skip


def test_a_missing_run_is_not_taken_for_a_metric(karat: Karat, tmp_path: Path) -> None:
    done = karat("compare", "one.karat", "other.karat", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (
        1, "one.karat: FormatError K101: there is no such file\n",
    )  # fmt: skip


def test_trace_refuses_flags_that_contradict_each_other(karat: Karat) -> None:
    files = ("-g", EXAMPLES / "translation/gold.txt", "-s", EXAMPLES / "translation/hasty.txt")
    done = karat("trace", "BLEU 50.49", *files, "--skip-bad-gold", "--on-error", "fail")
    assert done.returncode == 2
    assert "--skip-bad-gold and --on-error fail contradict each other" in done.stderr
