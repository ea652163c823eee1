"""Proportions that were counted, with their intervals, and the difference of two of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from anonymizer.estimators.intervals import Estimate

Z = 1.959964
"""The 97.5 % quantile of the standard normal distribution."""


@dataclass(frozen=True, slots=True)
class Rate:
    """So many successes in so many trials; without trials, the value is NaN."""

    successes: int
    trials: int
    effect: float = 1.0
    """How many trials count as one where they hang together (the design effect, Kish 1965)."""

    def __post_init__(self) -> None:
        if not 0 <= self.successes <= self.trials:
            raise ValueError(f"{self.successes} of {self.trials} is not a count of successes")

    @property
    def estimate(self) -> Estimate:
        """The share of successes with Wilson's score interval (Wilson 1927) at 95 % confidence.

        >>> found = Rate(0, 100).estimate
        >>> found.value, found.low, round(found.high, 4)
        (0.0, 0.0, 0.037)
        """
        if self.trials == 0:
            return Estimate(math.nan, 0.0, 1.0)
        n, share = self.trials / self.effect, self.successes / self.trials
        middle = (share + Z * Z / (2 * n)) / (1 + Z * Z / n)
        half = Z / (1 + Z * Z / n) * math.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
        low = 0.0 if self.successes == 0 else middle - half
        high = 1.0 if self.successes == self.trials else middle + half
        return Estimate(share, low, high)

    def describe(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "successes": self.successes,
            "trials": self.trials,
            **self.estimate.describe(),
        }


def difference(one: Rate, other: Rate) -> Estimate:
    """Return by how much one share exceeds another, with Newcombe's hybrid score interval (1998).

    The two groups are independent. From -1 to 1; without trials in one of them nothing is known.

    >>> found = difference(Rate(56, 70), Rate(48, 80))  # Newcombe's example: 0.0524 to 0.3339
    >>> round(found.value, 2), round(found.low, 4), round(found.high, 4)
    (0.2, 0.0524, 0.3339)
    """
    mine, theirs = one.estimate, other.estimate
    if math.isnan(mine.value) or math.isnan(theirs.value):
        return Estimate(math.nan, -1.0, 1.0)
    value = mine.value - theirs.value
    below = math.hypot(mine.value - mine.low, theirs.high - theirs.value)
    above = math.hypot(mine.high - mine.value, theirs.value - theirs.low)
    return Estimate(value, max(-1.0, value - below), min(1.0, value + above))
