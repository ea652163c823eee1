from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.hierarchy import Dates, Hierarchy, Intervals
from anonymizer.hierarchy.values import (
    MOST_DIGITS,
    NUMBER,
    TEXT,
    AsDate,
    parse_number,
    reading_of_values,
    write_moment,
    write_number,
)

DECIMALS = st.decimals(-(10**9), 10**9, places=4, allow_nan=False, allow_infinity=False)


@given(DECIMALS, st.sampled_from(["{}", " {} ", "{:+}", "{:.9f}", "{:E}", "{}0000"]))
def test_a_number_is_one_value_however_it_is_written(number: Decimal, form: str) -> None:
    value = NUMBER.read(form.format(number))
    assert value is not None
    assert Decimal(value) == number
    assert value == NUMBER.read(value)


@given(DECIMALS, DECIMALS)
def test_two_numbers_are_one_value_only_if_they_are_equal(one: Decimal, other: Decimal) -> None:
    assert (NUMBER.read(str(one)) == NUMBER.read(str(other))) == (one == other)


@pytest.mark.parametrize(
    "text", ["nan", "inf", "1_000", "1,5", "0x10", "x", "1 2", "\u0661", "1e999"]
)
def test_what_is_no_number_has_no_value(text: str) -> None:
    assert NUMBER.read(text) is None


@pytest.mark.parametrize("reading", [NUMBER, AsDate()])
@pytest.mark.parametrize("text", ["", " ", "\t"])
def test_a_blank_cell_is_missing_unless_it_is_text(reading: AsDate, text: str) -> None:
    assert reading.read(text) == ""
    assert TEXT.read(text) == text


FORMS = {
    "%Y-%m-%d": (),
    "%Y-%m-%dT%H:%M:%S": (),
    "%Y-%m-%d %H:%M": (),
    "%Y-%m-%dT%H:%M:%S.%f": (),
    "%Y-%m-%d %H:%M:%S+02:00": (),
    "%Y-%m-%dT%H:%M:%SZ": (),
    "%d.%m.%Y": ("%d.%m.%Y",),
    "%m/%d/%Y %H:%M": ("%m/%d/%Y %H:%M",),
}


@given(st.datetimes(datetime(1000, 1, 1)), st.sampled_from([*FORMS]))
def test_a_date_is_the_day_that_its_format_says(moment: datetime, form: str) -> None:
    assert AsDate(FORMS[form]).read(moment.strftime(form)) == moment.date().isoformat()


@given(st.datetimes(datetime(1000, 1, 1)))
def test_a_time_counts_as_its_hour_where_the_hierarchy_starts_there(moment: datetime) -> None:
    text = moment.isoformat(sep=" ")
    assert AsDate(unit="hour").read(text) == moment.strftime("%Y-%m-%dT%H").zfill(13)
    assert AsDate(unit="month").read(text) == text[:7]


@pytest.mark.parametrize(
    "text", ["2021-02-30", "2021-2-3", "2021", "20210203", "2021-02-03T25:00", "2021-02-03 x"]
)
def test_what_is_no_date_has_no_value(text: str) -> None:
    assert AsDate().read(text) is None


def test_listed_values_are_numbers_only_if_all_are_written_so() -> None:
    assert reading_of_values((1, (2, 4), 5.5)) is NUMBER
    assert reading_of_values((1, "2")) is TEXT
    assert reading_of_values(()) is TEXT


def test_a_type_or_a_format_is_stated_beside_a_hierarchy_of_texts() -> None:
    ages = Hierarchy.from_rows("age", [("18.0", "young", "*"), ("070", "old", "*")])
    assert ages.read_as("number", None).leaves == ("18", "70")
    days = Hierarchy.from_rows("day", [("31.12.2020", "*"), ("01.01.2021", "*")])
    assert days.read_as(None, "%d.%m.%Y").leaves == ("2020-12-31", "2021-01-01")
    twice = Hierarchy.from_rows("age", [("18", "*"), ("18.0", "*")])
    with pytest.raises(ValueError, match="as a number, '18' has several rows"):
        twice.read_as("number", None)


def test_a_format_is_added_to_dates_and_no_other_type_to_numbers() -> None:
    days = Dates("2020-01-01", "2020-12-31", ("month", "year")).build("day")
    assert days.read_as(None, "%d.%m.%Y").reading.read("31.12.2020") == "2020-12"
    with pytest.raises(ValueError, match="its hierarchy is of numbers; leave out `type`"):
        Intervals((0, 9)).build("age").read_as("date", None)


def test_each_quarter_has_three_months_from_january_on() -> None:
    quarters = [write_moment(datetime(2023, month, 28), "quarter") for month in range(1, 13)]
    assert quarters == [f"2023-Q{quarter}" for quarter in (1, 2, 3, 4) for _ in range(3)]


def test_a_number_may_have_so_many_digits_and_no_more() -> None:
    for most in ("1" * MOST_DIGITS, f"1e{MOST_DIGITS - 1}", f"1e-{MOST_DIGITS - 1}"):
        assert parse_number(most) == Decimal(most)
    for more in ("1" * (MOST_DIGITS + 1), f"1e{MOST_DIGITS}", f"1e-{MOST_DIGITS}"):
        assert parse_number(more) is None


def test_a_day_without_an_hour_begins_at_midnight() -> None:
    assert AsDate(unit="hour").read("2024-12-31") == "2024-12-31T00"


def test_fractions_are_written_as_decimals() -> None:
    assert [write_number(Fraction(n, 8)) for n in (1, 10, -16)] == ["0.125", "1.25", "-2"]


def test_a_stated_type_replaces_the_reading_and_none_leaves_it() -> None:
    for reading in (TEXT, NUMBER, AsDate(), AsDate(("%d.%m.%Y",), "month")):
        assert reading.stated(None, None) is reading
        assert reading.stated("text", None) is TEXT
        assert reading.stated("number", None) is NUMBER
    assert TEXT.stated("date", None) == AsDate()
    assert NUMBER.stated(None, "%Y") == AsDate(("%Y",))
    assert AsDate(unit="month").stated("date", "%Y") == AsDate(("%Y",), "month")
