from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from anonymizer.data.cells import text_of
from anonymizer.data.parquet import ParquetTable
from anonymizer.data.table import open_table
from tests.data.reading import SECRET, message_of, rows_in, write


def test_text_named_parquet_is_no_parquet_file(tmp_path: Path) -> None:
    path = write(tmp_path, SECRET, "people.parquet")
    assert message_of(ParquetTable(path), "a") == "this is not a Parquet file."


def test_parquet_types_are_read_as_their_text(tmp_path: Path) -> None:
    content = pa.table(
        {
            "whole": pa.array([1, None], pa.int16()),
            "day": pa.array([date(2024, 3, 1), None]),
            "moment": pa.array([datetime(2024, 3, 1), datetime(2024, 3, 1, 8, 30)]),
            "yes": pa.array([True, False]),
            "word": pa.array(["x", None]).dictionary_encode(),
            "long": pa.array(["x", "y"], pa.large_string()),
        }
    )
    parquet.write_table(content, tmp_path / "people.parquet")
    rows = rows_in(open_table(tmp_path / "people.parquet"), *content.column_names)
    texts = [[value if value is None else text_of(value) for value in row] for row in rows]
    assert texts == [
        ["1", "2024-03-01", "2024-03-01", "True", "x", "x"],
        [None, None, "2024-03-01T08:30:00", "False", None, "y"],
    ]
