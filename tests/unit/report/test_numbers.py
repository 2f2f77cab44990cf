"""How numbers are shown."""

from __future__ import annotations

from typing import Any

import pytest

from karat.report.numbers import shown, shown_p

SHOWN = [
    (None, 1.0, "–"),
    (0.0, 1.0, "0.0000"),
    (0.12345, 1.0, "0.1235"),
    (12.345678, 100.0, "12.35"),
    (1234567, 1.0, "1,234,567"),
    (-0.5, 1.0, "-0.5000"),
    ("x", 1.0, "x"),
]


@pytest.mark.parametrize(("value", "scale", "expected"), SHOWN)
def test_numbers(value: Any, scale: float, expected: str) -> None:
    assert shown(value, scale) == expected


P_VALUES = [(None, "–"), (1.0, "1.0000"), (0.0001, "0.0001"), (0.00009, "<0.0001")]


@pytest.mark.parametrize(("value", "expected"), P_VALUES)
def test_p_values(value: float | None, expected: str) -> None:
    assert shown_p(value) == expected
