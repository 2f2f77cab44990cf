"""Scores and judgements of single outputs: one JSON line for each item of each system."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any, Literal

import msgspec

from karat.core.files.notations import NOT_JSON, doubled_key
from karat.core.files.opener import Source, plain_name
from karat.core.reading.fields import SYSTEMS
from karat.core.reading.items import Item
from karat.core.reading.streams import Stream
from karat.core.scores import MetricsDict
from karat.errors import FormatError, KaratError, OptionError, Place
from karat.logs.formats.base import ScoreFormat

_decode = msgspec.json.Decoder().decode
_DEEPEST = 100


SummarizerType = Literal["peer", "reference"]
"""A system, or a human whose text is also a reference."""


class Record(msgspec.Struct, frozen=True):
    """The scores and judgements of one output of one system."""

    instance_id: str
    summarizer_id: str
    summarizer_type: SummarizerType
    metrics: MetricsDict

    def merge(self, other: Record) -> Record:
        """A record with the metrics of both; of names at the top that both have, the other's."""
        if _identity(self) != _identity(other):
            raise OptionError(
                f"records of different outputs cannot be merged: {_identity(self)} "
                f"and {_identity(other)}",
                code="K381",
            )
        merged = MetricsDict(self.metrics)
        for name, value in other.metrics.items():
            merged[name] = value
        return Record(*_identity(self), merged)


def _identity(record: Record) -> tuple[str, str, SummarizerType]:
    return record.instance_id, record.summarizer_id, record.summarizer_type


def read_records(path: str) -> Iterator[tuple[Record, Place]]:
    """The records of a file of JSON lines, and where each one stands.

    Any file of item scores that `evaluate scores` reads will do as well: a log, a table, what
    ``--items`` writes. It is about one system; ``NAME=PATH`` says which.
    """
    name, path = _named(path)
    if name or are_item_scores(path):
        yield from item_records(path, name)
        return
    source = Source(path)
    for number, line in source.lines():
        if line.strip():
            place = Place(source.name, number)
            yield record_of(_object(line, place), place), place


def _named(path: str) -> tuple[str, str]:
    """The name that a system is given, and the path of its file."""
    name, equals, rest = path.partition("=")
    if not equals or not name or os.path.exists(path):  # noqa: PTH110 - pathlib takes its time
        return "", path
    return name, rest


def _decode_any(line: str) -> Any:
    """A decoded line; SacreROUGE wrote NaN and Infinity, which JSON does not have."""
    try:
        return _decode(line)
    except msgspec.DecodeError:
        if "NaN" not in line and "Infinity" not in line:
            raise
        try:
            return json.loads(line)
        except ValueError:
            pass
        raise


def _object(line: str, place: Place) -> dict[str, Any]:
    try:
        value = _decode_any(line)
    except msgspec.DecodeError as error:
        raise _not_a_record(f"this is not JSON: {error}", "K147", place) from None
    except RecursionError:
        raise _not_a_record("this JSON is nested too deeply", "K147", place) from None
    if not isinstance(value, dict):
        raise _not_a_record("expected a JSON object", "K147", place)
    if name := doubled_key(line):
        raise _not_a_record(f"the key {name!r} stands twice in one object", "K147", place)
    return value


def _not_a_record(message: str, code: str, place: Place) -> FormatError:
    advice = (
        "scores are JSON lines with instance_id, summarizer_id and metrics, as karat score writes"
    )
    return FormatError(message, code=code, place=place, advice=advice)


def record_of(value: Mapping[str, Any], place: Place) -> Record:
    """The record that a JSON object describes."""
    kind = summarizer_type(value.get("summarizer_type", "peer"), place, "$.")
    metrics = value.get("metrics")
    if not isinstance(metrics, dict):
        none = "; there is none" if metrics is None else ""
        raise _not_a_record(
            f"$.metrics must be an object of names and numbers{none}", "K148", place
        )
    instance, summarizer = _id(value, "instance_id", place), _id(value, "summarizer_id", place)
    # The inner mappings stay as they were read: files of millions of records are common.
    return Record(instance, summarizer, kind, metrics)  # type: ignore[arg-type]


