"""Frames against files: the same million texts, the same scores, time and memory of each.

Lines and columns of texts; then records with ids and lists of references, and the same columns.

python benchmarks/frames.py [ROWS]
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

WORDS = np.array(
    ["the", "a", "dog", "cat", "barks", "sleeps", "loudly", "now", "in", "of", "house", "red"]
)


def texts(rows: int, seed: int) -> list[str]:
    drawn = np.random.default_rng(seed).integers(0, len(WORDS), (rows, 12))
    return [" ".join(row) for row in WORDS[drawn]]


def peak() -> float:
    """The most memory that this process has had, in MiB (Linux)."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def run(kind: str, folder: str, metric: str, listed: bool, connection: Any) -> None:
    """Measures in a process of its own, so that memory is that of one way alone."""
    import karat

    files = Path(folder)
    given: Any = None
    if kind != "file":
        columns: dict[str, Any] = {
            name: (files / f"{name}.txt").read_text().splitlines() for name in ("system", "gold")
        }
        if listed:
            columns["gold"] = [[text] for text in columns["gold"]]
            columns["id"] = [f"s{i}" for i in range(len(columns["gold"]))]
        if kind == "pandas":
            import pandas

            given = pandas.DataFrame(columns)
        elif kind == "polars":
            import polars

            given = polars.DataFrame(columns)
        elif kind == "arrow":
            import pyarrow

            given = pyarrow.table(columns)
        elif kind == "dataset":
            import datasets

            given = datasets.Dataset.from_dict(columns)
        del columns
    before = peak()
    began = time.process_time()
    if kind == "file" and listed:
        found = karat.evaluate(metric, files / "both.jsonl")
    elif kind == "file":
        found = karat.evaluate(metric, files / "system.txt", files / "gold.txt")
    else:
        found = karat.evaluate(
            metric, given, system="system", gold="gold", id="id" if listed else None
        )
    seconds = time.process_time() - began
    connection.send((found.scores(), seconds, peak() - before))


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        for seed, name in enumerate(("system", "gold")):
            (Path(folder) / f"{name}.txt").write_text("\n".join(texts(rows, seed)) + "\n")
        both = (Path(folder) / f"{name}.txt" for name in ("system", "gold"))
        pairs = zip(*(path.read_text().splitlines() for path in both), strict=True)
        with (Path(folder) / "both.jsonl").open("w") as stream:
            for i, (system, gold) in enumerate(pairs):
                record = {"id": f"s{i}", "output": system, "references": [gold]}
                stream.write(json.dumps(record) + "\n")
        cases = [
            ("exact", False),
            ("chrf", False),
            ("bleu", False),
            ("exact", True),
            ("bleu", True),
        ]
        for metric, listed in cases:
            base, figures = 0.0, None
            for kind in ("file", "pandas", "polars", "arrow", "dataset"):
                ours, theirs = get_context("spawn").Pipe()
                worker = get_context("spawn").Process(
                    target=run, args=(kind, folder, metric, listed, theirs)
                )
                worker.start()
                scores, seconds, memory = ours.recv()
                worker.join()
                if figures is None:
                    base, figures = seconds, scores
                assert scores == figures, (kind, scores, figures)
                print(
                    f"{metric:6} {'lists' if listed else 'texts'} {kind:7} {rows:,} rows  "
                    f"{seconds:6.2f} s  "
                    f"{seconds / base:4.2f} of the file  {memory:6.0f} MiB more"
                )


if __name__ == "__main__":
    main()
