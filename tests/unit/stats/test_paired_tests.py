"""Paired tests against enumeration, theory and sacreBLEU; intervals of the difference."""

from __future__ import annotations

import itertools
import json
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from karat.errors import OptionError
from karat.stats import compare_paired
from karat.stats.paired_tests import Difference, sign_p_value
from karat.stats.paired_tests import Test as Kind
from karat.stats.resampling import Array
from karat.stats.resampling import Path as Name

MEAN = ("mean",)


def mean(sums: Array) -> dict[Name, Array]:
    return {MEAN: sums[..., 1] / sums[..., 0]}


def table(values: Array) -> Array:
    return np.column_stack([np.ones(len(values)), values])


def p_value(first: Array, second: Array, test: Kind, **options: int) -> float:
    _, found = compare_paired(table(first), table(second), mean, test=test, **options)
    p = found[MEAN].p_value
    assert p is not None
    return p


def enumerated(first: Array, second: Array) -> float:
    """The share of all exchanges whose difference is as large: from the definition."""
    observed = abs(sum(first) - sum(second))
    hits = 0
    for signs in itertools.product((1, -1), repeat=len(first)):
        difference = sum(s * (a - b) for s, a, b in zip(signs, first, second, strict=True))
        hits += abs(difference) >= observed - 1e-9
    return hits / 2 ** len(first)


integers = st.integers(-5, 5)


@settings(max_examples=60)
@given(st.lists(st.tuples(integers, integers), min_size=1, max_size=9))
def test_exact_permutation_against_enumeration(pairs: list[tuple[int, int]]) -> None:
    first, second = np.array(pairs, float).T
    assert p_value(first, second, "permutation") == enumerated(first, second)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_randomization_approaches_the_exact_value(seed: int) -> None:
    """100,000 trials of a share p have a standard error below 0.0016; five are allowed."""
    random = np.random.default_rng(seed)
    first, second = random.normal(0.4, 1, 12), random.normal(0, 1, 12)
    exact = p_value(first, second, "permutation")
    assert p_value(first, second, "randomization", trials=100_000) == pytest.approx(
        exact, abs=0.008
    )


@pytest.mark.parametrize("test", ["randomization", "bootstrap", "sign"])
def test_false_alarms_are_as_rare_as_they_should(test: Kind) -> None:
    """Under a true null, p <= 0.1 in a tenth of 400 comparisons.

    The standard deviation of that share is 0.015, of which four are allowed; the sign
    test is discrete, so that it may only stay below.
    """
    random = np.random.default_rng(7)
    alarms = 0
    for trial in range(400):
        first, second = random.normal(0, 1, (2, 50))
        alarms += p_value(first, second, test, trials=300, seed=trial) <= 0.1
    assert alarms / 400 <= 0.16
    assert alarms / 400 >= (0.02 if test == "sign" else 0.05)


def test_false_alarms_of_the_exact_test_never_exceed_the_level() -> None:
    random = np.random.default_rng(8)
    alarms = 0
    for _ in range(300):
        first, second = random.normal(0, 1, (2, 8))
        alarms += p_value(first, second, "permutation") <= 0.1
    assert 0.03 <= alarms / 300 <= 0.17


@pytest.mark.parametrize("test", ["randomization", "bootstrap", "permutation", "sign"])
def test_a_clear_difference_is_found(test: Kind) -> None:
    random = np.random.default_rng(9)
    second = random.normal(0, 1, 16)
    assert p_value(second + random.normal(3, 0.1, 16), second, test, trials=2000) < 0.01


@pytest.mark.parametrize("test", ["auto", "randomization", "bootstrap", "permutation", "sign"])
def test_a_system_does_not_differ_from_itself(test: Kind) -> None:
    values = np.random.default_rng(1).normal(0, 1, 30)
    assert p_value(values, values, test, trials=100) == 1.0


