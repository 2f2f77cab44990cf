"""The figures that reports show are those of the run: each in its own place."""

from __future__ import annotations

import io
import re
from typing import Any

import numpy as np
import pytest

from karat.core.metric import Metric
from karat.core.runs.comparison import Ranking
from karat.core.runs.evaluation import Evaluation
from karat.core.scores import Array, Scores, leaves, precision_recall, ratio
from karat.report import exports, tables
from karat.report.layout import Console
from karat.report.numbers import shown
from karat.report.page import PageMaker

STATISTICS = {"level": 0.9, "resamples": 200, "seed": 3, "method": "auto"}


class Found(Metric[Any, Any]):
    """Precision, recall and F of two kinds, and the share of whole items."""

    name = "found"
    kind = "text"
    columns = ("n", "a.g", "a.s", "a.c", "b.g", "b.s", "b.c", "whole")

    def summarize(self, totals: Array) -> Scores:
        n, *counts, whole = self.columns_of(totals)
        return {
            "a": precision_recall(*counts[:3], headline=True),
            "b": precision_recall(*counts[3:]),
            "whole": ratio(whole, n),
        }


def run(name: str, seed: int, n: int = 24, of_b: int = 0) -> Evaluation:
    """A run in which nothing of kind b occurs, or in one item."""
    random = np.random.default_rng(seed)
    gold, system = random.integers(3, 9, n), random.integers(3, 9, n)
    common = random.integers(0, 4, n)
    rows = np.zeros((n, 8))
    rows[:, 0], rows[:, 1], rows[:, 2], rows[:, 3] = 1, gold, system, common
    rows[:of_b, 4:7] = 2
    rows[:, 7] = common > 1
    return Evaluation(Found(), [str(i) for i in range(n)], rows, system=name)


@pytest.fixture
def runs() -> list[Evaluation]:
    """Three systems of which each pair has another p-value."""
    found = [run("one", 1), run("two", 2), run("three", 3)]
    found[1].counts[:, 3] = np.minimum(found[1].counts[:, 3], 1)
    return found


def test_json_holds_the_means_of_items_beside_the_scores_of_the_whole() -> None:
    one = run("one", 1)
    record = exports.json(one, STATISTICS, ())
    # Each item by itself, from the counts: the mean of its shares, and the share of its sums.
    common, system = one.counts[:, 3], one.counts[:, 2]
    assert record["macro"]["a"]["p"] == pytest.approx(np.mean(common / system))
    assert record["scores"]["a"]["p"] == pytest.approx(common.sum() / system.sum())
    assert record["macro"]["a"]["p"] != pytest.approx(record["scores"]["a"]["p"], abs=1e-3)


def test_json_holds_intervals_methods_and_reasons() -> None:
    one = run("one", 1, of_b=1)
    found = one.confidence(**STATISTICS)
    written = exports.json(one, STATISTICS, ())["confidence"]
    assert {key: written[key] for key in STATISTICS} == STATISTICS
    errors = one.standard_errors()
    of_f, whole = found["a", "f"], found["whole",]
    assert of_f is not None
    assert whole is not None
    assert written["intervals"]["a"]["f"] == {
        "low": of_f.low, "high": of_f.high, "interval_method": "anchored",
        "standard_error": errors["a", "f"],
    }  # fmt: skip
    assert written["intervals"]["whole"] == {
        "low": whole.low, "high": whole.high, "interval_method": "exact",
        "standard_error": errors["whole",],
    }  # fmt: skip
    assert "g" not in written["intervals"]["a"]
    none = exports.json(run("none", 1), STATISTICS, ())
    assert none["confidence"]["intervals"]["b"]["f"] == {
        "low": None, "high": None, "interval_method": None,
        "interval_reason": "the score is undefined", "standard_error": None,
    }  # fmt: skip
    assert none["scores"]["b"]["f"] == 0.0


def test_tables_have_a_dash_where_nothing_could_be_counted() -> None:
    text = _table(run("none", 1))
    assert re.search(r"^ ?b +0 +0 +0 +– +– +– +– *$", text, re.MULTILINE)
    assert "no interval: the score is undefined" in text
    flat_text = exports.markdown([run("none", 1)], (), STATISTICS)
    assert "| b.f | – |" in flat_text
    assert "b.f\t0.0\t\t\n" in exports.tsv([run("none", 1)], (), STATISTICS)


