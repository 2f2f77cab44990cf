"""A row for each item, for a spreadsheet: what it is, all its scores, and what is wrong with it."""

from __future__ import annotations

from typing import IO, Any

import numpy as np

from karat.core.files.writing import text_cell
from karat.core.runs.evaluation import Evaluation
from karat.core.scores import Array, leaves
from karat.engine.look import Choice, Seen

_TOLD = ("system", "gold", "diagnosis")
"""The columns of an explanation that says in words what is wrong."""


class Rows:
    """The chosen items of a run, tab-separated, each under a header of its columns.

    A header is written where it differs from that of the row before, also of another run's.
    """

    def __init__(
        self,
        stream: IO[bytes],
        run: Evaluation,
        choice: Choice,
        *,
        several: bool = False,
        before: Rows | None = None,
    ) -> None:
        self.positions = choice.positions(run)
        self.stream = stream
        self.run = run
        named = {"run": run.system, "metric": run.metric.name} if several else {}
        self.named = {name: _cell(value) for name, value in named.items()}
        found = list(leaves(run.metric.summarize(run.counts)))
        self.score_names = [".".join(path) for path, _ in found]
        scores = [_cells(np.asarray(values)[self.positions]) for _, values in found]
        self.scores = dict(zip(self.positions, zip(*scores, strict=True), strict=True))
        """The cells with the scores of each chosen item."""
        self.header: list[str] = before.header if before else []

    def take(self, seen: Seen) -> None:
        cells = {**self.named, **self._row(seen)}
        if list(cells) != self.header:
            self.header[:] = cells
            self.stream.write("\t".join(map(_cell, self.header)).encode() + b"\n")
        self.stream.write("\t".join(cells.values()).encode() + b"\n")

    def _row(self, seen: Seen) -> dict[str, str]:
        i = seen.position
        row = {"id": _cell(self.run.ids[i])}
        for field, values in self.run.groups.items():
            if field != "id":
                row[field] = _cell(values[i])
        row.update(zip(self.score_names, self.scores[i], strict=True))
        told = seen.explanation
        if "diagnosis" in told:
            # A form may be called as one of the scores is; what is told stands at the end.
            return row | {name: _cell(told.get(name, "")) for name in _TOLD}
        return row | {"explanation": _cell(seen.encoded.decode())}


def _cells(values: Array) -> list[str]:
    """A column of numbers as they are written."""
    if values.dtype.kind != "f":
        return [_cell(value) for value in values.tolist()]
    return [
        "" if value != value else str(int(value)) if value.is_integer() else repr(value)
        for value in values.tolist()
    ]


def _cell(value: Any) -> str:
    return _plain(value) if isinstance(value, float) else text_cell(_plain(value))


def _plain(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return "; ".join(map(_plain, value))
    if isinstance(value, float):
        if np.isnan(value):
            return ""
        return str(int(value)) if value.is_integer() else repr(value)
    return str(value).replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")
