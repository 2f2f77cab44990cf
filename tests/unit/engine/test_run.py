"""The engine: any executor, any number of jobs, any order give the same bytes."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from karat.core.reading.items import Pair
from karat.core.registry import parse
from karat.core.runs.evaluation import Evaluation
from karat.engine import evaluate, measure_pairs
from karat.engine.look import look
from karat.errors import OptionError, PairingError, RunError

WORDS = ["the", "a", "dog", "cat", "sees", "barks", "loudly", "at", "night", "東京"]
TEXTS = [
    (
        " ".join(WORDS[(i * k) % len(WORDS)] for k in range(1 + i % 7)),
        " ".join(WORDS[(i * k + (i % 3 == 0)) % len(WORDS)] for k in range(1 + i % 5)),
    )
    for i in range(700)
]


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("bleu", "exact"):
        monkeypatch.setattr(type(parse(name)), "chunk_size", 256)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("system.txt").write_text("".join(f"{s}\n" for s, _ in TEXTS), encoding="utf-8")
    Path("gold.txt").write_text("".join(f"{g}\n" for _, g in TEXTS), encoding="utf-8")


class AtOnce(Executor):
    """The least that an executor can be: it works while one waits."""

    def __init__(self) -> None:
        self.calls = 0

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.calls += 1
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except BaseException as error:
            future.set_exception(error)
        return future


def run(metric: str, **options: Any) -> tuple[str, bytes]:
    result = evaluate(metric, system="system.txt", gold="gold.txt", **options)
    result.save("a.run")
    return result.to_json(), Path("a.run").read_bytes()


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("metric", ["edit-distance", "autosummeng"])
def test_jobs_do_not_matter(metric: str) -> None:
    """`edit-distance` runs on threads, the other on processes."""
    assert run(metric, jobs=4) == run(metric)


@pytest.mark.usefixtures("files")
def test_any_executor_will_do() -> None:
    plain = run("autosummeng")
    with ThreadPoolExecutor(3) as pool:
        assert run("autosummeng", executor=pool, jobs=3) == plain
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, context) as pool:
        assert run("autosummeng", executor=pool) == plain
        assert run("edit-distance", executor=pool) == run("edit-distance")
    own = AtOnce()
    assert run("autosummeng", executor=own) == plain
    assert own.calls == 3, "700 pairs in chunks of 256"


EXACT = parse("exact")


def pairs(count: int) -> Iterator[Pair]:
    for i in range(count):
        yield Pair(i, str(i), {}, "a", "a" if i % 2 else "b")


def test_only_a_few_chunks_are_under_way() -> None:
    taken = 0

    def watched() -> Iterator[Pair]:
        nonlocal taken
        for one in pairs(EXACT.chunk_size * 40):
            taken += 1
            yield one

    class Slow(AtOnce):
        ahead = 0
        done = 0

        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            self.ahead = max(self.ahead, taken - self.done)
            return super().submit(fn, *args, **kwargs)

    slow = Slow()

    def progress(count: int) -> None:
        slow.done += count

    measure_pairs(EXACT, watched(), executor=slow, jobs=2, progress=progress)
    assert slow.done == EXACT.chunk_size * 40
    assert slow.ahead <= EXACT.chunk_size * 6


def test_progress_counts_all_pairs() -> None:
    seen: list[int] = []
    size = EXACT.chunk_size
    measure_pairs(EXACT, pairs(2 * size + 88), progress=seen.append)
    assert seen == [size, size, 88]


def test_a_place_that_comes_twice_holds_what_came_last() -> None:
    result = measure_pairs(
        parse("exact"),
        [
            Pair(1, "b", {"f": "1"}, "x", "x"),
            Pair(0, "a", {"f": "2"}, "x", "y"),
            Pair(1, "c", {"g": "3"}, "x", "y"),
        ],
    )
    assert result.ids == ["a", "c"]
    assert result.scores() == {"accuracy": 0.0}
    assert result.groups == {"f": ["2", ""], "g": ["", "3"]}


def test_no_pairs_at_all() -> None:
    result = measure_pairs(parse("exact"), [])
    assert isinstance(result, Evaluation)
    assert len(result) == 0


@pytest.mark.parametrize("jobs", [0, -1])
def test_jobs_are_at_least_one(jobs: int) -> None:
    with pytest.raises(OptionError, match="K302: the number of jobs must be at least 1"):
        measure_pairs(parse("exact"), [], jobs=jobs)


@pytest.mark.parametrize("metric", ["bleu", "edit-distance"])
def test_an_error_in_the_stream_ends_the_pool(metric: str) -> None:
    def broken() -> Iterator[Pair]:
        for i in range(600):
            yield Pair(i, str(i), {}, "a", ["a"] if metric == "bleu" else "a")
        raise PairingError("the end", code="K201")

    with pytest.raises(PairingError, match="K201: the end"):
        measure_pairs(parse(metric), broken(), jobs=2)
    assert not multiprocessing.active_children()


def test_an_error_in_a_worker_process_comes_through() -> None:
    broken = [Pair(0, "0", {}, "a", ["a reference", 3])]
    with pytest.raises(OptionError, match="K317: a text must be a string"):
        measure_pairs(parse("bleu"), broken, jobs=2)


@pytest.mark.usefixtures("files")
def test_nothing_left_to_measure_is_an_error() -> None:
    Path("bad.jsonl").write_text("{\n[]\n")
    with pytest.raises(PairingError, match="K203: no item is left to measure: 2 could not be"):
        evaluate("exact", system="bad.jsonl", gold="bad.jsonl", on_error="skip")


@pytest.mark.usefixtures("files")
def test_paths_and_strings_are_the_same() -> None:
    one = evaluate("exact", system=Path("system.txt"), gold=[Path("gold.txt")])
    assert one.to_json() == evaluate("exact", system="system.txt", gold="gold.txt").to_json()


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("metric", ["mrp", "smatch"])
def test_so_many_mappings_are_kept_and_items_are_shown_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int, metric: str
) -> None:
    graph = '{{"id": "{}", "flavor": 0, "framework": "dm", "version": 1.1, "time": "2026-01-01", '
    graph += '"input": "a b", "tops": [0], "nodes": [{{"id": 0, "label": "a", "anchors": '
    graph += '[{{"from": 0, "to": 1}}]}}, {{"id": 1, "label": "{}", "anchors": [{{"from": 2, '
    graph += '"to": 3}}]}}], "edges": [{{"source": 0, "target": 1, "label": "arg"}}]}}\n'
    if metric == "smatch":
        graph = "# ::id {}\n(a / a :arg (b / {}))\n\n"
    ending = {"mrp": "mrp", "smatch": "amr"}[metric]
    gold, system = tmp_path / f"gold.{ending}", tmp_path / f"system.{ending}"
    gold.write_text("".join(graph.format(i, "b") for i in range(40)), encoding="utf-8")
    system.write_text("".join(graph.format(i, "bc"[i % 2]) for i in range(40)), encoding="utf-8")
    whole = evaluate(metric, system, gold, jobs=jobs)
    assert list(whole.mappings) == list(range(40))
    monkeypatch.setattr("karat.engine.chunks._MOST_MAPPINGS", 7)
    some = evaluate(metric, system, gold, jobs=jobs)
    assert some.mappings == {place: whole.mappings[place] for place in range(7)}
    shown = [[seen.explanation for seen in look(each, explained=True)] for each in (whole, some)]
    assert shown[0] == shown[1]


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("name", ["system.txt", "gold.txt"])
def test_a_file_that_changes_while_it_is_measured(files: None, name: str, jobs: int) -> None:
    """Figures would be of two files, and the checksum of one."""

    def write(_: int) -> None:
        Path(name).write_text("another text\n" * len(TEXTS), encoding="utf-8")

    with pytest.raises(RunError, match=rf"K714: {name} has changed while it was measured"):
        evaluate("exact", system="system.txt", gold="gold.txt", progress=write, jobs=jobs)


def test_pairs_may_be_tuples() -> None:
    found = measure_pairs(EXACT, [("a", "a"), ("b", "c")])
    assert (found.ids, found.counts.tolist()) == (["1", "2"], [[1, 1], [1, 0]])
    with pytest.raises(OptionError, match="pair 1 must be a tuple"):
        measure_pairs(EXACT, [("a", "a"), "bc"])  # type: ignore[list-item]
