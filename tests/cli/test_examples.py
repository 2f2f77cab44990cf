"""The examples in the help of the commands run, in a folder with files of the names they use."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path

import pytest

from commands import Karat, run_karat
from karat.cli import COMMANDS
from karat.cli.common.examples import EXAMPLES

FILES = Path(__file__).parents[2] / "examples"
GIVEN = {
    "gold.txt": "translation/gold.txt",
    "a.txt": "translation/careful.txt",
    "b.txt": "translation/hasty.txt",
    "c.txt": "translation/gold.txt",
    "gold.amr": "amr/gold.amr",
    "parser.amr": "amr/parsed.amr",
    "gold.conllu": "audit/gold.conllu",
    "a.conllu": "audit/a.conllu",
    "b.conllu": "audit/b.conllu",
    "c.conllu": "audit/c.conllu",
    "summaries.jsonl": "judged/summaries.jsonl",
}
MADE = (
    "evaluate bleu -g gold.txt -s a.txt --save a.karat",
    "evaluate bleu -g gold.txt -s b.txt --save b.karat",
    "evaluate bleu -g gold.txt -s b.txt --resume parts",
    "evaluate bleu -g gold.txt -s a.txt --write-config karat.toml",
    "score rouge,bleu,chrf -s summaries.jsonl -o scores.jsonl",
    "significance scores.jsonl human.jsonl --dependent overall --metrics rouge-1_f1 rouge-2_f1"
    " --trials 20 --json test.json",
    "correlate scores.jsonl human.jsonl --metrics rouge-1_f1 overall --json news.json"
    " --resamples 20",
    "fit scores.jsonl human.jsonl -f rouge-1_recall --target overall -o fit.json",
)
# Serving does not end; data sets and WordNet are not ours to give out.
NOT_RUN = ("view", "setup")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all the files of the examples."""
    folder = tmp_path_factory.mktemp("examples")
    for name, source in GIVEN.items():
        shutil.copy(FILES / source, folder / name)
    human = (FILES / "judged/human.jsonl").read_text()
    (folder / "human.jsonl").write_text(human.replace('"responsiveness"', '"overall"'))
    records = [json.loads(line) for line in human.splitlines()]
    systems = sorted({r["summarizer_id"] for r in records if r["summarizer_type"] == "peer"})[:2]
    rows = [f"{r['instance_id']},{systems[0]},{systems[1]},{won}" for r in records for won in "ab"]
    header = "instance_id,system_a,system_b,winner"
    (folder / "pairs.csv").write_text("\n".join([header, *dict.fromkeys(rows)]) + "\n")
    for line in MADE:
        done = run_karat(*shlex.split(line), cwd=folder)
        assert done.returncode == 0, done.stderr
    both = (folder / "scores.jsonl").read_text() + human.replace('"responsiveness"', '"human"')
    (folder / "judged.jsonl").write_text(both)
    return folder


def test_every_command_has_examples_that_fit_a_terminal() -> None:
    assert EXAMPLES.keys() == COMMANDS.keys()
    lines = [line for each in EXAMPLES.values() for line in each]
    assert all(line.startswith("karat ") and len(line) <= 76 for line in lines)


@pytest.mark.parametrize(
    "line", [line for name in EXAMPLES if name not in NOT_RUN for line in EXAMPLES[name]]
)
def test_examples_run(karat: Karat, folder: Path, tmp_path: Path, line: str) -> None:
    shutil.copytree(folder, tmp_path / "here")
    done = karat(*shlex.split(line)[1:], cwd=tmp_path / "here")
    expected = (0, 1) if line.startswith("karat gate") else (0,)
    assert done.returncode in expected, done.stderr
    assert "Error" not in done.stderr


def test_help_ends_with_the_examples(karat: Karat) -> None:
    for name in ("evaluate", "correlate", "convert", "trace"):
        shown = karat(name, "--help").stdout
        assert shown.rstrip().endswith(EXAMPLES[name][-1])
