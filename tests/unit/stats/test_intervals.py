"""Bootstrap intervals against SciPy's, against the truth, and at their edges."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from karat import cores
from karat.errors import OptionError
from karat.stats import Interval, intervals
from karat.stats.intervals import Method, Sample, share_range
from karat.stats.resampling import Array, Path


def mean(sums: Array) -> dict[Path, Array]:
    return {("mean",): sums[..., 1] / sums[..., 0]}


def table(values: Array) -> Array:
    return np.column_stack([np.ones(len(values)), values])


def interval(values: Array, **options: object) -> Interval:
    found = intervals(table(values), mean, **options)[MEAN]  # type: ignore[arg-type]
    assert found is not None
    return found


MEAN = ("mean",)


SAMPLES = {
    "normal": np.random.default_rng(1).normal(5, 2, 50),
    "skewed": np.random.default_rng(2).exponential(1, 40),
    "shares": np.random.default_rng(3).integers(0, 2, 200).astype(float),
}


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize(("method", "theirs"), [("bca", "BCa"), ("percentile", "percentile")])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_intervals_equal_those_of_scipy(
    name: str, method: Method, theirs: str, level: float
) -> None:
    """The same definition with another generator of random numbers.

    The quantile q of n resamples has a standard error of sqrt(q (1 - q) / n) / f, with
    f the density at the quantile. For a normal distribution with standard error s,
    q = 0.025 and n = 20,000 that is 0.019 s; the difference of two such estimates
    exceeds 5 * sqrt(2) * 0.019 s = 0.134 s less than once in a million. Whole shares
    come in steps of 1 / n items, which is added.
    """
    values = SAMPLES[name]
    ours = interval(values, level=level, resamples=20_000, method=method)
    peer = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, confidence_level=level, method=theirs,
        rng=np.random.default_rng(4),
    ).confidence_interval  # fmt: skip
    error = values.std(ddof=1) / np.sqrt(len(values))
    step = 1 / len(values) if name == "shares" else 0.0
    assert ours.low == pytest.approx(peer.low, abs=0.134 * error + step)
    assert ours.high == pytest.approx(peer.high, abs=0.134 * error + step)


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_coverage_is_near_the_level(method: Method) -> None:
    """Of 400 samples of 60 normal values, nearly 90 % of the 90 % intervals hold the truth.

    The bootstrap's own error with 60 items is about one point; the count varies with a
    standard deviation of 1.5 points, of which four are allowed.
    """
    random = np.random.default_rng(5)
    hits = 0
    for trial in range(400):
        found = interval(
            random.normal(3, 1, 60), level=0.9, resamples=500, seed=trial, method=method
        )
        hits += found.low <= 3 <= found.high
    assert 0.83 <= hits / 400 <= 0.96


def test_bca_is_better_than_percentile_for_skewed_scores() -> None:
    """Both tails of a skewed mean miss equally often only after correction."""
    random = np.random.default_rng(6)
    missed = {"bca": [0, 0], "percentile": [0, 0]}
    for trial in range(400):
        values = random.exponential(1, 25)
        for method in ("bca", "percentile"):
            found = interval(values, level=0.9, resamples=500, seed=trial, method=method)
            missed[method][0] += found.low > 1
            missed[method][1] += found.high < 1
    assert sum(missed["bca"]) < sum(missed["percentile"])
    assert abs(missed["bca"][0] - missed["bca"][1]) < abs(
        missed["percentile"][0] - missed["percentile"][1]
    )


def test_a_higher_level_is_wider() -> None:
    values = SAMPLES["normal"]
    widths = [
        (found := interval(values, level=level)).high - found.low for level in (0.5, 0.9, 0.99)
    ]
    assert widths == sorted(widths)
    assert widths[0] < widths[-1]


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_quantiles_of_scores_that_are_all_alike(method: Method) -> None:
    found = interval(np.full(10, 2.0), method=method, resamples=50)
    assert found == Interval(2.0, 2.0)


UNBOUNDED = (-np.inf, np.inf)


REASONS = [
    ([0.7], (0, 1), "auto", "one item"),
    ([0.7], (0, 1), "percentile", "one item"),
    ([0.7], (0, 1), "bca", "one item"),
    ([0.7], UNBOUNDED, "auto", "one item"),
    ([None, None], (0, 1), "auto", "the score is undefined"),
    ([None, None], (0, 1), "percentile", "the score is undefined"),
    ([None, 0.5, None], (0, 1), "auto", "one item has the score"),
    ([None, 3.0, None], UNBOUNDED, "auto", "one item has the score"),
    ([3.1, 2.2, 5.0, 1.0], UNBOUNDED, "auto", "fewer than 5 items"),
    ([2.5] * 8, UNBOUNDED, "auto", "all items have the same score"),
    (
        [1.0, 0.0, None, None, None],
        (0, 1),
        "percentile",
        "the score is undefined in more than 5 % of the resamples",
    ),
]


def rows(values: list[float | None]) -> Array:
    """An item and its score each; an item without a score counts nothing."""
    return np.array([[0.0, 0.0] if v is None else [1.0, v] for v in values])


def share(sums: Array) -> dict[Path, Array]:
    result = np.full(sums.shape[:-1], np.nan)
    np.divide(sums[..., 1], sums[..., 0], out=result, where=sums[..., 0] > 0)
    return {MEAN: result}


@pytest.mark.parametrize(("values", "ends", "method", "reason"), REASONS)
def test_why_there_is_no_interval(
    values: list[float | None], ends: tuple[float, float], method: Method, reason: str
) -> None:
    found = intervals(rows(values), share, method=method, range_of=lambda _: ends)
    assert found == {MEAN: None}
    assert found.reasons == {MEAN: reason}
    assert found.methods == {}


CHOICES = [
    ([0.0, 1.0, 1.0], (0, 1), "auto", "exact"),
    ([0.0, 100.0, None, 100.0], (0, 100), "auto", "exact"),
    ([1.0], (0, 1), "auto", "exact"),
    ([None, 1.0], (0, 1), "auto", "exact"),
    ([0.0, 1.0, 1.0], (0, 1), "wilson", "wilson"),
    ([0.5, 1.0], (0, 1), "auto", "anchored"),
    ([0.5, 1.0], (0, 1), "wilson", "anchored"),
    ([0.5, 0.5], (0, 1), "auto", "anchored"),
    ([1.0, 2.0, 2.0, 4.0, 3.0], UNBOUNDED, "auto", "skew-t"),
    ([0.0, 1.0, 1.0], (0, 1), "percentile", "percentile"),
    ([0.0, 1.0, 1.0], (0, 1), "bca", "bca"),
]


@pytest.mark.parametrize(("values", "ends", "method", "chosen"), CHOICES)
def test_which_interval_a_score_gets(
    values: list[float | None], ends: tuple[float, float], method: Method, chosen: str
) -> None:
    found = intervals(rows(values), share, method=method, range_of=lambda _: ends)
    assert found.methods == {MEAN: chosen}
    assert found.reasons == {}
    one = found[MEAN]
    assert one is not None
    assert one.low < one.high


def test_a_rate_over_some_of_the_items() -> None:
    """Precision of a 0/1 classifier: 7 of 10, whatever the 20 items without a prediction are."""
    values = [1.0] * 7 + [0.0] * 3 + [None] * 20
    found = intervals(rows(values), share)
    peer = stats.binomtest(7, 10).proportion_ci(method="exact")
    assert (found[MEAN].low, found[MEAN].high) == pytest.approx((peer.low, peer.high), abs=1e-12)  # type: ignore[union-attr]


def test_a_weighted_mean_of_0_and_1_is_no_rate() -> None:
    """3 of 4 and 0 of 1: the items' own scores are 1, 1 and 0, but they do not count alike."""
    counts = np.array([[2.0, 2.0], [1.0, 1.0], [1.0, 0.0]])
    assert intervals(counts, share).methods == {MEAN: "anchored"}


