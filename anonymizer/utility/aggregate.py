"""Aggregates: how the losses of the attributes become one, as a sum of terms that a search can bound."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

POWER = 24
"""The exponent of the mean that bounds a maximum: 0.1 less for nine attributes, at most, in relation.

A higher one would be closer, but the power of a loss of 1e-12, which is a tie, must not underflow.
"""


class Aggregate(StrEnum):
    """How the losses of the attributes become one."""

    GEOMETRIC = "geometric"
    ARITHMETIC = "arithmetic"
    MAXIMUM = "maximum"
    SUM = "sum"

    @property
    def is_mean(self) -> bool:
        """Whether it is one of the two means, for which there are faster bounds."""
        return self in (Aggregate.GEOMETRIC, Aggregate.ARITHMETIC)

    @property
    def most(self) -> float:
        """The sum of terms of a table of which nothing is left."""
        return self.to_terms(1.0)

    def terms(self, weights: Sequence[float], losses: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what losses of the attributes, one row for each, add to the sum of terms."""
        weighted: NDArray[np.float64] = np.reshape(weights, (-1, *[1] * (losses.ndim - 1))) * losses
        if self is Aggregate.SUM:
            return weighted / (sum(weights) or 1.0)
        if self is Aggregate.GEOMETRIC:
            weighted = np.log1p(weighted)
        if self is Aggregate.MAXIMUM:
            weighted = weighted**POWER
        return weighted / len(weights)

    def of_terms(self, total: float) -> float:
        """Return the loss for a sum of terms; for the maximum, the power mean, which is no larger.

        >>> Aggregate.MAXIMUM.of_terms(Aggregate.MAXIMUM.to_terms(0.25))
        0.25
        """
        if self is Aggregate.GEOMETRIC:
            return math.expm1(total)
        return float(total ** (1 / POWER)) if self is Aggregate.MAXIMUM else float(total)

    def to_terms(self, loss: float) -> float:
        """Return the sum of terms that has a loss; the inverse of `of_terms`."""
        if self is Aggregate.GEOMETRIC:
            return math.log1p(loss)
        return max(0.0, loss) ** POWER if self is Aggregate.MAXIMUM else loss
