"""How many workers a run is given, and what shows its progress."""

from __future__ import annotations

from pathlib import Path

import pytest

from karat import cores, evaluate, parse
from karat.core.reading.streams import FilePairs
from karat.engine import jobs
from karat.engine.jobs import PER_WORKER, workers
from karat.errors import OptionError


def _files(folder: Path, size: int, metric: str = "exact") -> FilePairs:
    """Two files of so many bytes together."""
    line = "x" * 127 + "\n"
    for name in ("gold.txt", "system.txt"):
        (folder / name).write_text(line * (size // 2 // len(line)), encoding="utf-8")
    return FilePairs(parse(metric), folder / "system.txt", [folder / "gold.txt"], format="lines")


@pytest.fixture
def four_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KARAT_JOBS", "4")


@pytest.mark.usefixtures("four_cores")
@pytest.mark.parametrize(
    ("size", "expected"),
    [(1 << 10, 1), (PER_WORKER, 1), (PER_WORKER * 2 + (1 << 17), 2), (PER_WORKER * 9, 4)],
)
def test_a_worker_for_each_part_of_the_files(size: int, expected: int, tmp_path: Path) -> None:
    files = _files(tmp_path, size)
    assert workers("auto", files, files.plan(1)) == expected


@pytest.mark.usefixtures("four_cores")
def test_what_is_asked_for_is_given(tmp_path: Path) -> None:
    files = _files(tmp_path, 1 << 10)
    assert workers(3, files, files.plan(1)) == 3
    with pytest.raises(OptionError, match="K302: the number of jobs must be at least 1, got 0"):
        workers(0, files, files.plan(1))


@pytest.mark.usefixtures("four_cores")
def test_new_processes_take_longer_to_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "can_fork", lambda: False)
    size = PER_WORKER * 9
    files = _files(tmp_path, size, "autosummeng")  # which works in Python
    assert workers("auto", files, files.plan(1)) == 1
    files = _files(tmp_path, size, "rouge")  # threads help it
    assert workers("auto", files, files.plan(1)) == 4


@pytest.mark.usefixtures("four_cores")
def test_another_program_is_started_once(tmp_path: Path) -> None:
    files = _files(tmp_path, PER_WORKER * 9, "external(command='cat', scores=('x',))")
    assert workers("auto", files, files.plan(1)) == 1


def test_the_environment_says_how_many_cores_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KARAT_JOBS", raising=False)
    assert cores.available() >= 1
    monkeypatch.setenv("KARAT_JOBS", " 7 ")
    assert cores.available() == 7
    for wrong in ("0", "-1", "many", "2.5", "²"):
        monkeypatch.setenv("KARAT_JOBS", wrong)
        with pytest.raises(OptionError, match="K302: the environment's KARAT_JOBS is a whole"):
            cores.available()


def test_threads_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KARAT_JOBS", "5")
    cores.limit(0)  # whatever a command that ran in this process was told
    assert cores.usable() == 5
    cores.limit(2)
    try:
        assert cores.usable() == 2
    finally:
        cores.limit(0)
    assert cores.usable() == 5


class Watching:
    def __init__(self) -> None:
        self.told: list[tuple[int, int]] = []
        self.done = 0

    def begin(self, pairs: int, jobs: int, chunks: int) -> None:
        self.told.append((pairs, jobs))

    def __call__(self, done: int) -> None:
        self.done += done


@pytest.mark.usefixtures("four_cores")
def test_what_shows_progress_is_told_how_much_there_is(tmp_path: Path) -> None:
    files = _files(tmp_path, PER_WORKER * 2 + (1 << 17))
    watching = Watching()
    run = evaluate(
        "exact",
        system=files.system.source.path,
        gold=files.golds[0].source.path,
        jobs="auto",
        progress=watching,
    )
    assert watching.told == [(len(run), 2)]
    assert watching.done == len(run)
