"""Tail probabilities that tests need, to full double precision, without further packages."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

_TINY = 1e-300
_MANY_STEPS = 10_000
_COUNTED = 1000
"""So many tosses are counted in whole numbers."""
_SMALL = 16
_UNDERFLOWS = 200
"""With more points, a few orders among all are rarer than the smallest number."""
_HALF_LOG_2_PI = math.log(2 * math.pi) / 2


def normal_tail(z: float) -> float:
    """P(Z > z) of a standard normal variable; accurate far out.

    >>> round(normal_tail(1.959963984540054), 12)
    0.025
    """
    return 0.5 * math.erfc(z / math.sqrt(2))


def normal_below(z: float) -> float:
    """P(Z < z) of a standard normal variable; accurate far out."""
    return normal_tail(-z)


def normal_quantile(share: float) -> float:
    """The z with P(Z < z) = `share`, which lies between 0 and 1, both left out.

    >>> round(normal_quantile(0.975), 12)
    1.95996398454
    """
    if share >= 0.5:
        return -normal_quantile(1 - share) if share > 0.5 else 0.0
    share = max(share, _TINY)
    # A rational start (Abramowitz and Stegun 26.2.23, wrong by less than 0.00045), then
    # Halley's steps, each of which triples the number of right digits.
    t = math.sqrt(-2 * math.log(share))
    above = 2.515517 + t * (0.802853 + t * 0.010328)
    z = above / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) - t
    for _ in range(3):
        step = (normal_below(z) - share) * math.sqrt(2 * math.pi) * math.exp(z * z / 2)
        z -= step / (1 + z * step / 2)
    return z


def student_tail(t: float, freedom: float) -> float:
    """P(T > t) of Student's t with these degrees of freedom.

    >>> round(student_tail(2.228138851964939, 10), 9)
    0.025
    """
    if math.isinf(t):
        return 0.0 if t > 0 else 1.0
    whole = freedom + t * t
    half = 0.5 * _incomplete_beta(freedom / 2, 0.5, freedom / whole, t * t / whole)
    return half if t >= 0 else 1 - half


@lru_cache(maxsize=1 << 10)
def student_quantile(share: float, freedom: float) -> float:
    """The t with P(T < t) = `share`, which lies between 0 and 1, both left out.

    >>> round(student_quantile(0.975, 10), 9)
    2.228138852
    """
    tail = min(share, 1 - share)
    high = 1.0
    while student_tail(high, freedom) > tail:
        high *= 2
    found = _rising_root(lambda t: tail - student_tail(t, freedom), high)
    return found if share >= 0.5 else -found


@lru_cache(maxsize=1 << 10)
def beta_quantile(share: float, a: float, b: float) -> float:
    """The x that `share` of a Beta(a, b) variable lies below.

    >>> round(beta_quantile(0.5, 1, 2), 12) == round(1 - 0.5**0.5, 12)
    True
    """
    return _rising_root(lambda x: _incomplete_beta(a, b, x, 1 - x) - share, 1.0)


def _rising_root(function: Callable[[float], float], high: float) -> float:
    """The root from 0 to `high` of a rising function, by bisection down to neighbouring numbers."""
    low = 0.0
    while True:
        middle = (low + high) / 2
        if not low < middle < high:
            return middle
        if function(middle) < 0:
            low = middle
        else:
            high = middle


def chi_square_tail(value: float, pairs: int) -> float:
    """P(X > value) of a chi-square variable with 2 × `pairs` degrees of freedom.

    >>> round(chi_square_tail(5.991464547107979, 1), 12)
    0.05
    """
    half = value / 2
    if math.isinf(half):
        return 0.0
    # An Erlang tail: a sum of Poisson probabilities, added on the log scale.
    return min(
        1.0,
        math.fsum(
            math.exp(k * math.log(half) - half - math.lgamma(k + 1)) if half > 0 else float(k == 0)
            for k in range(pairs)
        ),
    )


def fair_coin_tail(heads: int, tosses: int) -> float:
    """P(X <= heads) of so many tosses of a fair coin, for at most half of them.

    >>> fair_coin_tail(1, 4), round(fair_coin_tail(500, 1100) * 2, 8)
    (0.3125, 0.00281954)
    """
    if tosses <= _COUNTED:
        return sum(math.comb(tosses, k) for k in range(heads + 1)) / (1 << tosses)
    if heads == 0:
        return math.ldexp(1.0, -tosses)
    # The likeliest term by Stirling's series, which loses no digits (Loader 2000), and the others
    # by their quotients.
    share = 1 - 2 * heads / tosses
    tails = tosses - heads
    distance = heads * math.log1p(-share) + tails * math.log1p(share)
    rest = _beyond_stirling(tosses) - _beyond_stirling(heads) - _beyond_stirling(tails)
    term = math.exp(rest - distance) * math.sqrt(tosses / (2 * math.pi * heads * tails))
    terms = [term]
    for k in range(heads, 0, -1):
        term *= k / (tosses - k + 1)
        if term < 1e-18 * terms[0]:
            break
        terms.append(term)
    return math.fsum(terms)


def _beyond_stirling(n: int) -> float:
    """ln n! less Stirling's formula."""
    if n <= _SMALL:
        return math.log(math.factorial(n)) - ((n + 0.5) * math.log(n) - n + _HALF_LOG_2_PI)
    square = n * n
    return (1 / 12 - (1 / 360 - (1 / 1260 - 1 / 1680 / square) / square) / square) / n


def _incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    """The regularised incomplete beta function I_x(a, b); `rest` is 1 - x without its rounding."""
    if x <= 0:
        return 0.0
    if rest <= 0:
        return 1.0
    # The continued fraction converges fast on one side; the other is its mirror.
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(b, a, rest, x)
    log_front = (
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(rest)
    )
    return math.exp(log_front) * _beta_fraction(a, b, x) / a


def _beta_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    d = 1 - (a + b) * x / (a + 1)
    c, d = 1.0, 1 / (d if abs(d) > _TINY else _TINY)
    result = d
    for step in range(1, _MANY_STEPS):
        even = a + 2 * step
        for term in (
            step * (b - step) * x / ((even - 1) * even),
            -(a + step) * (a + b + step) * x / (even * (even + 1)),
        ):
            d = 1 + term * d
            d = 1 / (d if abs(d) > _TINY else _TINY)
            c = 1 + term / c
            c = c if abs(c) > _TINY else _TINY
            result *= d * c
        if abs(d * c - 1) < 1e-16:
            break
    return result


def kendall_exact(size: int, discordant: int) -> float:
    """The two-sided p-value of Kendall's tau without ties: how rare so few inversions are.

    >>> kendall_exact(4, 0) == 2 / 24
    True
    """
    all_pairs = size * (size - 1) // 2
    fewer = min(discordant, all_pairs - discordant)
    if 2 * fewer >= all_pairs:
        return 1.0
    if fewer <= 1 and size > _UNDERFLOWS:
        return 0.0
    # ways[k]: the permutations of the first `n` numbers with k inversions, up to `fewer`.
    ways = [1] + [0] * fewer
    for n in range(2, size + 1):
        sums, running = [], 0
        for k in range(fewer + 1):
            running += ways[k]
            if k >= n:
                running -= ways[k - n]
            sums.append(running)
        ways = sums
    return min(1.0, 2 * sum(ways) / math.factorial(size))
