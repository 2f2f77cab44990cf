"""Streams: opens files, detects formats, scans both sides and pairs them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from karat import cores
from karat.core import signature
from karat.core.capabilities import CompletedByFile, FillsGaps, PairsItself, ReadsOneFormat, has
from karat.core.files.notations import DoubledKeys
from karat.core.files.opener import Source
from karat.core.files.shards import Shards, files_in, one_or_many, source_of
from karat.core.format import Format, Notices
from karat.core.metric import Metric
from karat.core.options import MODES, Mode, declared
from karat.core.pairing.pairs import Report, gold_of_samples, match, samples_of
from karat.core.pairing.sides import holds_gold, readable_kinds
from karat.core.pairing.systems import BySystem, by_system, of_systems
from karat.core.plugins import FORMATS, package_of
from karat.core.reading.items import Item, Pair, Refs
from karat.core.reading.plan import Made, Maker, Parser, Plan, Shard, no_gold, scan_all
from karat.core.reading.selection import Selection, split_options
from karat.core.registry import (
    check_kind,
    format_class,
    guess_format,
    guess_kind,
    name_within,
    suited,
    with_option,
)
from karat.core.runs.store import Input, Inputs
from karat.errors import OptionError, PairingError, Place, RunError, check_choice, did_you_mean

if TYPE_CHECKING:
    from karat.core.reading.doors import Role
    from karat.core.reading.memory import Memory, MemoryStream

PathLike: TypeAlias = str | os.PathLike[str]
_CHUNK = 256
_LARGE = 1 << 20
_OPTIONS = {"system": "format", "gold": "gold_format"}  # that name the format of a file


class Stream:
    """The chosen items of one file; each iteration reads the file again.

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
        self.source = source_of(path)
        self.role = role
        self.kinds = kinds
        selected, self._given = split_options(options or {})
        self.selection = Selection(**selected)
        self._of_metric = of_metric or {}
        self.is_guessed = not format_name
        """Whether the format was found by looking at the file."""
        if format_name:
            cls = format_class(name_within(kinds, format_name))
            if self.source.is_folder and not cls.folders:
                self.source = files_in(self.source)
        else:
            self.source = one_or_many(self.source)
            first = self.source.first
            if len(kinds) == 1:
                cls = guess_format(kinds[0], first, _OPTIONS.get(role, "from"))
            else:
                cls = guess_kind(kinds, first, _OPTIONS.get(role, "from"))
            cls = suited(cls, first, role, self._given.keys())
        self._read_as(cls)
        if cls.other_options & self._given.keys():
            self.read_otherwise()

    @property
    def kind(self) -> str:
        """The kind of its items."""
        return self.format.kind

    def read_otherwise(self) -> None:
        """Reads the file into the other model that its format has, if the metric takes it."""
        if self.format.other_reading:
            other = format_class(self.format.other_reading)
            if other.kind in self.kinds:
                self._read_as(other)

    def _read_as(self, cls: type[Format]) -> None:
        check_kind(cls, self.kinds)
        known = declared(cls).keys() - (cls.of_systems if self.role == "gold" else frozenset())
        # An option of the metric that the format has too, such as a profile, is set in both.
        shared = {
            name: value
            for name, value in self._of_metric.items()
            if name in known and value in declared(cls)[name].choices
        }
        given = {name: value for name, value in self._given.items() if name in known}
        self.options = {**shared, **given}
        self.format: Format = cls(**self.options)
        self.format.role = self.role
        self.noticed = Notices(cls.noun)
        self._begun = False
        self._shards: tuple[Shard, ...] = ()
        for part in self._parts():
            part.keys = DoubledKeys(deep=cls.json_keys == "all") if cls.json_keys else None

    def __iter__(self) -> Iterator[Item]:
        if self.source.is_pipe and self._begun:
            raise only_once(self.source.name)
        self._begun = True
        return map(self.format.changed, self.selection.choose(self._read()))

    def _read(self) -> Iterator[Item]:
        before = 0
        for number, part in enumerate(self._parts()):
            self.format.continues, self.format.before = number > 0, before
            for item in self.format.read(part):
                before += 1
                yield item

    def _parts(self) -> list[Source]:
        """The files, of which there may be many."""
        return self.source.parts if isinstance(self.source, Shards) else [self.source]

    def scan(self) -> Refs:
        """The items of the file, where the format allows it not parsed yet: `parser` does that."""
        if not self.format.cuts:
            return Refs.of_items(list(self))
        if self.source.is_pipe and self._begun:
            raise only_once(self.source.name)
        self._begun = True
        if not isinstance(self.source, Shards):
            return self.format.scan(self.source)
        refs, self._shards = scan_all(self.format, self.source.parts)
        return refs

    def systems_of(self, refs: Refs) -> list[str] | None:
        """The system that made each item, where a field of the file tells."""
        field = self.format.systems_in
        if not field or refs.fields is None:
            return None
        return [fields.get(field, "") for fields in refs.fields]

    def parser(self) -> Parser:
        """The parser of scanned items; it can be sent to workers."""
        return Parser(self.format, self.source.path, self.source.name, self._shards)

    def warnings(self) -> list[str]:
        """The warnings of the reader, with the name of the file."""
        found = [*self.format.warnings, *self.noticed.warnings(), *self.selection.warnings]
        if self.selection.outcome:
            found.append(self.selection.outcome)
        for part in self._parts():
            told = part.keys.warnings() if part.keys is not None else []
            found += told if part is self.source else [f"{each} of {part.name}" for each in told]
        return [f"{self.source.name}: {warning}" for warning in found]

    def input(self, selection: Mapping[str, Any]) -> Input:
        """The record of this file in a saved run."""
        return Input(
            self.role,
            self.source.name if self.source.is_remote else self.source.path,
            self.format.name,
            {**self.options, **selection},
            self.source.digest(),
            self.reading(selection),
        )

    def reading(self, selection: Mapping[str, Any]) -> str:
        """How the file is read, and what is selected, as signatures show it."""
        cls = type(self.format)
        package = package_of(FORMATS, cls, cls.name)
        known = {**declared(cls), **declared(Selection)}
        shown = signature.reading(cls.name, known, {**self.options, **selection})
        return f"{shown}[{package}]" if package else shown


