"""Layouts that many data sets share: tables of scores, WMT score files, MQM annotations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from karat.core.files.opener import Source
from karat.errors import Place
from karat.meta.datasets.reading import bad, column, table_rows
from karat.meta.datasets.writing import Outcome, metrics_record

_INSTANCE = ("instance_id", "instance", "input", "item", "segment", "seg_id", "doc_id", "id")
SYSTEM = ("summarizer_id", "summarizer", "system_id", "system", "model", "model_id")
_NOTHING = ("", "na", "nan", "none", "null", "-")


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
                raise bad(
                    f"summarizer_type must be 'peer' or 'reference', found {kind!r}", where, "K148"
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
            raise bad("the name must end in .seg.score or .sys.score", Place(path), "K167")
        seen: dict[str, int] = {}
        source = Source(path)
        for number, line in source.lines():
            if not line.strip():
                continue
            place = Place(source.name, number)
            parts = line.split("\t") if "\t" in line else line.split()
            if len(parts) != 2 or not _is_number(parts[1]):
                raise bad(f"expected a system and a score, found {line[:60]!r}", place, "K167")
            system = parts[0].strip()
            seen[system] = seen.get(system, 0) + 1
            if whole and seen[system] > 1:
                raise bad(f"the system {system!r} occurs twice", place, "K167")
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
    raise bad(
        f"the severity {severity!r} is unknown: expected major, minor, neutral or no-error",
        place,
        "K162",
    )
