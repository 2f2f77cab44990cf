"""Scores of items that other tools made are records of outputs, for all commands that read such."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import karat
from karat.cli import cli
from karat.meta import ScoreTable, read_records

ROOT = Path(__file__).resolve().parents[3]
LOGS = ROOT / "tests/golden/logs"
EXAMPLES = ROOT / "examples"
FILES = [
    LOGS / "lm-eval-a.jsonl",
    LOGS / "inspect.json",
    LOGS / "inspect.eval",
    LOGS / "details_arc_2026-01-01T00-00-00.parquet",
    EXAMPLES / "logs/base.csv",
]


@pytest.mark.parametrize("path", FILES, ids=[path.name for path in FILES])
def test_means_are_those_of_an_evaluation(path: Path) -> None:
    """Items count once, also where there are several samples of one."""
    if path.suffix == ".parquet":
        pytest.importorskip("pyarrow")
    if path.suffix == ".eval":
        pytest.importorskip("zstandard")
    records = [record for record, _ in read_records(str(path))]
    assert len({record.summarizer_id for record in records}) == 1
    run = karat.evaluate("scores", path, pair="samples")
    assert {record.instance_id for record in records} == set(run.ids)
    for name, value in run.scores().items():
        if name == "items" or name not in records[0].metrics:
            continue
        found = [record.metrics[name] for record in records]
        means = [
            np.mean([v for v in each if v is not None]) if isinstance(each, list) else each
            for each in found
            if each is not None
        ]
        assert np.mean(means) == pytest.approx(value)


def test_several_systems_in_one_file(tmp_path: Path) -> None:
    path = tmp_path / "comet.json"
    scores = {
        name: [{"mt": "a", "COMET": v} for v in (0.5, 0.25, i)] for i, name in enumerate("ab")
    }
    path.write_text(json.dumps(scores))
    records = [record for record, _ in read_records(str(path))]
    assert [(record.summarizer_id, record.metrics["COMET"]) for record in records] == [
        (name, each["COMET"]) for name, rows in scores.items() for each in rows
    ]


def test_items_correlate_as_scores_do(tmp_path: Path) -> None:
    """What --items writes has the names and the figures of what karat score writes."""
    data = str(EXAMPLES / "judged/summaries.jsonl")
    judged = str(EXAMPLES / "judged/human.jsonl")

    def run(*words: str) -> str:
        done = CliRunner().invoke(cli, list(words))
        assert done.exit_code == 0, (done.output, done.exception)
        return done.stdout

    items, scored = str(tmp_path / "items.jsonl"), str(tmp_path / "scored.jsonl")
    run("evaluate", "rouge", "-s", data, "--items", items, "-q", "-b")
    run("score", "rouge", "-s", data, "--no-jackknife", "-o", scored, "-q")
    pair = ["--metrics", "rouge-1_f1", "responsiveness", "--json", "-", "-q", "--resamples", "20"]
    both = [json.loads(run("correlate", judged, path, *pair)) for path in (items, scored)]
    assert both[0] == both[1]


def test_a_system_can_be_named(tmp_path: Path) -> None:
    base, new = (str(EXAMPLES / f"logs/{name}.csv") for name in ("base", "new"))
    table = ScoreTable.read([f"A={base}", f"B={new}"])
    assert table.matrices(("accuracy", "accuracy"), "peer").systems == ("A", "B")
    assert {record.summarizer_id for record, _ in read_records(base)} == {"base"}
    odd = tmp_path / "x=y.csv"
    odd.write_text(Path(base).read_text())
    assert {record.summarizer_id for record, _ in read_records(str(odd))} == {"x=y"}
