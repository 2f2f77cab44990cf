"""The plan of a run: chunks of paired items, which are parsed where they are measured."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from typing import Any, NamedTuple, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from karat.core.capabilities import PairsItself, has
from karat.core.files.memory import parquet_rows, unpacked_file
from karat.core.files.opener import Source, is_url
from karat.core.format import Format, HeldItems, Notices
from karat.core.metric import Metric
from karat.core.options import Mode, OnError
from karat.core.pairing.by_id import Matches
from karat.core.pairing.pairs import ParsedChunk, Report, make
from karat.core.pairing.sides import Sides, holds_gold
from karat.core.reading.items import Ints, Item, Pair, Refs, Rows
from karat.core.reading.raw import RawChunk, RawItems, raw_items
from karat.errors import OptionError, PairingError, Place

_T = TypeVar("_T")


class Shard(msgspec.Struct, frozen=True):
    """One of many files that are read as one."""

    first: int
    """The number of its first item."""
    path: str
    name: str
    state: Any
    """What was detected at its beginning and holds for all its items."""
    spooled: str = ""
    packed: bool = False


def scan_all(format: Format, sources: Sequence[Source]) -> tuple[Refs, tuple[Shard, ...]]:
    """The items of all files, numbered through; their places are those in their own files."""
    held, count = HeldItems(format), 0
    for number, source in enumerate(sources):
        format.continues, format.before = number > 0, count
        refs = format.scan(source)
        refs.number = refs.number + count
        if "blanks" in refs.extra and count and len(refs):
            # Where a file ends, there is a blank line as between other items.
            refs.extra["blanks"] = refs.extra["blanks"].copy()
            refs.extra["blanks"][0] += 1
        held.add(refs)
        count += len(refs)
    firsts = accumulate(map(len, held.found), initial=0)
    shards = tuple(
        Shard(first, source.path, source.name, refs.state, refs.spooled, refs.packed)
        for first, source, refs in zip(firsts, sources, held.found, strict=False)
    )
    # Files without items have no columns either.
    return Refs.joined([refs for refs in held.found if len(refs)] or held.found[:1]), shards


def by_shard(shards: Sequence[Shard], refs: Refs) -> Iterator[tuple[Shard, Ints, Refs]]:
    """The items of each file among some, and at which rows they are."""
    firsts = np.array([shard.first for shard in shards])
    # Of files without items, which begin at the same place as the next one, none has a row.
    which = np.searchsorted(firsts, refs.number, side="right") - 1
    for number in np.unique(which).tolist():
        shard, rows = shards[number], np.flatnonzero(which == number)
        part = refs.take(rows)
        part.state, part.spooled, part.packed = shard.state, shard.spooled, shard.packed
        yield shard, rows, part


class Parser(msgspec.Struct, frozen=True):
    """Parses items of one file, or of many; it can be sent to another process."""

    format: Format
    path: str
    name: str
    shards: tuple[Shard, ...] = ()
    """The files, where there are many."""

    def parsed(self, refs: Refs) -> list[Item]:
        """The items with their values."""
        if refs.items is not None:
            return refs.items if isinstance(refs.items, list) else list(refs.items)
        if self.shards:
            return self._of_each(refs, Parser.parsed)
        return self.format.parse(refs, self.data(refs), self.name)

    def data(self, refs: Refs) -> list[bytes]:
        """The bytes of items that are not parsed."""
        if refs.data is not None:
            return refs.data
        if self.shards:
            return self._of_each(refs, Parser.data)
        with self.unpacked(refs) as refs:
            if refs.data is not None:
                return refs.data
            path = refs.spooled or self.path
            return Source(path).read_spans(refs.begin.tolist(), refs.end.tolist())

    @contextmanager
    def unpacked(self, refs: Refs) -> Iterator[Refs]:
        """The items with bytes that this process can read, while the block lasts."""
        if not refs.packed or refs.data is not None:
            yield refs
            return
        if Source(self.path).is_parquet:
            data = parquet_rows(self.path, (refs.line - 1).tolist())
            yield msgspec.structs.replace(refs, data=data)
            return
        spool = unpacked_file(self.path)
        yield msgspec.structs.replace(refs, spooled=spool.path)
        del spool  # which had to last until now

    def raw(self, refs: Refs) -> RawItems | None:
        """The items as bytes; None where they had to be parsed to be found."""
        if self.shards and refs.items is None:
            parts = list(by_shard(self.shards, refs))
            if any(shard.state != parts[0][0].state for shard, _, _ in parts):
                return None  # what the beginnings of the files decide is not the same
            state = parts[0][0].state if parts else None
            refs = msgspec.structs.replace(refs, data=self.data(refs), state=state)
        with self.unpacked(refs) as refs:
            return raw_items(refs, self.format, self.path, self.name)

    def _of_each(self, refs: Refs, function: Callable[[Parser, Refs], list[_T]]) -> list[_T]:
        """Applies a function to the items of each file; results are in the order of the items."""
        found: list[Any] = [None] * len(refs)
        for shard, rows, part in by_shard(self.shards, refs):
            parser = Parser(self.format, shard.path, shard.name)
            for row, each in zip(rows.tolist(), function(parser, part), strict=True):
                found[row] = each
        return found

    def place(self, number: int, line: int, name: str) -> Place:
        """Where the item with a number is: in the last file that does not begin after it."""
        files = (shard.name for shard in reversed(self.shards) if shard.first <= number)
        return Place(next(files, self.name), line, item=name)

    def paths(self, refs: Refs) -> list[str]:
        """The files that the bytes of items are read from."""
        if refs.items is not None or refs.data is not None:
            return []
        if self.shards:
            return [shard.spooled or shard.path for shard, _, _ in by_shard(self.shards, refs)]
        return [refs.spooled or self.path]

    def absolute(self) -> Parser:
        """A copy with absolute paths, for workers that may run in another folder."""
        shards = tuple(
            msgspec.structs.replace(shard, path=_absolute(shard.path)) for shard in self.shards
        )
        path = self.path if shards else _absolute(self.path)
        return msgspec.structs.replace(self, path=path, shards=shards)


def _absolute(path: str) -> str:
    import os

    return path if is_url(path) else os.path.abspath(path)  # noqa: PTH100 - pathlib takes its time to load


class Chunk(msgspec.Struct):
    """Some items of all files, with everything that a worker needs to parse and pair them."""

    first: int
    """The place of the first gold item in the gold order."""
    system: Refs
    golds: list[Refs]
    present: npt.NDArray[np.bool_] | None = None
    """Which gold items have a system item; None: all. One after the other, they are its items."""
    index: Ints | None = None
    """The places of the gold items in the gold order, unless they follow the first one."""
    wanted: frozenset[int] | None = None
    """For a metric that pairs itself: the numbers of the selected gold items."""

    def parts(self) -> tuple[Chunk, Chunk]:
        """The gold items that have a system item, and those that have none."""
        assert self.present is not None
        assert self.index is not None
        there, missing = np.flatnonzero(self.present), np.flatnonzero(~self.present)
        return (
            Chunk(
                self.first, self.system, [g.take(there) for g in self.golds], None,
                self.index[there],
            ),
            Chunk(
                self.first, self.system.take(slice(0)), [g.take(missing) for g in self.golds],
                self.present[missing], self.index[missing],
            ),
        )  # fmt: skip


class Made(msgspec.Struct):
    """The pairs of a chunk, with warnings and notices."""

    pairs: list[Pair]
    report: Report
    noticed: list[Notices]
    """The notices of the system's file, and of each gold file."""


