"""Scores of items that other tools made, as records of outputs: logs, tables, karat's own items.

A file is about one system, which the file names, or its records, or else the name of the file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import msgspec

from karat.core.fields import SYSTEMS
from karat.core.files.opener import Source, plain_name
from karat.core.items import Item
from karat.core.reading import Stream
from karat.core.scores import MetricsDict
from karat.errors import KaratError, OptionError, Place
from karat.logs.formats.base import ScoreFormat
from karat.meta.record import Record, SummarizerType

_ITEMS = "scores."
_ARCHIVES = (b"PK\x03\x04", b"PAR1")
_COMET = b"\tSegment "
_OWN = ("instance_id", "summarizer_id", "summarizer_type")


def are_item_scores(path: str) -> bool:
    """Whether a file holds scores of items rather than records of outputs."""
    source = Source(path)
    if source.is_pipe:
        return False  # which can be read only once
    if source.is_folder:
        return True
    try:
        head = source.head().lstrip()
    except KaratError:  # an archive with several members
        return _is_known(path)
    if not head.startswith(b"{"):
        name = plain_name(path).lower()
        told = name.endswith((".csv", ".tsv")) or head.startswith(_ARCHIVES) or _COMET in head
        return told and _is_known(path)
    line = head.partition(b"\n")[0]
    try:
        first = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        # An object on many lines, such as a log; records are on one.
        return plain_name(path).lower().endswith(".json") and _is_known(path)
    if not isinstance(first, dict) or isinstance(first.get("metrics"), dict):
        return False
    items = "id" in first and "scores" in first  # as ``--items`` writes them
    return (items or not any(name in first for name in _OWN)) and _is_known(path)


def _is_known(path: str) -> bool:
    """Whether a format of scores knows the file."""
    try:
        Stream(path, ("scores",), "")
    except KaratError:
        return False
    return True


def item_records(path: str, name: str = "") -> Iterator[tuple[Record, Place]]:
    """The records of a file of item scores; several samples of an item are a list of scores."""
    for system, items in _systems(path):
        own = name or system or _stem(path)
        found: dict[tuple[str, str, SummarizerType], tuple[dict[str, Any], Place]] = {}
        for number, item in enumerate(items, 1):
            place = Place(path, item.line)
            if item.error is not None:
                raise item.error
            made_by = next((item.fields[each] for each in SYSTEMS if item.fields.get(each)), own)
            id = item.key[0] if item.key and item.key[0] is not None else str(number)
            kind: SummarizerType = (
                "reference" if item.fields.get("summarizer_type") == "reference" else "peer"
            )
            scores, _ = found.setdefault((id, made_by, kind), ({}, place))
            for score, value in item.value.values.items():
                scores.setdefault(score, []).append(value)
        for (id, made_by, kind), (scores, place) in found.items():
            metrics = MetricsDict()
            for score, values in scores.items():
                # What ``--items`` writes has the scores of a metric within each other.
                below = score.removeprefix(_ITEMS)
                metrics.put(
                    tuple(below.split(".")) if below != score else (score,),
                    values[0] if len(values) == 1 else values,
                )
            yield Record(id, made_by, kind, metrics), place


def _systems(path: str) -> Iterator[tuple[str, list[Item]]]:
    """The items of each system that a file holds."""
    stream = Stream(path, ("scores",), "system")
    try:
        items = list(stream)
    except OptionError as error:
        several = stream.format.systems if isinstance(stream.format, ScoreFormat) else ()
        if error.code != "K326" or len(several) < 2:
            raise
        for system in several:
            yield system, list(Stream(path, ("scores",), "system", None, {"only_system": system}))
        return
    named = stream.format.system_name if isinstance(stream.format, ScoreFormat) else ""
    yield named, items


def _stem(path: str) -> str:
    name = plain_name(os.fspath(path))
    return name.rpartition(".")[0] or name
