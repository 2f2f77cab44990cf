"""Runs of the command line with `--resume` that are killed at random moments, and go on."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

# Each chunk is written by itself, as in real runs, which last longer. After some of them a run
# waits for as long as there is a file "hold": what is done to it then never comes too late.
CODE = """
import os, sys, time
from karat.engine import resume
resume._SECONDS = -1
write, left = resume._write, int(os.environ.get("FILES_BEFORE_HOLD", -1))
def counting(path, data):
    global left
    if path.suffix == ".chunks":
        while left == 0 and os.path.exists("hold"):
            time.sleep(0.01)
        left -= 1
    write(path, data)
resume._write = counting
from karat.cli import main
main(sys.argv[1:])
"""


def write_texts(folder: Path, count: int, seed: int = 0) -> None:
    """``gold.txt``, ``a.txt`` and ``b.txt`` with so many lines."""
    chance = random.Random(seed)
    words = [f"w{i}" for i in range(200)]
    with (
        (folder / "gold.txt").open("w", encoding="utf-8") as gold,
        (folder / "a.txt").open("w", encoding="utf-8") as one,
        (folder / "b.txt").open("w", encoding="utf-8") as other,
    ):
        for _ in range(count):
            line = chance.choices(words, k=chance.randint(5, 25))
            for stream in (gold, one, other):
                stream.write(" ".join(line) + "\n")
                line[chance.randrange(len(line))] = "x"


def start(folder: Path, command: Sequence[str], hold: int = -1) -> subprocess.Popen[bytes]:
    """A run that is held back after so many files of chunks, until `release`."""
    if hold >= 0:
        (folder / "hold").touch()
    return subprocess.Popen(
        [sys.executable, "-c", CODE, *command],
        env={**os.environ, "FILES_BEFORE_HOLD": str(hold)},
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def begin(folder: Path, command: Sequence[str], parts: str, files: int) -> subprocess.Popen[bytes]:
    """A run that has written so many files of chunks, and waits before the next one."""
    process = start(folder, command, files)
    while files_of_chunks(folder / parts) < files:
        assert process.poll() is None, process.communicate()
        time.sleep(0.002)
    return process


def release(folder: Path, process: subprocess.Popen[bytes]) -> tuple[int, str]:
    """Lets a run go on; the exit code and what was written to standard error."""
    (folder / "hold").unlink(missing_ok=True)
    _, error = process.communicate(timeout=300)
    return process.returncode, error.decode()


def finish(folder: Path, command: Sequence[str]) -> tuple[int, str]:
    """The same for a run from its beginning."""
    return release(folder, start(folder, command))


def files_of_chunks(folder: Path) -> int:
    return len(list(folder.glob("*/*.chunks")))


def kill_after(
    folder: Path, command: Sequence[str], parts: Path, files: int, chance: random.Random
) -> bool:
    """Whether the process was killed; it may have been done before.

    It is killed a random moment after it has written so many more files of chunks.
    """
    before = files_of_chunks(parts)
    process = start(folder, command, files + 4)
    while process.poll() is None and files_of_chunks(parts) < before + files:
        time.sleep(0.002)
    time.sleep(chance.random() * 0.03)
    ended = process.poll() is not None
    process.send_signal(signal.SIGKILL)
    process.communicate()
    return not ended


def main() -> None:
    """Many kills, with one worker and with two; ends with 1 if a result differs."""
    import argparse
    import tempfile

    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    kills = rounds = 0
    while kills < options.kills:
        with tempfile.TemporaryDirectory() as name:
            folder, rounds = Path(name), rounds + 1
            write_texts(folder, chance.choice([2000, 8000, 20000]), chance.randrange(10**6))
            words = ["evaluate", "ter"]
            words += ["-g", "gold.txt", "-s", "a.txt", "--resamples", "10"]
            code, error = finish(folder, [*words, "--save", "plain.run"])
            assert code == 0, error
            while True:
                jobs = chance.choice(["1", "2"])  # also another number than before
                command = [*words, "-j", jobs, "--save", "a.run", "--resume", "parts"]
                more = chance.randrange(1, 9)
                if not kill_after(folder, command, folder / "parts", more, chance):
                    break
                kills += 1
            if (folder / "a.run").read_bytes() != (folder / "plain.run").read_bytes():
                sys.exit(f"{' '.join(command)}: the result differs after {kills} kills")
            sys.stdout.write(f"{kills} kills in {rounds} runs, all results equal\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
