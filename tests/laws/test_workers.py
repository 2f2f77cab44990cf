"""The same bytes come out of the same files, whoever measures them, in whatever parts.

For every metric: one worker or two (threads or processes, as suits the metric), an executor that
is sent everything, chunks of any size, and a run that was ended and goes on.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import pytest

from karat.core.files.writing import indented_json
from karat.core.registry import metric_class
from karat.core.runs.evaluation import Evaluation
from karat.engine import evaluate, jobs
from karat.report import figures
from metric_files import TESTED, files_of, write_passages

STATISTICS = {"level": 0.95, "resamples": 20, "seed": 0, "method": "auto"}


class Elsewhere(Executor):
    """What it works on and what it finds is sent to and fro, as to another machine."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        function, there, options = pickle.loads(pickle.dumps((fn, args, kwargs)))
        future: Future[Any] = Future()
        future.set_result(pickle.loads(pickle.dumps(function(*there, **options))))
        return future


class Ended(Exception):
    """What ends a run in its midst."""


def outcome(run: Evaluation) -> tuple[Any, ...]:
    """All that a run tells, bit by bit."""
    document = indented_json(figures.json(run, STATISTICS, list(run.groups)))
    return document, run.counts.tobytes(), run.ids, run.keys, run.places, run.groups, run.warnings


@pytest.mark.parametrize("name", TESTED)
def test_workers_chunks_and_interruptions_do_not_matter(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    files = files_of(name)
    write_passages(tmp_path)
    system = files.write(tmp_path, "system", files.system)
    golds = [files.write(tmp_path, "gold", files.gold)] if files.gold else []

    def run(**options: Any) -> tuple[Any, ...]:
        return outcome(evaluate(name, system=system, gold=golds, **options))

    def end(_: int) -> None:
        raise Ended

    expected = run()
    assert jobs.can_fork(), "or processes are not tested"
    assert run(jobs=2) == expected
    assert run(executor=Elsewhere()) == expected
    cls = metric_class(name)
    monkeypatch.setattr(cls, "chunk_size", 1)
    assert run() == expected
    with pytest.raises(Ended):
        run(resume=tmp_path / "kept", progress=end)
    assert run(resume=tmp_path / "kept", jobs=2) == expected
    for method in ("measure_many", "measure_bytes", "measure_records"):
        monkeypatch.setattr(cls, method, None, raising=False)
    assert run(resume=tmp_path / "kept") == expected, "all is known, and nothing is measured"
