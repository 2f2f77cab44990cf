"""From files to pairs: open, guess the format, read both sides, let them meet."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, tee
from typing import Any, TypeAlias, TypeVar

import msgspec

from karat.core import signature
from karat.core.files.opener import Source
from karat.core.format import Format, Notices
from karat.core.items import Item, Match, Pair
from karat.core.metric import Metric
from karat.core.options import declared
from karat.core.pairing import Mode, OnError, Report, make, match, own_pairs
from karat.core.registry import (
    FORMATS,
    format_class,
    guess_format,
    guess_kind,
    name_within,
    package_of,
)
from karat.core.runs.store import Input, Inputs
from karat.core.selection import Selection, split_options
from karat.errors import OptionError, PairingError, Place, did_you_mean

PathLike: TypeAlias = str | os.PathLike[str]
_T = TypeVar("_T")
_CHUNK = 256
_OPTIONS = {"system": "format", "gold": "gold_format"}  # that name the format of a file


class Stream:
    """The chosen items of one file; reading begins anew with each iteration.

    `options` are those of the format and of a `Selection`.
    """

    def __init__(
        self,
        path: PathLike,
        kinds: Sequence[str],
        role: str,
        format_name: str | None = None,
        options: Mapping[str, Any] | None = None,
        of_metric: Mapping[str, Any] | None = None,
    ) -> None:
        self.source = Source(path)
        self.role = role
        self.kinds = kinds
        selected, self._given = split_options(options or {})
        self.selection = Selection(**selected)
        self._of_metric = of_metric or {}
        if format_name:
            cls = format_class(name_within(kinds, format_name))
        elif len(kinds) == 1:
            cls = guess_format(kinds[0], self.source, _OPTIONS.get(role, "from"))
        else:
            cls = guess_kind(kinds, self.source, _OPTIONS.get(role, "from"))
        self._read_as(cls)
        if cls.other_options & self._given.keys():
            self.read_otherwise()

    def read_otherwise(self) -> None:
        """Reads the file into the other model that its format has, if the metric takes it."""
        if self.format.other_reading:
            other = format_class(self.format.other_reading)
            if other.kind in self.kinds:
                self._read_as(other)

    def _read_as(self, cls: type[Format]) -> None:
        kinds = self.kinds
        if cls.kind not in kinds:
            raise OptionError(
                f"the format {cls.name!r} holds items of the kind {cls.kind}, "
                f"expected {' or '.join(kinds)}",
                code="K319",
            )
        known = declared(cls).keys() - (cls.of_systems if self.role == "gold" else frozenset())
        # What metric and format both know, such as whose figures are wanted, both are told.
        shared = {
            name: value
            for name, value in self._of_metric.items()
            if name in known and value in declared(cls)[name].choices
        }
        given = {name: value for name, value in self._given.items() if name in known}
        self.options = {**shared, **given}
        self.format: Format = cls(**self.options)
        self.format.role = self.role
        self.noticed = Notices()
        self._begun = False

    def __iter__(self) -> Iterator[Item]:
        if self.source.is_pipe and self._begun:
            raise only_once(self.source.name)
        self._begun = True
        return map(self.format.changed, self.selection.choose(self.format.read(self.source)))

    def scan(self) -> Iterator[Item]:
        """The same items, where the format allows it not parsed yet: `parser` does that."""
        if not self.format.cuts:
            return iter(self)
        if self.source.is_pipe and self._begun:
            raise only_once(self.source.name)
        self._begun = True
        found = self.format.scan(self.source, keep=not self.source.is_plain)
        return self.selection.choose(found)

    def parser(self) -> Parser:
        """What parses the items that `scan` gives, here or elsewhere."""
        return Parser(self.format, self.source.path, self.source.name)

    def warnings(self) -> list[str]:
        """What the reader noticed, the file named."""
        found = [*self.format.warnings, *self.noticed.warnings(), *self.selection.warnings]
        if self.selection.outcome:
            found.append(self.selection.outcome)
        return [f"{self.source.name}: {warning}" for warning in found]

    def input(self, selection: Mapping[str, Any]) -> Input:
        """The record of this file in a saved run."""
        return Input(
            self.role,
            self.source.path,
            self.format.name,
            {**self.options, **selection},
            self.source.digest(),
            self.reading(selection),
        )

    def reading(self, selection: Mapping[str, Any]) -> str:
        """How the file is read, and what is selected, as signatures show it."""
        cls = type(self.format)
        package = package_of(FORMATS, cls)
        known = {**declared(cls), **declared(Selection)}
        shown = signature.reading(cls.name, known, {**self.options, **selection})
        return f"{shown}[{package}]" if package else shown


class Parser(msgspec.Struct, frozen=True):
    """Parses items of one file; it can be sent to another process."""

    format: Format
    path: str
    name: str

    def parsed(self, items: Sequence[Item]) -> list[Item]:
        """The items with their values."""
        scanned = [item for item in items if not item.is_parsed]
        if not scanned:
            return list(items)
        away = [item for item in scanned if item.data is None]
        spans = Source(self.path).read_spans([(item.begin, item.end) for item in away])
        read = iter(spans)
        data = [next(read) if item.data is None else item.data for item in scanned]
        made = iter(self.format.parse_many(scanned, data, self.name))
        return [item if item.is_parsed else next(made) for item in items]


class _Again:
    """The scanned items of a file, once more with each iteration."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream

    def __iter__(self) -> Iterator[Item]:
        return self.stream.scan()


