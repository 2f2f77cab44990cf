"""Pairs of every metric: metric -> (its variants, pairs, how to make the perfect system output)."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

EXAMPLES: dict[str, Any] = {}
for _path in sorted(Path(__file__).parent.glob("examples_*.py")):
    EXAMPLES |= import_module(_path.stem).EXAMPLES
