"""Scores say what they are, and a metric can be asked without any data."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from karat import Array, Counts, Metric, Scores, count, main, ratio
from karat.core.capabilities import (
    Certifies,
    Explains,
    FillsGaps,
    Jackknifes,
    Needs,
    PairsItself,
    Splits,
    has,
)
from karat.core.marks import Description, Score, cost, mark_at, out_of, percent, tiebreak, within
from karat.core.registry import METRICS, metric_class, own_rows, parse
from karat.core.scores import leaves
from karat.errors import OptionError

X = np.array([0.25, 0.5])


def test_marks_keep_the_values() -> None:
    for marked in (main(X), count(X), cost(X), out_of(X, 10), within(X, -1, 1), tiebreak(X)):
        assert marked.values is X
    assert percent(X).values.tolist() == [25.0, 50.0]
    assert percent(main(X)).values.tolist() == [25.0, 50.0]
    assert float(count(np.array(3.0))) == 3.0
    assert np.asarray(main(X)).tolist() == X.tolist()


def test_marks_combine_in_any_order() -> None:
    one, other = main(cost(within(X, 0, 5))), within(cost(main(X)), 0, 5)
    assert one.mark == other.mark
    assert (one.mark.main, one.mark.cost, one.mark.range) == (True, True, (0.0, 5.0))


def test_a_description() -> None:
    about = Description(
        {
            "n": count(X),
            "deep": {"error": main(cost(percent(X))), "mean": within(X, 0)},
            "free": within(X),
            "f": tiebreak(X),
        }
    )
    assert (about.headline, about.ranked_by) == ("deep.error", "f")
    assert about.totals == {"n"}
    assert about.lower_is_better == {"deep.error"}
    assert about.perfect == 0.0
    assert about.range_of(("deep", "error")) == (0.0, 100.0)
    assert about.range_of(("deep", "mean")) == (0.0, inf)
    assert about.range_of(("free",)) == (-inf, inf)
    assert about.range_of(("f",)) == (0.0, 1.0)
    assert about.path_of() == about.path_of("deep_error") == ("deep", "error")
    with pytest.raises(
        OptionError, match=r"there is no score 'deep.eror'; did you mean 'deep.error'"
    ):
        about.path_of("deep.eror")
    # Counts have as many decimals as the headline.
    assert [about.scale_of(path) for path in (("n",), ("f",))] == [100.0, 1.0]


def test_without_a_mark_the_first_score_is_the_headline() -> None:
    assert Description({"n": count(X), "p": X, "r": X}).headline == "p"


@pytest.mark.parametrize("mark", [main, tiebreak])
def test_only_one_score_can_be_first(mark: type[Score]) -> None:
    with pytest.raises(TypeError, match="marks several scores as"):
        Description({"a": mark(X), "b": mark(X)})  # type: ignore[arg-type, call-arg]


def test_a_score_can_be_marked_afterwards() -> None:
    scores = {"a": {"b": X}, "c": X}
    mark_at(scores, "a.b", main)
    assert Description(scores).headline == "a.b"
    assert [values.tolist() for _, values in leaves(scores)] == [X.tolist()] * 2


def test_it_is_known_once_for_each_metric() -> None:
    metric = parse("rouge(profile='google')")
    assert metric.about is metric.about
    assert metric.about.headline == "rouge2.fmeasure"
    assert metric.about.perfect == 1.0
    assert parse("rouge").about.perfect == 100.0


@pytest.mark.parametrize("name", ["headline", "totals", "scale", "lower_is_better", "unbounded"])
def test_attributes_of_old_are_refused_with_a_way_out(name: str) -> None:
    with pytest.raises(TypeError, match=f"Old has the attribute {name}: say what a score is in"):
        type("Old", (Metric,), {"name": "old", name: "x"})


class Scale(Metric[str, str]):
    """An option may have such a name."""

    name = "scale"
    kind = "text"
    columns = ("items", "hits")
    scale: float = 2.0

    def measure(self, system: str, gold: str) -> Counts:
        return self.row(items=1, hits=self.scale * (system == gold))

    def summarize(self, totals: Array) -> Scores:
        items, hits = self.columns_of(totals)
        return {"mean": ratio(hits, items)}


def test_options_may_have_the_names_of_old_attributes() -> None:
    assert Scale(scale=3.0).score("a", "a") == {"mean": 3.0}


def test_a_metric_without_capabilities_is_complete() -> None:
    for capability in (Explains, FillsGaps, Certifies, Splits, Jackknifes, PairsItself, Needs):
        assert not has(Scale(), capability)
        assert not has(Scale, capability)


def names(capability: type[object]) -> set[str]:
    return {row.name for row in own_rows(METRICS) if has(metric_class(row.name), capability)}


def test_who_has_what() -> None:
    assert names(PairsItself) == {"ned", "attachment", "ud", "elas", "derp", "dted", "counter"}
    assert names(Certifies) == {
        "mrp", "smatch", "smatchpp", "s2match", "amr-fine", "sbn", "sbn-fine", "counter",
    }  # fmt: skip
    assert names(FillsGaps) == names(Certifies) | {
        "edm", "sdp", "ucca", "ucca-mrp", "sembleu", "sema", "json", "tool-calls", "spans",
    }  # fmt: skip
    assert {"exact", "sema", "bleu", "chrf", "chrf++", "ter", "wer", "rouge", "squad"} <= names(
        Explains
    )
    assert {"rouge", "pyramid-score", "qa"} <= names(Jackknifes)
