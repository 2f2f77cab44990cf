"""Published figures: name, number, digits as printed, and the windows that they leave."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, TypeAlias

from karat.core.tracing import Part, plain_name
from karat.errors import OptionError

Unit: TypeAlias = Literal["auto", "percent", "fraction"]
Rounding: TypeAlias = Literal["nearest", "truncate", "both"]
TINY = 1e-9
"""Values closer than that are equal."""

_MOST_DIGITS = 30
"""More decimals than that are more than any number has."""
_FIGURE = re.compile(
    r"(?P<name>.*?)(?:^|[\s:=])\s*(?P<number>-?(?:\d+(?:\.\d*)?|\.\d+))\s*(?P<percent>%?)"
    r"\s*(?P<part>[A-Za-z0-9-]*)"
)
_PARTS: dict[str, Part] = {
    "p": "p", "precision": "p", "prec": "p",
    "r": "r", "recall": "r", "rec": "r",
    "f": "f", "f1": "f", "fmeasure": "f", "fscore": "f",
}  # fmt: skip


class Window(NamedTuple):
    """The values that are printed as a figure, as fractions unless the unit is plain."""

    percent: bool
    value: float
    unit: float
    """One unit of the last digit."""

    @property
    def reach(self) -> float:
        """How far around it values tell how dense they are, by any rounding; see `chance`."""
        return max(0.02, 2.4 * self.unit) + self.unit / 4

    @property
    def nearest(self) -> tuple[float, float]:
        """The values that round to it, ties either way."""
        return self.value - self.unit / 2 - TINY, self.value + self.unit / 2 + TINY

    @property
    def further(self) -> tuple[float, float]:
        """The values that give it by another way: further digits cut off, or rounded twice."""
        return self.value - 0.55 * self.unit - TINY, self.value + self.unit - TINY

    @property
    def truncated(self) -> tuple[float, float]:
        """The values that it is left of when further digits are cut off."""
        return self.value - TINY, self.value + self.unit - TINY


class Figure(NamedTuple):
    """A figure as somebody printed it."""

    text: str
    name: str
    """As written; empty where there is none."""
    plain: str
    part: Part
    """Empty where it does not say whether it is F, recall or precision."""
    number: float
    digits: int
    windows: tuple[Window, ...]
    """In percent and as fractions, the likelier unit first."""
    plain_window: Window
    """For distances, which have no percent."""

    def windows_of(self, percent: bool) -> tuple[Window, ...]:
        """The windows for a setting that may be printed as a percentage, or may not."""
        return self.windows if percent else (self.plain_window,)


def parse_figure(text: str, unit: Unit = "auto") -> Figure:
    """A figure such as ``ROUGE-L 38.4``, ``Smatch 83.0 F``, ``0.273`` or ``LAS F1 87.12``.

    >>> figure = parse_figure("ROUGE-L 38.40 F1")
    >>> figure.plain, figure.part, figure.digits
    ('rougel', 'f', 2)
    """
    found = _FIGURE.fullmatch(text.strip())
    part = _part(found["part"]) if found else None
    if found is None or part is None:
        raise OptionError(
            f"{text!r} is not a figure",
            code="K328",
            advice="write a name and a number with all its digits, such as 'BLEU 39.61', "
            "'ROUGE-L 38.4 F1' or 0.273",
        )
    words = re.split(r"[\s_-]+", found["name"].strip())
    named = ""
    if len(words) > 1 and not part and words[-1].lower() in _PARTS:
        part = _PARTS[words.pop().lower()]
        named = " ".join(words)
    name = found["name"].strip()
    number = found["number"]
    digits = len(number.partition(".")[2])
    value, last = float(number), 10.0 ** -min(digits, _MOST_DIGITS)
    as_percent, as_fraction = (
        Window(True, value / 100, last / 100),
        Window(False, value, last),
    )
    windows: tuple[Window, ...] = (as_percent,)
    if unit == "fraction":
        windows = (as_fraction,)
    elif unit == "auto" and not found["percent"] and abs(value) <= 1:
        windows = (as_fraction, as_percent)
    return Figure(text, name, plain_name(named or name), part, value, digits, windows, as_fraction)


def figure_or_name(text: str) -> Figure:
    """A figure, or one that only has a name."""
    try:
        return parse_figure(text)
    except OptionError:
        return parse_figure(f"{text} 0")


def _part(word: str) -> Part | None:
    if not word:
        return ""
    return _PARTS.get(plain_name(word))
