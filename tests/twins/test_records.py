"""The alignment of JSON values against a search of all alignments; ANLS* against its tool."""

from __future__ import annotations

import itertools
import json
import random
import warnings
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawn import drawn
from karat.core.shown import Kind
from karat.engine import evaluate
from karat.errors import FormatError
from karat.records.metrics.json import Json
from karat.records.metrics.tool_calls import ToolCalls

LEAVES = st.sampled_from([None, True, False, 0, 1, 2, 1.5, "a", "b", "ab", "abc", "é", ""])
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xyz"), inner, max_size=3)
    ),
    max_leaves=8,
)


Path_: TypeAlias = tuple[str | None, ...]
Worth: TypeAlias = tuple[Fraction, Fraction, int]
NOTHING: Worth = (Fraction(0), Fraction(0), 0)


class Optional_(NamedTuple):
    """A part of gold that need not be there."""

    value: Any


class Choice(NamedTuple):
    """A choice of values in gold."""

    values: list[Any]


class Twin:
    """The counts of a pair from the definition: every alignment is tried.

    Leaves are tuples: ``("value", v)``, or the kind of what is empty.
    """

    def __init__(self, metric: Json) -> None:
        self.metric = metric
        self.paths: dict[str, dict[str, Any]] = json.loads(str(metric.paths) or "{}")
        self.drop = metric.empty == "drop"

    def setting(self, path: Path_) -> dict[str, Any]:
        """The setting of a path: the most literal pattern; weights come from above."""
        fitting = [
            (sum(step != "*" for step in steps), given)
            for text, given in self.paths.items()
            if len(steps := text.split("/")[1:]) == len(path)
            and all(mine in ("*", other) for mine, other in zip(steps, path, strict=True))
        ]
        given = max(fitting, key=lambda each: each[0])[1] if fitting else {}
        found = {"list": self.metric.lists, "compare": self.metric.strings, **given}
        if "weight" not in found:
            found["weight"] = self.setting(path[:-1])["weight"] if path else 1
        return found

    def read(self, value: Any, path: Path_ = (), *, gold: bool = False) -> Any:
        """A value without what is nothing; ... where nothing is left."""
        if gold and isinstance(value, dict) and list(value) == ["$optional"]:
            inner = self.read(value["$optional"], path, gold=True)
            return inner if inner is ... else Optional_(inner)
        if gold and isinstance(value, dict) and list(value) == ["$any"]:
            return Choice([self.read(each, path, gold=True) for each in value["$any"]])
        if isinstance(value, (dict, list)):
            found: Any
            if isinstance(value, dict):
                found = {
                    key: self.read(each, (*path, key), gold=gold) for key, each in value.items()
                }
                found = {key: each for key, each in found.items() if each is not ...}
            else:
                found = [self.read(each, (*path, None), gold=gold) for each in value]
                if self.setting(path)["list"] != "index":
                    found = [each for each in found if each is not ...]
                while found and found[-1] is ...:
                    found.pop()
            return found or (... if self.drop else (type(value).__name__,))
        return ... if value is None and self.drop else ("value", value)

    def weight(self, value: Any, path: Path_ = ()) -> Fraction:
        """The weight of the leaves that count."""
        if value is ... or isinstance(value, Optional_):
            return Fraction(0)
        if isinstance(value, Choice):
            return self.weight(value.values[0], path)
        if isinstance(value, tuple):
            return Fraction(str(self.setting(path)["weight"]))
        return sum((self.weight(each, at) for each, at in inside(value, path)), Fraction(0))

    def records(self, value: Any, path: Path_ = ()) -> int:
        """The containers in lists, of a value without choices."""
        if value is ... or isinstance(value, tuple):
            return 0
        own = sum(
            isinstance(value, list) and isinstance(each, (dict, list)) and self.weight(each, at) > 0
            for each, at in inside(value, path)
        )
        return own + sum(self.records(each, at) for each, at in inside(value, path))

    def best(self, gold: Any, system: Any, path: Path_ = (), *, optional: bool = False) -> Worth:
        """What is matched, what is excused and how many records are equal, at best."""
        if gold is ... or system is ...:
            return NOTHING
        if isinstance(gold, Optional_):
            return self.best(gold.value, system, path, optional=True)
        if isinstance(gold, Choice):
            return max(self.best(each, system, path, optional=optional) for each in gold.values)
        if isinstance(gold, tuple) and isinstance(system, tuple):
            own = self.setting(path)
            found = Fraction(str(own["weight"])) * alike(gold, system, own["compare"] == "fuzzy")
            return (Fraction(0), found, 0) if optional else (found, Fraction(0), 0)
        if type(gold) is not type(system) or isinstance(gold, tuple):
            return NOTHING
        if isinstance(gold, dict):
            common = gold.keys() & system.keys()
            return total(
                self.best(gold[key], system[key], (*path, key), optional=optional) for key in common
            )
        table = {
            (i, j): self.element(ours, theirs, (*path, None), optional)
            for i, ours in enumerate(gold)
            for j, theirs in enumerate(system)
        }
        ways = alignments(gold, system, self.setting(path)["list"])
        return max(total(table[pair] for pair in way) for way in ways)

    def element(self, gold: Any, system: Any, path: Path_, optional: bool) -> Worth:
        matched, excused, equal = self.best(gold, system, path, optional=optional)
        needed = 0 if optional else self.weight(gold, path)
        is_whole = matched == needed and matched + excused == self.weight(system, path) > 0
        return matched, excused, equal + (is_whole and isinstance(system, (dict, list)))


