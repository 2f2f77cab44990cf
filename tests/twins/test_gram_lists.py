"""The kernels that list and mark n-grams, against counters of plain Python."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counted_grams import counted, ngrams, tokenized
from karat import _native
from karat.core.reading.strings import Codes, Referenced, Strings, numbered
from karat.core.shown import Kind
from karat.text.metrics.bleu import Bleu
from karat.text.metrics.chrf import Chrf
from karat.text.metrics.rouge import Rouge

WORDS = st.sampled_from(
    [
        "a",
        "b",
        "The",
        "cat",
        "cats",
        "don't",
        '"x"',
        "\\",
        "é",
        "東京",
        "1,000",
        ".",
        "\u3000",
        "a\tb",
    ]
)
TEXTS = st.lists(WORDS, max_size=9).map(" ".join)
ASCII = st.lists(st.sampled_from(["a", "b", "The", "cats", "running", "of"]), max_size=9).map(
    " ".join
)

LETTERS = "".join(map(chr, range(0x4E00, 0x4E00 + 300)))
LONG = st.builds(
    lambda text, size, first: text + LETTERS[first : first + size],
    TEXTS,
    st.sampled_from([253, 254, 255, 256, 290]),
    st.integers(0, 2),
)
"""Texts of about as many different letters as fit into a byte."""


def changed(words: list[str], at: int, new: list[str], cut: int, moved: int) -> tuple[str, str]:
    """A text, and the same with some words changed and others moved to its end."""
    others = words[:at] + new + words[at + cut :]
    return " ".join(words), " ".join(others[:moved] + others[moved + 2 :] + others[moved:][:2])


ALIKE = st.builds(
    changed,
    st.lists(WORDS, min_size=30, max_size=70),
    st.integers(0, 60),
    st.lists(WORDS, max_size=3),
    st.integers(0, 3),
    st.integers(0, 70),
)
"""Long texts with stretches in common, which are not counted where only differences are listed."""


def check_told(metric: Bleu | Chrf, texts: Referenced, expected: dict[str, Any]) -> None:
    """The second text is told of so; in files about many without what matches."""
    rows = metric.rows(texts)
    assert metric.explain_fully(texts, rows)[1] == msgspec.json.encode(expected)
    expected = copy.deepcopy(expected)
    for kind in ("ngrams", "characters", "words"):
        for order in expected.get(kind, {}).values():
            del order["matched"]
    assert metric.explain_texts(texts, rows)[1] == msgspec.json.encode(expected)


@given(
    sides=st.tuples(TEXTS, st.lists(TEXTS, min_size=1, max_size=3))
    | ALIKE.map(lambda both: (both[0], [both[1]])),
    tokenizer=st.sampled_from(["none", "13a", "char", "intl"]),
)
def test_bleu_lists_what_counters_do(sides: tuple[str, list[str]], tokenizer: str) -> None:
    system, golds = sides
    metric = Bleu(tokenize=tokenizer, max_ngram_order=3)
    ours, *theirs = tokenized([system, *golds], tokenizer)
    orders = {}
    for n in (1, 2, 3):
        most: Counter[tuple[str, ...]] = Counter()
        for reference in theirs:
            most |= ngrams(reference, n)
        orders[str(n)] = counted(ngrams(ours, n), most)
    scores = metric.score(system, golds)
    sizes = list(map(len, theirs))
    expected = {
        "scores": scores,
        "lengths": {
            "system": len(ours),
            "references": sizes,
            "closest": min(sizes, key=lambda size: (abs(size - len(ours)), size)),
        },
        "brevity_penalty": scores["brevity_penalty"],
        "tokens": {"system": ours, "references": theirs},
        "ngrams": orders,
    }
    texts = Referenced.of([("other", ["other words"]), (system, golds)])
    assert metric.explain(system, golds) == msgspec.json.decode(msgspec.json.encode(expected))
    check_told(metric, texts, expected)


@given(
    both=st.tuples(TEXTS | LONG, st.lists(TEXTS | LONG, min_size=1, max_size=3))
    | ALIKE.map(lambda both: (both[0], [both[1]])),
    metric=st.builds(
        Chrf,
        char_order=st.sampled_from([3, 8, 9]),
        word_order=st.integers(0, 2),
        lowercase=st.booleans(),
        whitespace=st.booleans(),
    ),
)
def test_chrf_lists_what_counters_do(both: tuple[str, list[str]], metric: Chrf) -> None:
    system, golds = both
    each = [metric.score(system, [gold])["chrf"] for gold in golds]
    best = each.index(max(each))
    sides = [text.lower() if metric.lowercase else text for text in (system, golds[best])]
    letters = [[c for c in text if metric.whitespace or not c.isspace()] for text in sides]
    kinds = {
        "characters": (letters, metric.char_order, ""),
        "words": (tokenized(sides, "marks"), metric.word_order, " "),
    }
    expected = {
        "scores": metric.score(system, golds),
        "reference": {"number": best + 1, "text": golds[best]},
        "reference_scores": each,
    }
    for kind, ((ours, theirs), orders, between) in kinds.items():
        if orders:
            expected[kind] = {
                # Where the reference is too short for an order, nothing is counted.
                str(n): counted(
                    ngrams(ours if len(theirs) >= n else [], n), ngrams(theirs, n), between
                )
                for n in range(1, orders + 1)
            }
    before = [("other", ["other words"]), (LETTERS, [LETTERS[1:]])]
    assert metric.explain(system, golds) == msgspec.json.decode(msgspec.json.encode(expected))
    for first in before:
        check_told(metric, Referenced.of([first, (system, golds)]), expected)


def compared(ours: Counter[Any], theirs: Counter[Any]) -> dict[str, Any]:
    matched = ours & theirs
    return {
        "hits": matched.total(),
        "system": ours.total(),
        "gold": theirs.total(),
        "matched": [
            {
                "gram": " ".join(gram),
                "count": count,
                "clipped": {"system": ours[gram] - count, "gold": theirs[gram] - count},
            }
            for gram, count in matched.items()
        ],
        "missing": [" ".join(gram) for gram in theirs if gram not in ours],
        "surplus": [" ".join(gram) for gram in ours if gram not in theirs],
    }


@given(both=st.tuples(TEXTS, TEXTS) | ALIKE)
def test_rouge_compares_as_counters_do(both: tuple[str, str]) -> None:
    sides = [text.split() for text in both]
    tokens, offsets = numbered(sides, codes := Codes())
    words = Strings.of(list(codes)).columns
    arguments = (
        *words, tokens, offsets, *words, tokens, offsets, np.arange(3), np.array([0, 1]), 3,
        "rouge-", '{"head":1', [b"2"], [b'"more":3'],
    )  # fmt: skip
    measures = {f"rouge-{n}": compared(*(ngrams(side, n) for side in sides)) for n in (1, 2, 3)}
    expected = {
        "head": 1,
        "scores": 2,
        "system": [sides[0]],
        "references": [{"tokens": [sides[1]], "measures": {**measures, "more": 3}}],
    }
    assert _native.rouge_explanations(*arguments, True) == [msgspec.json.encode(expected)]
    for measure in measures.values():
        clipped = [each for each in measure.pop("matched") if any(each["clipped"].values())]
        alone = {name: measure.pop(name) for name in ("missing", "surplus")}
        measure |= {"clipped": clipped, **alone}
    assert _native.rouge_explanations(*arguments, False) == [msgspec.json.encode(expected)]


def marks(metric: Rouge, system: str, golds: Sequence[str]) -> dict[str, list[int]]:
    """The tokens whose n-grams count, from what an explanation says matches."""
    told = metric.explain(system, list(golds))
    result: dict[str, list[int]] = {}
    for number, (gold, found) in enumerate(zip(golds, told["references"], strict=True)):
        for n in range(1, metric.max_ngram + 1):
            matched = {
                each["gram"]: each["count"] for each in found["measures"][f"rouge-{n}"]["matched"]
            }
            layer = result.setdefault(f"ROUGE-{n}", [])
            for text, lines, is_gold in (
                (gold, found["tokens"], True),
                (system, told["system"], False),
            ):
                tokens = [token for line in lines for token in line]
                left, kinds = Counter(matched), {}
                for i in range(len(tokens) - n + 1):
                    gram = " ".join(tokens[i : i + n])
                    if gram in matched:
                        left[gram] -= 1
                        for place in range(i, i + n):
                            if kinds.get(place) != Kind.MATCHED:
                                kinds[place] = Kind.MATCHED if left[gram] >= 0 else Kind.CLIPPED
                at, spans = 0, []
                for word in text.split():
                    spans.append((at, at + len(word)))
                    at += len(word) + 1
                joined: list[list[int]] = []
                for place in sorted(kinds):
                    begin, end = spans[place]
                    neighbours = (
                        joined and joined[-1][0] == kinds[place] and joined[-1][2] == begin - 1
                    )
                    if neighbours and (is_gold or len(golds) == 1):
                        joined[-1][2] = end
                    else:
                        joined.append([kinds[place], begin, end])
                for kind, *span in joined:
                    layer += [kind, number, *((*span, -1, -1) if is_gold else (-1, -1, *span))]
    return result


@given(system=ASCII, golds=st.lists(ASCII, min_size=1, max_size=2))
def test_rouge_marks_what_it_counts(system: str, golds: list[str]) -> None:
    metric = Rouge(max_ngram=2)
    found = metric.layers_of_texts(Referenced.of([("x", ["y"]), (system, golds)]))
    assert msgspec.json.decode(b"{" + found[1] + b"}") == marks(metric, system, golds)


def test_kernels_refuse_texts_that_are_not_there() -> None:
    words, token, offsets = Strings.of(["a"]).columns, np.zeros(1, np.int32), np.array([0, 1])
    one = *words, token, offsets
    with pytest.raises(ValueError, match="then their references"):
        _native.rouge_explanations(*one, *one, offsets, offsets, 1, "", "{", [b"1"], [b""], True)
    with pytest.raises(ValueError, match="no word"):
        _native.rouge_explanations(
            *words, token + 1, offsets, *one, offsets, offsets, 1, "", "{", [b"1"], [b""], True
        )
    spans, placed = np.zeros((1, 2), np.int64), np.ones(1, np.uint8)
    with pytest.raises(ValueError, match="last offset"):
        _native.gram_marks(token, offsets, spans, placed, np.array([0, 1]), 1, "")
