"""What a second job gains: with `--jobs 1` and `--jobs 2`, on 20,000 pairs and more.

    python3 benchmarks/jobs.py [--repeats 5] [--graphs GOLD.mrp SYSTEM.mrp]

The results of both are compared first, byte by byte. Whole commands come first: start, the same
command on a few lines, is what no number of cores makes faster. Then the same work in a running
process, `karat.evaluate(..., jobs=2)` and the JSON of its result, with all modules loaded and
the files in memory. Wall seconds are the least of all repeats, and say something only where
nothing else runs; CPU seconds of the command, those of its main thread apart, hold on a busy
machine, too. `mrp` needs two files of graphs.
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

import msgspec

import karat
from growth import write_texts
from karat import cores
from karat.report import exports
from timing import header
from trees import write_ud

STATISTICS = {"level": 0.95, "resamples": 1000, "seed": 0}
EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
FEW = {
    "bleu": ("translation/gold.txt", "translation/careful.txt"),
    "rouge": ("translation/gold.txt", "translation/careful.txt"),
    "cogs": ("forms/gold.tsv", "forms/seed1.tsv"),
    "ud": ("dependencies/small.gold.conllu", "dependencies/small.test.conllu"),
    "mrp": ("graphs/drg.gold.mrp", "graphs/drg.system.mrp"),
}
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


def running(metric: str, gold: Path, system: Path, repeats: int) -> dict[int, float]:
    """The least seconds of the same work with one job and two, in this process."""
    least: dict[int, float] = {}
    printed: dict[int, bytes] = {}
    for _ in range(repeats + 1):  # the first time loads what is needed
        for jobs in (1, 2):
            cores.limit(jobs)
            begun = time.perf_counter()
            found = karat.evaluate(metric, system, gold, jobs=jobs)
            printed[jobs] = msgspec.json.encode(exports.json(found, STATISTICS, []))
            seconds = time.perf_counter() - begun
            least[jobs] = min(least.get(jobs, seconds), seconds)
    if printed[1] != printed[2]:
        raise SystemExit(f"{metric}: the results differ")
    return least


def start(metric: str, repeats: int) -> float:
    """The least seconds of the command on a few items."""
    gold, system = (str(EXAMPLES / name) for name in FEW[metric])
    return measured([metric, "-g", gold, "-s", system], 1, repeats)[0].wall


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
    print(f"{'':<24}{'whole commands':>16}{'running process':>32}{'CPU of commands':>25}")
    titles = ("start", "1 job", "2 jobs", "gain", "1 job", "2 jobs", "gain", "1", "2", "main 2")
    print(f"{'':<24}" + "".join(f"{title:>8}" for title in titles))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        random.seed(1)
        runs: list[tuple[str, str, list[Path]]] = []
        for count in (20_000, 100_000):
            (folder / str(count)).mkdir()
            texts = list(write_texts(folder / str(count), count))
            runs += [(metric, f"{count:,} lines", texts) for metric in ("bleu", "rouge")]
            runs.append(("cogs", f"{count:,} forms", forms(folder / str(count), count)))
            write_ud(folder / str(count), count)
            trees = [folder / str(count) / f"{side}.ud" for side in ("gold", "system")]
            runs.append(("ud", f"{count:,} trees", trees))
        if options.graphs:
            runs.append(("mrp", "graphs", list(map(Path, options.graphs))))
        for metric, size, (gold, system) in runs:
            words = [metric, "-g", str(gold), "-s", str(system)]
            (one, alone), (two, both) = (measured(words, n, options.repeats) for n in (1, 2))
            if alone != both:
                raise SystemExit(f"{metric}: the results differ")
            warm = running(metric, gold, system, options.repeats)
            seconds = [start(metric, options.repeats), one.wall, two.wall, one.wall / two.wall]
            seconds += [warm[1], warm[2], warm[1] / warm[2], one.all, two.all, two.main]
            figures = "".join(f"{each:>8.3f}" for each in seconds)
            print(f"{metric + ', ' + size:<24}{figures}", flush=True)


if __name__ == "__main__":
    main()
