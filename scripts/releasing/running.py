"""Programs that a release runs, and what is said meanwhile."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

BIN = Path(sys.executable).parent
"""Where the tools of a release are."""

_started = time.monotonic()


class StepFailed(Exception):
    """A step of a release failed; the message says which, and what was printed."""


def say(text: str) -> None:
    print(f"[{time.monotonic() - _started:4.0f} s] {text}", flush=True)


def run(
    words: Sequence[str | Path], *, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> str:
    """What a program prints; its end with another status than 0 is a failure."""
    environment = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", **(env or {})}
    environment.pop("PYTHONPATH", None)
    done = subprocess.run(
        [str(each) for each in words], cwd=cwd, env=environment, text=True, errors="replace",
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    if done.returncode:
        tail = "\n".join(done.stdout.splitlines()[-40:])
        raise StepFailed(f"{' '.join(map(str, words))}\nended with {done.returncode}:\n{tail}")
    return done.stdout
