from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from anonymizer.data.column import text_of
from anonymizer.data.opening import open_table
from anonymizer.data.parquet import ParquetTable
from anonymizer.data.release import write_parquet
from anonymizer.errors import DataError, ReleaseError
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


def people(folder: Path, rows: int = 20_000) -> Path:
    names = pa.array([f"{SECRET} {number}" for number in range(rows)])
    parquet.write_table(
        pa.table({"name": names, "age": pa.array(range(rows))}), folder / "p.parquet"
    )
    return folder / "p.parquet"


def damage(path: Path, column: int) -> None:
    """Write over the first page of a column."""
    place = parquet.ParquetFile(path).metadata.row_group(0).column(column)
    start = place.dictionary_page_offset or place.data_page_offset
    content = bytearray(path.read_bytes())
    content[start : start + 300] = b"\xa5" * 300
    path.write_bytes(content)


def test_a_damaged_page_is_one_sentence(tmp_path: Path) -> None:
    path = people(tmp_path)
    damage(path, 0)
    expected = "the file is damaged, and a part of it cannot be read; export it again."
    assert message_of(open_table(path), "name") == expected
    with pytest.raises(DataError, match="the file is damaged"):
        open_table(path).read(["name"])
    assert len(open_table(path).read(["age"])) == 20_000  # the other column is whole


@pytest.mark.parametrize("changed", [0x05, 0x80])
def test_a_file_with_any_byte_changed_is_read_or_refused_in_one_sentence(
    changed: int, tmp_path: Path
) -> None:
    path = tmp_path / "p.parquet"
    table = pa.table({"sex": ["f", "m", "f", None], "age": [34, 35, 34, 36]})
    parquet.write_table(table, path, compression="none")
    content, refused = path.read_bytes(), 0
    for place in range(len(content)):
        copy = bytearray(content)
        copy[place] ^= changed
        path.write_bytes(copy)
        try:
            opened = open_table(path)
            opened.aggregate(opened.columns)
            opened.read(opened.columns)
        except DataError:
            refused += 1
    assert 100 < refused < len(content)


def test_a_file_that_is_cut_off_is_no_parquet_file(tmp_path: Path) -> None:
    path = people(tmp_path)
    path.write_bytes(path.read_bytes()[:-100])
    assert message_of(open_table(path), "age") == "this is not a Parquet file."


def test_a_file_that_is_replaced_between_two_readings_is_noticed(tmp_path: Path) -> None:
    path = people(tmp_path)
    opened = open_table(path)
    opened.aggregate(["age"])
    people(tmp_path, 30)
    with pytest.raises(ReleaseError, match="changed while it was anonymized or assessed"):
        opened.read(["name"])


def test_types_and_rows_are_known_without_reading(tmp_path: Path) -> None:
    opened = open_table(people(tmp_path))
    assert opened.types == {"name": pa.string(), "age": pa.int64()}
    assert opened.rows == 20_000


def test_columns_are_read_beside_lists(tmp_path: Path) -> None:
    table = pa.table({"tags": [["x", "y"], ["z"]], "sex": ["F", None]})
    parquet.write_table(table, tmp_path / "p.parquet")
    opened = open_table(tmp_path / "p.parquet")
    assert rows_in(opened, "sex") == [("F",), (None,)]
    assert rows_in(opened, "tags") == [("['x', 'y']",), ("['z']",)]


def test_a_release_has_no_dictionary_of_the_original(tmp_path: Path) -> None:
    coded = pa.DictionaryArray.from_arrays(pa.array([0, 0]), ["x", SECRET])
    write_parquet(pa.table({"a": coded}), tmp_path / "p.parquet")
    read = parquet.read_table(tmp_path / "p.parquet", read_dictionary=["a"])
    assert read["a"].chunk(0).dictionary.to_pylist() == ["x"]


def test_a_date_beyond_the_year_9999_is_refused_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    days = pa.array([4_000_000], pa.int32()).cast(pa.date32())
    parquet.write_table(pa.table({"day": days}), path)
    with pytest.raises(DataError, match="the file is damaged, and a part of it cannot be read"):
        list(ParquetTable(path).batches(["day"]))
