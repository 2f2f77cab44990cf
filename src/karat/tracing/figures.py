"""Published figures: name, number, digits as printed, and the windows that they leave."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, TypeAlias

from karat.core.tracing import Part, plain_name
from karat.errors import OptionError, counted

Unit: TypeAlias = Literal["auto", "percent", "fraction"]
Rounding: TypeAlias = Literal["nearest", "truncate", "both"]
TINY = 1e-9
"""Values closer than that are equal."""

_MOST_DIGITS = 30
"""More decimals than that are more than any number has."""
_NUMBER = r"-?(?:\d+(?:\.\d*)?|\.\d+)"
_FIGURE = re.compile(
    rf"(?P<name>.*?)(?:^|[\s:=])\s*(?P<number>{_NUMBER})\s*(?P<percent>%?)\s*(?P<part>[A-Za-z0-9-]*)"
)
_SEVERAL = re.compile(
    rf"(?P<names>.*?)[\s:=]\s*(?P<numbers>{_NUMBER}\s*%?(?:\s*/\s*{_NUMBER}\s*%?)+)"
    r"\s*(?P<rest>[A-Za-z0-9-]*)"
)
_LONGEST_ENDING = 4
"""What follows a slash and is no longer than that begins like the name before the first slash."""
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


def parse_figures(text: str, unit: Unit = "auto") -> list[Figure]:
    """A figure, or several in a row with slashes between their names, and between their numbers.

    >>> [figure.text for figure in parse_figures("ROUGE-1/2/L 38.4/16.2/35.1")]
    ['ROUGE-1 38.4', 'ROUGE-2 16.2', 'ROUGE-L 35.1']
    """
    found = _SEVERAL.fullmatch(text.strip())
    if found is None:
        return [parse_figure(text, unit)]
    names = [each.strip() for each in found["names"].split("/")]
    numbers = [each.strip() for each in found["numbers"].split("/")]
    if len(names) != len(numbers):
        raise OptionError(
            f"{text!r} has {counted(len(numbers), 'number')} and {counted(len(names), 'name')}",
            code="K328",
            advice="write a name for each number, as in 'R-1/R-2/R-L 38.4/16.2/35.1'",
        )
    start = re.match(r".*[\s_-]", names[0])
    for i, name in enumerate(names):
        if i and start and len(name) <= _LONGEST_ENDING and name.isalnum():
            names[i] = start[0] + name
    return [
        parse_figure(f"{name} {number} {found['rest']}".strip(), unit)
        for name, number in zip(names, numbers, strict=True)
    ]


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
    name = re.sub(r"\((\w+)\)", r" \1", found["name"].strip())
    words = re.split(r"[\s_-]+", name)
    named = ""
    if not part and words[-1].lower() in _PARTS:
        part = _PARTS[words.pop().lower()]
        named = " ".join(words)
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


def figures_or_name(text: str) -> list[Figure]:
    """The figures of a text, or one that only has a name."""
    try:
        return parse_figures(text)
    except OptionError:
        return [parse_figure(f"{text} 0")]


def is_part(name: str) -> bool:
    """Whether a plain name says no more than that something is F, recall or precision."""
    return name in _PARTS


def _part(word: str) -> Part | None:
    if not word:
        return ""
    return _PARTS.get(plain_name(word))
