"""Random texts, odd characters among them, side by side with the packages that karat equals."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from karat.text.metrics.bleu import Bleu
from karat.text.metrics.chrf import Chrf
from karat.text.metrics.rouge import Rouge
from karat.text.metrics.ter import Ter

sacrebleu = pytest.importorskip("sacrebleu.metrics")

WORDS = [
    "the", "a", "dog", "dogs", "running", "Ran", "U.S.", "1,200", "3.5", "it's", "it's.", "don't",
    "“quoted”", "&amp;", "&quot;", "<skipped>", "-", "--", "—", "…", "東京", "日本語", "привет",
    "שלום", "مرحبا", "नमस्ते", "🙂", "👩\u200d👩\u200d👧", "e\u0301", "é", "ß", "İ", "ﬁ", "\u200b",
    "\u00a0", "x\u00ady", "100%", "$5", "(a)", "|||", "a/b", "well-known", "END.", ".", "!", ",",
    "?", "\t", "\u2028", "\x85", "\x0b", "\x1c", "\u3000", "؟", "。", "、", "１２", "Ⅷ", "½", "²",
    "Ǆ", "\ufeff", "ก็", "한국어", "a_b", "@", "#tag", "9,", ".9", "5.", "1.2.3", "-5", "5-", "٣",
    "\\", '"', "departmental", "constitutional", "flies", "dying", "news", "skies", "happily",
    "y", "yes",
]  # fmt: skip
texts = st.builds(
    lambda words, blank, end: blank.join(words) + end,
    st.lists(st.sampled_from(WORDS), max_size=12),
    st.sampled_from([" ", " ", " ", "", "  ", "\t"]),
    st.sampled_from(["", "", " ", "\n"]),
)
references = st.lists(texts, min_size=1, max_size=3)


@st.composite
def corpora(draw: Callable[..., Any]) -> tuple[list[str], list[list[str]]]:
    """Segments with as many references each; systems share words with a reference."""
    size, many = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    golds = [[draw(texts) for _ in range(many)] for _ in range(size)]
    systems = []
    for gold in golds:
        words = gold[0].split(" ")
        moved = draw(st.integers(0, len(words)))
        changed = draw(st.lists(st.sampled_from(WORDS), max_size=2))
        systems.append(" ".join(words[moved:] + changed + words[:moved]))
    return systems, golds


def check(metric: Any, peer: Any, corpus: tuple[list[str], list[list[str]]], sentence: str) -> None:
    systems, golds = corpus
    macro, each = metric.evaluate(systems, golds)
    streams = [list(stream) for stream in zip(*golds, strict=True)]
    whole = min(peer.corpus_score(systems, streams).score, metric.about.perfect or 1e9)
    assert macro[metric.name] == pytest.approx(whole, rel=1e-12, abs=1e-12)
    if metric.name == "bleu":
        peer = type(peer)(**{**metric.options, "effective_order": True})
    for system, gold, scores in zip(systems, golds, each, strict=True):
        alone = min(peer.sentence_score(system, gold).score, metric.about.perfect or 1e9)
        assert scores[sentence] == pytest.approx(alone, rel=1e-12, abs=1e-12)


@given(
    corpora(),
    st.sampled_from(["13a", "intl", "char", "zh", "none"]),
    st.sampled_from(
        [("exp", None), ("floor", None), ("floor", 0.5), ("add-k", 2.0), ("none", None)]
    ),
    st.sampled_from([1, 2, 4, 6]),
    st.booleans(),
    st.booleans(),
)
def test_bleu(
    corpus: Any, tokenize: str, smoothing: Any, order: int, lowercase: bool, effective: bool
) -> None:
    options: dict[str, Any] = {
        "tokenize": tokenize, "smooth_method": smoothing[0], "smooth_value": smoothing[1],
        "max_ngram_order": order, "lowercase": lowercase, "effective_order": effective,
    }  # fmt: skip
    check(Bleu(**options), sacrebleu.BLEU(**options), corpus, "sent-bleu")


@given(
    corpora(),
    st.sampled_from([1, 3, 6]),
    st.sampled_from([0, 1, 2]),
    st.sampled_from([1, 2, 3]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_chrf(
    corpus: Any, chars: int, words: int, beta: int, lower: bool, blanks: bool, smooth: bool
) -> None:
    options: dict[str, Any] = {
        "char_order": chars, "word_order": words, "beta": beta, "lowercase": lower,
        "whitespace": blanks, "eps_smoothing": smooth,
    }  # fmt: skip
    check(Chrf(**options), sacrebleu.CHRF(**options), corpus, "chrf")


@given(corpora(), st.booleans(), st.booleans(), st.booleans(), st.booleans())
# sacreBLEU tokenises references twice: equal texts with different figures.
@example((["it's."], [["it's."]]), True, False, False, False)
def test_ter(corpus: Any, normalized: bool, no_punct: bool, asian: bool, case: bool) -> None:
    options: dict[str, Any] = {
        "normalized": normalized, "no_punct": no_punct, "asian_support": asian,
        "case_sensitive": case,
    }  # fmt: skip
    systems, golds = corpus
    metric, peer = Ter(**options), sacrebleu.TER(**options)
    macro, each = metric.evaluate(systems, golds)
    streams = [list(stream) for stream in zip(*golds, strict=True)]
    assert macro["ter"] == pytest.approx(peer.corpus_score(systems, streams).score, rel=1e-12)
    for system, gold, scores in zip(systems, golds, each, strict=True):
        assert scores["ter"] == pytest.approx(peer.sentence_score(system, gold).score, rel=1e-12)


@given(texts, references, st.booleans(), st.booleans())
def test_rouge_score(system: str, gold: list[str], stemmed: bool, lines: bool) -> None:
    scorers = pytest.importorskip("rouge_score.rouge_scorer")
    names = ["rouge1", "rouge2", "rouge3", "rougeL", "rougeLsum"]
    if lines:
        system, gold = system.replace(" ", "\n"), [text.replace(" ", "\n", 3) for text in gold]
    metric = Rouge(profile="google", use_porter_stemmer=stemmed, max_ngram=3, compute_rouge_l=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # letters that an ASCII profile drops
        scores = metric.score(system, gold)
    theirs = scorers.RougeScorer(names, use_stemmer=stemmed).score_multi(gold, system)
    for name in names:
        expected = theirs[name].recall, theirs[name].precision, theirs[name].fmeasure
        assert tuple(scores[name].values()) == pytest.approx(expected, rel=1e-12)
