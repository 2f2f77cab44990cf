"""Metrics of summaries: definitions on texts that can be worked out by hand."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import karat
from karat.errors import FormatError, LimitExceeded, OptionError, PairingError
from karat.stats.agreement import masi_distance
from karat.text.metrics.autosummeng import AutoSummEng
from karat.text.metrics.js import JensenShannon
from karat.text.metrics.pyramid import PyramidScore
from karat.text.metrics.simetrix import Simetrix
from karat.text.pyramid.agreement import annotation_agreement
from karat.text.pyramid.model import Annotation, Contributor, PeerScu, Pyramid, Scu
from karat.text.words.divergence import jensen_shannon, relative


def graph(text: str, n: int, window: int) -> Counter[tuple[str, str]]:
    """The definition: each n-gram is linked with those before it, in both directions."""
    text += "" if text.endswith("\n") else "\n"
    grams = [text[i : i + n] for i in range(len(text) - n + 1)]
    edges: Counter[tuple[str, str]] = Counter()
    for i, gram in enumerate(grams):
        for other in grams[max(0, i - window) : i]:
            edges[gram, other] += 1
            edges[other, gram] += 1
    return edges


def similarity(a: dict[Any, float], b: dict[Any, float]) -> float:
    common = a.keys() & b.keys()
    total = sum(min(a[edge], b[edge]) / max(a[edge], b[edge]) for edge in common)
    return total / (max(len(a), len(b)) or 1)


texts = st.text("ab \n", max_size=20)


@given(texts, st.lists(texts, min_size=1, max_size=3), st.integers(1, 3), st.integers(1, 4))
def test_graphs_are_as_defined(system: str, golds: list[str], n: int, window: int) -> None:
    metric = AutoSummEng(min_n=n, max_n=n, d_window=window)
    own, others = graph(system, n, window), [graph(gold, n, window) for gold in golds]
    merged: dict[Any, float] = dict(others[0])
    for number, other in enumerate(others[1:], 2):
        for edge, weight in other.items():
            old = merged.get(edge)
            merged[edge] = weight if old is None else old + (weight - old) / number
    scores = metric.score(system, golds)
    mean = sum(similarity(own, other) for other in others) / len(others)
    assert scores["AutoSummENG"] == pytest.approx(mean)
    assert scores["MeMoG"] == pytest.approx(similarity(own, merged))


def test_graph_options() -> None:
    with pytest.raises(OptionError, match="min_n 4 is above max_n 3"):
        AutoSummEng(min_n=4)
    with pytest.raises(LimitExceeded, match="too long"):
        AutoSummEng().score("a" * 10**7, ["a"])
    assert AutoSummEng(min_score=0, max_score=10).score("abcdef", ["abcdef"])["NPowER"] == (
        pytest.approx(8.8824)
    )


def test_longer_ngrams_weigh_more() -> None:
    """The levels 1, 2 and 3 weigh 1, 1 + 2 and 1 + 2 + 3."""
    pair = "abcab", "abdab"
    levels = [similarity(*(graph(text, n, 3) for text in pair)) for n in (1, 2, 3)]
    assert len(set(levels)) == 3
    score = AutoSummEng(min_n=1, max_n=3).score(pair[0], [pair[1]])["AutoSummENG"]
    assert score == pytest.approx((levels[0] + 3 * levels[1] + 6 * levels[2]) / 10)


def test_npower_between_other_bounds() -> None:
    score = AutoSummEng(min_score=2, max_score=12).score("abcdef", ["abcdef"])["NPowER"]
    assert score == pytest.approx(2 + 10 * (5.2905 + 3.0053 + 0.5866) / 10)


@pytest.mark.parametrize(
    ("name", "lower"),
    [
        ("simetrix", {"KLInputSummary", "KLSummaryInput", "unsmoothedJSD", "smoothedJSD"}),
        ("js", {"js-1", "js-2"}),
        ("ter", {"ter", "sent-ter", "edits"}),
        ("meteor", {"penalty"}),
        ("rouge", set()),
        ("autosummeng", set()),
        ("pyramid-score", set()),
    ],
)
def test_which_scores_are_better_when_lower(name: str, lower: set[str]) -> None:
    assert karat.parse(name).about.lower_is_better == lower


shares = st.dictionaries(st.sampled_from("abcd"), st.integers(1, 5)).map(
    lambda counts: relative(Counter(counts))
)


@given(shares, shares)
def test_the_divergence_is_symmetric_and_bounded(p: Any, q: Any) -> None:
    value = jensen_shannon(p, q)
    assert value == pytest.approx(jensen_shannon(q, p))
    assert -1e-12 <= value <= math.log(2) + 1e-12
    assert jensen_shannon(p, p) == pytest.approx(0, abs=1e-12)
    if not set(p) & set(q) and (p or q):
        assert value == pytest.approx(math.log(2))


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
    with pytest.raises(OptionError, match="takes a list of documents per item"):
        Simetrix().score("a", "b")
    with pytest.raises(PairingError, match="an item has no document"):
        Simetrix().score("a", [])


def test_the_original_score_divides_by_the_best_of_as_many_units() -> None:
    """Weights 3, 2, 1 and 1; the summary has the units of weight 2 and 1."""
    weights = {1: 3, 2: 2, 3: 1, 4: 1}
    scus = tuple(
        Scu(unit, "", tuple(Contributor(index) for index in range(weight)))
        for unit, weight in weights.items()
    )
    pyramid = Pyramid("d", ("", "", ""), ("A", "B", "C"), scus)
    found = PyramidScore().score(Annotation("d", "1", scus=(PeerScu(2), PeerScu(3))), pyramid)
    # The summaries have 4, 2 and 1 units: 7 / 3, rounded up, is 3, and the best 3 weigh 6.
    assert found == {"modified_pyramid_score": 3 / 6, "pyramid_score": 3 / 5}


def test_an_empty_pyramid_gives_no_score() -> None:
    nothing = Annotation("d", "1")
    scores = PyramidScore().score(nothing, Pyramid("d"))
    assert scores == {"modified_pyramid_score": None, "pyramid_score": None}
    with pytest.raises(OptionError, match="takes an Annotation, got str"):
        PyramidScore().score("a", Pyramid("d"))  # type: ignore[arg-type]
    with pytest.raises(PairingError, match="no pyramid annotation"):
        PyramidScore().of_system("a")
    with pytest.raises(PairingError, match="an item has 0 pyramids"):
        PyramidScore().of_gold(["a"])


units = st.frozensets(st.integers(0, 4), min_size=1)


@given(st.lists(st.tuples(units, units), min_size=1, max_size=5))
def test_agreement_is_that_of_nltk(judgements: list[tuple[Any, Any]]) -> None:
    task = pytest.importorskip("nltk.metrics.agreement").AnnotationTask
    distance = pytest.importorskip("nltk.metrics.distance").masi_distance
    data = [
        (judge, str(i), value)
        for i, each in enumerate(judgements)
        for judge, value in zip("AB", each, strict=True)
    ]
    for _, _, a in data:
        for _, _, b in data:
            # nltk rounds the weights of its distance to two digits.
            assert masi_distance(a, b) == pytest.approx(distance(a, b), abs=0.005)
    ours = annotation_agreement(annotation(summary, *found) for _, summary, found in data)
    theirs = task(data=data, distance=masi_distance).alpha()
    assert ours == pytest.approx(theirs)


def annotation(name: str, *found: int) -> Annotation:
    return Annotation("d", name, scus=tuple(PeerScu(unit) for unit in found))


def test_agreement_of_annotations() -> None:
    assert annotation_agreement([]) is None
    assert annotation_agreement([annotation("1", 1, 2), annotation("2", 3)]) is None
    equal = [annotation("1", 1, 2), annotation("1", 2, 1), annotation("2", 3), annotation("2", 3)]
    assert annotation_agreement(equal) == 1.0


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
