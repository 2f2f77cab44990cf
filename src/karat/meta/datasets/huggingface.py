"""JSON of data sets as the Hugging Face libraries export it: rows of named columns.

Lines of JSON, a list of rows, ``{"data": [...]}``, the rows of the data sets server
(``{"rows": [{"row": {...}}]}``) and columns (``{"article": [...], "summary": [...]}``)
are all read. What a column holds is told by its name.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from karat.core.files.opener import PLAIN_LIMIT, Source
from karat.errors import FormatError, Place
from karat.meta.datasets.generic import SYSTEM
from karat.meta.datasets.json_reading import json_object
from karat.meta.datasets.writing import Outcome, metrics_record

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
            scores, others = _scores({k: v for k, v in row.items() if k not in taken})
            ignored.update(dict.fromkeys(others))
            source = _texts(row[texts], texts, place) if texts else []
            references = _texts(row[gold], gold, place) if gold else []
            if output is None and not (system and scores):
                if not source:
                    raise FormatError(
                        "the row has no document and no output",
                        code="K163",
                        place=place,
                        advice=f"documents are called {', '.join(DOCUMENT)}; "
                        f"outputs {', '.join(OUTPUT)}; columns: {', '.join(row)}",
                    )
                record = {"instance_id": instance, "documents": source}
                documents.append({**record, "references": references} if references else record)
                continue
            kind = row.get("summarizer_type", "peer")
            if kind not in ("peer", "reference"):
                raise FormatError(
                    f"summarizer_type must be 'peer' or 'reference', found {kind!r}",
                    code="K148",
                    place=place,
                )
            if output is not None:
                (text, *more) = _texts(row[output], output, place) or [{"text": ""}]
                if more:
                    raise FormatError(
                        f"$.{output} must be one text, found {1 + len(more)}",
                        code="K163",
                        place=place,
                    )
                summaries.append(
                    {
                        "instance_id": instance,
                        "summarizer_id": summarizer,
                        "summarizer_type": kind,
                        "summary": text,
                        "references": references,
                        **({"documents": source} if source else {}),
                    }
                )
            if scores:
                metrics.append(metrics_record(instance, summarizer, scores, kind))
    for name, records in (
        ("documents.jsonl", documents), ("summaries.jsonl", summaries), ("metrics.jsonl", metrics),
    ):  # fmt: skip
        if records:
            outcome.files[name] = records
    if ignored:
        outcome.warnings.append(f"columns that are neither texts nor scores: {', '.join(ignored)}")
    return outcome


def _first(row: Mapping[str, Any], names: Sequence[str]) -> str | None:
    return next((name for name in names if row.get(name) is not None), None)


def _texts(value: Any, name: str | None, place: Place) -> list[dict[str, Any]]:
    """One text, or a list of texts; each a string or an object with a text."""
    found = []
    for each in value if isinstance(value, list) else [value]:
        text = each.get("text") if isinstance(each, dict) else each
        if not isinstance(text, str):
            raise FormatError(
                f"$.{name} must be a text or a list of texts", code="K163", place=place
            )
        found.append({"text": text})
    return found


def _scores(row: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The columns of numbers or of lists of them, also nested, and the names of the others."""
    scores, others = {}, []
    for name, value in row.items():
        if value is None:
            continue
        if isinstance(value, dict):
            inner, rest = _flat_scores(value)
            others += [f"{name}.{each}" for each in rest]
            if inner:
                scores[name] = inner
        elif _is_score(value):
            scores[name] = value
        else:
            others.append(name)
    return scores, others


def _flat_scores(table: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    kept = {name: value for name, value in table.items() if _is_score(value)}
    return kept, [name for name, value in table.items() if value is not None and name not in kept]


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
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        yield from _line_rows(content, source.name)
        return
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
                raise FormatError("the columns have different lengths", code="K165", place=whole)
            names, columns = list(document), zip(*document.values(), strict=True)
            document = [dict(zip(names, cells, strict=True)) for cells in columns]
        else:
            document = [document]
    if not isinstance(document, list):
        raise FormatError("expected rows of a data set", code="K163", place=whole)
    for i, row in enumerate(document):
        place = Place(source.name, item=str(i))
        if isinstance(row, dict) and isinstance(row.get("row"), dict):
            row = row["row"]
        if not isinstance(row, dict):
            raise FormatError("a row must be an object", code="K163", place=place)
        yield row, place


def _line_rows(content: bytes, name: str) -> Iterator[tuple[dict[str, Any], Place]]:
    for number, line in enumerate(content.split(b"\n"), 1):
        if line.strip():
            place = Place(name, number)
            yield json_object(line, place), place
