"""Evidence against gold: the formula by hand, copies of systems, systems that do not vote."""

from __future__ import annotations

from math import log10

import pytest

from karat.stats.evidence import Evidence, Vote


def votes(rows: list[tuple[str, tuple[str | None, ...]]]) -> list[Vote]:
    """A part in an item of its own, of one kind; gold, and what systems say."""
    return [
        Vote(i, "label", gold, values, (True,) * len(values))
        for i, (gold, values) in enumerate(rows)
    ]


ROWS = [("x", ("x", "x", "x"))] * 20 + [("x", ("y", "x", "x")), ("x", ("x", "z", "x"))]


def test_the_formula_by_hand() -> None:
    found = Evidence(votes([*ROWS, ("x", ("y", "y", "x"))]), 3, prior=0.01)
    (part,) = [each for each in found.suspects() if each.part == 22]
    # In the other 22 items the systems are right 21, 21 and 22 times.
    a, b, c = 22 / 24, 22 / 24, 23 / 24
    usual = (1 + 1) / (2 + 5)  # one of two errors on x there is y
    assert found.weights.tolist() == pytest.approx(
        [1 / (1 + found.shared[s].sum() - 1) for s in range(3)]
    )
    weight = found.weights
    expected = (
        weight[0] * log10(a / (1 - a) / usual)
        + weight[1] * log10(b / (1 - b) / usual)
        - weight[2] * log10(c / (1 - c))
        - log10(0.99 / (0.01 * usual))  # y has its share of the ways in which gold may be wrong
    )
    assert part.evidence == pytest.approx(expected, abs=1e-12)
    assert (part.value, part.systems) == ("y", (0, 1))
    assert part.weight == pytest.approx(weight[0] + weight[1])


def test_a_system_given_twice_changes_nothing() -> None:
    rows = [*ROWS, ("x", ("y", "y", "x")), ("x", ("y", "y", "y")), ("w", ("x", "w", "x"))]
    once = Evidence(votes(rows), 3)
    twice = Evidence(votes([(gold, (*values, values[0])) for gold, values in rows]), 4)
    assert twice.groups == [0, 1, 2, 0]
    assert twice.weights[0] == pytest.approx(once.weights[0] / 2)
    for one, other in zip(once.suspects(), twice.suspects(), strict=True):
        assert (one.part, one.value) == (other.part, other.value)
        assert one.evidence == pytest.approx(other.evidence, abs=1e-9)
    # Two copies of one system are not two that agree.
    alone = Evidence(votes([("x", ("x", "x")), *[("x", ("y", "y"))] * 1]), 2)
    assert not alone.flagged()


def test_who_is_mostly_wrong_or_silent_does_not_vote() -> None:
    rows = [("x", ("y", "x", "x"))] * 9 + [("x", ("y", "y", "x"))]
    found = Evidence(votes(rows), 3)
    assert all(each.systems != (0,) for each in found.suspects())
    silent = [Vote(0, "label", "x", ("y", "y"), (True, False))]
    assert Evidence(silent, 2).suspects()[0].systems == (0,)


def test_where_systems_err_at_the_same_parts_it_takes_more_to_suspect_gold() -> None:
    """Words that are hard for everybody: that two systems err there alike is no surprise."""
    suspect = ("x", ("y", "y", "z"))
    apart = [("x", tuple("u" if s == i % 30 else "x" for s in range(3))) for i in range(90)]
    together = [("x", ("u", "v", "w"))] * 3 + [("x", ("x", "x", "x"))] * 87
    alone, crowded = (Evidence(votes([*rows, suspect]), 3) for rows in (apart, together))
    # The three systems err as often in both; only where they do so is different.
    assert [alone.accuracy(s, "label") for s in range(3)] == [
        crowded.accuracy(s, "label") for s in range(3)
    ]
    assert alone.crowding["label"] < 1.5
    # At three parts all err in ways of their own. Each errs at 4 of 91, so chance gives nearly
    # none; of their 12 errors three times three and the two of the suspect agree.
    alike = (3 * 3 * 2 + 2) / (12 * 11)
    expected = 91 * (5 / 93) ** 3 * (1 - alike) * (1 - 2 * alike)
    assert crowded.crowding["label"] == pytest.approx((3 + 2) / (expected + 2))
    evidence = [
        next(each.evidence for each in found.suspects() if each.part == 90)
        for found in (alone, crowded)
    ]
    ratio = crowded.crowding["label"] / alone.crowding["label"]
    assert evidence[0] - evidence[1] == pytest.approx(log10(ratio))


MOSTLY_RIGHT = [
    *[("x", ("x", "x", "x"))] * 1000,
    *[("w", tuple("v" if s == wrong else "w" for s in range(3))) for wrong in range(3)],
]
"""Three systems, each with one error of its own in 1,003 parts."""


def test_nobody_is_taken_to_be_right_more_often_than_995_times_of_1000() -> None:
    """Each is right 1,002 times of 1,003: without a bound, the odds would be 1,003 to 2."""
    found = Evidence(votes([*MOSTLY_RIGHT, ("x", ("y", "y", "y"))]), 3, prior=0.01)
    suspect = found.suspects()[0]
    usual = 1 / 5  # no other error on x is known
    expected = 3 * log10(0.995 / 0.005 / usual) - log10(0.99 / (0.01 * usual))
    assert (suspect.part, suspect.evidence) == (1003, pytest.approx(expected, abs=1e-12))


def test_one_system_alone_flags_nothing_and_ties_are_in_the_order_of_gold() -> None:
    right = votes(MOSTLY_RIGHT)
    alone = Vote(1003, "label", "x", ("y", None, None), (True, False, False))
    found = Evidence([*right, alone], 3, prior=0.5)
    assert found.suspects()[0].part == 1003
    assert found.suspects()[0].evidence > 0
    assert found.flagged() == []
    two = [Vote(i, "label", "x", ("y", "y", None), (True, True, False)) for i in (1003, 1004)]
    first, second = Evidence([*right, *two], 3, prior=0.5).flagged()
    assert (first.part, second.part) == (1003, 1004)
    assert first.evidence == second.evidence


def twice_and_once(of_the_first: str, of_both_copies: str) -> Vote:
    """A part that gold has as x: what one system says, and another one that is given twice."""
    return Vote(
        99, "label", "x", (of_the_first, of_both_copies, of_both_copies), (True, True, True)
    )


def test_equal_evidence_of_more_systems_comes_first() -> None:
    """A system that is given twice has two votes of half the weight: as much evidence as another
    one that is as often right, but it is two systems."""
    rows = [("x", ("x", "x", "x"))] * 20 + [("x", ("z", "x", "x")), ("x", ("x", "w", "w"))]
    one, two = twice_and_once("y", "x"), twice_and_once("x", "y")
    found = Evidence([*votes(rows), one, two], 3, prior=0.5)
    first, second = (each for each in found.suspects() if each.value == "y")
    assert first.evidence == second.evidence
    assert (first.systems, second.systems) == ((1, 2), (0,))
    assert first.part > second.part
    # The same within a part, where one says y and the two say v.
    both = Evidence([*votes(rows), twice_and_once("y", "v")], 3, prior=0.5)
    (best,) = [each for each in both.suspects() if each.part == len(rows)]
    assert (best.value, best.systems) == ("v", (1, 2))
