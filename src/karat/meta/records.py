"""Scores and judgements of single outputs: one JSON line for each item of each system."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any

import msgspec

from karat.core.files.opener import Source
from karat.errors import FormatError, Place
from karat.meta.item_scores import are_item_scores, item_records
from karat.meta.record import Record as Record
from karat.meta.record import SummarizerType as SummarizerType

_decode = msgspec.json.Decoder().decode
_DEEPEST = 100


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
            yield _record(_object(line, place), place), place


def _named(path: str) -> tuple[str, str]:
    """The name that a system is given, and the path of its file."""
    name, equals, rest = path.partition("=")
    if not equals or not name or os.path.exists(path):  # noqa: PTH110 - pathlib takes its time
        return "", path
    return name, rest


def _decode_any(line: str) -> Any:
    """What a line says; SacreROUGE wrote NaN and Infinity, which JSON does not have."""
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
    return value


def _not_a_record(message: str, code: str, place: Place) -> FormatError:
    advice = (
        "scores are JSON lines with instance_id, summarizer_id and metrics, as karat score writes"
    )
    return FormatError(message, code=code, place=place, advice=advice)


def _record(value: dict[str, Any], place: Place) -> Record:
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
    """What says whether an output is of a system or of a person, checked."""
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
    """The same for each name at the top; two scores with one flat name are an error."""
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
        metrics, lost = _finite(record.metrics)
        undefined += lost
        line = {
            "instance_id": record.instance_id,
            "summarizer_id": record.summarizer_id,
            "summarizer_type": record.summarizer_type,
            "metrics": metrics,
        }
        stream.write(msgspec.json.encode(line) + b"\n")
    return undefined


def _finite(value: Any) -> tuple[Any, int]:
    if isinstance(value, Mapping):
        pairs = {name: _finite(each) for name, each in value.items()}
        return {k: v for k, (v, _) in pairs.items()}, sum(n for _, n in pairs.values())
    if isinstance(value, list):
        parts = [_finite(each) for each in value]
        return [v for v, _ in parts], sum(n for _, n in parts)
    if isinstance(value, float) and not math.isfinite(value):
        return None, 1
    return value, 0
