from __future__ import annotations

from datetime import date, datetime
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer import hierarchy
from anonymizer.data.cells import (
    MISSING,
    cells_of_arrow,
    cells_of_series,
    cells_of_values,
    parse_texts,
    text_of,
)
from tests.data.kinds import ARROW


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("34", "34"),
        (34, "34"),
        (np.int64(34), "34"),
        (34.0, "34.0"),
        (True, "True"),
        (np.bool_(False), "False"),
        (date(2024, 3, 1), "2024-03-01"),
        (datetime(2024, 3, 1), "2024-03-01"),
        (pd.Timestamp("2024-03-01"), "2024-03-01"),
        (datetime(2024, 3, 1, 8, 30), "2024-03-01T08:30:00"),
        (b"34", "34"),
    ],
)
def test_a_value_is_known_by_its_text(value: object, text: str) -> None:
    assert text_of(value) == text


@pytest.mark.parametrize(
    "value", [None, float("nan"), np.nan, pd.NA, pd.NaT, np.float32("nan"), ""]
)
def test_a_missing_cell_is_the_empty_text(value: object) -> None:
    assert text_of(value) == MISSING == hierarchy.MISSING


@pytest.mark.parametrize("kind", [float, np.float64, np.float32, np.float16])
def test_minus_zero_is_zero(kind: Any) -> None:
    assert text_of(kind(-0.0)) == text_of(kind(0.0)) == "0.0"


def test_a_long_array_is_written_to_its_end() -> None:
    numbers = np.arange(5000)
    assert text_of(numbers) == str(list(range(5000)))
    assert text_of(numbers) != text_of(np.where(numbers == 2500, 0, numbers))


VALUES = {
    pa.int16(): st.integers(-(2**15), 2**15 - 1),
    pa.uint64(): st.integers(0, 2**64 - 1),
    pa.float64(): st.floats(allow_nan=False),
    pa.float32(): st.floats(allow_nan=False, width=32),
    pa.bool_(): st.booleans(),
    pa.date32(): st.dates(),
    pa.date64(): st.dates(),
    pa.timestamp("us"): st.datetimes(),
    pa.timestamp("s"): st.datetimes().map(lambda moment: moment.replace(microsecond=0)),
    pa.time64("us"): st.times(),
    pa.decimal128(12, 3): st.decimals(-(10**8), 10**8, places=3, allow_nan=False),
    pa.string(): st.text(min_size=1),
    pa.large_string(): st.text(min_size=1),
    pa.binary(): st.text(min_size=1).map(str.encode),
}


@pytest.mark.parametrize("kind", VALUES, ids=str)
@given(data=st.data())
def test_a_value_can_be_read_back_from_its_text(kind: pa.DataType, data: st.DataObject) -> None:
    values = data.draw(st.lists(st.one_of(st.none(), VALUES[kind])))
    texts = [text_of(value) for value in pa.array(values, kind).to_pylist()]
    parsed = parse_texts(texts, kind)
    assert parsed is not None
    assert parsed.type == kind
    assert [text_of(value) for value in parsed.to_pylist()] == texts


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["x"], pa.int64()),
        (["300"], pa.int8()),
        (["1 day"], pa.duration("s")),
        (["25:00"], pa.time32("s")),
    ],
)
def test_a_text_that_is_no_value_of_a_type_is_not_read(texts: list[str], kind: Any) -> None:
    assert parse_texts(texts, kind) is None


def test_a_day_is_not_read_as_a_moment_in_some_time_zone() -> None:
    assert parse_texts(["2024-03-01"], pa.timestamp("us", tz="Europe/Berlin")) is None


MIXED = st.one_of(
    st.none(), st.integers(-3, 3), st.booleans(), st.sampled_from(["", "1", "True", "a"]),
    st.sampled_from([0.0, -0.0, 1.0, float("nan")]), st.lists(st.integers(0, 1), max_size=2),
)  # fmt: skip


@given(st.lists(MIXED))
def test_cells_of_any_kind_come_back_as_their_texts(values: list[object]) -> None:
    column = pd.Series(values, dtype=object)
    for cells in (cells_of_values(values), cells_of_series(column)):
        found = ["" if i < 0 else text_of(cells.distinct[i]) for i in cells.indices.tolist()]
        assert found == [text_of(value) for value in values]


@pytest.mark.parametrize("name", ARROW)
def test_every_arrow_type_is_split_into_cells(name: str) -> None:
    column, _ = ARROW[name]
    cells = cells_of_arrow(column)
    found = ["" if i < 0 else text_of(cells.distinct[i]) for i in cells.indices.tolist()]
    assert found == [text_of(value) for value in column.to_pylist()]
