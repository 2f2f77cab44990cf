"""Marks that say what a score is, where it is made: headline, count, cost, percentage.

    return {"accuracy": main(ratio(hits, items)), "items": count(items)}

A score without a mark is a share: from 0 to 1, the higher the better. Marks can be combined:
``main(cost(within(distance, 0)))``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from math import inf
from typing import Any, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from karat.errors import OptionError, did_you_mean

Array: TypeAlias = npt.NDArray[np.float64]
Path: TypeAlias = tuple[str, ...]


class Mark(msgspec.Struct, frozen=True):
    """The properties of a score."""

    main: bool = False
    """It stands for all scores of the metric."""
    tiebreak: bool = False
    """It orders items whose headline is the same."""
    count: bool = False
    """A plain sum: it has no interval, no test, no average."""
    cost: bool = False
    """It is better when lower."""
    scale: float = 1.0
    """The perfect score: 1 or 100."""
    low: float = 0.0
    high: float | None = None
    """The upper end of its range; None is the scale."""

    @property
    def range(self) -> tuple[float, float]:
        return self.low, self.scale if self.high is None else self.high


class Score:
    """Values of a score, and what it is."""

    __slots__ = ("mark", "values")

    def __init__(self, values: Array, mark: Mark) -> None:
        self.values = values
        self.mark = mark

    def __float__(self) -> float:
        return float(self.values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.values, dtype) if copy else np.asarray(self.values, dtype)

    def __repr__(self) -> str:
        return f"Score({self.values!r}, {self.mark!r})"


_PLAIN = Mark()


@lru_cache(maxsize=512)
def _changed(mark: Mark, *changes: tuple[str, Any]) -> Mark:
    return msgspec.structs.replace(mark, **dict(changes))


def _marked(values: Array | Score, *changes: tuple[str, Any]) -> Score:
    if type(values) is Score:
        return Score(values.values, _changed(values.mark, *changes))
    return Score(values, _changed(_PLAIN, *changes))  # type: ignore[arg-type]


def main(values: Array | Score) -> Score:
    """The headline: the score that stands for all of the metric's."""
    return _marked(values, ("main", True))


def tiebreak(values: Array | Score) -> Score:
    """A finer score, by which items are ordered whose headline is the same."""
    return _marked(values, ("tiebreak", True))


def count(values: Array | Score) -> Score:
    """A plain sum, such as a number of items: no interval, no test, no average."""
    return _marked(values, ("count", True))


def cost(values: Array | Score) -> Score:
    """A score that is better when lower; 0 is perfect."""
    return _marked(values, ("cost", True))


def out_of(values: Array | Score, scale: float) -> Score:
    """A score whose perfect value is `scale`, such as 100 for a value that is a percentage."""
    return _marked(values, ("scale", float(scale)))


def percent(shares: Array | Score) -> Score:
    """A share shown as a percentage.

    >>> percent(np.array(0.25)).values, percent(np.array(0.25)).mark.scale
    (np.float64(25.0), 100.0)
    """
    if isinstance(shares, Score):
        return out_of(Score(100.0 * shares.values, shares.mark), 100)
    return out_of(100.0 * shares, 100)


def within(values: Array | Score, low: float = -inf, high: float = inf) -> Score:
    """A score with another range than 0 to its scale; an end left out is infinite.

    Intervals rely on it. Error rates, which can exceed 1, need no such mark.
    """
    return _marked(values, ("low", float(low)), ("high", float(high)))


def mark_at(scores: dict[str, Any], name: str, mark: Callable[[Any], Score]) -> None:
    """Marks the score with a dotted name, where options decide which one it is."""
    *outer, last = name.split(".")
    for each in outer:
        scores = scores[each]
    scores[last] = mark(scores[last])


class Description:
    """What the scores of a metric are, by their dotted names; made without any data."""

    def __init__(self, scores: Mapping[str, Any], owner: str = "the metric") -> None:
        self.marks: dict[Path, Mark] = dict(_marks(scores))
        names = {path: ".".join(path) for path in self.marks}
        found = {
            role: [names[path] for path, mark in self.marks.items() if getattr(mark, role)]
            for role in ("main", "tiebreak", "count", "cost")
        }
        for role in ("main", "tiebreak"):
            if len(found[role]) > 1:
                raise TypeError(f"{owner} marks several scores as {role}: {', '.join(found[role])}")
        proper = [name for path, name in names.items() if not self.marks[path].count]
        if not self.marks:
            raise TypeError(f"summarize of {owner} gives no score")
        self.headline: str = (found["main"] or proper or list(names.values()))[0]
        """The score that stands for all: the one marked `main`, else the first that is no count."""
        self.ranked_by: str = found["tiebreak"][0] if found["tiebreak"] else ""
        """The score that orders items whose headline is the same; may be empty."""
        self.totals = frozenset(found["count"])
        """The plain sums, which have no interval, no test and no average."""
        self.lower_is_better = frozenset(found["cost"])
        # A name may hold dots itself.
        self._scale = next(
            m.scale for path, m in self.marks.items() if names[path] == self.headline
        )

    @property
    def perfect(self) -> float:
        """The headline score of a system that gives the gold itself."""
        return 0.0 if self.headline in self.lower_is_better else self._scale

    def path_of(self, name: str | None = None) -> Path:
        """The path of a score by its name, or of the headline: see `find_path`."""
        return find_path(self.marks, self.headline if name is None else name)

    def scale_of(self, path: Path) -> float:
        """The perfect score, 1 or 100; counts have the scale of the headline."""
        mark = self.marks.get(path)
        return self._scale if mark is None or mark.count else mark.scale

    def range_of(self, path: Path) -> tuple[float, float]:
        """The range of a score; infinite where it has no bound.

        Error rates can exceed their scale: intervals take the greatest item into account.
        """
        mark = self.marks.get(path)
        return (0.0, self._scale) if mark is None else mark.range


def find_path(paths: Iterable[Path], name: str) -> Path:
    """The path that a name means, ``labeled.f`` or ``labeled_f``; an unknown one is an error."""
    known = list(paths)
    for path in known if isinstance(name, str) else ():
        if name in (".".join(path), "_".join(path)):
            return path
    raise unknown_score(name, [".".join(path) for path in known])


def unknown_score(name: str, known: Iterable[str]) -> OptionError:
    """The error for a name that no score has."""
    known = list(known)
    return OptionError(
        f"there is no score {name!r}{did_you_mean(name, known)}",
        code="K306",
        advice="scores: " + (", ".join(known) or "none"),
    )


def _marks(scores: Mapping[str, Any], prefix: Path = ()) -> Iterator[tuple[Path, Mark]]:
    for name, value in scores.items():
        if isinstance(value, Score):
            yield (*prefix, name), value.mark
        elif isinstance(value, Mapping):
            yield from _marks(value, (*prefix, name))
        else:
            yield (*prefix, name), _PLAIN
