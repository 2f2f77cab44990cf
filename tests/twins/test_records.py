"""The alignment of JSON values against a search of all alignments; ANLS* against its tool."""

from __future__ import annotations

import itertools
import json
import random
import warnings
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.core.shown import Kind
from karat.engine import evaluate
from karat.records.metrics.json import Json

LEAVES = st.sampled_from([None, True, False, 0, 1, 2, 1.5, "a", "b", "ab", "abc", "é", ""])
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xyz"), inner, max_size=3)
    ),
    max_leaves=8,
)


def dropped(value: Any) -> Any:
    """The value without null, [] and {}; ... where nothing is left."""
    if isinstance(value, dict):
        kept = {key: each for key, old in value.items() if (each := dropped(old)) is not ...}
        return kept or ...
    if isinstance(value, list):
        kept = [each for old in value if (each := dropped(old)) is not ...]
        return kept or ...
    return ... if value is None else value


def leaves(value: Any) -> int:
    if value is ...:
        return 0
    if isinstance(value, (dict, list)):
        return sum(map(leaves, value.values() if isinstance(value, dict) else value))
    return 1


def alike(gold: Any, system: Any, fuzzy: bool) -> Fraction:
    if isinstance(gold, str) and isinstance(system, str) and fuzzy:
        if gold == system:
            return Fraction(1)
        longer = max(len(gold), len(system))
        found = 1 - Fraction(distance(gold, system), longer)
        return found if found >= Fraction(1, 2) else Fraction(0)
    kinds = [
        bool if isinstance(x, bool) else str if isinstance(x, str) else float
        for x in (gold, system)
    ]
    return Fraction(int(kinds[0] is kinds[1] and gold == system))


def distance(a: str, b: str) -> int:
    if not a or not b:
        return len(a) + len(b)
    return min(
        distance(a[1:], b) + 1, distance(a, b[1:]) + 1, distance(a[1:], b[1:]) + (a[0] != b[0])
    )


def shared(gold: Any, system: Any, lists: str, fuzzy: bool) -> tuple[Fraction, int]:
    """What two values share, and how many records are equal, over all alignments."""
    if isinstance(gold, dict) and isinstance(system, dict):
        parts = [
            shared(gold[key], system[key], lists, fuzzy) for key in gold.keys() & system.keys()
        ]
        return sum((p[0] for p in parts), Fraction(0)), sum(p[1] for p in parts)
    if isinstance(gold, list) and isinstance(system, list):
        return max(
            (
                element_sum(gold, system, pairs, lists, fuzzy)
                for pairs in alignments(gold, system, lists)
            ),
            default=(Fraction(0), 0),
        )
    if isinstance(gold, (dict, list)) or isinstance(system, (dict, list)):
        return Fraction(0), 0
    return alike(gold, system, fuzzy), 0


def alignments(gold: list[Any], system: list[Any], lists: str) -> list[list[tuple[int, int]]]:
    if lists == "index":
        return [[(i, i) for i in range(min(len(gold), len(system)))]]
    return [
        list(zip(rows, columns, strict=True))
        for size in range(min(len(gold), len(system)) + 1)
        for rows in itertools.combinations(range(len(gold)), size)
        for columns in itertools.permutations(range(len(system)), size)
        if lists == "set" or list(columns) == sorted(columns)
    ]


def element_sum(
    gold: list[Any], system: list[Any], pairs: list[tuple[int, int]], lists: str, fuzzy: bool
) -> tuple[Fraction, int]:
    total, equal = Fraction(0), 0
    for i, j in pairs:
        matched, inside = shared(gold[i], system[j], lists, fuzzy)
        total += matched
        equal += inside
        if isinstance(gold[i], (dict, list)) and isinstance(system[j], (dict, list)):
            equal += 0 < matched == leaves(gold[i]) == leaves(system[j])
    return total, equal


@given(VALUES, VALUES, st.sampled_from(["set", "ordered", "index"]), st.booleans())
@settings(max_examples=400, deadline=None)
def test_alignment_is_the_best_of_all(gold: Any, system: Any, lists: Any, fuzzy: bool) -> None:
    if lists == "index":  # where removed elements keep their places, other than in this twin
        gold, system = (json.loads(json.dumps(v).replace("null", "7")) for v in (gold, system))
        if any(text in json.dumps([gold, system]) for text in ("[]", "{}")):
            return
    metric = Json(lists=lists, strings="fuzzy" if fuzzy else "exact")
    row = dict(
        zip(metric.columns, metric.measure(json.dumps(system), json.dumps(gold)), strict=True)
    )
    ours, theirs = dropped(gold), dropped(system)
    matched, equal = shared(ours, theirs, lists, fuzzy) if ... not in (ours, theirs) else (0, 0)
    assert row["matched"] == pytest.approx(float(matched), abs=1e-9)
    assert (row["gold"], row["system"], row["records_equal"]) == (
        leaves(ours),
        leaves(theirs),
        equal,
    )
    assert row["exact"] == (matched == leaves(ours) == leaves(theirs))


