"""The Pythons of this machine."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

SUPPORTED = ("3.10", "3.11", "3.12", "3.13", "3.14")


def find(version: str) -> Path | None:
    """A CPython of a version that works and can make environments, if this machine has one."""
    named = shutil.which(f"python{version}")
    kept = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python{version}"))
    managed = sorted(Path.home().glob(f".local/share/uv/python/cpython-{version}.*/bin/python3"))
    for path in [*([Path(named)] if named else []), *reversed(kept), *reversed(managed)]:
        code = (
            "import ensurepip, platform, sys; "
            "print(platform.python_implementation(), '.'.join(map(str, sys.version_info[:2])))"
        )
        done = subprocess.run([path, "-c", code], capture_output=True, text=True)
        if done.returncode == 0 and done.stdout.split() == ["CPython", version]:
            return path
    return None


def has_headers(python: Path) -> bool:
    """Whether something can be compiled for a Python."""
    code = (
        "import os, sys, sysconfig; "
        "sys.exit(not os.path.exists(sysconfig.get_path('include') + '/Python.h'))"
    )
    return subprocess.run([python, "-c", code]).returncode == 0
