"""A metric as a reward for training loops: a list of outputs and golds becomes a list of floats."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Sized
from functools import lru_cache
from math import isfinite, nan
from typing import Any

import numpy as np

from karat.arguments import checks_arguments
from karat.core.marks import Array
from karat.core.metric import Metric
from karat.core.reading.doors import Role, agreed, native_value, shown
from karat.core.registry import parse
from karat.core.scoring import values_of
from karat.errors import KaratError, OptionError, PairingError, counted

_GOLDS = 4096
"""How many parsed golds are kept: the prompts of a training loop come again and again."""
_LONG = 1 << 14
"""The length of golds that are not kept, so that they cannot fill the memory."""


class Rewards(list[float]):
    """The rewards of a batch, and why some of them are the floor."""

    def __init__(self, values: Iterable[float], reasons: Mapping[int, str]) -> None:
        super().__init__(values)
        self.reasons = dict(reasons)
        """Why outputs could not be scored, by their place in the batch."""


@checks_arguments
def reward(
    metric: Metric[Any, Any] | str,
    *,
    score: str | None = None,
    floor: float | None = None,
    **options: Any,
) -> Reward:
    """A function from outputs and golds to rewards, for loops that train models.

    >>> import karat
    >>> karat.reward("exact")(["a dog", None], ["a dog", "a cat"])
    [1.0, 0.0]

    A reward is the item's score as `evaluate` gives it: the headline, or the `score` that is
    named. An output that cannot be read or scored gets `floor` (the worst end of the score's
    range unless it is given), and `.reasons` of the returned list says why. Only what is no list,
    and lists of different lengths, are errors. Further options are those of the metric: for graphs,
    ``budget`` limits the time that one item may take.
    """
    found = parse(metric)
    if options and not isinstance(metric, str):
        raise OptionError(
            f"``{next(iter(options))}`` is an option of measuring, and {metric!r} is a metric "
            "that has its options",
            code="K301",
        )
    if options:
        found = type(found)(**{**found.options, **options})
    return Reward(found, score, floor)


class Reward:
    """A metric as a reward; may be called from several threads."""

    def __init__(self, metric: Metric[Any, Any], score: str | None, floor: float | None) -> None:
        self.metric = metric
        self._path = metric.about.path_of(score)
        self.score = ".".join(self._path)
        """The name of the score."""
        self.lower_is_better = self.score in metric.about.lower_is_better
        """Whether the score is a cost: a loop that maximises then wants it negated."""
        try:
            self.floor = self._worst() if floor is None else float(floor)
        except (TypeError, ValueError):
            self.floor = nan
        if not isfinite(self.floor):
            raise OptionError(f"the floor is {floor!r}, expected a finite number", code="K302")
        self.signature = metric.signature()
        self.__name__ = f"karat_{metric.name.replace('-', '_')}"  # which trainers log
        self._gold = lru_cache(_GOLDS)(self._parsed_gold)

    def _worst(self) -> float:
        mark = self.metric.about.marks[self._path]
        low, high = mark.range
        if self.lower_is_better:
            return high if isfinite(high) else mark.scale
        return low if isfinite(low) else 0.0

    def __repr__(self) -> str:
        return f"karat.reward({self.metric!r}, score={self.score!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return Reward, (self.metric, self.score, self.floor)

    def __call__(self, outputs: Sequence[Any], golds: Sequence[Any], /) -> Rewards:
        """The reward of each output against its gold."""
        for given in (outputs, golds):
            if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Sized):
                raise OptionError(
                    f"a reward takes a list of outputs and a list of golds, got {shown(given)}",
                    code="K317",
                )
        if len(outputs) != len(golds):
            raise PairingError(
                f"{counted(len(outputs), 'output')}, but {counted(len(golds), 'gold item')}",
                code="K202",
            )
        reasons: dict[int, str] = {}
        pairs: list[tuple[Any, Any]] = []
        places: list[int] = []
        for place, (output, gold) in enumerate(zip(outputs, golds, strict=True)):
            try:
                pairs.append((self._native(output, "system"), self._native(gold, "gold")))
                places.append(place)
            except Exception as problem:
                reasons[place] = _said(problem)
        values = np.full(len(outputs), self.floor)
        size = self.metric.chunk_size
        found = [
            value
            for first in range(0, len(pairs), size)
            for value in self._scores(pairs[first : first + size])
        ]
        for place, value in zip(places, found, strict=True):
            if isinstance(value, str):
                reasons[place] = value
            else:
                values[place] = value
        return Rewards(values.tolist(), dict(sorted(reasons.items())))

    def _native(self, value: Any, role: Role) -> Any:
        if role == "system":
            return native_value(self.metric, value, role)
        if type(value) is str and len(value) < _LONG:
            return self._gold(value)
        return self._parsed_gold(value)

    def _parsed_gold(self, value: Any) -> Any:
        return native_value(self.metric, value, "gold")

    def _scores(self, pairs: list[tuple[Any, Any]]) -> list[float | str]:
        """The score of each pair, or why there is none; a batch that fails is halved."""
        try:
            found = self._measured(pairs)
        except Exception as problem:
            if len(pairs) == 1:
                return [_said(problem)]
            half = len(pairs) // 2
            return self._scores(pairs[:half]) + self._scores(pairs[half:])
        return [value if isfinite(value) else "its score is undefined" for value in found.tolist()]

    def _measured(self, pairs: list[tuple[Any, Any]]) -> Array:
        rows = self.metric.measure_many(agreed(self.metric, pairs))
        return values_of(self.metric, self._path, rows)


def _said(problem: Exception) -> str:
    if isinstance(problem, KaratError):
        return problem.message
    return f"{type(problem).__name__}: {problem}"
