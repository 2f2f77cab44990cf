"""``--line``: what the tool that a metric stands in for prints, to the letter."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import karat
from karat.cli import cli
from karat.core.catalog import METRICS
from metric_examples import EXAMPLES as EXAMPLES_OF

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


def test_smatchpp() -> None:
    pytest.importorskip("smatchpp")
    ours, gold = (str(EXAMPLES / f"graphs/{name}.amr") for name in ("system", "gold"))
    words = ["-m", "smatchpp", "-a", ours, "-b", gold, "-score_type", "micro"]
    wanted = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=True)
    assert printed("smatchpp", "-g", gold, "-s", ours) == wanted.stdout


def test_jiwer() -> None:
    pytest.importorskip("jiwer")
    ours, gold = (str(EXAMPLES / f"translation/{name}.txt") for name in ("hasty", "gold"))
    words = ["-c", "from jiwer.cli import cli; cli()", "-r", gold, "-h", ours]
    wanted = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=True)
    assert printed("wer", "-g", gold, "-s", ours) == wanted.stdout


@pytest.mark.parametrize(
    ("metric", "names"),
    [
        ("mrp", "n null exact tops labels properties anchors edges attributes all"),
        ("edm", "n names arguments tops properties all"),
        ("sdp", "n labeled unlabeled"),
        ("ucca-mrp", "n labeled unlabeled"),
    ],
)
def test_mtool(metric: str, names: str) -> None:
    """One JSON object, a name on each line; mtool adds the time that it took."""
    ours, gold = (str(EXAMPLES / f"graphs/ptg.{name}.mrp") for name in ("system", "gold"))
    text = printed(metric, "-g", gold, "-s", ours)
    scores = json.loads(text)
    assert list(scores) == names.split()
    assert [line.lstrip(" {").partition('": ')[0] for line in text.splitlines()] == [
        f'"{name}' for name in scores
    ]
    run = karat.evaluate(metric, ours, gold).scores()
    assert scores == {name: run[name] for name in scores}


def test_rouge() -> None:
    """ROUGE-1.5.5 has recall, precision and F of each measure with its interval."""
    ours, gold = (str(EXAMPLES / f"translation/{name}.txt") for name in ("hasty", "gold"))
    metric = "rouge(max_ngram=1, compute_rouge_l=True)"
    lines = printed(metric, "-g", gold, "-s", ours).splitlines()
    number = r"0\.\d{5}"
    form = re.compile(
        rf"1 ROUGE-[1L] Average_[RPF]: {number} \(95%-conf\.int\. {number} - {number}\)"
    )
    assert [line[:20] for line in lines[::4]] == ["-" * 20] * 2
    rows = [line for line in lines if line[0] == "1"]
    assert all(map(form.fullmatch, rows))
    drawn = karat.evaluate(metric, ours, gold).extras()["rouge-1.5.5"]
    shown = [float(line.split()[3]) for line in rows]
    wanted = [part["average"] / 100 for each in drawn.values() for part in each.values()]
    assert shown == pytest.approx(wanted, abs=5e-6)
    assert printed("rouge(profile='google')", "-g", gold, "-s", ours).startswith(
        "rouge2.fmeasure = "
    )


@pytest.mark.parametrize("name", [row.name for row in METRICS])
def test_every_metric_has_a_line(name: str) -> None:
    """That of a tool, or its main score with all that decides it; nothing is left out."""
    row = EXAMPLES_OF[name]
    metric = karat.parse(row[0][0])
    systems, golds = zip(*row[1], strict=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = karat.evaluate(metric, list(systems[:1]), list(golds[:1]), pair="position")
    line = run.line()
    assert line.strip()
    assert "{" not in line or json.loads(line)
    if line.endswith(run.signature()):
        assert line.startswith(f"{metric.about.headline} = ")


def test_ud() -> None:
    udeval = pytest.importorskip("udtools.udeval")
    ours, gold = (EXAMPLES / f"dependencies/small.{name}.conllu" for name in ("test", "gold"))
    with gold.open(encoding="utf-8") as first, ours.open(encoding="utf-8") as second:
        sides = (udeval.load_conllu(each, each.name, {}) for each in (first, second))
        found = udeval.evaluate(*sides)
    wanted = udeval.build_evaluation_table(found, False, False, False)
    assert printed("ud", "-g", str(gold), "-s", str(ours)).strip() == wanted.strip()
