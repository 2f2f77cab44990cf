"""How files of tables begin."""

from __future__ import annotations

PARQUET = b"PAR1"
ARROW_STREAM = tuple(b"\xff\xff\xff\xff" + bytes([low]) for low in range(0, 256, 8))
"""A mark, and the size of what follows, a multiple of 8."""
ARROW = (*ARROW_STREAM, b"ARROW1")
