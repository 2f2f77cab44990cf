"""The kernels of BLEU, chrF and TER against sacreBLEU and against the definitions."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawn import drawn
from karat import _native
from karat.core.reading.strings import Referenced, Strings
from karat.core.registry import parse
from karat.text.metrics.sacrebleu_base import SacreMetric, quoted_signature

words = st.lists(st.sampled_from("abcdefgh"), max_size=40)
MANY = 250_000_000


def edits(system: list[str], gold: list[str]) -> int:
    texts = Referenced.of([(" ".join(system), [" ".join(gold)])])
    return int(_native.ter_counts(*texts.columns, MANY)[0, 0])


def peer(system: list[str], gold: list[str]) -> int:
    return int(
        pytest.importorskip("sacrebleu.metrics.lib_ter").translation_edit_rate(system, gold)[0]
    )


@settings(max_examples=drawn(150))
@given(words, words)
def test_edits_are_those_of_sacrebleu(system: list[str], gold: list[str]) -> None:
    assert edits(system, gold) == peer(system, gold)


@settings(max_examples=drawn(100))
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


def grams(text: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(text[i : i + n]) for i in range(len(text) - n + 1))


def clipped(system: Sequence[str], references: Sequence[Sequence[str]], n: int) -> int:
    most: Counter[tuple[str, ...]] = Counter()
    for reference in references:
        most |= grams(reference, n)
    return (grams(system, n) & most).total()


@given(words, st.lists(words, min_size=1, max_size=4))
def test_clipped_ngrams(system: list[str], references: list[list[str]]) -> None:
    texts = Referenced.of([(" ".join(system), [" ".join(each) for each in references])])
    (row,) = _native.bleu_counts(*texts.columns, tokenizer="none", orders=5).tolist()
    closest = min(map(len, references), key=lambda size: (abs(size - len(system)), size))
    assert row[:2] == [len(system), closest]
    assert row[2:7] == [clipped(system, references, n) for n in range(1, 6)]
    assert row[7:] == [max(0, len(system) + 1 - n) for n in range(1, 6)]


def test_more_words_and_characters_than_small_tables_hold() -> None:
    """Numbers of words and characters are exact beyond 16 bits, and tables shrink again."""
    names = [f"w{i}" for i in range(70_000)]
    signs = [chr(0x4E00 + i) for i in range(20_000)]
    pairs: list[tuple[list[str], list[str]]] = [
        (names, [*names[::2], *names[1::2]]),
        (["a", "b", "a", "b"], ["b", "a", "b"]),
        (signs, [*signs[100:], *signs[:100]]),
    ]
    joined = Referenced.of([(" ".join(ours), [" ".join(theirs)]) for ours, theirs in pairs])
    for threads in (1, 2):
        rows = _native.bleu_counts(*joined.columns, tokenizer="none", orders=4, threads=threads)
        for row, (ours, theirs) in zip(rows.tolist(), pairs, strict=True):
            assert row[2:6] == [clipped(ours, [theirs], n) for n in range(1, 5)]
    rows = _native.chrf_counts(*joined.columns, 3, 0, False)
    for row, texts in zip(rows.reshape(-1, 3, 3).tolist(), pairs, strict=True):
        ours, theirs = ("".join(each) for each in texts)
        assert row == [
            [len(ours) + 1 - n, len(theirs) + 1 - n, clipped(ours, [theirs], n)]
            for n in range(1, 4)
        ]


def edited(text: str, alphabet: str, draw: random.Random) -> str:
    """The text with some pieces replaced, moved or repeated."""
    for _ in range(draw.randint(0, 6)):
        at, size, to = (draw.randint(0, limit) for limit in (len(text), 12, len(text)))
        piece = draw.choice(("", text[at : at + size], "".join(draw.choices(alphabet, k=size))))
        text = text[:to] + piece + text[to + draw.randint(0, 12) :]
    return text


@pytest.mark.parametrize("orders", [1, 2, 6, 30])
@pytest.mark.parametrize(
    "alphabet", ["ab", "abcdefghijklmnopqrstuvwxyz", "a\xe9\u0142\u4e00\U00020000"]
)
def test_texts_with_long_stretches_in_common(alphabet: str, orders: int) -> None:
    draw = random.Random(orders)
    pairs = []
    for _ in range(150):
        text = "".join(draw.choices(alphabet, k=draw.choice((0, 3, 40, 300))))
        pairs.append((text, edited(text, alphabet, draw)))
    joined = Referenced.of([(ours, [theirs]) for ours, theirs in pairs])
    rows = _native.chrf_counts(*joined.columns, orders, 0, True)
    for row, (ours, theirs) in zip(rows[:, 2::3].tolist(), pairs, strict=True):
        assert row == [clipped(ours, [theirs], n) for n in range(1, orders + 1)]


# What tokenizers treat in their own ways, white space of all kinds, and any other character.
_PIECES = [
    *"abAZ01.,-&<>;\n\r\t '\"()/#~{}[]`@:$€+-–—…’«»中文のカ。、！½²①ǅßΣσςİıKÅé\u0301",
    *("&amp;", "&lt;", "&quot;", "<skipped>", "-\n", "'s ", "the dog", "1,200.5", "U.S."),
    *(chr(code) for code in range(0x3001) if chr(code).isspace()),
    *("\x00", "\x1f", "\x7f", "\u200b", "\ufeff", "\ud800", "\udfff", "\U0001f600", "\U0010ffff"),
]
wild = st.lists(st.sampled_from(_PIECES) | st.characters(), max_size=25).map("".join)
KERNELS: list[tuple[str, str, dict[str, Any]]] = [
    ("bleu", "BLEU", {}),
    ("bleu", "BLEU", {"lowercase": True, "max_ngram_order": 2}),
    ("bleu", "BLEU", {"tokenize": "none", "lowercase": True, "max_ngram_order": 6}),
    ("bleu", "BLEU", {"tokenize": "char"}),
    ("bleu", "BLEU", {"tokenize": "intl"}),
    ("bleu", "BLEU", {"tokenize": "intl", "lowercase": True}),
    ("bleu", "BLEU", {"tokenize": "zh"}),
    ("chrf", "CHRF", {}),
    ("chrf", "CHRF", {"word_order": 2, "lowercase": True}),
    ("chrf", "CHRF", {"whitespace": True, "word_order": 3, "char_order": 1}),
    ("ter", "TER", {}),
    ("ter", "TER", {"case_sensitive": True, "asian_support": True}),
    ("ter", "TER", {"normalized": True}),
    ("ter", "TER", {"no_punct": True}),
]


@pytest.mark.parametrize(("name", "theirs", "options"), KERNELS)
@settings(max_examples=drawn(60))
@given(
    items=st.lists(st.tuples(wild, st.lists(wild, min_size=1, max_size=3)), min_size=1, max_size=4)
)
def test_counts_are_those_of_sacrebleu(
    name: str, theirs: str, options: dict[str, Any], items: list[tuple[str, list[str]]]
) -> None:
    peer = getattr(pytest.importorskip("sacrebleu.metrics"), theirs)(**options)
    most = max(len(golds) for _, golds in items)
    streams = [[golds[i] if i < len(golds) else None for _, golds in items] for i in range(most)]
    expected = peer._extract_corpus_statistics([system for system, _ in items], streams)
    rows = type(parse(name))(**options).measure_many(items)
    assert rows[:, 2:].tolist() == [list(map(float, each)) for each in expected]


SIGNATURES: list[tuple[str, dict[str, list[Any]]]] = [
    ("bleu", {
        "tokenize": ["13a", "none", "char", "intl", "zh"],
        "lowercase": [False, True],
        "smooth_method": ["exp", "none", "floor", "add-k"],
        "smooth_value": [None, 0.256],
        "effective_order": [False, True],
        "max_ngram_order": [4, 2],
    }),
    ("chrf", {
        "char_order": [6, 3],
        "word_order": [0, 2],
        "beta": [2, 3],
        "lowercase": [False, True],
        "whitespace": [False, True],
        "eps_smoothing": [False, True],
    }),
    ("ter", {
        "normalized": [False, True],
        "no_punct": [False, True],
        "asian_support": [False, True],
        "case_sensitive": [False, True],
    }),
]  # fmt: skip


@pytest.mark.parametrize(("name", "values"), SIGNATURES)
@settings(max_examples=drawn(60))
@given(data=st.data())
def test_signatures_are_those_of_sacrebleu(
    name: str, values: dict[str, list[Any]], data: st.DataObject
) -> None:
    sacrebleu = pytest.importorskip("sacrebleu")
    options = {key: data.draw(st.sampled_from(each)) for key, each in values.items()}
    if options.get("smooth_method") not in ("floor", "add-k"):
        options.pop("smooth_value", None)
    metric = type(parse(name))(**options)
    assert isinstance(metric, SacreMetric)
    quoted = f"sacrebleu:{sacrebleu.__version__}|{quoted_signature(metric._peer)}"
    assert metric.signature().endswith(f"|{quoted}")


CALLS: list[Callable[..., Any]] = [
    lambda *texts: _native.bleu_counts(*texts, tokenizer="13a", orders=4),
    lambda *texts: _native.chrf_counts(*texts, 6, 2, False),
    lambda *texts: _native.ter_counts(*texts, MANY),
]


@pytest.mark.parametrize("call", CALLS)
def test_what_does_not_fit_is_refused(call: Callable[..., Any]) -> None:
    data, begin, end, *references, bounds = Referenced.of([("a", ["b"])]).columns
    for wrong in (np.array([2]), np.array([-1])):
        with pytest.raises(ValueError, match="outside"):
            call(data, begin, wrong, *references, bounds)
    with pytest.raises(ValueError, match="a beginning and an end"):
        call(data, begin, np.array([1, 1]), *references, bounds)
    with pytest.raises(ValueError, match="has its references"):
        call(data, begin, end, *references, np.array([0, 1, 1]))
    with pytest.raises(ValueError, match="must not decrease"):
        call(data, begin, end, *references, np.array([0, 2, 1]))


def test_intl_needs_its_table() -> None:
    texts = Referenced.of([("a", ["b"])]).columns
    for kinds in (None, np.zeros(128, np.uint8)):
        with pytest.raises(ValueError, match="kinds"):
            _native.bleu_counts(*texts, tokenizer="intl", orders=4, kinds=kinds)
    with pytest.raises(ValueError, match="no such tokenizer"):
        _native.bleu_counts(*texts, tokenizer="zh", orders=4)


@given(st.binary(max_size=40), st.binary(max_size=40))
def test_bytes_that_are_no_text_do_no_harm(system: bytes, gold: bytes) -> None:
    """Files are checked before; a kernel reads nothing beyond the end all the same."""
    sides = [Strings(each, np.array([0]), np.array([len(each)])) for each in (system, gold)]
    texts = Referenced(sides[0], sides[1], np.array([0, 1]))
    for call in CALLS:
        call(*texts.columns)
    kinds = np.zeros(0x110000, np.uint8)
    _native.bleu_counts(*texts.columns, tokenizer="intl", orders=2, kinds=kinds)


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
@settings(max_examples=drawn(50))
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