class Maker(msgspec.Struct, frozen=True):
    """Makes the pairs of chunks: parses both sides and leaves out invalid items."""

    metric: Metric[Any, Any]
    system: Parser
    golds: list[Parser]
    """None where the system's file holds its own gold."""
    on_error: OnError
    mode: Mode
    own_pairs: bool
    """Whether the metric pairs by itself."""

    def absolute(self) -> Maker:
        """A copy with absolute paths, for workers that may run in another folder."""
        golds = [parser.absolute() for parser in self.golds]
        return msgspec.structs.replace(self, system=self.system.absolute(), golds=golds)

    def raw(self, chunk: Chunk) -> RawChunk | None:
        """The bytes of both sides; None where items are missing, or there are no bytes."""
        if chunk.present is not None or not self.golds:
            return None
        system = self.system.raw(chunk.system)
        golds = [
            raw
            for parser, refs in zip(self.golds, chunk.golds, strict=True)
            if (raw := parser.raw(refs)) is not None
        ]
        if system is None or len(golds) < len(self.golds):
            return None
        return RawChunk(system, golds, self.mode)

    def raw_records(self, chunk: Chunk) -> RawChunk | None:
        """The bytes of records that hold their own gold; None where some are missing."""
        if chunk.present is not None or self.own_pairs or chunk.system.items is not None:
            return None
        if not np.array_equal(chunk.system.number, chunk.golds[0].number):
            return None
        system = self.system.raw(chunk.system)
        return None if system is None else RawChunk(system, [], self.mode)

    def make(self, chunk: Chunk) -> Made:
        """The pairs, in order; an error that ends the run is raised."""
        report = Report(self.on_error)
        sides = [
            parser.parsed(refs)
            for parser, refs in zip(self.golds or [self.system], chunk.golds, strict=True)
        ]
        if not self.golds:
            self._check_own_gold(sides[0])
        same = not self.golds and np.array_equal(chunk.system.number, chunk.golds[0].number)
        systems = sides[0] if same else self.system.parsed(chunk.system)
        noticed = [Notices() for _ in range(1 + len(sides))]
        for notices, items, refs in zip(
            noticed, (systems, *sides), (chunk.system, *chunk.golds), strict=True
        ):
            for item, number in zip(items, refs.number.tolist(), strict=True):
                if item.notices:
                    notices.add(item, number)
        if self.own_pairs:
            pairs = self._own(chunk, systems, sides, report)
        else:
            pairs = self._plain(chunk, systems, sides, report)
        return Made(pairs, report, noticed)

    def _plain(
        self, chunk: Chunk, systems: list[Item], sides: list[list[Item]], report: Report
    ) -> list[Pair]:
        assert chunk.index is not None
        numbers = zip(chunk.index.tolist(), chunk.golds[0].number.tolist(), strict=True)
        partners: Iterable[Item | None] = systems
        if chunk.present is not None:
            following = iter(systems)
            partners = [next(following) if there else None for there in chunk.present.tolist()]

        def where(item: Item, name: str) -> Place:
            parsers = (self.system, *(self.golds or [self.system]))
            files = zip(parsers, (chunk.system, *chunk.golds), (systems, *sides), strict=True)
            return next(
                parser.place(int(number), item.line, name)
                for parser, refs, items in files
                for number, each in zip(refs.number, items, strict=True)
                if each is item
            )

        found = []
        both = Sides(self.metric)
        for (index, number), system, *golds in zip(numbers, partners, *sides, strict=True):
            pair = make(both, index, number, system, golds, report, where)
            if pair is not None:
                found.append(pair)
        return found

    def _own(
        self, chunk: Chunk, systems: list[Item], sides: list[list[Item]], report: Report
    ) -> list[Pair]:
        assert has(self.metric, PairsItself)
        parsed = ParsedChunk(
            systems, sides, report, self.mode, chunk.first, self.system.path, chunk.wanted
        )
        return [pair for pair in self.metric.pair_items(parsed) if parsed.takes(pair.index)]

    def _check_own_gold(self, items: Sequence[Item]) -> None:
        """An item that holds no gold would be measured against itself."""
        for item in items:
            if item.error is None and not holds_gold(self.metric, item.value):
                raise no_gold(self.system.name, item.line, self.system.format)


