"""Poisson against multinomial weights: how often intervals hold the truth, and how wide they are.

    python benchmarks/poisson.py [--samples 400] [--sizes 100,1000,10000,100000]

Both see the same data sets, so that their difference has little noise of its own. Exits with 1
where they differ by more than half a point at 10,000 items or more, beyond two standard errors
of that difference.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.core.metric import Metric
from karat.core.runs.evaluation import Evaluation
from karat.core.scores import Scores, precision_recall, ratio
from timing import header

Array = npt.NDArray[np.float64]
ALLOWED = 0.005


class Mean(Metric[Any, Any]):
    """The mean of scores from 0 to 1."""

    name, kind, columns = "mean-of-items", "text", ("items", "total")

    def summarize(self, totals: Array) -> Scores:
        items, total = self.columns_of(totals)
        return {"mean": ratio(total, items)}


class Common(Metric[Any, Any]):
    """Precision, recall and F of summed counts."""

    name, kind, columns = "common-parts", "text", ("gold", "system", "common")

    def summarize(self, totals: Array) -> Scores:
        return precision_recall(*self.columns_of(totals), headline=True)


def means(random: np.random.Generator, n: int) -> Array:
    return np.column_stack([np.ones(n), random.beta(4, 1, n)])


def common(random: np.random.Generator, n: int) -> Array:
    """Items of very different sizes, as sentences are."""
    gold = random.poisson(random.gamma(2, 6, n)) + 1.0
    system = random.poisson(gold) + 0.0
    return np.column_stack(
        [gold, system, random.binomial(np.minimum(gold, system).astype(int), 0.9)]
    )


def truth(draw: Callable[[np.random.Generator, int], Array], metric: Metric[Any, Any]) -> float:
    rows = draw(np.random.default_rng(0), 20_000_000)
    return float(headline(Evaluation(metric, [""], rows.sum(axis=0)[None, :]).scores(), metric))


def headline(scores: Any, metric: Metric[Any, Any]) -> Any:
    for name in metric.about.headline.split("."):
        scores = scores[name]
    return scores


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=400)
    parser.add_argument("--sizes", default="100,1000,10000,100000")
    options = parser.parse_args()
    header("Poisson weights")
    failed = 0
    print(
        f"{'':<14}{'n':>8}{'multinomial':>13}{'poisson':>9}{'error of difference':>21}{'widths':>9}"
    )
    for name, draw, metric in (("mean", means, Mean()), ("F", common, Common())):
        value, path = truth(draw, metric), tuple(metric.about.headline.split("."))
        for n in map(int, options.sizes.split(",")):
            held: dict[str, list[bool]] = {"multinomial": [], "poisson": []}
            widths: dict[str, list[float]] = {"multinomial": [], "poisson": []}
            for sample in range(options.samples):
                rows = draw(np.random.default_rng([n, sample]), n)
                run = Evaluation(metric, [""] * n, rows)
                for how in held:
                    found = run.confidence(resampling=how, seed=sample)[path]  # type: ignore[arg-type]
                    assert found is not None
                    held[how].append(found.low <= value <= found.high)
                    widths[how].append(found.high - found.low)
            exact, other = np.array(held["multinomial"]), np.array(held["poisson"])
            difference = other.astype(float) - exact
            error = float(difference.std(ddof=1)) / math.sqrt(len(difference))
            wider = sum(widths["poisson"]) / sum(widths["multinomial"])
            missed = n >= 10_000 and abs(difference.mean()) > ALLOWED + 2 * error
            failed += missed
            print(
                f"{name:<14}{n:>8,}{exact.mean():>13.3f}{other.mean():>9.3f}{error:>21.4f}{wider:>9.4f}"
                + ("  too far" if missed else "")
            )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