@pytest.mark.parametrize("test", ["randomization", "bootstrap", "permutation", "sign"])
def test_the_order_of_the_systems_does_not_matter(test: Kind) -> None:
    for seed in range(30):
        first, second = np.random.default_rng(seed).gamma(0.5, size=(2, 12))
        _, one = compare_paired(table(first), table(second), mean, test=test, trials=99)
        _, other = compare_paired(table(second), table(first), mean, test=test, trials=99)
        a, b = one[MEAN], other[MEAN]
        assert a.interval is not None
        assert b.interval is not None
        assert (a.p_value, a.difference) == (b.p_value, -b.difference)
        assert (a.interval.low, a.interval.high) == (-b.interval.high, -b.interval.low)


@pytest.mark.parametrize("test", ["randomization", "bootstrap"])
def test_seeds_repeat(test: Kind) -> None:
    first, second = np.random.default_rng(4).normal(0, 1, (2, 40))
    values = [p_value(first, second, test, trials=500, seed=seed) for seed in (1, 1, 2)]
    assert values[0] == values[1]
    assert values[0] != values[2]


def test_p_values_are_never_zero_where_trials_are_random() -> None:
    assert p_value(np.ones(40), np.zeros(40), "randomization", trials=99) == 1 / 100


@pytest.mark.parametrize(
    ("wins", "losses"), [(0, 0), (1, 0), (3, 7), (50, 50), (10, 400), (499, 501), (0, 1000)]
)
def test_sign_test_against_scipy(wins: int, losses: int) -> None:
    expected = stats.binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
    assert sign_p_value(wins, losses) == pytest.approx(expected, rel=1e-9)


def test_sign_test_of_very_many_items() -> None:
    assert sign_p_value(5100, 4900) == pytest.approx(stats.binomtest(5100, 10000).pvalue, rel=0.01)


def test_sign_test_by_hand() -> None:
    assert sign_p_value(2, 8) == 2 * (comb(10, 0) + comb(10, 1) + comb(10, 2)) / 2**10


def harmonic_means(sums: Array) -> dict[Name, Array]:
    """Of shares that are additive columns: F of each item, the mean for a sum of items."""
    precision, recall = sums[..., 1], sums[..., 2]
    return {MEAN: 2 * precision * recall / (precision + recall) / sums[..., 0]}


def test_scores_that_are_equal_on_paper_are_ties() -> None:
    """F = 2/3, once from 2 of 2 and 2 of 4, once from 3 of 5 and 3 of 4."""
    one, other = np.array([1, 2 / 2, 2 / 4]), np.array([1, 3 / 5, 3 / 4])
    differing = harmonic_means(one)[MEAN] - harmonic_means(other)[MEAN]
    assert 0 < abs(differing) < 1e-15
    better = np.array([[1, 0.5, 0.5], [1, 1, 1.0]])
    first, second = np.vstack([[one] * 9, better]), np.vstack([[other] * 9, better[::-1]])
    _, found = compare_paired(first, second, harmonic_means, test="sign")
    assert found[MEAN].p_value == 1  # one win, one loss, and nine ties


def test_differences_by_rounding_are_none() -> None:
    values = np.linspace(0.1, 0.9, 20)
    _, found = compare_paired(table(values), table(values * (1 + 4e-15)), mean)
    assert found[MEAN].p_value == 1
    assert found[MEAN].interval_reason == "the systems are identical on all items"


def test_too_many_items_for_the_exact_test() -> None:
    with pytest.raises(OptionError) as caught:
        p_value(np.ones(17), np.zeros(17), "permutation")
    assert caught.value.message == ("17 items differ; an exact permutation test takes at most 16")


def test_items_that_do_not_differ_do_not_count_against_the_limit() -> None:
    first = np.concatenate([np.zeros(100), np.ones(5)])
    assert p_value(first, np.zeros(105), "permutation") == 2 / 2**5


def test_the_interval_of_the_difference_is_paired() -> None:
    """The items vary much more than the systems differ: only a paired interval sees it."""
    random = np.random.default_rng(5)
    second = random.normal(0, 100, 60)
    _, found = compare_paired(table(second + random.normal(1, 0.1, 60)), table(second), mean)
    interval = found[MEAN].interval
    assert interval is not None
    assert interval.low == pytest.approx(1, abs=0.1)
    assert interval.high == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize("size", [5, 12, 30])
