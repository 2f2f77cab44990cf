"""The installed command, as tests call it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

PROGRAM = str(Path(sys.executable).parent / "karat")
Karat = Callable[..., "subprocess.CompletedProcess[str]"]


def run_karat(
    *arguments: object,
    cwd: Path | None = None,
    env: dict[str, str] | None = None,
    stdin: str | bytes = "",
    timeout: float = 300,
) -> subprocess.CompletedProcess[str]:
    """Runs the command; input and output are text."""
    done = subprocess.run(
        [PROGRAM, *map(str, arguments)],
        cwd=cwd,
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        capture_output=True,
        env={**os.environ, **(env or {})},
        timeout=timeout,
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )
