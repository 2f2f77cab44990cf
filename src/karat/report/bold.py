"""Texts as a terminal shows them: in bold, or letters in place of long names."""

from __future__ import annotations

from collections.abc import Iterable
from string import ascii_uppercase


class Bold(str):
    """A text that a terminal shows in bold."""

    __slots__ = ()


def letters_for(names: Iterable[str]) -> tuple[dict[str, str], list[str]]:
    """Letters that stand for names where these are too long, and a line for each that says so.

    >>> letters_for(["model-7b", "model-70b"])
    ({'model-7b': 'A', 'model-70b': 'B'}, ['A  model-7b', 'B  model-70b'])
    """
    signs = (*ascii_uppercase, *(a + b for a in ascii_uppercase for b in ascii_uppercase))
    found = dict(zip(dict.fromkeys(names), signs, strict=False))
    return found, [f"{sign}  {name}" for name, sign in found.items()]
