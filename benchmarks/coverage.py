"""How often intervals hold the truth, by simulation; exits with 1 where that is too seldom.

    python benchmarks/coverage.py [--quick] [--only rates,means,...] [--method percentile]

Rates are exact: an interval depends on the number of successes alone, so that each number
counts with its binomial probability. All else is simulated. Required are 0.93 for 10 items
and more and 0.90 for 5 items, less two standard errors, for scores with a range.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import karat
from karat.core.marks import within
from karat.core.metric import Metric
from karat.core.runs.evaluation import Evaluation
from karat.core.scores import Scores, precision_recall, ratio

Array = npt.NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Any]
"""Rows, or rows and the clusters that they belong to."""
SIZES = (2, 3, 5, 10, 30, 100, 400)
RATES = (0.005, 0.02, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99)
EXAMPLES = Path(__file__).parents[1] / "examples" / "translation"


class Mean(Metric[Any, Any]):
    """The mean of scores from 0 to 1."""

    name, kind, columns = "mean-of-items", "text", ("items", "total")

    def summarize(self, totals: Array) -> Scores:
        items, total = self.columns_of(totals)
        return {"mean": ratio(total, items)}


class Length(Mean):
    """A mean without an upper end."""

    name = "length-of-items"

    def summarize(self, totals: Array) -> Scores:
        items, total = self.columns_of(totals)
        return {"mean": within(ratio(total, items))}


class Common(Metric[Any, Any]):
    """Precision, recall and F of summed counts."""

    name, kind, columns = "common-parts", "text", ("gold", "system", "common")

    def summarize(self, totals: Array) -> Scores:
        return precision_recall(*self.columns_of(totals), headline=True)


class Coverage:
    """Runs simulations, prints a line for each, and remembers what missed."""

    def __init__(self, samples: int, method: Any) -> None:
        self.samples, self.method = samples, method
        self.cells = self.missed = 0
        print(f"{'95 % intervals':<28}{'n':>5}{'covered':>10}{'error':>8}{'width':>9}{'none':>8}")

    def ends(
        self, metric: Metric[Any, Any], rows: Array, clusters: Any = None
    ) -> tuple[float, float] | None:
        groups = {} if clusters is None else {"cluster": list(map(str, clusters))}
        run = Evaluation(metric, [str(i) for i in range(len(rows))], rows, groups=groups)
        given = run.confidence(method=self.method, cluster="cluster" if groups else None)
        found = given[tuple(metric.about.headline.split("."))]
        return None if found is None else (found.low, found.high)

    def show(
        self,
        name: str,
        n: int,
        found: list[tuple[float, bool, float]],
        *,
        required: bool,
        exact: bool,
    ) -> None:
        """A line from (weight, covers, width) of each data set with an interval."""
        given = math.fsum(weight for weight, *_ in found)
        covered = math.fsum(weight for weight, covers, _ in found if covers) / given
        width = math.fsum(weight * size for weight, _, size in found) / given
        error = (
            0.0
            if exact
            else math.sqrt(max(covered * (1 - covered), 0.25 / len(found)) / len(found))
        )
        least = 0.93 if n >= 10 else 0.90 if n == 5 else 0.0
        missed = required and covered < least - 2 * error
        self.cells += 1
        self.missed += missed
        print(
            f"{name:<28}{n:>5}{covered:>10.3f}{error:>8.3f}{width:>9.3f}{max(0.0, 1 - given):>8.3f}"
            f"{'  too seldom' if missed else ''}",
            flush=True,
        )

    def simulate(
        self,
        name: str,
        n: int,
        metric: Metric[Any, Any],
        draw: Draw,
        truth: float,
        required: bool = True,
    ) -> None:
        random = np.random.default_rng([n, *name.encode()])
        found = []
        for _ in range(self.samples):
            drawn = draw(random, n)
            ends = self.ends(metric, *(drawn if isinstance(drawn, tuple) else (drawn,)))
            if ends is not None:
                covers = ends[0] - 1e-12 <= truth <= ends[1] + 1e-12
                found.append((1 / self.samples, covers, ends[1] - ends[0]))
        if found:
            self.show(name, n, found, required=required, exact=False)


def rates(coverage: Coverage) -> None:
    for n in SIZES:
        each = [
            coverage.ends(Mean(), np.column_stack([np.ones(n), np.arange(n) < k]))
            for k in range(n + 1)
        ]
        for rate in RATES:
            found = []
            for k, ends in enumerate(each):
                weight = math.comb(n, k) * rate**k * (1 - rate) ** (n - k)
                if ends is not None:
                    found.append((weight, ends[0] <= rate <= ends[1], ends[1] - ends[0]))
            coverage.show(f"rate {rate:g}", n, found, required=True, exact=True)


def with_items(draw: Draw) -> Draw:
    return lambda random, n: np.column_stack([np.ones(n), draw(random, n)])


def means(coverage: Coverage) -> None:
    kinds: dict[str, tuple[Draw, float]] = {
        "Beta(8, 2)": (lambda r, n: r.beta(8, 2, n), 0.8),
        "Beta(40, 10)": (lambda r, n: r.beta(40, 10, n), 0.8),
        "30 % of items score 0": (lambda r, n: (r.random(n) >= 0.3) * r.beta(8, 2, n), 0.56),
        "5 % of items score 0": (lambda r, n: (r.random(n) >= 0.05) * r.beta(17, 3, n), 0.8075),
        "70 % of items score 1": (
            lambda r, n: np.where(r.random(n) < 0.7, 1.0, r.beta(2, 2, n)), 0.85,
        ),
        "85 % of items score 0": (lambda r, n: (r.random(n) >= 0.85) * r.beta(2, 2, n), 0.075),
    }  # fmt: skip
    for name, (draw, truth) in kinds.items():
        for n in SIZES:
            coverage.simulate(name, n, Mean(), with_items(draw), truth)


def parts(coverage: Coverage) -> None:
    """Micro-F1 of items with about nine gold parts, of which a share is found."""
    for name, a, b in (("high", 9.5, 0.5), ("middle", 4.0, 2.0), ("low", 1.0, 2.0)):

        def draw(random: np.random.Generator, n: int, a: float = a, b: float = b) -> Array:
            gold = 1 + random.poisson(random.gamma(2, 4, n))
            common = random.binomial(gold, random.beta(a, b, n))
            surplus = random.poisson(gold - common)
            return np.column_stack([gold, common + surplus, common]).astype(np.float64)

        gold, system, common = draw(np.random.default_rng(0), 2_000_000).sum(axis=0)
        for n in SIZES[2:]:
            coverage.simulate(f"micro-F1, {name}", n, Common(), draw, 2 * common / (gold + system))


def corpus_scores(coverage: Coverage) -> None:
    """BLEU of sentences drawn from a translation, whose BLEU is then the truth."""
    for system in ("careful", "hasty"):
        run = karat.evaluate(
            "bleu", system=str(EXAMPLES / f"{system}.txt"), gold=str(EXAMPLES / "gold.txt")
        )

        def draw(random: np.random.Generator, n: int, rows: Array = run.counts) -> Array:
            return rows[random.integers(0, len(rows), n)]

        for n in (5, 10, 30, 100):
            coverage.simulate(f"BLEU, {system}", n, run.metric, draw, run.scores()["bleu"])


def seldom_counted(coverage: Coverage) -> None:
    """A share of parts that three of four items do not have."""

    def draw(random: np.random.Generator, n: int) -> Array:
        whole = np.zeros(n)
        while not whole.any():
            whole = random.poisson(0.3, n).astype(np.float64)
        return np.column_stack([whole, random.binomial(whole.astype(np.int64), 0.7)])

    for n in (10, 30, 100):
        coverage.simulate("74 % of items are 0/0", n, Mean(), draw, 0.7)


def unbounded(coverage: Coverage) -> None:
    kinds: dict[str, tuple[Draw, float]] = {
        "exponential": (lambda r, n: r.standard_exponential(n), 1.0),
        "lognormal": (lambda r, n: r.lognormal(0, 1, n), math.exp(0.5)),
    }
    for name, (draw, truth) in kinds.items():
        for n in SIZES[2:]:
            coverage.simulate(name, n, Length(), with_items(draw), truth, required=False)


def clusters(coverage: Coverage) -> None:
    """0/1 items in clusters with an intraclass correlation of 0.5; n is the number of clusters."""
    for rate in (0.5, 0.8, 0.95):
        for equal in (True, False):

            def draw(
                random: np.random.Generator, n: int, rate: float = rate, equal: bool = equal
            ) -> Any:
                sizes = np.full(n, 5) if equal else 1 + random.geometric(0.2, n)
                each = np.repeat(random.beta(rate, 1 - rate, n), sizes)
                right = random.random(len(each)) < each
                return np.column_stack([np.ones(len(each)), right]), np.repeat(np.arange(n), sizes)

            for n in (5, 10, 30, 100):
                sizes = "equal" if equal else "unequal"
                coverage.simulate(f"{sizes} clusters, rate {rate:g}", n, Mean(), draw, rate)


PARTS = {
    "rates": rates,
    "means": means,
    "f1": parts,
    "bleu": corpus_scores,
    "seldom": seldom_counted,
    "unbounded": unbounded,
    "clusters": clusters,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--quick", action="store_true", help="200 data sets rather than 1000")
    parser.add_argument("--only", default=",".join(PARTS), help="which parts, with commas between")
    parser.add_argument("--method", default="auto", help="the interval")
    asked = parser.parse_args()
    coverage = Coverage(200 if asked.quick else 1000, asked.method)
    for part in asked.only.split(","):
        PARTS[part](coverage)
    print(f"{coverage.missed} of {coverage.cells} cells hold the truth too seldom")
    return 1 if coverage.missed else 0


if __name__ == "__main__":
    sys.exit(main())
