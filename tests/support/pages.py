"""What a page holds, read back from its file."""

from __future__ import annotations

import gzip
import json
import re
from base64 import b64decode
from typing import Any

import numpy as np

_ELEMENT = re.compile(rb'<script type="text/plain" id="([^"]+)">([^<]*)</script>')


class WrittenPage:
    """The head, columns and items of a page."""

    def __init__(self, page: bytes) -> None:
        self.text = page.decode()
        self.parts = {
            name.decode(): gzip.decompress(b64decode(data)) for name, data in _ELEMENT.findall(page)
        }
        self.head: dict[str, Any] = json.loads(self.parts["k-head"])

    def set(self, number: int = 0) -> dict[str, Any]:
        found: dict[str, Any] = self.head["sets"][number]
        return found

    def ids(self, number: int = 0) -> list[str]:
        (column,) = [each for each in self.set(number)["columns"] if each["role"] == "key"]
        return self.parts[column["id"]].decode().split("\n")

    def scores(self, metric: int = 0, system: int = 0, number: int = 0) -> list[float]:
        (column,) = [
            each
            for each in self.set(number)["columns"]
            if each["role"] == "score" and (each["metric"], each["system"]) == (metric, system)
        ]
        found: list[float] = np.frombuffer(self.parts[column["id"]], "<f8").tolist()
        return found

    def rows_with(self, error: dict[str, Any], system: int) -> list[int]:
        """The rows that have an error."""
        gaps = np.frombuffer(self.parts[error["columns"][system]], "<u4")
        rows: list[int] = np.cumsum(gaps).tolist()
        return rows

    def items(self, number: int = 0) -> list[Any]:
        """All items; None for those that are left out."""
        found = self.set(number)
        result: list[Any] = []
        for i, size in enumerate(found["blocks"]):
            rows = min(found["block"], found["n"] - i * found["block"])
            block = f"k-{number}b{i}"
            result += json.loads(self.parts[block])["items"] if size else [None] * rows
        return result
