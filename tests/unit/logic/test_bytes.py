"""Files of forms are measured from their bytes: the same as by parsing, in every format."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from examples_logic import FORMS
from karat.engine import evaluate
from karat.errors import KaratError
from karat.logic.metrics.base import LogicMetric

PAIRS = [*FORMS, ("dog ( x _ 1 é", "dog ( x _ 1 )"), ("dog ( x _ 9 )", "dog ( x _ 9 )")]


def lines(number: int, form: str) -> str:
    return form


def tsv(number: int, form: str) -> str:
    return f"Satz {number} é\t{form}\t{['cp_recursion', 'prim_to_inf_arg', 'x'][number % 3]}"


def opennmt(number: int, form: str) -> str:
    return f"Satz {number} é\t{form}\t{form}"


def jsonl(number: int, form: str) -> str:
    record = {"id": number, "lf": form, "type": "x", "sentence": f"Satz {number}"}
    return json.dumps(record, ensure_ascii=number % 2 == 0)


LAYOUTS = {"lf-lines": lines, "lf-tsv": tsv, "opennmt": opennmt, "lf-jsonl": jsonl}


@pytest.fixture
def outcomes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What comes of two files: from bytes, and by parsing. Also how many chunks were parsed."""
    monkeypatch.setattr(LogicMetric, "chunk_size", 3)
    whole = LogicMetric.measure_bytes

    def of(
        system: list[str], gold: list[str], *, metric: str = "cogs", **options: Any
    ) -> tuple[Any, Any, list[bool]]:
        for name, content in (("system", system), ("gold", gold)):
            (tmp_path / name).write_text("".join(f"{line}\n" for line in content), "utf-8")
        files = {name: tmp_path / name for name in ("system", "gold")}
        told: list[bool] = []

        def noted(self: LogicMetric, chunk: Any) -> Any:
            found = whole(self, chunk)
            told.append(found is not None)
            return found

        results: list[Any] = []
        for function in (noted, lambda self, chunk: None):
            monkeypatch.setattr(LogicMetric, "measure_bytes", function)
            try:
                run = evaluate(metric, **files, **options)
                results.append((run.counts.tolist(), run.ids, run.groups, run.warnings))
            except KaratError as error:
                results.append(str(error))
        return results[0], results[1], told

    return of


@pytest.mark.parametrize("system", LAYOUTS)
@pytest.mark.parametrize("gold", LAYOUTS)
def test_every_format(system: str, gold: str, outcomes: Any) -> None:
    if (system == "lf-jsonl") != (gold == "lf-jsonl"):
        return  # those have ids, the others not
    one, other, told = outcomes(
        [LAYOUTS[system](i, pair[0]) for i, pair in enumerate(PAIRS)],
        [LAYOUTS[gold](i, pair[1]) for i, pair in enumerate(PAIRS)],
        format=system,
        gold_format=gold,
    )
    assert one == other
    assert all(told)
    assert len(told) == 3


FORM = "dog ( x _ 1 )"
BAD = {
    "gold is ill-formed": ([tsv(0, FORM)] * 4, [tsv(0, FORM)] * 3 + [tsv(0, "dog (")]),
    "sentences differ": ([tsv(0, FORM), tsv(1, FORM)], [tsv(0, FORM), tsv(3, FORM)]),
    "two columns": ([tsv(0, FORM), "dog\tcat"], [tsv(0, FORM)] * 2),
    "nothing is well-formed": ([tsv(0, "dog")] * 4, [tsv(0, FORM)] * 4),
    "type": (
        [jsonl(1, FORM), '{"id": 2, "lf": "Emma", "type": 1}'],
        [jsonl(1, FORM), jsonl(2, FORM)],
    ),
    "no form": ([jsonl(1, FORM), '{"id": 2, "gold": "Emma"}'], [jsonl(1, FORM), jsonl(2, FORM)]),
}


@pytest.mark.parametrize("on_error", ["auto", "skip", "skip-gold"])
@pytest.mark.parametrize("name", BAD)
def test_what_is_wrong_is_said_by_parsing(name: str, on_error: str, outcomes: Any) -> None:
    one, other, told = outcomes(*BAD[name], on_error=on_error)
    assert one == other
    assert not told or not all(told), "what pairing cannot pair is not measured at all"


def test_a_chunk_that_is_left_open_is_searched(outcomes: Any) -> None:
    ring = [f"cat . in ( x _ {i} , x _ {(i + 1) % 9} )" for i in range(9)]
    turned = random.Random(1).sample(ring, len(ring))
    renamed = " AND ".join(turned).replace("x _ 8", "x _ 18")
    one, other, told = outcomes([renamed] * 2, [" AND ".join(ring)] * 2, metric="lf-semantic")
    assert one == other
    assert one[0] == [[1, 1, 0]] * 2
    assert told == [True]
