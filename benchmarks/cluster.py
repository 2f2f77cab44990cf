"""What a cluster costs the process that drives it: CPU per item, and how many workers it can feed.

    python3 benchmarks/cluster.py

A scheduler and two workers run as processes of this machine. The driver's CPU is all that this
process does while the cluster measures: scanning, pairing, sending chunks, taking rows. The
ceiling is how many times faster than one process a cluster can be at most, however large. Rows
are compared first, bit by bit.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import karat
from karat.engine.cluster import Cluster
from timing import header

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

from dask_cluster import DaskCluster

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def texts(folder: Path, count: int) -> tuple[Path, Path]:
    chance = random.Random(0)
    words = [f"word{i}" for i in range(2000)]
    gold, system = folder / "gold.txt", folder / "system.txt"
    with gold.open("w", encoding="utf-8") as ours, system.open("w", encoding="utf-8") as theirs:
        for _ in range(count):
            line = chance.choices(words, k=22)
            ours.write(" ".join(line) + "\n")
            line[chance.randrange(22)] = "other"
            theirs.write(" ".join(line) + "\n")
    return gold, system


def records(folder: Path, count: int) -> tuple[Path, Path]:
    gold, system = texts(folder, count)
    order = list(range(count))
    random.Random(1).shuffle(order)
    lines = [path.read_text(encoding="utf-8").splitlines() for path in (gold, system)]
    gold, system = gold.with_suffix(".jsonl"), system.with_suffix(".jsonl")
    with gold.open("w", encoding="utf-8") as stream:
        stream.writelines(f'{{"id": "i{i}", "reference": "{lines[0][i]}"}}\n' for i in range(count))
    with system.open("w", encoding="utf-8") as stream:
        stream.writelines(f'{{"id": "i{i}", "hypothesis": "{lines[1][i]}"}}\n' for i in order)
    return gold, system


def graphs(folder: Path, count: int) -> tuple[Path, Path]:
    paths = []
    for name in ("gold.amr", "system.amr"):
        text = (EXAMPLES / "graphs" / name).read_text(encoding="utf-8")
        blocks = [block for block in text.split("\n\n") if "(" in block]
        bodies = ["\n".join(x for x in block.split("\n") if x[:1] != "#") for block in blocks]
        paths.append(folder / name)
        with paths[-1].open("w", encoding="utf-8") as stream:
            for i in range(count):
                stream.write(f"# ::id g{i}\n{bodies[i % len(bodies)]}\n\n")
    return paths[0], paths[1]


RUNS: list[tuple[str, Callable[[Path, int], tuple[Path, Path]], int]] = [
    ("bleu", texts, 200_000),
    ("rouge", texts, 200_000),
    ("ter", texts, 100_000),
    ("chrf", records, 100_000),
    ("smatch", graphs, 50_000),
]


def main() -> None:
    header("a cluster's driver", "distributed")
    print(f"{'metric':<10}{'items':>9}{'serial µs/item':>16}{'driver µs/item':>16}{'ceiling':>9}")
    with (
        tempfile.TemporaryDirectory() as name,
        DaskCluster(Path(name) / "dask", 2) as cluster,
        Cluster(cluster.address) as connected,
    ):
        executor = connected.executor()
        karat.evaluate("exact", system=texts(Path(name), 99)[0], gold=texts(Path(name), 99)[0],
                       executor=executor)  # which loads what is needed everywhere  # fmt: skip
        for metric, write, count in RUNS:
            gold, system = write(Path(name), count)
            begin = time.process_time()
            alone = karat.evaluate(metric, system=system, gold=gold)
            serial = time.process_time() - begin
            begin = time.process_time()
            spread = karat.evaluate(metric, system=system, gold=gold, executor=executor)
            driver = time.process_time() - begin
            if spread.counts.tobytes() != alone.counts.tobytes() or spread.ids != alone.ids:
                raise SystemExit(f"{metric}: the rows differ")
            print(
                f"{metric:<10}{count:>9,}{serial / count * 1e6:>16.1f}{driver / count * 1e6:>16.1f}"
                f"{serial / driver:>9.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
