"""The same bytes come out of the same files, on any worker, in any parts.

For every metric: one worker or two (threads or processes, as suits the metric), an executor that
is sent everything, chunks of any size, and a run that was ended and goes on. All that runs in a
process of its own, since one with threads, as those of pytest-xdist are, cannot be forked.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from karat.core.files.writing import indented_json
from karat.core.registry import metric_class
from karat.core.runs.evaluation import Evaluation
from karat.engine import evaluate, jobs
from karat.report import exports
from metric_files import TESTED, files_of, write_passages

SUPPORT = Path(__file__).parents[1] / "support"
STATISTICS = {"level": 0.95, "resamples": 20, "seed": 0, "method": "auto"}
HALVES = 2


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
    document = indented_json(exports.json(run, STATISTICS, list(run.groups)))
    return document, run.counts.tobytes(), run.ids, run.keys, run.places, run.groups, run.warnings


def check(name: str, folder: Path) -> None:
    files, cls = files_of(name), metric_class(name)
    write_passages(folder)
    system = files.write(folder, "system", files.system)
    golds = [files.write(folder, "gold", files.gold)] if files.gold else []

    def run(**options: Any) -> tuple[Any, ...]:
        return outcome(evaluate(name, system=system, gold=golds, **options))

    def end(_: int) -> None:
        raise Ended

    expected, kept = run(), folder / "kept"
    assert jobs.can_fork(), "or processes are not tested"
    assert run(jobs=2) == expected, "two jobs"
    assert run(executor=Elsewhere()) == expected, "an executor"
    with patch.object(cls, "chunk_size", 1):
        assert run() == expected, "chunks of one pair"
        with pytest.raises(Ended):
            run(resume=kept, progress=end)
        assert run(resume=kept, jobs=2) == expected, "resumed"
        for method in ("measure_many", "measure_bytes"):
            if hasattr(cls, method):
                patch.object(cls, method, None).start()
        try:
            assert run(resume=kept) == expected, "all is known, and nothing is measured"
        finally:
            patch.stopall()


@pytest.mark.parametrize("half", range(HALVES))
def test_workers_chunks_and_interruptions_do_not_matter(half: int) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", __file__, *TESTED[half::HALVES]],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": str(SUPPORT)},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == TESTED[half::HALVES]


def test_gold_without_a_system_item_is_all_that_is_parsed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    name = "mrp"
    files, cls = files_of(name), metric_class(name)
    gold = files.write(tmp_path, "gold", files.gold)
    parsed: list[int] = []
    measure_mapped: Callable[..., Any] = vars(cls)["measure_mapped"]

    def counted(metric: Any, pairs: Any) -> Any:
        parsed.append(len(pairs))
        return measure_mapped(metric, pairs)

    monkeypatch.setattr(cls, "measure_mapped", counted)
    for missing in ((0,), (1, 2), (3,)):
        given = [item for i, item in enumerate(files.system) if i not in missing]
        system = files.write(tmp_path, "system", given)
        found = outcome(evaluate(name, system=system, gold=gold))
        assert parsed == [len(missing)]
        with monkeypatch.context() as patched:
            patched.setattr(cls, "measure_bytes", lambda *_: None)
            assert outcome(evaluate(name, system=system, gold=gold)) == found
        assert parsed == [len(missing), len(files.gold)]
        parsed.clear()


if __name__ == "__main__":
    for metric in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as temporary:
            check(metric, Path(temporary))
        print(metric)
