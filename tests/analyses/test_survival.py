"""Survival curves against the product-limit formula."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from anonymizer import DataError, evidence
from anonymizer.analyses import survival
from tests.analyses.people import CURVES, people, release


def product_limit(times: pd.Series, events: pd.Series, at: float) -> float:
    """The formula of Kaplan and Meier, step by step."""
    left = 1.0
    for time in sorted(set(times[events])):
        if time <= at:
            left *= 1 - (events & (times == time)).sum() / (times >= time).sum()
    return left


def test_curves_are_those_of_kaplan_and_meier() -> None:
    frame = people(60).round(0)
    found = evidence(release(frame, [CURVES]))["curves"]
    for curve in found.curves:
        group = frame[frame["sex"] == curve.group]
        for time, share in zip(curve.times, curve.before, strict=True):
            assert share == pytest.approx(product_limit(group["stay"], group["ill"] == "yes", time))
        assert curve.after == curve.before


def test_the_difference_is_the_largest_at_any_step_of_either_curve() -> None:
    frame = people(200).round(0)
    solution = release(frame, [{**CURVES, "group": "town"}], (0, 0, 0), k=2)
    found = evidence(solution)["curves"]
    released = solution.to_frame()
    for row in found.rows:
        before, after = (each[each["town"] == row.group] for each in (frame, released))
        steps = sorted({*before["stay"], *after["stay"]})
        largest = max(
            abs(
                product_limit(before["stay"], before["ill"] == "yes", step)
                - product_limit(after["stay"], after["ill"] == "yes", step)
            )
            for step in steps
        )
        assert row.difference == pytest.approx(largest)
        assert row.records_after == len(after)
    assert found.value == max(row.difference for row in found.rows)


def test_groups_that_the_release_does_not_have_are_said() -> None:
    found = evidence(release(people(), [CURVES], (0, 1, 0)))["curves"]
    assert found.value is None
    assert "does not have all groups" in found.findings[0]
    assert all(curve.after is None for curve in found.curves)


def test_a_group_of_few_people_has_no_curve() -> None:
    frame = people(60)
    frame["rare"] = ["few"] * 4 + ["many"] * 56
    found = evidence(release(frame, [{**CURVES, "group": "rare"}]))["curves"]
    assert [curve.group for curve in found.curves] == ["many"]
    with pytest.raises(DataError, match="no group has 5 people"):
        evidence(release(frame.head(4), [{**CURVES, "group": "rare"}]))


def test_the_times_of_a_curve_are_nobodys_own() -> None:
    times = np.array([1.234, 5.678, 9.1011])
    assert not set(survival.round_times(times)) & set(times)
