"""Figures as people print them."""

from __future__ import annotations

from typing import Any

import pytest

import karat
from karat.errors import OptionError
from karat.tracing.figures import parse_figure, parse_figures


@pytest.mark.parametrize(
    ("text", "plain", "part", "digits", "percent"),
    [
        ("BLEU 39.61", "bleu", "", 2, [True]),
        ("Smatch 83.0", "smatch", "", 1, [True]),
        ("0.273", "", "", 3, [False, True]),
        ("LAS F1 87.12", "las", "f", 2, [True]),
        ("ROUGE-L 38.4", "rougel", "", 1, [True]),
        ("R-L recall: 38.4%", "rl", "r", 1, [True]),
        ("rouge_1_precision = .5", "rouge1", "p", 1, [False, True]),
        ("ROUGE-W-1.2 38.4 F-score", "rougew1.2", "f", 1, [True]),
        ("chrF++ score 61", "chrf++", "", 0, [True]),
        ("BLEU4 0.5%", "bleu4", "", 1, [True]),
        ("F1 83", "f1", "f", 0, [True]),
        ("ROUGE-L (F1) 38.4", "rougel", "f", 1, [True]),
    ],
)
def test_figures(text: str, plain: str, part: str, digits: int, percent: list[bool]) -> None:
    figure = parse_figure(text)
    assert (figure.plain, figure.part, figure.digits) == (plain, part, digits)
    assert [window.percent for window in figure.windows] == percent


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("R-1/R-2/R-L 38.4/16.2/35.1", [("r1", "", 38.4), ("r2", "", 16.2), ("rl", "", 35.1)]),
        ("ROUGE 1/L: 38.4 / 35 F1", [("rouge1", "f", 38.4), ("rougel", "f", 35)]),
        ("Smatch P/R/F1 = 8%/7%/9%", [("smatch", "p", 8), ("smatch", "r", 7), ("smatch", "f", 9)]),
        ("UAS/LAS 90.12/88.3", [("uas", "", 90.12), ("las", "", 88.3)]),
        ("UAS F1/LAS F1 90/88", [("uas", "f", 90), ("las", "f", 88)]),
        ("BLEU 39.61", [("bleu", "", 39.61)]),
    ],
)
def test_several_figures_in_a_row(text: str, found: list[tuple[str, str, float]]) -> None:
    assert [(each.plain, each.part, each.number) for each in parse_figures(text)] == found


def test_a_number_without_a_name_of_its_own() -> None:
    with pytest.raises(OptionError, match="3 numbers and 1 name") as caught:
        parse_figures("ROUGE 38.4/16.2/35.1")
    assert caught.value.code == "K328"


@pytest.mark.parametrize("text", ["", "BLEU", "BLEU 39,61", "39.61 BLEU points", "BLEU 1 2 3 x"])
def test_what_is_no_figure(text: str) -> None:
    with pytest.raises(OptionError) as caught:
        parse_figure(text)
    assert caught.value.code == "K328"


def test_windows_hold_what_rounds_to_the_figure() -> None:
    """Ties go either way; cutting off reaches a whole unit up, rounding twice a little down."""
    (window,) = parse_figure("BLEU 39.61").windows
    low, high = window.nearest
    assert low <= 0.39605 <= high
    assert low <= 0.39615 <= high
    assert not low <= 0.39616 <= high
    assert window.truncated[0] <= 0.39619 < window.truncated[1] <= 0.3962
    assert window.further[0] <= 0.396046 < low


def test_the_unit_can_be_told() -> None:
    assert [w.percent for w in parse_figure("0.5", "percent").windows] == [True]
    assert [w.value for w in parse_figure("TER 104", "fraction").windows] == [104.0]


@pytest.mark.parametrize("options", [{"unit": "percents"}, {"rounding": "down"}])
def test_other_units_and_roundings_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match="K302"):
        karat.trace("BLEU 50", system=["a"], gold=["a"], **options)


def test_any_number_of_digits() -> None:
    """A window that is narrower than floats can tell is one that holds its figure."""
    for digits in (17, 40, 400):
        (window,) = parse_figure("BLEU 5." + "3" * digits).windows
        low, high = window.nearest
        assert low < 16 / 300 < high
        assert window.unit > 0
