"""Divergences between distributions of words."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from karat.errors import FormatError, PairingError
from karat.text.metrics.divergences import JensenShannon, Simetrix
from karat.text.words.distributions import jensen_shannon


def test_divergences_of_words_and_pairs() -> None:
    scores = JensenShannon(use_stemmer=False).score("big dogs", ["big dogs bark", "cats sleep"])
    half = jensen_shannon({"a": 0.5, "b": 0.5}, {"a": 1 / 3, "b": 1 / 3, "c": 1 / 3})
    assert scores["js-1"] == pytest.approx((half + math.log(2)) / 2)
    pairs = jensen_shannon({"a": 1.0}, {"a": 0.5, "b": 0.5})
    assert scores["js-2"] == pytest.approx((pairs + math.log(2)) / 2)
    assert JensenShannon().score("big dog", ["big dogs"]) == {"js-1": 0.0, "js-2": 0.0}
    unstemmed = JensenShannon(use_stemmer=False).score("dog", ["dogs"])
    assert unstemmed["js-1"] == pytest.approx(math.log(2))
    # Of a pair one word must not be a stop word.
    assert JensenShannon().score("it is", ["of the"]) == {"js-1": 0.0, "js-2": 0.0}


def test_documents_without_words_give_no_score() -> None:
    assert set(Simetrix().score("a text", ["..."]).values()) == {None}
    assert Simetrix().score("a", "b c") == Simetrix().score("a", ["b c"])
    with pytest.raises(PairingError, match="there is no document"):
        Simetrix().score("a", [])


def test_words_held_against_a_background(tmp_path: Path) -> None:
    path = tmp_path / "background.txt"
    path.write_text("rain rain sun\nsun wind\nwind rain boat\n" + "sun sun sun sun\n" * 97)
    metric = Simetrix(background=str(path), use_stemmer=False, remove_stopwords=False)
    assert "|background:" in metric.signature()
    # By hand: the corpus has 396 words. boat is there once, gull never, rain three times, sun
    # 390 times.
    source = "boat boat boat boat gull gull gull gull rain rain rain sun"
    scores = metric.score("boat sun sun", [source])

    def ratio(k1: int, k2: int) -> float:
        def terms(k: int, n: int, rate: float) -> float:
            return (k * math.log10(rate) if k else 0) + (n - k) * math.log10(1 - rate)

        shared = (k1 + k2) / 408
        apart = terms(k1, 12, k1 / 12) + terms(k2, 396, k2 / 396)
        return 2 * (apart - terms(k1, 12, shared) - terms(k2, 396, shared))

    # boat, gull and sun are topic words, sun for being so rare in the input; rain is none.
    assert min(ratio(4, 0), ratio(4, 1), ratio(1, 390)) > 10 > ratio(3, 3)
    having = {"boat": 1, "gull": 1, "rain": 2, "sun": 99}  # documents; gull is as rare as can be
    idf = {word: math.log(100 / count) for word, count in having.items()}

    def length(counts: dict[str, int]) -> float:
        return math.sqrt(sum((n * idf[word]) ** 2 for word, n in counts.items()))

    own = {"boat": 1, "sun": 2}
    product = 4 * idf["boat"] ** 2 + 2 * idf["sun"] ** 2
    whole = length({"boat": 4, "gull": 4, "rain": 3, "sun": 1})
    assert scores["cosineAllWords"] == pytest.approx(product / length(own) / whole)
    assert scores["percentTopicTokens"] == 1
    assert scores["fractionTopicWords"] == pytest.approx(2 / 3)
    topics = length({"boat": 4, "gull": 4, "sun": 1})
    assert scores["topicWordOverlap"] == pytest.approx(product / length(own) / topics)
    nothing = metric.score("", [source])
    assert all(nothing[name] == 0 for name in ("cosineAllWords", "percentTopicTokens"))
    assert set(metric.score("a text", ["..."]).values()) == {None}


def test_a_background_without_words(tmp_path: Path) -> None:
    path = tmp_path / "background.txt"
    path.write_text("...\n\n")
    with pytest.raises(FormatError, match="the background has no words"):
        Simetrix(background=str(path)).score("a text", ["some text"])
