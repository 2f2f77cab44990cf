"""The command, as tests call it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

from loaded_command import LoadedCommand

PROGRAM = str(Path(sys.executable).parent / "karat")
Karat = Callable[..., "subprocess.CompletedProcess[str]"]


def run_karat(
    *arguments: object,
    cwd: Path | None = None,
    env: dict[str, str] | None = None,
    stdin: str | bytes = "",
    timeout: float = 300,
) -> subprocess.CompletedProcess[str]:
    """Runs the command in a process of its own; input and output are text."""
    words = [PROGRAM, *map(str, arguments)]
    given = stdin.encode() if isinstance(stdin, str) else stdin
    environment = {**os.environ, **(env or {})}
    call = (words, str(cwd or Path.cwd()), environment, given)
    try:
        status, out, err = _loaded_command().run(call, timeout)
    except subprocess.TimeoutExpired:
        _loaded_command.cache_clear()
        raise
    return subprocess.CompletedProcess(words, status, out.decode(), err.decode())


@cache
def _loaded_command() -> LoadedCommand:
    """One for all tests of a process."""
    return LoadedCommand()