class Made(msgspec.Struct):
    """Pairs of a chunk of matches, and what happened on the way."""

    pairs: list[Pair]
    report: Report
    noticed: list[Notices]
    """Of the system's file, and of each gold file."""


class Maker(msgspec.Struct, frozen=True):
    """Makes pairs of matches: parses both sides, and leaves out what cannot be read."""

    metric: Metric[Any, Any]
    system: Parser
    golds: list[Parser]
    on_error: OnError

    def make(self, matches: Sequence[Match]) -> Made:
        """The pairs, in order; what ends the run is raised."""
        report = Report(self.on_error)
        noticed = [Notices() for _ in (self.system, *self.golds)]
        sides = [
            self.golds[i].parsed([each.gold.value[i] for each in matches])
            for i in range(len(self.golds))
        ]
        present = [each.system for each in matches if each.system is not None]
        systems = iter(self.system.parsed(present))
        pairs = []
        for i, each in enumerate(matches):
            system = None if each.system is None else next(systems)
            golds = [side[i] for side in sides]
            for notices, item in zip(noticed, (system, *golds), strict=True):
                if item is not None:
                    notices.add(item)
            gold = msgspec.structs.replace(each.gold, value=golds)
            pair = make(self.metric, Match(each.index, system, gold), report)
            if pair is not None:
                pairs.append(pair)
        return Made(pairs, report, noticed)


def chunked(work: Iterable[_T], size: int) -> Iterator[list[_T] | PairingError]:
    """Lists of at most so many; an error of pairing comes last, after what came before it.

    An item that cannot be parsed may be why there is one too many or too few, so that what
    was matched until then is looked at first.
    """
    iterator = iter(work)
    problem: PairingError | None = None
    while problem is None:
        chunk: list[_T] = []
        try:
            chunk.extend(islice(iterator, size))
        except PairingError as error:
            problem = error
        if chunk:
            yield chunk
        elif problem is None:
            return
    yield problem


def only_once(name: str) -> OptionError:
    return OptionError(
        f"{name} can be read only once, and would have to be read again",
        code="K320",
        advice="write it to a file first",
    )


