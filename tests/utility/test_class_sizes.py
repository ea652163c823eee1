from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.utility import AverageClassSize, Discernibility

SIZES = st.lists(st.integers(1, 4), min_size=1, max_size=4)


@given(SIZES, st.integers(0, 17), st.integers(0, 5))
def test_the_spared_records_are_those_whose_suppression_costs_most(
    sizes: list[int], exempt: int, others: int
) -> None:
    records = sum(sizes) + others
    left = [
        [size - less for size, less in zip(sizes, taken, strict=True)]
        for taken in itertools.product(*(range(size + 1) for size in sizes))
        if sum(taken) == min(exempt, sum(sizes))
    ]
    costs = [
        sum(n * (records - size) for n, size in zip(suppressed, sizes, strict=True))
        for suppressed in left
    ]
    found = Discernibility().forfeit(np.array(sizes), exempt, 1, records)
    assert found == pytest.approx(min(costs) / max(1, records * (records - 1)), abs=1e-15)


def test_discernibility_is_bayardo_and_agrawal_s_sum_between_0_and_1() -> None:
    kept, records = np.array([2, 3]), 6  # one is suppressed
    total = 2 * 2 + 3 * 3 + 1 * 6
    assert Discernibility().lost(kept, records) == pytest.approx((total - 6) / (36 - 6))


def test_the_suppressed_are_one_class() -> None:
    measure = AverageClassSize()
    assert measure.lost(np.array([2, 3]), 5) == pytest.approx(3 / 4)
    assert measure.lost(np.array([2, 3]), 9) == pytest.approx(6 / 8)
    assert measure.lost(np.array([], np.int64), 9) == 1


def test_to_suppress_all_but_a_small_class_is_not_praised() -> None:
    measure = AverageClassSize()
    assert measure.lost(np.array([5]), 100) > measure.lost(np.array([5, 45, 50]), 100)


@pytest.mark.parametrize("measure", [AverageClassSize(), Discernibility()], ids=lambda m: m.name)
def test_everybody_alone_is_0_and_a_table_of_one_record_has_nothing_to_lose(
    measure: AverageClassSize | Discernibility,
) -> None:
    assert measure.lost(np.ones(7, np.int64), 7) == 0
    assert measure.lost(np.array([7]), 7) == 1
    assert measure.lost(np.array([1]), 1) == 0
    assert measure.lost(np.array([], np.int64), 1) == 0


def test_sums_of_many_records_do_not_overflow() -> None:
    records = 2**31 - 1
    assert Discernibility().lost(np.array([records]), records) == 1
    assert Discernibility().lost(np.array([], np.int64), records) == 1
