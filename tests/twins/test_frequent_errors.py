"""The kernel that counts what explanations of any metric list, against plain Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import msgspec
from hypothesis import given, settings

import karat
from counted_errors import counted_errors
from drawn import drawn
from karat.core.frequent_errors import frequent_errors, limited
from karat.report.item_files import look_through

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


def check(explanations: list[dict[str, Any]], most: int = 0) -> None:
    encoded = [msgspec.json.encode(each) for each in explanations]
    found = frequent_errors([encoded[:2], encoded[2:]], most)
    expected = counted_errors(explanations)
    assert found == (None if expected is None else limited(expected, most))
    if found is not None:
        assert list(map(str, found.values())) == list(map(str, limited(expected, most).values()))


@settings(max_examples=drawn(1000))
@given(st.lists(EXPLANATIONS, max_size=4), st.integers(0, 3))
def test_any_explanations(explanations: list[dict[str, Any]], most: int) -> None:
    check(explanations, most)


@settings(max_examples=drawn(300))
@given(
    st.lists(st.text(st.sampled_from("ab\x00é"), max_size=300) | TEXTS, max_size=60),
    st.integers(0, 30),
)
def test_the_order_of_many_names(names: list[str], most: int) -> None:
    long = [f"{'ab' * 140}{name}" for name in names]
    told = [{"missing": [*names, *long]}, {"surplus": {name: len(name) for name in names}}]
    check(told, most)


def test_what_is_taken_for_what_is_sorted_by_gold() -> None:
    """Also where one gold text begins with another, or has the character 0."""
    golds = ["a", "ab", "a\x00", "a\x00b", "a b"]
    check([{"edits": [{"gold": gold, "system": "c"} for gold in golds]}])
    found = frequent_errors([[msgspec.json.encode({"edits": [dict.fromkeys("ab")]})]])
    assert found is not None
    assert found["confusions"] == {}


def test_the_most_frequent_of_many_are_listed_and_the_others_counted() -> None:
    names = {f"{number}": 1 + number % 3 for number in range(5000)}
    check([{"ngrams": {"1": {"missing": names}}}], 1000)
    found = frequent_errors([[msgspec.json.encode({"missing": names})]], 1000)
    assert found is not None
    assert found["left_out"] == {"missing": {"all": {"entries": 4000, "occurrences": 6999}}}
    assert {each["count"] for each in found["missing"]["all"]} == {3}


def test_halves_of_pairs_are_kept() -> None:
    told = [rb'{"missing":["\udc41\\ud"],"edits":[{"gold":"\ud83d","system":"b"}]}']
    assert frequent_errors([told]) == {
        "missing": {"all": [{"what": "\udc41\\ud", "count": 1}]},
        "surplus": {},
        "confusions": {"all": [{"gold": "\ud83d", "system": "b", "count": 1}]},
    }


COUNTED_LISTS = st.lists(
    st.fixed_dictionaries({"what": TEXTS, "count": st.integers(1, 3)}), max_size=5
)
PROFILES = st.dictionaries(
    TEXTS,
    st.recursive(
        COUNTED_LISTS | NUMBERS | SCALARS | st.lists(SCALARS, max_size=4),
        lambda inner: st.dictionaries(TEXTS, inner, max_size=2),
        max_leaves=4,
    ),
    max_size=3,
)


@given(PROFILES, st.integers(1, 3))
def test_no_list_is_longer_and_no_error_is_lost(profile: dict[str, Any], most: int) -> None:
    """Every list keeps its most frequent errors in their order, and totals stay what they were."""
    found = limited({"profile": profile}, most)
    compare(profile, found["profile"], found.get("left_out", {}).get("profile", {}), most)


def compare(whole: Any, part: Any, left_out: dict[str, Any], most: int) -> None:
    if isinstance(whole, dict) and not (whole and {int}.issuperset(map(type, whole.values()))):
        assert list(part) == list(whole)
        for name, inner in whole.items():
            compare(inner, part[name], left_out.get(name, {}), most)
        return
    counts = whole.values() if isinstance(whole, dict) else whole
    if isinstance(whole, list) and all(isinstance(each, dict) for each in whole):
        counts = [each["count"] for each in whole]
    elif not isinstance(whole, dict):
        assert (part, left_out) == (whole, {})
        return
    ordered = sorted(range(len(whole)), key=lambda i: (-list(counts)[i], i))
    chosen = ordered[:most] if len(whole) > most else range(len(whole))
    entries = list(whole.items()) if isinstance(whole, dict) else whole
    assert (list(part.items()) if isinstance(whole, dict) else part) == [entries[i] for i in chosen]
    rest = ordered[most:]
    numbers = {"entries": len(rest), "occurrences": sum(list(counts)[i] for i in rest)}
    assert left_out == (numbers if rest else {})


def test_an_error_has_one_name_wherever_it_is(tmp_path: Path) -> None:
    """The second item has the error of the first one word later."""
    row = "{}\tcats\t_\t_\t_\t_\t0\tx\t0:{}\t_\n\n"
    first = "1\tdogs\t_\t_\t_\t_\t0\troot\t0:root\t_\n"
    trees = [row.format(1, label) + first + row.format(2, label) for label in ("x", "conj")]
    assert _missing("elas", "conllu", *trees, tmp_path) == [{"what": "cats ROOT conj", "count": 2}]
    records = '{{"tokens":["b"],"labels":["{0}"]}}\n{{"tokens":["a","b"],"labels":["O","{0}"]}}\n'
    spans = [records.format(tag) for tag in ("O", "B-LOC")]
    assert _missing("spans", "jsonl", *spans, tmp_path) == [{"what": "LOC b", "count": 2}]


def _missing(metric: str, suffix: str, system: str, gold: str, folder: Path) -> Any:
    paths = [folder / f"{side}.{suffix}" for side in ("system", "gold")]
    for path, text in zip(paths, (system, gold), strict=True):
        path.write_text(text, encoding="utf-8")
    run = karat.evaluate(metric, system=paths[0], gold=paths[1])
    return look_through(run, [], profile=True)["missing"]["all"]
