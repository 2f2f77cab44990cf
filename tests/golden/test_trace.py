"""Figures of other tools, traced back to the settings that give them."""

from __future__ import annotations

import json
import shlex
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import karat
from karat.core.scores import leaves

FOLDER = Path(__file__).parent / "trace"
RECORDED = json.loads((FOLDER / "trace.json").read_text(encoding="utf-8"))
FIGURES = {each["id"]: each for each in RECORDED["figures"]}
CLOSED = {
    "g07": "bleu(tokenize='wordpunct', smooth_method='nltk-0')",
    "g11": "rouge(profile='rouge', compute_rouge_l=True)",
}
"""Gaps at the time of recording that options fill now."""


def of(name: str) -> list[str]:
    return [key for key, each in FIGURES.items() if each["expect"] == name]


@cache
def traced(figure: str, digits: str, slips: bool = True) -> karat.Trace:
    recorded = FIGURES[figure]
    return karat.trace(
        f"{recorded['name']} {recorded['percent'][digits]}",
        system=FOLDER / recorded["system"],
        gold=[FOLDER / each for each in recorded["gold"]],
        unit="percent",
        slips=slips,
    )


def place(found: karat.Trace, recorded: dict[str, Any]) -> int | None:
    """Where the recorded class is among the hits, from 0; printed values have four digits."""
    near = 6e-5 if round(recorded["value"], 4) == recorded["value"] else 1e-8
    values = [each.value for each in found.hits]
    return next((i for i, v in enumerate(values) if abs(v - recorded["value"]) < near), None)


@pytest.mark.parametrize("figure", [*of("found"), *CLOSED])
@pytest.mark.parametrize("digits", ["2", "3", "4"])
def test_the_setting_is_among_the_hits(figure: str, digits: str) -> None:
    assert place(traced(figure, digits), FIGURES[figure]) is not None


def test_with_four_digits_it_is_the_first_hit() -> None:
    places = [place(traced(figure, "4"), FIGURES[figure]) for figure in [*of("found"), *CLOSED]]
    assert places.count(0) >= 0.85 * len(places)
    assert sum(each in (0, 1, 2) for each in places) >= 0.95 * len(places)


@pytest.mark.parametrize("figure", of("range"))
def test_a_random_figure_lies_in_a_range_and_is_not_identified(figure: str) -> None:
    found = traced(figure, "4")
    assert found.verdict == "range"
    assert any(each.low <= FIGURES[figure]["value"] <= each.high for each in found.ranges)


def test_every_gap_of_the_recording_is_closed() -> None:
    assert set(of("none")) == set(CLOSED)


@pytest.mark.parametrize("corrupted", RECORDED["corrupted"], ids=lambda each: each["name"])
def test_what_no_setting_gives_is_never_identified(corrupted: dict[str, Any]) -> None:
    for slips in (False, True):
        found = karat.trace(
            f"{corrupted['name']} {corrupted['percent']}",
            system=FOLDER / corrupted["system"],
            gold=[FOLDER / each for each in corrupted["gold"]],
            slips=slips,
        )
        assert found.verdict != "identified"
        assert slips or not found.hits
    named = corrupted["nearest_named"]
    off = abs(100 * named["value"] - float(corrupted["percent"])) / 0.01
    assert found.nearest[0].distance <= off + 0.01
    for near in found.nearest:
        apart = abs(100 * near.value - float(corrupted["percent"])) / 0.01
        assert near.distance == pytest.approx(apart, abs=1e-6)


def test_three_figures_of_one_setting() -> None:
    """One setting has to explain all, and further figures narrow it down."""
    files = {"system": FOLDER / "summ.sys.jsonl", "gold": FOLDER / "summ.ref.jsonl"}
    run = karat.evaluate("rouge(profile='google', compute_rouge_l=True)", **files).scores()
    names = {"ROUGE-1": "rouge1", "ROUGE-2": "rouge2", "ROUGE-L": "rougeL"}
    texts = [f"{name} {100 * run[score]['fmeasure']:.1f}" for name, score in names.items()]
    found = karat.trace(texts, **files)
    first = found.hits[0]
    assert first.setting == "rouge(profile='google', compute_rouge_l=True)"
    assert first.score == ["rouge1.fmeasure", "rouge2.fmeasure", "rougeL.fmeasure"]
    assert found.verdict in ("identified", "likely")
    assert first.chance < 0.05
    assert len(found.hits) < len(karat.trace(texts[0], **files).hits)
    # Two settings that give a figure each are not one that gives both.
    pair = {"system": ["a b c x e f g"], "gold": ["a b c y e f g"]}
    values = [
        karat.evaluate(f"bleu(smooth_method='{method}')", **pair).scores()["bleu"]
        for method in ("exp", "floor")
    ]
    figures = [f"BLEU {value:.5f}" for value in values]
    assert all(karat.trace(each, **pair, slips=False).hits for each in figures)
    assert not karat.trace(figures, **pair, slips=False).hits


@pytest.mark.parametrize("figure", [*of("found"), *CLOSED])
def test_the_command_of_every_hit_prints_the_figure(
    figure: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also those with slips that options can repeat, and means of items."""
    from karat.cli import _run

    checked = 0
    for hit in traced(figure, "4").hits[:10]:
        if hit.run is None:
            assert hit.slip not in (None, "swapped", "last-lost"), hit.label
            continue
        assert _run([*shlex.split(hit.run)[1:], "-q"]) == 0
        document = json.loads(capsys.readouterr().out)
        printed = {
            ".".join(path): value for path, value in leaves({**document["scores"], **document})
        }
        value = printed[str(hit.score)]
        assert hit.value == pytest.approx(value, abs=1e-9) or hit.value == pytest.approx(
            value / 100, abs=1e-9
        ), hit.run
        checked += 1
    assert checked
