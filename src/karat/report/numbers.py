"""How numbers are shown to people."""

from __future__ import annotations

from typing import Any


def shown(value: Any, scale: float = 1.0) -> str:
    """Four decimals of a share, two of a percentage, whole counts as they are.

    >>> shown(0.51234), shown(51.234, 100.0), shown(1234), shown(None)
    ('0.5123', '51.23', '1,234', 'undefined')
    """
    if value is None:
        return "undefined"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.2f}" if scale == 100 else f"{value:.4f}"


def shown_p(p_value: float | None) -> str:
    """A p-value with as many digits as it deserves.

    >>> shown_p(0.04321), shown_p(0.00001)
    ('0.0432', '<0.0001')
    """
    if p_value is None:
        return "undefined"
    return "<0.0001" if p_value < 0.0001 else f"{p_value:.4f}"


def counted(number: int, noun: str) -> str:
    """So many things: ``1 item``, ``1,200 items``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
