"""Gate: is a new system worse than its base, not worse, or are the data inconclusive?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import msgspec
import numpy as np

from karat.core import signature
from karat.core.runs.comparison import aligned, check_comparable
from karat.core.scores import Array, leaves
from karat.core.scoring import values_of
from karat.errors import OptionError, PairingError
from karat.version import VERSION

if TYPE_CHECKING:
    from karat.core.runs.evaluation import Evaluation
    from karat.stats.gating import GateTest

Verdict = Literal["not worse", "worse", "cannot tell"]
EXIT_CODES: dict[Verdict, int] = {"not worse": 0, "worse": 1, "cannot tell": 3}
_MARGIN = 0.01
_MOST_LOST = 5


class GatedScore(msgspec.Struct, frozen=True):
    """One score of the two systems, and the verdict on it."""

    name: str
    path: tuple[str, ...]
    base: float
    new: float
    margin: float
    lower_is_better: bool
    scale: float
    found: Any
    """The result of the tests, with signs such that higher is better."""
    adjusted: float
    """p_worse after Holm's correction for several scores."""
    verdict: Verdict
    reason: str
    needed_items: int | None

    @property
    def ends(self) -> tuple[float, float] | None:
        """The interval of new minus base, with the sign of the score itself."""
        low, high = self.found.low, self.found.high
        if math.isinf(low) or math.isinf(high):
            return None
        return (-high, -low) if self.lower_is_better else (low, high)

    def summary(self) -> dict[str, Any]:
        found: GateTest = self.found
        ends = self.ends
        return {
            "base": self.base,
            "new": self.new,
            "change": self.new - self.base,
            "lower_is_better": self.lower_is_better,
            "low": ends[0] if ends else None,
            "high": ends[1] if ends else None,
            "margin": self.margin,
            "standard_error": found.error,
            "p_worse": found.p_worse,
            "p_worse_adjusted": self.adjusted,
            "p_not_worse": found.p_not_worse,
            "units": found.units,
            "differing": found.differing,
            "verdict": self.verdict,
            "reason": self.reason,
            "needed_units": found.needed if self.verdict == "cannot tell" else None,
            "needed_items": self.needed_items,
        }


