"""Proportions: intervals hold the truth as often as they say."""

from __future__ import annotations

import math

import numpy as np
import pytest

from anonymizer.estimators.proportions import Rate, difference


@pytest.mark.parametrize("truth", [0.02, 0.3, 0.9])
def test_the_interval_of_a_rate_covers_the_truth_in_about_95_of_100_samples(truth: float) -> None:
    random = np.random.default_rng(1)
    found = [Rate(int(count), 200).estimate for count in random.binomial(200, truth, 2_000)]
    covered = np.mean([each.low <= truth <= each.high for each in found])
    assert 0.93 <= covered <= 0.98


@pytest.mark.parametrize(("one", "other"), [(0.3, 0.25), (0.05, 0.05), (0.9, 0.1)])
def test_the_interval_of_an_excess_covers_the_truth(one: float, other: float) -> None:
    random = np.random.default_rng(2)
    pairs = zip(random.binomial(150, one, 2_000), random.binomial(200, other, 2_000), strict=True)
    found = [difference(Rate(int(a), 150), Rate(int(b), 200)) for a, b in pairs]
    assert 0.93 <= np.mean([each.low <= one - other <= each.high for each in found]) <= 0.99


def test_without_trials_nothing_is_known() -> None:
    nothing = Rate(0, 0).estimate
    assert math.isnan(nothing.value)
    assert (nothing.low, nothing.high) == (0, 1)
    excess = difference(Rate(3, 5), Rate(0, 0))
    assert math.isnan(excess.value)
    assert (excess.low, excess.high) == (-1, 1)
    assert Rate(0, 0).describe()["value"] is None


def test_no_rate_has_more_successes_than_trials() -> None:
    with pytest.raises(ValueError, match="6 of 5"):
        Rate(6, 5)
