"""Figures of repairs by hand: gains, intervals, running scores, plans, halves, what is measured."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from statistics import NormalDist
from typing import Any

import pytest

import karat
from karat.engine.repair import Rank

WORDS = "a b c d"


def errors(**numbers: int) -> karat.Evaluation:
    """Items of four words: so many with each of some words in place of the last one, or `right`."""
    last = [word for word, number in numbers.items() for _ in range(number)]
    system = [f"a b c {'d' if word == 'right' else word}" for word in last]
    return karat.evaluate("edit-distance", system=system, gold=[WORDS] * len(system))


def test_gains_alone_and_running() -> None:
    """Of 40 words, 3 and 2 are wrong: each class alone, then both."""
    repair = karat.repair(errors(x=3, y=2, right=5), "word")
    assert repair.before.f == pytest.approx(5 / 40)
    found = [(each.edits, each.items, each.delta.f, each.per_edit) for each in repair.classes]
    assert found == [
        (3, 3, pytest.approx(-3 / 40), pytest.approx(-1 / 40)),
        (2, 2, pytest.approx(-2 / 40), pytest.approx(-1 / 40)),
    ]
    assert [each.running for each in repair.classes] == pytest.approx([2 / 40, 0])
    assert repair.repaired.f == 0
    assert len(karat.repair(errors(x=3, y=2, right=5), "word", top=1).classes) == 1


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_intervals_are_those_of_paired_differences(level: float) -> None:
    """A quarter of the items loses one of four words: a mean of 0 and 1/4, whose error is known."""
    run = errors(x=100, y=40, right=260)
    first, _ = karat.repair(run, "word", confidence=level).classes
    reach = NormalDist().inv_cdf((1 + level) / 2) * (0.25 * 0.75 / 400) ** 0.5 / 4
    assert first.interval is not None
    low, high = first.interval
    assert first.delta.f == pytest.approx(-1 / 16)
    assert (low, high) == pytest.approx((-1 / 16 - reach, -1 / 16 + reach), abs=0.2 * reach)


def test_intervals_depend_on_the_seed_and_need_some_items() -> None:
    run = errors(x=100, right=300)
    found = [karat.repair(run, "word", seed=seed).classes[0].interval for seed in (1, 1, 2)]
    assert found[0] == found[1] != found[2]
    assert karat.repair(errors(x=1), "word").classes[0].interval is None


def test_the_order_of_classes_is_doubted_where_intervals_overlap() -> None:
    """The first and the third: those of 60 and 5 in 400 are apart, those of 60 and 50 are not."""
    doubted = [
        any("overlap" in note for note in karat.repair(run, "word").notes())
        for run in (errors(x=60, y=50, z=5, right=285), errors(x=60, y=55, z=50, right=235))
    ]
    assert doubted == [False, True]


def records() -> karat.Evaluation:
    """Errors of four kinds of leaves, in numbers that make no plan obvious."""
    gold = [{"a": 1, "b": 2, "c": 3, "d": 4} for _ in range(12)]
    system: list[dict[str, Any]] = [dict(each) for each in gold]
    for i in range(5):
        system[i]["a"] = 9
    for i in range(3, 10):
        del system[i]["b"]
    for i in range(4):
        system[i]["e"] = 5
    system[11]["d"] = 0
    return karat.evaluate("json", system=system, gold=gold)


@pytest.mark.parametrize("rank", ["gain", "plan"])
def test_no_other_set_of_classes_gains_more_than_the_plan(rank: Rank) -> None:
    """All sets, repaired and measured again."""
    run = records()
    repair = karat.repair(run, "path", rank=rank)
    names = [each.name for each in repair.classes]
    assert len(names) == 4
    gold = [{"a": 1, "b": 2, "c": 3, "d": 4}] * 12

    def score(classes: Any) -> float:
        found = karat.evaluate("json", system=repair.apply(classes), gold=gold).scores()["f"]
        return float(found)  # type: ignore[arg-type]

    for size, step in enumerate(repair.plan(4), 1):
        assert step.f == pytest.approx(score(step.classes))
        assert step.f == pytest.approx(max(map(score, combinations(names, size))))
    running = [each.running for each in repair.classes]
    assert running == pytest.approx([score(names[: i + 1]) for i in range(4)])
    alone = [repair.before.f + each.delta.f for each in repair.classes]
    assert alone == pytest.approx([score([name]) for name in names])
    if rank == "gain":
        assert alone == sorted(alone, reverse=True)


def test_gains_of_single_edits_are_what_one_alone_changes() -> None:
    """13 of 48 leaves are missing or changed, 4 are surplus: F before and after one edit."""
    run = records()
    repair = karat.repair(run)
    applied = {}
    for position, found in repair.edits_with_gains():
        for edit, gain in found:
            applied.setdefault(edit.edit.kind, (position, gain))
    correct, system, gold = 48 - 13, 48 - 7 + 4, 48
    before = 2 * correct / (system + gold)
    assert run.scores()["f"] == pytest.approx(before)
    changes = {"changed": (1, 0), "missing": (1, 1), "surplus": (0, -1)}
    assert set(applied) == set(changes)
    for kind, (common, own) in changes.items():
        after = 2 * (correct + common) / (system + own + gold)
        assert applied[kind][1] == pytest.approx(after - before)


def test_halves_are_measured_again_by_themselves() -> None:
    """What is measured again agrees with what was predicted, on the other half of the items."""
    run = errors(x=30, y=9, right=41)
    repair = karat.repair(run, "word", split_half=True, check=True, seed=4)
    assert repair.before.f != run.scores()["normalized"]
    for each in repair.classes:
        assert each.remeasured == pytest.approx(repair.before.f + each.delta.f)
        assert each.running_remeasured == pytest.approx(each.running)
    assert sum(each.edits for each in repair.classes) < 39
    other = karat.repair(run, "word", split_half=True, seed=5)
    assert [each.edits for each in other.classes] != [each.edits for each in repair.classes]
    with pytest.raises(karat.KaratError, match="too few to be split in half"):
        karat.repair(errors(x=2, right=1), "word", split_half=True)


def test_means_over_items_leave_out_what_is_undefined() -> None:
    """Two empty records have no F; the others have 1/2 and 1."""
    gold: list[dict[str, int]] = [{"a": 1, "b": 2}, {"a": 1}, {}]
    system: list[dict[str, int]] = [{"a": 1, "b": 3}, {"a": 1}, {}]
    repair = karat.repair(karat.evaluate("json", system=system, gold=gold), average="macro")
    assert repair.before.f == pytest.approx(0.75)
    assert repair.repaired.f == 1


def leaves(gold: int, changed: int, missing: int, surplus: int) -> karat.Evaluation:
    """So many leaves of gold, and errors of a system's record."""
    right = {f"k{i}": 1 for i in range(gold)}
    system = {f"k{i}": 2 if i < changed else 1 for i in range(gold - missing)}
    system |= {f"s{i}": 1 for i in range(surplus)}
    return karat.evaluate("json", system=[system], gold=[right])