class Span(NamedTuple):
    """The rows of a chunk."""

    first: int
    """The place of its first gold item in the gold order."""
    gold: Rows
    """Rows of gold, or of matches."""
    system: Rows = slice(0)
    wanted: frozenset[int] | None = None


class Plan:
    """All paired items of a run before anything is parsed, to be cut into chunks."""

    def __init__(self, system: Refs, golds: Sequence[Refs]) -> None:
        self.system = system
        self.golds = golds
        self.matches: Matches | None = None
        self.cuts: list[tuple[Rows, Rows]] = []
        self.wanted: frozenset[int] | None = None
        self.problem: PairingError | None = None
        """An error to raise when all chunks are done."""

    @property
    def gold(self) -> Refs:
        """The names of the gold items."""
        return self.golds[0]

    def files(self) -> list[Refs]:
        """The items of all files, the system's first."""
        return [self.system, *self.golds]

    def size(self) -> int:
        """How many pairs there are, unless some cannot be read."""
        if self.matches is not None:
            return len(self.matches.gold)
        return len(self.gold) if self.wanted is None else len(self.wanted)

    def places(self) -> list[int]:
        """The numbers of the gold items that are measured, unless they cannot be read."""
        if self.matches is not None:
            return self.matches.gold.tolist()  # type: ignore[no-any-return]
        return list(range(len(self.gold))) if self.wanted is None else sorted(self.wanted)

    def only(self, places: Collection[int]) -> Plan:
        """The plan of some of the gold items."""
        result = Plan(self.system, self.golds)
        if self.matches is None:
            result.cuts, result.wanted = self.cuts, frozenset(places)
        else:
            rows = np.flatnonzero(
                np.isin(self.matches.gold, np.fromiter(places, np.int64, len(places)))
            )
            result.matches = self.matches.take(rows)
        return result

    def spans(self, size: int) -> list[Span]:
        """The rows of all chunks, in gold order, with so many gold items each."""
        if self.matches is not None:
            return [
                Span(first, slice(first, first + size))
                for first in range(0, len(self.matches.gold), size)
            ]
        found = []
        for system, gold in self.cuts:
            numbers = self.gold.number[gold].tolist()
            wanted = None if self.wanted is None else self.wanted.intersection(numbers)
            if wanted is None or wanted:
                first = numbers[0] if numbers else len(self.gold)
                found.append(Span(first, gold, system, wanted))
        return found

    def chunk(self, span: Span) -> Chunk:
        """A chunk, to be parsed and measured."""
        if self.matches is None:
            golds = [_unnamed(refs, span.gold) for refs in self.golds]
            return Chunk(span.first, _unnamed(self.system, span.system), golds, wanted=span.wanted)
        found = self.matches.take(span.gold)
        gold, system = found.gold, found.system
        present = system >= 0
        whole = bool(present.all())
        return Chunk(
            span.first,
            _unnamed(self.system, system if whole else system[present]),
            [_unnamed(refs, gold) for refs in self.golds],
            None if whole else present,
            found.index,
        )


def _unnamed(refs: Refs, rows: Rows) -> Refs:
    """Some items without their names, which parsing finds again."""
    if not isinstance(rows, slice) and len(rows) and bool((np.diff(rows) == 1).all()):
        rows = slice(int(rows[0]), int(rows[-1]) + 1)  # which copies nothing
    bare = Refs(
        refs.number, refs.line, refs.begin, refs.end, None, None, {}, refs.items, refs.data,
        refs.extra, refs.state, refs.spooled, refs.packed,
    )  # fmt: skip
    return bare.take(rows)


def no_gold(file: str, line: int, format: Format) -> OptionError:
    """The error that an item has no gold."""
    field = ", or name the field that holds it with ``gold_field``"
    return OptionError(
        f"no gold is given, and {Place(file, line)} has none of its own",
        code="K338",
        advice="give the gold file with ``gold``" + field * ("gold_field" in format.options),
    )