def inside(value: Any, path: Path_) -> list[tuple[Any, Path_]]:
    if isinstance(value, dict):
        return [(each, (*path, key)) for key, each in value.items()]
    return [(each, (*path, None)) for each in value]


def total(parts: Iterable[Worth]) -> Worth:
    matched, excused, equal = NOTHING
    for part in parts:
        matched, excused, equal = matched + part[0], excused + part[1], equal + part[2]
    return matched, excused, equal


def alike(gold: Any, system: Any, fuzzy: bool) -> Fraction:
    if gold[0] != "value" or system[0] != "value":
        return Fraction(gold == system)
    ours, theirs = gold[1], system[1]
    if isinstance(ours, str) and isinstance(theirs, str) and fuzzy:
        if ours == theirs:
            return Fraction(1)
        found = 1 - Fraction(distance(ours, theirs), max(len(ours), len(theirs)))
        return found if found >= Fraction(1, 2) else Fraction(0)
    kinds = [
        type(each) if isinstance(each, (bool, str)) or each is None else float
        for each in (ours, theirs)
    ]
    return Fraction(kinds[0] is kinds[1] and ours == theirs)


def distance(a: str, b: str) -> int:
    if not a or not b:
        return len(a) + len(b)
    return min(
        distance(a[1:], b) + 1, distance(a, b[1:]) + 1, distance(a[1:], b[1:]) + (a[0] != b[0])
    )


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


SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "weight": st.sampled_from([0, 0.5, 2]),
        "list": st.sampled_from(["set", "ordered", "index"]),
        "compare": st.sampled_from(["exact", "fuzzy"]),
    },
)
PATTERNS = st.sampled_from(["", "/*", "/x", "/*/*", "/x/*", "/*/y", "/*/*/*"])


@st.composite
def with_choices(draw: st.DrawFn, values: st.SearchStrategy[Any]) -> Any:
    """A gold value with some parts optional, and some leaves a choice."""

    def changed(value: Any) -> Any:
        if isinstance(value, dict):
            value = {key: changed(each) for key, each in value.items()}
        elif isinstance(value, list):
            value = [changed(each) for each in value]
        elif draw(st.integers(0, 7)) == 0 and value is not None:
            # A container with one leaf may stand beside a leaf.
            other = draw(st.sampled_from(["a", 1, ["b"], [{"x": "ab"}]]))
            return {"$any": draw(st.permutations([value, other]))}
        return {"$optional": value} if draw(st.integers(0, 9)) == 0 else value

    return changed(draw(values))


