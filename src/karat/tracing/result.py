"""What a trace found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from karat.errors import counted
from karat.tracing.figures import Figure
from karat.version import VERSION

Verdict: TypeAlias = Literal["identified", "likely", "ambiguous", "range", "unidentified"]
Value: TypeAlias = float | list[float]
"""One value, or one for each figure."""


class _Listed:
    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return dict(vars(self))


@dataclass(frozen=True)
class Hit(_Listed):
    """A class of settings with equal values that give the figure, named by the most usual one."""

    setting: str
    """The metric with its options, for ``karat evaluate``; several with ``+`` between them where no
    single one has all scores."""
    score: str | list[str]
    """Where the JSON of that has the figure: among the scores, else from the top (``macro.f``)."""
    aggregation: str
    value: Value
    departures: int
    slip: str | None
    rounding: str
    chance: float
    """How many accidental hits are to be expected among classes of as many departures or fewer."""
    same: list[str]
    preset: str
    command: str | None = None
    """How the tool of the preset is called for it, where that is known."""
    unit: str = "percent"
    reading: dict[str, Any] = field(default_factory=dict)
    """Options of the file format, where it needs such."""
    run: str | None = None
    """The command of karat that prints the figure; None where a slip changes the files."""

    @property
    def label(self) -> str:
        """The setting in one line: slip, metric, score."""
        scores = self.score if isinstance(self.score, str) else ", ".join(self.score)
        return f"{self.slip + ' ' if self.slip else ''}{self.setting} :: {scores}"

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {k: v for k, v in vars(self).items() if k != "reading" or v}


@dataclass(frozen=True)
class Range(_Listed):
    """A random setting in whose range the figure lies."""

    setting: str
    score: str | list[str]
    low: Value
    high: Value
    seeds: int
    seeds_equal: int
    departures: int


@dataclass(frozen=True)
class Near(_Listed):
    """A class of settings whose values are near to the figure."""

    setting: str
    score: str | list[str]
    slip: str | None
    value: Value
    distance: float
    """In units of the last digit."""
    departures: int
    reachable: list[str]
    """What would lead from this value to the figure: rounded parts, one item, random numbers."""


@dataclass(frozen=True, repr=False)
class Trace:
    """Which settings give published figures."""

    figures: Sequence[Figure]
    verdict: Verdict
    hits: list[Hit]
    ranges: list[Range]
    nearest: list[Near]
    settings: int
    classes: int
    passes: int
    items: int
    slips: int
    """How many candidates there are with slips, besides the settings."""
    chance: float
    """How many accidental hits are to be expected among all of them."""
    warnings: list[str]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "karat": VERSION,
            **vars(self),
            "figures": [_figure(each) for each in self.figures],
            "hits": [each.to_dict() for each in self.hits],
            "ranges": [each.to_dict() for each in self.ranges],
            "nearest": [each.to_dict() for each in self.nearest],
        }

    def __repr__(self) -> str:
        return f"<Trace of {', '.join(each.text for each in self.figures)}: {self.conclusion()}>"

    def conclusion(self) -> str:
        """The verdict in a sentence."""
        texts = ", ".join(each.text for each in self.figures)
        if self.verdict == "identified":
            return f"identified: {self.hits[0].label}"
        if self.verdict == "likely":
            return f"likely: {self.hits[0].label}; {self.hits[0].chance:.2g} hits by chance"
        if self.verdict == "ambiguous":
            return f"ambiguous: {_classes(len(self.hits))} of settings give {texts}"
        if self.verdict == "range":
            random = self.ranges[0].setting
            if self.hits:
                return (
                    f"range: a random setting such as {random} may give {texts}; that "
                    f"{_classes(len(self.hits))} of other settings give it is no more than chance"
                )
            return f"range: only a random setting gives {texts}, such as {random}"
        if self.hits:
            return (
                f"not identified: {texts} is given by {_classes(len(self.hits))} of settings, "
                "no more than chance alone would give; more digits or further figures are needed"
            )
        return (
            f"not identified: {counted(self.settings, 'setting')} in "
            f"{counted(self.classes, 'class', 'classes')}, none rounds to {texts}; "
            "these files, or a tool that karat does not have"
        )


def _classes(number: int) -> str:
    return counted(number, "class", "classes")


def _figure(figure: Figure) -> dict[str, Any]:
    first = figure.windows[0]
    return {
        "text": figure.text,
        "name": figure.name,
        "value": figure.number,
        "digits": figure.digits,
        "unit": "percent" if first.percent else "fraction",
        "window": list(first.nearest),
    }
