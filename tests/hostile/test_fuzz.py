"""A fixed portion of the fuzzer: ``scripts/fuzz`` runs more."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import fuzzing
from karat.core.plugins import FORMATS, own_rows
from karat.errors import KaratError

EACH = 40
"""Inputs for each reader; what earlier runs found is tested beside the readers."""


@pytest.mark.parametrize("name", [target.name for target in fuzzing.targets()])
def test_damaged_files(name: str) -> None:
    failures = fuzzing.portion([name], 0, 0, EACH)
    assert failures == [], failures[0].trace


def test_every_reader_is_fuzzed() -> None:
    known = {target.name for target in fuzzing.targets()}
    assert {row.name for row in own_rows(FORMATS) if row.reads} < known
    assert {"run", "records"} < known


def test_failures_are_found(tmp_path: Path) -> None:
    """A reader that raises anything but a KaratError does not pass."""

    def broken(path: Path, rng: random.Random) -> None:
        raise ValueError("no such thing")

    def polite(path: Path, rng: random.Random) -> None:
        raise KaratError("this is no file", code="K100")

    found = fuzzing.attempt(fuzzing.Target("x", (b"a",), broken), 0, 0, tmp_path)
    assert "ValueError" in found.what
    assert "no such thing" in found.trace
    assert fuzzing.attempt(fuzzing.Target("x", (b"a",), polite), 0, 0, tmp_path) is None


def test_the_same_number_is_the_same_input() -> None:
    for target in fuzzing.targets()[:10]:
        first, again = (fuzzing.damaged(target, random.Random("0 x 7")) for _ in range(2))
        assert first == again