def test_the_bootstrap_test_keeps_its_level_for_few_items(size: int) -> None:
    """Of 1,000 comparisons without a difference, 5 % are to be rejected: 0.05 +- 0.007.

    Without the correction, 16, 9 and 6 % are.
    """
    random = np.random.default_rng(size)
    alarms = 0
    for trial in range(1000):
        difference = random.normal(0, 1, size)
        alarms += p_value(difference, 0 * difference, "bootstrap", trials=500, seed=trial) <= 0.05
    assert alarms / 1000 <= 0.05 + 3 * 0.007


@pytest.mark.parametrize("test", ["randomization", "bootstrap", "permutation", "sign", "mcnemar"])
def test_one_item_that_differs_is_no_evidence(test: Kind) -> None:
    first, second = np.zeros(40), np.zeros(40)
    first[3] = 1.0
    assert p_value(first, second, test, trials=200) == 1.0


def test_mcnemar_by_hand() -> None:
    """Six items that the first alone gets right, one that the second does: 2 (1 + 7) / 2^7."""
    first = np.array([1.0] * 6 + [0.0] + [1.0] * 9)
    second = np.array([0.0] * 6 + [1.0] + [1.0] * 9)
    assert p_value(first, second, "mcnemar") == 2 * 8 / 2**7


def test_mcnemar_is_for_0_and_1() -> None:
    with pytest.raises(OptionError) as caught:
        p_value(np.array([0.5, 1.0, 0.0]), np.zeros(3), "mcnemar")
    assert caught.value.code == "K302"
    assert "means of 0 and 1" in caught.value.message


