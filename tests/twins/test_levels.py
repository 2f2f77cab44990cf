"""Levels, resamples and exchanges against plain loops over SciPy calls."""

from __future__ import annotations

import warnings

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from drawn import drawn
from karat import _native
from karat.stats.levels import ALL_LEVELS, Correlations, Level, bootstrap_draws
from karat.stats.metric_tests import (
    paired_bootstrap,
    paired_permutation,
    standardized,
    williams_p_value,
)
from karat.stats.resampling import streams

Matrix = npt.NDArray[np.float64]


def plain(x: Matrix, y: Matrix) -> list[float]:
    """The four coefficients of two vectors, by SciPy."""
    if len(x) < 2 or len(set(x)) < 2 or len(set(y)) < 2:
        return [np.nan] * 4
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [
            scipy_stats.pearsonr(x, y).statistic,
            scipy_stats.spearmanr(x, y).statistic,
            scipy_stats.kendalltau(x, y).statistic,
            scipy_stats.kendalltau(x, y, variant="c").statistic,
        ]


def plain_level(level: Level, x: Matrix, y: Matrix) -> list[float]:
    """The definition of a level, word by word."""
    present = ~np.isnan(x)
    if level == "global":
        return plain(x[present], y[present])
    if level == "system":
        rows = [i for i in range(len(x)) if present[i].any()]
        return plain(
            np.array([round(np.mean(x[i][present[i]]), 11) for i in rows]),
            np.array([round(np.mean(y[i][present[i]]), 11) for i in rows]),
        )
    if level == "by-system":
        return plain_level("summary", x.T, y.T)
    columns = [plain(x[present[:, j], j], y[present[:, j], j]) for j in range(x.shape[1])]
    result = []
    for values in zip(*columns, strict=True):
        defined = [value for value in values if not np.isnan(value)]
        result.append(float(np.mean(defined)) if defined else np.nan)
    return result


def random_matrices(seed: int, count: int, holes: bool = True) -> list[Matrix]:
    random = np.random.default_rng(seed)
    shape = random.integers(2, 7), random.integers(1, 6)
    absent = random.random(shape) < 0.2 if holes else np.zeros(shape, bool)
    result = []
    for _ in range(count):
        whole = random.random() < 0.5
        matrix = random.integers(0, 4, shape).astype(float) if whole else random.random(shape)
        matrix[absent] = np.nan
        result.append(matrix)
    return result


@given(st.integers(0, 10**6))
@settings(max_examples=drawn(60), deadline=None)
def test_observed_levels(seed: int) -> None:
    x, y = random_matrices(seed, 2)
    pair = Correlations(x, y)
    for level in ALL_LEVELS:
        np.testing.assert_allclose(
            pair.observed(level).values, plain_level(level, x, y), atol=1e-9, equal_nan=True
        )


@given(st.integers(0, 10**6), st.sampled_from(["system", "input", "both"]))
@settings(max_examples=drawn(25), deadline=None)
def test_weights_are_repetitions(seed: int, units: str) -> None:
    """A weighted resample equals the matrix with rows and columns written out."""
    x, y = random_matrices(seed, 2)
    pair = Correlations(x, y)
    drawn = pair.bootstrap(ALL_LEVELS, units, 6, seed)
    trial = 0
    for rows, columns in bootstrap_draws(pair.shape, units, 6, seed):
        for row, column in zip(rows, columns, strict=True):
            i, j = np.repeat(np.arange(len(row)), row.astype(int)), None
            j = np.repeat(np.arange(len(column)), column.astype(int))
            for level in ALL_LEVELS:
                np.testing.assert_allclose(
                    drawn[level][trial],
                    plain_level(level, x[np.ix_(i, j)], y[np.ix_(i, j)]),
                    atol=1e-9,
                    equal_nan=True,
                )
            trial += 1
    assert trial == 6


def written_out(level: Level, x: Matrix, y: Matrix, weights: Matrix) -> list[float]:
    """The definition of a level where each cell is there as often as it weighs."""
    times = np.nan_to_num(weights).astype(int)
    if level == "system":
        rows = [i for i in range(len(x)) if times[i].sum()]
        means = [
            [round(float(np.mean(np.repeat(m[i], times[i]))), 11) for i in rows] for m in (x, y)
        ]
        return plain(*map(np.array, means))
    if level == "by-system":
        return written_out("summary", x.T, y.T, weights.T)
    if level == "global":
        return plain(np.repeat(x.ravel(), times.ravel()), np.repeat(y.ravel(), times.ravel()))
    columns = [
        plain(np.repeat(x[:, j], times[:, j]), np.repeat(y[:, j], times[:, j]))
        for j in range(x.shape[1])
    ]
    defined = [[v for v in values if not np.isnan(v)] for values in zip(*columns, strict=True)]
    return [float(np.mean(values)) if values else np.nan for values in defined]


@given(st.integers(0, 10**6))
@settings(max_examples=drawn(60), deadline=None)
def test_weights_of_cells_are_repetitions(seed: int) -> None:
    x, y, weights = random_matrices(seed, 3)
    weights = np.floor(weights * 3)
    for scale in (1.0, 0.25):
        pair = Correlations(x, y, weights=scale * weights)
        for level in ALL_LEVELS:
            np.testing.assert_allclose(
                pair.observed(level).values,
                written_out(level, x, y, weights),
                atol=1e-9,
                equal_nan=True,
            )


