"""Settings of metrics with few options: exact match, answers, edit distances, METEOR."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import partial
from typing import Any

import msgspec

from karat.core.metric import Metric
from karat.core.scores import Array
from karat.core.tracing import (
    Grid,
    Pairs,
    Pass,
    Preset,
    RowsOf,
    Scores,
    Value,
    mean_settings,
    measured,
    own_pass,
    own_settings,
)
from karat.text.metrics.gleu import Gleu
from karat.text.metrics.grids.texts import line_slips, text_slips
from karat.text.metrics.meteor import Meteor
from karat.text.metrics.wer import Wer
from karat.text.metrics.words import EditDistance, Exact, Squad


def _of(
    metrics: Iterable[Metric[Any, Any]], scores: Scores, names: Collection[str],
    rows: RowsOf | None = None, *, means: bool = False,
) -> list[Pass]:  # fmt: skip
    """A pass for each of some metrics; with `means`, also of the scores of items."""
    found = []
    for metric in metrics:
        settings = [
            each for each in own_settings(metric, scores, metric.options) if each.name in names
        ]
        if settings:
            settings += mean_settings(settings) if means else []
            found.append(own_pass(metric, settings, rows=rows))
    return found


def _defaults(metric: Metric[Any, Any], aggregation: str) -> dict[str, Value]:
    return {**metric.options, "aggregation": aggregation}


def exact() -> Grid:
    """With and without case."""
    own = {"exact": 0}
    return Grid(
        {"": own, "exact": own, "exactmatch": own, "em": own, "accuracy": own},
        _defaults(Exact(), "mean"),
        [Preset("karat"), Preset("karat, case ignored", {"ignore_case": True})],
        lambda names: _of(
            (Exact(), Exact(ignore_case=True)), {"accuracy": ("exact", "", "mean")}, names
        ),
        line_slips(),
    )


def squad() -> Grid:
    """One way to count, two figures."""
    em, f1 = {"em": 0}, {"f1": 0}
    return Grid(
        {
            "": {**f1, **em}, "squad": {**f1, **em}, "em": em, "exactmatch": em, "squadem": em,
            "f1": f1, "squadf1": f1, "f": f1, "squadexactmatch": em,
        },
        _defaults(Squad(), "mean"),
        [Preset("SQuAD", {}, "evaluate-v1.1.py GOLD SYSTEM")],
        lambda names: _of(
            (Squad(),), {"f1": ("f1", "", "mean"), "em": ("em", "", "mean")}, names
        ),
        text_slips(),
    )  # fmt: skip


def edit_distance() -> Grid:
    """Words or characters, with and without case."""
    all_ = {"normalized": 0, "mean": 0, "mean_normalized": 0, "total": 0}
    scores: Scores = {
        "normalized": ("normalized", "", "corpus"),
        "mean": ("mean", "", "mean"),
        "mean_normalized": ("mean_normalized", "", "mean"),
        "total": ("total", "", "sum"),
    }
    metrics = [
        EditDistance(characters=characters, ignore_case=case)
        for characters in (False, True)
        for case in (False, True)
    ]
    aggregations = [{"aggregation": each} for _, _, each in scores.values()]
    return Grid(
        {"": all_, "editdistance": all_, "levenshtein": all_, "levenshteindistance": all_,
         "normalizededitdistance": {"normalized": 0, "mean_normalized": 0},
         "editrate": {"normalized": 0, "mean_normalized": 0}},
        _defaults(EditDistance(), "corpus"),
        [
            Preset("karat" + (", characters" if characters else ""),
                   {**each, "characters": characters})
            for each in aggregations for characters in (False, True)
        ],
        lambda names: _of(metrics, scores, names),
        line_slips(),
    )  # fmt: skip


def wer() -> Grid:
    """As given, or normalised; of all words, or the mean of texts."""
    error = {"wer": 0, "cer": 1, "mer": 1, "wil": 1, "ser": 1}
    scores: Scores = {name: (name, "", "corpus") for name in error}
    metrics = [
        Wer(normalize=normalize, compat=compat)
        for normalize in ("none", "lower", "punctuation", "basic", "whisper-basic")
        for compat in ("none", "jiwer")
    ]
    return Grid(
        {"": error, "wer": {"wer": 0}, "cer": {"cer": 0}, "mer": {"mer": 0}, "wil": {"wil": 0},
         "ser": {"ser": 0}, "worderrorrate": {"wer": 0}, "charactererrorrate": {"cer": 0}},
        _defaults(Wer(), "corpus"),
        [
            Preset("karat"),
            Preset("jiwer", {"compat": "jiwer"}, "jiwer.wer(gold, system)"),
            Preset("jiwer, mean of texts", {"compat": "jiwer", "aggregation": "mean"},
                   "jiwer.wer(...) for each text"),
            Preset("karat, normalised", {"normalize": "basic"}),
            Preset(
                "Whisper's basic normalizer", {"normalize": "whisper-basic", "compat": "jiwer"},
                "BasicTextNormalizer, then jiwer.wer(gold, system)",
            ),
        ],
        lambda names: _of(
            metrics, scores, names, None if "cer" in names else _words_alone, means=True
        ),
        line_slips(),
    )  # fmt: skip


class _WordErrors(Wer):
    of_characters = False


def _words_alone(metric: Metric[Any, Any], pairs: Pairs) -> Array:
    return measured(_WordErrors(**metric.changed_options()), pairs)


def meteor() -> Grid:
    """The native engine; of the Java engine no figure can be had without running it."""
    scores: Scores = {
        "METEOR": ("meteor", "", "mean"),
        "METEOR-final": ("meteor-final", "", "corpus"),
    }
    own = {"meteor": 0, "meteor-final": 0}
    return Grid(
        {"": own, "meteor": own},
        _defaults(Meteor(), "mean"),
        [
            Preset("karat"),
            Preset("karat, best reference", {"refs": "max"}),
            Preset("karat, final", {"aggregation": "corpus"}),
        ],
        lambda names: _meteor(scores, names),
        text_slips(),
    )


def _meteor(scores: Scores, names: Collection[str]) -> list[Pass]:
    """One alignment of the words, references combined in two ways."""
    settings = []
    for metric in (Meteor(), Meteor(refs="max")):
        columns = partial(_meteor_rows, metric)
        settings += [
            msgspec.structs.replace(each, columns=columns)
            for each in own_settings(metric, scores, {"refs": metric.refs})
            if each.name in names
        ]
    return [Pass(Meteor(), _aligned, settings)] if settings else []


def _aligned(pairs: Pairs, _: frozenset[str]) -> Any:
    metric = Meteor()
    return metric.aligned(metric.texts_of_pairs(pairs))


def _meteor_rows(metric: Meteor, counted: Any) -> Any:
    return metric.combined(*counted)


def gleu() -> Grid:
    """Words by white space or by a tokenizer, with and without case."""
    scores: Scores = {"gleu": ("gleu", "", "corpus"), "sent-gleu": ("gleu", "", "mean")}
    metrics = [
        Gleu(tokenize=tokenize, lowercase=case)
        for tokenize in ("none", "wordpunct", "13a", "intl", "string")
        for case in (False, True)
        if not (case and tokenize == "string")
    ]
    own = {"gleu": 0}
    return Grid(
        {"": own, "gleu": own, "sentencegleu": own, "googlebleu": own},
        _defaults(Gleu(), "corpus"),
        [
            Preset("nltk", {}, "nltk.translate.gleu_score.corpus_gleu(...)"),
            Preset("nltk, mean of sentences", {"aggregation": "mean"}, "nltk's sentence_gleu"),
            Preset("Hugging Face evaluate", {"tokenize": "13a"}, 'evaluate.load("google_bleu")'),
            Preset("nltk, texts not split", {"tokenize": "string"}, "nltk's corpus_gleu"),
        ],
        lambda names: _of(metrics, scores, names),
        text_slips(),
    )
