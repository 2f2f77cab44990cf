"""The kernels of BLEU, chrF and TER against sacreBLEU and against the definitions."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat import _native
from karat.core.registry import parse
from karat.core.tokens import Codes, characters, numbered

words = st.lists(st.sampled_from("abcdefgh"), max_size=40)
PAIR = np.array([[0, 1]], np.int32)


def edits(system: list[str], gold: list[str]) -> int:
    return int(_native.translation_edits(*numbered([system, gold], Codes()), PAIR)[0])


def peer(system: list[str], gold: list[str]) -> int:
    return int(
        pytest.importorskip("sacrebleu.metrics.lib_ter").translation_edit_rate(system, gold)[0]
    )


@settings(max_examples=150)
@given(words, words)
def test_edits_are_those_of_sacrebleu(system: list[str], gold: list[str]) -> None:
    assert edits(system, gold) == peer(system, gold)


@settings(max_examples=100)
@given(words, st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40), st.integers(1, 12))))
def test_edits_of_shifted_texts_are_those_of_sacrebleu(
    gold: list[str], moves: list[tuple[int, int, int]]
) -> None:
    system = list(gold)
    for start, target, size in moves[:4]:
        phrase = system[start : start + size]
        del system[start : start + size]
        system[target:target] = phrase
    assert edits(system, gold) == peer(system, gold)


@pytest.mark.parametrize(
    ("ours", "theirs"), [(1, 90), (90, 1), (2, 130), (70, 140), (0, 3), (3, 0)]
)
def test_edits_of_unequal_lengths(ours: int, theirs: int) -> None:
    system = [chr(97 + i * 7 % 11) for i in range(ours)]
    gold = [chr(97 + i * 5 % 13) for i in range(theirs)]
    assert edits(system, gold) == peer(system, gold)


def test_a_shift_is_one_edit() -> None:
    assert edits(["x", "y", "z", "a", "b", "c", "d"], ["a", "b", "c", "d", "x", "y", "z"]) == 1
    assert edits(["a", "b", "c"], ["a", "b", "c"]) == 0


@given(words, st.lists(words, min_size=1, max_size=4), st.booleans())
def test_clipped_ngrams(system: list[str], references: list[list[str]], spread: bool) -> None:
    codes = Codes()
    if spread:  # so many words that the n-grams do not fit in one number
        codes.update({str(i): i for i in range(70_000)})
    tokens, offsets = numbered([system, *references], codes)
    found = _native.clipped_ngrams(
        tokens,
        offsets,
        np.array([0], np.int32),
        np.arange(1, len(references) + 1, dtype=np.int32),
        np.array([0, len(references)], np.int64),
        4,
    )[0].tolist()
    for n in range(1, 5):
        own, *others = (
            Counter(tuple(t[i : i + n]) for i in range(len(t) - n + 1))
            for t in (system, *references)
        )
        most: Counter[tuple[str, ...]] = Counter()
        for other in others:
            most |= other
        assert found[n - 1] == [(own & most).total(), own.total()]


@given(st.text(max_size=30), st.text(max_size=30))
def test_ngrams_of_characters(system: str, gold: str) -> None:
    found = _native.ngram_overlaps(*characters([system, gold]), PAIR, 6)[0].tolist()
    for n in range(1, 7):
        ours, theirs = (
            Counter(t[i : i + n] for i in range(len(t) - n + 1)) for t in (system, gold)
        )
        assert found[n - 1] == [(ours & theirs).total(), theirs.total(), ours.total()]


sentences = st.lists(
    st.sampled_from(["the", "The", "dog.", "(barks)", "1,200", "it's", "&amp;", "東京", "–"]),
    max_size=12,
).map(" ".join)
VARIANTS: list[tuple[str, str, dict[str, Any], str]] = [
    ("bleu", "BLEU", {}, "bleu"),
    ("bleu", "BLEU", {"lowercase": True, "smooth_method": "add-k", "max_ngram_order": 2}, "bleu"),
    ("bleu", "BLEU", {"tokenize": "char", "effective_order": True}, "bleu"),
    ("chrf", "CHRF", {}, "chrf"),
    ("chrf", "CHRF", {"word_order": 2, "lowercase": True}, "chrf"),
    ("chrf", "CHRF", {"whitespace": True, "eps_smoothing": True, "char_order": 3}, "chrf"),
    ("ter", "TER", {}, "ter"),
    ("ter", "TER", {"normalized": True, "no_punct": True, "asian_support": True}, "ter"),
]


@pytest.mark.parametrize(("name", "theirs", "options", "key"), VARIANTS)
@settings(max_examples=50)
@given(
    items=st.lists(
        st.tuples(sentences, st.lists(sentences, min_size=1, max_size=3)), min_size=1, max_size=4
    )
)
def test_scores_are_those_of_sacrebleu(
    name: str,
    theirs: str,
    options: dict[str, Any],
    key: str,
    items: list[tuple[str, list[str]]],
) -> None:
    sacrebleu = pytest.importorskip("sacrebleu.metrics")
    metric = parse(name)
    metric = type(metric)(**options)
    systems, golds = zip(*items, strict=True)
    most = max(map(len, golds))
    columns = [[gold[i] if i < len(gold) else None for gold in golds] for i in range(most)]
    expected = getattr(sacrebleu, theirs)(**options).corpus_score(list(systems), columns)
    macro, _ = metric.evaluate(systems, golds)
    assert macro[key] == (min(expected.score, 100.0) if name == "bleu" else expected.score)
