"""An attack's excess, and what is said of one that was not tried."""

from __future__ import annotations

from anonymizer.attacks.result import Attack, Attacks, skip
from anonymizer.estimators.proportions import Rate, difference


def test_the_excess_is_what_exceeds_the_baseline() -> None:
    one, other = Rate(60, 100), Rate(20, 100)
    result = Attack("a", "?", one, other, "others")
    assert result.excess == difference(one, other)
    assert result.exceeds
    assert not Attack("a", "?", other, one, "others").exceeds
    assert not Attack("a", "?", one, Rate(58, 100), "others").exceeds


def test_without_a_baseline_the_excess_is_the_success() -> None:
    result = Attack("a", "?", Rate(6, 10), None, "nobody")
    assert result.excess == result.success.estimate


def test_what_was_not_tried_has_a_reason_and_no_figures() -> None:
    left = skip("a", "?", "nothing is released.")
    assert not left.exceeds
    assert left.describe() == {"name": "a", "question": "?", "skipped": "nothing is released."}
    assert Attacks((left,), 1, 0, 0).tried == ()