@pytest.fixture(scope="session")
def summaries(shared: Path) -> dict[str, dict[str, tuple[str, list[str]]]]:
    """Each system's texts and references, by input."""

    def joined(text: str | list[str]) -> str:
        return text if isinstance(text, str) else " ".join(text)

    result: dict[str, dict[str, tuple[str, list[str]]]] = {}
    for line in (shared / "data/summ/summaries.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if record["summarizer_type"] == "peer":
            references = [joined(each["text"]) for each in record["references"]]
            text = joined(record["summary"]["text"])
            result.setdefault(record["summarizer_id"], {})[record["instance_id"]] = text, references
    return result


@pytest.mark.parametrize("other", ["S02", "S04", "S05"])
def test_agreement_with_the_randomisation_of_sacrebleu(
    other: str, summaries: dict[str, dict[str, tuple[str, list[str]]]]
) -> None:
    """Both estimate the same p-value from 10,000 trials: each has a standard error of at
    most 0.005 (p = 0.5), so their difference stays within 5 * sqrt(2) * 0.005 = 0.035."""
    sacrebleu = pytest.importorskip("sacrebleu.significance")
    from sacrebleu.metrics import BLEU

    from karat.core.reading.items import Pair
    from karat.core.registry import parse
    from karat.engine import measure_pairs

    systems = {name: summaries[name] for name in ("S01", other)}
    inputs = sorted(systems["S01"])
    width = max(len(systems["S01"][i][1]) for i in inputs)
    references = [
        [refs[k] if k < len(refs) else None for refs in (systems["S01"][i][1] for i in inputs)]
        for k in range(width)
    ]
    texts = [(name, [system[i][0] for i in inputs]) for name, system in systems.items()]
    peer = sacrebleu.PairedTest(
        texts, {"BLEU": BLEU(references=references)}, references=None,
        test_type="ar", n_samples=10_000,
    )  # fmt: skip
    expected = peer()[1]["BLEU"][1].p_value
    runs = [
        measure_pairs(parse("bleu"), [Pair(k, i, {}, *system[i]) for k, i in enumerate(inputs)])
        for system in systems.values()
    ]
    found = runs[0].compare(runs[1], test="randomization", trials=10_000)["bleu"]
    assert found.p_value == pytest.approx(expected, abs=0.035)


FIRST, OTHER = ("first",), ("other",)


def two_means(sums: Array) -> dict[Name, Array]:
    return {FIRST: sums[..., 1] / sums[..., 0], OTHER: sums[..., 2] / sums[..., 0]}


def compared(a: Array, b: Array, **options: object) -> dict[Name, Difference]:
    """Two systems that differ in the first score and are alike in the other."""
    other = np.linspace(0, 1, len(a))
    first, second = (np.column_stack([np.ones(len(a)), v, other]) for v in (a, b))
    return compare_paired(first, second, two_means, test="sign", **options)[1]  # type: ignore[arg-type]


def test_symmetric_differences_have_students_interval() -> None:
    """Without skew it is the interval of the paired t-test."""
    difference = np.array([-0.2, -0.1, 0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4])
    a = 0.5 + difference
    peer = stats.ttest_1samp(a - 0.5, 0).confidence_interval(0.95)
    found = compared(a, np.full(9, 0.5))[FIRST].interval
    assert found is not None
    # One unit has no difference, which costs a degree of freedom.
    wider = stats.t.ppf(0.975, 7) / stats.t.ppf(0.975, 8)
    middle, half = (peer.low + peer.high) / 2, wider * (peer.high - peer.low) / 2
    assert (found.low, found.high) == pytest.approx((middle - half, middle + half), abs=1e-9)


def test_a_score_that_is_the_same_on_all_items_has_no_interval() -> None:
    found = compared(np.linspace(0, 1, 9), np.full(9, 0.5))
    assert found[FIRST].interval is not None
    assert found[FIRST].interval_reason == ""
    assert found[OTHER].interval is None
    assert found[OTHER].interval_reason == "the systems are identical on all items"
    assert found[OTHER].p_value == 1.0


def test_few_items_that_differ_leave_room_for_more() -> None:
    """1 of 50 items differs: as many as 1 - 0.025^(1/50) of all could, at 95 %."""
    a = np.zeros(50)
    a[7] = 0.01
    found = compared(a, np.zeros(50))[FIRST].interval
    assert found is not None
    room = 1 - 0.025 ** (1 / 50)
    assert (found.low, found.high) == pytest.approx((0.0002 - room, 0.0002 + room), abs=1e-12)


def test_an_equal_difference_everywhere_is_no_certainty() -> None:
    found = compared(np.full(10, 0.75), np.full(10, 0.25))[FIRST].interval
    assert found is not None
    assert found.low < 0.5 < found.high
    assert found.high <= 1


def test_one_item_and_no_range() -> None:
    one = compared(np.array([0.3]), np.array([0.1]))[FIRST]
    assert (one.interval, one.interval_reason) == (None, "one item")
    few = compared(
        np.array([3.0, 1, 1, 1]), np.ones(4), range_of=lambda _: (-np.inf, np.inf)
    )[FIRST]  # fmt: skip
    assert few.interval is None
    assert few.interval_reason == "the systems differ on fewer than 5 items"


@pytest.mark.parametrize(
    ("name", "n", "least"),
    [
        ("normal", 5, 0.916),
        ("normal", 30, 0.936),
        ("exponential", 10, 0.936),
        ("sparse", 30, 0.936),
    ],
)
def test_coverage(name: str, n: int, least: float) -> None:
    """Of 600 data sets, at least so many 95 % intervals hold the truth, less 2.5 errors."""
    random = np.random.default_rng(n)

    def draw() -> tuple[Array, float]:
        if name == "normal":
            return random.normal(0.1, 0.2, n), 0.1
        if name == "exponential":
            return 0.2 * random.standard_exponential(n), 0.2
        return (random.random(n) < 0.1) * random.uniform(0, 1, n), 0.05

    hits = 0
    for _ in range(600):
        values, truth = draw()
        one = compared(values, np.zeros(n))[FIRST]
        hits += one.interval is None or one.interval.low <= truth <= one.interval.high
    assert hits / 600 >= least - 2.5 * np.sqrt(least * (1 - least) / 600)