def test_error_rates_above_1_widen_the_range() -> None:
    found = interval(np.array([0.1, 0.2, 2.5, 0.4]))
    assert 1 < found.high <= 2.5


def test_the_lower_end_of_distances_is_kept() -> None:
    """Student's interval of these distances goes below 0, where no distance lies."""
    values = np.array([0.0, 0.0, 0.0, 0.0, 1.0])
    free = intervals(table(values), mean, range_of=lambda _: UNBOUNDED)[MEAN]
    kept = intervals(table(values), mean, range_of=lambda _: (0.0, np.inf))[MEAN]
    assert free is not None
    assert kept is not None
    assert free.low < 0 == kept.low
    assert free.high == kept.high


@given(
    st.lists(st.floats(-1e6, 1e6) | st.integers(0, 3).map(float), min_size=2, max_size=40),
    st.floats(0.01, 0.99),
    st.integers(1, 30),
)
def test_percentile_intervals_are_quantiles_as_numpy_has_them(
    values: list[float], level: float, resamples: int
) -> None:
    seen = []

    def summarize(totals: np.ndarray) -> dict[tuple[str, ...], np.ndarray]:
        seen.append(totals[..., 0])
        return {("sum",): totals[..., 0]}

    found = intervals(
        np.array(values)[:, None], summarize, level=level, resamples=resamples, method="percentile"
    )[("sum",)]
    assert found is not None
    resampled = next(each for each in seen if np.ndim(each))
    expected = np.quantile(resampled, [(1 - level) / 2, (1 + level) / 2])
    assert (found.low, found.high) == tuple(expected.tolist())


