"""CPU time and memory of whole commands as files grow; the table of docs/performance.md.

    python benchmarks/growth.py [--sizes 10000,100000,1000000] [--metrics exact,bleu] [--write]

Each cell is one run of `karat evaluate METRIC --json`, intervals included, on files of lines with
about 20 words. CPU seconds and the largest resident memory are those that the system counts for
the process and its workers. With `--write` the rows take the place of those in the page.
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

from tables import put_rows
from timing import header

WORDS = [
    *("the", "a", "of", "to", "in", "it", "was", "that", "on", "with", "for", "as", "at", "by"),
    *("harbour", "ferry", "captain", "island", "bread", "gull", "soup", "card", "match"),
    *("cloud", "rain", "pier", "village", "road", "goat", "valve", "pump", "sleeve"),
    *("from", "winter"),
]
_BLOCK = 50_000


def write_texts(folder: Path, size: int) -> tuple[Path, Path]:
    """Gold and a system that changes one word of seven; each line begins with its number."""
    drawn = random.Random(1)
    golds = [drawn.choices(WORDS, k=drawn.randint(8, 30)) for _ in range(min(size, _BLOCK))]
    systems = [
        " ".join(drawn.choice(WORDS) if drawn.random() < 0.15 else word for word in gold)
        for gold in golds
    ]
    texts = [" ".join(gold) for gold in golds]
    paths = folder / f"{size}.gold", folder / f"{size}.system"
    for path, lines in zip(paths, (texts, systems), strict=True):
        with path.open("w", encoding="utf-8") as stream:
            for first in range(0, size, _BLOCK):
                some = lines[: size - first]
                stream.writelines(f"{first + i} {line}.\n" for i, line in enumerate(some))
    return paths


def measured(metric: str, gold: Path, system: Path, jobs: str) -> tuple[float, float, float]:
    """Wall and CPU seconds, and MB of memory."""
    karat = str(Path(sys.executable).parent / "karat")
    words = [karat, "evaluate", metric, "-g", gold, "-s", system, "-j", jobs, "--json", os.devnull]
    begun = time.perf_counter()
    run = subprocess.Popen(list(map(str, words)), stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(run.pid, 0)
    run.returncode = os.waitstatus_to_exitcode(status)
    if run.returncode:
        raise SystemExit(f"{metric} failed with {run.returncode}")
    wall = time.perf_counter() - begun
    return wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="10000,100000,1000000")
    parser.add_argument("--metrics", default="exact,bleu,chrf,rouge")
    parser.add_argument("--jobs", default="1")
    parser.add_argument("--folder", help="where the texts go (a temporary folder when left out)")
    parser.add_argument("--write", action="store_true", help="put the rows into the page")
    options = parser.parse_args()
    header("growth")
    rows = ["| metric | pairs | CPU | CPU for each pair | memory |", "|---|---:|---:|---:|---:|"]
    print("\n".join(rows), flush=True)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for size in map(int, options.sizes.split(",")):
            gold, system = write_texts(Path(folder), size)
            for metric in options.metrics.split(","):
                _, cpu, memory = measured(metric, gold, system, options.jobs)
                rows.append(
                    f"| `{metric}` | {size:,} | {cpu:.2f} s | {1e6 * cpu / size:.1f} µs "
                    f"| {memory:,.0f} MB |"
                )
                print(rows[-1], flush=True)
            gold.unlink()
            system.unlink()
    if options.write:
        put_rows("growth", rows[0], rows[2:], keys=2)


if __name__ == "__main__":
    main()
