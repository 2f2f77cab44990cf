"""Texts that a terminal shows in bold."""

from __future__ import annotations


class Bold(str):
    """A text that a terminal shows in bold."""

    __slots__ = ()
