"""BLEU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any, Literal

import numpy as np

from karat import _native
from karat.core.marks import count, main, out_of
from karat.core.metric import Explanation
from karat.core.options import Range
from karat.core.scores import Array, MetricsDict, Scores, convention, quotient, ratio
from karat.core.scoring import encoded_scores, nested_scores
from karat.core.strings import Referenced, decoded_json
from karat.text.metrics.sacrebleu_base import SacreMetric, exp, log, peer_class, yes
from karat.text.model import Text
from karat.text.words.character_kinds import INTL

_KERNELS = frozenset(("none", "13a", "char", "intl"))
"""The tokenizers that are kernels; sacreBLEU does the others."""
_SMOOTHING = {"none": 0.0, "floor": 0.1, "add-k": 1.0, "exp": 0.0}


class Bleu(SacreMetric):
    """BLEU (Papineni et al. 2002), equal to sacreBLEU to the last digit;
    only a perfect score, which its rounding may lift a few bits above 100, is 100.

    `bleu` is the corpus score, from summed n-gram counts; `sent-bleu` the mean
    of sentence scores with effective order, which is another number. Each
    segment may have any number of references.

    >>> Bleu().score("the dog barks", ["the dog barks loudly"])["sent-bleu"]
    71.65313105737896
    """

    name = "bleu"
    peer_name = "BLEU"

    tokenize: Annotated[str, "sacreBLEU's tokenizer: 13a, intl, zh, char, none, ..."] = "13a"
    lowercase: Annotated[bool, "lower-case both sides"] = False
    smooth_method: Annotated[
        Literal["exp", "floor", "add-k", "none"], "what to do with n-gram orders without match"
    ] = "exp"
    smooth_value: Annotated[float | None, Range(0), "for floor and add-k"] = None
    max_ngram_order: Annotated[int, Range(1, 16), "the longest n-grams"] = 4
    effective_order: Annotated[bool, "leave out orders that the text is too short for"] = False

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
        )

    @cached_property
    def _peer(self) -> Any:
        if self.tokenize not in _tokenizers():
            from karat.errors import OptionError, did_you_mean

            near = did_you_mean(self.tokenize, _tokenizers())
            raise OptionError(
                f"bleu has no tokenizer {self.tokenize!r}{near}",
                code="K302",
                advice="tokenizers: " + ", ".join(_tokenizers()),
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
        return _SMOOTHING[self.smooth_method] if self.smooth_value is None else self.smooth_value

    def _prepared(self, texts: Referenced) -> tuple[Referenced, str]:
        """The texts for the kernel, and the tokenizer that it is to use."""
        if self.needs_peer:
            return texts.changed(self._peer._preprocess_segment), "none"
        return texts.lowered() if self.lowercase else texts, self.tokenize

    def rows(self, texts: Referenced) -> Array:
        kinds = None
        texts, how = self._prepared(texts)
        if how == "intl":
            kinds = INTL.for_texts(texts.systems, texts.references)
        stats = _native.bleu_counts(
            *texts.columns, tokenizer=how, orders=self.max_ngram_order, kinds=kinds
        ).astype(np.float64)
        sentences = self._score(stats, effective_order=True)[0]
        return np.column_stack([np.ones(len(stats)), sentences, stats])

    def summarize(self, totals: Array) -> Scores:
        score, penalty, precisions = self._score(totals[..., 2:], self.effective_order)
        return {
            "bleu": main(out_of(score, 100)),
            "sent-bleu": out_of(ratio(totals[..., 1], totals[..., 0]), 100),
            "brevity_penalty": penalty,
            "precisions": {str(n + 1): out_of(each, 100) for n, each in enumerate(precisions)},
            "sys_len": count(totals[..., 2]),
            "ref_len": count(totals[..., 3]),
        }

    def line(self, scores: MetricsDict) -> str:
        """The line of sacreBLEU's score object, with the two digits of its default."""
        precisions = "/".join(f"{each or 0.0:.1f}" for each in scores["precisions"].values())
        system, gold = scores["sys_len"], scores["ref_len"]
        return (
            f"BLEU = {scores['bleu']:.2f} {precisions} (BP = {scores['brevity_penalty']:.3f} "
            f"ratio = {system / gold if gold else 0:.3f} hyp_len = {system:d} ref_len = {gold:d})"
        )

    def explain(self, system: Text, gold: Sequence[Text]) -> Explanation:
        """The tokens, the lengths, and for each order the n-grams that match, each as often as
        one of the references has it."""
        texts = Referenced.of([self.strings(system, gold)])
        return decoded_json(self.explain_texts(texts, self.rows(texts))[0])

    def explain_texts(self, texts: Referenced, rows: Array) -> list[bytes]:
        prepared, how = self._prepared(texts)
        kinds = INTL.for_texts(prepared.systems, prepared.references) if how == "intl" else None
        columns = encoded_scores(self, rows)
        parts = zip(
            nested_scores(columns),
            dict(columns)[("brevity_penalty",)],
            *_native.bleu_explained(
                *prepared.columns, tokenizer=how, orders=self.max_ngram_order, kinds=kinds
            ),
            strict=True,
        )
        return [
            b'{"scores":%b,"lengths":%b,"brevity_penalty":%b,%b}' % (scores, lengths, penalty, rest)
            for scores, penalty, lengths, rest in parts
        ]

    def _score(self, stats: Array, effective_order: bool) -> tuple[Array, Array, list[Array]]:
        """BLEU, brevity penalty and precisions of sums of any leading shape."""
        size = self.max_ngram_order
        sys_len, ref_len = stats[..., 0], stats[..., 1]
        correct, total = stats[..., 2 : 2 + size], stats[..., 2 + size :]
        short = 1 - quotient(ref_len, sys_len)
        penalty = np.where(sys_len < ref_len, np.where(sys_len > 0, exp(short), 0.0), 1.0)
        some = np.any(correct != 0, axis=-1)
        value = self._smooth_value
        halving = np.ones(sys_len.shape)
        open_ = some.copy()
        order = np.full(sys_len.shape, 0.0 if effective_order else float(size))
        logs = np.zeros(sys_len.shape)
        precisions = []
        for n in range(size):
            add = value if self.smooth_method == "add-k" and n else 0.0
            hits, all_ = correct[..., n] + add, total[..., n] + add
            open_ = open_ & (all_ != 0)
            missed = open_ & (hits == 0)
            precision = np.where(open_, quotient(100.0 * hits, all_), 0.0)
            if self.smooth_method == "exp":
                halving = np.where(missed, halving * 2, halving)
                precision = np.where(missed, quotient(100.0, halving * all_), precision)
            elif self.smooth_method == "floor":
                precision = np.where(missed, quotient(100.0 * value, all_), precision)
            if effective_order:
                order = np.where(open_, n + 1.0, order)
                logs = np.where(open_, logs + log(precision), logs)
            else:
                logs = logs + log(precision)
            precisions.append(np.where(all_ == 0, convention(0.0), precision))
        score = np.where(some, penalty * exp(np.where(some, quotient(logs, order), 0.0)), 0.0)
        return np.minimum(score, 100.0), penalty, precisions


def _tokenizers() -> list[str]:
    return list(peer_class("BLEU").TOKENIZERS)