def summarizer_type(value: Any, place: Place, before: str = "") -> SummarizerType:
    """A checked `summarizer_type`."""
    if value == "peer" or value == "reference":
        return value  # type: ignore[no-any-return]
    raise FormatError(
        f"{before}summarizer_type must be 'peer' or 'reference', found {value!r}",
        code="K148",
        place=place,
    )


def _id(value: Mapping[str, Any], name: str, place: Place) -> str:
    found = value.get(name)
    if isinstance(found, str):
        return found
    if isinstance(found, int) and not isinstance(found, bool):
        return str(found)
    none = "; there is none" if found is None else ""
    raise _not_a_record(f"$.{name} must be a string{none}", "K148", place)


def flat_means(metrics: Mapping[str, Any], place: Place | None = None) -> dict[str, float]:
    """Flat names, joined by ``_``, over numbers; lists count by their mean, null is absent.

    >>> flat_means({"rouge-1": {"recall": 0.5}, "grade": [3, 4]})
    {'rouge-1_recall': 0.5, 'grade': 3.5}
    """
    return {
        name: value
        for scores in flat_by_top(metrics, place).values()
        for name, value in scores.items()
    }


def flat_by_top(
    metrics: Mapping[str, Any], place: Place | None = None
) -> dict[str, dict[str, float]]:
    """Flat names and means for each top-level name; two equal flat names are an error."""
    seen: set[str] = set()
    result: dict[str, dict[str, float]] = {}
    for top, whole in metrics.items():
        scores: dict[str, float] = {}
        waiting: list[tuple[str, Any, int]] = [(top, whole, 0)]
        while waiting:
            name, value, depth = waiting.pop()
            if isinstance(value, dict):
                if depth > _DEEPEST:
                    raise FormatError("the metrics are nested too deeply", code="K149", place=place)
                waiting.extend((f"{name}_{k}", v, depth + 1) for k, v in reversed(value.items()))
                continue
            number = _number(name, value, place)
            if number is None:
                continue
            if name in seen:
                raise FormatError(
                    f"two scores flatten to the name {name!r}",
                    code="K149",
                    place=place,
                    advice="rename one of them",
                )
            seen.add(name)
            scores[name] = number
        result[top] = scores
    return result


def _number(name: str, value: Any, place: Place | None) -> float | None:
    if isinstance(value, list):
        given = [each for each in value if each is not None]
        if any(isinstance(each, bool) or not isinstance(each, (int, float)) for each in given):
            raise _no_number(name, "a list of other things", place)
    elif value is None:
        return None
    elif isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _no_number(name, repr(value)[:40], place)
    else:
        given = [value]
    try:
        mean = math.fsum(given) / len(given) if given else math.nan
    except OverflowError:
        raise _no_number(name, "one too large to count with", place) from None
    except ValueError:  # infinities of both signs
        return None
    return mean if math.isfinite(mean) else None


def _no_number(name: str, found: str, place: Place | None) -> FormatError:
    return FormatError(
        f"the score {name!r} must be a number, a list of numbers or null; found {found}",
        code="K149",
        place=place,
    )


def write_records(records: Iterable[Record], stream: IO[bytes]) -> int:
    """Writes JSON lines; undefined numbers become null, and their number is returned."""
    undefined = 0
    for record in records:
        metrics, lost = finite(record.metrics)
        undefined += lost
        line = {
            "instance_id": record.instance_id,
            "summarizer_id": record.summarizer_id,
            "summarizer_type": record.summarizer_type,
            "metrics": metrics,
        }
        stream.write(msgspec.json.encode(line) + b"\n")
    return undefined


def finite(value: Any) -> tuple[Any, int]:
    """Scores with None in place of undefined numbers, and how many these are."""
    if isinstance(value, Mapping):
        pairs = {name: finite(each) for name, each in value.items()}
        return {k: v for k, (v, _) in pairs.items()}, sum(n for _, n in pairs.values())
    if isinstance(value, list):
        parts = [finite(each) for each in value]
        return [v for v, _ in parts], sum(n for _, n in parts)
    if isinstance(value, float) and not math.isfinite(value):
        return None, 1
    return value, 0


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
    except NOT_JSON:
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
