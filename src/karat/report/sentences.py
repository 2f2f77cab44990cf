"""A row for each item, for a spreadsheet: what it is, all its scores, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import IO, Any

import msgspec
import numpy as np

from karat.core.evaluation import Evaluation
from karat.core.scores import leaves
from karat.core.writing import text_cell
from karat.report.explanations import Choice, pairs_again

_TOLD = ("system", "gold", "diagnosis")
"""The columns of an explanation that says in words what is wrong."""


def write(stream: IO[bytes], runs: Sequence[Evaluation], choice: Choice) -> None:
    """The chosen items of every run, tab-separated under a header for each run's columns."""
    header: list[str] = []
    for run in runs:
        named = [("run", run.system), ("metric", run.metric.name)] if len(runs) > 1 else []
        for row in _rows(run, choice):
            cells = dict(named) | row
            if list(cells) != header:
                header = list(cells)
                stream.write("\t".join(map(_cell, header)).encode() + b"\n")
            stream.write("\t".join(map(_cell, cells.values())).encode() + b"\n")


def _rows(run: Evaluation, choice: Choice) -> Iterator[dict[str, Any]]:
    chosen = choice.ids(run)
    place = {name: i for i, name in enumerate(run.ids)}
    scores = [(".".join(path), np.asarray(found)) for path, found in leaves(_scores(run))]
    for pair in pairs_again(run):
        if chosen is not None and pair.id not in chosen:
            continue
        i = place[pair.id]
        row: dict[str, Any] = {"id": pair.id}
        row |= {field: values[i] for field, values in run.groups.items() if field != "id"}
        row |= {name: values[i].item() for name, values in scores}
        told = run.metric.explain(pair.system, pair.gold)
        if "diagnosis" in told:
            # A form may be called as one of the scores is; what is told stands at the end.
            row |= {name: told.get(name, "") for name in _TOLD}
        else:
            row["explanation"] = msgspec.json.encode(told).decode()
        yield row


def _scores(run: Evaluation) -> Any:
    return run.metric.summarize(run.counts)


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
