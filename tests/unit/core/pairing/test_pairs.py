"""Pairing: by id, by position, what is missing, doubled, surplus or unreadable."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.core.metric import Metric
from karat.core.options import Mode
from karat.core.pairing.by_id import _paired_one_by_one, _plainly_paired
from karat.core.pairing.pairs import Report, make, match
from karat.core.pairing.sides import Sides
from karat.core.reading.items import Item, Key, NameKeys, Pair, Refs
from karat.core.reading.selection import Selection
from karat.core.reading.strings import Strings
from karat.errors import FormatError, PairingError, Place


class Strict(Metric[str, str]):
    """Takes values as they are; what is missing is an error."""

    name = "strict"
    kind = "text"
    columns = ("items",)


class Lenient(Strict):
    """Scores what is missing against nothing."""

    name = "lenient"

    def absent(self, gold: str) -> str:
        return "nothing"


class Joining(Strict):
    """Takes any number of gold files."""

    name = "joining"

    def of_gold(self, records: Sequence[Any]) -> str:
        return "+".join(records)


class MayBeEmpty(Strict):
    name = "may-be-empty"
    allows_empty = True


def items(words: str, side: str = "") -> list[Item]:
    """``a b`` are items with these ids; ``a/dm`` has a further part, ``a/`` one that is None;
    ``a!`` and ``!`` could not be read, the latter not even its id; ``.`` has no id."""
    result = []
    for line, word in enumerate(words.split(), 1):
        error = None
        if word.endswith("!"):
            word = word[:-1]
            error = FormatError("bad", code="K111", place=Place(f"{side}.jsonl", line, item=word))
        key = None if word in ("", ".") else tuple(part or None for part in word.split("/"))
        value = None if error else f"{side}{line}:{word}"
        result.append(Item(value, key, line, error=error))
    return result


def pair(
    metric: Metric[Any, Any],
    systems: Iterable[Item],
    golds: Sequence[Iterable[Item]],
    report: Report,
    mode: Mode = "auto",
) -> list[Pair]:
    """All pairs, as a run makes them: matched by their names first."""
    ours, theirs = list(systems), [list(each) for each in golds]
    refs = [Refs.of_items(each) for each in (ours, *theirs)]
    found = match(metric, refs[0], refs[1:], report, mode, Selection())
    rows = zip(found.index.tolist(), found.gold.tolist(), found.system.tolist(), strict=True)
    made = [
        make(
            Sides(metric),
            index,
            gold,
            ours[system] if system >= 0 else None,
            [g[gold] for g in theirs],
            report,
            lambda item, name: Place(line=item.line, item=name),
        )
        for index, gold, system in rows
    ]
    if found.problem is not None:
        raise found.problem
    report.check_order()
    report.finish()
    return [each for each in made if each is not None]


def run(
    systems: str | Iterable[Item],
    *golds: str,
    metric: Metric[Any, Any] | None = None,
    mode: Mode = "auto",
    on_error: Any = "fail",
) -> tuple[list[Pair], Report]:
    report = Report(on_error)
    streams = [items(words, "g") for words in golds]
    system_items = items(systems, "s") if isinstance(systems, str) else systems
    return pair(metric or Strict(), system_items, streams, report, mode), report


def met(pairs: Iterable[Pair]) -> dict[int, tuple[str, str, str]]:
    """The last pair of each index, as a user of the pairs sees them."""
    return {
        one.index: (one.id, one.system, one.gold) for one in sorted(pairs, key=lambda p: p.index)
    }


# -- by position --------------------------------------------------------------


def test_items_without_ids_meet_by_position() -> None:
    pairs, _ = run(". .", ". .")
    assert met(pairs) == {0: ("1", "s1:.", "g1:."), 1: ("2", "s2:.", "g2:.")}


def test_position_can_be_asked_for() -> None:
    pairs, _ = run("b a", "a b", mode="position")
    assert met(pairs) == {0: ("a", "s1:b", "g1:a"), 1: ("b", "s2:a", "g2:b")}


def test_one_side_without_ids_means_position() -> None:
    assert met(run(". .", "a b")[0]) == {0: ("a", "s1:.", "g1:a"), 1: ("b", "s2:.", "g2:b")}
    assert met(run("a b", ". .")[0]) == {0: ("1", "s1:a", "g1:."), 1: ("2", "s2:b", "g2:.")}


@pytest.mark.parametrize(
    ("systems", "golds", "counts"),
    [(".", ". .", (2, 1)), (". . .", ". .", (2, 3)), ("", ". . .", (3, 0))],
)
def test_different_numbers_by_position(systems: str, golds: str, counts: tuple[int, int]) -> None:
    with pytest.raises(PairingError) as caught:
        run(systems, golds)
    assert caught.value.headline == (
        f"PairingError K202: gold has {counts[0]} items, the system has {counts[1]}: "
        "they are paired by position"
    )


def test_skipping_keeps_positions() -> None:
    pairs, report = run(". ! . .", ". . ! .", on_error="skip")
    assert met(pairs) == {0: ("1", "s1:.", "g1:."), 3: ("4", "s4:.", "g4:.")}
    assert report.skipped == 2
    assert report.warnings == [
        "left out: s.jsonl:2: FormatError K111: bad",
        "left out: g.jsonl:3: FormatError K111: bad",
    ]


def test_both_sides_broken_count_once_by_position() -> None:
    assert run(". !", ". !", on_error="skip")[1].skipped == 1


def test_the_first_broken_item_stops_by_default() -> None:
    with pytest.raises(FormatError) as caught:
        run(". ! .", ". . .")
    assert caught.value.headline == "s.jsonl:2: FormatError K111: bad"
    assert "``on_error='skip'``" in caught.value.advice


# -- by id --------------------------------------------------------------------


def test_order_is_that_of_the_gold() -> None:
    pairs, report = run("c a b", "a b c")
    assert met(pairs) == {
        0: ("a", "s2:a", "g1:a"),
        1: ("b", "s3:b", "g2:b"),
        2: ("c", "s1:c", "g3:c"),
    }
    assert report.warnings == []


@given(st.permutations("abcdefgh"), st.permutations("abcdefgh"))
def test_any_two_orders_meet(systems: list[str], golds: list[str]) -> None:
    pairs, _ = run(" ".join(systems), " ".join(golds))
    assert [one[0] for one in met(pairs).values()] == golds
    assert all(
        system.split(":")[1] == gold.split(":")[1] == name
        for name, system, gold in met(pairs).values()
    )


def test_missing_gold_ids_are_named() -> None:
    with pytest.raises(PairingError) as caught:
        run("a C", "a b c")
    assert (
        caught.value.headline == "PairingError K201: 2 of 3 gold ids have no system item: 'b', 'c'"
    )
    assert caught.value.advice == (
        "the system file has 'C': ids are case-sensitive; ``pair='position'`` pairs by order"
    )


def test_many_missing_ids_are_counted() -> None:
    with pytest.raises(PairingError, match=r"7 of 8 .*: 'b', 'c', 'd', 'e', 'f' and 2 more"):
        run("a", "a b c d e f g h")


def test_surplus_system_items_are_named() -> None:
    with pytest.raises(PairingError) as caught:
        run("a x b y", "a b")
    assert caught.value.headline == "PairingError K205: 2 system items have no gold item: 'x', 'y'"


@pytest.mark.parametrize(
    ("systems", "golds", "message"),
    [
        ("a b", "a a", "gold id 'a' occurs twice, again at line 2"),
        ("a b a", "a b c", "system id 'a' occurs twice, again at line 3"),
        ("x x", "a b", "system id 'x' occurs twice, again at line 2"),
    ],
)
def test_doubled_ids(systems: str, golds: str, message: str) -> None:
    with pytest.raises(PairingError) as caught:
        run(systems, golds)
    assert caught.value.headline == f"PairingError K204: {message}"


@pytest.mark.parametrize(
    ("systems", "golds", "message"),
    [
        ("a .", "a b", "the system item at line 2 has no id, others have"),
        ("a b", "a .", "the gold item at line 2 has no id, others have"),
    ],
)
def test_some_items_without_ids(systems: str, golds: str, message: str) -> None:
    with pytest.raises(PairingError, match=f"K206: {message}"):
        run(systems, golds)


def test_ids_can_be_asked_for() -> None:
    with pytest.raises(PairingError, match="K206: the items have no ids to pair by"):
        run(". .", ". .", mode="id")


def test_no_gold_at_all() -> None:
    with pytest.raises(PairingError, match="K203: there are no gold items: the file is empty"):
        run("", "")


def test_nothing_at_all_where_the_metric_allows_it() -> None:
    assert run("", "", metric=MayBeEmpty())[0] == []
    with pytest.raises(PairingError, match="K203"):
        run("a", "", metric=MayBeEmpty())


# -- lenient metrics ----------------------------------------------------------


def test_missing_items_are_scored_against_nothing() -> None:
    pairs, report = run("c", "a b c", metric=Lenient())
    assert met(pairs) == {
        0: ("a", "nothing", "g1:a"),
        1: ("b", "nothing", "g2:b"),
        2: ("c", "s1:c", "g3:c"),
    }
    assert report.warnings == [
        "2 of 3 gold items have no system item and are scored against nothing: 'a', 'b'"
    ]


def test_surplus_items_are_ignored_with_a_warning() -> None:
    pairs, report = run("x a y", "a", metric=Lenient())
    assert met(pairs) == {0: ("a", "s2:a", "g1:a")}
    assert report.warnings == ["2 system items have no gold item: 'x', 'y' (ignored)"]


def test_the_first_of_doubled_system_items_counts() -> None:
    pairs, report = run("a b a", "a b", metric=Lenient())
    assert met(pairs) == {0: ("a", "s1:a", "g1:a"), 1: ("b", "s2:b", "g2:b")}
    assert report.warnings == ["1 system item repeats an id, the first of each counts: 'a'"]


@pytest.mark.parametrize("systems", ["a b", "b a", "a b a"])
def test_a_later_gold_item_replaces_an_earlier_one(systems: str) -> None:
    pairs, report = run(systems, "a b a", metric=Lenient())
    first = "s1:a" if systems[0] == "a" else "s2:a"
    assert met(pairs)[0] == ("a", first, "g3:a")
    assert met(pairs)[1][2] == "g2:b"
    assert "1 gold item repeats an id, the last of each counts: 'a'" in report.warnings


# -- parts of keys ------------------------------------------------------------


def test_further_parts_make_ids_unique() -> None:
    pairs, _ = run("1/eds 1/dm", "1/dm 1/eds")
    assert met(pairs) == {0: ("1", "s2:1/dm", "g1:1/dm"), 1: ("1", "s1:1/eds", "g2:1/eds")}


@pytest.mark.parametrize(
    ("systems", "golds"),
    [
        ("1/", "1/dm"),
        ("1/dm", "1/"),
        ("1/dm/", "1//eng"),
        ("1/", "1/"),
        ("1", "1/dm"),
        ("1/dm", "1"),
    ],
)
def test_a_part_that_is_not_given_agrees_with_any(systems: str, golds: str) -> None:
    pairs, _ = run(systems, golds)
    assert met(pairs) == {0: ("1", f"s1:{systems}", f"g1:{golds}")}


def test_parts_that_differ_do_not_meet() -> None:
    with pytest.raises(PairingError, match="K201"):
        run("1/dm", "1/eds")
    with pytest.raises(PairingError, match="K201"):
        run("1/dm/eng", "1/eds")


def test_an_exact_key_is_preferred() -> None:
    pairs, _ = run("2 1/ 1/dm", "1/dm 1/ 2")
    assert met(pairs)[0] == ("1", "s3:1/dm", "g1:1/dm")
    assert met(pairs)[1] == ("1", "s2:1/", "g2:1/")


@pytest.mark.parametrize("systems", ["2 3 1/", "1/ 2 3", "2 1/ 3"])
@pytest.mark.parametrize("metric", [Strict(), Lenient()])
def test_a_key_that_fits_several(systems: str, metric: Strict) -> None:
    with pytest.raises(PairingError) as caught:
        run(systems, "1/dm 2 1/eds 3", metric=metric)
    assert caught.value.headline == (
        "PairingError K208: system item '1' fits several gold items: dm and eds"
    )


# -- several gold files -------------------------------------------------------


def test_gold_files_are_joined() -> None:
    pairs, _ = run("b a", "a b", "a b", metric=Joining())
    assert met(pairs) == {0: ("a", "s2:a", "g1:a+g1:a"), 1: ("b", "s1:b", "g2:b+g2:b")}


def test_gold_files_of_different_length() -> None:
    with pytest.raises(PairingError, match="K202: gold file 2 has 1 item, gold file 1 has "):
        run(". .", ". .", ".", metric=Joining())


def test_gold_files_with_different_ids() -> None:
    with pytest.raises(PairingError, match=r"K207: .* different ids at item 2: 'b', 'c'"):
        run("a b", "a b", "a c", metric=Joining())


def test_one_broken_gold_file_breaks_the_item() -> None:
    pairs, report = run("a b", "a b", "a !", metric=Joining(), on_error="skip")
    assert [one[0] for one in met(pairs).values()] == ["a"]
    assert report.skipped == 1


def test_a_metric_that_takes_one_gold_file_says_so() -> None:
    with pytest.raises(ValueError, match="K309: item 'a': strict takes one gold file, got 2"):
        run("a", "a", "a")


# -- leaving out what cannot be read, by id -----------------------------------


@pytest.mark.parametrize("systems", ["a b! c", "c b! a"])
def test_a_broken_item_with_an_id_takes_its_partner_along(systems: str) -> None:
    pairs, report = run(systems, "a b c", on_error="skip")
    assert [one[0] for one in met(pairs).values()] == ["a", "c"]
    assert report.skipped == 1
    assert report.warnings == ["left out: s.jsonl:2: FormatError K111: item 'b': bad"]


def test_a_broken_system_item_without_id_leaves_one_gold_item_out() -> None:
    pairs, report = run("c ! a", "a b c", on_error="skip")
    assert [one[0] for one in met(pairs).values()] == ["a", "c"]
    assert report.skipped == 1
    assert report.warnings[1] == "1 of 3 gold items has no system item and is left out: 'b'"


def test_a_broken_gold_item_without_id_leaves_one_system_item_out() -> None:
    pairs, report = run("c b a", "a ! c", on_error="skip")
    assert [one[0] for one in met(pairs).values()] == ["a", "c"]
    assert report.warnings[1] == "1 system item has no gold item: 'b' (ignored)"


def test_more_gaps_than_broken_items_are_still_an_error() -> None:
    with pytest.raises(PairingError, match="K201: 2 of 3 gold ids"):
        run("! a", "a b c", on_error="skip")
    with pytest.raises(PairingError, match="K205: 2 system items"):
        run("a b c", "! a", on_error="skip")


def test_a_broken_first_item_does_not_turn_ids_into_positions() -> None:
    pairs, _ = run("! c b", "a b c", on_error="skip")
    assert met(pairs) == {1: ("b", "s3:b", "g2:b"), 2: ("c", "s2:c", "g3:c")}
    pairs, _ = run("c b a", "! b c", on_error="skip")
    assert {one[0]: one[1] for one in met(pairs).values()} == {"b": "s2:b", "c": "s1:c"}


def test_items_that_hold_their_own_gold_count_once() -> None:
    same = items("a ! b c!", "x")
    report = Report("skip")
    pairs = pair(Strict(), same, [same], report)
    assert [one[0] for one in met(pairs).values()] == ["a", "b"]
    assert report.skipped == 2


NAMES = st.lists(st.sampled_from(["a", "b", "bc", "é", "東"]), max_size=6)


@given(NAMES, NAMES, st.booleans(), st.booleans())
def test_pairing_in_bulk_is_pairing_one_by_one(
    systems: list[str], golds: list[str], same: bool, alike: bool
) -> None:
    systems = golds if same else systems
    rests: list[Key] = [("x",), ("x",) if alike else ("y",)]
    keys = [
        NameKeys(Strings.of(names), rest)
        for names, rest in zip((systems, golds), rests, strict=True)
    ]
    found = _plainly_paired(*keys)
    clear = alike and len(set(golds)) == len(golds)
    clear = clear and len(set(systems)) == len(systems) and set(systems) <= set(golds)
    assert (found is not None) == clear
    if found is not None:
        refs = [Refs.of_items([Item("", key) for key in each]) for each in keys]
        slow = _paired_one_by_one(*refs, lenient=True)
        assert list(found.keys) == list(slow.keys)
        assert found.rows.tolist() == slow.rows.tolist()
        assert found.partner.tolist() == slow.partner.tolist()
        assert [slow.extra, slow.doubled, slow.repeated] == [[], [], []]
