"""What a trace says besides its hits: ranges, the nearest settings, classes, notes, warnings."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import numpy as np
import pytest

import karat
from karat.report.traces import trace_table
from karat.tracing import search
from karat.tracing.chance import expected_together
from karat.tracing.figures import parse_figure

GOLDEN = Path(__file__).parents[2] / "golden" / "trace"
AMR = {"system": GOLDEN / "amrdup.sys.amr", "gold": GOLDEN / "amrdup.gold.amr"}
SUMMARIES = {"system": GOLDEN / "summ.sys.jsonl", "gold": GOLDEN / "summ.ref.jsonl"}


def f_of(setting: str) -> float:
    return float(karat.evaluate(setting, **AMR).scores()["f"])  # type: ignore[arg-type]


def test_the_range_of_climbing_is_that_of_twenty_seeds() -> None:
    """From the least that a seed gives to the optimum, and how many give the very figure."""
    seen = [f_of(f"smatch(solver='climb', restarts=0, climb_seed={seed})") for seed in range(20)]
    common = sorted(seen)[3]
    assert common < f_of("smatch")
    trace = karat.trace(f"Smatch {100 * common:.2f}", **AMR, slips=False)
    (found,) = [each for each in trace.ranges if each.score == "f"]
    assert (found.low, found.high) == pytest.approx((min(seen), f_of("smatch")))
    assert found.seeds == 20
    assert found.seeds_equal == sum(f"{each:.4f}" == f"{common:.4f}" for each in seen) > 1
    assert trace.verdict == "range"
    # With four restarts, all seeds reach the optimum of these graphs.
    assert {each.setting for each in trace.ranges} == {"smatch(solver='climb', restarts=0)"}


def test_the_range_of_a_bootstrap_is_that_of_a_median_of_means() -> None:
    """Four standard errors of the median of a thousand means of resampled items."""
    scorer = pytest.importorskip("rouge_score.rouge_scorer").RougeScorer(["rouge2"], True)
    golds, systems = (
        [json.loads(line)["text"] for line in SUMMARIES[side].read_text().splitlines()]
        for side in ("gold", "system")
    )
    scores = [
        scorer.score("\n".join(gold), "\n".join(system))["rouge2"].fmeasure
        for gold, system in zip(golds, systems, strict=True)
    ]
    trace = karat.trace(f"ROUGE-2 {100 * mean(scores):.4f} F1", **SUMMARIES, slips=False)
    (found,) = [each for each in trace.ranges if each.setting == "rouge(profile='google')"]
    reach = 4 * (np.pi / 2) ** 0.5 * stdev(scores) / len(scores) ** 0.5 / 1000**0.5
    assert found.low == pytest.approx(mean(scores) - reach, abs=1e-6)
    assert found.high == pytest.approx(mean(scores) + reach, abs=1e-6)
    assert (found.seeds, found.seeds_equal) == (0, 0)


WORDS = {"system": ["a b c x y", "a b c d"], "gold": ["a b c z w", "a b c d"]}


def test_the_nearest_five_classes() -> None:
    """Distances grow, in units of the last digit; each is that of another value."""
    trace = karat.trace("BLEU 12.34", **WORDS, slips=False)
    assert not trace.hits
    assert len(trace.nearest) == 5
    distances = [each.distance for each in trace.nearest]
    assert distances == sorted(distances)
    values = [each.value for each in trace.nearest]
    assert len({round(value, 9) for value in values}) == 5  # type: ignore[arg-type]
    assert distances == pytest.approx([abs(100 * v - 12.34) / 0.01 for v in values])  # type: ignore[operator]
    for near in trace.nearest:
        shown = karat.evaluate(near.setting, **WORDS).scores()
        value: Any = shown
        for part in str(near.score).split("."):
            value = value[part]
        assert value / 100 == pytest.approx(near.value)


def reachable(figure: str, setting: str, data: dict[str, Any]) -> list[str]:
    trace = karat.trace(figure, **data, slips=False)
    return next(each.reachable for each in trace.nearest if each.setting == setting)


def unigrams(correct: int, system: int, gold: int) -> dict[str, list[str]]:
    common = " ".join(f"w{i}" for i in range(correct))
    return {
        "system": [common + " s" * (system - correct)],
        "gold": [common + " g" * (gold - correct)],
    }


def test_parts_that_were_rounded_before_f() -> None:
    """29 of 45 and of 66 words are 64.4 % and 43.9 %, of which F is 52.2 %, not 52.3 %."""
    p, r = 29 / 45, 29 / 66
    assert round(200 * p * r / (p + r), 1) == 52.3
    assert round(2 * 64.4 * 43.9 / (64.4 + 43.9), 1) == 52.2
    for figure, rounded in (("ROUGE-1 52.2", True), ("ROUGE-1 52.1", False)):
        trace = karat.trace(figure, **unigrams(29, 45, 66), slips=False)
        near = min(trace.nearest, key=lambda each: abs(each.value - 58 / 111))
        assert ("P and R rounded before F" in near.reachable) == rounded


def test_one_changed_item() -> None:
    """An item more or less right moves the share of exact matches by 1/8."""
    data = {"system": list("abcdefgx"), "gold": list("abcdefgh")}
    assert reachable("exact 75.0", "exact", data) == ["one changed item"]
    assert reachable("exact 74.9", "exact", data) == []


def test_a_random_setting_that_leads_there() -> None:
    """Between two seeds of climbing lies a figure that none of twenty gives."""
    seen = {round(100 * f_of(f"smatch(solver='climb', restarts=0, climb_seed={seed})"), 3)
            for seed in range(20)}  # fmt: skip
    figure = f"{max(seen) - 0.001:.3f}"
    assert float(figure) not in seen
    found = karat.trace(f"Smatch {figure}", **AMR, slips=False)
    assert found.verdict == "range"
    assert {each.seeds_equal for each in found.ranges} == {0}
    near = next(each for each in found.nearest if each.setting == "smatch")
    assert "a random setting" in near.reachable


def test_settings_of_equal_values_are_one_hit() -> None:
    """Where all orders match, smoothing changes nothing."""
    value = karat.evaluate("bleu", **WORDS).scores()["bleu"]
    found = karat.trace(f"BLEU {value:.6f}", **WORDS, slips=False)
    (hit,) = found.hits
    assert hit.label == "bleu :: bleu"
    floor = "smooth_method='floor', smooth_value=0.1"
    smoothed = {f"bleu({each}) :: bleu" for each in ("smooth_method='none'", floor)}
    assert smoothed <= set(hit.same)
    assert found.classes < found.settings
    assert found.chance >= hit.chance


def test_too_many_hits_are_counted_and_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    every = karat.trace("ROUGE-1 67", **WORDS)
    assert len(every.hits) == 3
    assert every.warnings == []
    monkeypatch.setattr(search, "_MOST_HITS", 2)
    few = karat.trace("ROUGE-1 67", **WORDS)
    assert few.hits == every.hits[:2]
    assert few.warnings == ["3 classes hit, and the first 2 are listed"]


def test_joint_chance_of_lines_of_values() -> None:
    """The second figure follows from the first, and values lie 0.0001 apart.

    Both windows hold a value in 1/8 of the shifts of ±0.004 where it is 0.0035 from the figure at
    most, falling to none at 0.0045: the integral of the square over 0.0001.
    """
    windows = [parse_figure(text).windows[0] for text in ("BLEU 50.0", "chrF 60.0")]
    first = 0.4 + np.arange(2000) * 0.0001
    none = np.zeros(2000, bool)
    joint = expected_together(np.stack([first, first + 0.1], axis=1), windows, none, 0)
    assert joint == pytest.approx((2 * 0.0035 + 2 * 0.001 / 3) / 64 / 0.0001, rel=0.2)
    # What hits is no accident, and equal vectors are one.
    assert expected_together(np.array([[0.5, 0.6]]), windows, np.array([True]), 0) == 0.0
    doubled = np.repeat(first, 2)
    again = np.stack([doubled, doubled + 0.1], axis=1)
    assert expected_together(again, windows, np.zeros(4000, bool), 0) == joint


def notes(figure: str, data: dict[str, Any], **options: Any) -> str:
    shown = trace_table(karat.trace(figure, **data, **options))
    return "\n".join(getattr(each, "text", getattr(each, "title", "")) for each in shown)


def test_notes_say_what_a_table_holds() -> None:
    value = karat.evaluate("bleu", **WORDS).scores()["bleu"]
    found = notes(f"BLEU {value:.4f}", WORDS, slips=False)
    assert found.startswith("identified: bleu :: bleu\n")
    assert "from 11 passes over 2 items; " in found
    few_digits = notes("BLEU 56", {"system": GOLDEN / "mt.sys.txt", "gold": GOLDEN / "mt.ref.txt"})
    assert "no more than chance alone would give" in few_digits
    assert "\nno better than chance\n" in few_digits
    assert " more that chance would give as well\n" in few_digits
    assert "values with slips; " in few_digits
    nothing = notes("BLEU 12.3456", WORDS, slips=False)
    assert "none rounds to BLEU 12.3456; these files" in nothing
    assert "\nnearest\n" in nothing