def shuffled(value: Any, dice: random.Random) -> Any:
    if isinstance(value, dict):
        keys = list(value)
        dice.shuffle(keys)
        return {key: shuffled(value[key], dice) for key in keys}
    if isinstance(value, list):
        result = [shuffled(each, dice) for each in value]
        dice.shuffle(result)
        return result
    return value


@given(VALUES, VALUES, st.integers(0, 9))
@settings(max_examples=200, deadline=None)
def test_order_changes_nothing(gold: Any, system: Any, seed: int) -> None:
    metric = Json(strings="fuzzy")
    other = shuffled(system, random.Random(seed))
    pairs = [(json.dumps(each), json.dumps(gold)) for each in (system, other)]
    first, second = metric.measure_many(pairs).tolist()
    assert first == second
    split = metric.split("path", pairs)
    by_pair: list[dict[str, list[float]]] = [{}, {}]
    for pair, value, row in zip(split.pairs, split.values, split.rows.tolist(), strict=True):
        by_pair[pair][value] = row
    assert by_pair[0] == by_pair[1]
    totals = split.rows[[pair == 0 for pair in split.pairs]].sum(axis=0)
    at = [metric.columns.index(name) for name in ("gold", "system", "matched")]
    assert totals[at].tolist() == pytest.approx([first[i] for i in at])


@given(VALUES, VALUES)
@settings(max_examples=200, deadline=None)
def test_sides_are_exchangeable(gold: Any, system: Any) -> None:
    metric = Json()
    a = metric.measure(json.dumps(system), json.dumps(gold))
    b = metric.measure(json.dumps(gold), json.dumps(system))
    swapped = {"gold": "system", "system": "gold", "records_gold": "records_system"}
    swapped |= {new: old for old, new in swapped.items()}
    for name, value in zip(metric.columns, a, strict=True):
        if name != "duplicates":
            assert value == b[metric.columns.index(swapped.get(name, name))]
    itself = metric.score(json.dumps(gold), json.dumps(gold))
    assert itself["exact"] == 1
    assert itself["f"] in (1, None) or itself["f"] != itself["f"]


DECIMALS = st.decimals(allow_nan=False, allow_infinity=False, places=6, min_value=-99, max_value=99)


@given(
    DECIMALS, DECIMALS, st.sampled_from(["0", "0.01", "3"]), st.sampled_from(["0", "0.05", "1.5"])
)
@settings(max_examples=300, deadline=None)
def test_tolerances_are_exact(gold: Decimal, system: Decimal, least: str, share: str) -> None:
    metric = Json(abs=least, rel=share)
    found = metric.measure(f"{system:f}", f"{gold:f}")[metric.columns.index("matched")]
    assert found == (abs(gold - system) <= max(Decimal(least), Decimal(share) * abs(gold)))


@given(VALUES, VALUES, st.data())
@settings(max_examples=300, deadline=None)
def test_anls_is_that_of_its_tool(gold: Any, system: Any, data: st.DataObject) -> None:
    anls_star = pytest.importorskip("anls_star")
    if isinstance(gold, list) and gold and data.draw(st.booleans()):
        gold = tuple(gold)  # a choice
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = anls_star.anls_score(gold, system)
    except ValueError:
        return
    metric = Json(compat="anls")
    system_text = json.dumps(system)  # a string in memory is text to be read
    assert (
        metric.score(system_text, json.dumps(gold) if isinstance(gold, str) else gold)["anls"]
        == expected
    )


CUT = [
    ("none", '{"a":1}', 1, 0),
    ("none", '\ufeff {"a":1}\n', 1, 0),
    ("none", 'x {"a":1}', 0, 0),
    ("fence", '```json\n{"a":1}\n```', 0, 1),
    ("fence", '~~~\n{"a":1}\n~~~\nand\n```\n{"a":2}\n```', 0, 1),
    ("fence", '```json\n{"a":1}```', 0, 1),
    ("fence", '```json\n{"a":1}\n', 0, 0),
    ("fence", 'see {"a":1}', 0, 0),
    ("first", 'set {x} then {"a":1} and {"a":2}', 0, 1),
    ("first", '[[{"a":1}', 0, 0),
    ("first", '{"b": {"a":1}', 0, 0),
    ("last", '{"a":2} then {"a":1} end', 0, 1),
    ("last", '{"a":1} then {"a":2, ', 0, 1),
]


