from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.errors import HierarchyError
from anonymizer.hierarchy import Dates
from anonymizer.hierarchy.dates import PERIODS, count_leaves

FIRST, LAST = date(2019, 3, 5), date(2021, 8, 20)


@given(st.sampled_from(["low", "high", "both"]), st.dates(date(1900, 1, 1), date(2100, 1, 1)))
def test_days_beyond_an_open_end_join_the_first_or_last_period(ends: Any, day: date) -> None:
    hierarchy = Dates(FIRST, LAST, open=ends).build("day")
    grown = hierarchy.with_values([day.isoformat()])
    rows = {row[0]: row for row in grown.rows()}
    beyond = (day < FIRST and ends != "high") or (day > LAST and ends != "low")
    assert (day.isoformat() in rows) == (FIRST <= day <= LAST or beyond)
    if beyond:
        nearest = rows[min(max(day, FIRST), LAST).isoformat()]
        assert rows[day.isoformat()][1:] == nearest[1:]
        assert all(label.endswith(("or earlier", "or later")) for label in nearest[1:-1])
    assert list(grown.leaves) == sorted(grown.leaves)
    assert grown.extent == hierarchy.size == (LAST - FIRST).days + 1


@pytest.mark.parametrize("levels", [("month", "year"), ("quarter", "year"), ("year",), ("decade",)])
def test_longer_periods_beyond_an_open_end_are_covered_too(levels: Any) -> None:
    hierarchy = Dates(FIRST, LAST, levels, open="both").build("day")
    grown = hierarchy.with_values(["1999-05-06", "2033-05-06", "2020-01-01"])
    assert grown.size == hierarchy.size + 2
    assert list(grown.leaves) == sorted(grown.leaves)


def test_hours_are_leaves_where_the_first_level_is_the_hour() -> None:
    days = Dates(date(2020, 2, 28), date(2020, 3, 1), ("hour", "day", "month")).build("at")
    assert days.size == 72
    assert list(days.rows())[24] == ("2020-02-29T00", "2020-02-29", "2020-02", "*")
    assert days.read_texts(["2020-02-29 05:59"]) == ["2020-02-29T05"]


@given(
    st.dates(date(2019, 1, 1), date(2021, 1, 1)), st.integers(0, 500), st.sampled_from([*PERIODS])
)
def test_leaves_are_counted_as_they_are_listed(first: date, days: int, unit: Any) -> None:
    last = first + timedelta(days)
    listed = Dates(first, last, periods=(unit,)).build("day").size
    assert count_leaves(first, last, unit) == listed


@pytest.mark.parametrize(
    ("first", "levels"), [("0001-01-01", ("day", "year")), ("9800-01-01", ("hour", "day"))]
)
def test_more_days_or_hours_than_anybody_waits_for_are_refused(first: str, levels: Any) -> None:
    match = rf"periods: [\d,]+ {levels[0]}s are too many; .* or begin with longer periods\."
    with pytest.raises(HierarchyError, match=match):
        Dates(first, "9999-12-31", levels)
    assert Dates(first, "9999-12-31", ("month", "year")).build("day").height == 3


@given(st.integers(0, 700))
def test_dates_in_a_stated_format_are_read_as_iso_is(number: int) -> None:
    day = FIRST + timedelta(number)
    days = Dates(FIRST, LAST, format=("%d.%m.%Y", "%d.%m.%Y %H:%M")).build("day")
    texts = [f"{day:%d.%m.%Y}", f"{day:%d.%m.%Y} 23:59", day.isoformat(), f"{day} 00:00:00"]
    assert set(days.read_texts(texts)) == {day.isoformat()}


@pytest.mark.parametrize("form", ["", "day", "%d.%m.", "%Y", 5])
def test_what_is_no_format_of_a_date_is_refused(form: Any) -> None:
    with pytest.raises(HierarchyError, match="is not the format of a date; write it as"):
        Dates(FIRST, LAST, format=form)


@given(
    st.lists(st.dates(FIRST + timedelta(1), LAST), min_size=1, max_size=6, unique=True), st.data()
)
def test_bounds_cut_the_span_where_they_say(cuts: list[date], data: st.DataObject) -> None:
    fine = sorted(cuts)
    coarse = sorted(data.draw(st.sets(st.sampled_from(fine))))
    hierarchy = Dates(FIRST, LAST, ("day",), (tuple(fine), tuple(coarse))).build("day")
    for text, first, second, top in hierarchy.rows():
        day = date.fromisoformat(text)
        for bounds, label in ((fine, first), (coarse, second)):
            start = max((bound for bound in bounds if bound <= day), default=FIRST)
            following = [bound - timedelta(1) for bound in bounds if bound > day]
            end = min(following, default=LAST)
            assert label == (f"{start}" if start == end else f"{start} to {end}")
        assert top == "*"


def test_open_ends_of_bounds_hold_what_lies_beyond() -> None:
    bounds = ((date(2020, 1, 1), date(2020, 4, 1)), (date(2020, 4, 1),))
    hierarchy = Dates(date(2019, 1, 1), LAST, ("month",), bounds, open="both").build("month")
    rows = {row[0]: row[1:] for row in hierarchy.with_values(["2035-07"]).rows()}
    assert rows["2019-05"] == ("2019-12 or earlier", "2020-03 or earlier", "*")
    assert rows["2020-02"] == ("2020-01 to 2020-03", "2020-03 or earlier", "*")
    assert rows["2035-07"] == ("2020-04 or later", "2020-04 or later", "*")


@pytest.mark.parametrize(
    ("levels", "bounds", "sentence"),
    [
        (("day", "month"), [["2020-01-01"]], 'write periods = ["day"] beside them'),
        (("month",), [["2020-01-15"]], "2020-01-15 is not the first day of a month"),
        (("day",), [["2020-05-01", "2020-01-01"]], "2020-01-01 comes after 2020-05-01; list them"),
        (("day",), [["2031-01-01"]], "2031-01-01 does not start an interval within 2019-03-05"),
        (("day",), [["2020-01-01"], ["2020-02-01"]], "2020-02-01 would cut an interval"),
        (("day",), [["soon"]], "'soon' is not a date; write it as 2024-12-31"),
    ],
)
def test_bounds_that_do_not_cut_the_span_are_refused(
    levels: Any, bounds: Any, sentence: str
) -> None:
    with pytest.raises(HierarchyError) as raised:
        Dates(FIRST, LAST, levels, bounds)
    assert sentence in str(raised.value)
    assert "\n" not in str(raised.value)
