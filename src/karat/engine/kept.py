"""Serializes results of chunks for `resume`, and describes runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec
import numpy as np

from karat.core.capabilities import NamesProgram, can_certify, has
from karat.core.files.opener import Source
from karat.core.format import Notices
from karat.core.metric import Metric, Split
from karat.core.pairing.pairs import Report
from karat.core.reading.plan import Made
from karat.core.reading.streams import FilePairs
from karat.core.scores import Array
from karat.engine.executors import native_build
from karat.engine.results import ChunkResult, Given
from karat.engine.resume import Description, Parts, refuse_pipes
from karat.errors import FormatError, Place, RunError
from karat.version import VERSION


def described(files: FilePairs, facets: Sequence[str], *, certify: bool) -> Description:
    """The description of a run of files: everything that its rows depend on."""
    metric = files.metric
    return description(
        metric,
        files.sources(),
        files.system.source.name,
        {
            "the way of reading": files.reading(),
            "the split": ", ".join(facets) or "none",
            "the keeping of certificates": str(certify and can_certify(metric)),
        },
    )


def description(
    metric: Metric[Any, Any], sources: Sequence[Source], system: str, facts: Mapping[str, str]
) -> Description:
    """The description of a run, from further facts."""
    refuse_pipes(sources)
    return Description(
        metric.name,
        system,
        {
            "karat": f"{VERSION} ({native_build()})",
            "numpy": np.__version__,
            "the metric": metric.signature(),
            "the program": metric.program() if has(metric, NamesProgram) else "",
            "the files": ", ".join(source.name for source in sources),
            **{f"the content of {source.name}": source.digest() for source in sources},
            **facts,
        },
    )


def with_kept(parts: Parts, found: Iterator[ChunkResult | None]) -> Iterator[ChunkResult]:
    """The results of all chunks in order, from disk where there is None; others are kept there."""
    try:
        for number, result in enumerate(found):
            if result is None:
                yield decode(parts.get(number))
            else:
                parts.put(number, encode(result))
                yield result
    except BaseException:
        with suppress(RunError):  # what went wrong first matters more
            parts.flush()
        raise
    parts.flush()


def keeping(parts: Parts) -> Callable[[int, ChunkResult], None]:
    """Keeps a result as soon as it comes, in whatever order."""
    return lambda number, result: parts.put(number, encode(result))


class _Error(msgspec.Struct, array_like=True):
    kind: str
    message: str
    code: str
    place: Place | None
    excerpt: str
    advice: str


class _Report(msgspec.Struct, array_like=True):
    warnings: list[str]
    skipped: int
    readable: int
    unreadable: int
    first_unreadable: _Error | None
    other_gold: list[str]
    by_position: bool


class _Result(msgspec.Struct, array_like=True):
    index: bytes
    place: bytes
    fields: dict[str, list[str]]
    rows: bytes
    columns: int
    splits: list[tuple[list[int], list[str], bytes]]
    proofs: list[bytes]
    given: Given
    marks: list[bytes]
    report: _Report | None
    noticed: list[dict[str, list[str]]]


def encode(result: ChunkResult) -> bytes:
    """A result in bytes, little-endian whatever the machine."""
    made = result.made
    return msgspec.msgpack.encode(
        _Result(
            np.asarray(result.index, "<i8").tobytes(),
            np.asarray(result.place, "<i8").tobytes(),
            result.fields,
            _numbers(result.rows),
            result.rows.shape[1],
            [
                (list(map(int, split.pairs)), list(split.values), _numbers(np.asarray(split.rows)))
                for split in result.splits
            ],
            result.proofs,
            result.given,
            result.marks,
            None if made is None else _of_report(made.report),
            [] if made is None else [notices.found for notices in made.noticed],
        )
    )


def decode(data: bytes) -> ChunkResult:
    """The same result again."""
    kept = msgspec.msgpack.decode(data, type=_Result)
    made = None
    if kept.report is not None:
        made = Made([], _report(kept.report), [_notices(found) for found in kept.noticed])
    return ChunkResult(
        np.frombuffer(kept.index, "<i8").astype(np.int64),
        np.frombuffer(kept.place, "<i8").astype(np.int64),
        kept.fields,
        _array(kept.rows, kept.columns),
        [Split(pairs, values, _array(rows, kept.columns)) for pairs, values, rows in kept.splits],
        kept.proofs,
        kept.given,
        kept.marks,
        made,
    )


def _numbers(rows: Array) -> bytes:
    return np.ascontiguousarray(rows, "<f8").tobytes()


def _array(data: bytes, columns: int) -> Array:
    return np.frombuffer(data, "<f8").astype(np.float64).reshape(-1, columns)


def _notices(found: dict[str, list[str]]) -> Notices:
    notices = Notices()
    notices.found = found
    return notices


def _of_report(report: Report) -> _Report:
    error = report.first_unreadable
    return _Report(
        report.warnings,
        report.skipped,
        report.readable,
        report.unreadable,
        None
        if error is None
        else _Error(
            type(error).__name__, error.message, error.code, error.place, error.excerpt,
            error.advice,
        ),
        report.other_gold,
        report.by_position,
    )  # fmt: skip


def _report(kept: _Report) -> Report:
    report = Report()
    report.warnings, report.other_gold = kept.warnings, kept.other_gold
    report.skipped, report.readable = kept.skipped, kept.readable
    report.unreadable, report.by_position = kept.unreadable, kept.by_position
    if (error := kept.first_unreadable) is not None:
        kinds = {cls.__name__: cls for cls in _kinds(FormatError)}
        report.first_unreadable = kinds.get(error.kind, FormatError)(
            error.message,
            code=error.code,
            place=error.place,
            excerpt=error.excerpt,
            advice=error.advice,
        )
    return report


def _kinds(cls: type[FormatError]) -> Iterator[type[FormatError]]:
    yield cls
    for each in cls.__subclasses__():
        yield from _kinds(each)
