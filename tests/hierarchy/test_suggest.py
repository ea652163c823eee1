from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.errors import HierarchyError
from anonymizer.hierarchy import Hierarchy, check_rows, check_values, parse_spec, suggest
from anonymizer.hierarchy.suggest import distinct_texts

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


def spec_of(values: Any, name: str = "column") -> dict[str, Any]:
    return tomllib.loads(suggest(pd.Series(values, name=name)))


def build(column: pd.Series[Any]) -> Hierarchy:
    return parse_spec(tomllib.loads(suggest(column))).build(str(column.name))


def assert_covers(column: pd.Series[Any]) -> None:
    assert check_values(build(column), distinct_texts(column)) == []


CELLS = (
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=8))
    | st.lists(st.integers(-(10**12), 10**12))
    | st.lists(st.integers(-200, 200))
    | st.lists(st.floats(allow_nan=True, allow_infinity=True))
    | st.lists(st.dates().map(str))
    | st.lists(st.datetimes())
    | st.lists(st.booleans())
    | st.lists(st.text("0123456789A", min_size=5, max_size=5), min_size=10)
    | st.lists(st.none() | st.integers(0, 50))
)


@given(CELLS, st.text(max_size=5))
def test_a_suggestion_loads_and_covers_every_value(cells: list[Any], name: str) -> None:
    column = pd.Series(cells, name=name)
    if distinct_texts(column):
        assert_covers(column)
    else:
        with pytest.raises(HierarchyError, match="no cell has a value; there is nothing to group"):
            suggest(column)


@pytest.mark.parametrize("dataset", ["adult", "cup", "fars"])
@pytest.mark.parametrize("dtype", [str, None])
def test_suggestions_for_benchmark_columns_load_and_cover_them(dataset: str, dtype: Any) -> None:
    path = DATA / dataset / "data.csv"
    if not path.exists():
        pytest.skip(f"no table to make suggestions for: {path}")
    table = pd.read_csv(path, sep=";", dtype=dtype)
    for name in table:
        assert_covers(table[name])
        errors = [d for d in check_rows(build(table[name]).rows()) if d.severity == "error"]
        assert errors == []


def test_numbers_get_round_intervals_that_fill_their_domain() -> None:
    assert spec_of(range(17, 91)) == {
        "builder": "intervals",
        "domain": [15, 94],
        "widths": [5, 10, 20],
    }


def test_numbers_read_as_text_or_with_missing_cells_are_still_numbers() -> None:
    assert spec_of([str(age) for age in range(17, 91)]) == spec_of(range(17, 91))
    assert spec_of([*map(float, range(17, 91)), None]) == spec_of(range(17, 91))


def test_a_few_numbers_far_apart_are_ordered_and_merged() -> None:
    spec = spec_of([1000, 7000, 2000])
    assert spec["values"] == ["1000", "2000", "7000"]
    assert (spec["builder"], spec["groups"]) == ("ordered", [2])


def test_decimal_numbers_are_ordered_by_size_not_as_text() -> None:
    assert spec_of([10.5, 9.25, 100.125])["values"] == ["9.25", "10.5", "100.125"]


def test_numbers_too_far_apart_for_a_domain_are_listed() -> None:
    assert spec_of([number * 10**7 for number in range(30)])["builder"] == "ordered"


def test_zip_codes_are_redacted() -> None:
    codes = [f"{code:05}" for code in range(501, 90_000, 997)]
    assert spec_of(codes) == {"builder": "redaction", "digits": 5}
    assert spec_of([code for code in codes if code[0] != "0"], "ZIP")["builder"] == "redaction"


def test_codes_with_letters_are_redacted_from_those_that_occur() -> None:
    spec = spec_of([f"K{code}" for code in range(100, 130)])
    assert (spec["builder"], len(spec["values"])) == ("redaction", 30)


def test_dates_cover_whole_years() -> None:
    spec = spec_of(["2021-03-04", "2019-12-31"])
    assert (str(spec["from"]), str(spec["to"])) == ("2019-01-01", "2021-12-31")
    assert spec_of(pd.to_datetime(["2021-03-04", "2019-12-31"])) == spec
    assert spec_of(["2021-03", "2019-12"])["levels"] == ["month", "quarter", "year", "decade"]


def test_text_that_only_looks_like_a_date_is_a_category() -> None:
    assert spec_of(["2021-02-30", "2021-01-01"])["builder"] == "mapping"


def test_categories_become_a_mapping_to_fill_in() -> None:
    text = suggest(pd.Series(["red", "green", "red"], name="colour"))
    assert text == (
        "# Column 'colour': 2 categories.\n"
        "# Each is kept or goes to the top. To merge some, put groups in place of `values`:\n"
        "#   [groups]\n"
        '#   "name of the group" = ["green", "red"]\n'
        'builder = "mapping"\n'
        'values = ["green", "red"]\n'
    )


def test_a_column_of_unlike_cells_is_suspected_to_identify() -> None:
    names = pd.Series([f"{letter}. Smith" for letter in "ABCDEFGHIJKLMNOP"], name="name")
    assert "is this column a direct identifier?" in suggest(names)
