"""Logs of inspect_ai: JSON, and .eval archives."""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import msgspec

from karat.core.files.opener import FILE_LIMIT, PLAIN_LIMIT, Source
from karat.core.reading.items import Item
from karat.errors import FormatError, LimitExceeded, MissingExtra, Place
from karat.logs.formats.base import ScoreFormat, check_version, decoded, unfit, whole
from karat.logs.model import Range, as_number

_LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
_WORDS = {"yes": 1.0, "no": 0.0, "true": 1.0, "false": 0.0}
_SAMPLE = re.compile(r"samples/.*_epoch_\d+\.json")
_ZSTD = 93
_NEWEST = 2
"""The version of logs that inspect_ai writes."""


class _Score(msgspec.Struct):
    value: Any = None


class _Sample(msgspec.Struct):
    id: int | str
    epoch: int = 1
    scores: dict[str, _Score] | None = None
    metadata: dict[str, Any] | None = None
    input: Any = None
    target: Any = None
    output: Any = None


class _Eval(msgspec.Struct):
    task: str = ""
    model: str = ""


class _Log(msgspec.Struct):
    eval: _Eval
    status: str = ""
    version: Any = None
    samples: list[_Sample] | None = None


class Inspect(ScoreFormat):
    """A log of inspect_ai: the scores of its samples, `C`, `I`, `P` and `N` as 1, 0, 0.5 and 0.

    Ids are those of the samples, `epoch` and what is in `metadata` are fields. Of an archive
    (`.eval`) the summaries are read where there are such, else the samples.
    """

    name = "inspect"
    json_keys = "all"

    @classmethod
    def recognizes(cls, head: str) -> bool:
        return head.lstrip().startswith("{") and '"eval"' in head and '"status"' in head

    @classmethod
    def recognizes_file(cls, source: Source) -> bool:
        if source.is_pipe or source.is_folder:
            return False
        try:
            with zipfile.ZipFile(source.path) as archive:
                return "header.json" in archive.namelist()
        except (zipfile.BadZipFile, OSError, ValueError):  # or a path that no file can have
            return False

    def read(self, source: Source) -> Iterator[Item]:
        place = Place(source.name)
        if self.recognizes_file(source):
            with zipfile.ZipFile(source.path) as archive:
                log = _of_archive(archive, source)
        else:
            log = decoded(whole(source), place, _Log)
        check_version(log.version, _NEWEST, place)
        if log.samples is None:
            raise unfit(
                "the log holds no samples: it is a header, or the samples were not logged", place
            )
        self.system_name = log.eval.model
        if log.status != "success":
            self.warnings.append(
                f"the evaluation did not end well: its status is {log.status!r}, and scores may "
                "be missing"
            )
        skipped: dict[str, None] = {}
        found = [(sample, *_values(sample, skipped)) for sample in log.samples]
        self.leave_out(skipped)
        known: dict[str, Range] = {}
        for _, values, shares in found:
            known |= {name: (0.0, 1.0) for name in values if name in shares}
        names = dict.fromkeys(name for _, values, _ in found for name in values)
        for number, (sample, values, _) in enumerate(found, 1):
            fields = {**(sample.metadata or {}), "epoch": sample.epoch}
            every = {name: values.get(name) for name in names}
            where = Place(source.name, item=f"{sample.id} (sample {number})")
            output = sample.output.get("completion") if isinstance(sample.output, dict) else None
            texts = sample.input, sample.target, output
            yield self.item(where, str(sample.id), every, fields=fields, known=known, texts=texts)


def _values(sample: _Sample, skipped: dict[str, None]) -> tuple[dict[str, Any], set[str]]:
    """The scores of a sample, and the names of those that the tool defines from 0 to 1.

    One that ended in an error has those that scorers gave before, which the tool counts as well.
    """
    values: dict[str, Any] = {}
    shares: set[str] = set()
    for scorer, score in (sample.scores or {}).items():
        inner = score.value
        several = inner.items() if isinstance(inner, dict) else [("", inner)]
        for key, value in several:
            name = f"{scorer}.{key}" if key else scorer
            if isinstance(value, list):
                skipped[name] = None
                continue
            number, is_share = _number(value)
            values[name] = number
            if is_share:
                shares.add(name)
    return values, shares


def _number(value: Any) -> tuple[Any, bool]:
    """A value as inspect_ai makes a number of it, and whether it is a grade."""
    if isinstance(value, bool):
        return float(value), True
    if isinstance(value, str):
        grade = _LETTERS.get(value, _WORDS.get(value.lower()))
        if grade is not None:
            return grade, True
        number = as_number(value, texts=True)
        return (value if isinstance(number, str) else number), False
    return value, False


def _of_archive(archive: zipfile.ZipFile, source: Source) -> _Log:
    """The log in an archive; of members that have one name, the last counts."""
    members = {each.filename: each for each in archive.infolist()}
    file = source.name

    size = 0

    def content(name: str) -> bytes:
        nonlocal size
        size += members[name].file_size
        found = _member(archive, members[name], file, size)
        if source.keys is not None:
            source.keys.see(found, 0, lines=False)
        return found

    log: _Log = decoded(content("header.json"), Place(file), _Log)
    if "summaries.json" in members:
        data = content("summaries.json")
        log.samples = decoded(data, Place(file, item="summaries.json"), list[_Sample])
        return log
    names = [name for name in members if _SAMPLE.fullmatch(name)]
    log.samples = [
        decoded(content(name), Place(file, item=name), _Sample) for name in names
    ] or None
    return log


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, file: str, size: int) -> bytes:
    """The content of a member, also of those that older versions of Python cannot unpack.

    `size` is that of all members that are read, up to this one.
    """
    place = Place(file, item=member.filename)
    if size > PLAIN_LIMIT:
        raise LimitExceeded(
            f"the content is larger than {PLAIN_LIMIT:,} bytes", code="K502", place=place
        )
    try:
        if member.compress_type != _ZSTD:
            with archive.open(member) as stream:
                return _limited(stream, member)
        with Path(file).open("rb") as raw:
            return _zstandard(raw, member, place)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, OSError, struct.error) as error:
        raise FormatError(
            f"the archive is damaged or cut short ({error})", code="K104", place=place
        ) from None


def _limited(stream: IO[bytes], member: zipfile.ZipInfo) -> bytes:
    data = stream.read(member.file_size + 1)
    if len(data) != member.file_size:
        raise EOFError("a member has not the size that the archive tells")
    return data


def _zstandard(raw: IO[bytes], member: zipfile.ZipInfo, place: Place) -> bytes:
    try:
        import zstandard
    except ImportError:
        raise MissingExtra.package("zstandard", "inspect", f"reading {place.file}") from None
    raw.seek(member.header_offset)
    header = raw.read(30)
    if header[:4] != b"PK\x03\x04":
        raise zipfile.BadZipFile("a member is not where the archive tells")
    names, extra = struct.unpack("<HH", header[26:30])
    raw.seek(names + extra, 1)
    try:
        with zstandard.ZstdDecompressor(max_window_size=FILE_LIMIT).stream_reader(
            raw.read(member.compress_size)
        ) as stream:
            data = _limited(stream, member)
    except zstandard.ZstdError as error:
        raise EOFError(str(error)) from None
    if zlib.crc32(data) != member.CRC:
        raise EOFError("a checksum does not agree")
    return data
