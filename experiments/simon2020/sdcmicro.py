"""What sdcMicro computes beside what the procedure asks for, to compare with its figures."""

from __future__ import annotations

from math import factorial

import numpy as np
from numpy.typing import NDArray

from anonymizer.assessment.keys import Integers


def individual_risk(sizes: Integers, population: Integers | None = None) -> NDArray[np.float64]:
    """Return the individual risk of a record in cells of given sizes.

    One over the size; or, with the sum of the sampling weights as the size in the population, the
    approximation of Benedetti and Franconi as sdcMicro has it (`indivRisk(method = "approx")`).

    >>> individual_risk(np.array([1, 4])).tolist()
    [1.0, 0.25]
    """
    if population is None:
        return 1 / sizes
    fraction = np.minimum(sizes / population, 1.0)
    whole = fraction == 1
    p = np.where(whole, 0.5, fraction)  # replaced below; keeps the logarithms finite
    odds, surprise = p / (1 - p), -np.log(p)
    risk = np.select(
        [sizes == 1, sizes == 2],
        [odds * surprise, odds - odds**2 * surprise],
        p / (sizes - (1 - p)),
    )
    return np.where(whole, 1 / sizes, risk)


def share_weight(keys: int, size: int) -> float:
    """Return what an MSU of some size adds to sdcMicro's other score.

    >>> share_weight(3, 1)
    1.0
    """
    sets = float(2 ** (keys - size) - 1)
    return sets * factorial(size) * factorial(keys - size) / factorial(keys)
