"""How many people of a survey's class are enough, so that its class of the population has k people.

Every person of the population is drawn independently, with a fraction of their own. Whatever the people
of a class who are not drawn have for fractions, k-map must not be fooled by it: so records are counted by
how rarely they are drawn. p_t is the fraction at which t records of a class of k - 1 people, given that
it has any, are as unlikely as the significance:

    P(X >= t | X >= 1) = significance,    X ~ Binomial(k - 1, p_t)

A class is large enough where for some t it has t records with a fraction of at most p_t; k records are
always enough. Why that holds for unequal fractions, for one t: people with larger ones do not count, and
make it likelier that the class has any. Of the others, P(X >= t | X >= 1) grows with each fraction: a
Bernoulli variable grows with its probability in the likelihood ratio, sums of independent ones keep that
order, and so does the condition X >= 1. For all t together, the chance to pass, given that a class has
any record, is a quotient of two functions that are linear in each fraction, so that it is greatest where
each is some p_t, or 0, or 1. All these cases were looked at for k up to 12 and significances from 0.01
to 0.2: none exceeds them (`results/survey`). For other ones the next lower of these counts, or the
significance is shared among all t, which is safe for any.

Merging classes adds up their records, so that a class that passes still does.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

LOOKED_AT = 12
SIGNIFICANCES = (0.01, 0.05, 0.1, 0.2)
"""Up to this k, every case was looked at for these."""
STEPS = 60
"""Bisections: fractions are found to 1e-18."""


def chance(t: int, people: int, fraction: float) -> float:
    """Return P(X >= t | X >= 1) for X ~ Binomial(people, fraction).

    >>> round(chance(2, 4, 0.0660), 3), chance(1, 4, 0.5)
    (0.1, 1.0)
    """
    if t <= 1:
        return 1.0
    if fraction >= 1:
        return float(people >= t)
    odds = math.log(fraction) - math.log1p(-fraction)
    whole = people * math.log1p(-fraction)
    drawn = [math.comb(people, x) * math.exp(whole + x * odds) for x in range(t, people + 1)]
    return math.fsum(drawn) / -math.expm1(whole)


@lru_cache(maxsize=256)
def largest_fractions(k: int, significance: float) -> tuple[float, ...]:
    """Return the largest fraction at which t records are enough, for t = 2, 3, ..., k; 1 for k of them.

    >>> [round(fraction, 3) for fraction in largest_fractions(5, 0.1)]
    [0.066, 0.287, 0.557, 1.0]
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    if not 0 < significance < 1:
        raise ValueError(f"significance must lie between 0 and 1, got {significance}")
    looked_at = [each for each in SIGNIFICANCES if k <= LOOKED_AT and each <= significance]
    share = max([*looked_at, significance / max(1, k - 2)])
    found = [largest_fraction(t, k - 1, share) for t in range(2, k)]
    return (*found, 1.0) if k > 1 else ()


def largest_fraction(t: int, people: int, significance: float) -> float:
    """Return the largest fraction at which t of so many people are no likelier than the significance."""
    low, high = 0.0, 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        if chance(t, people, middle) <= significance:
            low = middle
        else:
            high = middle
    return low


def rarities(fractions: Floats, k: int, significance: float) -> Integers:
    """Number records by the t that they count for: 0 for t = 2 and more, 1 for t = 3 and more, and so on.

    >>> rarities(np.array([0.01, 0.3, 1.0]), 5, 0.1).tolist()
    [0, 2, 3]
    """
    return np.searchsorted(largest_fractions(k, significance), fractions).astype(np.int64)


def large_enough(
    labels: NDArray[np.integer[Any]],
    rarity: Integers,
    counts: NDArray[np.integer[Any]],
    classes: int,
    k: int,
) -> NDArray[np.bool_]:
    """Mark the classes with t records that are drawn rarely enough, for some t, or with k of any.

    `labels`, `rarity` and `counts` are the class, the rarity and the number of alike records.
    """
    if k == 1:
        return np.ones(classes, np.bool_)
    needed = np.arange(2, k + 1)
    keys = labels.astype(np.int64) * needed.size + rarity
    found = np.bincount(keys, counts, classes * needed.size).reshape(-1, needed.size)
    return np.asarray((found.cumsum(axis=1) >= needed).any(axis=1))


def wrong_at_most(classes: int, significance: float, confidence: float = 0.975) -> int:
    """Return how many of some classes pass wrongly at most, each with the significance, at a confidence.

    >>> wrong_at_most(100, 0.1), wrong_at_most(0, 0.1)
    (16, 0)
    """
    below, odds = 0.0, math.log(significance) - math.log1p(-significance)
    whole = classes * math.log1p(-significance)
    for wrong in range(classes):
        ways = math.lgamma(classes + 1) - math.lgamma(wrong + 1) - math.lgamma(classes - wrong + 1)
        below += math.exp(whole + wrong * odds + ways)
        if below >= confidence:
            return wrong
    return classes
