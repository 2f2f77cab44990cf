"""Layouts that many data sets share: tables of scores, WMT score files, MQM annotations."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from karat.core.files.opener import Source
from karat.errors import FormatError, Place, did_you_mean
from karat.meta.datasets.writing import Outcome, metrics_record

_INSTANCE = ("instance_id", "instance", "input", "item", "segment", "seg_id", "doc_id", "id")
SYSTEM = ("summarizer_id", "summarizer", "system_id", "system", "model", "model_id")
_NOTHING = ("", "na", "nan", "none", "null", "-")


def table_rows(path: str, separator: str | None = None) -> Iterator[tuple[dict[str, str], Place]]:
    """The rows of a table with a header, as dicts, with their places."""
    source = Source(path)
    numbered = source.lines()
    first = next(numbered, None)
    if first is None:
        raise FormatError("the table is empty", code="K166", place=Place(source.name))
    if separator is None:
        separator = (
            "\t" if "\t" in first[1] else ";" if first[1].count(";") > first[1].count(",") else ","
        )
    # A quoted cell may run over several lines; tabs in WMT files are never quoted.
    quoting: Literal[0, 3] = csv.QUOTE_NONE if separator == "\t" else csv.QUOTE_MINIMAL
    lines = (line + "\n" for line in _texts(first[1], numbered))
    reader = csv.reader(lines, delimiter=separator, quoting=quoting)
    try:
        header = [name.strip() for name in next(reader)]
        if len(set(header)) != len(header):
            raise FormatError("two columns have one name", code="K166", place=Place(source.name, 1))
        for row in reader:
            place = Place(source.name, reader.line_num)
            if not any(cell.strip() for cell in row):
                continue
            if len(row) != len(header):
                raise FormatError(
                    f"the row has {len(row)} cells, the header {len(header)}",
                    code="K166",
                    place=place,
                )
            yield dict(zip(header, row, strict=True)), place
    except csv.Error as error:
        raise FormatError(
            f"this is no table: {error}", code="K166", place=Place(source.name, reader.line_num)
        ) from None


def _texts(first: str, rest: Iterator[tuple[int, str]]) -> Iterator[str]:
    yield first
    for _, line in rest:
        yield line


def column(row: dict[str, str], names: Sequence[str], place: Place) -> str:
    for name in names:
        if name in row:
            return name
    raise FormatError(
        f"there is no column {names[0]!r}{did_you_mean(names[0], row)}",
        code="K166",
        place=Place(place.file, 1),
        advice=f"it may also be called {', '.join(names[1:])}; columns: {', '.join(row)}",
    )


def _number(text: str) -> float | None:
    """The number in a cell; None where the cell says that there is none."""
    if text.strip().lower() in _NOTHING:
        return None
    value = float(text)
    return value if math.isfinite(value) else None


def wide_table(paths: Sequence[str]) -> Outcome:
    """A row for each output: its input, its system, and a column for each score.

    Columns that hold anything but numbers are left out, with a warning.
    """
    outcome = Outcome()
    records = []
    for path in paths:
        rows = list(table_rows(path))
        if not rows:
            outcome.warnings.append(f"{path}: there are no rows")
            continue
        first, place = rows[0]
        instance, system = column(first, _INSTANCE, place), column(first, SYSTEM, place)
        taken = {instance, system, "summarizer_type"}
        scores = []
        for name in first:
            if name in taken:
                continue
            if all(_is_number(row[name]) for row, _ in rows):
                scores.append(name)
            else:
                outcome.warnings.append(f"{path}: the column {name!r} holds no scores")
        for row, where in rows:
            kind = row.get("summarizer_type") or "peer"
            if kind not in ("peer", "reference"):
                raise FormatError(
                    f"summarizer_type must be 'peer' or 'reference', found {kind!r}",
                    code="K148",
                    place=where,
                )
            metrics = {name: _number(row[name]) for name in scores}
            records.append(metrics_record(row[instance], row[system], metrics, kind))
    outcome.files["metrics.jsonl"] = records
    return outcome


def _is_number(text: str) -> bool:
    try:
        _number(text)
    except ValueError:
        return False
    return True


def wmt_scores(paths: Sequence[str]) -> Outcome:
    """``NAME.seg.score`` and ``NAME.sys.score``: lines with a system and its score.

    The lines of one system are its segments in order; None is no score. Scores
    of whole systems have the input ``all``.
    """
    outcome = Outcome()
    cells: dict[tuple[str, str], dict[str, float | None]] = {}
    for path in paths:
        name = Path(path).name.removesuffix(".gz")
        for level in (".seg.score", ".sys.score"):
            if name.endswith(level):
                score, whole = name.removesuffix(level), level == ".sys.score"
                break
        else:
            raise FormatError(
                "the name must end in .seg.score or .sys.score", code="K167", place=Place(path)
            )
        seen: dict[str, int] = {}
        source = Source(path)
        for number, line in source.lines():
            if not line.strip():
                continue
            place = Place(source.name, number)
            parts = line.split("\t") if "\t" in line else line.split()
            if len(parts) != 2 or not _is_number(parts[1]):
                raise FormatError(
                    f"expected a system and a score, found {line[:60]!r}", code="K167", place=place
                )
            system = parts[0].strip()
            seen[system] = seen.get(system, 0) + 1
            if whole and seen[system] > 1:
                raise FormatError(f"the system {system!r} occurs twice", code="K167", place=place)
            instance = "all" if whole else str(seen[system])
            cells.setdefault((instance, system), {})[score] = _number(parts[1])
        if len(set(seen.values())) > 1:
            outcome.warnings.append(f"{path}: systems have different numbers of segments")
    outcome.files["metrics.jsonl"] = [
        metrics_record(instance, system, metrics) for (instance, system), metrics in cells.items()
    ]
    return outcome


_MAJOR, _MINOR, _PUNCTUATION, _NON_TRANSLATION = 5.0, 1.0, 0.1, 25.0


def mqm(paths: Sequence[str]) -> Outcome:
    """MQM annotations: a row for each error, with system, seg_id, rater, category, severity.

    Weights are those of Freitag et al. (2021): major 5, minor 1, minor
    punctuation 0.1, non-translation 25. A rater's score is minus the sum, so
    that higher is better; ``mqm`` is the list of all raters' scores, in the
    order of their names.
    """
    outcome = Outcome()
    sums: dict[tuple[str, str], dict[str, float]] = {}
    for path in paths:
        for row, place in table_rows(path, "\t"):
            segment = row[column(row, ("seg_id", "globalSegId", "segment"), place)]
            system = row[column(row, ("system", "system_id"), place)]
            rater = row[column(row, ("rater", "annotator"), place)]
            for name in ("category", "severity"):
                column(row, (name,), place)
            raters = sums.setdefault((segment, system), {})
            weight = _mqm_weight(row["category"], row["severity"], place)
            raters[rater] = raters.get(rater, 0.0) - weight
    outcome.files["metrics.jsonl"] = [
        metrics_record(segment, system, {"mqm": [raters[name] + 0.0 for name in sorted(raters)]})
        for (segment, system), raters in sums.items()
    ]
    return outcome


def _mqm_weight(category: str, severity: str, place: Place) -> float:
    kind, level = category.strip().lower(), severity.strip().lower()
    if level in ("no-error", "neutral", "") or kind == "no-error":
        return 0.0
    if kind.startswith("non-translation"):
        return _NON_TRANSLATION
    if level == "major" or level == "critical":
        return _MAJOR
    if level == "minor":
        return _PUNCTUATION if kind == "fluency/punctuation" else _MINOR
    raise FormatError(
        f"the severity {severity!r} is unknown: expected major, minor, neutral or no-error",
        code="K162",
        place=place,
    )
