"""Every error code in the sources is on the page of errors, and the other way round."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_BASES = {f"K{i}00" for i in range(8)}  # codes of the classes alone


def test_all_codes_are_explained() -> None:
    page = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    explained = set()
    for first, last in re.findall(r"K(\d{3})(?:\s*(?:to|–|-)\s*K(\d{3}))?", page):
        explained |= {f"K{code}" for code in range(int(first), int(last or first) + 1)}
    used = {
        code
        for path in (ROOT / "src" / "karat").rglob("*.py")
        for code in re.findall(r'"(K\d{3})"', path.read_text(encoding="utf-8"))
    }
    assert used - _BASES == explained - _BASES
