"""Files about the items of a run: what matched, what is missing, what is surplus."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import IO, Any, Protocol

import msgspec
import numpy as np

from karat._native import FrequentErrors, holding, number_rows
from karat.core.capabilities import Profiles, ProfilesJson, WantedOutputs, has
from karat.core.files.writing import text_cell
from karat.core.frequent_errors import MOST, frequent_errors, limited
from karat.core.metric import Explanation
from karat.core.reading.strings import decoded_as
from karat.core.runs.evaluation import Evaluation
from karat.core.scores import Array, leaves
from karat.engine.look import Batch, Choice, RunItem, look_in_batches
from karat.errors import OptionError, PairingError

_IN_WORDS = ("system", "gold", "diagnosis")
"""The columns of an explanation that says in words what is wrong."""


_TOGETHER = 256
"""So many parts of lines are written at once: they are still in the processor's cache."""


class ItemSink(Protocol):
    """An output about items of one run."""

    @property
    def positions(self) -> Collection[int]:
        """The items it wants to see, by their positions in the run."""

    @property
    def shows(self) -> bool:
        """Whether it needs items as the page shows them, not explanations."""

    def take(self, batch: Batch) -> None:
        """Is called with items in gold order, some at a time; those of others are passed over."""


def look_through(
    run: Evaluation, sinks: Sequence[ItemSink], *, profile: bool = False, most: int = MOST
) -> Explanation:
    """Passes the items to all sinks, in one pass; with `profile`, returns the error profile.

    That has at most so many errors of a kind, or all for 0; see `limited`.
    """
    if profile:
        errors = FrequentErrors()
        batches = _passed(run, sinks, None, explanations=True, errors=errors)
        if has(run.metric, ProfilesJson):
            encoded = (batch.encoded for batch in batches)
            return limited(run.metric.profile_of_json(encoded), most)
        if has(run.metric, Profiles):
            explanations = (item.explanation for batch in batches for item in batch)
            return limited(run.metric.error_profile(explanations), most)
        told = ((batch.encoded, batch.is_counted) for batch in batches)
        found = frequent_errors(([] if counted else some for some, counted in told), most, errors)
        if found is None:
            raise OptionError(
                f"{run.metric.name} has no profile of its errors: its explanations list none",
                code="K308",
            )
        return found
    wanted = frozenset().union(*(sink.positions for sink in sinks))
    for _ in _passed(run, sinks, wanted):
        pass
    return {}


def _passed(
    run: Evaluation,
    sinks: Sequence[ItemSink],
    chosen: Collection[int] | None,
    explanations: bool = False,
    errors: FrequentErrors | None = None,
) -> Iterator[Batch]:
    """The chosen items, passed to all sinks; with `explanations`, these are used afterwards."""
    shows = [sink.shows for sink in sinks]
    outputs = WantedOutputs(explanations or not all(shows), any(shows), errors)
    for batch in look_in_batches(run, chosen, explained=True, outputs=outputs):
        for sink in sinks:
            sink.take(batch)
        yield batch


class _SomeItems(ABC):
    """Base class of sinks that take the chosen items of a run."""

    shows = False

    def __init__(self, run: Evaluation, choice: Choice) -> None:
        self.positions: Collection[int] = choice.positions(run)
        self._wanted = None if len(self.positions) == len(run) else frozenset(self.positions)

    def take(self, batch: Batch) -> None:
        """Takes some items."""
        wanted = self._wanted
        chosen = [i for i, at in enumerate(batch.positions) if wanted is None or at in wanted]
        if chosen:
            self.take_chosen(batch, chosen)

    @abstractmethod
    def take_chosen(self, batch: Batch, chosen: Sequence[int]) -> None:
        """The items at these places of a batch."""


class Lines(_SomeItems):
    """The explanation of every chosen pair, a JSON line each."""

    def __init__(
        self,
        stream: IO[bytes],
        run: Evaluation,
        choice: Choice,
        named: Mapping[str, str] | None = None,
    ) -> None:
        """All lines have what the run is `named`, where there are several."""
        super().__init__(run, choice)
        self.stream = stream
        self.names = run.names()
        self.run = named or {}
        self._keys = list(dict.fromkeys(key for name in (*self.names, self.run) for key in name))

    def take_chosen(self, batch: Batch, chosen: Sequence[int]) -> None:
        explained = [batch.encoded[i] for i in chosen]
        names = [self.names[batch.positions[i]] for i in chosen]
        fronts = [{**name, **self.run} for name in names] if self.run else names
        lines: list[bytes | memoryview] = []
        for i, name, front, encoded, own, is_hiding in zip(
            chosen, names, fronts, _encoded_each(fronts), explained,
            _hold_members(explained, self._keys), strict=True,
        ):  # fmt: skip
            if is_hiding and any(_has_member(own, key) for key in front):
                # What tells items apart is never hidden by a part of the explanation.
                whole = {**front, **batch.items[i].explanation, **name}
                lines += (msgspec.json.encode(whole), b"\n")
            elif len(own) > 2:
                lines += (encoded[:-1], b",", memoryview(own)[1:], b"\n")
            else:
                lines += (encoded, b"\n")
            if len(lines) > _TOGETHER:
                self.stream.write(b"".join(lines))
                lines.clear()
        self.stream.write(b"".join(lines))


