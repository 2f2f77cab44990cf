"""Layouts that many data sets share: tables of scores, WMT score files, MQM, Hugging Face rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from karat.core.files.notations import NOT_JSON, doubled_key
from karat.core.files.opener import PLAIN_LIMIT, Source
from karat.errors import Place
from karat.meta.datasets.reading import as_number, bad, column, json_object, table_rows
from karat.meta.datasets.writing import Outcome, metrics_record, summary_record
from karat.meta.records import summarizer_type

_INSTANCE = ("instance_id", "instance", "input", "item", "segment", "seg_id", "doc_id", "id")
SYSTEM = ("summarizer_id", "summarizer", "system_id", "system", "model", "model_id")
_NOTHING = ("", "na", "nan", "none", "null", "-")


def _number(text: str) -> float | None:
    """The number in a cell; None where the cell says that there is none."""
    if text.strip().lower() in _NOTHING:
        return None
    return as_number(text)


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
            kind = summarizer_type(row.get("summarizer_type") or "peer", where)
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


DOCUMENT = (
    "documents", "document", "article", "articles", "source", "text", "dialogue", "input",
)  # fmt: skip
OUTPUT = (
    "prediction", "predictions", "generated_text", "generated_summary", "system_output", "decoded",
    "hypothesis", "candidate", "output",
)  # fmt: skip
REFERENCE = (
    "references", "reference", "summary", "summaries", "highlights", "abstract", "target", "gold",
)  # fmt: skip
_KEYS = ("instance_id", "id", "doc_id", "_id", "seg_id", "guid", "idx", "example_id")
_SYSTEMS = (*SYSTEM, "model_name", "generator")


def hugging_face(paths: Sequence[str]) -> Outcome:
    """Rows with a document, references, an output, who made it, and scores.

    Rows with an output become summaries; columns of numbers, or of lists of
    numbers, become scores. Rows without an output become documents with their
    references.
    """
    outcome = Outcome()
    documents: list[Mapping[str, Any]] = []
    summaries: list[Mapping[str, Any]] = []
    metrics: list[Mapping[str, Any]] = []
    ignored: dict[str, None] = {}
    for path in paths:
        stem = Path(path).name.partition(".")[0]
        for number, (row, place) in enumerate(_rows(path), 1):
            key, system, output = (_first(row, names) for names in (_KEYS, _SYSTEMS, OUTPUT))
            instance = str(row[key]) if key else str(number)
            summarizer = str(row[system]) if system else stem
            texts = _first(row, DOCUMENT)
            gold = _first(row, REFERENCE)
            taken = {key, system, output, texts, gold, "summarizer_type"}
            scores, others = _score_columns({k: v for k, v in row.items() if k not in taken})
            ignored.update(dict.fromkeys(others))
            source = _text_objects(row[texts], texts, place) if texts else []
            references = _text_objects(row[gold], gold, place) if gold else []
            if output is None and not (system and scores):
                if not source:
                    raise bad(
                        "the row has no document and no output",
                        place,
                        advice=f"documents are called {', '.join(DOCUMENT)}; "
                        f"outputs {', '.join(OUTPUT)}; columns: {', '.join(row)}",
                    )
                record = {"instance_id": instance, "documents": source}
                documents.append({**record, "references": references} if references else record)
                continue
            kind = summarizer_type(row.get("summarizer_type", "peer"), place)
            if output is not None:
                (text, *more) = _text_objects(row[output], output, place) or [{"text": ""}]
                if more:
                    raise bad(f"$.{output} must be one text, found {1 + len(more)}", place)
                summary = summary_record(instance, summarizer, text, references, kind)
                summaries.append({**summary, "documents": source} if source else summary)
            if scores:
                metrics.append(metrics_record(instance, summarizer, scores, kind))
    for name, records in (
        ("documents.jsonl", documents), ("summaries.jsonl", summaries), ("metrics.jsonl", metrics),
    ):  # fmt: skip
        if records:
            outcome.files[name] = records
    outcome.warn_if(ignored, f"columns that are neither texts nor scores: {', '.join(ignored)}")
    return outcome


def _first(row: Mapping[str, Any], names: Sequence[str]) -> str | None:
    return next((name for name in names if row.get(name) is not None), None)


def _text_objects(value: Any, name: str | None, place: Place) -> list[dict[str, Any]]:
    """One text, or a list of texts; each a string or an object with a text."""
    found = []
    for each in value if isinstance(value, list) else [value]:
        text = each.get("text") if isinstance(each, dict) else each
        if not isinstance(text, str):
            raise bad(f"$.{name} must be a text or a list of texts", place)
        found.append({"text": text})
    return found


def _score_columns(row: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The columns of numbers or of lists of them, also nested, and the names of the others."""
    scores: dict[str, Any] = {}
    others = []
    for name, value in row.items():
        if isinstance(value, dict):
            inner = {each: number for each, number in value.items() if _is_score(number)}
            others += [f"{name}.{k}" for k, v in value.items() if v is not None and k not in inner]
            scores |= {name: inner} if inner else {}
        elif _is_score(value):
            scores[name] = value
        elif value is not None:
            others.append(name)
    return scores, others


def _is_score(value: Any) -> bool:
    values = value if isinstance(value, list) else [value]
    return bool(values) and all(
        isinstance(v, (int, float)) and not isinstance(v, bool) and math.isfinite(v) for v in values
    )


def _rows(path: str) -> Iterator[tuple[dict[str, Any], Place]]:
    source = Source(path)
    content = source.content(PLAIN_LIMIT)
    whole = Place(source.name)
    try:
        document = msgspec.json.decode(content)
    except NOT_JSON:
        yield from _line_rows(content, source.name)
        return
    if name := doubled_key(content):
        raise bad(f"the key {name!r} stands twice in one object", whole, "K147")
    if isinstance(document, dict):
        for name in ("data", "rows", "examples"):
            if isinstance(document.get(name), list) and all(
                isinstance(row, dict) for row in document[name]
            ):
                document = document[name]
                break
    if isinstance(document, dict):
        if document and all(isinstance(column, list) for column in document.values()):
            if len({len(column) for column in document.values()}) > 1:
                raise bad("the columns have different lengths", whole, "K165")
            names, columns = list(document), zip(*document.values(), strict=True)
            document = [dict(zip(names, cells, strict=True)) for cells in columns]
        else:
            document = [document]
    if not isinstance(document, list):
        raise bad("expected rows of a data set", whole)
    for i, row in enumerate(document):
        place = Place(source.name, item=str(i))
        if isinstance(row, dict) and isinstance(row.get("row"), dict):
            row = row["row"]
        if not isinstance(row, dict):
            raise bad("a row must be an object", place)
        yield row, place


def _line_rows(content: bytes, name: str) -> Iterator[tuple[dict[str, Any], Place]]:
    for number, line in enumerate(content.split(b"\n"), 1):
        if line.strip():
            place = Place(name, number)
            yield json_object(line, place), place
