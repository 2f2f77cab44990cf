"""Saved runs: one MessagePack file with a checksum over its content."""

from __future__ import annotations

from typing import Any

import msgspec

from karat.core import signature
from karat.core.files.notations import NOT_JSON
from karat.core.files.opener import PLAIN_LIMIT, Source
from karat.core.files.writing import escaped
from karat.core.options import Mode, OnError
from karat.errors import Place, VerificationError

MAGIC = b"karat run 1\n"
_CHECKSUM_SIZE = 32
_BEYOND = 1e100


class Input(msgspec.Struct, frozen=True):
    """A file that a run was made from."""

    role: str
    path: str
    format: str
    options: dict[str, Any] = {}
    sha256: str = ""
    reading: str = ""
    """The format with the options that can move a figure, as signatures show it."""

    @property
    def name(self) -> str:
        """The path as it is shown."""
        return Source(self.path).name


class Inputs(msgspec.Struct, frozen=True):
    """All files of a run, and how they were read."""

    files: tuple[Input, ...]
    pair: Mode = "auto"
    on_error: OnError = "fail"

    @property
    def systems(self) -> list[Input]:
        """The system's file; saved runs that are damaged may have none, or several."""
        return [each for each in self.files if each.role == "system"]

    @property
    def golds(self) -> list[Input]:
        """The gold files, in order; none where the system's file holds its own gold."""
        return [each for each in self.files if each.role == "gold"]

    def formats(self) -> dict[str, Any]:
        """How the files were read, as `evaluate` takes it to read them in the same way.

        What was a tuple was stored as a list.
        """
        options = {
            name: tuple(value) if isinstance(value, list) else value
            for each in self.files
            for name, value in each.options.items()
        }
        return {
            "format": self.systems[0].format,
            "gold_format": [each.format for each in self.golds],
            "format_options": options,
        }

    def reading(self) -> str:
        """How the files were read, as parts of a signature."""
        systems = [each.reading for each in self.systems]
        return signature.of_reading(systems, self.gold_readings(), self.pair, self.on_error)

    def as_read(self) -> dict[str, Any]:
        """How the files were read, for the JSON of a run."""
        system, gold = (
            [{"format": each.format, "options": each.options} for each in side]
            for side in (self.systems, self.golds)
        )
        return {
            "system": system[0] if system else None,
            "gold": gold,
            "pair": self.pair,
            "on_error": self.on_error,
        }

    def gold_readings(self) -> list[str]:
        """How the gold files were read, in order."""
        return [each.reading for each in self.golds]

    def gold_digests(self) -> list[str]:
        """The checksums of the gold files, in order."""
        return [each.sha256 for each in self.golds]


class Parts(msgspec.Struct, frozen=True):
    """Rows of counts split by a facet; `items` are places in the list of ids."""

    items: list[int]
    values: list[str]
    counts: bytes


class Run(msgspec.Struct, frozen=True):
    """The content of the file. `counts` are float64, little-endian, row by row."""

    metric: str
    version: str
    system: str
    ids: list[str]
    groups: dict[str, list[str]]
    columns: list[str]
    counts: bytes
    inputs: Inputs | None
    skipped: int
    warnings: list[str]
    parts: dict[str, Parts] = {}
    certificates: dict[int, bytes] = {}
    """Certificates by the places of items."""
    keys: list[tuple[str | None, ...]] = []
    """The parts of the items' keys after the ids; empty in runs of earlier versions."""
    places: list[int] = []
    """Which item of the gold file each one is; empty in runs of earlier versions."""
    gold_marks: list[bytes] = []
    """A short digest of each item's gold, where the system's file held it."""
    system_field: str = ""
    program: str = ""
    by_position: bool = False


def encode(run: Run) -> bytes:
    try:
        body = msgspec.msgpack.encode(run)
    except UnicodeEncodeError:
        body = msgspec.msgpack.encode(escaped(run))
    return MAGIC + _checksum(body) + body


def _checksum(body: bytes) -> bytes:
    import hashlib  # takes its time to load

    return hashlib.sha256(body).digest()


def load(path: str) -> Run:
    source = Source(path)
    # A look at the beginning keeps a large file of another kind out of the memory.
    if not source.is_pipe and not source.head().startswith(MAGIC):
        raise not_a_run(path, "it does not begin like one")
    data = source.content(PLAIN_LIMIT)
    if not data.startswith(MAGIC):
        raise not_a_run(path, "it does not begin like one")
    start = len(MAGIC) + _CHECKSUM_SIZE
    body = data[start:]
    if _checksum(body) != data[len(MAGIC) : start]:
        raise not_a_run(
            path, "its content does not agree with its checksum", "this saved run is damaged"
        )
    try:
        run = msgspec.msgpack.decode(body, type=Run)
    except NOT_JSON as error:
        raise not_a_run(path, str(error)) from None
    if problem := _misshapen(run):
        raise not_a_run(path, problem)
    return run


def _misshapen(run: Run) -> str:
    """A contradiction between parts of the body; empty where there is none."""
    size = len(run.ids)
    if len(run.counts) != 8 * len(run.columns) * size or any(
        len(values) != size for values in run.groups.values()
    ):
        return "its parts have different lengths"
    if any(len(each) not in (0, size) for each in (run.keys, run.places, run.gold_marks)):
        return "its parts have different lengths"
    for part in run.parts.values():
        if len(part.values) != len(part.items) or len(part.counts) != 8 * len(run.columns) * len(
            part.items
        ):
            return "its parts have different lengths"
        if not all(0 <= item < size for item in part.items):
            return "a part names an item that is not there"
    if not all(map(_are_numbers, (run.counts, *(part.counts for part in run.parts.values())))):
        return "a count is not a number, or too large"
    if not all(0 <= place < 1 << 63 for place in run.places):
        return "an item has a place that no file has"
    # Certificates go by the place in the gold order, where items that were left out count too.
    known = set(run.places)
    if any(place < 0 or (known and place not in known) for place in run.certificates):
        return "a certificate names an item that is not there"
    return "a count is below 0" if run.skipped < 0 else ""


def _are_numbers(counts: bytes) -> bool:
    """Whether float64 counts can be added up."""
    import numpy as np

    return bool(np.all(np.abs(np.frombuffer(counts, "<f8")) < _BEYOND))  # not so for NaN


def not_a_run(path: str, why: str, what: str = "this is not a saved run") -> VerificationError:
    return VerificationError(
        f"{what}: {why}",
        code="K601",
        place=Place(Source(path).name),
        advice="make it with ``save``",
    )
