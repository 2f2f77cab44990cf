"""What matched, what is missing, what is surplus: one JSON line per item, or one object."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import IO, Any, Protocol

import msgspec

from karat.core.capabilities import Profiles, has
from karat.core.files.writing import indented_json
from karat.core.metric import Explanation, Metric
from karat.core.runs.evaluation import Evaluation
from karat.engine.look import Choice, Seen, look
from karat.errors import OptionError, PairingError


class Sink(Protocol):
    """An output about items of one run."""

    @property
    def positions(self) -> Collection[int]:
        """The items it wants to see, by their positions in the run."""

    def take(self, seen: Seen) -> None:
        """Is called with each of them, in gold order."""


def has_profile(metric: Metric[Any, Any]) -> bool:
    """Whether a metric can tell which errors are the most frequent."""
    return has(metric, Profiles)


def look_through(run: Evaluation, sinks: Sequence[Sink], *, profile: bool = False) -> Explanation:
    """Shows every sink its items, in one pass; with `profile`, the profile of all items."""
    each = [(sink, frozenset(sink.positions)) for sink in sinks]

    def shown(seen: Seen) -> Seen:
        for sink, positions in each:
            if seen.position in positions:
                sink.take(seen)
        return seen

    if profile:
        if not has(run.metric, Profiles):
            raise OptionError(f"{run.metric.name} has no profile of its errors", code="K308")
        return run.metric.error_profile(
            shown(seen).explanation for seen in look(run, explained=True)
        )
    wanted = frozenset().union(*(positions for _, positions in each))
    for seen in look(run, wanted, explained=True):
        shown(seen)
    return {}


def write_profile(stream: IO[bytes], profile: Explanation) -> None:
    """The most frequent errors of a run."""
    stream.write(indented_json(profile))


class Lines:
    """The explanation of every chosen pair, a JSON line each."""

    def __init__(
        self, stream: IO[bytes], run: Evaluation, choice: Choice, *, several: bool = False
    ) -> None:
        self.positions = choice.positions(run)
        self.stream = stream
        self.names = run.names()
        self.run = {"system": run.system, "metric": run.metric.name} if several else {}

    def take(self, seen: Seen) -> None:
        name = self.names[seen.position]
        front = {**name, **self.run}
        if seen.explanation.keys().isdisjoint(front):
            head = msgspec.json.encode(front)
            rest = seen.encoded
            self.stream.write(head[:-1] + b"," + rest[1:] if len(rest) > 2 else head)
        else:
            # What tells items apart is never hidden by a part of the explanation.
            self.stream.write(msgspec.json.encode({**front, **seen.explanation, **name}))
        self.stream.write(b"\n")


class Indexed:
    """The same of one run as one object: by framework, where items have such, and id."""

    def __init__(self, run: Evaluation, choice: Choice) -> None:
        self.positions = choice.positions(run)
        self.index: dict[str, Any] = {}

    def take(self, seen: Seen) -> None:
        pair, explanation = seen.pair, dict(seen.explanation)
        inner = self.index
        if "framework" in explanation or "framework" in pair.fields:
            framework = explanation.pop("framework", None) or pair.fields.get("framework")
            inner = self.index.setdefault(framework or "none", {})
        if pair.id in inner:
            raise PairingError(
                f"two items have the id {pair.id!r}, by which one object would tell them apart",
                code="K215",
                advice="write a line for each item: --errors FILE.jsonl",
            )
        inner[pair.id] = explanation

    def write(self, stream: IO[bytes]) -> None:
        """Writes the object, when all items were seen."""
        stream.write(msgspec.json.encode(self.index) + b"\n")