def _scan_and_digest(stream: Stream | MemoryStream) -> Refs:
    refs = stream.scan()
    stream.source.digest()  # which the source keeps
    return refs


def _formats_of(named: str | Sequence[str] | None, files: int) -> list[str | None]:
    """The format of each gold file: one for all of them, or one each."""
    if named is None or isinstance(named, str):
        return [named] * files
    if len(named) != files:
        raise OptionError(f"there are {files} gold files, and {len(named)} formats", code="K302")
    return list(named)


def only_once(name: str) -> OptionError:
    return OptionError(
        f"{name} can be read only once, and would have to be read again",
        code="K320",
        advice="write it to a file first",
    )


class FilePairs:
    """The pairs of a system file and its gold files; any of them may be in memory instead.

    Without gold files the system file must hold its own gold: `holds_gold` says so.
    """

    def __init__(
        self,
        metric: Metric[Any, Any],
        system: PathLike | Memory,
        gold: Sequence[PathLike | Memory] = (),
        *,
        format: str | None = None,
        gold_format: str | Sequence[str] | None = None,
        format_options: Mapping[str, Any] | None = None,
        mode: Mode = "auto",
        report: Report | None = None,
    ) -> None:
        check_choice("``pair``", mode, MODES)
        self.metric = metric
        self.mode: Mode = mode
        self.report = report or Report()
        self._pairing = Report(self.report.on_error)
        self.systems: Sequence[str] = ()
        """The system of each gold item of the plan, where one file holds several systems."""
        self._selected, format_options = split_options(format_options or {})
        self.selection = Selection(**self._selected)
        kinds = readable_kinds(type(metric))
        only = metric.file_format if has(metric, ReadsOneFormat) else None
        own = metric.changed_options()

        def opened(given: PathLike | Memory, role: Role, name: str | None) -> Stream | MemoryStream:
            if isinstance(given, (str, os.PathLike, list, tuple)):  # a file, or its parts
                return Stream(given, kinds, role, name, format_options, own)
            from karat.core.reading.memory import MemoryStream

            return MemoryStream(given, metric, kinds, role, name, format_options)

        self.system = opened(system, "system", format or only)
        self.golds = [
            opened(each, "gold", name or only)
            for each, name in zip(gold, _formats_of(gold_format, len(gold)), strict=True)
        ]
        if self.system.kind == "scores" and any(isinstance(each, Stream) for each in self.golds):
            raise OptionError(
                f"{metric.name} takes no gold: its items are scores already",
                code="K309",
                advice="leave out ``gold``; karat compare compares two files, as two systems",
            )
        if len({stream.kind for stream in (self.system, *self.golds)}) > 1:
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
                    advice=f"formats that have it: {', '.join(others)}; name one with ``format``"
                    if (others := with_option(kinds, name))
                    else "",
                )

    def __iter__(self) -> Iterator[Pair]:
        return self.pairs(self.plan(_CHUNK))

    def pairs(self, plan: Plan) -> Iterator[Pair]:
        """The pairs of a plan, chunk by chunk."""
        maker = self.maker()
        for span in plan.spans(_CHUNK):
            yield from self.take(maker.make(plan.chunk(span)))
        self.finish(plan)

    @property
    def paired_by_position(self) -> bool:
        """Whether items are paired by their order, once there is a plan."""
        return self._pairing.by_position

    def take(self, made: Made) -> list[Pair]:
        """The pairs of a chunk; its warnings are added to the report."""
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

    def finish(self, plan: Plan) -> None:
        """Called after the last chunk: adds the warnings of pairing, or raises its error."""
        if plan.problem is not None:
            raise plan.problem
        self.report.add(self._pairing)
        self.report.finish()

    def pairs_itself(self) -> bool:
        """Whether the metric pairs by itself."""
        return has(self.metric, PairsItself) and self.metric.pairs_itself(
            self.mode, max(1, len(self.golds))
        )

    def plan(self, size: int, threads: int = 1, *, digests: bool = False) -> Plan:
        """The items of the files, paired, before they are parsed, to be measured in chunks.

        `size` is that of the chunks of a metric that pairs by itself. With several `threads`
        large files are scanned at the same time, and their digests made. `digests` says that
        these are wanted: where it can be, they are made of the bytes that are scanned.
        """
        own, mode = self.pairs_itself(), self.mode
        streams = [*self.golds, self.system]
        for source in self.sources() if digests else ():
            for part in source.parts if isinstance(source, Shards) else [source]:
                part.is_digested = True
        if threads > 1 and self._are_large():
            *golds, system = cores.together(
                [partial(_scan_and_digest, stream) for stream in streams], threads
            )
        else:
            *golds, system = [stream.scan() for stream in streams]
        if has(self.metric, CompletedByFile):
            values = [item.value for item in system.items or () if item.error is None]
            self.metric = self.metric.completed(values, self._pairing)
        chosen, selection = system, self.selection
        if self.mode == "samples":
            try:
                names = self.system.systems_of(system) if golds else None
                system = samples_of(of_systems(system, names or ()))
                self._check_one_file("samples of one input")
                golds = gold_of_samples(system, golds) if golds else []
                if golds and names and len(set(names)) > 1:
                    self.systems = [str(key and key[1]) for key in golds[0].keys or ()]
                chosen = system
            except PairingError as error:
                raise self._placed(error) from None
        elif golds and not own and (names := self.system.systems_of(system)) is not None:
            found = self._by_system(system, names, golds)
            if found is not None:
                system, golds, self.systems, chosen = found
                mode, selection = "id", Selection(unique=selection.unique)
        plan = Plan(system, golds or [system])
        try:
            if own:
                assert has(self.metric, PairsItself)
                plan.cuts = list(self.metric.cuts(system, plan.golds, self._pairing, size))
                if self.selection:
                    rows = self.selection.rows(plan.gold)
                    plan.wanted = frozenset(plan.gold.number[rows].tolist())
            else:
                plan.matches = match(
                    self.metric, chosen, plan.golds, self._pairing, mode, selection
                )
                plan.problem = plan.matches.problem
        except PairingError as error:
            raise self._placed(error) from None
        if plan.problem is not None:
            self._placed(plan.problem)
        return plan

    def _by_system(
        self, system: Refs, names: Sequence[str], golds: Sequence[Refs]
    ) -> BySystem | None:
        """Both sides where the system's file holds the items of several systems."""
        try:
            found = by_system(
                system,
                names,
                golds,
                self.selection,
                field=self.system.format.systems_in,
                fills_gaps=has(self.metric, FillsGaps),
            )
        except PairingError as error:
            raise self._placed(error) from None
        if found is not None:
            self._check_one_file("systems in one file")
        return found

    def _check_one_file(self, what: str) -> None:
        """Raises if gold is in several files where an item of it is paired several times."""
        if any(isinstance(stream.source, Shards) for stream in self.golds):
            raise OptionError(
                f"several {what} are paired with one gold file, and gold is in several shards",
                code="K327",
                advice="join the shards, or put gold beside each output",
            )

    def _are_large(self) -> bool:
        """Whether all files are on disk, and scanning them takes longer than starting threads."""
        sources = self.sources()
        if not all(isinstance(stream, Stream) for stream in (self.system, *self.golds)):
            return False
        if any(source.is_pipe or source.is_remote or source.is_folder for source in sources):
            return False
        return sum(source.stamp()[0] for source in sources) >= _LARGE

    def unpack_elsewhere(self) -> None:
        """Lets workers unpack files for themselves; to be called before there is a plan."""
        for stream in (self.system, *self.golds):
            if isinstance(stream, Stream):
                stream.source.unpack_again()

    def maker(self) -> Maker:
        """The maker of pairs, for workers."""
        return Maker(
            self.metric,
            self.system.parser(),
            [stream.parser() for stream in self.golds],
            self.report.on_error,
            self.mode,
            self.pairs_itself(),
        )

    def _placed(self, error: PairingError) -> PairingError:
        """Adds the name of the file to an error of pairing."""
        if error.side and error.place is None:
            stream = self.golds[0] if error.side == "gold" and self.golds else self.system
            error.place = Place(stream.source.name)
        if error.code == "K204" and not self.golds:
            error.message = error.message.removeprefix("gold ")
        # Gold in memory mostly stands beside the outputs, and repeats its ids with them.
        theirs = error.side == "gold" and bool(self.golds) and not hasattr(self.golds[0], "given")
        if error.code == "K204" and not theirs and self.mode != "samples":
            error.advice = (
                "several samples of one input are clusters of items: ``cluster='id'`` makes one "
                "unit of each, once ``pair='samples'`` has read them"
            )
        if error.code == "K204" and "system_field" in declared(type(self.system.format)):
            error.advice += (
                "\nwhere a file holds several systems, ``system_field`` names the field that tells "
                "them apart"
            )
        return error

    def items_with_gold(self) -> Iterator[Item]:
        """The system's items; raises for one that holds no gold of its own."""
        for item in self.system:
            if item.error is None and not holds_gold(self.metric, item.value):
                raise no_gold(self.system.source.name, item.line, self.system.format)
            yield item

    def sources(self) -> list[Source]:
        """All files, the system's first."""
        return [stream.source for stream in (self.system, *self.golds)]

    def stamps(self) -> list[tuple[int, int]]:
        """Size and time of each file, by which a later change is detected."""
        return [source.stamp() for source in self.sources()]

    def check_unchanged(self, stamps: Sequence[tuple[int, int]]) -> None:
        """Raises if a file has changed since these were its stamps: what was read may be of two."""
        for source, stamp in zip(self.sources(), stamps, strict=True):
            if not (source.is_pipe or source.is_folder) and source.stamp() != stamp:
                raise RunError(
                    f"{source.name} has changed while it was measured",
                    code="K714",
                    advice="give the same command again when nothing writes to the file",
                )

    def reader_warnings(self) -> list[str]:
        """The warnings of all readers, with the names of files."""
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
        """The record of the files for a saved run."""
        files = tuple(stream.input(self._selected) for stream in (self.system, *self.golds))
        return Inputs(files, self.mode, self.report.on_error)
