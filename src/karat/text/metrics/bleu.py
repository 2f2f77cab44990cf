"""BLEU."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from typing import Annotated, Any, Literal

import numpy as np

from karat import _native
from karat.core.capabilities import grid_in
from karat.core.marks import Score, count, main, out_of, within
from karat.core.options import Only, Range
from karat.core.reading.strings import Referenced
from karat.core.scores import Array, MetricsDict, Scores, convention, quotient, ratio
from karat.core.scoring import encoded_scores, nested_scores
from karat.errors import OptionError, did_you_mean
from karat.text.metrics.sacrebleu_base import SacreMetric, exp, log, peer_class, yes
from karat.text.raw_texts import ListedGrams
from karat.text.words.unicode import INTL

_OWN = ("wordpunct", "string")
_KERNELS = frozenset(("none", "13a", "char", "intl", *_OWN))
"""The tokenizers that are kernels, or done here; sacreBLEU does the others."""
_SMOOTHING = {"floor": 0.1, "add-k": 1.0}
_EPSILON, _ALPHA, _K = 0.1, 5.0, 5.0
"""The parameters of nltk's methods of smoothing."""
_NEXT = 5
"""The order that its methods 5 and 7 look at besides, whatever the longest n-grams are."""
_WORDS_AND_MARKS = r"\w+|[^\w\s]+"
"""What nltk's wordpunct_tokenize takes for words."""
Smoothing = Literal[
    "exp", "floor", "add-k", "none",
    "nltk-0", "nltk-1", "nltk-2", "nltk-3", "nltk-4", "nltk-5", "nltk-6", "nltk-7",
]  # fmt: skip


def _spaced(text: str) -> str:
    """The characters of a text with blanks between them; other characters stand for its blanks.

    >>> _spaced("a b") == "a \ue020 b"
    True
    """
    return " ".join(text.translate(_blanks()))


@cache
def _blanks() -> dict[int, int]:
    return {code: 0xE000 + code for code in range(0x3001) if chr(code).isspace()}