@pytest.mark.parametrize(
    ("numbers", "by_gain", "by_plan", "running"),
    [
        # F is 2c / (s + g): 6/13, then by the best of each size.
        ((6, 1, 2, 3), ["missing", "changed", "surplus"], ["missing", "surplus", "changed"],
         [10 / 15, 10 / 12, 1]),
        # The best two are without the best one.
        ((7, 2, 3, 6), ["missing", "changed", "surplus"], ["missing", "changed", "surplus"],
         [10 / 20, 8 / 11, 1]),
    ],
)  # fmt: skip
def test_plans_are_not_the_order_of_gains(
    numbers: tuple[int, ...], by_gain: list[str], by_plan: list[str], running: list[float]
) -> None:
    run = leaves(*numbers)
    assert [each.name for each in karat.repair(run).classes] == by_gain
    planned = karat.repair(run, rank="plan").classes
    assert [each.name for each in planned] == by_plan
    assert [each.running for each in planned] == pytest.approx(running)


def test_correspondences_that_are_not_proven_are_told() -> None:
    folder = Path(__file__).parents[2] / "golden" / "trace"
    files = {"system": folder / "amrdup.sys.amr", "gold": folder / "amrdup.gold.amr"}
    for metric in ("smatch", "smatch(solver='climb', restarts=0)"):
        run = karat.evaluate(metric, **files)
        repair = karat.repair(run)
        told = [each for each in repair.notes() if "no proven correspondence" in each]
        assert repair.exact == (run.inexact == 0) == (not told)
    assert told[0].startswith(f"{run.inexact} items have ")


def test_a_graph_that_the_system_lacks_comes_with_the_comments_of_gold(tmp_path: Path) -> None:
    gold = "# ::id a\n# ::snt One.\n(x / one)\n\n# ::id b\n# ::snt Two.\n# ::by K\n(y / two)\n"
    (tmp_path / "gold.amr").write_text(gold)
    (tmp_path / "system.amr").write_text("# ::id a\n# ::snt Own.\n(x / ones)\n")
    run = karat.evaluate("smatch", system=tmp_path / "system.amr", gold=tmp_path / "gold.amr")
    karat.repair(run).write(tmp_path / "better.amr")
    written = (tmp_path / "better.amr").read_text()
    assert "# ::id a\n# ::snt Own.\n(o / one)\n" in written
    assert "# ::id b\n# ::snt Two.\n# ::by K\n(t / two)\n" in written
