from __future__ import annotations

import numpy as np

from anonymizer.data.plan import Recoding, ReleasePlan


def plan_of(rows: list[int]) -> ReleasePlan:
    recoding = Recoding(("low", "rare", "high"), np.array([0, 2, 1, 0]), original=False)
    of_row = np.array([0, 1, 2, 3, 1], np.int32)
    return ReleasePlan(("age", "ward"), {"age": recoding}, of_row, np.array(rows, np.int64))


def test_a_recoded_column_has_the_values_of_the_released_rows_alone() -> None:
    numbers, values = plan_of([4, 0, 3]).recoded("age")
    assert [values[number] for number in numbers] == ["high", "low", "low"]
    assert set(values) == {"low", "high"}


def test_without_rows_there_are_no_values() -> None:
    numbers, values = plan_of([]).recoded("age")
    assert (numbers.tolist(), values) == ([], [])


def test_columns_that_are_not_recoded_are_kept() -> None:
    assert plan_of([0]).kept == ("ward",)