# -- how units are drawn


def _sample_of_f(n: int) -> Array:
    random = np.random.default_rng(n)
    gold = random.integers(1, 30, n)
    return np.column_stack([gold, random.binomial(gold, 0.8)]).astype(float)


def _recall(sums: Array) -> dict[tuple[str, ...], Array]:
    with np.errstate(invalid="ignore"):
        return {("r",): np.asarray(sums[..., 1] / sums[..., 0])}


def test_poisson_weights_give_nearly_the_same_interval() -> None:
    """The quantiles of 20,000 resamples: both estimate the same, to the noise of as many."""
    counts = _sample_of_f(3000)
    found = [
        intervals(counts, _recall, resamples=20_000, resampling=how, method="percentile")
        for how in ("multinomial", "poisson")
    ]
    (exact,), (other,) = ([each[("r",)]] for each in found)
    assert exact is not None
    assert other is not None
    width = exact.high - exact.low
    assert abs(other.low - exact.low) < 0.02 * width
    assert abs(other.high - exact.high) < 0.02 * width
    assert [each.resampling for each in found] == ["multinomial", "poisson"]


@pytest.mark.parametrize(("units", "expected"), [(100_000, "multinomial"), (100_001, "poisson")])
def test_how_units_are_drawn_depends_on_their_number_alone(units: int, expected: str) -> None:
    found = intervals(_sample_of_f(units), _recall, resamples=2)
    assert found.resampling == expected
    assert found.copy().resampling == expected


def test_nothing_is_drawn_where_no_interval_needs_it() -> None:
    counts = np.array([[1.0, 1.0], [1.0, 0.0]] * 5)
    assert intervals(counts, _recall).resampling is None


def test_an_unknown_way_of_drawing() -> None:
    with pytest.raises(OptionError, match="K302: a way of resampling is one of auto"):
        intervals(np.ones((3, 2)), _recall, resampling="often")  # type: ignore[arg-type]


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[object]]:
    """What is begun ahead, where two threads may be used."""
    tasks: list[object] = []
    begin = cores.ahead
    monkeypatch.setattr(cores, "ahead", lambda task: tasks.append(task) or begin(task))
    cores.limit(2)
    yield tasks
    cores.limit(0)


def test_resamples_that_are_drawn_ahead_are_those_that_intervals_draw(begun: list[object]) -> None:
    rows = table(np.random.default_rng(4).random(3000))
    sample = Sample(rows, mean)
    sample.draw_ahead((1000, 3, "multinomial"), share_range)
    assert len(begun) == 1
    found = intervals(rows, mean, seed=3, sample=sample)
    assert found == intervals(rows, mean, seed=3)
    assert found.resampling == "multinomial"


@pytest.mark.parametrize(
    ("values", "range_of", "resamples"),
    [
        (np.arange(3000) % 2.0, share_range, 1000),  # shares need none
        (np.random.default_rng(4).random(3000), lambda _: (0.0, math.inf), 1000),  # nor do these
        (np.random.default_rng(4).random(3000), share_range, 10),  # too few to start threads
    ],
)
def test_nothing_is_drawn_ahead_unless_it_is_needed(
    begun: list[object],
    values: Array,
    range_of: Callable[[Path], tuple[float, float]],
    resamples: int,
) -> None:
    Sample(table(values), mean).draw_ahead((resamples, 0, "multinomial"), range_of)
    assert begun == []


def test_intervals_are_found_by_name_or_path_in_every_way() -> None:
    rows = np.array([[1.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    found = intervals(rows, lambda sums: {("labeled", "f"): sums[..., 1] / sums[..., 0]})
    path = ("labeled", "f")
    assert found[path] is not None
    assert found["labeled.f"] == found.get("labeled.f") == found.get(path) == found[path]
    assert "labeled.f" in found
    assert path in found
    assert "labeled.g" not in found
    assert found.get("labeled.g") is None
