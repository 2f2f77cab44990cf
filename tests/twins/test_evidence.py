"""Evidence against gold, judged by the formula of docs/audit.md written out over all votes."""

from __future__ import annotations

import math
import random
from itertools import combinations

import pytest

from karat.stats.evidence import Evidence, Vote


def votes_of(draw: random.Random, systems: int) -> list[Vote]:
    """Parts of ten items; systems err at rates of their own."""
    found = []
    for number in range(120):
        gold = draw.choice("xyz")
        values: list[str | None] = []
        for s in range(systems):
            value: str | None = gold
            if number % 24 == 0:
                value = "u"  # all of them, against gold
            elif draw.random() < (0.1, 0.2, 0.3, 0.7)[s]:
                value = draw.choice(["x", "y", "z", "u", None])
            values.append(value)
        says = tuple(draw.random() < 0.9 for _ in range(systems))
        others = (0, 1, 3, 9)[number % 4] if number % 2 else 0  # a choice among places in the item
        found.append(Vote(number % 10, "ab"[number % 2], gold, tuple(values), says, others))
    return found


def slow(
    votes: list[Vote],
    systems: int,
    prior: float,
    weights: list[float],
    crowding: dict[str, float],
) -> dict[int, dict[str | None, float]]:
    """For each part and other value, the log odds, every count taken from the other items."""
    found: dict[int, dict[str | None, float]] = {}
    for number, vote in enumerate(votes):
        others = [e for e in votes if e.item != vote.item and e.kind == vote.kind]
        heard = {}
        for s in range(systems):
            own = [e for e in others if e.says[s]]
            accuracy = (sum(e.values[s] == e.gold for e in own) + 1) / (len(own) + 2)
            if vote.says[s] and accuracy >= 0.5:
                heard[s] = min(accuracy, 0.995)
        errors = [
            e.values[s]
            for e in others
            for s in range(systems)
            if e.gold == vote.gold and e.says[s] and e.values[s] != e.gold
        ]
        for value in {vote.values[s] for s in heard} - {vote.gold}:
            share = (errors.count(value) + 1) / (len(errors) + 5)
            if vote.others:
                share = max(1 / vote.others, 1 / 5)
            # Of this value against gold's, before any vote.
            odds = prior * (share if systems > 2 else 1) / (1 - prior) / crowding[vote.kind]
            for s, a in heard.items():
                if vote.values[s] == value:
                    odds *= (a / ((1 - a) * share)) ** weights[s]
                elif vote.values[s] == vote.gold:
                    odds *= ((1 - a) / a) ** weights[s]
            found.setdefault(number, {})[value] = math.log10(odds)
    return found


def slow_crowding(votes: list[Vote], systems: int, kind: str) -> float:
    """Parts at which several systems err, all in different ways, beside what chance gives."""
    of_kind = [each for each in votes if each.kind == kind]
    accuracies = []
    errors: list[tuple[str | None, str | None]] = []
    for s in range(systems):
        own = [each for each in of_kind if each.says[s]]
        accuracies.append((sum(e.values[s] == e.gold for e in own) + 1) / (len(own) + 2))
        errors += [(e.gold, e.values[s]) for e in own if e.values[s] != e.gold]
    pairs = [(a, b) for i, a in enumerate(errors) for b in errors[:i] if a[0] == b[0]]
    alike = sum(a == b for a, b in pairs) / len(pairs)
    heard = [each for each in of_kind if all(each.says)]
    found = 1.0
    for size in range(2, systems + 1):
        chance = 0.0
        for who in combinations(range(systems), size):
            chance += math.prod(1 - a if s in who else a for s, a in enumerate(accuracies))
        for other in range(size):
            chance *= max(0, 1 - other * alike)
        seen = 0
        for vote in heard:
            wrong = [value for value in vote.values if value != vote.gold]
            seen += len(wrong) == size == len(set(wrong))
        found = max(found, (seen + 2) / (chance * len(heard) + 2))
    return found


@pytest.mark.parametrize("systems", [2, 3, 4])
@pytest.mark.parametrize("hard", [False, True])
def test_crowding_counts_parts_at_which_systems_err_in_different_ways(
    systems: int, hard: bool
) -> None:
    draw = random.Random(systems)
    votes = votes_of(draw, systems)
    if hard:
        wrong = tuple("uvwt"[:systems])
        votes += [Vote(i % 10, "b", "x", wrong, (True,) * systems) for i in range(20)]
    found = Evidence(votes, systems)
    for kind in "ab":
        assert found.crowding[kind] == pytest.approx(slow_crowding(votes, systems, kind), abs=1e-9)
    assert (found.crowding["b"] > 2) == hard
    assert found.crowding["a"] < 2


@pytest.mark.parametrize("systems", [2, 3, 4])
@pytest.mark.parametrize("prior", [0.01, 0.2])
def test_evidence_is_the_formula(systems: int, prior: float) -> None:
    votes = votes_of(random.Random(systems), systems)
    found = Evidence(votes, systems, prior)
    crowding = {kind: slow_crowding(votes, systems, kind) for kind in "ab"}
    wanted = slow(votes, systems, prior, found.weights.tolist(), crowding)
    suspects = found.suspects()
    assert {each.part for each in suspects} == set(wanted)
    for each in suspects:
        assert each.evidence == pytest.approx(wanted[each.part][each.value], abs=1e-9)
        assert each.evidence == pytest.approx(max(wanted[each.part].values()), abs=1e-9)
    keys = [(-each.evidence, -len(each.systems), each.part) for each in suspects]
    assert keys == sorted(keys)
    flagged = [each for each in suspects if each.evidence > 0 and each.weight > 1]
    assert found.flagged() == flagged
    assert len(flagged) < len(suspects)
    assert flagged or prior < 0.1


def test_systems_with_the_same_errors_count_as_fewer() -> None:
    """By hand: of ten errors of the first system six are also the second's; chance adds little."""
    gold = ["x"] * 100
    first = ["y"] * 10 + ["x"] * 90
    second = ["y"] * 6 + ["x"] * 90 + ["z"] * 4
    third = ["x"] * 50 + ["w"] * 5 + ["x"] * 45
    votes = [
        Vote(i, "k", gold[i], (first[i], second[i], third[i]), (True,) * 3) for i in range(100)
    ]
    found = Evidence(votes, 3)
    usual = (1 - 91 / 102) / 5  # how often the second would say so anyway
    assert found.shared[0, 1] == pytest.approx((0.6 - usual) / (1 - usual))
    assert found.shared[0, 2] == found.shared[2, 0] == 0
    assert found.weights[0] == pytest.approx(1 / (1 + found.shared[0, 1]))
    assert found.weights[2] == 1.0
    # What all three say alike against gold is what is looked for: it makes them no more alike.
    everyone = [Vote(100 + i, "k", "x", ("y",) * 3, (True,) * 3) for i in range(10)]
    found = Evidence(votes + everyone, 3)
    usual = (1 - 91 / 112) / 5
    assert found.shared[0, 1] == pytest.approx((0.6 - usual) / (1 - usual))
    assert found.shared[0, 2] == 0
