"""Settings of BLEU: counts of one tokenizer and case are enough for orders, smoothing and means."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from karat.core.scores import Array, ratio
from karat.core.tracing import Grid, Pairs, Pass, Preset, Setting, Value, side_by_side
from karat.text.metrics.bleu import Bleu, Smoothing, nltk_counts
from karat.text.metrics.grids.texts import Texts, has_cjk, text_slips

_ORDERS = (4, 3, 2, 1)
_LONGEST = 5
_NLTK: dict[Smoothing, tuple[int, ...]] = {
    "nltk-0": _ORDERS, "nltk-1": _ORDERS, "nltk-2": _ORDERS, "nltk-3": _ORDERS,
    "nltk-4": _ORDERS, "nltk-5": (4,), "nltk-6": (4,), "nltk-7": (4,),
}  # fmt: skip
"""nltk's ways of smoothing, and the orders that they are tried for."""
_TOKENIZERS = ("13a", "intl", "none", "char", "wordpunct", "string", "zh")
_OF_NLTK = ("none", "wordpunct", "string")
_SMOOTHING: dict[Smoothing, float | None] = {
    "exp": None, "none": None, "floor": 0.1, "add-k": 1.0
}  # fmt: skip
_SACRE: dict[tuple[str, Value], str] = {
    **{("tokenize", name): f"--tokenize {name}" for name in ("13a", "intl", "none", "char", "zh")},
    ("lowercase", True): "--lowercase",
    **{("smoothing", str(name)): f"--smooth-method {name}" for name in _SMOOTHING},
}


def grid() -> Grid:
    """The tokenizers with and without case."""
    return Grid(
        names=_names(),
        defaults={
            "tokenize": "13a", "lowercase": False, "smoothing": "exp", "effective_order": False,
            "aggregation": "corpus",
        },
        presets=_PRESETS,
        passes=_passes,
        slips=text_slips(),
    )  # fmt: skip


def _names() -> dict[str, dict[str, int]]:
    lower = {f"bleu-{n}": 1 for n in _ORDERS[1:]}
    single = {f"bleu precision {n}": 2 for n in _ORDERS}
    bleu = {"bleu": 0, "sentence bleu": 0}
    found = {
        "": {**bleu, **lower, **single},
        "bleu": {**bleu, **lower, **single},
        "bleu4": bleu,
        "sentencebleu": {"sentence bleu": 0},
        "sentbleu": {"sentence bleu": 0},
        "sbleu": {"bleu": 0, "sentence bleu": 0},
        "sacrebleu": bleu,
        "corpusbleu": {"bleu": 0},
    }
    for n in _ORDERS[1:]:
        found[f"bleu{n}"] = {f"bleu-{n}": 0, f"sentence bleu-{n}": 0, f"bleu precision {n}": 1}
    return found


_WORDS: dict[str, Value] = {"tokenize": "none", "smoothing": "none"}
_MEAN: dict[str, Value] = {"aggregation": "mean"}
_PRESETS = (
    Preset("sacreBLEU", {}, "sacrebleu GOLD -i SYSTEM -m bleu", _SACRE),
    Preset("sacreBLEU, mean of sentences", _MEAN, "sacrebleu.sentence_bleu(...) for each line"),
    Preset("Hugging Face evaluate", {"smoothing": "none"}, 'evaluate.load("bleu")'),
    Preset("mteval-v13a.pl", {"smoothing": "none", "lowercase": True}, "mteval-v13a.pl"),
    Preset(
        "multi-bleu.perl", _WORDS, "multi-bleu.perl GOLD < SYSTEM", {("lowercase", True): "-lc"}
    ),
    Preset("t2t-bleu", {"tokenize": "intl"}, "t2t-bleu --translation=SYSTEM --reference=GOLD"),
    Preset("torchmetrics, smoothed", {"tokenize": "none", "smoothing": "add-k"},
           "torchmetrics' bleu_score(..., smooth=True)"),
    Preset("COCO", {**_WORDS, "lowercase": True}, "pycocoevalcap Bleu, words by white space"),
    *(
        Preset(
            f"nltk{words}{of}{smoothed}",
            {"tokenize": tokenize, "smoothing": smoothing, "aggregation": aggregation},
            f"nltk's {aggregation}_bleu".replace("mean", "sentence"),
        )
        for words, tokenize in (
            ("", "none"), (", wordpunct_tokenize", "wordpunct"), (", texts not split", "string"),
        )
        for aggregation, of in (("corpus", ""), ("mean", ", mean of sentences"))
        for smoothed, smoothing in (
            ("", "none"), ("", "nltk-0"), (", method1", "floor"), (", method1", "nltk-1"),
        )
    ),
)  # fmt: skip


