"""Overlap: how far two confidence intervals of one coefficient agree.

Intervals are of 95 %, and a coefficient whose interval excludes 0 is significant.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CoefficientEstimate:
    """A coefficient with its standard error and 95 % interval."""

    value: float
    error: float
    low: float
    high: float

    @property
    def significant(self) -> bool:
        """Whether the interval excludes 0."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient on the original and on the release."""

    term: str
    before: float
    before_error: float
    before_low: float
    before_high: float
    after: float | None
    """None where the release does not allow an estimate."""
    after_error: float | None
    after_low: float | None
    after_high: float | None
    overlap: float
    """The overlap of the intervals, 0 to 1; 0 where the release does not allow an estimate."""
    change: str
    """What would be concluded otherwise: sign, significance, lost; empty where nothing."""


def overlap_of(one: CoefficientEstimate, other: CoefficientEstimate) -> float:
    """Return the overlap of two intervals (Karr et al. 2006, The American Statistician 60:224-232).

    With I the length of what both cover, 0 where they are apart: (I / length of one + I / length of the
    other) / 2. 1 is the same interval, 0 is none in common.

    >>> overlap_of(CoefficientEstimate(1, 0.5, 0, 2), CoefficientEstimate(2, 0.5, 1, 3))
    0.5
    """
    common = min(one.high, other.high) - max(one.low, other.low)
    lengths = one.high - one.low, other.high - other.low
    if min(lengths) <= 0:  # an exact fit has an interval without length
        return float(one == other)
    return max(0.0, (common / lengths[0] + common / lengths[1]) / 2)


def compare_estimates(
    term: str, before: CoefficientEstimate, after: CoefficientEstimate | None
) -> Coefficient:
    """Put a coefficient on the original beside that on the release."""
    mine = before.value, before.error, before.low, before.high
    if after is None:
        return Coefficient(term, *mine, None, None, None, None, 0.0, "lost")
    theirs = after.value, after.error, after.low, after.high
    changes = [
        *(["sign"] if before.value * after.value < 0 else []),
        *(["significance"] if before.significant != after.significant else []),
    ]
    return Coefficient(term, *mine, *theirs, overlap_of(before, after), " and ".join(changes))


def mean_overlap(coefficients: tuple[Coefficient, ...]) -> float | None:
    """Return the mean overlap, lost coefficients counting as 0; None without any."""
    return sum(each.overlap for each in coefficients) / len(coefficients) if coefficients else None