def by_regression(x: Matrix, y: Matrix, controls: list[Matrix]) -> float:
    """Pearson's r of what is left of two lists when the controls are fitted to both."""
    design = np.column_stack([np.ones(len(x)), *controls])
    left = [v - design @ np.linalg.lstsq(design, v, rcond=None)[0] for v in (x, y)]
    return float(scipy_stats.pearsonr(*left).statistic)


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("seed", range(5))
def test_partial_coefficients_are_those_of_residuals(seed: int, count: int) -> None:
    random = np.random.default_rng(seed)
    x, y, *controls = (np.round(random.random((6, 5)), 1) for _ in range(2 + count))
    pair = Correlations(x, y, controls=controls)
    cells = [m.ravel() for m in (x, y, *controls)]
    found = pair.observed("global").values
    assert found[0] == pytest.approx(by_regression(cells[0], cells[1], cells[2:]))
    ranks = [scipy_stats.rankdata(values) for values in cells]
    assert found[1] == pytest.approx(by_regression(ranks[0], ranks[1], ranks[2:]))
    # The recursion of Kendall's partial tau is the inverse of the matrix of all taus.
    taus = np.array([[scipy_stats.kendalltau(a, b).statistic for b in cells] for a in cells])
    inverse = np.linalg.inv(taus)
    assert found[2] == pytest.approx(-inverse[0, 1] / np.sqrt(inverse[0, 0] * inverse[1, 1]))
    assert np.isnan(found[3])
    columns = [
        by_regression(x[:, j], y[:, j], [m[:, j] for m in controls]) for j in range(x.shape[1])
    ]
    assert pair.observed("summary").values[0] == pytest.approx(np.mean(columns))
    means = [m.mean(axis=1) for m in (x, y, *controls)]
    assert pair.observed("system").values[0] == pytest.approx(
        by_regression(means[0], means[1], means[2:])
    )


def test_a_control_that_says_all_leaves_nothing() -> None:
    x, y = random_matrices(3, 2, holes=False)
    found = Correlations(x, y, controls=[2 * x + 1]).observed("global").values
    assert np.isnan(found).all()


@pytest.mark.parametrize("units", ["system", "input", "both"])
@pytest.mark.parametrize("two_tailed", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_permutation_test(units: str, two_tailed: bool, seed: int) -> None:
    x, y, z = random_matrices(seed + 30, 3)
    trials = 20
    found = paired_permutation(
        x, y, z, ALL_LEVELS, units=units, two_tailed=two_tailed, trials=trials, seed=seed
    )
    a, b = standardized(x), standardized(y)
    present = np.argwhere(~np.isnan(x))
    width = {"system": len(x), "input": x.shape[1], "both": len(present)}[units]
    coins = np.empty((trials, width))
    _native.coin_weights(coins, 0, streams(seed, 1)[0])
    for level in ALL_LEVELS:
        observed = np.subtract(plain_level(level, a, z), plain_level(level, b, z))
        hits, defined = np.zeros(4), np.zeros(4)
        for toss in coins:
            swapped_a, swapped_b = a.copy(), b.copy()
            for k, (i, j) in enumerate(present):
                if toss[{"system": i, "input": j, "both": k}[units]]:
                    swapped_a[i, j], swapped_b[i, j] = b[i, j], a[i, j]
            delta = np.subtract(plain_level(level, swapped_a, z), plain_level(level, swapped_b, z))
            one, other = (np.abs(delta), np.abs(observed)) if two_tailed else (delta, observed)
            defined += ~np.isnan(delta)
            hits += one >= other - 1e-12
        for place in range(4):
            value = found[level].values[place]
            if np.isnan(observed[place]) or not defined[place]:
                assert value is None
            else:
                assert value == pytest.approx((1 + hits[place]) / (1 + defined[place]))


def test_identical_metrics_never_differ() -> None:
    x, z = random_matrices(3, 2, holes=False)
    for units in ("system", "input", "both"):
        for test in (paired_bootstrap, paired_permutation):
            for level, values in test(x, x, z, ALL_LEVELS, units=units).items():
                assert all(p in (1.0, None) for p in values.values), (level, units)


def test_affine_copies_never_differ_by_permutation() -> None:
    x, z = random_matrices(7, 2, holes=False)
    found = paired_permutation(x, 3 * x + 2, z, ("system", "global", "summary"))
    assert all(values.values[0] == 1.0 for values in found.values())


def test_williams_against_the_textbook() -> None:
    """Steiger's (1980) form of Williams' t, written out once more."""
    r12, r13, r23, n = 0.7, 0.5, 0.4, 30
    det = np.linalg.det(np.array([[1, r12, r13], [r12, 1, r23], [r13, r23, 1]]))
    t = (r12 - r13) * np.sqrt(
        (n - 1)
        * (1 + r23)
        / (2 * (n - 1) / (n - 3) * det + ((r12 + r13) / 2) ** 2 * (1 - r23) ** 3)
    )
    assert williams_p_value(r12, r13, r23, n, False) == pytest.approx(scipy_stats.t.sf(t, n - 3))
    assert williams_p_value(r13, r12, r23, n, False) == pytest.approx(scipy_stats.t.cdf(t, n - 3))
    assert williams_p_value(0.5, 0.5, 1.0, n, True) == 1.0
    assert williams_p_value(0.5, 0.4, 0.3, 3, True) is None
