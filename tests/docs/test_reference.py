"""The generated parts of the documentation are those that the declarations give today."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_reference_is_current() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "website" / "reference.py"), "--check"],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
