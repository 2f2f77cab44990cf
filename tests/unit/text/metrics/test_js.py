"""Jensen-Shannon divergences on texts that can be worked out by hand."""

from __future__ import annotations

import math

import pytest

from karat.text.metrics.js import JensenShannon
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
