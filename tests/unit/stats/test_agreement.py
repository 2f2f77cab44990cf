"""Agreement between annotators, against other implementations and by hand."""

from __future__ import annotations

import json
import tracemalloc
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.errors import KaratError, LimitExceeded, OptionError
from karat.meta.annotators import agreement
from karat.stats.agreement import (
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    krippendorff_alpha_of_sets,
    masi_distances,
    mean_cohen_kappa,
    split_half,
)

Matrix = npt.NDArray[np.float64]

# Krippendorff's (2011) own example: four observers, twelve units.
EXAMPLE = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, np.nan, np.nan, np.nan],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, np.nan, 3],
        [np.nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, np.nan],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, np.nan],
    ]
)


@pytest.mark.parametrize(
    ("scale", "expected"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_the_figures_of_krippendorffs_paper(scale: str, expected: float) -> None:
    found = krippendorff_alpha(EXAMPLE, scale)
    assert found.value == pytest.approx(expected, abs=5e-4)
    assert found.units == 11  # one unit has a single rating
    assert found.interval is not None
    assert found.interval.low < found.value < found.interval.high


def random_ratings(seed: int) -> Matrix:
    random = np.random.default_rng(seed)
    shape = int(random.integers(2, 5)), int(random.integers(2, 12))
    ratings = random.integers(1, 5, shape).astype(float)
    ratings[random.random(shape) < 0.2] = np.nan
    return ratings


@given(st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_alpha_equals_the_krippendorff_package(seed: int) -> None:
    peer = pytest.importorskip("krippendorff")
    ratings = random_ratings(seed)
    for scale in ("nominal", "ordinal", "interval"):
        found = krippendorff_alpha(ratings, scale, resamples=1).value
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                expected = peer.alpha(ratings, level_of_measurement=scale)
            except (ValueError, AssertionError):
                assert found is None  # nothing to compare, or one value only
                continue
        if np.isnan(expected):
            assert found is None
        else:
            assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize(("factor", "shift"), [(2.0**-40, 0.0), (2.0**40, 0.0), (1.0, 2.0**30)])
def test_alpha_does_not_depend_on_the_unit_of_the_ratings(
    scale: str, factor: float, shift: float
) -> None:
    plain = krippendorff_alpha(EXAMPLE, scale)
    other = krippendorff_alpha(EXAMPLE * factor + shift, scale)
    assert other.value == pytest.approx(plain.value, abs=1e-12)
    assert plain.interval is not None
    assert other.interval == pytest.approx(plain.interval, abs=1e-12)


def test_alpha_of_ratings_that_are_all_different() -> None:
    """Scores of segments have thousands of values: a table of units and values has no room."""
    random = np.random.default_rng(1)
    truth = random.normal(size=100_000)
    ratings = truth + random.normal(size=(3, len(truth)))
    for scale in ("ordinal", "interval"):
        value = krippendorff_alpha(ratings, scale, resamples=1).value
        assert value == pytest.approx(0.5, abs=0.03)  # half of the variance is the units'
    assert krippendorff_alpha(ratings, "nominal", resamples=1).value == pytest.approx(0, abs=1e-4)
    kappa = fleiss_kappa(ratings)
    assert kappa == pytest.approx(0, abs=1e-4)


@given(st.integers(0, 10**6), st.sampled_from(["none", "linear", "quadratic"]))
@settings(max_examples=60, deadline=None)
def test_cohen_equals_scikit_learn(seed: int, weights: str) -> None:
    peer = pytest.importorskip("sklearn.metrics")
    random = np.random.default_rng(seed)
    a, b = random.integers(0, 4, (2, int(random.integers(1, 20))))
    found = cohen_kappa(a, b, weights)
    labels = sorted(set(a) | set(b))
    if len(labels) < 2:
        assert found is None
        return
    expected = peer.cohen_kappa_score(
        a, b, labels=labels, weights=None if weights == "none" else weights
    )
    assert found == pytest.approx(expected, abs=1e-12)


@given(st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_fleiss_equals_statsmodels(seed: int) -> None:
    peer = pytest.importorskip("statsmodels.stats.inter_rater")
    random = np.random.default_rng(seed)
    ratings = random.integers(0, 4, (int(random.integers(2, 6)), int(random.integers(2, 15))))
    found = fleiss_kappa(ratings.astype(float))
    if len(set(ratings.ravel())) == 1:
        assert found is None
        return
    table, _ = peer.aggregate_raters(ratings.T)
    assert found == pytest.approx(peer.fleiss_kappa(table), abs=1e-12)


@settings(max_examples=60)
@given(
    st.lists(st.tuples(*[st.sampled_from([0.0, 1.0, 2.5, 4.0, 7.0])] * 3), min_size=2, max_size=8),
    st.sampled_from([None, "linear", "quadratic"]),
)
def test_pairs_of_annotators_share_the_categories(
    units: list[tuple[float, ...]], weights: Any
) -> None:
    """Whether 2 and 4 are neighbours does not depend on who of two annotators gives a 3."""
    peer = pytest.importorskip("sklearn.metrics")
    ratings = np.array(units).T
    codes = np.unique(ratings, return_inverse=True)[1].reshape(ratings.shape)
    every = list(range(int(codes.max()) + 1))
    expected = [
        peer.cohen_kappa_score(codes[i], codes[j], weights=weights, labels=every)
        for i, j in ((0, 1), (0, 2), (1, 2))
        if len({*codes[i], *codes[j]}) > 1
    ]
    found = mean_cohen_kappa(ratings, weights or "none")
    assert found == (pytest.approx(np.mean(expected), abs=1e-12) if expected else None)


def test_results_are_plain_json(tmp_path: Path) -> None:
    path = tmp_path / "ratings.jsonl"
    lines = (
        {"instance_id": i, "summarizer_id": "s", "metrics": {"q": [i % 3, i % 4, i % 5]}}
        for i in range(9)
    )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    summary = agreement([str(path)], "q", resamples=20).summary()
    assert json.loads(json.dumps(summary)) == summary
    assert set(summary["krippendorff_alpha"]["interval"]) == {"low", "high"}


def test_masi() -> None:
    """Passonneau's (2006) four cases: equal, subset, overlap, disjoint."""
    a, b, c = frozenset("ab"), frozenset("abc"), frozenset("bd")
    found = masi_distances([a, b, c, frozenset("xy"), frozenset(), a])[0].tolist()
    assert found == pytest.approx([0, 1 - 2 / 3 * 2 / 3, 1 - 1 / 3 * 1 / 3, 1, 1, 0])
    assert masi_distances([frozenset(), frozenset()]).tolist() == [[0, 0], [0, 0]]


def test_alpha_of_single_labels_is_nominal_alpha() -> None:
    """One label per set: MASI is 0 or 1, and so is the nominal distance."""
    ratings = random_ratings(5)
    sets = [[None if v != v else frozenset([v]) for v in row] for row in ratings.tolist()]
    assert krippendorff_alpha_of_sets(sets).value == pytest.approx(
        krippendorff_alpha(ratings, "nominal").value
    )


def test_alpha_of_sets_by_hand() -> None:
    """Two annotators, two units: observed 1/3 and 0, expected over all six pairs."""
    one, two = frozenset("a"), frozenset("ab")
    found = krippendorff_alpha_of_sets([[one, one], [two, one]])
    apart = 1 - 1 / 2 * 2 / 3
    observed = 2 * apart / 4
    expected = (2 * 3 * 1) * apart / (4 * 3)
    assert found.value == pytest.approx(1 - observed / expected)


def test_agreement_where_there_is_nothing_to_agree_on() -> None:
    flat = np.ones((3, 4))
    assert krippendorff_alpha(flat, "interval").value is None
    assert krippendorff_alpha(np.full((2, 3), np.nan)).value is None
    assert fleiss_kappa(flat) is None
    assert mean_cohen_kappa(flat) is None
    assert split_half(flat).value is None
    assert fleiss_kappa(np.array([[1, 2], [1, np.nan]])) is None


def test_alpha_interval_covers() -> None:
    """Ratings that are chance alone have alpha 0."""
    random = np.random.default_rng(0)
    hits = 0
    for run in range(200):
        ratings = random.integers(0, 3, (3, 80)).astype(float)
        interval = krippendorff_alpha(ratings, "nominal", resamples=300, seed=run).interval
        assert interval is not None
        hits += interval.low <= 0 <= interval.high
    assert 0.9 <= hits / 200 <= 0.99


def test_split_half_recovers_a_known_reliability() -> None:
    """Truth and noise of equal variance, four annotators: reliability of the mean is 4/5."""
    random = np.random.default_rng(1)
    truth = random.standard_normal(4000)
    found = split_half(truth + random.standard_normal((4, 4000)), splits=20)
    assert found.value == pytest.approx(2 / 3, abs=0.03)
    assert found.corrected == pytest.approx(4 / 5, abs=0.03)


def test_split_halves_that_contradict_each_other_have_no_estimate() -> None:
    """Spearman and Brown's 2r / (1 + r) has no value at -1, however r is rounded."""
    turned = split_half(np.array([[1, 2, 4.1], [3.3, 2.3, 0.2]]), splits=20)
    assert turned.value == pytest.approx(-1)
    assert turned.corrected is None
    assert turned.interval is None
    mixed = split_half(np.array([[1.0, 2.0], [2.0, 2.5], [1.0, 0.5], [0.0, 3.0]]), splits=50)
    assert mixed.value is not None
    assert -1 < mixed.value < 1
    assert mixed.corrected is None


def test_ratings_come_from_records(tmp_path: Path) -> None:
    path = tmp_path / "human.jsonl"
    lines = [
        {"instance_id": f"d{i}", "summarizer_id": "s", "metrics": {"expert": {"coherence": values}}}
        for i, values in enumerate(EXAMPLE.T.tolist())
    ]
    path.write_text("".join(json.dumps(line).replace("NaN", "null") + "\n" for line in lines))
    document = agreement([str(path)], "expert_coherence").summary()
    assert document["krippendorff_alpha"]["value"] == pytest.approx(0.815, abs=5e-4)
    assert document["annotators"] == 4
    assert document["fleiss_kappa"] is None
    with pytest.raises(OptionError, match="did you mean 'expert_coherence'"):
        agreement([str(path)], "expert_coherense")


def test_sets_come_from_records(tmp_path: Path) -> None:
    path = tmp_path / "human.jsonl"
    path.write_text(
        '{"instance_id": "d", "summarizer_id": "s", "metrics": {"tags": [["a"], ["b"], null]}}\n'
        '{"instance_id": "e", "summarizer_id": "s", "metrics": {"tags": [["a"], ["a"]]}}\n'
    )
    found = agreement([str(path)], "tags", scale="masi").summary()
    assert found["krippendorff_alpha"]["ratings"] == 4
    with pytest.raises(KaratError, match="must be a number"):
        agreement([str(path)], "tags")


def test_kappa_of_as_many_categories_as_ratings() -> None:
    """A table of all pairs of categories would take 51 GB here. By hand: the second annotator is
    one place above the first, so that places 0 ... n - 1 are held against 1 ... n."""
    n = 40_000
    first, second = np.arange(n) / 7, (np.arange(n) + 1) / 7
    square = 2 * ((n**2 - 1) / 12) + 1  # the mean square of the difference by chance
    assert cohen_kappa(first, second, "quadratic") == pytest.approx(1 - 1 / square, rel=1e-9)
    assert cohen_kappa(first, second) == pytest.approx(1 - 1 / (1 - (n - 1) / n**2))
    # Two whole numbers below n differ by (n^2 - 1) / 3n; here by one more above, one less below.
    chance = sum(abs(d + 1) * (n - abs(d)) for d in range(1 - n, n)) / n**2
    assert cohen_kappa(first, second, "linear") == pytest.approx(1 - 1 / chance)


def test_many_sets_are_compared_quickly_and_too_many_are_refused() -> None:
    sets = [frozenset({i, i + 1, i % 5}) for i in range(600)]
    rows = [sets, sets[1:] + sets[:1]]
    assert krippendorff_alpha_of_sets(rows, resamples=20).units == 600
    many = [frozenset({i}) for i in range(6_000)]
    with pytest.raises(LimitExceeded, match="6,000 different sets of labels"):
        krippendorff_alpha_of_sets([many, many])


def test_resamples_of_many_units_take_little_memory() -> None:
    ratings = np.random.default_rng(0).integers(0, 5, (3, 100_000)).astype(float)
    tracemalloc.start()
    try:
        found = krippendorff_alpha(ratings, "interval", resamples=200)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found.interval is not None
    assert found.interval.low < 0 < found.interval.high
    assert peak < 100 << 20  # 160 MB of weights at once
