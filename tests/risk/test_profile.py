from __future__ import annotations

import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.risk import RiskProfile, profile

SIZES = st.lists(st.integers(1, 50), min_size=1, max_size=30)


@given(SIZES)
def test_the_profile_is_what_record_by_record_counting_gives(sizes: list[int]) -> None:
    found = profile(np.array(sizes, np.int64))
    risks = [1 / size for size in sizes for _ in range(size)]  # one for each record
    assert found.records == len(risks)
    assert found.classes == len(sizes)
    assert found.highest_risk == max(risks)
    assert found.average_risk == pytest.approx(statistics.fmean(risks))
    assert found.records_at_highest_risk == sum(risk == max(risks) for risk in risks)
    assert found.sample_uniques == risks.count(1.0)
    assert found.smallest_class == min(sizes)
    assert found.median_class == statistics.median(sizes)
    assert found.largest_class == max(sizes)


@given(SIZES, st.randoms(use_true_random=False))
def test_the_order_of_classes_changes_nothing(sizes: list[int], random_: object) -> None:
    mixed = list(sizes)
    random_.shuffle(mixed)  # type: ignore[attr-defined]
    assert profile(np.array(mixed)) == profile(np.array(sizes))


@given(SIZES)
def test_merging_two_classes_never_raises_a_risk(sizes: list[int]) -> None:
    if len(sizes) < 2:
        return
    before = profile(np.array(sizes))
    after = profile(np.array([sizes[0] + sizes[1], *sizes[2:]]))
    assert after.highest_risk <= before.highest_risk
    assert after.average_risk <= before.average_risk
    assert after.sample_uniques <= before.sample_uniques


def test_a_table_with_every_record_suppressed_has_risk_0() -> None:
    empty = profile(np.array([], np.int64))
    assert empty == RiskProfile(0, 0, 0.0, 0.0, 0, 0, 0, 0.0, 0)