def _table(one: Evaluation) -> str:
    stream = io.StringIO()
    Console(stream).print(tables.scores([one], STATISTICS))
    return stream.getvalue()


def test_tables_show_both_ends_of_the_right_interval() -> None:
    one = run("one", 1)
    found = one.confidence(**STATISTICS)
    text = _table(one)
    for path, start in ((("a", "f"), "a "), (("whole",), "whole")):
        interval = found[path]
        assert interval is not None
        (line,) = [line for line in text.split("\n") if line.strip().startswith(start)]
        assert line.rstrip().endswith(f"[{shown(interval.low)}, {shown(interval.high)}]")


def test_the_page_has_all_scores_with_their_intervals(runs: list[Evaluation]) -> None:
    one = runs[0]
    head = PageMaker([one], statistics=STATISTICS).head()
    (info,), (table,) = head.metrics, head.sets[0].scores
    found = one.confidence(**STATISTICS)
    figures_of = table.figures[0]
    assert figures_of is not None
    shown_scores = dict(zip((leaf.name for leaf in info.leaves), figures_of, strict=True))
    assert list(shown_scores) == [".".join(path) for path, _ in leaves(one.scores())]
    for path, value in leaves(one.scores()):
        interval = found.get(path)
        ends = (interval.low, interval.high) if interval else (None, None)
        expected = (None, None, None) if path[0] == "b" and path[1] in "prf" else (value, *ends)
        assert shown_scores[".".join(path)] == expected
    assert info.leaves[info.headline].name == "a.f"
    assert table.means == [one.macro()["a"]["f"]]


def test_the_page_has_ranks_and_corrected_tests(runs: list[Evaluation]) -> None:
    """From the definition: Holm's correction of the three paired tests, made one by one."""
    pairs = [(0, 1), (0, 2), (1, 2)]
    tests = [runs[i].compare(runs[j], seed=3, level=0.9)["a.f"] for i, j in pairs]
    raw = [test.p_value or 0 for test in tests]
    assert len(set(raw)) == 3  # else a mix-up would not be seen
    corrected, highest = {}, 0.0
    for rank, k in enumerate(sorted(range(3), key=lambda k: raw[k])):
        highest = max(highest, min(1.0, (3 - rank) * raw[k]))
        corrected[pairs[k]] = highest
    table = PageMaker(runs, statistics=STATISTICS).head().sets[0].scores[0]
    for pair, test in zip(table.pairs, tests, strict=True):
        assert test.interval is not None
        assert pair.p == corrected[pair.first, pair.second]
        assert (pair.difference, pair.low, pair.high) == (
            test.difference, test.interval.low, test.interval.high,
        )  # fmt: skip
    assert table.ranks == Ranking(runs, level=0.9, seed=3).clusters


def test_intervals_are_made_once_for_all_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    import karat.stats

    made = []
    original = karat.stats.intervals

    def counting(*args: Any, **options: Any) -> Any:
        made.append(options["level"])
        return original(*args, **options)

    monkeypatch.setattr(karat.stats, "intervals", counting)
    one = run("one", 1)
    exports.json(one, STATISTICS, ())
    _table(one)
    PageMaker([one], statistics=STATISTICS).head()
    assert made == [0.9]
    one.confidence(0.8)
    assert made == [0.9, 0.8]


def test_changing_what_confidence_gave_changes_nothing_else() -> None:
    one = run("one", 1)
    first = one.confidence()
    first.clear()
    first.reasons.clear()
    assert ("a", "f") in one.confidence()
    assert ("b", "f") in one.confidence().reasons


def test_comparisons_say_why_there_is_no_interval() -> None:
    one, same = run("one", 1), run("same", 1)
    summary = one.compare(same).summary()["differences"]
    assert summary["a"]["f"] == {
        "first": one.scores()["a"]["f"], "second": one.scores()["a"]["f"], "difference": 0.0,
        "low": None, "high": None, "interval_method": None,
        "interval_reason": "the systems are identical on all items", "p_value": 1.0,
    }  # fmt: skip
    assert summary["b"]["f"]["first"] == 0.0
    assert summary["b"]["f"]["p_value"] is None
    assert summary["b"]["f"]["interval_reason"] == "the score is undefined"
    other = one.compare(run("other", 2)).summary()["differences"]["a"]["f"]
    assert other["interval_method"] == "skew-t"
    assert "interval_reason" not in other
