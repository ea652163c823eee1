from __future__ import annotations

from datetime import date
from decimal import Decimal

import numpy as np
import pytest

from anonymizer import Hierarchy, Policy, anonymize
from anonymizer.data.records import ColumnsTable, RecordsTable
from anonymizer.data.table import open_table
from anonymizer.errors import DataError
from tests.data.reading import rows_in

ROWS = [{"a": 1, "b": "x"}, {"b": None, "c": [2]}, {"a": 1.0, "c": None}]


def test_a_key_that_a_row_does_not_have_is_a_missing_cell() -> None:
    opened = open_table(ROWS)
    assert isinstance(opened, RecordsTable)
    assert opened.columns == ("a", "b", "c")
    assert rows_in(opened, "a", "b", "c") == [
        ("1", "x", None),
        (None, None, "[2]"),
        ("1.0", None, None),
    ]


def test_columns_may_be_any_lists_or_arrays() -> None:
    opened = open_table({"a": [1, 2], 7: np.array(["x", "y"]), "c": range(2)})
    assert isinstance(opened, ColumnsTable)
    assert rows_in(opened, "7", "a", "c") == [("x", "1", "0"), ("y", "2", "1")]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "the list is empty, so it has no columns; give a dict for each row."),
        ([{"a": 1}, 3], "the data is a list: give a dict for each row, "),
        ({"a": "text"}, "the data is a dict: give a list of values for each column"),
        ({"a": [1], "b": [1, 2]}, "the columns of the dict are not equally long; give each row a "),
        ({"1": [1], 1: [2]}, "two columns have the same name as text; rename one."),
    ],
)
def test_what_is_no_table_is_one_sentence(data: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        open_table(data)  # type: ignore[arg-type]


def test_values_come_out_as_the_objects_they_were() -> None:
    leaves = [("1.50", "*"), ("2", "*")]
    policy = Policy(
        attributes={
            "size": {
                "role": "quasi",
                "hierarchy": Hierarchy.from_rows("size", leaves),
                "max_level": 0,
            },
            "seen": {"role": "sensitive"},
        },
        risk=[{"model": "k-anonymity", "k": 1}],
    )
    rows = [{"size": Decimal("1.50"), "seen": date(2024, 3, 1)}, {"size": Decimal(2), "seen": None}]
    released = anonymize(rows, policy).to_frame()
    assert sorted(released, key=lambda row: row["size"]) == rows
    columns = {"size": [Decimal(2)], "seen": [[1, 2]]}
    assert anonymize(columns, policy).to_frame() == columns