class Gate:
    """The verdict on a change, from the runs of the base and of the new system.

    `margins` are the scores in question and how much each may lose; None is `margin`, which
    when left out is a hundredth of the score's scale. Without `margins` it is the headline. The
    new system is worse if a score is, by a one-sided test at `alpha`, corrected for several
    scores after Holm; not worse if each score is shown not to lose its margin. With fewer than
    20 units, items or clusters, nothing is decided.
    """

    def __init__(
        self,
        base: Evaluation,
        new: Evaluation,
        margins: Mapping[str, float | None] | None = None,
        *,
        margin: float | None = None,
        alpha: float = 0.05,
        power: float = 0.8,
        cluster: str | None = None,
    ) -> None:
        from karat.stats.gating import check_gate

        check_gate(alpha, power)
        self.base, self.new = aligned([base, new])
        check_comparable(self.base, self.new)
        if not len(self.base):
            raise PairingError("there are no items", code="K203")
        self.alpha, self.power, self.cluster = alpha, power, cluster
        self.clusters = self.base.cluster_count(cluster) if cluster else None
        metric = self.base.metric
        wanted = margins or {metric.about.headline: None}
        paths = {metric.about.path_of(name): value for name, value in wanted.items()}
        self.scores = self._gauged(
            {path: margin if own is None else own for path, own in paths.items()}
        )
        self.is_identical = bool(np.array_equal(self.base.counts, self.new.counts))
        self.verdict: Verdict = self._verdict()

    def _gauged(self, margins: Mapping[tuple[str, ...], float | None]) -> list[GatedScore]:
        from karat.stats import holm
        from karat.stats.gating import gated
        from karat.stats.paired_tests import Differing
        from karat.stats.resampling import proper

        about, flat = self.base.metric.about, self.base._flat
        clusters = proper(self.base.units(self.cluster))
        pairs = {
            False: Differing(self.new.counts, self.base.counts, flat, clusters),
            True: Differing(self.base.counts, self.new.counts, flat, clusters),
        }
        values = [dict(leaves(run.scores())) for run in (self.base, self.new)]
        drafts = []
        for path, asked in margins.items():
            name = ".".join(path)
            if name in about.totals:
                raise OptionError(
                    f"{name} is a plain count, by which nothing is worse", code="K306"
                )
            margin = _MARGIN * about.scale_of(path) if asked is None else asked
            if not (margin > 0 and math.isfinite(margin)):
                raise OptionError(f"a margin is a number above 0, got {margin}", code="K302")
            lower = name in about.lower_is_better
            found = pairs[lower]
            if math.isnan(float(found.a[path])) or math.isnan(float(found.b[path])):
                raise PairingError(f"{name} is undefined", code="K243")
            tested = gated(found, path, about.range_of(path), margin, self.alpha, self.power)
            drafts.append((name, path, margin, lower, tested))
        adjusted = holm([tested.p_worse for *_, tested in drafts])
        result = []
        for (name, path, margin, lower, tested), p in zip(drafts, adjusted, strict=True):
            verdict, reason = self._judged(tested, margin, p, len(drafts) > 1)
            base, new = (each[path] for each in values)
            per_unit = len(self.base) / tested.units
            needed = tested.needed if verdict == "cannot tell" else None
            items = None if needed is None else math.ceil(needed * per_unit)
            scale = about.scale_of(path)
            numbers = base, new, margin, lower, scale
            result.append(GatedScore(name, path, *numbers, tested, p, verdict, reason, items))
        return result

    def _judged(
        self, tested: GateTest, margin: float, adjusted: float, several: bool
    ) -> tuple[Verdict, str]:
        from karat.stats.gating import FEWEST

        if tested.is_identical:
            return "not worse", "identical on all items"
        if tested.units < FEWEST:
            return "cannot tell", f"fewer than {FEWEST} {'clusters' if self.cluster else 'items'}"
        if tested.low > -margin:
            lower = tested.high < 0
            return "not worse", "lower, but within the margin" if lower else ""
        if adjusted <= self.alpha if several else tested.high < 0:
            return "worse", ""
        return "cannot tell", "too little data"

    def _verdict(self) -> Verdict:
        verdicts = {score.verdict for score in self.scores}
        if "worse" in verdicts:
            return "worse"
        return "cannot tell" if "cannot tell" in verdicts else "not worse"

    @property
    def exit_code(self) -> int:
        """0 not worse, 1 worse, 3 cannot tell."""
        return EXIT_CODES[self.verdict]

    def lost_most(self) -> list[str]:
        """The ids of a few items on which the first score lost most, the greatest loss first.

        Of equal losses, that of the score comes first which the metric marks as `tiebreak`.
        """
        about = self.base.metric.about
        loss = self._losses(self.scores[0].name)
        finer = self._losses(about.ranked_by) if about.ranked_by else np.zeros(len(loss))
        order = np.lexsort((-finer, -loss))
        return [self.base.ids[i] for i in order[:_MOST_LOST] if loss[i] > 0]

    def _losses(self, score: str) -> Array:
        """How much worse the new system is on each item; NaN where that is undefined."""
        about = self.base.metric.about
        path = about.path_of(score)
        base, new = (values_of(run.metric, path, run.counts) for run in (self.base, self.new))
        return new - base if ".".join(path) in about.lower_is_better else base - new

    def summary(self) -> dict[str, Any]:
        """The verdict as JSON-ready values."""
        return {
            "karat": VERSION,
            "metric": self.base.metric.name,
            "signature": signature.of_runs([self.base, self.new]),
            "base": self.base.system,
            "new": self.new.system,
            "n": len(self.base),
            **({"cluster": self.cluster, "clusters": self.clusters} if self.cluster else {}),
            "alpha": self.alpha,
            "power": self.power,
            "verdict": self.verdict,
            "exit_code": self.exit_code,
            "identical": self.is_identical,
            "scores": {score.name: score.summary() for score in self.scores},
            "lost_most": self.lost_most(),
        }
