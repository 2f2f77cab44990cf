"""Settings of chrF: counts of the longest n-grams are enough for all orders and weights."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from karat.core.scores import Array, ratio
from karat.core.strings import Referenced
from karat.core.tracing import Grid, Pairs, Pass, Preset, Setting, Value
from karat.text.metrics.chrf import Chrf
from karat.text.metrics.grids.texts import referenced, text_slips
from karat.text.unique_pairs import first_best

_CHARACTERS, _WORDS = 6, 2
_NAMES = {
    "": {"chrf": 0},
    "chrf": {"chrf": 0},
    "chrf++": {"chrf": 0},
    "chrf+": {"chrf": 0},
    **{f"chrf{beta}": {"chrf": 0} for beta in (1, 2, 3)},
    **{f"chrf{beta}++": {"chrf": 0} for beta in (1, 2, 3)},
    "sentencechrf": {"chrf": 0},
    "chrf6": {"chrf": 0},
}
_MEAN: dict[str, Value] = {"aggregation": "mean"}
_FLAGS: dict[tuple[str, Value], str] = {
    ("lowercase", True): "--chrf-lowercase",
    ("whitespace", True): "--chrf-whitespace",
    ("eps_smoothing", True): "--chrf-eps-smoothing",
    **{("beta", beta): f"--chrf-beta {beta}" for beta in (1, 2, 3)},
    **{("char_order", order): f"--chrf-char-order {order}" for order in (3, 4, 5, 6)},
    **{("word_order", order): f"--chrf-word-order {order}" for order in (0, 1, 2)},
}
_COMMAND = "sacrebleu GOLD -i SYSTEM -m chrf"
_PRESETS = (
    Preset("sacreBLEU", {}, _COMMAND, _FLAGS),
    Preset("sacreBLEU, chrF++", {"word_order": 2}, f"{_COMMAND} --chrf-word-order 2", _FLAGS),
    Preset("sacreBLEU, chrF1", {"beta": 1}, f"{_COMMAND} --chrf-beta 1", _FLAGS),
    Preset("sacreBLEU, chrF3", {"beta": 3}, f"{_COMMAND} --chrf-beta 3", _FLAGS),
    Preset("sacreBLEU, mean of sentences", _MEAN, "sacrebleu.sentence_chrf(...) for each line"),
    Preset("nltk", {"beta": 3, "eps_smoothing": True, **_MEAN}, "nltk's corpus_chrf"),
    Preset("chrF++.py", {"word_order": 2, "eps_smoothing": True}, "chrF++.py -R GOLD -H SYSTEM"),
)


class Counts(NamedTuple):
    """The n-grams of each text with each of its references."""

    pairs: Array
    texts: Referenced


def grid() -> Grid:
    """With and without case and white space."""
    defaults: dict[str, Value] = {
        "lowercase": False, "whitespace": False, "char_order": 6, "word_order": 0, "beta": 2,
        "eps_smoothing": False, "aggregation": "corpus",
    }  # fmt: skip
    return Grid(_NAMES, defaults, _PRESETS, _passes, text_slips())


def _passes(names: Collection[str]) -> list[Pass]:
    if "chrf" not in names:
        return []
    reader = Chrf()
    found = []
    for lowercase in (False, True):
        for whitespace in (False, True):
            longest = Chrf(
                char_order=_CHARACTERS, word_order=_WORDS, lowercase=lowercase,
                whitespace=whitespace,
            )  # fmt: skip
            found.append(Pass(reader, partial(_count, longest), list(_settings(longest))))
    return found


def _count(metric: Chrf, pairs: Pairs, _: frozenset[str]) -> Counts:
    texts = referenced(pairs)
    return Counts(metric.ngram_counts(texts), texts)


def _settings(longest: Chrf) -> Iterator[Setting]:
    case, space = longest.lowercase, longest.whitespace
    for order in range(_CHARACTERS, 2, -1):
        for words in range(_WORDS + 1):
            columns = _columns(order, words)
            for beta in (2, 3, 1):
                for smoothed in (False, True):
                    metric = Chrf(
                        char_order=order, word_order=words, beta=beta, lowercase=case,
                        whitespace=space, eps_smoothing=smoothed,
                    )  # fmt: skip
                    choices: dict[str, Value] = {
                        "lowercase": case, "whitespace": space, "char_order": order,
                        "word_order": words, "beta": beta, "eps_smoothing": smoothed,
                    }  # fmt: skip
                    chosen = partial(_chosen, metric, columns)
                    yield Setting(
                        metric, "chrf", "chrf", {**choices, "aggregation": "corpus"}, chosen,
                        partial(_corpus, metric), scale=100.0,
                    )  # fmt: skip
                    yield Setting(
                        metric, "sent-chrf", "chrf", {**choices, "aggregation": "mean"}, chosen,
                        _mean, aggregation="mean", scale=100.0,
                    )  # fmt: skip


def _columns(order: int, words: int) -> Callable[[Array], Array]:
    """The columns of the longest n-grams that shorter ones have."""
    places = [*range(3 * order), *range(3 * _CHARACTERS, 3 * (_CHARACTERS + words))]
    return lambda counts: counts[:, places]


def _chosen(metric: Chrf, columns: Callable[[Array], Array], counts: Counts) -> Array:
    """A one, the sentence's score, and the counts with the best reference."""
    stats = columns(counts.pairs)
    scores = metric.from_counts(stats)
    if len(scores) > len(counts.texts.systems):
        best = first_best(scores, counts.texts)
        scores, stats = scores[best], stats[best]
    return np.column_stack([np.ones(len(scores)), scores, stats])


def _corpus(metric: Chrf, totals: Array) -> Array:
    return metric.from_counts(totals[..., 2:])


def _mean(totals: Array) -> Array:
    return ratio(totals[..., 1], totals[..., 0])