@given(
    VALUES | with_choices(VALUES),
    VALUES,
    st.sampled_from(["set", "ordered", "index"]),
    st.sampled_from(["exact", "fuzzy"]),
    st.sampled_from(["drop", "leaf"]),
    st.dictionaries(PATTERNS, SETTINGS, max_size=2),
    st.booleans(),
)
@settings(max_examples=drawn(600), deadline=None)
def test_alignment_is_the_best_of_all(
    gold: Any, system: Any, lists: Any, strings: Any, empty: Any, paths: Any, itself: bool
) -> None:
    if itself:
        system = plain(gold)
    metric = Json(lists=lists, strings=strings, empty=empty, paths=paths)
    try:
        row = metric.by_column(np.array(metric.measure(json.dumps(system), json.dumps(gold))))
    except FormatError:  # choices of different weights
        return
    twin = Twin(metric)
    ours, theirs = twin.read(gold, gold=True), twin.read(system)
    matched, excused, equal = twin.best(ours, theirs)
    whole, other = twin.weight(ours), twin.weight(theirs) - excused
    found = [row[name] for name in ("gold", "system", "matched", "records_equal")]
    assert found == pytest.approx([float(each) for each in (whole, other, matched, equal)])
    exact = matched == whole == other
    assert row["exact"] == exact
    assert row["records_system"] == twin.records(theirs)
    if "$" not in json.dumps(gold):
        assert row["records_gold"] == twin.records(ours)
    assert equal <= min(row["records_gold"], row["records_system"])
    assert not exact or row["records_gold"] == row["records_system"] == equal


def plain(gold: Any) -> Any:
    """What a perfect system says: all that is optional, and the last choice."""
    if isinstance(gold, dict):
        if list(gold) in (["$any"], ["$optional"]):
            (inner,) = gold.values()
            return plain(inner[-1] if "$any" in gold else inner)
        return {key: plain(each) for key, each in gold.items()}
    return [plain(each) for each in gold] if isinstance(gold, list) else gold


ARGUMENTS = st.dictionaries(st.sampled_from("xy"), VALUES, max_size=2)
CALLS = st.lists(
    st.fixed_dictionaries({"name": st.sampled_from("fg"), "arguments": ARGUMENTS}), max_size=3
)


@given(CALLS, CALLS)
@settings(max_examples=drawn(200), deadline=None)
def test_calls_are_the_records_of_the_root(gold: Any, system: Any) -> None:
    """Lists within arguments have none, though they may hold objects."""
    metric = ToolCalls()
    for ours in (system, gold):
        row = metric.by_column(np.array(metric.measure(json.dumps(ours), json.dumps(gold))))
        assert (row["calls_gold"], row["calls_system"]) == (len(gold), len(ours))
        left = [canonical_call(each) for each in gold]
        same = 0
        for each in map(canonical_call, ours):
            if each in left:
                left.remove(each)
                same += 1
        assert row["calls_equal"] == same


def canonical_call(call: Any) -> str:
    """A call as text, without what is nothing; 1 and 1.0 are one number."""
    twin = Twin(ToolCalls())
    return repr(_sorted(twin.read(call)))


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return sorted((key, _sorted(each)) for key, each in value.items())
    return [_sorted(each) for each in value] if isinstance(value, list) else value


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
@settings(max_examples=drawn(200), deadline=None)
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
@settings(max_examples=drawn(200), deadline=None)
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
@settings(max_examples=drawn(300), deadline=None)
def test_tolerances_are_exact(gold: Decimal, system: Decimal, least: str, share: str) -> None:
    metric = Json(abs=least, rel=share)
    found = metric.measure(f"{system:f}", f"{gold:f}")[metric.columns.index("matched")]
    assert found == (abs(gold - system) <= max(Decimal(least), Decimal(share) * abs(gold)))


@given(VALUES, VALUES, st.data())
@settings(max_examples=drawn(300), deadline=None)
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
