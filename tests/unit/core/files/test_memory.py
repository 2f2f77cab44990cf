"""Compressed files and pipes whose items are too many to be held."""

from __future__ import annotations

import gc
import gzip
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

import karat
from karat.core import format as format_module
from karat.core.files.memory import Spool
from karat.core.files.opener import Source


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(format_module, "_MOST_HELD", 100)


def write(folder: Path, name: str, lines: list[str]) -> str:
    path = folder / name
    data = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return str(path)


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("jobs", [1, 2])
def test_the_same_from_compressed_files(tmp_path: Path, jobs: int) -> None:
    gold = [f"the dog {i} barks" for i in range(600)]
    system = [line if i % 3 else f"a cat {i}" for i, line in enumerate(gold)]
    plain = karat.evaluate(
        "exact", system=write(tmp_path, "s.txt", system), gold=write(tmp_path, "g.txt", gold)
    )
    packed = karat.evaluate(
        "exact",
        system=write(tmp_path, "s.txt.gz", system),
        gold=write(tmp_path, "g.txt.gz", gold),
        jobs=jobs,
    )
    assert packed.counts.tolist() == plain.counts.tolist()
    assert packed.scores() == plain.scores() == {"accuracy": 400 / 600}


@pytest.mark.usefixtures("few")
def test_other_processes_read_the_spool(tmp_path: Path) -> None:
    lines = [f"line {i}" for i in range(400)]
    path = write(tmp_path, "a.txt.gz", lines)
    with ProcessPoolExecutor(2) as executor:
        found = karat.evaluate("exact", system=path, gold=path, executor=executor)
    assert found.scores() == {"accuracy": 1.0}


def test_a_spool_goes_with_its_object() -> None:
    spool = Spool()
    begins, ends = spool.add([b"abc", b"", b"de"])
    assert (begins.tolist(), ends.tolist()) == ([0, 3, 3], [3, 3, 5])
    spool.add([b"f"])
    assert Source(spool.path).read_spans([3, 5], [5, 6]) == [b"de", b"f"]
    path = spool.path
    del spool
    gc.collect()
    assert not Path(path).exists()
