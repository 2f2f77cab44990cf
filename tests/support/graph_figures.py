"""Where the recorded figures of graph tools are."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

SHARED = Path(__file__).resolve().parents[3] / "shared"
DATA = SHARED / "data" / "graphs"
FILES = SHARED / "golden" / "graphs_files"


@cache
def entries(file: str = "graphs.json") -> dict[str, Any]:
    """All entries of a file of figures by name; none where the folder is missing."""
    path = SHARED / "golden" / file
    if not path.is_file():
        return {}
    return {entry["name"]: entry for entry in json.loads(path.read_text("utf-8"))["entries"]}


def named(prefix: str, file: str = "graphs.json") -> list[str]:
    """The names of the entries that begin so, to parametrise tests with."""
    return [name for name in entries(file) if name.startswith(prefix)]
