"""The kernel that counts what explanations of any metric list, against plain Python."""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
import msgspec
from hypothesis import given, settings

from counted_errors import counted_errors
from karat.core.files.writing import indented_json
from karat.core.frequent_errors import frequent_errors

TEXTS = st.text(st.sampled_from('ab "\\\n\x00\x01\x7fé\u2028語😀\ue000'), max_size=4)
SCALARS = st.none() | st.booleans() | st.integers(-1, 3) | st.sampled_from([0.0, 0.5]) | TEXTS
WORDS = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=3,
)
NUMBERS = st.dictionaries(TEXTS, st.integers(0, 3), max_size=4)
COUNTED = st.fixed_dictionaries({"label": WORDS, "count": st.integers(1, 9), "of": SCALARS})
ENTRIES = st.lists(TEXTS | WORDS | COUNTED, max_size=4)
EDITS = st.lists(st.fixed_dictionaries({"gold": WORDS, "op": TEXTS, "system": WORDS}), max_size=4)


def part(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """A part of an explanation, with lists of errors and parts of its own."""
    lists = {
        "missing": ENTRIES | NUMBERS | inner,
        "surplus": ENTRIES | NUMBERS,
        "edits": EDITS,
        "alignment": EDITS | inner,
        "1": inner,
        'a "b"': st.lists(inner | SCALARS, max_size=2),
        "score": SCALARS,
    }
    return st.fixed_dictionaries({}, optional=lists)


EXPLANATIONS = part(part(part(SCALARS)))


def check(explanations: list[dict[str, Any]]) -> None:
    encoded = [msgspec.json.encode(each) for each in explanations]
    parts = frequent_errors([encoded[:2], encoded[2:]])
    expected = counted_errors(explanations)
    if expected is None:
        assert parts is None
        return
    assert parts is not None
    assert b"".join(parts) == indented_json(expected)


@settings(max_examples=1000)
@given(st.lists(EXPLANATIONS, max_size=4))
def test_any_explanations(explanations: list[dict[str, Any]]) -> None:
    check(explanations)


@settings(max_examples=300)
@given(st.lists(st.text(st.sampled_from("ab\x00é"), max_size=300) | TEXTS, max_size=60))
def test_the_order_of_many_names(names: list[str]) -> None:
    long = [f"{'ab' * 140}{name}" for name in names]
    check([{"missing": [*names, *long]}, {"surplus": {name: len(name) for name in names}}])


def test_what_is_taken_for_what_is_sorted_by_gold() -> None:
    """Also where one gold text begins with another, or has the character 0."""
    golds = ["a", "ab", "a\x00", "a\x00b", "a b"]
    check([{"edits": [{"gold": gold, "system": "c"} for gold in golds]}])
    (text,) = frequent_errors([[msgspec.json.encode({"edits": [dict.fromkeys("ab")]})]]) or ()
    assert msgspec.json.decode(text)["confusions"] == {}


def test_many_names_are_written_in_parts() -> None:
    names = {f"{number} {'x' * 90}": 1 + number % 3 for number in range(5000)}
    check([{"ngrams": {"1": {"missing": names}}}])
    assert len(frequent_errors([[msgspec.json.encode({"missing": names})]]) or ()) > 1


def test_halves_of_pairs_are_escaped() -> None:
    """UTF-8 does not have them: what other files say of such names is said here."""
    (text,) = (
        frequent_errors([[rb'{"missing":["\udc41\\ud"],"edits":[{"gold":"\ud83d","system":"b"}]}']])
        or ()
    )
    assert text == indented_json(
        {
            "missing": {"all": [{"what": "\udc41\\ud", "count": 1}]},
            "surplus": {},
            "confusions": {"all": [{"gold": "\ud83d", "system": "b", "count": 1}]},
        }
    )
