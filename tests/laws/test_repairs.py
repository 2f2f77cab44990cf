"""What holds for the edits of every metric that can be repaired."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import karat
from karat.core.capabilities import Audits, MeasuresRepaired, Repairs, has
from karat.core.metric import Metric
from karat.core.plugins import METRICS, own_rows
from karat.core.registry import metric_class
from karat.core.repairs import GOLD_PART, NODE, DrawsEdits, KnowsSums
from karat.core.shown import Kind
from karat.engine.audit import AUDITABLE
from karat.engine.repair import REPAIRABLE, repairable
from karat.engine.repair_effects import Score
from karat.report.page.places import places
from repair_cases import CASES

OF_FAMILY = ("mrp", "attachment", "cogs", "edit-distance", "json")
"""These have 300 pairs; others of their families, which share their code, have fewer."""


def sums(score: Score, row: Any) -> tuple[float, float]:
    top, bottom = score.quotients(row[None])[0]
    return float(top), float(bottom)


def changed(metric: Metric[Any, Any], row: Any, edits: list[Any], whole: str = "") -> Any:
    row = row.copy()
    columns = list(metric.columns)
    for edit in edits:
        for name, change in edit.changes:
            row[columns.index(name)] += change
    return row


@pytest.mark.parametrize("text", CASES)
def test_edits_lead_to_gold_and_gain_what_they_say(text: str) -> None:
    """Everything repaired is perfect, as predicted and as measured; half of it is as claimed."""
    metric = karat.parse(text)
    assert has(metric, Repairs)
    lenient: Any = metric.for_repaired() if has(metric, MeasuresRepaired) else metric
    scores = [
        Score(metric, name, target)
        for name, target in metric.repair_targets.items()
        if not target.whole
    ]
    rng = random.Random(text)
    pairs = [CASES[text](rng) for _ in range(300 if text in OF_FAMILY else 60)]
    rows = np.asarray(lenient.measure_many(pairs))
    half_of: list[Any] = []
    adding_up = 0
    for row, pair, item in zip(rows, pairs, metric.repairs(pairs), strict=True):
        edits = item.edits("kind")
        for partition in metric.partitions:
            found = item.edits(partition)
            assert [each.kind for each in found] == [each.kind for each in edits]
            assert all(each.group for each in found)
        drawn = text.startswith(("mrp", "smatch", "attachment", "ud"))
        assert drawn <= has(item, DrawsEdits)
        if has(item, DrawsEdits):
            assert [bool(each) for each in item.drawn()] == [
                drawn and each.kind != "segmentation" for each in edits
            ]
        (again,) = np.asarray(lenient.measure_many([(item.apply(range(len(edits))), pair[1])]))
        for score in scores:
            for reached in (changed(metric, row, edits), again):
                top, bottom = sums(score, reached)
                assert top == pytest.approx(0 if score.sign < 0 else bottom, abs=1e-9), (
                    pair,
                    edits,
                )
        chosen = [i for i in range(len(edits)) if rng.random() < 0.5]
        half_of.append((item.apply(chosen), pair[1]))
        half = changed(metric, row, [edits[i] for i in chosen])
        (again,) = np.asarray(lenient.measure_many(half_of[-1:]))
        top, bottom = sums(scores[0], half)
        measured_top, measured_bottom = sums(scores[0], again)
        segmented = any(each.kind == "segmentation" for each in edits)
        if has(item, KnowsSums) and item.adds_up:
            adding_up += bool(chosen)
            for score in scores:
                assert sums(score, again) == pytest.approx(sums(score, half), abs=1e-9), pair
        if metric.repair_claim == "equal" and not segmented:
            assert (measured_top, measured_bottom) == pytest.approx((top, bottom), abs=1e-9), pair
        elif metric.repair_claim == "at least":
            assert measured_top >= top - 1e-9, (pair, chosen)
            assert measured_bottom <= bottom + 1e-9, (pair, chosen)
    assert adding_up or text not in ("sdp", "edm")


@pytest.mark.parametrize("text", CASES)
def test_what_is_taken_as_predicted_is_what_is_measured(text: str) -> None:
    """Of estimates, some items are not measured again; measuring all of them gives the same."""
    metric = repairable(karat.parse(text))
    if metric.repair_claim != "estimate":
        pytest.skip("gains are no estimates")
    rng = random.Random(text)
    pairs = [CASES[text](rng) for _ in range(60)]
    systems, golds = (list(side) for side in zip(*pairs, strict=True))
    repair = karat.repair(karat.evaluate(text, system=systems, gold=golds))
    names = [each.name for each in repair.classes]
    again = repair.remeasured([names[: i + 1] for i in range(len(names))])
    assert [each.running_remeasured for each in repair.classes] == again
    assert len(names) > 1


def test_attributes_of_edges_stay_where_edges_go() -> None:
    """Smatch knows them without their edge: what matched may have stood on one that is surplus."""
    metric: Any = karat.parse("smatch")
    rng = random.Random(4)
    pairs = [CASES["mrp"](rng) for _ in range(200)]
    repaired = [
        (item.apply(range(len(item.edits("kind")))), gold)
        for item, (_, gold) in zip(metric.repairs(pairs), pairs, strict=True)
    ]
    assert float(metric.summarize(metric.measure_many(repaired).sum(axis=0))["f"]) == 1


@pytest.mark.parametrize("text", ["mrp", "mrp()", "smatch", "cogs", "json"])
def test_adds_and_deletes_are_what_counts_say(text: str) -> None:
    """Single adds and deletes are s + g - 2c, and what is common grows by g - c."""
    metric = karat.parse(text)
    assert has(metric, Repairs)
    name, target = next(
        (name, each) for name, each in metric.repair_targets.items() if not each.whole
    )
    columns = list(metric.columns)
    rng = random.Random(1)
    pairs = [CASES[text](rng) for _ in range(100)]
    rows = np.asarray(metric.measure_many(pairs))
    for row, item in zip(rows, metric.repairs(pairs), strict=True):
        edits = item.edits("kind")
        twice_common, both = (
            sum(weight * row[columns.index(each)] for each, weight in part.items())
            for part in (target.top, target.bottom)
        )
        gained = sum(
            target.top.get(column, 0) * change for each in edits for column, change in each.changes
        )
        kinds = {each.kind for each in edits}
        gold = [each for each in target.bottom if each.endswith(("gold", ".g"))]
        assert gained / 2 == pytest.approx(
            sum(row[columns.index(each)] for each in gold) - twice_common / 2
        ), name
        if not kinds & {"rewrite", "order", "definiteness", "binders"} and text != "json":
            assert sum(each.single for each in edits) == both - twice_common


@pytest.mark.parametrize("text", CASES)
def test_what_is_right_has_no_edits(text: str) -> None:
    metric = karat.parse(text)
    assert has(metric, Repairs)
    rng = random.Random(2)
    for _ in range(20):
        gold = CASES[text](rng)[1]
        system = gold[0] if isinstance(gold, list) else gold
        (item,) = metric.repairs([(system, gold)])
        assert item.edits("kind") == []
        assert item.apply([]) is system or text.startswith("ud")


def test_the_metrics_that_can_be_repaired_are_named() -> None:
    found = {row.name for row in own_rows(METRICS) if has(metric_class(row.name), Repairs)}
    assert found == set(REPAIRABLE)
    assert {karat.parse(text).name for text in CASES} | {"tool-calls"} == found
    audited = {row.name for row in own_rows(METRICS) if has(metric_class(row.name), Audits)}
    assert audited == set(AUDITABLE)


def test_all_other_metrics_are_refused_clearly() -> None:
    for row in own_rows(METRICS):
        if row.name in REPAIRABLE or row.name in ("external", "scores"):
            continue
        try:
            metric = metric_class(row.name)()
        except (karat.OptionError, karat.MissingExtra):
            continue  # it needs options, or what is not installed here
        with pytest.raises(karat.OptionError, match=r"cannot be repaired: .{20}") as refused:
            repairable(metric)
        assert refused.value.exit_code == 2


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("bleu", "belong to no single edit"),
        ("rouge", "belong to no single edit"),
        ("chrf", "belong to no single edit"),
        ("sembleu", "does not say which edits repair"),
        ("smatch(top='concept')", "the label of a root counts twice"),
        ("ter(normalized=True)", "are not those written"),
        ("cogs(legacy=True)", "repeated terms"),
    ],
)
def test_other_metrics_are_refused_with_the_reason(text: str, reason: str) -> None:
    metric = karat.parse(text)
    example: Any = ("(a / b)", "(a / b)") if metric.name in ("sembleu", "smatch") else None
    if metric.name == "cogs":
        example = ("boy ( x _ 1 )", "boy ( x _ 1 )")
    system, gold = example or ("a b", "a b")
    run = karat.evaluate(metric, system=[system], gold=[gold])
    with pytest.raises(karat.OptionError, match=reason) as refused:
        karat.repair(run)
    assert refused.value.code == "K377"


@pytest.mark.parametrize("text", ["mrp", "smatch"])
def test_all_that_differs_in_a_drawing_switches_with_an_edit(text: str) -> None:
    """Every missing and every surplus part of two graphs laid over each other is some edit's."""
    metric: Any = karat.parse(text)
    rng = random.Random(text)
    pairs = [CASES[text](rng) for _ in range(150)]
    looks = set()
    for pair, item in zip(pairs, metric.repairs(pairs), strict=True):
        overlay = metric.shown(*pair, metric.explain(*pair)).overlay
        edits = [places(each, overlay) for each in item.drawn()]
        assert all(edits), (pair, item.edits("kind"))
        switched = {place for found in edits for place in found}
        for place, look in differences(overlay, switched):
            assert place in switched, (place, look, overlay, item.edits("kind"))
            looks.add(look)
    assert looks >= {"node", "label", "property", "top", "edge"}
    assert text != "mrp" or looks >= {"anchor", "attribute"}


