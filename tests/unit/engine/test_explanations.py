"""Explanations of plug-ins are JSON before anything is made of them, wherever they were made."""

from __future__ import annotations

from math import inf, nan
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from karat import Array, Counts, Metric, Scores, evaluate, main, ratio
from karat.engine.look import explain, look
from karat.errors import OptionError
from karat.report.item_files import look_through

ODD = {
    "undefined": nan,
    "endless": [inf, -inf],
    "numbers": {1: "a", 2.5: "b"},
    "pair": (1, (2, 3)),
    "numpy": {"a": np.int64(3), "b": np.float64(0.5), "c": np.arange(2)},
    "missing": [("a", "b"), {"word": None}, nan],
}
PLAIN = {
    "undefined": None,
    "endless": [None, None],
    "numbers": {"1": "a", "2.5": "b"},
    "pair": [1, [2, 3]],
    "numpy": {"a": 3, "b": 0.5, "c": [0, 1]},
    "missing": [["a", "b"], {"word": None}, None],
}


class Odd(Metric[str, str]):
    """A metric whose explanations hold what JSON does not."""

    name = "odd"
    kind = "text"
    columns = ("items", "hits")
    releases_gil: ClassVar[bool] = True
    told: ClassVar[Any] = ODD

    def measure(self, system: str, gold: str) -> Counts:
        return self.row(items=1, hits=system == gold)

    def summarize(self, totals: Array) -> Scores:
        items, hits = self.columns_of(totals)
        return {"accuracy": main(ratio(hits, items))}

    def explain(self, system: str, gold: str) -> Any:
        return self.told


@pytest.mark.parametrize("jobs", [1, 2])
def test_they_are_the_same_from_any_worker(jobs: int, tmp_path: Path) -> None:
    file = tmp_path / "texts.txt"
    file.write_text("a dog\n" * 300, encoding="utf-8")  # several chunks
    run = evaluate(Odd(), file, file, jobs=jobs)
    assert [seen.explanation for seen in look(run, explained=True)] == [PLAIN] * 300
    assert next(look(run, [0])).explanation == PLAIN
    profile = look_through(run, [], profile=True)
    (missing,) = profile["missing"].values()
    assert missing == [
        {"what": "None", "count": 600},
        {"what": "a b", "count": 300},
    ]


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"of": object()}, "no JSON .objects of type object are not supported.$"),
        ({("a", "b"): 1}, "no JSON .objects of type tuple are not supported.$"),
        ({"text": "\ud800"}, "no JSON .*surrogates not allowed.$"),
        (["a"], "no JSON .it is a list, expected a dictionary.$"),
    ],
)
def test_what_is_no_json_is_an_error_that_names_the_metric(
    told: Any, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Odd, "told", told)
    with pytest.raises(OptionError, match=f"K308: odd cannot explain its scores: .*{message}"):
        explain(Odd(), "a", "b")
