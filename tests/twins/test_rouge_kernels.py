"""The kernels of ROUGE against the definitions, in plain Python."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat import _native
from karat.text.rouge import combining, profiles

Text = list[list[int]]
ENOUGH = 1e9


def flat(text: Text) -> list[int]:
    return [token for sentence in text for token in sentence]


def arrays(texts: list[Text]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Tokens, where sentences begin, where texts begin."""
    tokens = np.array([t for text in texts for t in flat(text)], np.int32)
    sizes = [len(sentence) for text in texts for sentence in text]
    sentences = np.array([0, *accumulate(sizes)], np.int64)
    return tokens, sentences, np.array([0, *accumulate(map(len, texts))], np.int64)


PAIR = np.array([[0, 1]], np.int32)
sentence = st.lists(st.integers(0, 4), max_size=12)
texts = st.lists(sentence, max_size=4)


def common(a: Counter, b: Counter) -> list[int]:
    return [(a & b).total(), b.total(), a.total()]


@given(texts, texts)
def test_ngrams(system: Text, gold: Text) -> None:
    tokens, sentences, begins = arrays([system, gold])
    found = _native.ngram_overlaps(tokens, sentences[begins], PAIR, 5)[0].tolist()
    for n in range(1, 6):
        bags = [
            Counter(tuple(t[i : i + n]) for i in range(len(t) - n + 1))
            for t in (flat(system), flat(gold))
        ]
        assert found[n - 1] == common(*bags)


def skips(tokens: list[int], gap: int, unigrams: bool) -> Counter:
    pairs = Counter(
        (tokens[i], tokens[j])
        for j in range(len(tokens))
        for i in range(j)
        if gap < 0 or j - i - 1 <= gap
    )
    return pairs + Counter((token,) for token in tokens[:-1] if unigrams)


@given(texts, texts, st.integers(-1, 6), st.booleans())
def test_skip_bigrams(system: Text, gold: Text, gap: int, unigrams: bool) -> None:
    tokens, sentences, begins = arrays([system, gold])
    found = _native.skip_overlaps(tokens, sentences[begins], PAIR, gap, unigrams)[0].tolist()
    assert found == common(skips(flat(system), gap, unigrams), skips(flat(gold), gap, unigrams))


