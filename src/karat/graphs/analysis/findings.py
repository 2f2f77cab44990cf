"""What validation finds: where, how bad, and what."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

Level: TypeAlias = Literal["error", "warning"]


class Finding(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing that is not as it should be."""

    check: str
    message: str
    graph: str = ""
    level: Level = "error"
    file: str = ""
    line: int = 0
    node: Any = None
    edge: tuple[Any, Any, Any] | None = None

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        parts = [f"graph {self.graph!r}"] if self.graph or self.check != "line" else []
        if self.node is not None:
            parts.append(f"node {self.node}")
        if self.edge is not None:
            source, target, label = self.edge
            parts.append(f"edge {source} -> {target} ({label})")
        where = ", ".join(parts)
        return f"{place}: {self.level} [{self.check}]: {where}{': ' if where else ''}{self.message}"
