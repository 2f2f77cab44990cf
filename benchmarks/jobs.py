"""What a second job gains: whole commands with `--jobs 1` and `--jobs 2`, on 20,000 pairs and more.

    python3 benchmarks/jobs.py [--repeats 5] [--graphs GOLD.mrp SYSTEM.mrp]

The results of both are compared first, byte by byte. Wall seconds are the least of all repeats, and
say something only where nothing else runs; CPU seconds, those of the main thread apart, hold on a
busy machine, too. No number of cores makes a command faster than its start: what `karat evaluate
exact` takes for 33 lines is shown first. `mrp` needs two files of graphs.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from growth import write_texts
from timing import header
from trees import write_ud

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
CODE = """
import atexit, os, sys, time
atexit.register(lambda: print("@", time.thread_time(), sum(os.times()[:4]), file=sys.stderr))
sys.argv[0] = "karat"
from karat.__main__ import main
main()
"""


class Cost(NamedTuple):
    wall: float
    main: float
    """CPU seconds of the main thread."""
    all: float
    """CPU seconds of all threads and processes."""


def measured(words: list[str], jobs: int, repeats: int) -> tuple[Cost, bytes]:
    """The least that a command took, and what it printed."""
    # Users have the bytecode of what they installed.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", CODE, "evaluate", *words, "-q", "--json", "-", "-j", str(jobs)]
    costs, printed = [], b""
    for _ in range(repeats):
        begun = time.perf_counter()
        done = subprocess.run(command, capture_output=True, check=True, env=environment)
        wall = time.perf_counter() - begun
        main, all_threads = map(float, done.stderr.decode().rpartition("@")[2].split())
        costs.append(Cost(wall, main, all_threads))
        printed = done.stdout
    return Cost(*map(min, zip(*costs, strict=True))), printed


def forms(folder: Path, count: int) -> list[Path]:
    """The forms of the examples, again and again."""
    paths = []
    for side, name in (("gold", "gold.tsv"), ("system", "seed1.tsv")):
        lines = (EXAMPLES / "forms" / name).read_text(encoding="utf-8").splitlines()
        paths.append(folder / f"{side}.tsv")
        paths[-1].write_text("".join(f"{lines[i % len(lines)]}\n" for i in range(count)))
    return paths


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--graphs", nargs=2, metavar="FILE", help="gold and system, as MRP graphs")
    options = parser.parse_args()
    header("two jobs")
    print(f"{'':<30}{'wall 1':>8}{'wall 2':>8}{'ratio':>7}{'CPU 1':>8}{'CPU 2':>8}{'main 2':>8}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        random.seed(1)
        small = EXAMPLES / "translation" / "gold.txt"
        runs: list[tuple[str, str, list[Path]]] = [("exact", "33 lines", [small, small])]
        for count in (20_000, 300_000):
            texts = list(write_texts(folder, count))
            runs += [(metric, f"{count:,} lines", texts) for metric in ("bleu", "rouge")]
        runs.append(("cogs", "20,000 forms", forms(folder, 20_000)))
        for count in (20_000, 100_000):
            (folder / str(count)).mkdir()
            write_ud(folder / str(count), count)
            trees = [folder / str(count) / f"{side}.ud" for side in ("gold", "system")]
            runs.append(("ud", f"{count:,} sentences", trees))
        if options.graphs:
            runs.append(("mrp", "graphs", list(map(Path, options.graphs))))
        for metric, size, (gold, system) in runs:
            words = [metric, "-g", str(gold), "-s", str(system)]
            (one, alone), (two, both) = (measured(words, n, options.repeats) for n in (1, 2))
            if alone != both:
                raise SystemExit(f"{metric}: the results differ")
            print(
                f"{metric + ', ' + size:<30}{one.wall:>8.2f}{two.wall:>8.2f}"
                f"{one.wall / two.wall:>7.2f}{one.all:>8.2f}{two.all:>8.2f}{two.main:>8.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
