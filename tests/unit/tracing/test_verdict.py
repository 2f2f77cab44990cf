"""Verdicts from hits and ranges, as the specification words them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from karat.tracing.chance import expected, expected_together
from karat.tracing.figures import parse_figure
from karat.tracing.matching import Span
from karat.tracing.result import Hit
from karat.tracing.search import verdict


def hit(departures: int, chance: float) -> Hit:
    return Hit("bleu", "bleu", "corpus", 0.5, departures, None, "nearest", chance, [], "sacreBLEU")


def span(departures: int) -> Span:
    return Span((), (0.4,), (0.6,), [], departures)


@pytest.mark.parametrize(
    ("hits", "ranges", "found"),
    [
        ([], [], "unidentified"),
        ([(0, 0.01)], [], "identified"),
        ([(0, 0.01), (2, 0.4)], [], "identified"),
        ([(0, 0.2), (2, 3.0)], [], "likely"),
        ([(1, 0.01), (1, 0.01)], [], "ambiguous"),
        ([(2, 0.9), (3, 4.0)], [], "unidentified"),
        ([], [0], "range"),
        ([(2, 0.02)], [0], "range"),
        ([(0, 0.02)], [0], "likely"),
        ([(0, 0.02)], [1], "identified"),
        ([(0, 0.9)], [0], "range"),
    ],
)
def test_verdicts(hits: list[tuple[int, float]], ranges: list[int], found: str) -> None:
    assert verdict([hit(*each) for each in hits], [span(each) for each in ranges]) == found


def test_a_slip_is_likely_at_most() -> None:
    swapped = replace(hit(2, 0.001), slip="swapped")
    assert verdict([swapped], []) == "likely"


def test_chance_is_that_of_evenly_spread_values() -> None:
    """Values a thousandth apart: a window of a hundredth of a percent holds a tenth of one."""
    (window,) = parse_figure("BLEU 50.00").windows
    values = 0.3 + np.arange(400) * 0.001 + 0.0005
    nothing = np.empty(0)
    assert expected(values, window, "nearest", nothing) == pytest.approx(0.1, rel=0.05)
    doubled = np.concatenate([values, values + 1e-12])
    assert expected(doubled, window, "nearest", nothing) == pytest.approx(0.1, rel=0.05)
    assert expected(values, window, "both", values) == pytest.approx(0.155, rel=0.05)


def test_joint_chance_of_figures_that_move_together() -> None:
    """As many joint accidents as single ones where the second figure follows from the first."""
    windows = [parse_figure(text).windows[0] for text in ("BLEU 50.0", "chrF 60.0")]
    first = 0.4 + np.arange(2000) * 0.0001
    together = np.stack([first, first + 0.1], axis=1)
    none = np.zeros(2000, bool)
    independent = np.stack([first, np.random.default_rng(0).permutation(first) + 0.1], axis=1)
    joint = expected_together(together, windows, none, 0)
    assert joint > 5 * expected_together(independent, windows, none, 0)
    assert joint == expected_together(together, windows, none, 0)
