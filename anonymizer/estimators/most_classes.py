"""The most classes with which Pitman's estimate of the population uniques can be within a limit.

Hoshino's estimate from n records in u classes is U = Gamma(theta+1) / Gamma(theta+alpha) N^alpha, where
theta and alpha, 0 <= alpha < 1 and theta > -alpha, solve the first likelihood equation
A = B with A = sum_{i=1}^{u-1} 1/(theta + i alpha) and B = sum_{i=1}^{n-1} 1/(theta + i). How many classes
can there be where U is at most a limit L below N/10? No more than the u found here, for:

1. U grows with theta, and with alpha as long as theta + alpha < N. So U <= L means theta <= T(alpha),
   where T falls from T(0) = L.
2. Given alpha and u, A - B falls in theta wherever A >= B: the terms of A are, one by one, no less than
   those of B, so that they majorize them, and the sum of their squares is no less. So if A > B at
   T(alpha), then A > B at every theta below, and there is no solution with u classes. Nor is there one
   with more classes, or of fewer records: A has more terms, or B fewer.
3. For alpha from a to b, theta up to T(alpha) need not be tried: it is enough that A > B at T(alpha), and
   there A is at least sum 1/(T(a) + i b), and B at most sum 1/(T(b) + i). Intervals of alpha are halved
   until that shows A > B in each.
4. For alpha from a up to 1, with e = theta + alpha and d = 1 - alpha: U <= L means
   e/(e+d) <= L / (0.885 N^a) = r, for Gamma is within 0.885 and 1 from 1 to 2, as long as theta < 0,
   which L < N^a assures. The first terms differ by 1/e - 1/(e+d) >= (1-r)^2 / (r d), and the other terms
   of B are at most 1 + ln n.

So nothing is assumed: what cannot be shown in so many intervals is not claimed.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, gammaln

Floats = NDArray[np.float64]

ROUNDING = 1e-6
"""The limit is taken so much higher, relatively: sums and logarithms are rounded."""
MARGIN = 1e-6
"""How far sums must be apart to count as different."""
MAX_INTERVALS = 10_000
"""So many intervals of alpha are tried at most."""
LAST = 1 - 1e-4
"""From here on to 1, alpha is one interval."""


@lru_cache(maxsize=4096)
def most_classes(records: int, population: int, limit: float) -> int | None:
    """Return how many classes Pitman's estimate allows at most, with any sample unique left.

    For so many records at most; None where nothing is shown, or nothing that would help.

    >>> most_classes(30_000, 1_000_000, 10.0)
    81
    """
    if not 0 < limit < population / 10 or not 2 < records <= population:
        return None
    raised = limit * (1 + ROUNDING)
    likely = 1 + raised * (digamma(raised + records) - digamma(raised + 1))  # what alpha = 0 allows
    if likely > 0.9 * records or not closes_tail(records, population, raised):
        return None
    tried = (int(likely) + 1, int(1.001 * likely) + 2, int(1.01 * likely) + 2)
    return next((u for u in tried if excludes(u + 1, records, population, raised)), None)


def closes_tail(records: int, population: int, limit: float) -> bool:
    """Whether no alpha above `LAST` allows two classes or more: step 4."""
    power = population**LAST
    ratio = limit / (0.885 * power)
    if not (limit < power and ratio < 1):
        return False
    return bool((1 - ratio) ** 2 / (ratio * (1 - LAST)) > 1 + math.log(records))


def highest_theta(alpha: Floats, population: int, limit: float) -> tuple[Floats, Floats]:
    """Return numbers just below and above T(alpha) + alpha, by bisection of their logarithm."""
    low, high = np.full(alpha.size, -700.0), np.full(alpha.size, math.log(limit + 2))
    for _ in range(48):
        middle = (low + high) / 2
        e = np.exp(middle)
        estimate = gammaln(e + 1 - alpha) - gammaln(e) + alpha * math.log(population)
        above = estimate > math.log(limit)
        high, low = np.where(above, middle, high), np.where(above, low, middle)
    return np.exp(low), np.exp(high)


def excludes(classes: int, records: int, population: int, limit: float) -> bool:
    """Whether no alpha up to `LAST` allows so many classes, two at least: step 3."""
    edges, tried = np.linspace(0, LAST, 65), 0
    start, end = edges[:-1], edges[1:]
    while start.size:
        tried += start.size
        if tried > MAX_INTERVALS:
            return False
        _, above = highest_theta(start, population, limit)
        below, _ = highest_theta(end, population, limit)
        a = least_sum(above - start, end, classes)
        b = digamma(below - end + records) - digamma(below - end + 1)
        open_ = ~(a > b + MARGIN)
        start, end = start[open_], end[open_]
        middle = (start + end) / 2
        start, end = np.concatenate((start, middle)), np.concatenate((middle, end))
    return True


def least_sum(theta: Floats, alpha: Floats, classes: int) -> Floats:
    """Return at most sum_{i=1}^{u-1} 1/(theta + i alpha), and nearly as much."""
    by_mean = (classes - 1) / (theta + alpha * classes / 2)  # Jensen: 1/x is convex
    scaled = theta / alpha
    last = digamma(scaled + classes)
    difference = last - digamma(scaled + 1) - 1e-14 * np.abs(last)
    sums: Floats = np.maximum(by_mean, difference / alpha)
    return sums
