from __future__ import annotations

import re
import sys
import tomllib
from datetime import date, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.data.pandas import FrameTable
from anonymizer.data.table import read_columns
from anonymizer.hierarchy import Hierarchy, check_rows, check_values, parse_spec, suggest
from anonymizer.hierarchy.round_numbers import MANY_GROUPS
from anonymizer.hierarchy.suggest import FEW_VALUES, kind_of_texts

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


def spec_of(values: Any, name: str = "column") -> dict[str, Any]:
    return tomllib.loads(suggest(pd.Series(values, name=name)))


def build(column: pd.Series[Any]) -> Hierarchy:
    return parse_spec(tomllib.loads(suggest(column))).build(str(column.name))


def assert_covers(column: pd.Series[Any]) -> None:
    cells = read_columns(FrameTable(column.to_frame("x")), ["x"])["x"]
    assert check_values(build(column), cells.texts) == []


CELLS = (
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=8))
    | st.lists(st.integers(-(10**12), 10**12))
    | st.lists(st.integers(-200, 200))
    | st.lists(st.floats(allow_nan=True, allow_infinity=True))
    | st.lists(st.floats(-1e6, 1e6).map(lambda number: round(number, 2)) | st.none())
    | st.lists(st.dates().map(str))
    | st.lists(st.dates(date(1950, 1, 1), date(2050, 1, 1)).map(lambda day: f"{day:%d.%m.%Y}"))
    | st.lists(st.dates(date(1950, 1, 1), date(2050, 1, 1)).map(lambda day: f"{day:%m/%d/%Y}"))
    | st.lists(st.datetimes())
    | st.lists(st.booleans())
    | st.lists(st.text("0123456789A", min_size=5, max_size=5), min_size=10)
    | st.lists(st.none() | st.integers(0, 50))
)


@given(CELLS, st.text(max_size=5))
def test_a_suggestion_loads_and_covers_every_value(cells: list[Any], name: str) -> None:
    assert_covers(pd.Series(cells, name=name))


@pytest.mark.parametrize("cells", [[], [None, None], [""]])
def test_a_column_without_a_value_gets_a_spec_that_covers_its_missing_cells(cells: Any) -> None:
    column = pd.Series(cells, name="empty", dtype=object)
    assert build(column).leaves == ("",)
    assert "no cell has a value" in suggest(column)


@pytest.mark.slow
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
        "open": "both",
    }


@pytest.mark.parametrize("write", [str, float, "{}.0".format, " {} ".format])
def test_numbers_are_the_same_however_they_are_written(write: Any) -> None:
    assert spec_of([write(age) for age in range(17, 91)]) == spec_of(range(17, 91))


def test_missing_cells_are_given_a_place() -> None:
    ages = range(17, 91)
    assert spec_of([*map(float, ages), None]) == spec_of(ages) | {"missing": "top"}


NUMBERS = st.lists(
    st.integers(-(10**7), 10**7)
    | st.floats(-1e6, 1e6, allow_nan=False).map(lambda number: round(number, 3)),
    min_size=1,
    max_size=40,
)


@given(NUMBERS)
def test_no_bound_of_a_proposed_label_is_somebodys_own_value(numbers: list[float]) -> None:
    spec = spec_of(numbers)
    hierarchy = parse_spec(spec).build("column")
    if not spec.get("widths"):
        return
    width = Fraction(str(spec["widths"][0]))
    for label in {label for labels in hierarchy.labels[1:-1] for label in labels}:
        for text in re.findall(r"-?\d+(?:\.\d+)?", re.sub(r"(?<=\d)-", " to ", label)):
            bound = Fraction(text)
            # whole intervals are named by their last number, one below the next bound
            assert bound % width == 0 or (bound + 1) % width == 0


