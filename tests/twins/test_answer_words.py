"""The kernel of squad against the definition, and against the rules that SQuAD's script has."""

from __future__ import annotations

import re
import string

import msgspec
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from counted_grams import counted, ngrams
from drawn import drawn
from karat.core.reading.strings import Referenced
from karat.text.metrics.words import Squad
from karat.text.questions import matched, normalized

# Articles beside letters, digits, marks, spaces, control characters and letters of other scripts.
pieces = st.sampled_from(
    [
        *(
            "a",
            "an",
            "the",
            "The",
            "A",
            "b",
            "cat",
            "9",
            "_",
            "-",
            ".",
            "'",
            " ",
            "\t",
            "\n",
            "\x00",
        ),
        *("\x1c", "\u00a0", "\u2003", "é", "ß", "İ", "Σ", "Ⅷ", "½", "中", "—", "€", "\u0301", "🙂"),
        *("\ud800", "\U0010ffff"),
    ]
)
answers = st.lists(pieces, max_size=12).map("".join) | st.text(max_size=12)


@settings(max_examples=drawn(400))
@given(st.lists(st.tuples(answers, st.lists(answers, min_size=1, max_size=3)), max_size=4))
@example([("the", ["a"]), ("", ["", "b"]), ("THE—the a1 a_b", ["—  a1 ab"])])
def test_rows_are_those_of_the_definition(pairs: list[tuple[str, list[str]]]) -> None:
    rows = Squad().measure_many(pairs)
    expected = [
        (1.0, *matched(answer, accepted), float(bool(normalized(answer))))
        for answer, accepted in pairs
    ]
    assert rows.shape == (len(pairs), 4)
    assert np.array_equal(rows, np.array(expected).reshape(rows.shape))


@settings(max_examples=drawn(200))
@given(st.lists(st.tuples(answers, st.lists(answers, min_size=1, max_size=3)), max_size=4))
@example([("", [""]), ("the cat cat", ["A cat, dog dog", 'cat "cat"'])])
def test_explanations_are_those_of_the_definition(pairs: list[tuple[str, list[str]]]) -> None:
    metric = Squad()
    expected = []
    for answer, accepted in pairs:
        own = normalized(answer)
        told = []
        for each in accepted:
            em, f1 = matched(answer, [each])
            words = [ngrams(text.split(), 1) for text in (own, normalized(each))]
            told.append({"answer": normalized(each), "em": em, "f1": f1, "words": counted(*words)})
        scores = metric.score(answer, accepted)
        expected.append({"scores": scores, "answer": own, "accepted": told})
    assert [metric.explain(*pair) for pair in pairs] == expected
    texts = Referenced.of(pairs)
    found = metric.explain_texts(texts, metric.rows(texts))
    for each, one in zip(found, expected, strict=True):
        if b"\\ud" not in each:  # msgspec does not write halves of pairs of surrogates
            assert each == msgspec.json.encode(one)


def test_every_character_is_in_a_word_or_not_as_regular_expressions_have_it() -> None:
    every = [chr(code) for code in [*range(0x2FFF), *range(0xFE00, 0x10400)]]
    pairs = [(f"x {c}the y", [f"x {c}  y", "x y"]) for c in every]
    kept = {c for c in every if re.match(r"\w", c.lower()[-1]) and c not in string.punctuation}
    for c, (_, _, f1, _) in zip(every, Squad().measure_many(pairs).tolist(), strict=True):
        assert (f1 == 1.0) == (c not in kept), repr(c)


@pytest.mark.parametrize("size", [10**5])
def test_a_long_answer_takes_linear_time(size: int) -> None:
    answer = "the a! " * size + "end"
    assert Squad().measure_many([(answer, ["End."])]).tolist() == [[1.0, 1.0, 1.0, 1.0]]
