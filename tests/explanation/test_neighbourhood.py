"""How much of a risk a step takes away; what it is measured by is in test_explanation.py."""

from __future__ import annotations

import pytest

from anonymizer.explanation.neighbourhood import part_gone


@pytest.mark.parametrize(
    ("before", "after", "part"),
    [
        (0.5, 0.25, 0.5),
        (0.2, 0.3, -0.5),
        (float("inf"), float("inf"), 0.0),
        (0.1, float("inf"), -1.0),
        (0.0, 0.1, -1.0),
    ],
)
def test_a_risk_that_cannot_be_estimated_never_counts_as_low(
    before: float, after: float, part: float
) -> None:
    assert part_gone(before, after) == pytest.approx(part)