def table(gold: list[int], system: list[int], weight: float) -> tuple[list[list[float]], list[int]]:
    """The table of (weighted) common subsequences and the gold places of the one traced."""
    score = [[0.0] * (len(system) + 1) for _ in range(len(gold) + 1)]
    run = [[0] * (len(system) + 1) for _ in range(len(gold) + 1)]
    for i in range(1, len(gold) + 1):
        for j in range(1, len(system) + 1):
            if gold[i - 1] == system[j - 1]:
                k = run[i - 1][j - 1]
                score[i][j] = score[i - 1][j - 1] + (k + 1) ** weight - k**weight
                run[i][j] = k + 1
            else:
                score[i][j] = max(score[i - 1][j], score[i][j - 1])
    i, j, places = len(gold), len(system), []
    while i > 0 and j > 0:
        if gold[i - 1] == system[j - 1]:
            i, j = i - 1, j - 1
            places.append(i)
        elif score[i - 1][j] >= score[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return score, places


def union(system: Text, gold: Text, weight: float) -> float:
    left = [Counter(flat(system)), Counter(flat(gold))]
    hits = 0.0
    for r in gold:
        masked = {place for s in system for place in table(r, s, weight or 1.0)[1]}
        run = 0
        for place in sorted(masked):
            if min(counter[r[place]] for counter in left) <= 0:
                continue
            for counter in left:
                counter[r[place]] -= 1
            run += 1
            if not weight:
                hits += 1
            elif place + 1 == len(r) or place + 1 not in masked:
                hits, run = hits + run**weight, 0
    return hits


@given(texts, texts, st.sampled_from([0.0, 1.0, 1.2, 2.0]))
def test_unions(system: Text, gold: Text, weight: float) -> None:
    tokens, sentences, begins = arrays([system, gold])
    hits, gold_size, system_size = _native.lcs_unions(
        tokens, sentences, begins, tokens, sentences[begins], PAIR, weight, ENOUGH
    )[0]
    assert hits == pytest.approx(union(system, gold, weight), abs=1e-9)
    assert system_size == len(flat(system))
    assert gold_size == pytest.approx(sum(len(s) ** weight if weight else len(s) for s in gold))


@given(st.lists(st.integers(0, 5), max_size=200), st.lists(st.integers(0, 5), max_size=200))
def test_long_sentences_cross_block_borders(system: list[int], gold: list[int]) -> None:
    tokens, sentences, begins = arrays([[system], [gold]])
    length = table(gold, system, 1.0)[0][-1][-1]
    assert _native.lcs_lengths(tokens, sentences, PAIR, ENOUGH).tolist() == [length]
    found = _native.lcs_unions(tokens, sentences, begins, tokens, sentences, PAIR, 0.0, ENOUGH)
    assert found[0, 0] == length == union([system], [gold], 0.0)


@pytest.mark.parametrize("weight", [0.0, 1.2])
def test_many_sentences_need_few_pairs(weight: float) -> None:
    draw = np.random.default_rng(3)
    system, gold = ([draw.zipf(1.4, 4).clip(max=60).tolist() for _ in range(300)] for _ in range(2))
    tokens, sentences, begins = arrays([system, gold])
    whole = sentences[begins]
    found = _native.lcs_unions(tokens, sentences, begins, tokens, whole, PAIR, weight, ENOUGH)
    assert found[0, 0] == pytest.approx(union(system, gold, weight), abs=1e-9)
    few = _native.lcs_unions(tokens, sentences, begins, tokens, whole, PAIR, weight, 100)
    assert few[0, 0] == -1


def test_long_sentences_with_many_tokens() -> None:
    draw = np.random.default_rng(4)
    system, gold = draw.integers(0, 400, 20_000).tolist(), draw.integers(0, 400, 30).tolist()
    tokens, sentences, begins = arrays([[system], [gold]])
    length = table(gold, system, 1.0)[0][-1][-1]
    assert _native.lcs_lengths(tokens, sentences, PAIR, ENOUGH).tolist() == [length]
    found = _native.lcs_unions(tokens, sentences, begins, tokens, sentences, PAIR, 0.0, ENOUGH)
    assert found[0, 0] == length


@pytest.mark.parametrize("distinct", [3, 20_000])
def test_tables_too_large_to_keep_are_computed_twice(distinct: int) -> None:
    draw = np.random.default_rng(distinct)
    system, gold = (draw.integers(0, distinct, size).tolist() for size in (45_001, 8_003))
    tokens, sentences, begins = arrays([[system], [gold]])
    (length,) = _native.lcs_lengths(tokens, sentences, PAIR, ENOUGH).tolist()
    found = _native.lcs_unions(tokens, sentences, begins, tokens, sentences, PAIR, 0.0, ENOUGH)
    assert found[0, 0] == length


def test_counts_come_from_the_whole_texts() -> None:
    tokens, sentences, begins = arrays([[[1, 2, 3]], [[1, 2, 3]]])
    cut, ends, _ = arrays([[[1, 2]], [[1, 2, 3]]])
    found = _native.lcs_unions(tokens, sentences, begins, cut, ends, PAIR, 0.0, ENOUGH)
    assert found.tolist() == [[2.0, 3.0, 2.0]]


def test_a_budget_that_does_not_suffice_is_told() -> None:
    tokens, sentences, begins = arrays([[[1, 2]], [[2, 1]]])
    whole = sentences[begins]
    assert _native.lcs_unions(tokens, sentences, begins, tokens, whole, PAIR, 0.0, 1)[0, 0] == -1
    assert _native.lcs_lengths(tokens, whole, PAIR, 0.01).tolist() == [-1]


def drand48(seed: int, count: int) -> list[float]:
    state, result = (seed << 16) + 0x330E, []
    for _ in range(count):
        state = (0x5DEECE66D * state + 0xB) % 2**48
        result.append(state / 2**48)
    return result


@pytest.mark.parametrize("rows", [1, 7, 100])
def test_perl_draws(rows: int) -> None:
    table = np.random.default_rng(rows).random((rows, 2))
    means = _native.perl_bootstrap_means(table, 3).tolist()
    for seed, mean in enumerate(means):
        sums = [0.0, 0.0]
        for value in drand48(seed, rows):  # one by one: another order has other last digits
            drawn = table[int(value * rows)].tolist()
            sums = [a + b for a, b in zip(sums, drawn, strict=True)]
        assert mean == [each / rows for each in sums]


def test_many_rows_are_added_in_another_order_unless_that_may_show(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chance = np.random.default_rng(3)
    tables = [combining.round_5(chance.random((rows, 3))) for rows in (1, 2, 50, 3000)]
    tables.append(np.array([[0.0], [1e-5]] * 40))  # whose means lie in the middle between two
    found: dict[int, list[Any]] = {}
    for many in (10**9, 1):
        monkeypatch.setattr(combining, "_MANY", many)
        found[many] = [
            [combining.round_5(each).tolist() for each in combining.engine_average(ids, table)]
            for table in tables
            for ids in [[str(i) for i in range(len(table))]]
        ]
    assert found[1] == found[10**9]
    for table, rows in zip(tables[2:4], (50, 3000), strict=True):
        sums = _native.perl_bootstrap_sums(table, 4)
        assert sums[:, -1].tolist() == [rows] * 4
        means = _native.perl_bootstrap_means(table, 4)
        assert np.allclose(sums[:, :-1] / rows, means, rtol=0, atol=1e-13)


def test_perl_of_a_known_seed() -> None:
    # perl -e 'srand(42); print rand' prints this on every platform since 5.20.
    assert drand48(42, 1)[0] == pytest.approx(0.744525000061007, abs=1e-15)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [([[0, 2]], "not there"), ([[-1, 0]], "not there"), ([[0, 1, 1]], "two columns")],
)
def test_wrong_pairs_are_refused(pairs: list[list[int]], message: str) -> None:
    tokens, sentences, begins = arrays([[[1]], [[1]]])
    with pytest.raises(ValueError, match=message):
        _native.ngram_overlaps(tokens, sentences[begins], np.array(pairs, np.int32), 1)


@given(texts, texts, st.sampled_from([1, 2**13, 2**20]))
def test_ngrams_of_many_different_tokens(system: Text, gold: Text, apart: int) -> None:
    """Five tokens of 13 bits do not fit in 64 bits any more, so another way is taken."""
    tokens, sentences, begins = arrays([system, gold])
    whole = sentences[begins]
    few = _native.ngram_overlaps(tokens, whole, PAIR, 5)
    assert (_native.ngram_overlaps(tokens * np.int32(apart), whole, PAIR, 5) == few).all()


@given(st.lists(st.lists(st.integers(0, 3), max_size=9), max_size=5), st.integers(1, 4))
def test_distinct_ngrams(several: list[list[int]], n: int) -> None:
    tokens, whole, _ = arrays([several])
    found = profiles._distinct(
        profiles.Coded(tokens, whole, np.arange(len(whole), dtype=np.int64)), n
    )
    grams = [{tuple(text[i : i + n]) for i in range(len(text) - n + 1)} for text in several]
    numbers = [set(found.tokens[a:b].tolist()) for a, b in pairwise(found.sentences.tolist())]
    assert list(map(len, numbers)) == np.diff(found.sentences).tolist() == list(map(len, grams))
    for i, ours in enumerate(numbers):
        for j, theirs in enumerate(numbers):
            assert len(ours & theirs) == len(grams[i] & grams[j])
    if n == 1:  # the number of a token is its own
        assert numbers == [{token for (token,) in each} for each in grams]


@given(texts, st.permutations(range(5)), texts)
def test_texts_that_differ_in_numbers_alone(text: Text, names: list[int], other: Text) -> None:
    first = profiles.Coded(*arrays([text]))
    renamed = [[names[token] for token in sentence] for sentence in text]
    assert first.is_like(profiles.Coded(*arrays([renamed])))
    other = [b[: len(a)] + a[len(b) :] for a, b in zip(text, [*other, *text], strict=False)]
    pairs = set(zip(flat(text), flat(other), strict=True))
    one_to_one = len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})
    assert first.is_like(profiles.Coded(*arrays([other]))) == one_to_one


@given(
    st.lists(st.tuples(*[st.integers(0, 100_000)] * 3), min_size=1, max_size=40),
    st.sampled_from([1e-5, 1 / 3e5, 1e-7]),
)
def test_averages_without_resamples(rows: list[tuple[int, ...]], unit: float) -> None:
    """The same figures as those of all resamples, to the digits that the engine prints."""
    scores = np.array(rows) * unit
    alone = combining.averages_alone(scores, combining.draws(len(rows)))
    whole = combining.average_of_ordered(scores)[0]
    assert combining.round_5(alone).tolist() == combining.round_5(whole).tolist()
