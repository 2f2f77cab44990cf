"""ROUGE-WE, answers to questions, basic elements."""

from __future__ import annotations

from pathlib import Path

import pytest

from karat.errors import FormatError, OptionError
from karat.text.metrics.basic_elements import BasicElements
from karat.text.metrics.rouge_we import RougeWe
from karat.text.metrics.squad import Squad


@pytest.fixture
def vectors(tmp_path: Path) -> str:
    path = tmp_path / "vectors.txt"
    path.write_text("5 2\ndog 1 0\nHound 0.9 0.1\ncat 0 1\nbig 0.6 0.8\nzero 0 0\n")
    return str(path)


def test_words_match_by_form_and_then_by_meaning(vectors: str) -> None:
    metric = RougeWe(vectors=vectors, max_ngram=1)
    score = metric.score("hound cat unknown", ["dog cat"])["rouge-we-1"]
    assert score == {"recall": 1.0, "precision": pytest.approx(2 / 3), "f1": pytest.approx(0.8)}
    # The dog is taken by the dog, so that nothing is left for the hound.
    assert metric.score("hound dog", ["dog"])["rouge-we-1"]["precision"] == 0.5
    assert metric.score("hound hound", ["dog"])["rouge-we-1"]["precision"] == 0.5
    # cos(big, dog) = 0.6 and cos(big, cat) = 0.8: big takes cat, the best that is left.
    assert metric.score("big dog", ["dog cat"])["rouge-we-1"]["recall"] == 1.0
    strict = RougeWe(vectors=vectors, max_ngram=1, threshold=0.9)
    assert strict.score("big", ["cat"])["rouge-we-1"]["recall"] == 0.0
    assert metric.score("zero", ["dog"])["rouge-we-1"]["recall"] == 0.0
    assert metric.score("", ["dog"])["rouge-we-1"]["f1"] == 0.0


def test_pairs_of_words_match_by_the_sum_of_vectors(vectors: str) -> None:
    metric = RougeWe(vectors=vectors)
    assert metric.score("hound cat", ["cat dog"])["rouge-we-2"]["recall"] == 1.0
    assert metric.score("hound unknown", ["cat dog"])["rouge-we-2"]["recall"] == 0.0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("dog 1 0\ncat 1\n", "'cat' has 1 numbers, others have 2"),
        ("dog 1 x\n", "not made of numbers"),
        ("", "there are no vectors"),
    ],
)
def test_broken_vectors(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "broken.txt"
    path.write_text(content)
    with pytest.raises(FormatError, match=message):
        RougeWe(vectors=str(path)).score("a", ["b"])


@pytest.mark.parametrize(
    ("answer", "accepted", "em", "f1"),
    [
        ("The cat.", ["cat"], 1.0, 1.0),
        ("a cat sat", ["the cat", "cat sat down"], 0.0, 0.8),
        ("", ["", "x"], 1.0, 1.0),
        ("", ["x"], 0.0, 0.0),
        ("the", ["a"], 1.0, 1.0),
        ("cat cat", ["cat"], 0.0, 2 / 3),
    ],
)
def test_answers(answer: str, accepted: list[str], em: float, f1: float) -> None:
    scores = Squad().score(answer, accepted)
    assert scores["em"] == em
    assert scores["f1"] == pytest.approx(f1)


def test_unanswered_questions_are_counted() -> None:
    macro, _ = Squad().evaluate(["yes", ""], [["yes"], ["no"]])
    assert macro == {"em": 0.5, "f1": 0.5, "is_answered": 0.5}


def test_basic_elements() -> None:
    system = ["Bark|dog|subj", "bark|dog|subj", "sleep|cat|subj"]
    golds = [["bark|dog|subj", "sleep||"], "bark|dog|agent\nsleep|cat|subj"]
    score = BasicElements().score(system, golds)["be"]
    assert score["recall"] == pytest.approx(100 * 2 / 4)
    assert score["precision"] == pytest.approx(100 * 2 / 6)
    assert BasicElements(match="hm").score(system, golds)["be"]["recall"] == pytest.approx(75)
    assert BasicElements(match="h").score(system, golds)["be"]["recall"] == pytest.approx(100)
    why = BasicElements().explain(system, golds)["references"][0]
    assert why["matched"] == ["bark|dog|subj"]
    assert why["missing"] == ["sleep||"]
    assert why["surplus"] == ["bark|dog|subj", "sleep|cat|subj"]
    assert BasicElements().score([], [[]])["be"]["f1"] == 0.0


@pytest.mark.parametrize("line", ["bark", "a|b", "a|b|c|d", "|b|c"])
def test_lines_that_are_no_elements(line: str) -> None:
    with pytest.raises(FormatError, match=r"expected head\|modifier\|relation"):
        BasicElements().score([line], [["a|b|c"]])
    with pytest.raises(OptionError, match="takes a list of references"):
        BasicElements().score(["a|b|c"], "a|b|c")
