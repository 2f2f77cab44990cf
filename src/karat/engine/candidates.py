"""Several outputs for each item: of several systems, or several samples in one file."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from karat.core.capabilities import ReadsGold, has
from karat.core.files.writing import whole_output
from karat.core.format import BlockFormat, LineFormat
from karat.core.metric import Metric
from karat.core.options import OnError
from karat.core.pairing.pairs import Report
from karat.core.pairing.sides import Sides, readable_kinds
from karat.core.reading.doors import native_value
from karat.core.reading.items import Item, Key, Refs
from karat.core.reading.memory import Memory, MemoryStream
from karat.core.reading.streams import PathLike, Stream
from karat.core.reading.tables import column_of
from karat.core.registry import can_write
from karat.core.runs.evaluation import Evaluation
from karat.engine.files import evaluate
from karat.engine.inputs import MISSING, is_path
from karat.errors import FormatError, OptionError, PairingError, counted, quote_some


class Candidate(msgspec.Struct, frozen=True, eq=False):
    """An output, as the system side of a pair and as gold for the others."""

    system: Any
    gold: Any
    record: Any
    """The record as it was read."""
    data: bytes | None = None
    """Its bytes in the file, if they are an item by themselves."""


Read: TypeAlias = tuple[Key | None, Mapping[str, str], Candidate | None]
"""The key of an item, its fields, and the candidate for it; None where it cannot be read."""


class Pool(msgspec.Struct, eq=False):
    """The candidates of all items, by item and by system; None where a system has none."""

    names: list[str]
    keys: list[Key]
    candidates: list[list[Candidate | None]]
    by_position: bool
    in_one_file: bool
    formats: list[Any]
    warnings: list[str]

    def __len__(self) -> int:
        return len(self.keys)

    def available(self) -> npt.NDArray[np.bool_]:
        """Which systems have a candidate for which items."""
        return np.array([[each is not None for each in row] for row in self.candidates])

    def samples(self, system: int) -> dict[str, Any]:
        """One sample of each item by its id; the first sample if there are fewer."""
        return {
            str(key[0]): (row[system] or next(filter(None, row))).record
            for key, row in zip(self.keys, self.candidates, strict=True)
        }

    def write(self, chosen: Sequence[int], path: PathLike | IO[bytes]) -> None:
        """The chosen candidates in the format of their files, in the order of the items."""
        found = [row[j] for row, j in zip(self.candidates, chosen, strict=True)]
        first = self.formats[0]
        if any(each.name != first.name for each in self.formats):
            names = ", ".join(sorted({each.name for each in self.formats}))
            raise OptionError(
                f"the systems are in different formats ({names}), and the output has to be in one",
                code="K343",
                advice="convert them to one format first (karat convert)",
            )
        blank = b"\n" if isinstance(first, BlockFormat) else b""
        if all(each is not None and each.data is not None for each in found):
            with whole_output(path) as stream:
                for each in found:
                    assert each is not None
                    assert each.data is not None
                    stream.write(each.data.rstrip(b"\r\n") + b"\n" + blank)
        elif can_write(first.name):
            with whole_output(path) as stream:
                first.write((each.record for each in found if each is not None), stream)
        else:
            raise OptionError(f"karat cannot write the format {first.name}", code="K310")


def runs_of(
    metric: Metric[Any, Any], systems: Iterable[tuple[str, Any]], gold: object,
    reading: Mapping[str, Any],
) -> list[Evaluation]:  # fmt: skip
    """The runs of several systems, by name (empty: that of the file), on the same items.

    What is measured already is taken as it is.
    """
    runs: list[Evaluation] = []
    for number, (name, each) in enumerate(systems, 1):
        run = each
        if not isinstance(run, Evaluation):
            own: dict[str, Any] = {} if is_path(each) else {"name": name or f"system {number}"}
            run = evaluate(metric, each, MISSING if gold is None else gold, **reading, **own)
        run.system = name or run.system
        runs.append(run)
    check_same_items(runs)
    return runs


def check_same_items(runs: Sequence[Evaluation]) -> None:
    """Raises unless runs are of the same metric on the same items."""
    for run in runs[1:]:
        if run.metric != runs[0].metric or run.keys != runs[0].keys:
            raise PairingError(
                f"{run.system} was not measured on the same items as {runs[0].system}", code="K209"
            )


def read_candidates(
    metric: Metric[Any, Any],
    systems: Sequence[Any] | Mapping[str, Any],
    *,
    format: str | None,
    format_options: Mapping[str, Any],
    on_error: OnError,
) -> Pool:
    """The outputs of systems, paired by their keys, else by position."""
    named = (
        list(systems.items())
        if isinstance(systems, Mapping)
        else [
            (Path(each).name if is_path(each) else f"system {n}", each)
            for n, each in enumerate(systems, 1)
        ]
    )
    names = _unlike([(name, each) for name, each in named])
    report = Report("skip" if on_error == "auto" else on_error)
    kinds = readable_kinds(type(metric))
    streams: list[Stream | MemoryStream] = [
        Stream(each, kinds, "system", format, format_options, metric.changed_options())
        if is_path(each)
        else MemoryStream(_in_memory(each, name), metric, kinds, "system", format, format_options)
        for name, (_, each) in zip(names, named, strict=True)
    ]
    if len({stream.kind for stream in streams}) > 1:
        for stream in streams:
            stream.read_otherwise()
    sides = _CandidateMaker(metric)
    read = [_read(stream, report, sides, name) for stream, name in zip(streams, names, strict=True)]
    if any(key is not None for each in read for key, _, _ in each):
        # What cannot be read may not tell its id either, and is then a candidate for no item.
        read = [[each for each in items if each[0] or each[2]] for items in read]
    if len(read) == 1:
        names, read = _samples(read[0], getattr(streams[0].format, "systems_in", ""), names[0])
        formats = [streams[0].format]
        sizes = {len(each) for each in read}
        if len(sizes) > 1:
            report.warnings.append(
                f"{named[0][0]}: items have between {sum(len(e) == max(sizes) for e in read)} and "
                f"{counted(len(read), 'sample')}; where one is missing, the first stands in for it"
            )
    else:
        formats = [stream.format for stream in streams]
    if len(names) < 2:
        raise OptionError(
            "a consensus needs at least two candidates for each item",
            code="K322",
            advice="repeat ``system``, or give one file with several samples of each id",
        )
    keys, rows, by_position = _paired(names, read)
    if len(streams) > 1:
        report.warnings += [
            f"{name} has no output for {len(keys) - len(each)} of {counted(len(keys), 'item')}"
            for name, each in zip(names, read, strict=True)
            if len(each) < len(keys)
        ]
    return Pool(
        names,
        keys,
        rows,
        by_position,
        len(streams) == 1,
        formats,
        [*report.warnings, *(warning for stream in streams for warning in stream.warnings())],
    )


def _in_memory(values: Any, name: str) -> Memory:
    """Outputs that are no file; the names of a mapping are ids."""
    ids = column_of(list(values), "id") if isinstance(values, Mapping) else None
    return Memory(column_of(values, name), name, ids)


def _unlike(named: Sequence[tuple[str, Any]]) -> list[str]:
    """Unique names of the systems: file names, or paths where file names repeat."""
    counts = Counter(name for name, _ in named)
    found = [
        os.fspath(each) if counts[name] > 1 and is_path(each) else name for name, each in named
    ]
    again = Counter(found)
    if doubled := [name for name, number in again.items() if number > 1]:
        raise OptionError(f"two systems are both called {doubled[0]!r}", code="K322")
    return found


class _CandidateMaker:
    """Makes candidates: an output as either side of a pair."""

    def __init__(self, metric: Metric[Any, Any]) -> None:
        self.metric = metric
        self.sides = Sides(metric)
        self.reads_gold = has(metric, ReadsGold)

    def of(self, record: Any, data: bytes | None) -> Candidate:
        ours = self.sides.system(record)
        if isinstance(ours, str) and not self.reads_gold:
            # As a reader gave it, with what it tolerates.
            return Candidate(ours, self.sides.gold([ours]), record, data)
        theirs = [ours] if isinstance(ours, (list, tuple)) and self.metric.kind == "text" else ours
        try:
            return Candidate(
                native_value(self.metric, ours, "system"),
                native_value(self.metric, theirs, "gold"),
                record,
                data,
            )
        except (OptionError, FormatError) as problem:
            if problem.code in ("K317", "K111"):
                raise OptionError(
                    f"{self.metric.name} cannot measure one output against another: "
                    f"{problem.message}",
                    code="K398",
                ) from None
            raise


def _read(
    stream: Stream | MemoryStream, report: Report, sides: _CandidateMaker, name: str
) -> list[Read]:
    refs = stream.scan()
    parsed = stream.parser().parsed(refs)
    wanted = np.arange(len(parsed))[stream.selection.rows(refs)].tolist()
    data = _data(stream, refs)
    found: list[Read] = []
    for row in wanted:
        item: Item = stream.format.changed(parsed[row])
        if item.notices:
            stream.noticed.add(item, row)
        key = item.key if item.key is not None else (refs.keys[row] if refs.keys else None)
        made = None
        try:
            if item.error is not None:
                raise item.error
            made = sides.of(item.value, None if data is None else data[row])
        except FormatError as error:
            report.broken(error)
        found.append((key, item.fields, made))
    if not found:
        raise PairingError(f"{name} has no items", code="K203")
    return found


def _data(stream: Stream | MemoryStream, refs: Refs) -> list[bytes] | None:
    """The bytes of items, if these do not depend on a header or other context."""
    if isinstance(stream, MemoryStream) or refs.items is not None:
        return None
    if not isinstance(stream.format, (LineFormat, BlockFormat)):
        return None
    data = stream.parser().data(refs)
    # What the beginning of the file decides is a header, except for lines of JSON.
    return data if refs.state is None or all(each.startswith(b"{") for each in data) else None


def _samples(items: Iterable[Read], field: str, name: str) -> tuple[list[str], list[list[Read]]]:
    """The samples of one file as systems: by the field that names them, else by their order."""
    found: dict[str, list[Read]] = {}
    seen: Counter[Any] = Counter()
    for key, fields, candidate in items:
        if key is None:
            raise PairingError(
                f"{name}: items without ids cannot be grouped into samples of one input",
                code="K204",
                advice="give the field of ids with ``id_field``, or one file for each system",
            )
        own = (key[0],) if field and fields.get(field) else key
        system = fields.get(field, "") if field else ""
        if not system:
            seen[own] += 1
            system = f"sample {seen[own]}"
        found.setdefault(system, []).append((own, fields, candidate))
    return list(found), list(found.values())


def _paired(
    names: Sequence[str], systems: Sequence[Sequence[Read]]
) -> tuple[list[Key], list[list[Candidate | None]], bool]:
    by_position = any(key is None for each in systems for key, _, _ in each)
    if by_position:
        sizes = {len(each) for each in systems}
        if len(sizes) > 1:
            told = ", ".join(
                f"{name} {len(each)}" for name, each in zip(names, systems, strict=True)
            )
            raise PairingError(
                f"the items have no ids, and the systems have different numbers of them: {told}",
                code="K202",
            )
        rows = [[each[i][2] for each in systems] for i in range(len(systems[0]))]
        keys: list[Key] = [(str(i + 1),) for i in range(len(rows))]
    else:
        places: dict[Key, int] = {}
        rows = []
        for j, each in enumerate(systems):
            for key, _, candidate in each:
                assert key is not None
                place = places.setdefault(key, len(places))
                if place == len(rows):
                    rows.append([None] * len(systems))
                if rows[place][j] is not None:
                    raise PairingError(
                        f"{names[j]} has the item {key[0]!r} twice",
                        code="K204",
                        advice="several samples of each id are read from one file only",
                    )
                rows[place][j] = candidate
        keys = list(places)
    empty = [key[0] or "" for key, row in zip(keys, rows, strict=True) if not any(row)]
    if empty:
        raise PairingError(f"no system has an output for {quote_some(empty)}", code="K203")
    return keys, rows, by_position