class FilePairs:
    """The pairs of a system file and its gold files.

    Without gold files the system file must hold its own gold: `Metric.holds_gold` says so.
    """

    def __init__(
        self,
        metric: Metric[Any, Any],
        system: PathLike,
        gold: Sequence[PathLike] = (),
        *,
        format: str | None = None,
        gold_format: str | None = None,
        format_options: Mapping[str, Any] | None = None,
        mode: Mode = "auto",
        report: Report | None = None,
    ) -> None:
        self.metric = metric
        self.mode: Mode = mode
        self.report = report or Report()
        self._pairing = Report(self.report.on_error)
        self._selected, format_options = split_options(format_options or {})
        self.selection = Selection(**self._selected)
        kinds = metric.readable_kinds()
        format, gold_format = format or metric.file_format, gold_format or metric.file_format
        own = metric.changed_options()
        self.system = Stream(system, kinds, "system", format, format_options, own)
        self.golds = [
            Stream(path, kinds, "gold", gold_format, format_options, own) for path in gold
        ]
        if len({stream.format.kind for stream in (self.system, *self.golds)}) > 1:
            # A text and a graph have nothing in common: both become graphs.
            for stream in (self.system, *self.golds):
                stream.read_otherwise()
        if sum(stream.source.is_stdin for stream in (self.system, *self.golds)) > 1:
            raise only_once("<stdin>")
        used = {name for stream in (self.system, *self.golds) for name in stream.options}
        for name in format_options:
            if name not in used:
                formats = sorted({stream.format.name for stream in (self.system, *self.golds)})
                raise OptionError(
                    f"the format {' and '.join(formats)} has no option {name!r}"
                    + did_you_mean(name, declared(type(self.system.format))),
                    code="K301",
                )

    def __iter__(self) -> Iterator[Pair]:
        own = self.own_pairs()
        if own is not None:
            yield from own
            return
        maker = self.maker()
        for chunk in chunked(self.matches(), _CHUNK):
            if isinstance(chunk, PairingError):
                raise chunk
            yield from self.take(maker.make(chunk))
        self.finish()

    def take(self, made: Made) -> list[Pair]:
        """The pairs of a chunk; what happened on the way is reported, chunk after chunk."""
        self.report.add(made.report)
        self.report.by_position = self._pairing.by_position
        try:
            self.report.check_order()
        except PairingError as error:
            error.place = Place(self.system.source.name)
            raise
        for stream, notices in zip((self.system, *self.golds), made.noticed, strict=False):
            stream.noticed.update(notices)
        return made.pairs

    def finish(self) -> None:
        """Called when all pairs were taken: what pairing itself has to say comes last."""
        self.report.add(self._pairing)
        self.report.finish()

    def own_pairs(self) -> Iterator[Pair] | None:
        """The pairs of a metric that pairs by itself, which needs the values for it."""
        systems: Iterable[Item] = self.system
        golds: Sequence[Iterable[Item]] = self.golds
        if not golds:
            systems, own = tee(self.items_with_gold())
            golds = [own]
        found = own_pairs(self.metric, systems, golds, self.report, self.mode, self.selection)
        return None if found is None else self._placed(found)

    def matches(self) -> Iterator[Match]:
        """What is to be paired, before it is parsed."""
        if self.golds:
            golds = [stream.scan() for stream in self.golds]
            found = match(
                self.metric, _Again(self.system), golds, self._pairing, self.mode, self.selection
            )
        else:
            systems, own = tee(self.items_with_gold())
            found = match(
                self.metric, systems, [own], self._pairing, self.mode, self.selection, self.system
            )
        return self._placed(found)

    def maker(self) -> Maker:
        """What makes pairs of matches."""
        parsers = [stream.parser() for stream in self.golds or (self.system,)]
        return Maker(self.metric, self.system.parser(), parsers, self.report.on_error)

    def _placed(self, found: Iterator[_T]) -> Iterator[_T]:
        """The same, and an error that is about a file names it."""
        try:
            yield from found
        except PairingError as error:
            if error.side and error.place is None:
                stream = self.golds[0] if error.side == "gold" and self.golds else self.system
                error.place = Place(stream.source.name)
            if error.code == "K204" and "system_field" in declared(type(self.system.format)):
                error.advice = error.advice or (
                    "where a file holds several systems, each record has its own references, and "
                    "``system_field`` names the field that tells the systems apart"
                )
            raise

    def items_with_gold(self) -> Iterator[Item]:
        """The system's items; one that holds no gold would be measured against itself."""
        for item in self.system:
            if item.error is None and not self.metric.holds_gold(item.value):
                place = Place(self.system.source.name, item.line)
                raise OptionError(
                    f"no gold is given, and {place} has none of its own",
                    code="K338",
                    advice="give the gold file with ``gold``",
                )
            yield item

    def reader_warnings(self) -> list[str]:
        """What the readers of the files noticed, each file named."""
        streams = (self.system, *self.golds)
        return [
            *self.selection.warnings,
            *(warning for stream in streams for warning in stream.warnings()),
        ]

    def reading(self) -> str:
        """How the files are read, as parts of a signature."""
        system = self.system.reading(self._selected)
        golds = [stream.reading(self._selected) for stream in self.golds]
        return signature.of_reading([system], golds, self.mode, self.report.on_error)

    def inputs(self) -> Inputs:
        """What a saved run keeps of its files."""
        files = tuple(stream.input(self._selected) for stream in (self.system, *self.golds))
        return Inputs(files, self.mode, self.report.on_error)