def test_numbers_that_crowd_in_a_part_of_their_domain_are_cut_where_they_lie() -> None:
    receptors = [number for number in range(2000) for _ in range(20_000 // (number + 5) ** 2 + 1)]
    spec = spec_of(receptors)
    assert spec["bounds"][-1] == [50]
    for level in parse_spec(spec).build("column").with_values(map(str, receptors)).codes[1:-1]:
        assert pd.Series(level[receptors]).value_counts(normalize=True).max() < 0.7


def test_both_ends_are_open_where_a_number_lies_below_zero() -> None:
    visits = [*range(15), *range(15)] * 40
    assert spec_of(visits)["open"] == "high"
    assert spec_of([*visits, -1, -70])["open"] == "both"


@given(NUMBERS)
def test_numbers_unseen_so_far_are_covered(numbers: list[float]) -> None:
    hierarchy = parse_spec(spec_of(numbers)).build("column")
    more = [str(round(float(number) * 3 + 1)) for number in numbers]
    assert check_values(hierarchy, more) == []


def test_decimal_numbers_get_round_intervals_of_real_numbers() -> None:
    assert spec_of([9.25, 10.5, 100.125, None]) == {
        "builder": "intervals",
        "domain": [5.0, 105.0],
        "widths": [5, 10, 20, 40],
        "open": "both",
        "missing": "top",
    }


def test_outliers_do_not_widen_the_domain() -> None:
    assert spec_of([*range(100), *range(100), 10**6])["domain"] == [0, 99]


def test_numbers_too_far_apart_to_be_listed_are_taken_as_real() -> None:
    spec = spec_of([number * 10**7 for number in range(30)])
    assert spec["domain"] == [0.0, 300000000.0]


def test_the_codes_of_the_table_are_the_leaves_of_its_postal_codes() -> None:
    codes = [f"{code:05}" for code in range(501, 90_000, 997)]
    assert spec_of(codes) == {
        "builder": "redaction",
        "redact": [4],
        "values": codes,
        "unlisted": True,
    }
    assert build(pd.Series(codes)).extent == len(codes)
    assert spec_of([code for code in codes if code[0] != "0"], "ZIP")["builder"] == "redaction"


@pytest.mark.parametrize("form", ["K{}", "{}000", "k-{}", "K{}.9"])
def test_codes_that_the_table_lacks_are_covered_if_they_look_alike(form: str) -> None:
    codes = [form.format(code) for code in range(100, 130)]
    hierarchy = build(pd.Series(codes, name="zip"))
    assert check_values(hierarchy, [*codes, form.format(999)]) == []
    assert check_values(hierarchy, [form.format("99?")]) != []
    assert check_values(hierarchy, [form.format(9999)]) != []


@pytest.mark.parametrize(
    ("form", "alphabet"),
    [
        ("K{}", "alphanumeric"),
        ("{}000", "digits"),
        ("k-{}", "0123456789abcdefghijklmnopqrstuvwxyz-"),
        ("K{}.9", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ."),
    ],
)
def test_more_codes_than_can_be_listed_are_stated_by_their_form(
    form: str, alphabet: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules[kind_of_texts.__module__], "MOST_LISTED", 20)
    codes = [form.format(code) for code in range(100, 130)]
    assert spec_of(codes, "zip") == {
        "builder": "redaction",
        "length": len(codes[0]),
        "alphabet": alphabet,
    }


def test_decimals_of_one_length_are_not_codes() -> None:
    assert spec_of([f"{number / 4:.2f}" for number in range(40, 80)])["builder"] == "intervals"


def test_dates_cover_whole_years_and_what_lies_beyond() -> None:
    spec = spec_of(["2021-03-04", "2019-12-31"])
    assert (str(spec["from"]), str(spec["to"]), spec["open"]) == (
        "2019-01-01",
        "2021-12-31",
        "both",
    )
    assert spec_of(pd.to_datetime(["2021-03-04", "2019-12-31"])) == spec
    assert spec_of(["2021-03", "2019-12"])["periods"] == ["month", "quarter", "year", "decade"]


def test_a_day_that_stands_for_none_does_not_make_a_list_of_millions() -> None:
    column = pd.Series(["2021-03-04", "9999-12-31"], name="until")
    assert spec_of(column)["periods"] == ["month", "quarter", "year", "decade"]
    assert_covers(column)


@pytest.mark.parametrize(
    ("form", "found"),
    [
        ("%d.%m.%Y", ["%d.%m.%Y"]),
        ("%m/%d/%Y", ["%m/%d/%Y"]),
        ("%d/%m/%Y %H:%M", ["%d/%m/%Y %H:%M"]),
        ("%Y-%m-%d %H:%M:%S", None),
        ("%Y-%m-%dT%H:%M:%S+02:00", None),
    ],
)
def test_dates_are_recognised_in_many_formats(form: str, found: list[str] | None) -> None:
    days = [datetime(2019, 12, 31, 8, 30), datetime(2021, 3, 14)]
    spec = spec_of([day.strftime(form) for day in days])
    assert (spec["builder"], spec.get("format")) == ("dates", found)
    assert spec["periods"] == ["day", "month", "quarter", "year", "decade"]


def test_day_and_month_that_cannot_be_told_apart_are_said_and_only_years_are_used() -> None:
    column = pd.Series(["01/02/2020", "03/04/2021"], name="seen")
    assert "cannot be told apart" in suggest(column)
    assert spec_of(column)["periods"] == ["year", "decade"]
    assert_covers(column)


def test_text_that_only_looks_like_a_date_is_a_category() -> None:
    assert spec_of(["2021-02-30", "2021-01-01"])["builder"] == "mapping"


def test_categories_become_a_mapping_to_fill_in() -> None:
    text = suggest(pd.Series(["red", "green", "red"], name="colour"))
    assert text == (
        "# Column 'colour': 2 categories.\n"
        "# One flat step: each is kept or goes to the top. To merge some, write groups in place\n"
        "# of the last lines:\n"
        "#   [groups]\n"
        '#   "name of the group" = ["green", "red"]\n'
        'builder = "mapping"\n'
        'values = ["green", "red"]\n'
        "unlisted = true\n"
    )


def test_many_categories_are_merged_from_rare_to_frequent() -> None:
    spec = spec_of([letter for number, letter in enumerate("abcdefgh") for _ in range(9 - number)])
    assert spec == {
        "builder": "priority",
        "values": list("abcdefgh"),
        "keep": [4, 2],
        "unlisted": True,
    }


def test_a_column_of_unlike_cells_is_suspected_to_identify() -> None:
    names = pd.Series([f"{letter}. Smith" for letter in "ABCDEFGHIJKLMNOP"], name="name")
    assert "is this column a direct identifier?" in suggest(names)


def test_a_few_postal_codes_are_codes_and_not_numbers() -> None:
    spec = suggest(pd.Series(["10115", "80331", "80333"], name="ZIP"))
    assert 'builder = "redaction"' in spec
    assert 'values = ["10115", "80331", "80333"]' in spec
    assert 'builder = "redaction"' not in suggest(pd.Series(["101", "803"], name="beds"))


def test_one_flat_step_is_a_fair_choice_for_as_many_values_as_a_level_may_have() -> None:
    for values, kind in ((MANY_GROUPS, None), (MANY_GROUPS + 1, "number")):
        flat = Hierarchy.from_rows("x", [(str(number), "*") for number in range(values)])
        assert kind_of_texts(flat) == kind


def test_of_more_than_a_few_cells_it_is_said_that_every_one_differs() -> None:
    said = "Every cell differs"
    for cells in (FEW_VALUES, FEW_VALUES + 1):
        values = [f"{chr(97 + at)}{'xy'[at % 2] * (1 + at % 3)}" for at in range(cells)]
        assert (said in suggest(pd.Series(values, name="x"))) is (cells > FEW_VALUES)
