"""Options, rules and explanations of ROUGE."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.core.scoring import row_scores
from karat.errors import OptionError
from karat.text.metrics.rouge import Rouge
from karat.text.rouge.combining import percent, round_5

PEER = "alpha beta gamma delta"
REFERENCES = ["alpha beta", "alpha beta gamma delta epsilon zeta", "gamma"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_bytes": 9, "max_words": 9}, "max_bytes and max_words exclude each other"),
        ({"refs": "mean", "scoring_function": "max"}, "give one of them"),
        ({"language": "german"}, "language is for unicode"),
        ({"profile": "google", "wlcs_weight": 1.2}, "neither ROUGE-W nor ROUGE-S"),
        ({"profile": "google", "skip_bigram_gap_length": 4}, "neither ROUGE-W nor ROUGE-S"),
        ({"profile": "google", "remove_stopwords": True}, "no stop words"),
        ({"profile": "unicode", "remove_stopwords": True}, "except for language='english'"),
        ({"profile": "python-rouge", "max_words": 5}, "no length limits"),
        ({"max_ngram": 0}, "nothing to measure"),
        ({"max_ngram": -1}, "from 0 to 16"),
        ({"profile": "perl"}, "must be one of '1.5.5'"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Rouge(**options)


def test_an_unknown_language_is_told_with_what_is_near() -> None:
    metric = Rouge(profile="unicode", language="germann")
    with pytest.raises(OptionError, match="did you mean 'german'"):
        metric.score("a", ["b"])


@pytest.mark.parametrize(
    ("refs", "recall", "precision"),
    [
        # hits 2, 4, 1 of 2, 6, 1 gold words; the system has 4 words
        ("micro", 7 / 9, 7 / 12),
        ("mean", (1 + 4 / 6 + 1) / 3, (2 / 4 + 1 + 1 / 4) / 3),
        ("best-recall", 1.0, 2 / 4),
        ("best-f", 4 / 6, 1.0),
    ],
)
def test_rules_for_several_references(refs: Any, recall: float, precision: float) -> None:
    for profile, scale in (("unicode", 100), ("google", 1)):
        metric = Rouge(profile=profile, refs=refs, max_ngram=1, use_porter_stemmer=False)  # type: ignore[arg-type]
        (score,) = metric.score(PEER, REFERENCES).values()
        assert score["recall"] == pytest.approx(scale * recall)
        assert score["precision"] == pytest.approx(scale * precision)


def test_what_the_profile_leaves_out_is_in_the_signature() -> None:
    assert Rouge().signature().endswith("|refs:micro")
    assert Rouge(profile="google").signature().endswith("|refs:best-f")
    assert Rouge(scoring_function="max").signature().endswith("|refs:best-recall")


def test_names_of_scores() -> None:
    full = Rouge(
        max_ngram=2, compute_rouge_l=True, wlcs_weight=1.2, skip_bigram_gap_length=4
    ).score("a b", ["a b"])
    assert list(full) == ["rouge-1", "rouge-2", "rouge-l", "rouge-w-1.2", "rouge-su4"]
    other = Rouge(max_ngram=0, skip_bigram_gap_length=-1, skip_bigram_unigrams=False)
    assert list(other.score("a b", ["a b"])) == ["rouge-s*"]
    assert other.about.headline == "rouge-s*.f1"
    google = Rouge(profile="google", max_ngram=1, compute_rouge_l=True).score("a b", ["a b"])
    assert list(google) == ["rouge1", "rougeL", "rougeLsum"]
    assert list(google["rouge1"]) == ["recall", "precision", "fmeasure"]


def test_a_longer_gold_size_is_weighted_once_outside_the_engine() -> None:
    """The engine raises the gold size to the weight twice; the other profiles do not."""
    pair = ("a b c d", ["a b c d"])
    assert Rouge(profile="unicode", wlcs_weight=2.0).score(*pair)["rouge-w-2"]["recall"] == 100
    # 16 hits; the engine divides by 16 squared and takes the root
    assert Rouge(wlcs_weight=2.0).score(*pair)["rouge-w-2"]["recall"] == 25.0


@given(st.lists(st.floats(0, 1), min_size=1), st.integers(0, 99999))
def test_rounding_is_that_of_printf(values: list[float], step: int) -> None:
    middles = [(step + 0.5) / 1e5, np.nextafter((step + 0.5) / 1e5, 1)]
    table = np.array([*values, *middles])
    assert round_5(table).tolist() == [float(f"{value:.5f}") for value in table.tolist()]


def test_explanations() -> None:
    metric = Rouge(max_ngram=2, compute_rouge_l=True, skip_bigram_gap_length=0)
    explanation = metric.explain(
        ["The dogs barked.", "The dog left."], [["A dog barks the whole night.", "Dogs left."]]
    )
    assert explanation["system"] == [["the", "dog", "bark"], ["the", "dog", "leave"]]
    (reference,) = explanation["references"]
    assert reference["tokens"] == [["a", "dog", "bark", "the", "whole", "night"], ["dog", "leave"]]
    words = reference["measures"]["rouge-1"]
    assert (words["hits"], words["system"], words["gold"]) == (5, 6, 8)
    assert {"gram": "the", "count": 1, "clipped": {"system": 1, "gold": 0}} in words["matched"]
    assert words["missing"] == ["a", "whole", "night"]
    subsequence = reference["measures"]["common subsequence"]
    assert [s["matched"] for s in subsequence["gold_sentences"]] == [[1, 2], [0, 1]]
    scores = explanation["scores"]
    assert scores["rouge-1"]["recall"] == pytest.approx(100 * 5 / 8)
    assert scores["rouge-l"]["recall"] == pytest.approx(100 * 4 / 8)


texts = st.lists(st.text("abc .\n-1é", max_size=30), max_size=4)


@given(texts, texts)
def test_explanations_count_what_scores_count(system: list[str], gold: list[str]) -> None:
    metric = Rouge(
        profile="unicode", max_ngram=3, compute_rouge_l=True, skip_bigram_gap_length=2,
    )  # fmt: skip
    explanation = metric.explain(system, [gold])
    measures = explanation["references"][0]["measures"]
    names = {"common subsequence": "rouge-l", "skip-bigrams": "rouge-su2"}
    for name, figures in measures.items():
        score = explanation["scores"][names.get(name, name)]
        assert score["recall"] == pytest.approx(100 * figures["hits"] / (figures["gold"] or 1))
        assert score["precision"] == pytest.approx(100 * figures["hits"] / (figures["system"] or 1))


@given(texts, st.lists(texts, min_size=1, max_size=3), st.booleans())
def test_the_google_profile_is_the_package_rouge_score(
    system: list[str], golds: list[list[str]], stemmed: bool
) -> None:
    scorer = pytest.importorskip("rouge_score.rouge_scorer")
    peer = scorer.RougeScorer(["rouge1", "rouge2", "rougeL", "rougeLsum"], use_stemmer=stemmed)
    expected = peer.score_multi(["\n".join(gold) for gold in golds], "\n".join(system))
    metric = Rouge(profile="google", max_ngram=2, compute_rouge_l=True, use_porter_stemmer=stemmed)
    rows = metric.measure_many([(system, golds)])
    for name, score in row_scores(metric, rows)[0].items():
        theirs = expected[name]
        assert score == {
            "recall": theirs.recall, "precision": theirs.precision, "fmeasure": theirs.fmeasure
        }  # fmt: skip


def test_the_google_profile_makes_letters_small_before_it_looks_at_them() -> None:
    """The sign of degrees Kelvin has an ASCII letter as its small form, as rouge-score finds."""
    metric = Rouge(profile="google", max_ngram=1)
    assert metric.score("\u212aelvin", ["kelvin"])["rouge1"]["fmeasure"] == 1
    with pytest.warns(UserWarning, match="keeps only ASCII"):
        assert Rouge(max_ngram=1).score("\u212a\u212a", ["kk"])["rouge-1"]["f1"] == 0


@pytest.mark.parametrize("refs", ["micro", "best-recall", "best-f"])
def test_figures_of_the_engine_have_three_decimals_as_percentages(refs: Any) -> None:
    """One of seven is 0.14286 in the engine: 14.286, not the 14.285999999999998 of a product."""
    metric = Rouge(max_ngram=1, refs=refs)
    gold = ["one cat two dogs three birds four"]
    assert metric.score("one", gold)["rouge-1"] == {
        "recall": 14.286, "precision": 100.0, "f1": 25.0
    }  # fmt: skip
    assert metric.explain("one", gold)["scores"]["rouge-1"]["recall"] == 14.286
    rows = metric.measure_many([("one", gold)] * 3)
    average = metric.extras(["a", "b", "c"], rows)["rouge-1.5.5"]["rouge-1"]["recall"]
    assert average == {"average": 14.286, "low": 14.286, "high": 14.286}


@given(st.integers(0, 100_000))
def test_percentages_are_the_nearest_numbers_of_three_decimals(step: int) -> None:
    assert percent(np.array([step / 1e5])).tolist() == [float(f"{step / 1000:.3f}")]


@pytest.mark.parametrize(
    ("system", "gold"),
    [
        ("STRASSE", "Straße"),  # no regard to case
        ("cafe\u0301", "café"),  # one letter, or a letter and a mark
        ("\u03a3\u0391\u03a3", "\u03c3\u03b1\u03c2"),  # a letter with two small forms
    ],
)
def test_the_unicode_profile_knows_the_same_word_in_other_writing(system: str, gold: str) -> None:
    metric = Rouge(profile="unicode", max_ngram=1)
    assert metric.score(system, [gold])["rouge-1"]["f1"] == 100


def test_the_unicode_profile_takes_scripts_without_blanks_by_character() -> None:
    score = Rouge(profile="unicode", max_ngram=2).score("東京タワー", ["東京の塔"])
    assert score["rouge-1"] == pytest.approx({"recall": 50, "precision": 40, "f1": 400 / 9})
    assert score["rouge-2"]["recall"] == pytest.approx(100 / 3)


def test_the_unicode_profile_stems_with_snowball() -> None:
    german = Rouge(profile="unicode", language="german", max_ngram=1)
    assert german.score("Häuser", ["Haus"])["rouge-1"]["f1"] == 100
    assert Rouge(profile="unicode", max_ngram=1).score("Häuser", ["Haus"])["rouge-1"]["f1"] == 0
    unstemmed = Rouge(profile="unicode", language="german", max_ngram=1, use_porter_stemmer=False)
    assert unstemmed.score("Häuser", ["Haus"])["rouge-1"]["f1"] == 0


def test_the_best_recall_is_that_of_rounded_figures_but_for_subsequences() -> None:
    """500 of 1001 and 501 of 1003 are both 0.49950: the first wins, but not in ROUGE-L."""
    words = [f"w{i}" for i in range(501)]
    golds = [
        " ".join([*words[:500], *(f"x{i}" for i in range(501))]),
        " ".join([*words, *(f"y{i}" for i in range(502))]),
    ]
    metric = Rouge(max_ngram=1, compute_rouge_l=True, scoring_function="max")
    scores = metric.score(" ".join(words), golds)
    assert scores["rouge-1"]["precision"] == 99.8  # 500 of 501
    assert scores["rouge-l"]["precision"] == 100
    unicode = Rouge(profile="unicode", max_ngram=1, refs="best-recall")
    assert unicode.score(" ".join(words), golds)["rouge-1"]["precision"] == 100


def test_bytes_add_up_over_sentences_but_for_the_engine() -> None:
    """Eight bytes are the first line and "cc"; the engine takes every line of under eight."""
    pair = ["aa bb", "cc dd", "ee"], [["aa bb", "cc xx", "ee"]]
    options: Any = {"max_bytes": 8, "compute_rouge_l": True, "max_ngram": 1}
    everywhere = Rouge(profile="unicode", **options).score(*pair)
    assert everywhere["rouge-l"]["recall"] == everywhere["rouge-1"]["recall"] == 100
    engine = Rouge(**options).score(*pair)
    assert engine["rouge-1"]["recall"] == 100
    assert engine["rouge-l"]["recall"] == 60  # aa, bb and cc of five words; ee is beyond the limit


def test_the_warning_begins_above_a_tenth_of_the_letters() -> None:
    Rouge(max_ngram=1).score("abcde", ["abcdé"])  # one of ten
    with pytest.warns(UserWarning, match="drops 11% of the letters"):
        Rouge(max_ngram=1).score("abcd", ["abcdé"])  # one of nine


def test_skip_bigrams_with_and_without_unigrams() -> None:
    """Of "a b c" and "a c b": ab, ac, bc against ac, ab, cb; unigrams but for the last word."""
    pair = "alpha beta gamma", ["alpha gamma beta"]
    options: Any = {"max_ngram": 0, "skip_bigram_gap_length": 1}
    pairs = Rouge(**options, skip_bigram_unigrams=False)
    assert pairs.score(*pair) == {"rouge-s1": {"recall": 66.667, "precision": 66.667, "f1": 66.667}}
    # alpha and beta against alpha and gamma: one more in common, two more on either side
    assert Rouge(**options).score(*pair) == {
        "rouge-su1": {"recall": 60.0, "precision": 60.0, "f1": 60.0}
    }
    shown = pairs.explain(*pair)["references"][0]["measures"]["skip-bigrams"]
    assert (shown["hits"], shown["missing"]) == (2, ["gamma beta"])
