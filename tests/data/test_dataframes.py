from __future__ import annotations

import datetime as dt
from decimal import Decimal

import polars as pl
import pyarrow as pa
import pytest

from anonymizer import Hierarchy, Policy, anonymize, make_manifest, verify
from anonymizer.data.dataframes import DataFrameTable, in_order
from anonymizer.data.table import open_table
from tests.data.reading import rows_in

FRAME = pl.DataFrame(
    {
        "text": ["x", None, "y"],
        "whole": pl.Series([1, None, 3], dtype=pl.Int8),
        "real": [1.5, float("nan"), 2.0],
        "flag": [True, None, False],
        "day": [dt.date(2024, 3, 1), None, dt.date(2024, 3, 2)],
        "moment": [dt.datetime(2024, 3, 1, 12), None, dt.datetime(2024, 3, 2)],
        "money": pl.Series([Decimal("1.50"), None, Decimal("2.00")], dtype=pl.Decimal(9, 2)),
        "category": pl.Series(["u", None, "v"], dtype=pl.Categorical),
        "enum": pl.Series(["lo", None, "hi"], dtype=pl.Enum(["lo", "hi"])),
        "list": [[1], None, [2, 3]],
    }
)


def test_cells_are_those_of_the_dataframe() -> None:
    for data in (FRAME, FRAME.lazy()):
        opened = open_table(data)
        assert isinstance(opened, DataFrameTable)
        assert opened.columns == tuple(FRAME.columns)
        assert opened.rows == 3
        assert rows_in(opened, "whole", "category", "day")[::2] == [
            (1, "u", dt.date(2024, 3, 1)),
            (3, "v", dt.date(2024, 3, 2)),
        ]


def test_an_enum_has_an_order_even_where_its_library_does_not_say_so() -> None:
    sizes = pa.array(["lo", None, "hi"]).dictionary_encode()
    table = pa.table({"enum": sizes, "category": sizes, "text": ["a", "b", "c"]})
    found = in_order(table, {"enum"})
    assert [found.schema.field(name).type.ordered for name in ("enum", "category")] == [True, False]
    assert found.to_pydict() == table.to_pydict()
    assert in_order(found, {"enum", "text"}) is found


@pytest.mark.filterwarnings("ignore:.*missing cells")
@pytest.mark.parametrize("name", ["text", "whole", "flag", "day", "money", "category", "enum"])
def test_an_untouched_column_keeps_its_type_and_kept_ones_do(name: str) -> None:
    leaves = {text for (text,) in rows_in(open_table(FRAME.select(pl.col(name).cast(str))), name)}
    if name == "flag":
        leaves = {"True", "False"}
    rows = [(str(leaf), "*") for leaf in sorted(filter(None, leaves))]  # type: ignore[type-var]
    quasi = {"role": "quasi", "hierarchy": Hierarchy.from_rows(name, rows), "max_level": 0}
    policy = Policy(
        attributes={
            **{column: {"role": "sensitive"} for column in FRAME.columns},
            name: quasi,
        },
        risk=[{"model": "k-anonymity", "k": 1}],
    )
    solution = anonymize(FRAME, policy)
    released = solution.to_frame()
    assert released.schema == FRAME.schema
    assert sorted(map(str, released.rows())) == sorted(map(str, FRAME.rows()))
    assert verify(released, policy, make_manifest(solution, released), against=FRAME).passed
