"""Sentences of prepared summaries: the rule, and what depends on it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archives import tarred
from karat.core.registry import parse
from karat.meta.datasets.catalog import DATASETS, dataset
from karat.meta.datasets.reading import sentences, sentences_of
from karat.version import VERSION

CASES = [
    ["It rained.", "We left."],
    ["it rained.", "we left."],  # not in capitals: the full stop is enough
    ["Really?", "Yes!", "Good."],
    ['"Is it?"', "he asked."],
    ['He said "no."', '"Why?"', "(He left.)", "End"],
    ["Mr. Smith met Gen. Lee in St. Louis."],
    ["George W. Bush and J. R. Ewing met."],
    ["The U.S. Senate and the U.N. voted."],
    ["He is in the U.S.", "The senate voted."],
    ["It was 5 p.m. on Friday.", "But he slept."],
    ["Acme Inc. said so.", "It is Acme Inc.", "They left."],
    ["He waited ... and waited."],
    ["He waited...", "Nobody came."],
    ["It cost 3.50 dollars in 1999.", "Prices rose."],
    ["On the 3. of May 2. place."],
    ["See www.example.org for Section 2.1.3 of it"],
    ["It is No. 5 of them.", "No.", "It is not."],
    ["one line without an end"],
]


@pytest.mark.parametrize("expected", CASES, ids=lambda case: case[0][:20])
def test_the_rule(expected: list[str]) -> None:
    assert sentences(" ".join(expected)) == expected


@given(st.text(st.sampled_from("aB.!?\"') \t"), max_size=40))
def test_no_word_is_lost(text: str) -> None:
    found = sentences(text)
    assert " ".join(found).split() == text.split()
    assert all(found)
    assert sentences_of([text, text]) == found * 2


def test_rouge_l_depends_on_it(tmp_path: Path) -> None:
    """Two sentences of four words in another order: 4 of 8 words in a row, or all."""
    path = tmp_path / "u.tgz"
    names = ("models/D0901-A.M.100.B.A", "peers/D0901-A.M.100.B.7")
    texts = ("A b c d. E f g h.", "E f g h. A b c d.")
    path.write_bytes(
        tarred({f"U/ROUGE/{name}": text for name, text in zip(names, texts, strict=True)})
    )
    rouge = parse("rouge(max_ngram=1, compute_rouge_l=True)")
    for split, expected in ((None, 100.0), (True, 100.0), (False, 50.0)):
        outcome = dataset("tac2009").convert([str(path)], split)
        peer = outcome.files["task1.A.summaries.jsonl"][0]
        system, gold = tuple(peer["summary"]["text"]), tuple(peer["references"][0]["text"])
        assert rouge.score(system, gold)["rouge-l"]["f1"] == pytest.approx(expected)


def test_the_choice_is_in_the_signature() -> None:
    assert [row.name for row in DATASETS if row.splits] == [
        "multiling2013", "multiling2015", "multiling2017", "duc2004",
        "tac2009", "tac2010", "tac2011",
    ]  # fmt: skip
    row = dataset("tac2010")
    for choice in (None, True):
        assert row.signature(choice) == f"tac2010(split_sentences=True)|karat:{VERSION}"
    assert row.signature(False) == f"tac2010(split_sentences=False)|karat:{VERSION}"
    assert dataset("tac2008").signature() == f"tac2008()|karat:{VERSION}"