@pytest.mark.parametrize(("way", "text", "parsed", "extracted"), CUT)
def test_json_inside_text(way: Any, text: str, parsed: int, extracted: int) -> None:
    metric = Json(extract=way)
    row = dict(zip(metric.columns, metric.measure(text, '{"a":1}'), strict=True))
    assert (row["parsed"], row["extracted"], row["matched"]) == (
        parsed,
        extracted,
        parsed + extracted,
    )


def test_foreign_paths_are_pooled_over_the_run(tmp_path: Path) -> None:
    """What a chunk has seen changes nothing; facets still add up to the totals."""
    golds, systems = tmp_path / "gold.jsonl", tmp_path / "system.jsonl"
    count = 300
    documents = [{"a": 1, f"x{i}": 1} | ({"x7": 1} if i % 2 else {}) for i in range(count)]
    golds.write_text('{"a":1}\n' * count)
    systems.write_text("".join(json.dumps(each) + "\n" for each in documents))
    found = []
    for size in (7, 1000):
        metric = Json()
        metric.__dict__["chunk_size"] = size
        run = evaluate(metric, gold=golds, system=systems, facets=("path",))
        parts = run.parts["path"]
        found.append((list(parts.items), list(parts.values), parts.counts.tolist()))
        at = [metric.columns.index(name) for name in ("gold", "system", "matched")]
        totals = parts.counts.sum(axis=0)[at].tolist()
        assert totals == run.counts.sum(axis=0)[at].tolist()
    assert found[0] == found[1]
    values = set(found[0][1])
    foreign = values - {"/a", "(other)"}
    assert (len(foreign), "(other)" in values, "/x7" in foreign) == (200, True, True)


def test_marks_of_the_page_are_those_of_the_explanation() -> None:
    gold = {"a": "\U0001f600", "b": [1, None, {"c": 2}], "d": 5}
    system = {"a": "x", "b": [{"c": 3}, 1], "e": [6]}
    metric = Json()
    explanation = metric.explain(system, gold)
    shown = metric.shown(system, gold, explanation)
    texts = [each.text.encode("utf-16-le") for each in (*shown.golds, shown.system)]
    marks = shown.layers["fields"]
    said = sorted(
        (Kind(kind).name.lower(), cut(texts[0], begin, end), cut(texts[1], other, last))
        for kind, _, begin, end, other, last in zip(*[iter(marks)] * 6, strict=True)
    )
    expected = sorted(
        (name, shown_value(each, "gold"), shown_value(each, "system"))
        for name in ("missing", "surplus", "changed")
        for each in explanation[name]
    )
    assert said == expected
    assert {kind for kind, *_ in expected} == {"missing", "surplus", "changed"}


def cut(text: bytes, begin: int, end: int) -> str:
    return "" if begin < 0 else text[2 * begin : 2 * end].decode("utf-16-le")


def shown_value(event: dict[str, Any], side: str) -> str:
    return json.dumps(event[side], ensure_ascii=False) if side in event else ""


@pytest.mark.parametrize("fields", [1, 4])
@pytest.mark.parametrize("rows", [(300, 330), (330, 300)])
def test_long_lists_are_paired_as_by_scipy(fields: int, rows: tuple[int, int]) -> None:
    """Large tables keep each value once or, where many differ, as they come: one field and four."""
    from rapidfuzz.distance import Levenshtein

    optimize = pytest.importorskip("scipy.optimize")
    dice = random.Random(fields)
    base = "abcdefghijklmnopqrst"

    def record() -> dict[str, str]:
        made = {}
        for field in range(fields):
            text = list(base[: dice.randint(12, 20)])
            for _ in range(dice.randint(0, 7)):
                text[dice.randrange(len(text))] = dice.choice("xyz")
            made[f"f{field}"] = "".join(text)
        return made

    gold, system = ([record() for _ in range(size)] for size in rows)
    unit = 232_792_560
    table = np.zeros(rows, dtype=np.int64)
    for i, ours in enumerate(gold):
        for j, theirs in enumerate(system):
            for field, text in ours.items():
                longer = max(len(text), len(theirs[field]))
                left = longer - Levenshtein.distance(text, theirs[field])
                table[i, j] += left * unit // longer if 2 * left >= longer else 0
    assert (len(np.unique(table)) > table.size / 16) == (fields == 4)
    best = table[optimize.linear_sum_assignment(-table)].sum() / unit
    for lists in ("set", "ordered"):
        metric = Json(strings="fuzzy", lists=lists)
        (row,) = metric.measure_many([(system, gold)])
        matched = row[metric.columns.index("matched")]
        if lists == "set":
            assert matched == pytest.approx(best, rel=1e-12)
        else:
            rest = np.zeros(rows[1] + 1, dtype=np.int64)
            for line in table:
                through = np.maximum(rest[1:], rest[:-1] + line)
                rest[1:] = np.maximum.accumulate(through)
            assert matched == pytest.approx(rest[-1] / unit, rel=1e-12)
