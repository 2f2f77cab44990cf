"""Kills at random moments on a Dask cluster: nothing is lost, and the result is the same bytes.

    python3 benchmarks/kills.py [--kills 100] [--seed 0]

A scheduler and two workers run as processes of this machine. A run with `--resume` is under way,
and again and again a worker is killed (kill -9) and another one started, or the run itself is
killed and started again, until it ends. Its result is compared with that of a run without all this.
`tests/support/killing.py` does the same with one job and with two.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from timing import header

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

from dask_cluster import DaskCluster
from killing import files_of_chunks, finish, start, write_texts

METRIC = ["evaluate", "ter", "-g", "gold.txt", "-s", "a.txt", "--resamples", "10", "-q"]


def under_way(process: subprocess.Popen[bytes], parts: Path, files: int) -> bool:
    """Whether the process is still at work when it has written so many files of chunks."""
    while process.poll() is None and files_of_chunks(parts) < files:
        time.sleep(0.002)
    return process.poll() is None


def one_round(folder: Path, cluster: DaskCluster, chance: random.Random) -> tuple[int, int]:
    """How many workers, and how many runs, were killed until a run came to its end."""
    write_texts(folder, chance.choice([10_000, 30_000]), chance.randrange(10**6))
    code, error = finish(folder, [*METRIC, "--save", "plain.run"])
    if code:
        raise SystemExit(error)
    command = [*METRIC, "--save", "a.run", "--resume", "parts", "--dask", cluster.address]
    parts, workers, runs = folder / "parts", 0, 0
    process = start(folder, command)
    while under_way(process, parts, files_of_chunks(parts) + chance.randrange(1, 6)):
        time.sleep(chance.random() * 0.05)
        if chance.random() < 0.6:
            at = chance.randrange(len(cluster.workers))
            cluster.workers[at].kill()
            cluster.workers[at].wait()
            cluster.workers[at] = cluster.start_worker()
            workers += 1
        else:
            process.kill()
            process.communicate()
            process = start(folder, command)
            runs += 1
    _, said = process.communicate(timeout=300)
    if process.returncode:
        raise SystemExit(f"the run ended with {process.returncode}: {said.decode()}")
    if (folder / "a.run").read_bytes() != (folder / "plain.run").read_bytes():
        raise SystemExit("the results differ")
    return workers, runs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    header("kills on a cluster", "distributed")
    chance = random.Random(options.seed)
    workers = runs = rounds = 0
    while workers + runs < options.kills:
        with (
            tempfile.TemporaryDirectory() as name,
            DaskCluster(Path(name) / "dask", 2) as cluster,
        ):
            more = one_round(Path(name), cluster, chance)
        workers, runs, rounds = workers + more[0], runs + more[1], rounds + 1
        print(f"{rounds} rounds: {workers} workers and {runs} runs were killed", flush=True)
    print("every result was the same, byte by byte")


if __name__ == "__main__":
    main()
