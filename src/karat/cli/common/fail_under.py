"""``--fail-under``: scores that a run must reach, for use in scripts."""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.runs.evaluation import Evaluation
from karat.core.scores import leaves, unknown_score
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
        """A line for each score that is worse than its limit; an undefined one is.

        A limit holds for the metrics that have such a score; one that no metric has is an error.
        """
        lines = []
        for name, limit in self.limits:
            concerned = [(run, path) for run in runs for path in _paths_of(name, run)]
            if not concerned:
                known = [path for run in runs for path, _ in leaves(run.scores())]
                raise unknown_score(name, list(dict.fromkeys(map(".".join, known))))
            for run, path in concerned:
                value = dict(leaves(run.scores()))[path]
                lower = ".".join(path) in run.metric.about.lower_is_better
                if value is None or (value > limit if lower else value < limit):
                    side = "above" if lower else "under"
                    lines.append(f"{run.system}: {name} is {value}, {side} {limit:g}")
        return lines


def _paths_of(name: str, run: Evaluation) -> list[tuple[str, ...]]:
    """The score of this name, if the run has it.

    A group of scores stands for the only one in it that is not a plain sum.
    """
    paths = [path for path, _ in leaves(run.scores())]
    same = [path for path in paths if name in (".".join(path), "_".join(path))]
    if same:
        return same[:1]
    rates = [
        path
        for path in paths
        if ".".join(path).startswith(f"{name}.") and ".".join(path) not in run.metric.about.totals
    ]
    return rates if len(rates) == 1 else []
