"""How many cases property tests draw."""

from __future__ import annotations

import os

SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")


def drawn(cases: int) -> int:
    """So many; a third of them with sanitizers, for which what a case says does not matter.

    All of them are held against the definition without sanitizers.
    """
    return max(cases // 3, 1) if SANITIZED else cases
