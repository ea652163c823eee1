"""An attack's excess, and what is said of one that was not tried."""

from __future__ import annotations

import pytest

from anonymizer.attacks.result import Attack, Attacks, skip
from anonymizer.estimators.proportions import Rate, difference


def test_the_excess_is_what_exceeds_the_baseline() -> None:
    one, other = Rate(60, 100), Rate(20, 100)
    result = Attack("a", "?", one, other, "others")
    assert result.excess == difference(one, other)
    assert result.exceeds
    assert not Attack("a", "?", other, one, "others").exceeds
    assert not Attack("a", "?", one, Rate(58, 100), "others").exceeds


@pytest.mark.parametrize(
    ("success", "baseline", "finding"),
    [
        (
            Rate(1776, 2000),
            Rate(1660, 2000),
            "Gain of 5.8 percentage points over the baseline (95 % interval 3.6 to 8.0): it succeeds in "
            "88.8 % of 2,000 attempts, the baseline in 83.0 % of 2,000 attempts.",
        ),
        (
            Rate(1, 20),
            Rate(0, 20),
            "Gain of 5.0 percentage points over the baseline (95 % interval -11.6 to 23.6), not beyond "
            "chance: it succeeds in 5.0 % of 20 attempts, the baseline in 0 % of 20 attempts.",
        ),
        (
            Rate(1, 2),
            Rate(0, 0),
            "Gain over the baseline not known: it succeeds in 50.0 % of 2 attempts, the baseline in none "
            "of 0 attempts.",
        ),
    ],
)
def test_what_is_found_begins_with_the_gain_over_the_baseline(
    success: Rate, baseline: Rate, finding: str
) -> None:
    found = Attack("a", "?", success, baseline, "others")
    assert found.finding == found.describe()["finding"] == finding


def test_what_was_not_tried_has_a_reason_and_no_figures() -> None:
    left = skip("a", "?", "nothing is released.")
    assert not left.exceeds
    assert left.describe() == {"name": "a", "question": "?", "skipped": "nothing is released."}
    assert Attacks((left,), 1, 0, 0).tried == ()
