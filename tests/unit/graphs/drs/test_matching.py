"""The search for the best mapping of clauses ends, and says where it proves nothing."""

from __future__ import annotations

import random

import pytest

from karat.graphs.drs.clauses import Clause
from karat.graphs.drs.matching import _Search, match_clauses


def clauses(count: int, boxes: int, seed: int) -> list[Clause]:
    draw = random.Random(seed)
    names = [f"b{i}" for i in range(boxes)]
    referents = [f"x{i}" for i in range(count // 3)]
    found = []
    for i in range(count // 3):
        found.append(
            Clause(draw.choice(names), draw.choice(("dog", "cat")), ('"n.01"', referents[i]))
        )
        found.append(Clause(draw.choice(names), "Agent", (draw.choice(referents), referents[i])))
        found.append(Clause(draw.choice(names), "NEGATION", (draw.choice(names),)))
    return found


def test_many_boxes_do_not_spend_more_than_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """All ways to map one box are as many as the system has boxes, each as dear as all clauses."""
    asked = []
    bound = _Search._bound
    monkeypatch.setattr(
        _Search, "_bound", lambda self, *rest: asked.append(1) or bound(self, *rest)
    )
    gold, system = clauses(600, 200, 1), clauses(600, 200, 2)
    budget = 20_000_000
    found = match_clauses(gold, system, budget=budget)
    assert not found.proven
    assert found.value < found.bound <= len(gold)
    # Each bound takes 1,000 for each of the 1,200 clauses, so 21 of them spend it all.
    assert len(asked) <= 1.25 * budget / 1_000 / 1_200 + 3


def test_the_same_structure_is_proven_whatever_its_size() -> None:
    gold = clauses(600, 200, 1)
    found = match_clauses(gold, gold, budget=20_000_000)
    assert found.proven
    assert found.value == len(gold)
