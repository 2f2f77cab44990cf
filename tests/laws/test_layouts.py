"""Fields that have nothing to do with a score never change it unseen.

For every metric of texts and every usual layout of records: with any further field, and with
the fields in another order, the scores are the same, or there is an error or a warning.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import karat
from examples_text import EXAMPLES
from karat.core.plugins import METRICS, rows
from karat.core.registry import parse
from karat.errors import KaratError
from karat.text.records.layout import DOCUMENTS, IDS, REFERENCES, SYSTEMS, TEXTS

LAYOUTS = [
    {"summary": "a dog barked", "references": ["the dog barks", "a dog"]},
    {"id": "7", "text": "a dog barked", "reference": "the dog barks"},
    {"instance_id": "7", "prediction": "a dog barked", "gold": "the dog barks"},
    {"response": "a dog barked", "target": "the dog barks"},
    {"output": "a dog barked", "documents": ["the dog barks", "it is a dog"]},
]
FURTHER = [*TEXTS, *REFERENCES, *DOCUMENTS, *IDS, *SYSTEMS, "prompt", "input", "source", "score",
           "title", "meta", "label", "summarizer_type"]  # fmt: skip
SENTENCES = "the dog barks"


NOT_OF_RECORDS = {"pyramid-score", "qa", "basic-elements"}
"""Their gold is no text: adding fields can only make an error of it."""
CHOSEN = {
    name: variants[0] for name, (variants, *_) in EXAMPLES.items() if name not in NOT_OF_RECORDS
}


def test_the_law_is_about_every_metric_of_texts() -> None:
    known = {name for name, row in rows(METRICS).items() if row.kind == "text"}
    assert known == CHOSEN.keys() | NOT_OF_RECORDS


def scored(metric: Any, records: list[dict[str, Any]], path: Path) -> Any:
    """The rows of counts, or the code of the error; with the warnings."""
    if path.suffix == ".csv":
        with path.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.DictWriter(stream, records[0].keys())
            writer.writeheader()
            writer.writerows(records)
    else:
        path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    try:
        run = karat.evaluate(metric, system=str(path))
    except KaratError as error:
        return error.code, []
    return run.counts.tolist(), run.warnings


@pytest.mark.parametrize("name", CHOSEN)
@pytest.mark.parametrize("suffix", ["jsonl", "csv"])
def test_further_fields(name: str, suffix: str, tmp_path: Path) -> None:
    metric = parse(CHOSEN[name])
    path = tmp_path / f"system.{suffix}"
    for layout in LAYOUTS:
        if suffix == "csv" and any(isinstance(value, list) for value in layout.values()):
            continue
        plain, _ = scored(metric, [layout], path)
        if isinstance(plain, str):  # held against something that this layout does not have
            continue
        for field in FURTHER:
            if field in layout:
                continue
            for value in ("gpt-x",) if name in SLOW else ("gpt-x", "", SENTENCES):
                for record in ({**layout, field: value}, {field: value, **layout}):
                    found, warnings = scored(metric, [record], path)
                    if not isinstance(found, str):
                        assert found == plain or warnings, (layout, field, value)


SLOW = frozenset(CHOSEN) - {"exact", "rouge", "bleu", "simetrix"}
"""Metrics of which a few cases are enough: all read alike."""
