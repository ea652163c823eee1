from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from anonymizer.attackers.scenario import AttributeGroup
from anonymizer.attackers.uniqueness import unique_in_population, with_interval
from tests.attackers.tables import scenario_of

SCENARIO = scenario_of(AttributeGroup(("age",), 0.5))


@pytest.mark.parametrize("unknown", [None, float("nan"), 7.0])
def test_what_cannot_be_estimated_counts_as_unique(unknown: float | None) -> None:
    assert unique_in_population(np.array([1, 2]), SCENARIO, lambda *_: unknown) == 1


def test_where_nobody_is_alone_nothing_is_estimated() -> None:
    def refuse(sizes: NDArray[np.int64], population: int) -> float:
        raise AssertionError

    assert unique_in_population(np.array([2, 0, 5]), SCENARIO, refuse) == 0


def test_the_estimate_gets_sizes_of_classes_that_remain_and_a_population_not_below_them() -> None:
    asked = []

    def remember(sizes: NDArray[np.int64], population: int) -> float:
        asked.append((sizes.tolist(), population))
        return 0.5

    few = scenario_of(AttributeGroup(("age",), 0.5), population=1)
    assert unique_in_population(np.array([1, 0, 3]), few, remember) == 0.5
    assert asked == [([1, 3], 4)]


@pytest.mark.parametrize(
    ("sizes", "unique", "known"),
    [([1, 1, 3, 5], 0.2, True), ([1, 1, 1], 1.0, False), ([2, 0, 3], 0.0, None)],
)
def test_u_lies_within_its_interval(sizes, unique, known) -> None:
    found = with_interval(unique, np.array(sizes), 100_000)
    assert 0 <= found.low <= found.value == unique <= found.high <= 1
    if known is None:
        assert found.high == 0  # nobody is alone
    else:
        assert (found.low, found.high) == (0, 1) or known
