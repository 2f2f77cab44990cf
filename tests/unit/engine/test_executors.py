"""Executors: whatever they are, no part is lost, and errors do not depend on them."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from concurrent.futures import ThreadPoolExecutor as Threads
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.core.reading.items import Pair
from karat.engine import executors
from karat.errors import KaratError, RunError

SPAWN = multiprocessing.get_context("spawn")


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(karat.metric_class("edit-distance"), "chunk_size", 256)
    texts = [" ".join("abcdefg"[(i * k) % 7] for k in range(1 + i % 9)) for i in range(2000)]
    Path("gold.txt").write_text("".join(f"{each}\n" for each in texts), encoding="utf-8")
    Path("system.txt").write_text("".join(f"{each} h\n" for each in texts), encoding="utf-8")


def run(**options: Any) -> bytes:
    found = karat.evaluate("edit-distance", system="system.txt", gold="gold.txt", **options)
    found.save("a.run")
    return Path("a.run").read_bytes()


class Losing(Executor):
    """Loses what its workers do, as a cluster does whose machines fail."""

    def __init__(self, losses: int, only: int | None = None) -> None:
        self.pool = Threads(2)
        self._max_workers = 2
        self.losses, self.only = losses, only
        self.submitted: Counter[int] = Counter()
        self.under_way = self.most = 0
        self.lock = threading.Lock()

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        first = args[2][0].first  # of the chunk
        self.submitted[first] += 1
        with self.lock:
            self.under_way += 1
            self.most = max(self.most, self.under_way)
        lost = self.submitted[first] <= self.losses and self.only in (None, first)

        def done() -> Any:
            time.sleep(0.001)
            with self.lock:
                self.under_way -= 1
            if lost:
                raise BrokenExecutor("a worker ended")
            return fn(*args, **kwargs)

        return self.pool.submit(done)


def test_what_is_lost_is_submitted_again() -> None:
    losing = Losing(3)
    assert run(executor=losing) == run()
    assert set(losing.submitted.values()) == {4}
    assert losing.most <= 8, "four for each worker"


def test_what_is_lost_again_and_again_is_named() -> None:
    losing = Losing(99, only=512)
    with pytest.raises(
        RunError, match=r"K701: chunk 3 of 8 \(from gold item 513 on\) was given to "
    ):
        run(executor=losing)
    assert losing.submitted[512] == 4


def test_a_pool_whose_process_is_killed() -> None:
    with ProcessPoolExecutor(1, SPAWN) as pool:
        os.kill(pool.submit(os.getpid).result(), signal.SIGKILL)
        with pytest.raises(RunError, match=r"K701: chunk \d of 8 .* lost: BrokenProcessPool"):
            run(executor=pool)


class Lazy(Executor):
    """Works only while one waits for a certain result."""

    class _Future(Future[Any]):
        def __init__(self, work: Any) -> None:
            super().__init__()
            self.work = work

        def result(self, timeout: float | None = None) -> Any:
            if not self.done():
                self.set_result(self.work())
            return super().result(timeout)

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        return self._Future(lambda: fn(*args, **kwargs))


def test_an_executor_that_works_while_one_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "_LOOK", 0.01)
    assert run(executor=Lazy()) == run()


def error_of(**options: Any) -> str:
    with pytest.raises(KaratError) as caught:
        karat.evaluate("ter", system="system.jsonl", gold="gold.jsonl", **options)
    return str(caught.value)


def test_the_first_error_in_gold_order_is_raised() -> None:
    """The one in measuring comes first, though in a chunk all items are parsed before."""
    records = [{"id": f"i{i}", "hypothesis": "a b", "reference": "a c"} for i in range(200)]
    records[30]["hypothesis"] = records[30]["reference"] = "word " * 16000
    records[60]["hypothesis"] = 7  # type: ignore[assignment]
    records[61]["hypothesis"] = records[61]["reference"] = "word " * 16100
    for name, key in (("system", "hypothesis"), ("gold", "reference")):
        lines = [json.dumps({"id": each["id"], key: each[key]}) for each in records]
        Path(f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    expected = error_of()
    start = "gold.jsonl:31: LimitExceeded K503: item 'i30': two texts are too long for ter"
    assert expected.startswith(start)
    assert "256,000,000" in expected
    assert error_of(jobs=2) == expected
    assert error_of(jobs=7) == expected
    with Threads(3) as pool:
        assert error_of(executor=pool) == expected


_LONG = "word " * 16000


@pytest.mark.parametrize(
    ("metric", "good", "bad", "code"),
    [
        ("ter", ("hypothesis", "a b", "a c"), (_LONG, _LONG), "K503"),
        ("json", ("output", {"a": 1}, {"a": 1}), (1, {"$any": [1, [1, 2]]}), "K175"),
    ],
)
def test_items_that_cannot_be_measured_are_left_out(
    metric: str, good: tuple[str, Any, Any], bad: tuple[Any, Any], code: str
) -> None:
    """The figures are those of the other items, whoever works; what was left out is told."""
    field, *right = good
    pairs = [bad if i in (1, 299) else right for i in range(300)]
    records = [{"id": f"i{i}", field: s, "reference": g} for i, (s, g) in enumerate(pairs)]

    def lines(some: list[dict[str, Any]]) -> str:
        return "".join(json.dumps(each) + "\n" for each in some)

    Path("all.jsonl").write_text(lines(records), encoding="utf-8")
    Path("some.jsonl").write_text(lines(records[:1] + records[2:299]), encoding="utf-8")
    expected = karat.evaluate(metric, "some.jsonl")
    with Threads(2) as pool:
        options: list[dict[str, Any]] = [{}, {"jobs": 2}, {"executor": pool}]
        for each_time in options:
            found = karat.evaluate(metric, "all.jsonl", on_error="skip", **each_time)
            assert (found.ids, found.skipped) == (expected.ids, 2)
            assert found.counts.tolist() == expected.counts.tolist()
            told = [each for each in found.remarks if each.startswith("left out: ")]
            assert [each.split(": ")[1] for each in told] == ["all.jsonl:2", "all.jsonl:300"]
            assert all(code in each for each in told)


def test_bytes_are_sent_to_workers_that_cannot_read() -> None:
    expected = run()
    with Path("system.txt").open("rb") as system, Path("gold.txt").open("rb") as gold:
        here = [f"/proc/self/fd/{file.fileno()}" for file in (system, gold)]
        with ProcessPoolExecutor(1, SPAWN) as pool:
            there = karat.evaluate("edit-distance", system=here[0], gold=here[1], executor=pool)
    there.save("b.run")
    assert there.counts.tobytes() in expected


ANOTHER_VERSION = "from karat.engine import executors; executors.VERSION = '0.0.1'"


def test_workers_with_another_version_are_refused() -> None:
    with (
        ProcessPoolExecutor(1, SPAWN, initializer=exec, initargs=(ANOTHER_VERSION,)) as pool,
        pytest.raises(RunError, match=r"K704: the worker on .* has karat 0\.0\.1, here it is"),
    ):
        run(executor=pool)


class PeculiarError(Exception):
    def __init__(self, one: int, other: int) -> None:
        super().__init__("peculiar")


class Failing(karat.Metric[str, str]):
    """Fails as metrics do that have a fault."""

    name, kind, columns = "failing", "text", ("items",)

    def measure_many(self, pairs: Any) -> Any:
        if any(system == "bad" for system, _ in pairs):
            raise PeculiarError(1, 2)
        return np.ones((len(pairs), 1))

    def summarize(self, totals: Any) -> Any:
        return {"items": karat.main(totals[..., 0])}


def test_an_error_that_cannot_be_sent_is_told() -> None:
    def pairs() -> Iterator[Pair]:
        for i in range(600):
            yield Pair(i, str(i), {}, "bad" if i == 400 else "good", "x")

    with Threads(2) as pool, pytest.raises(RuntimeError, match="PeculiarError: peculiar") as caught:
        karat.measure_pairs(Failing(), pairs(), executor=pool)
    assert "raise PeculiarError(1, 2)" in str(caught.value.__cause__)
