"""``--line``: what the tool that a metric stands in for prints, to the letter."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from karat.cli import cli

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
SYSTEMS = ("careful", "hasty")


def printed(*words: str) -> str:
    found = CliRunner().invoke(cli, ["evaluate", *words, "--line"])
    assert found.exit_code == 0, found.output
    return found.stdout


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize(
    ("metric", "peer", "options"),
    [
        ("bleu", "BLEU", {}),
        ("bleu", "BLEU", {"max_ngram_order": 2, "lowercase": True}),
        ("chrf", "CHRF", {}),
        ("chrf", "CHRF", {"beta": 3, "word_order": 1}),
        ("chrf++", "CHRF", {"word_order": 2}),
        ("ter", "TER", {}),
    ],
)
def test_sacrebleu(metric: str, peer: str, options: Mapping[str, Any], system: str) -> None:
    metrics = pytest.importorskip("sacrebleu.metrics")
    gold, ours = EXAMPLES / "translation/gold.txt", EXAMPLES / f"translation/{system}.txt"
    texts, references = (path.read_text("utf-8").splitlines() for path in (ours, gold))
    wanted = getattr(metrics, peer)(**options).corpus_score(texts, [references])
    named = ", ".join(f"{name}={value!r}" for name, value in options.items())
    assert printed(f"{metric}({named})", "-g", str(gold), "-s", str(ours)) == f"{wanted}\n"


def test_nothing_in_common(tmp_path: Path) -> None:
    """sacreBLEU has 0 for the precisions of orders that no text is long enough for."""
    metrics = pytest.importorskip("sacrebleu.metrics")
    gold, ours = tmp_path / "gold", tmp_path / "ours"
    gold.write_text("a b\n")
    ours.write_text("c a\n")
    wanted = metrics.BLEU().corpus_score(["c a"], [["a b"]])
    assert printed("bleu", "-g", str(gold), "-s", str(ours)) == f"{wanted}\n"


def test_smatch() -> None:
    script = pytest.importorskip("smatch").__file__
    ours, gold = (str(EXAMPLES / f"graphs/{name}.amr") for name in ("system", "gold"))
    wanted = subprocess.run(
        [sys.executable, script, "-f", ours, gold], capture_output=True, text=True, check=True
    ).stdout
    assert wanted.startswith("F-score: ")
    assert printed("smatch", "-g", gold, "-s", ours) == wanted


def test_ud() -> None:
    udeval = pytest.importorskip("udtools.udeval")
    ours, gold = (EXAMPLES / f"dependencies/small.{name}.conllu" for name in ("test", "gold"))
    with gold.open(encoding="utf-8") as first, ours.open(encoding="utf-8") as second:
        sides = (udeval.load_conllu(each, each.name, {}) for each in (first, second))
        found = udeval.evaluate(*sides)
    wanted = udeval.build_evaluation_table(found, False, False, False)
    assert printed("ud", "-g", str(gold), "-s", str(ours)).strip() == wanted.strip()
