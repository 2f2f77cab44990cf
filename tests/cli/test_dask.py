"""``--dask``: a real cluster of processes, some of which are killed."""

from __future__ import annotations

from pathlib import Path

import pytest

from dask_cluster import DaskCluster
from karat.engine.cluster import Cluster
from karat.errors import OptionError
from killing import begin, finish, release, write_texts

pytest.importorskip("distributed")

COMMAND = ["evaluate", "bleu", "-g", "gold.txt", "-s", "a.txt", "--resamples", "10", "-q"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    write_texts(folder, 20_000)
    code, error = finish(folder, [*COMMAND, "--save", "plain.run"])
    assert code == 0, error
    return folder


def test_workers_and_schedulers_that_are_killed(folder: Path, tmp_path: Path) -> None:
    """A run that loses a worker ends well; one that loses the scheduler goes on without it."""
    expected = (folder / "plain.run").read_bytes()
    with DaskCluster(tmp_path, 2) as cluster:
        command = [*COMMAND, "--save", "a.run", "--dask", cluster.address, "--resume"]
        process = begin(folder, [*command, "one"], "one", 2)
        cluster.workers[1].kill()
        assert release(folder, process) == (0, "")
        assert (folder / "a.run").read_bytes() == expected
        process = begin(folder, [*command, "other"], "other", 2)
        cluster.scheduler.kill()
        code, message = release(folder, process)
        assert code == 1
        first, advice = message.splitlines()
        assert first == f"RunError K703: the Dask scheduler at {cluster.address} is gone"
        assert advice.startswith("start it again")
    code, message = finish(folder, [*COMMAND, "--save", "b.run", "--resume", "other"])
    assert code == 0, message
    assert (folder / "b.run").read_bytes() == expected


def test_workers_on_this_machine(folder: Path) -> None:
    words = ["score", "exact", "-q", "-s", "a.txt", "-g", "gold.txt", "--n", "600", "-o"]
    assert finish(folder, [*words, "plain.jsonl"])[0] == 0
    assert finish(folder, [*words, "dask.jsonl", "--dask", "local:1"]) == (0, "")
    assert (folder / "dask.jsonl").read_bytes() == (folder / "plain.jsonl").read_bytes()


def test_no_cluster(folder: Path) -> None:
    for wrong in ("local:0", "local:x", "localhost", "4"):
        with pytest.raises(OptionError, match="K302: ``dask`` must be local, local:N or the add"):
            Cluster(wrong)
    code, error = finish(folder, [*COMMAND, "--dask", "4"])
    assert code == 2
    assert error.startswith("OptionError K302: --dask must be local, local:N or the address of a s")
    code, error = finish(folder, [*COMMAND, "--dask", "local:2", "-j", "2"])
    assert code == 2
    assert "--dask and --jobs contradict each other" in error


@pytest.mark.parametrize("seconds", ["soon", "-1", "nan", "inf"])
def test_a_time_that_is_none(seconds: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KARAT_DASK_TIMEOUT", seconds)
    code, error = finish(folder, [*COMMAND, "--dask", "tcp://127.0.0.1:9"])
    assert code == 2
    assert f"KARAT_DASK_TIMEOUT is a number of seconds, got '{seconds}'" in error


def test_a_scheduler_that_is_not_there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KARAT_DASK_TIMEOUT", "1")
    code, error = finish(folder, [*COMMAND, "--dask", "tcp://127.0.0.1:9"])
    assert code == 1
    assert error.startswith("RunError K702: no Dask scheduler answers at tcp://127.0.0.1:9: ")
    assert "Traceback" not in error