class Bleu(ListedGrams, SacreMetric):
    """BLEU (Papineni et al. 2002), equal to sacreBLEU to the last
    digit. (A perfect score is exactly 100; in sacreBLEU rounding may give slightly more.)

    `bleu` is the corpus score, from summed n-gram counts; `sent-bleu` the mean
    of sentence scores with effective order, which is a different number. Each
    segment may have any number of references.

    With the smoothing methods ``nltk-0`` (none) to ``nltk-7`` both are as in nltk, also where a
    sentence has fewer words than the longest n-grams. Corpus scores by methods 5 to 7 differ:
    there, nltk uses the n-grams of the last sentence instead of those of all.

    >>> Bleu().score("the dog barks", ["the dog barks loudly"])["sent-bleu"]
    71.65313105737896
    """

    name = "bleu"
    peer_name = "BLEU"

    tokenize: Annotated[
        str,
        "sacreBLEU's tokenizer: 13a, intl, zh, char, none, ...; nltk's wordpunct; or string, each "
        "character and blank, as nltk takes texts that are not split",
    ] = "13a"
    lowercase: Annotated[bool, "lower-case both sides"] = False
    smooth_method: Annotated[Smoothing, "what to do with n-gram orders without matches"] = "exp"
    smooth_value: Annotated[
        float | None,
        Range(0),
        Only("smooth_method", ("floor", "add-k")),
        "what smooth_method floor or add-k adds",
    ] = None
    max_ngram_order: Annotated[int, Range(1, 16), "the longest n-grams"] = 4
    effective_order: Annotated[bool, "leave out n-gram orders longer than the text"] = False

    @property
    def columns(self) -> Sequence[str]:  # type: ignore[override]
        orders = range(1, self.max_ngram_order + 1)
        return (
            "segments",
            "sentence_bleu",
            "sys_len",
            "ref_len",
            *(f"correct_{n}" for n in orders),
            *(f"total_{n}" for n in orders),
            *(("correct_next", "total_next") if self._method is not None else ()),
        )

    def __post_init__(self) -> None:
        if self._method is None:
            return
        if self.needs_peer:
            raise OptionError(
                f"bleu: {self.smooth_method} needs a tokenizer of karat's own",
                code="K390",
                advice="tokenizers: " + ", ".join(sorted(_KERNELS)),
            )
        if self.effective_order:
            raise OptionError("bleu: nltk has no effective order", code="K390")

    @property
    def _method(self) -> int | None:
        """The number of nltk's smoothing method."""
        return int(self.smooth_method[5:]) if self.smooth_method.startswith("nltk-") else None

    @cached_property
    def _peer(self) -> Any:
        own = f"{', '.join(sorted(_KERNELS))} need nothing"
        peer = peer_class("BLEU", f"the tokenizer {self.tokenize!r} of {self.name} ({own})")
        known = [*peer.TOKENIZERS, *_OWN]
        if self.tokenize not in known:
            raise OptionError(
                f"bleu has no tokenizer {self.tokenize!r}{did_you_mean(self.tokenize, known)}",
                code="K302",
                advice="tokenizers: " + ", ".join(known),
            )
        return super()._peer

    @property
    def needs_peer(self) -> bool:
        return self.tokenize not in _KERNELS

    def choices(self) -> Mapping[str, str]:
        smooth: str = self.smooth_method
        if smooth in ("floor", "add-k"):
            smooth += f"[{self._smooth_value:.2f}]"
        return {
            "case": "lc" if self.lowercase else "mixed",
            "eff": yes(self.effective_order),
            "tok": self.tokenize,
            "smooth": smooth,
        }

    @property
    def _smooth_value(self) -> float:
        usual: float = _SMOOTHING.get(self.smooth_method, 0.0)
        return usual if self.smooth_value is None else self.smooth_value

    def prepared(self, texts: Referenced) -> tuple[Referenced, dict[str, Any]]:
        """The texts for a kernel, and how it is to cut them into words."""
        how, kinds = "none", None
        if self.needs_peer:
            texts = texts.changed(self._peer._preprocess_segment)
        else:
            texts = texts.lowered() if self.lowercase else texts
            if self.tokenize == "wordpunct":
                texts = texts.changed(lambda text: " ".join(re.findall(_WORDS_AND_MARKS, text)))
            elif self.tokenize == "string":
                texts = texts.changed(_spaced)
            else:
                how = self.tokenize
        if how == "intl":
            kinds = INTL.for_texts(texts.systems, texts.references)
        return texts, {"tokenizer": how, "kinds": kinds}

    def rows(self, texts: Referenced) -> Array:
        texts, how = self.prepared(texts)
        size = self.max_ngram_order
        orders = size if self._method is None else max(size, _NEXT)
        stats = _native.bleu_counts(*texts.columns, orders=orders, **how).astype(np.float64)
        if self._method is not None:
            stats = nltk_counts(stats, size)
        sentences = self.of_sentences(stats)
        return np.column_stack([np.ones(len(stats)), sentences, stats])

    def of_sentences(self, stats: Array) -> Array:
        """The scores of sentences, from the counts of each."""
        return self.from_counts(stats, effective_order=True, sentences=True)[0]

    def summarize(self, totals: Array) -> Scores:
        score, penalty, precisions = self.from_counts(totals[..., 2:], self.effective_order)
        return {
            "bleu": main(self._scaled(score)),
            "sent-bleu": self._scaled(ratio(totals[..., 1], totals[..., 0])),
            "brevity_penalty": penalty,
            "precisions": {str(n + 1): out_of(each, 100) for n, each in enumerate(precisions)},
            "sys_len": count(totals[..., 2]),
            "ref_len": count(totals[..., 3]),
        }

    def _scaled(self, values: Array) -> Score:
        """Out of 100; nltk's averages of neighbouring orders may give more."""
        scaled = out_of(values, 100)
        return within(scaled, 0, 400 / 3) if self._method in (5, 7) else scaled

    tracing = grid_in("karat.text.metrics.grids.bleu")

    def line(self, scores: MetricsDict) -> str:
        """The line of sacreBLEU's score object, with the two digits of its default."""
        precisions = "/".join(f"{each or 0.0:.1f}" for each in scores["precisions"].values())
        system, gold = scores["sys_len"], scores["ref_len"]
        return (
            f"BLEU = {scores['bleu']:.2f} {precisions} (BP = {scores['brevity_penalty']:.3f} "
            f"ratio = {system / gold if gold else 0:.3f} hyp_len = {system:d} ref_len = {gold:d})"
        )

    def explain_texts(
        self,
        texts: Referenced,
        rows: Array,
        *,
        matched: bool = False,
        errors: _native.FrequentErrors | None = None,
    ) -> list[bytes]:
        """The tokens, the lengths, and for each order the n-grams that are missing or surplus,
        each as often as one of the references has it; with `matched` also those that match."""
        prepared, how = self.prepared(texts)
        columns = encoded_scores(self, rows)
        return _native.bleu_explained(
            *prepared.columns, orders=self.max_ngram_order, **how,
            scores=nested_scores(columns),
            penalties=dict(columns)[("brevity_penalty",)].split(b","),
            matched=matched, errors=errors,
        )  # fmt: skip

    def from_counts(
        self, stats: Array, effective_order: bool, *, sentences: bool = False
    ) -> tuple[Array, Array, list[Array]]:
        """BLEU, brevity penalty and precisions of sums of any leading shape."""
        size = self.max_ngram_order
        if self._method is not None:
            value, penalty = _nltk_score(stats, self._method, size, sentence=sentences)
            plain = [
                100 * quotient(stats[..., 2 + n], stats[..., 2 + size + n], convention(0.0))
                for n in range(size)
            ]
            return value, penalty, plain
        sys_len, ref_len = stats[..., 0], stats[..., 1]
        correct, total = stats[..., 2 : 2 + size], stats[..., 2 + size :]
        short = 1 - quotient(ref_len, sys_len)
        penalty = np.where(sys_len < ref_len, np.where(sys_len > 0, exp(short), 0.0), 1.0)
        some = np.any(correct != 0, axis=-1)
        amount = self._smooth_value
        halving = np.ones(sys_len.shape)
        open_ = some.copy()
        order = np.full(sys_len.shape, 0.0 if effective_order else float(size))
        logs = np.zeros(sys_len.shape)
        precisions = []
        for n in range(size):
            add = amount if self.smooth_method == "add-k" and n else 0.0
            hits, all_ = correct[..., n] + add, total[..., n] + add
            open_ = open_ & (all_ != 0)
            missed = open_ & (hits == 0)
            precision = np.where(open_, quotient(100.0 * hits, all_), 0.0)
            if self.smooth_method == "exp":
                halving = np.where(missed, halving * 2, halving)
                precision = np.where(missed, quotient(100.0, halving * all_), precision)
            elif self.smooth_method == "floor":
                precision = np.where(missed, quotient(100.0 * amount, all_), precision)
            if effective_order:
                order = np.where(open_, n + 1.0, order)
                logs = np.where(open_, logs + log(precision), logs)
            else:
                logs = logs + log(precision)
            precisions.append(np.where(all_ == 0, convention(0.0), precision))
        score = np.where(some, penalty * exp(np.where(some, quotient(logs, order), 0.0)), 0.0)
        return np.minimum(score, 100.0), penalty, precisions


