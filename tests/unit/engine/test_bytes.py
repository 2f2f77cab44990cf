"""Metrics that measure bytes: the same result as by parsing, and parsing where they cannot tell."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from karat.core.capabilities import Measured, MeasuresBytes, has
from karat.core.marks import main
from karat.core.metric import Counts, Metric
from karat.core.reading.raw import RawChunk, RawItems
from karat.core.scores import Array, Scores
from karat.engine import evaluate
from karat.errors import PairingError

SYSTEM = [f"{'x' * (i % 7)}" if i % 11 else "" for i in range(600)]
GOLD = [f"{'y' * (i % 5)}" for i in range(600)]


class Sizes(Metric[str, str]):
    """The bytes of both texts."""

    name = "sizes"
    kind = "text"
    columns = ("system", "gold")
    measured: ClassVar[list[int]] = []
    """How many pairs each chunk has that was measured from bytes."""

    def measure(self, system: str, gold: str) -> Counts:
        return [len(system.encode()), len(gold.encode())]

    def summarize(self, totals: Array) -> Scores:
        system, gold = self.columns_of(totals)
        return {"system": main(system), "gold": gold}


class FromBytes(Sizes):
    """The same without parsing; not for chunks that have a text with an exclamation mark."""

    def measure_bytes(self, chunk: RawChunk) -> Measured | None:
        (gold,) = chunk.golds
        if chunk.system.format.name != "lines" or "!" in "".join(_texts(chunk.system)):
            return None
        self.measured.append(len(gold))
        texts = [_texts(chunk.system), _texts(gold)]
        rows = np.array([[len(text.encode()) for text in each] for each in texts], float)
        empty = sum(bool(theirs) and not ours for ours, theirs in zip(*texts, strict=True))
        return Measured(rows.T, {}, any(texts[0]), any(texts[1]), empty=empty)


def _texts(items: RawItems) -> list[str]:
    spans = zip(items.begin.tolist(), items.end.tolist(), strict=True)
    return [items.data[begin:end].decode() for begin, end in spans]


def _outcome(metric: Sizes, suffix: str = "", **options: Any) -> tuple[Any, ...]:
    Sizes.measured.clear()
    run = evaluate(metric, system=f"system.txt{suffix}", gold=f"gold.txt{suffix}", **options)
    return run.ids, run.counts.tolist(), run.places, run.warnings, run.skipped


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _write(SYSTEM)


def _write(system: Sequence[str]) -> None:
    for name, texts in (("system", system), ("gold", GOLD)):
        data = "".join(f"{text}\n" for text in texts).encode()
        Path(f"{name}.txt").write_bytes(data)
        Path(f"{name}.txt.gz").write_bytes(gzip.compress(data))


@pytest.mark.parametrize("suffix", ["", ".gz"])
@pytest.mark.parametrize(
    "options", [{}, {"format_options": {"i": 9}}, {"format_options": {"n": 300}}, {"jobs": 2}]
)
def test_rows_are_those_of_parsing(suffix: str, options: dict[str, Any]) -> None:
    assert has(FromBytes(), MeasuresBytes)
    assert not has(Sizes(), MeasuresBytes)
    assert _outcome(FromBytes(), suffix, **options) == _outcome(Sizes(), suffix, **options)


def test_a_chunk_that_it_cannot_measure_is_parsed() -> None:
    _write([*SYSTEM[:300], "x!", *SYSTEM[301:]])
    expected = _outcome(Sizes())
    assert _outcome(FromBytes()) == expected
    assert Sizes.measured == [256, 88], "the chunk in the middle was parsed"


def test_nothing_of_the_system_is_an_error_all_the_same() -> None:
    _write([""] * len(SYSTEM))
    for metric in (Sizes(), FromBytes()):
        with pytest.raises(PairingError, match="K241"):
            evaluate(metric, system="system.txt", gold="gold.txt")
