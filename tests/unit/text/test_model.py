"""Which records of a system need no gold file."""

from __future__ import annotations

import pytest

from karat import parse
from karat.core.pairing.sides import holds_gold
from karat.text.model import TextRecord
from karat.text.pyramid import Pyramid

RECORDS = {
    "text": TextRecord("a"),
    "references": TextRecord("a", references=("b",)),
    "documents": TextRecord("a", documents=("b",)),
    "questions": TextRecord("a", questions=()),
    "pyramid": TextRecord(pyramid=Pyramid("1")),
}


@pytest.mark.parametrize(
    ("metric", "held"),
    [
        ("exact", "references"),
        ("bleu", "references"),
        ("rouge", "references"),
        ("simetrix", "documents"),
        ("pyramid-score", "pyramid"),
        ("qa", "questions"),
    ],
)
def test_only_what_the_metric_takes_is_gold(metric: str, held: str) -> None:
    judge = parse(metric)
    assert [name for name, record in RECORDS.items() if holds_gold(judge, record)] == [held]
    assert not holds_gold(judge, "a plain line")
