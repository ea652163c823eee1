"""Statistics of the records' risks: mean, maximum and percentiles, and which are within a threshold.

"data-set" is the risk that at least one of n people is found, each with the mean risk r: 1 - (1 - r)^n.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

SLACK = 1e-12  # a risk that differs from the threshold by rounding only is not above it


DATA_SET = "data-set"


def quantile_of(statistic: str | float) -> Fraction | None:
    """Return the share of records that a statistic looks at, or None where it is one of the mean.

    >>> quantile_of("p95"), quantile_of(0.95), quantile_of("maximum"), quantile_of("mean")
    (Fraction(19, 20), Fraction(19, 20), Fraction(1, 1), None)
    """
    if statistic in ("mean", DATA_SET):
        return None
    share = Fraction(0)
    if isinstance(statistic, str):
        percent = re.fullmatch(r"p(\d+(?:\.\d+)?)", statistic)
        share = Fraction(percent[1]) / 100 if percent else Fraction(statistic == "maximum")
    elif isinstance(statistic, int | float) and math.isfinite(statistic):
        share = Fraction(repr(float(statistic)))  # 0.95 is meant, not the binary number next to it
    if not 0 < share <= 1 or isinstance(statistic, bool):
        raise ValueError(
            f"statistic {statistic!r} is unknown; use 'mean', 'maximum', 'data-set' or a percentile such "
            "as 'p95'"
        )
    return share


def statistic_of(
    risks: NDArray[np.float64], counts: NDArray[np.int64], statistic: str | float
) -> float:
    """Return a statistic of the records' risks; without records it is 0.

    A percentile is the smallest value v such that at least that share of the records have risk <= v.

    >>> statistic_of(np.array([0.1, 0.5]), np.array([19, 1]), "p95")
    0.1
    """
    quantile = quantile_of(statistic)
    records = int(counts.sum())
    if records == 0:
        return 0.0
    if quantile is None:
        mean = float((risks * counts).sum() / records)
        return data_set_risk(mean, records) if statistic == DATA_SET else mean
    order = np.argsort(risks)
    at_most = np.cumsum(counts[order])
    return float(risks[order[np.searchsorted(at_most, math.ceil(quantile * records))]])


def data_set_risk(mean: float, records: int) -> float:
    """Return the risk that at least one of some people is found, each with the mean risk.

    >>> data_set_risk(0.1, 2)
    0.19
    """
    return 1.0 if mean >= 1 else -math.expm1(records * math.log1p(-mean)) + 0.0


def mean_limit(statistic: str | float, threshold: float, records: int | NDArray[np.int64]) -> Any:
    """Return the highest mean of so many people's risks at which a statistic of the mean passes.

    >>> round(float(mean_limit("data-set", 0.19, 2)), 12), mean_limit("mean", 0.2, 5)
    (0.1, 0.2)
    """
    if statistic != DATA_SET:
        return threshold
    if threshold >= 1:
        return np.ones_like(records, float)[()]
    return -np.expm1(math.log1p(-threshold) / np.maximum(records, 1))


def records_above(quantile: Fraction, records: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many of so many records may be above a percentile.

    >>> records_above(Fraction("0.95"), np.array([20, 19])).tolist()
    [1, 0]
    """
    rest = 1 - quantile
    exact = records.astype(object) if rest.numerator >= 2**31 else records  # a product fits 64 bits
    return np.asarray(exact * rest.numerator // rest.denominator, np.int64)


def passes(risk: float, threshold: float) -> bool:
    """Tell whether a risk is within a threshold, rounding aside."""
    return risk <= threshold + SLACK
