"""Texts that nobody expects: the right number, or an error that says what to do."""

from __future__ import annotations

import time
from typing import Any

import pytest

from karat.errors import KaratError, LimitExceeded, OptionError, PairingError
from karat.text.metrics.rouge import Rouge

FULL = {"compute_rouge_l": True, "skip_bigram_gap_length": 4, "max_ngram": 2}
NOTHING = {"recall": 0.0, "precision": 0.0, "f1": 0.0}
ALL = {"recall": 100.0, "precision": 100.0, "f1": 100.0}


@pytest.mark.parametrize("text", ["", [], [""], "...!?", "\n\n", " \t ", "🙂🙃", "-"])
@pytest.mark.parametrize("profile", ["1.5.5", "unicode"])
def test_texts_without_words_score_nothing(text: Any, profile: Any) -> None:
    metric = Rouge(profile=profile, **FULL)
    for system, gold in ((text, ["a word"]), ("a word", [text]), (text, [text])):
        assert all(score == NOTHING for score in metric.score(system, gold).values())


@pytest.mark.parametrize("text", ["שלום עולם טוב", "مرحبا بالعالم", "東京タワー", "नमस्ते दुनिया"])
def test_any_script_has_words(text: str) -> None:
    metric = Rouge(profile="unicode", **FULL)
    assert all(score == ALL for score in metric.score(text, [text]).values())


def test_an_ascii_profile_says_that_it_drops_letters() -> None:
    with pytest.warns(UserWarning, match="drops 100% of the letters.*profile='unicode'"):
        assert Rouge(max_ngram=1).score("привет", ["привет"])["rouge-1"] == NOTHING
    with pytest.warns(UserWarning, match="google keeps only ASCII and drops 56%"):
        Rouge(profile="google", max_ngram=1).score("abcd", ["éèêëé"])


def test_a_few_foreign_letters_are_no_reason_to_warn() -> None:
    Rouge().score("The café on the corner was closed", ["A café was closed on the corner"])


def test_a_word_of_a_million_letters() -> None:
    for word in ("a" * 10**6, "xy" * (5 * 10**5), "b" * 10**6 + "ational", "y" * 10**6 + "ing"):
        for profile in ("1.5.5", "google", "unicode", "python-rouge"):
            metric = Rouge(profile=profile, max_ngram=1)  # type: ignore[arg-type]
            started = time.process_time()
            (score,) = metric.score(word, [word + " end"]).values()
            assert time.process_time() - started < 20
            assert score["precision"] == metric.about.perfect
            assert score["recall"] == pytest.approx(metric.about.perfect / 2)


def test_a_hundred_thousand_sentences() -> None:
    text = [f"sentence {i} of many" for i in range(100_000)]
    scores = Rouge(**FULL, wlcs_weight=1.2).score(text, [text])
    assert scores["rouge-l"] == ALL
    assert scores["rouge-2"] == ALL


def test_a_hundred_thousand_sentences_that_differ() -> None:
    ours = [f"our sentence {i} of many" for i in range(100_000)]
    theirs = [f"their sentence {i} of many" for i in range(100_000)]
    started = time.process_time()
    scores = Rouge(compute_rouge_l=True, wlcs_weight=1.2, max_ngram=1).score(ours, [theirs])
    # All but the first word of each sentence, four in a row, is in common.
    assert scores["rouge-l"] == {"recall": 80.0, "precision": 80.0, "f1": 80.0}
    hits, words = 100_000 * 4**1.2, 500_000**1.2
    recall = (hits / (100_000 * 5**1.2) ** 1.2) ** (1 / 1.2)
    assert scores["rouge-w-1.2"]["recall"] == pytest.approx(100 * recall, abs=1e-3)
    precision = (hits / words) ** (1 / 1.2)
    assert scores["rouge-w-1.2"]["precision"] == pytest.approx(100 * precision, abs=1e-3)
    assert time.process_time() - started < 30


def test_twenty_thousand_sentences_in_one_string() -> None:
    ours = " ".join(f"our sentence {i} of many" for i in range(20_000))
    theirs = " ".join(f"their sentence {i} of many" for i in range(20_000))
    started = time.process_time()
    for profile, name in (("1.5.5", "rouge-l"), ("google", "rougeL")):
        metric = Rouge(profile=profile, compute_rouge_l=True, max_ngram=1)  # type: ignore[arg-type]
        score = metric.score(ours, [theirs])[name]
        assert score["recall"] == pytest.approx(0.8 * metric.about.perfect)
    assert time.process_time() - started < 30


def test_texts_too_long_for_common_subsequences_are_refused_at_once() -> None:
    ours, theirs = ("word next " * 200_000, "next word " * 200_000)
    started = time.process_time()
    with pytest.raises(LimitExceeded, match="too long"):
        Rouge(wlcs_weight=1.2).score(ours, [theirs])
    ours, theirs = ("word next " * 1_000_000, "next word " * 1_000_000)
    with pytest.raises(LimitExceeded, match="too long"):
        Rouge(compute_rouge_l=True, max_ngram=1).score(ours, [theirs])
    with pytest.raises(LimitExceeded, match="too long"):
        Rouge(profile="google", compute_rouge_l=True, max_ngram=1).score(ours, [theirs])
    assert time.process_time() - started < 30


def test_too_many_skip_bigrams_are_refused() -> None:
    text = " ".join(f"w{i}" for i in range(30_000))
    with pytest.raises(LimitExceeded, match="skip-bigrams"):
        Rouge(skip_bigram_gap_length=-1).score(text, [text])


@pytest.mark.parametrize(
    ("system", "gold", "error", "message"),
    [
        ("a", [], PairingError, "there is no reference"),
        (None, ["a"], OptionError, "rouge takes a string, a list of strings"),
        (7, ["a"], OptionError, "found int 7"),
        ("a", [None], OptionError, "got None"),
        (["a", 3], ["a"], OptionError, "got list ['a', 3]"),
        ([["a"]], ["a"], OptionError, "got list [['a']]"),
    ],
)
def test_things_that_are_no_texts(
    system: Any, gold: Any, error: type[KaratError], message: str
) -> None:
    with pytest.raises(error) as caught:
        Rouge().score(system, gold)
    assert message in caught.value.headline


def test_lone_surrogates_are_separators() -> None:
    for profile in ("1.5.5", "google", "unicode"):
        metric = Rouge(profile=profile, max_ngram=1, max_bytes=50)  # type: ignore[arg-type]
        (score,) = metric.score("one\ud800two", ["one two"]).values()
        assert score["precision"] == metric.about.perfect