class Indexed(_SomeItems):
    """The same of one run as one object: by framework, where items have such, and id."""

    def __init__(self, run: Evaluation, choice: Choice) -> None:
        super().__init__(run, choice)
        self.index: dict[str, Any] = {}

    def take_chosen(self, batch: Batch, chosen: Sequence[int]) -> None:
        for i in chosen:
            self._take(batch.items[i])

    def _take(self, item: RunItem) -> None:
        pair, explanation = item.pair, dict(item.explanation)
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


class Rows(_SomeItems):
    """The chosen items of a run, tab-separated, each under a header of its columns.

    A header is written where it differs from that of the row before, also of another run's.
    """

    def __init__(
        self,
        stream: IO[bytes],
        run: Evaluation,
        choice: Choice,
        named: Mapping[str, str] | None = None,
        *,
        before: Rows | None = None,
    ) -> None:
        super().__init__(run, choice)
        self.stream = stream
        places = list(self.positions)
        texts = {name: [_cell(value)] * len(places) for name, value in (named or {}).items()}
        texts["id"] = [_cell(run.ids[i]) for i in places]
        for field, values in run.groups.items():
            if field != "id":
                texts[field] = [_cell(values[i]) for i in places]
        scores: dict[str, Array] = {}
        for path, found in leaves(run.metric.summarize(run.counts)):
            name, numbers = ".".join(path), np.asarray(found)
            if name in texts:
                texts[name] = [_cell(each) for each in numbers[places].tolist()]
            else:
                scores[name] = numbers
        self.texts = list(zip(*texts.values(), strict=True))
        """The cells before the scores, of all chosen items."""
        self.scores = scores
        """The scores of all items; explanations follow them."""
        self.names = [*texts, *scores]
        self._place = {position: row for row, position in enumerate(places)}
        self.header: list[str] = before.header if before else []

    def take_chosen(self, batch: Batch, chosen: Sequence[int]) -> None:
        lines: list[bytes] = []
        positions = [batch.positions[i] for i in chosen]
        texts = [self.texts[self._place[position]] for position in positions]
        known = ["\t".join(cells).encode() for cells in texts]
        if self.scores:
            scores = self._number_rows(positions)
            known = [b"%b\t%b" % each for each in zip(known, scores, strict=True)]
        explained = [batch.encoded[i] for i in chosen]
        diagnosed = _hold_members(explained, ["diagnosis"])
        names = [*self.names, "explanation"]
        for own, encoded, is_diagnosed in zip(known, explained, diagnosed, strict=True):
            found = decoded_as(_decode_words, encoded) if is_diagnosed else None
            if found is not None and found.diagnosis is not msgspec.UNSET:
                # Its columns stand at the end, unless another has the name.
                words = {name: _cell(getattr(found, name)) for name in _IN_WORDS}
                if words.keys().isdisjoint(self.names):
                    self._head([*self.names, *words], lines)
                    lines += (own, b"\t", "\t".join(words.values()).encode(), b"\n")
                else:
                    row = dict(zip(self.names, own.decode().split("\t"), strict=True)) | words
                    self._head(list(row), lines)
                    lines += ("\t".join(row.values()).encode(), b"\n")
            else:
                self._head(names, lines)
                # JSON has neither tabs nor line ends, and begins with a brace.
                lines += (own, b"\t", encoded.replace(b"\\", b"\\\\"), b"\n")
            if len(lines) > _TOGETHER:
                self.stream.write(b"".join(lines))
                lines.clear()
        self.stream.write(b"".join(lines))

    def _number_rows(self, positions: Sequence[int]) -> list[bytes]:
        return number_rows(self._table[positions])

    @cached_property
    def _table(self) -> Array:
        return np.stack(list(self.scores.values()), axis=1).astype(float)

    def _head(self, names: list[str], lines: list[bytes]) -> None:
        if names != self.header:
            self.header[:] = names
            lines.append("\t".join(map(_cell, names)).encode() + b"\n")


_encoder = msgspec.json.Encoder()
_members = msgspec.json.Decoder(dict[str, msgspec.Raw])


class _InWords(msgspec.Struct):
    """The parts of an explanation that are shown as columns."""

    system: Any = ""
    gold: Any = ""
    diagnosis: Any = msgspec.UNSET


_decode_words = msgspec.json.Decoder(_InWords)


def _encoded_each(values: Sequence[Any]) -> list[bytes]:
    """Each value as JSON."""
    return _encoder.encode_lines(values).splitlines()


def _hold_members(encoded: list[bytes], names: Iterable[str]) -> list[bool]:
    """For each JSON object whether it may have a member of one of the names."""
    return holding(encoded, [msgspec.json.encode(name) + b":" for name in names])


def _has_member(encoded: bytes, name: str) -> bool:
    """Whether a JSON object has a member of this name itself, not in one of its parts."""
    return msgspec.json.encode(name) + b":" in encoded and name in _members.decode(encoded)


def _cell(value: Any) -> str:
    if isinstance(value, str) and value.isprintable() and "\\" not in value:
        return text_cell(value)
    return _plain(value) if isinstance(value, float) else text_cell(_plain(value))


def _plain(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return "; ".join(map(_plain, value))
    if isinstance(value, float):
        if np.isnan(value):
            return ""
        return str(int(value)) if value.is_integer() else repr(value)
    return str(value).replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")
