"""Is one system better than another on the same items? Paired tests from counts."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from karat.errors import OptionError
from karat.stats.intervals import Interval, check_level
from karat.stats.resampling import Array, Path, Summarize, bootstrap_sums, coin_sums

Test = Literal["auto", "randomization", "bootstrap", "permutation", "sign"]
TESTS: tuple[Test, ...] = get_args(Test)
EXACT_LIMIT = 16
"""Up to so many items that differ, all 2^n exchanges are tried rather than sampled."""


@dataclass(frozen=True, slots=True)
class Difference:
    """First minus second system, for one score."""

    first: float
    second: float
    difference: float
    interval: Interval | None
    p_value: float | None


def compare_paired(
    first: Array,
    second: Array,
    summarize: Summarize,
    *,
    test: Test = "auto",
    trials: int = 10_000,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
) -> tuple[Test, dict[Path, Difference]]:
    """The test that was used, and what it says of every score.

    All p-values are two-sided. `randomization` exchanges the systems' rows at
    random (Noreen 1989), `permutation` in all ways (exact), `bootstrap` resamples
    items and centres the differences (Koehn 2004; Riezler and Maxwell 2005),
    `sign` counts the items on which each system is better (exact binomial).
    `auto` is `permutation` for few differing items, else `randomization`.
    """
    if test not in TESTS:
        raise OptionError(f"a test is one of {', '.join(TESTS)}; got {test!r}", code="K302")
    check_level(level)
    columns = first.shape[1]
    both = np.hstack([first, second])
    a, b = summarize(first.sum(axis=0)), summarize(second.sum(axis=0))
    boot = bootstrap_sums(both, resamples, seed)
    boot_a, boot_b = summarize(boot[:, :columns]), summarize(boot[:, columns:])
    if test == "auto":
        differing = int(np.any(first != second, axis=1).sum())
        test = "permutation" if differing <= EXACT_LIMIT else "randomization"
    p_values = _P_VALUES[test](first, second, summarize, trials, seed)
    tails = [(1 - level) / 2, (1 + level) / 2]
    result = {}
    for path, score in a.items():
        spread = boot_a[path] - boot_b[path]
        spread = spread[~np.isnan(spread)]
        interval = Interval(*map(float, np.quantile(spread, tails))) if len(spread) else None
        result[path] = Difference(
            float(score), float(b[path]), float(score - b[path]), interval, p_values[path]
        )
    return test, result


def _share(extreme: Array, observed: float, exact: bool) -> float | None:
    """How much of the null distribution is as far from 0 as what was observed."""
    extreme = extreme[~np.isnan(extreme)]
    if math.isnan(observed) or len(extreme) == 0:
        return None
    # Sums that are equal on paper may differ in the last bits.
    hits = int(np.sum(np.abs(extreme) >= abs(observed) - 1e-12 * max(1.0, abs(observed))))
    return hits / len(extreme) if exact else (hits + 1) / (len(extreme) + 1)


def _exchanged(
    first: Array, second: Array, summarize: Summarize, moved: Array, exact: bool
) -> dict[Path, float | None]:
    """P-values from the sums of (second - first) over the exchanged items."""
    a, b = first.sum(axis=0), second.sum(axis=0)
    null_a, null_b = summarize(a + moved), summarize(b - moved)
    real_a, real_b = summarize(a), summarize(b)
    return {
        path: _share(null_a[path] - null_b[path], float(real_a[path] - real_b[path]), exact)
        for path in real_a
    }


def _randomization(
    first: Array, second: Array, summarize: Summarize, trials: int, seed: int
) -> dict[Path, float | None]:
    moved = coin_sums(second - first, trials, seed)
    return _exchanged(first, second, summarize, moved, exact=False)


def _permutation(
    first: Array, second: Array, summarize: Summarize, *_: int
) -> dict[Path, float | None]:
    changes = (second - first)[np.any(first != second, axis=1)]
    if len(changes) > EXACT_LIMIT:
        raise OptionError(
            f"{len(changes)} items differ; an exact permutation test takes at most {EXACT_LIMIT}",
            code="K302",
            advice="use the test 'randomization'",
        )
    masks = (np.arange(1 << len(changes))[:, None] >> np.arange(len(changes))) & 1
    return _exchanged(first, second, summarize, masks.astype(float) @ changes, exact=True)


def _bootstrap(
    first: Array, second: Array, summarize: Summarize, trials: int, seed: int
) -> dict[Path, float | None]:
    columns = first.shape[1]
    sums = bootstrap_sums(np.hstack([first, second]), trials, seed)
    boot_a, boot_b = summarize(sums[:, :columns]), summarize(sums[:, columns:])
    a, b = summarize(first.sum(axis=0)), summarize(second.sum(axis=0))
    result = {}
    for path in a:
        spread = boot_a[path] - boot_b[path]
        spread = spread[~np.isnan(spread)]
        centred = spread - spread.mean() if len(spread) else spread
        result[path] = _share(centred, float(a[path] - b[path]), exact=False)
    return result


def _sign(first: Array, second: Array, summarize: Summarize, *_: int) -> dict[Path, float | None]:
    a, b = summarize(first), summarize(second)
    return {
        path: sign_p_value(int(np.sum(a[path] > b[path])), int(np.sum(a[path] < b[path])))
        for path in a
    }


def sign_p_value(wins: int, losses: int) -> float:
    """The two-sided sign test: exact, or normal with continuity correction for very many items.

    >>> sign_p_value(0, 5)
    0.0625
    """
    n, fewer = wins + losses, min(wins, losses)
    if n <= 1000:
        tail: int = sum(math.comb(n, k) for k in range(fewer + 1))
        return min(1.0, 2 * tail / (1 << n))
    z = max(0.0, (n / 2 - fewer - 0.5)) / math.sqrt(n / 4)
    return math.erfc(z / math.sqrt(2))


_P_VALUES: dict[str, Callable[..., dict[Path, float | None]]] = {
    "randomization": _randomization,
    "permutation": _permutation,
    "bootstrap": _bootstrap,
    "sign": _sign,
}
