"""``--fail-under``: scores that a run must reach, for use in scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from karat.core.evaluation import Evaluation
from karat.core.scores import find_leaf, leaves
from karat.errors import OptionError


class Limits:
    """The least (or, where lower is better, the greatest) values that are good enough."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.limits: list[tuple[str, float]] = []
        for text in texts:
            name, equals, value = text.partition("=")
            try:
                self.limits.append((name, float(value)))
            except ValueError:
                equals = ""
            if not name or not equals:
                raise OptionError(
                    f"--fail-under takes SCORE=VALUE, got {text!r}",
                    code="K373",
                    advice="such as --fail-under exact_match.rate=0.9",
                )

    def failed(self, runs: Sequence[Evaluation]) -> list[str]:
        """A line for each score that is worse than its limit; an undefined one is."""
        lines = []
        for run in runs:
            scores = run.scores()
            for name, limit in self.limits:
                path = _path_of(name, scores, run.metric.totals)
                value = dict(leaves(scores))[path]
                lower = ".".join(path) in run.metric.lower_is_better
                if value is None or (value > limit if lower else value < limit):
                    side = "above" if lower else "under"
                    lines.append(f"{run.system}: {name} is {value}, {side} {limit:g}")
        return lines


def _path_of(name: str, scores: Mapping[str, Any], totals: frozenset[str]) -> tuple[str, ...]:
    """The score of this name; a group of scores stands for the only one that is no mere sum."""
    inside = [".".join(path) for path, _ in leaves(scores)]
    rates = [path for path in inside if path.startswith(f"{name}.") and path not in totals]
    return find_leaf(scores, rates[0] if len(rates) == 1 and name not in inside else name)