def _passes(names: Collection[str]) -> list[Pass]:
    found = []
    texts = Texts()
    for tokenize in _TOKENIZERS:
        # Texts that are not split are a slip, which is tried as they are.
        for lowercase in (False, True) if tokenize != "string" else (False,):
            base = Bleu(tokenize=tokenize, lowercase=lowercase, max_ngram_order=_LONGEST)
            settings = [each for each in _settings(base) if each.name in names]
            if settings:
                found.append(
                    Pass(
                        Bleu(),
                        partial(_count, base, texts),
                        settings,
                        applies=has_cjk if tokenize == "zh" else None,
                        counts_as=base,
                        swapped=_swapped,
                    )
                )
    return found


def _count(metric: Bleu, texts: Texts, pairs: Pairs, _: frozenset[str]) -> Counts:
    prepared = texts.of(pairs)
    return Counts(metric.rows(prepared), bool((prepared.sizes == 1).all()))


class Counts(NamedTuple):
    """The rows of order 5, and whether each text has one reference."""

    rows: Array
    single: bool


def _swapped(counts: Counts) -> Counts | None:
    """The counts with gold in place of the system: common n-grams are the same both ways."""
    if not counts.single:
        return None
    rows = counts.rows.copy()
    rows[:, 2], rows[:, 3] = counts.rows[:, 3], counts.rows[:, 2]
    for n in range(_LONGEST):
        rows[:, 4 + _LONGEST + n] = np.maximum(rows[:, 2] - n, 0)
    return Counts(rows, single=True)


def _settings(base: Bleu) -> Iterator[Setting]:
    read: dict[str, Value] = {"tokenize": base.tokenize, "lowercase": base.lowercase}
    if base.tokenize in _OF_NLTK:
        for smoothing, orders in _NLTK.items():
            for n in orders:
                yield from _both(base, n, _NLTK_COUNTS[n], smoothing)
    if base.tokenize == "string":  # which nobody but nltk takes
        return
    for n in _ORDERS:
        for smoothing, amount in _SMOOTHING.items():
            for effective in (False, True):
                yield from _both(base, n, _COUNTS[n], smoothing, amount, effective)
        plain = Bleu(tokenize=base.tokenize, lowercase=base.lowercase, smooth_method="none")
        yield Setting(
            plain, f"precisions.{n}", f"bleu precision {n}",
            {**read, "smoothing": "none", "aggregation": "corpus"},
            _COUNTS[4], partial(_precision, n), scale=100.0,
        )  # fmt: skip


def _both(
    base: Bleu,
    n: int,
    counts: Callable[[Counts], Array],
    smoothing: Smoothing,
    amount: float | None = None,
    effective: bool | None = None,
) -> Iterator[Setting]:
    """The score of the corpus, and the mean of sentences, which always have an effective order."""
    metric = Bleu(
        tokenize=base.tokenize, lowercase=base.lowercase, smooth_method=smoothing,
        smooth_value=amount, max_ngram_order=n, effective_order=bool(effective),
    )  # fmt: skip
    name = "bleu" if n == 4 else f"bleu-{n}"
    choices: dict[str, Value] = {
        "tokenize": base.tokenize, "lowercase": base.lowercase, "smoothing": smoothing,
    }  # fmt: skip
    order: dict[str, Value] = {} if effective is None else {"effective_order": effective}
    yield Setting(
        metric, "bleu", name, {**choices, **order, "aggregation": "corpus"}, counts,
        partial(_corpus, metric), scale=100.0,
    )  # fmt: skip
    if not effective:
        yield Setting(
            metric, "sent-bleu", f"sentence {name}", {**choices, "aggregation": "mean"},
            partial(_sentences, metric, counts), _mean, scale=100.0,
        )  # fmt: skip


def _counts(n: int, counted: Counts) -> Array:
    """The columns of a row of order 5 that a row of order n has, except the sentence's score."""
    places = [2, 3, *range(4, 4 + n), *range(4 + _LONGEST, 4 + _LONGEST + n)]
    return counted.rows[:, places]


def _nltk_counts(n: int, counted: Counts) -> Array:
    """The same as nltk counts them."""
    return nltk_counts(counted.rows[:, 2:], n)


_COUNTS = {n: partial(_counts, n) for n in _ORDERS}
_NLTK_COUNTS = {n: partial(_nltk_counts, n) for n in _ORDERS}


def _corpus(metric: Bleu, totals: Array) -> Array:
    return metric.from_counts(totals, metric.effective_order)[0]


def _sentences(metric: Bleu, counts: Callable[[Counts], Array], counted: Counts) -> Array:
    scores = metric.of_sentences(counts(counted))
    return side_by_side(np.ones(len(scores)), scores)


def _mean(totals: Array) -> Array:
    return ratio(totals[..., 1], totals[..., 0])


def _precision(n: int, totals: Array) -> Array:
    return 100 * ratio(totals[..., 1 + n], totals[..., 5 + n])
