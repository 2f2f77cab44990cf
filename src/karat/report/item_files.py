"""Files about the items of a run: what matched, what is missing, what is surplus."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from typing import IO, Any, Protocol

import msgspec
import numpy as np

from karat.core.capabilities import Profiles, has
from karat.core.files.writing import text_cell
from karat.core.frequent_errors import frequent_errors
from karat.core.metric import Explanation, Metric
from karat.core.runs.evaluation import Evaluation
from karat.core.scores import Array, leaves
from karat.engine.look import Batch, Choice, Seen, look_in_batches
from karat.errors import OptionError, PairingError

_TOLD = ("system", "gold", "diagnosis")
"""The columns of an explanation that says in words what is wrong."""


class ItemSink(Protocol):
    """An output about items of one run."""

    @property
    def positions(self) -> Collection[int]:
        """The items it wants to see, by their positions in the run."""

    def take(self, batch: Batch) -> None:
        """Is called with items in gold order, some at a time; those of others are passed over."""


def has_profile(metric: Metric[Any, Any]) -> bool:
    """Whether a metric can tell which errors are the most frequent."""
    return has(metric, Profiles)


def look_through(
    run: Evaluation, sinks: Sequence[ItemSink], *, profile: bool = False
) -> Explanation:
    """Shows every sink its items, in one pass; with `profile`, the profile of all items."""
    if profile:
        explanations = (seen.explanation for batch in _shown(run, sinks, None) for seen in batch)
        if has(run.metric, Profiles):
            return run.metric.error_profile(explanations)
        found = frequent_errors(explanations)
        if found is None:
            raise OptionError(
                f"{run.metric.name} has no profile of its errors: its explanations list none",
                code="K308",
            )
        return found
    wanted = frozenset().union(*(sink.positions for sink in sinks))
    for _ in _shown(run, sinks, wanted):
        pass
    return {}


def _shown(
    run: Evaluation, sinks: Sequence[ItemSink], chosen: Collection[int] | None
) -> Iterator[Batch]:
    """The chosen items, when all sinks have seen them."""
    for batch in look_in_batches(run, chosen, explained=True):
        for sink in sinks:
            sink.take(batch)
        yield batch


class _EachItem(ABC):
    """Base class of sinks that take one item after the other."""

    def __init__(self, run: Evaluation, choice: Choice) -> None:
        self.positions: Collection[int] = choice.positions(run)
        self._wanted = None if len(self.positions) == len(run) else frozenset(self.positions)

    def take(self, batch: Batch) -> None:
        for seen in batch:
            if self._wanted is None or seen.position in self._wanted:
                self.take_one(seen)

    @abstractmethod
    def take_one(self, seen: Seen) -> None:
        """One item that was chosen."""


class Lines(_EachItem):
    """The explanation of every chosen pair, a JSON line each."""

    def __init__(
        self, stream: IO[bytes], run: Evaluation, choice: Choice, *, several: bool = False
    ) -> None:
        super().__init__(run, choice)
        self.stream = stream
        self.names = run.names()
        self.run = {"system": run.system, "metric": run.metric.name} if several else {}

    def take_one(self, seen: Seen) -> None:
        name = self.names[seen.position]
        front = {**name, **self.run}
        if front.keys().isdisjoint(seen.parts):
            head = msgspec.json.encode(front)
            rest = seen.encoded
            self.stream.write(head[:-1] + b"," + rest[1:] if len(rest) > 2 else head)
        else:
            # What tells items apart is never hidden by a part of the explanation.
            self.stream.write(msgspec.json.encode({**front, **seen.explanation, **name}))
        self.stream.write(b"\n")


class Indexed(_EachItem):
    """The same of one run as one object: by framework, where items have such, and id."""

    def __init__(self, run: Evaluation, choice: Choice) -> None:
        super().__init__(run, choice)
        self.index: dict[str, Any] = {}

    def take_one(self, seen: Seen) -> None:
        pair, explanation = seen.pair, dict(seen.explanation)
        inner = self.index
        if "framework" in explanation or "framework" in pair.fields:
            framework = explanation.pop("framework", None) or pair.fields.get("framework")
            inner = self.index.setdefault(framework or "none", {})
        if pair.id in inner:
            raise PairingError(
                f"two items have the id {pair.id!r}, by which one object would tell them apart",
                code="K215",
                advice="write a line for each item: ``errors='FILE.jsonl'``",
            )
        inner[pair.id] = explanation

    def write(self, stream: IO[bytes]) -> None:
        """Writes the object, when all items were seen."""
        stream.write(msgspec.json.encode(self.index) + b"\n")


class Rows(_EachItem):
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
        super().__init__(run, choice)
        self.stream = stream
        self.run = run
        named = {"run": run.system, "metric": run.metric.name} if several else {}
        self.named = {name: _cell(value) for name, value in named.items()}
        found = list(leaves(run.metric.summarize(run.counts)))
        self.score_names = [".".join(path) for path, _ in found]
        scores = [_cells(np.asarray(values)[list(self.positions)]) for _, values in found]
        self.scores = dict(zip(self.positions, zip(*scores, strict=True), strict=True))
        """The cells with the scores of each chosen item."""
        self.header: list[str] = before.header if before else []

    def take_one(self, seen: Seen) -> None:
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
        if "diagnosis" in seen.parts:
            # A form may be called as one of the scores is; what is told stands at the end.
            told = seen.explanation
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