def nltk_counts(stats: Array, size: int) -> Array:
    """Lengths, matches and numbers of n-grams up to an order, and those of order 5, from counts of
    at least that order.

    A sentence that is too short for an order counts there as one n-gram that does not match.
    """
    orders = (stats.shape[1] - 2) // 2
    totals = np.maximum(stats[:, 2 + orders :], 1.0)
    following = _NEXT - 1
    return np.column_stack(
        [
            stats[:, :2], stats[:, 2 : 2 + size], totals[:, :size],
            stats[:, 2 + following], totals[:, following],
        ]
    )  # fmt: skip


def _nltk_score(stats: Array, method: int, orders: int, *, sentence: bool) -> tuple[Array, Array]:
    """BLEU out of 100 and the brevity penalty as nltk has them, of sums of any leading shape.

    The methods are those of Chen and Cherry (2014), as the package has them. `stats` are lengths,
    matches and numbers of n-grams of orders 1, 2, ..., and both for order 5. Method 6 needs the
    numbers as they are, which only single sentences tell; for sums, those that are counted as one
    each are among them.
    """
    length, gold = stats[..., 0], stats[..., 1]
    hits, sizes = stats[..., 2 : 2 + orders], stats[..., 2 + orders : 2 + 2 * orders]
    penalty = np.where(length > gold, 1.0, exp(1 - quotient(gold, length)))
    penalty = np.where(length > 0, penalty, 0.0)
    found = quotient(hits, sizes)
    if method in (3, 4, 7):  # 1/2, 1/4, ... in place of orders without match, divided by something
        several = (length > 1)[..., None] | (method == 3)
        divisor = 1.0 if method == 3 else _K / log(np.maximum(length, 2.0))[..., None]
        missed = several & (hits == 0)
        power = np.cumsum(missed, axis=-1)
        found = np.where(missed, quotient(1.0, 2.0**power * divisor * sizes), found)
    if method == 0:
        found = np.where(hits > 0, found, np.finfo(float).tiny)
    elif method == 1:
        found = np.where(hits > 0, found, quotient(_EPSILON, sizes))
    elif method == 2:
        found[..., 1:] = (hits[..., 1:] + 1) / (sizes[..., 1:] + 1)
    elif method in (5, 7):  # the mean with both neighbours, of which the lower is a mean already
        following = quotient(stats[..., -2], stats[..., -1])
        after = np.concatenate([found[..., 1:], following[..., None]], axis=-1)
        before = found[..., 0] + 1
        for i in range(orders):
            found[..., i] = before = (before + found[..., i] + after[..., i]) / 3
    elif method == 6:  # orders from 3 on, interpolated with what the two before let expect
        for i in range(2, orders):
            size = np.maximum(length - i, 0.0) if sentence else sizes[..., i]
            prior = quotient(found[..., i - 1] ** 2, found[..., i - 2])
            found[..., i] = (hits[..., i] + _ALPHA * prior) / (size + _ALPHA)
    logs = np.where(found > 0, log(found), 0.0).sum(axis=-1) / orders
    return np.where(hits[..., 0] > 0, 100 * penalty * exp(logs), 0.0), penalty
