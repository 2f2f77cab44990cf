"""Scores learnt from judgements."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from karat.core.scores import MetricsDict
from karat.errors import FormatError, OptionError
from karat.meta.fitting import fit, predict, read_fit, write_fit
from karat.meta.records import Record
from karat.meta.table import ScoreTable


def records(noise: float = 0.0, inputs: int = 6, systems: int = 5) -> list[Record]:
    draw = np.random.default_rng(1)
    result = []
    for i in range(inputs):
        for s in range(systems):
            a, b, c = draw.normal(size=3).tolist()
            judged = 3 + 2 * a - 0.5 * b + noise * float(draw.normal())
            scores = MetricsDict({"x": {"a": a, "b": b}, "c": c, "flat": 1.0, "judged": judged})
            result.append(Record(f"d{i}", f"s{s}", "peer", scores))
    return result


def test_what_is_linear_is_found() -> None:
    found = fit(ScoreTable.of(records()), ["x_a", "x_b", "flat"], "judged", penalty=1e-12)
    assert found.weights == pytest.approx((2, -0.5, 0), abs=1e-6)
    assert found.intercept == pytest.approx(3, abs=1e-6)
    assert found.pearson == pytest.approx(1)
    assert found.error == pytest.approx(0, abs=1e-6)
    assert (found.records, found.folds) == (30, 6)


def test_the_regression_is_the_textbook_one() -> None:
    table = ScoreTable.of(records(noise=1.0))
    found = fit(table, ["x_a", "c"], "judged", penalty=0.3)
    matrices = table.matrices(["x_a", "c", "judged"])
    a, c, y = (values.ravel() for values in matrices.values)
    x = np.column_stack([(v - v.mean()) / v.std() for v in (a, c)])
    # The minimum: the derivative of squared error and penalty is 0 in every direction.
    weights = np.array([found.weights[0] * a.std(), found.weights[1] * c.std()])
    gradient = x.T @ (x @ weights - (y - y.mean())) + 0.3 * len(y) * weights
    assert gradient == pytest.approx(np.zeros(2), abs=1e-9)
    predicted = found.intercept + found.weights[0] * a + found.weights[1] * c
    assert predicted.mean() == pytest.approx(y.mean())


def test_the_penalty_is_the_one_that_is_best_on_inputs_left_out() -> None:
    table = ScoreTable.of(records(noise=3.0, inputs=3))
    errors = {}
    for penalty in [10.0**k for k in range(-6, 4)]:
        matrices = table.matrices(["x_a", "x_b", "c", "judged"])
        squared = 0.0
        for left_out in range(3):
            rest = [i for i in range(3) if i != left_out]
            inside = [values[:, rest].ravel() for values in matrices.values]
            x, y = np.column_stack(inside[:-1]), inside[-1]
            z = (x - x.mean(axis=0)) / x.std(axis=0)
            system = z.T @ z + penalty * len(y) * np.eye(3)
            weights = np.linalg.solve(system, z.T @ (y - y.mean()))
            for s in range(5):
                own = np.array([values[s, left_out] for values in matrices.values[:-1]])
                value = y.mean() + (own - x.mean(axis=0)) / x.std(axis=0) @ weights
                squared += (value - matrices.values[-1][s, left_out]) ** 2
        errors[penalty] = squared
    found = fit(table, ["x_a", "x_b", "c"], "judged")
    assert found.penalty == min(errors, key=lambda each: errors[each])


@pytest.mark.parametrize(
    ("features", "target", "message"),
    [
        ([], "judged", "different features"),
        (["x_a", "x_a"], "judged", "different features"),
        (["judged"], "judged", "different features"),
        (["x_a", "no"], "judged", "no"),
    ],
)
def test_what_cannot_be_fitted(features: list[str], target: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        fit(ScoreTable.of(records()), features, target)
    with pytest.raises(OptionError, match="too few"):
        fit(ScoreTable.of(records(inputs=1, systems=2)), ["x_a"], "judged")


def test_a_fit_is_kept_and_used(
    karat: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    scores, judged = tmp_path / "scores.jsonl", tmp_path / "judged.jsonl"
    lines: dict[Path, list[str]] = {scores: [], judged: []}
    for record in records():
        metrics = dict(record.metrics)
        identity = {"instance_id": record.instance_id, "summarizer_id": record.summarizer_id}
        for path, names in ((scores, ("x", "c")), (judged, ("judged",))):
            each = {
                **identity,
                "summarizer_type": "peer",
                "metrics": {n: metrics[n] for n in names},
            }
            lines[path].append(json.dumps(each))
    for path, written in lines.items():
        path.write_text("\n".join(written) + "\n")
    done = karat(
        *("fit", "scores.jsonl", "judged.jsonl", "-f", "x_*", "--target", "judged"),
        *("--name", "learnt", "-o", "fit.json"),
    )
    assert done.returncode == 0, done.stderr
    assert "learnt: 30 outputs, 2 scores; on inputs left out, r with judged 1.0000" in done.stdout
    assert karat("predict", "fit.json", "scores.jsonl", "-o", "out.jsonl").returncode == 0
    first = json.loads((tmp_path / "out.jsonl").read_text().splitlines()[0])
    expected = records()[0].metrics["judged"]
    assert first["metrics"]["learnt"] == pytest.approx(expected, abs=1e-3)
    found = read_fit("fit.json")
    write_fit(found, "again.json")
    assert read_fit("again.json") == found
    with pytest.raises(OptionError, match="no output has all of"):
        list(predict(found, ["judged.jsonl"]))


@pytest.mark.parametrize("content", ["", "[]", '{"name": "x"}'])
def test_files_that_are_no_fit(tmp_path: Path, content: str) -> None:
    path = tmp_path / "fit.json"
    path.write_text(content)
    with pytest.raises(FormatError, match="not a result of karat fit"):
        read_fit(str(path))
    with pytest.raises(FormatError, match="there is no such file"):
        read_fit(str(tmp_path / "none.json"))