def differences(overlay: Any, switched: set[Any]) -> Iterator[tuple[Any, str]]:
    """What differs, as the page names it; what hangs on a node that goes or comes goes with it."""

    def halves(kind: int, at: int, place: int, line: int, look: str) -> Iterator[tuple[Any, str]]:
        if kind in (Kind.MISSING, Kind.CHANGED):
            yield (at, place, line), look
        if kind in (Kind.SURPLUS, Kind.CHANGED):
            yield (at + 1, place, line), look

    alone = set()
    for i, node in enumerate(overlay.nodes):
        if node.kind:
            alone.add(i)
            yield (NODE, i, -1), "node"
            continue
        yield from halves(node.top, GOLD_PART, i, -1, "top")
        for k, line in enumerate(node.lines):
            yield from halves(line.kind, GOLD_PART, i, k, line.look)
    for i, arrow in enumerate(overlay.arrows):
        if not alone & {arrow.source, arrow.target}:
            yield from halves(arrow.kind, GOLD_PART + 2, i, -1, "edge")
            for k, note in enumerate(arrow.notes):
                yield from halves(note.kind, GOLD_PART + 2, i, k, "attribute")


@pytest.mark.parametrize("text", [each for each in CASES if karat.parse(each).name in AUDITABLE])
def test_what_an_audit_suggests_can_be_put_into_gold(text: str) -> None:
    """By an edit towards the system that has it; few suggestions take more than one."""
    rng = random.Random(text)
    pairs = [CASES[text](rng) for _ in range(30)]
    pairs += [(gold, gold) for _, gold in pairs] * 3  # else the system is too bad to have a vote
    run = karat.evaluate(text, [s for s, _ in pairs], [g for _, g in pairs], pair="position")
    found = karat.audit(text, [run, run], None)
    own = found.pairs({each.position for each in found.suspects})
    made = sum(
        found.suggested([of_system[each.position] for of_system in own], [each])[1]
        for each in found.suspects
    )
    assert len(found.suspects) >= 20
    assert made >= 0.9 * len(found.suspects)
