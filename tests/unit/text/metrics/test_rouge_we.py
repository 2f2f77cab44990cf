"""ROUGE-WE: words matched by form and by vectors."""

from __future__ import annotations

from pathlib import Path

import pytest

from karat.errors import FormatError
from karat.text.metrics.rouge_we import RougeWe


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
        ("dog 1 0\ncat 1\n", "'cat' has 1 number, not 2"),
        ("dog 1 x\n", "not made of numbers"),
        ("", "there are no vectors"),
    ],
)
def test_broken_vectors(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "broken.txt"
    path.write_text(content)
    with pytest.raises(FormatError, match=message):
        RougeWe(vectors=str(path)).score("a", ["b"])


@pytest.mark.parametrize("broken", ["", " nan 0", " 0 inf", " 1e200 0", " x 0"])
def test_vectors_that_are_none_are_refused(tmp_path: Path, broken: str) -> None:
    """Cosines with them are no numbers, so that no other word would match either."""
    path = tmp_path / "vectors.txt"
    path.write_text(f"dog 1 0\ncat{broken}\npup 0.9 0.1\n")
    with pytest.raises(FormatError, match=r":2: FormatError K119: the vector of 'cat'"):
        RougeWe(vectors=str(path)).score("dog", ["cat pup"])
