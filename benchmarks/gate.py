"""How often a gate says what, by simulation; exits with 1 where false alarms are too many.

    python benchmarks/gate.py [--samples 4000]

Items come in clusters with an intraclass correlation of 0.5. Required: with no change, and effects
that are symmetric, "worse" in at most alpha + 0.01 of the data sets; a loss of exactly the margin
passes in at most alpha + 0.01.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.core.metric import Metric
from karat.core.runs.evaluation import Evaluation
from karat.core.runs.gate import Gate
from karat.core.scores import Scores, ratio

Array = npt.NDArray[np.float64]
ALPHA, MARGIN, SPREAD = 0.05, 0.05, 0.2
SHAPES = ((20, 5), (50, 4), (200, 5))
Draw = Callable[[np.random.Generator, int, int, float], tuple[Array, Array]]


class Mean(Metric[Any, Any]):
    """The mean of scores from 0 to 1."""

    name, kind, columns = "mean-of-items", "text", ("items", "total")

    def summarize(self, totals: Array) -> Scores:
        items, total = self.columns_of(totals)
        return {"mean": ratio(total, items)}


def normal(random: np.random.Generator, clusters: int, size: int, change: float) -> Any:
    """Differences whose variance is half that of their clusters, half their own."""
    shared = np.repeat(random.normal(0, SPREAD * math.sqrt(0.5), clusters), size)
    own = random.normal(0, SPREAD * math.sqrt(0.5), clusters * size)
    return np.full(clusters * size, 0.5), 0.5 + change + shared + own


def skewed(random: np.random.Generator, clusters: int, size: int, change: float) -> Any:
    """The same with exponential effects of clusters: many small losses, a few large gains."""
    effect = random.standard_exponential(clusters) - 1
    shared = np.repeat(effect * SPREAD * math.sqrt(0.5), size)
    own = random.normal(0, SPREAD * math.sqrt(0.5), clusters * size)
    return np.full(clusters * size, 0.5), 0.5 + change + shared + own


def zero_one(random: np.random.Generator, clusters: int, size: int, change: float) -> Any:
    """0/1 scores, a fifth of which differ; whether a cluster gains or loses is half shared."""
    n = clusters * size
    gains = 0.5 + change / 0.4  # of the items that differ
    shared = np.repeat(random.beta(gains, 1 - gains, clusters), size)  # correlation 0.5
    differs = random.random(n) < 0.2
    gained = random.random(n) < shared
    base = np.where(differs, ~gained, random.random(n) < 0.7).astype(float)
    return base, np.where(differs, gained, base)


CASES: dict[str, tuple[Draw, float, str]] = {
    "no change": (normal, 0.0, "alarm"),
    "change -M": (normal, -MARGIN, "pass"),
    "change -2M": (normal, -2 * MARGIN, ""),
    "0/1, no change": (zero_one, 0.0, "alarm"),
    "0/1, -2M": (zero_one, -2 * MARGIN, ""),
    "skewed, no change": (skewed, 0.0, ""),
}


def shares(draw: Draw, clusters: int, size: int, change: float, samples: int) -> dict[int, float]:
    random = np.random.default_rng([clusters, size, round(1000 * abs(change))])
    names = [str(i) for i in range(clusters * size)]
    groups = {"cluster": [str(i // size) for i in range(clusters * size)]}
    metric, codes = Mean(), Counter[int]()
    for _ in range(samples):
        base, new = (
            Evaluation(metric, names, np.column_stack([np.ones(len(each)), each]), groups=groups)
            for each in draw(random, clusters, size, change)
        )
        codes[Gate(base, new, margin=MARGIN, alpha=ALPHA, cluster="cluster").exit_code] += 1
    return {code: codes[code] / samples for code in (0, 1, 3)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--samples", type=int, default=4000, help="data sets of each kind")
    samples = parser.parse_args().samples
    missed = 0
    print(f"{'exit 0 / 1 / 3':<20}" + "".join(f"{f'{g} x {k}':>24}" for g, k in SHAPES))
    for name, (draw, change, required) in CASES.items():
        cells = []
        for clusters, size in SHAPES:
            found = shares(draw, clusters, size, change, samples)
            rate = found[1] if required == "alarm" else found[0] if required == "pass" else 0.0
            bad = rate > ALPHA + 0.01
            missed += bad
            cells.append(f"{found[0]:.3f} / {found[1]:.3f} / {found[3]:.3f}{'*' if bad else ' '}")
        print(f"{name:<20}" + "".join(f"{cell:>24}" for cell in cells), flush=True)
    print(f"{missed} of {2 * len(SHAPES) + len(SHAPES)} required rates are missed (*)")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
