"""What clusters may not change, and what they must: laws of all statistics over clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.core.registry import parse
from karat.core.runs.evaluation import Evaluation
from karat.stats import compare_paired, intervals
from karat.stats.intervals import METHODS, standard_errors
from karat.stats.paired_tests import TESTS
from karat.stats.power import system_power
from karat.stats.resampling import Array, numbered, summed
from metric_examples import EXAMPLES

MEAN = ("mean",)
# One of each family; the statistics know nothing of metrics but their sums.
METRICS = ("bleu", "smatch", "mrp", "attachment", "cogs", "exact")


def mean(sums: Array) -> dict[tuple[str, ...], Array]:
    result = np.full(sums.shape[:-1], np.nan)
    np.divide(sums[..., 1], sums[..., 0], out=result, where=sums[..., 0] > 0)
    return {MEAN: result}


@pytest.mark.parametrize("name", METRICS)
def test_one_item_per_cluster_is_no_cluster(name: str) -> None:
    """All figures are equal, bit for bit."""
    (text, *_), pairs, _ = EXAMPLES[name]
    metric = parse(text)
    rows = np.repeat(metric.measure_many(pairs), 4, axis=0)
    ids = [str(i) for i in range(len(rows))]
    groups = {"alone": [f"c{i}" for i in ids], "one": ["x"] * len(ids)}
    run = Evaluation(metric, ids, rows, groups=groups)
    other = Evaluation(metric, ids, rows[::-1], groups=groups)
    assert run.standard_errors("alone") == run.standard_errors()
    for method in METHODS:
        plain, clustered = (run.confidence(method=method, cluster=c) for c in (None, "one+alone"))
        assert plain == clustered
        assert plain.reasons == clustered.reasons
        assert plain.methods == clustered.methods
    for test in ("auto", "randomization", "bootstrap", "sign"):
        plain_test, clustered_test = (
            run.compare(other, test=test, trials=200, cluster=c).differences for c in (None, "id")
        )
        assert repr(plain_test) == repr(clustered_test)
    assert run.power(other, [8], runs=3) == run.power(other, [8], runs=3, cluster="alone")


VALUES = st.lists(st.floats(0, 1).map(lambda x: round(x, 3)), min_size=2, max_size=8)


@given(VALUES, st.integers(2, 4))
def test_copies_of_an_item_say_no_more_than_the_item(values: list[float], copies: int) -> None:
    """Equal clusters of equal items have the figures of the items themselves."""
    single = np.array([[1.0, value] for value in values])
    rows = np.repeat(single, copies, axis=0)
    clusters = numbered(np.repeat(np.arange(len(values)), copies).tolist())
    # 0/1 items without clusters have the exact interval.
    for method in ("percentile", "auto") if set(values) - {0.0, 1.0} else ("percentile",):
        expected, found = (
            intervals(single, mean, method=method),
            intervals(rows, mean, method=method, clusters=clusters),
        )
        assert (expected[MEAN] is None) == (found[MEAN] is None)
        for end in ("low", "high"):
            if found[MEAN] is not None:
                assert getattr(found[MEAN], end) == pytest.approx(getattr(expected[MEAN], end))
    assert standard_errors(rows, mean, clusters)[MEAN] == pytest.approx(
        standard_errors(single, mean)[MEAN], abs=1e-12
    )


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1), st.integers(0, 1)), min_size=2))
def test_clusters_are_exchanged_as_wholes(items: list[tuple[int, int, int]]) -> None:
    """The same as testing the rows of whole clusters, for every test that clusters allow."""
    clusters = numbered([cluster for cluster, *_ in items])
    first = np.array([[1.0, a] for _, a, _ in items])
    second = np.array([[1.0, b] for *_, b in items])
    whole = summed(first, clusters), summed(second, clusters)
    if len(whole[0]) in (1, len(items)) or np.any(whole[0] != whole[1], axis=1).sum() < 2:
        return  # without clusters, or without a test
    for test in TESTS:
        if test != "mcnemar":
            options: dict[str, Any] = {"test": test, "trials": 50}
            _, of_items = compare_paired(first, second, mean, clusters=clusters, **options)
            _, of_rows = compare_paired(*whole, mean, **options)
            assert of_items[MEAN].p_value == of_rows[MEAN].p_value
    curve, other = (
        system_power(first, second, mean, MEAN, [4], runs=2, clusters=clusters),
        system_power(*whole, mean, MEAN, [4], runs=2),
    )
    assert curve == other
