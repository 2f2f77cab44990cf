"""Statistics of little data: nothing is claimed that the data cannot show."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.core.scores import MetricsDict
from karat.meta.comparing import TEST_METHODS, TestMethod, significance
from karat.meta.correlating import INTERVALS, IntervalMethod, correlate
from karat.meta.preferences import Preference, compare_preferences
from karat.meta.records import Record
from karat.meta.table import ScoreTable
from karat.stats.agreement import krippendorff_alpha, split_half
from karat.stats.correlation import COEFFICIENTS, correlation
from karat.stats.gating import GateTest, gated
from karat.stats.intervals import METHODS, Method, intervals, standard_errors
from karat.stats.levels import ALL_LEVELS, Correlations
from karat.stats.paired_tests import TESTS, Differing, Test, compare_paired
from karat.stats.pairwise import pairwise_accuracy

Matrix = npt.NDArray[np.float64]
SHAPES = [(1, 1), (1, 5), (2, 1), (2, 4), (3, 1), (5, 1), (3, 3)]
A = ("a",)


def table(*scores: Matrix) -> ScoreTable:
    names = "xyz"[: len(scores)]
    return ScoreTable.of(
        Record(
            f"input{j}",
            f"system{i}",
            "peer",
            MetricsDict({name: float(s[i, j]) for name, s in zip(names, scores, strict=True)}),
        )
        for i, j in np.ndindex(*scores[0].shape)
    )


@pytest.mark.parametrize("method", [name for name in INTERVALS if name.startswith("bootstrap")])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", ["random", "equal", "constant"])
def test_no_bootstrap_interval_of_a_correlation_is_one_point(
    method: IntervalMethod, shape: tuple[int, int], kind: str
) -> None:
    random = np.random.default_rng(1)
    x = random.random(shape)
    y = {"random": random.random(shape), "equal": 2 * x, "constant": np.ones(shape)}[kind]
    found = correlate(
        table(x, y), "x", "y", method=method, resamples=60, levels=ALL_LEVELS,
        coefficients=("pearson", "kendall", "spa"),
    )  # fmt: skip
    for level, result in found.levels.items():
        for name, estimate in result.estimates.items():
            if estimate.interval is not None:
                assert estimate.interval.low < estimate.interval.high, (level, name)
            elif estimate.value is not None and name != "spa":
                told = [each for each in found.warnings if each.startswith(f"{level} ")]
                assert any(name in each and "no resample differs" in each for each in told)


@pytest.mark.parametrize("method", TEST_METHODS)
@pytest.mark.parametrize("shape", [shape for shape in SHAPES if 1 in shape or 2 in shape])
@pytest.mark.parametrize("two_tailed", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_one_system_or_input_or_two_never_make_a_metric_significantly_better(
    method: TestMethod, shape: tuple[int, int], two_tailed: bool, seed: int
) -> None:
    """Of two systems, or of one unit that is drawn or exchanged, 5 % cannot be reached."""
    if (method.endswith(("both", "system")) and shape[0] > 2) or method == "williams":
        return
    if method.endswith("input") and shape[1] > 1:
        return
    random = np.random.default_rng(seed)
    data = table(*(random.random(shape) for _ in range(3)))
    found = significance(
        data, "z", "x", "y", method=method, trials=200, two_tailed=two_tailed, levels=("system",)
    )
    for name in ("pearson", "spearman", "kendall"):
        p = found.levels["system"].values[COEFFICIENTS.index(name)]
        assert p is None or p > 0.05
        told = [each for each in found.warnings if each.endswith("too little varies for a p-value")]
        assert (p is None) == any(name in each for each in told)


@given(
    st.floats(0.01, 9).filter(lambda v: v not in (1.0, 2.0)), st.integers(2, 7), st.integers(2, 9)
)
@settings(max_examples=60, deadline=None)
def test_equal_ratings_have_no_agreement_to_measure(
    rating: float, annotators: int, units: int
) -> None:
    ratings = np.full((annotators, units), rating)
    assert split_half(ratings, splits=5).value is None
    for scale in ("nominal", "ordinal", "interval"):
        assert krippendorff_alpha(ratings, scale, resamples=5).value is None


def test_resamples_that_do_not_differ_give_no_interval_of_agreement() -> None:
    perfect = np.array([[1.0, 2, 3, 4], [1, 2, 3, 4]])
    assert krippendorff_alpha(perfect).value == 1
    assert krippendorff_alpha(perfect).interval is None
    halves = split_half(perfect, splits=20)
    assert halves.value == pytest.approx(1)
    assert halves.interval is None


def test_inputs_with_the_same_judgements_do_not_make_strengths_certain() -> None:
    judged = [Preference(i, "a", "b", 1) for i in "12" for _ in range(3)]
    found = compare_preferences(judged, prior=0.5)
    assert found.interval_method == "information"
    assert all(low < strength < high for (low, high), strength in zip(
        found.intervals, found.strengths, strict=True
    ))  # fmt: skip


@pytest.mark.parametrize("broken", [math.nan, math.inf])
def test_a_number_that_is_none_correlates_with_nothing(broken: float) -> None:
    found = correlation([1.0, 2, broken, 4], [2.0, 1, 3, 4])
    assert all(math.isnan(value) for value in found.values())


def mean(rows: Matrix) -> dict[tuple[str, ...], Any]:
    items = rows[..., 0]
    return {A: np.divide(rows[..., 1], items, out=np.full(items.shape, np.nan), where=items > 0)}


def unbounded(_path: tuple[str, ...]) -> tuple[float, float]:
    return -math.inf, math.inf


@pytest.mark.parametrize("exponent", [-1000, -600, 600, 1000])
@pytest.mark.parametrize("method", METHODS)
def test_statistics_have_the_unit_of_their_scores(exponent: int, method: Method) -> None:
    """A power of two changes no digit."""
    random = np.random.default_rng(0)
    scores = random.exponential(size=9)
    rows, large = (
        np.column_stack([np.ones(9), each]) for each in (scores, np.ldexp(scores, exponent))
    )
    assert standard_errors(rows, mean)[A] == pytest.approx(scores.std(ddof=1) / 3)
    error = standard_errors(large, mean)[A]
    assert error is not None
    assert math.ldexp(error, -exponent) == standard_errors(rows, mean)[A]
    ends = [
        intervals(each, mean, method=method, range_of=unbounded, resamples=100)[A]
        for each in (rows, large)
    ]
    assert ends[0] is not None
    assert ends[1] is not None
    assert math.ldexp(ends[1].low, -exponent) == ends[0].low
    assert math.ldexp(ends[1].high, -exponent) == ends[0].high


@pytest.mark.parametrize("exponent", [-1000, -600, 600, 1000])
def test_gates_have_the_unit_of_their_scores(exponent: int) -> None:
    random = np.random.default_rng(0)
    scores = random.exponential(size=(2, 30))

    def gate(scores: Matrix, margin: float) -> GateTest:
        new, base = (np.column_stack([np.ones(30), each]) for each in scores)
        return gated(Differing(new, base, mean), A, (-math.inf, math.inf), margin, 0.05, 0.8)

    usual, found = gate(scores, 0.25), gate(np.ldexp(scores, exponent), math.ldexp(0.25, exponent))
    assert (found.p_worse, found.p_not_worse) == (usual.p_worse, usual.p_not_worse)
    assert usual.needed is not None
    assert found.needed == usual.needed
    # A margin that is nothing beside the scores, or beside which these are nothing.
    other = gate(np.ldexp(scores, exponent), 0.25)
    at_0 = gate(scores, 1e-300)
    assert other.p_not_worse == pytest.approx(0 if exponent < 0 else at_0.p_not_worse)
    assert other.needed == (20 if exponent < 0 else None)


@pytest.mark.parametrize("exponent", [-1000, 1000])
def test_agreement_has_no_unit(exponent: int) -> None:
    ratings = np.random.default_rng(3).integers(1, 6, (4, 12)).astype(float)
    moved = np.ldexp(ratings, exponent)
    assert split_half(moved, splits=9) == split_half(ratings, splits=9)
    for scale in ("nominal", "ordinal", "interval"):
        assert krippendorff_alpha(moved, scale, resamples=9) == krippendorff_alpha(
            ratings, scale, resamples=9
        )


@pytest.mark.parametrize("exponent", [-1000, 1022])
def test_correlations_have_no_unit(exponent: int) -> None:
    random = np.random.default_rng(4)
    x, y = random.random((5, 6)) - 0.5, random.random((5, 6)) - 0.5
    plain, moved = Correlations(x, y), Correlations(np.ldexp(x, exponent), y)
    for level in ALL_LEVELS:
        assert moved.observed(level).values.tolist() == plain.observed(level).values.tolist()
    assert np.array_equal(moved.means()[0], np.ldexp(plain.means()[0], exponent))


@pytest.mark.parametrize("test", [name for name in TESTS if name != "mcnemar"])
def test_an_undefined_score_has_no_p_value(test: Test) -> None:
    nothing, something = np.zeros((6, 2)), np.ones((6, 2))
    (found,) = compare_paired(nothing, something, mean, test=test, trials=50)[1].values()
    assert found.p_value is None


@given(st.integers(0, 10**6))
@settings(max_examples=100, deadline=None)
def test_pairwise_accuracy_counts_ties_as_its_definition_does(seed: int) -> None:
    """Right pairs: ordered alike, or tied in both; scores that differ by rounding are tied."""
    random = np.random.default_rng(seed)
    tenths = random.integers(0, 4, 7)
    x = np.where(random.random(7) < 0.5, tenths / 10, tenths * 0.1)  # 3 * 0.1 is not 0.3
    y = random.integers(0, 3, 7).astype(float)
    found = pairwise_accuracy(Correlations(x[:, None], y[:, None]), "global")

    def accuracy(threshold: int) -> float:
        right = 0
        for i in range(7):
            for j in range(i):
                apart = int(tenths[i] - tenths[j])
                told = 0 if abs(apart) <= threshold else np.sign(apart)
                right += told == np.sign(y[i] - y[j])
        return right / 21

    assert found.value == pytest.approx(accuracy(0))
    assert found.calibrated == pytest.approx(max(accuracy(t) for t in range(4)))
    assert found.threshold is not None
    assert accuracy(round(found.threshold * 10)) == pytest.approx(found.calibrated)
