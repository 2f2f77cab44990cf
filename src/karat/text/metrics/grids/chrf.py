"""Settings of chrF: counts of the longest n-grams are enough for all orders and weights."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import partial

import numpy as np

from karat import _native
from karat.core.reading.strings import Referenced
from karat.core.scores import Array, quotient, ratio
from karat.core.tracing import Grid, Latest, Once, Pairs, Pass, Preset, Setting, Value, side_by_side
from karat.text.metrics.chrf import Chrf, counted_ngrams
from karat.text.metrics.grids.texts import Texts, text_slips
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


class Counts:
    """The n-grams of each text with each of its references, and what all orders share."""

    def __init__(
        self, stats: Array, texts: Referenced | None = None, other: Counts | None = None
    ) -> None:
        self.stats = stats
        self.other = other
        """Those of which system and gold are swapped."""
        several = texts is not None and len(stats) > len(texts.systems)
        self.texts = texts if several else None
        """The texts, where some have several references."""
        self._sums: dict[float | None, Array] = {}
        self._means: dict[tuple[int, int], tuple[Array, Array]] = {}

    def swapped(self) -> Counts | None:
        """With gold in place of the system; None where that tells too little.

        Of an order that a reference is too short for, nothing is counted on either side.
        """
        if self.texts is not None or not self.stats[:, 1::3].all():
            return None
        system, gold, common = (self.stats[:, i::3] for i in range(3))
        there = np.where(system > 0, gold, 0)
        return Counts(np.dstack([there, system, common]).reshape(self.stats.shape), other=self)

    def scores(self, metric: Chrf) -> Array:
        """The score of each pair: what `from_counts` gives, from sums over orders made once."""
        order, words, weight = metric.char_order, metric.word_order, float(metric.beta**2)
        if metric.eps_smoothing:
            (total,) = self._upto(order, words, weight)
            return np.asarray(100 * total / (order + words))
        precision, recall = self._averages(order, words)
        return 100 * quotient((1 + weight) * precision * recall, weight * precision + recall)

    def _averages(self, order: int, words: int) -> tuple[Array, Array]:
        """Precision and recall over the orders that both texts have, whatever weighs them."""
        if self.other is not None:
            precision, recall = self.other._averages(order, words)
            return recall, precision
        if (order, words) not in self._means:
            both, precision, recall = self._upto(order, words)
            self._means[order, words] = quotient(precision, both), quotient(recall, both)
        return self._means[order, words]

    def _upto(self, order: int, words: int, weight: float | None = None) -> list[Array]:
        """Sums over orders: how many both texts have, precision and recall; with a weight, of the
        smoothed score alone."""
        if weight not in self._sums:
            self._sums[weight] = _native.chrf_sums(
                np.ascontiguousarray(self.stats), _CHARACTERS, weight
            )
        sums = self._sums[weight]
        found = sums[:, order - 1]
        return list(found + sums[:, _CHARACTERS + words - 1] if words else found)


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
    reader, texts, once = Chrf(), Texts(), Once()
    found = []
    for lowercase in (False, True):
        for whitespace in (False, True):
            longest = Chrf(
                char_order=_CHARACTERS, word_order=_WORDS, lowercase=lowercase,
                whitespace=whitespace,
            )  # fmt: skip
            count = partial(_count, longest, texts, once)
            found.append(Pass(reader, count, list(_settings(longest)), swapped=Counts.swapped))
    return found


def _count(metric: Chrf, texts: Texts, once: Once, pairs: Pairs, _: frozenset[str]) -> Counts:
    """Words are the same with and without white space, and counted once for both."""
    prepared = texts.of(pairs)
    case = metric.lowercase
    read = once.of(("texts", case), pairs, lambda: prepared.lowered() if case else prepared)
    counts = once.of(case, pairs, lambda: counted_ngrams(read, _CHARACTERS, _WORDS, False))
    if metric.whitespace:
        characters = counted_ngrams(read, _CHARACTERS, 0, True)
        counts = np.hstack([characters, counts[:, characters.shape[1] :]])
    return Counts(counts, prepared)


def _settings(longest: Chrf) -> Iterator[Setting]:
    case, space = longest.lowercase, longest.whitespace
    for order in range(_CHARACTERS, 2, -1):
        for words in range(_WORDS + 1):
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
                    yield Setting(
                        metric, "chrf", "chrf", {**choices, "aggregation": "corpus"},
                        partial(_chosen, metric),
                        partial(_corpus, metric), scale=100.0,
                    )  # fmt: skip
                    yield Setting(
                        metric, "sent-chrf", "chrf", {**choices, "aggregation": "mean"},
                        partial(_sentences, metric),
                        _mean, scale=100.0,
                    )  # fmt: skip


def _chosen(metric: Chrf, counts: Counts) -> Array:
    """The counts of all orders, with the best reference."""
    if counts.texts is None:
        return counts.stats
    return counts.stats[first_best(counts.scores(metric), counts.texts)]


def _sentences(metric: Chrf, counts: Counts) -> Array:
    """A one, and the score of each sentence."""
    scores = counts.scores(metric)
    if counts.texts is not None:
        scores = scores[first_best(scores, counts.texts)]
    return side_by_side(1.0, scores)


_COUNTS = Latest(lambda totals: Counts(totals.reshape(-1, totals.shape[-1])))


def _corpus(metric: Chrf, totals: Array) -> Array:
    """The score of sums of all orders; many settings ask for the same sums."""
    return _COUNTS(totals).scores(metric).reshape(totals.shape[:-1])


def _mean(totals: Array) -> Array:
    return ratio(totals[..., 1], totals[..., 0])
