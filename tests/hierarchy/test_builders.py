from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.errors import HierarchyError
from anonymizer.hierarchy import (
    BUILDERS,
    Builder,
    Coded,
    Dates,
    Elapsed,
    Explicit,
    Hierarchy,
    Intervals,
    Ordered,
    Priority,
    Redaction,
)

DAYS = st.dates(date(1890, 1, 1), date(2110, 1, 1))
PERIODS = ("day", "month", "quarter", "year", "decade")


ENDS = st.sampled_from([None, "low", "high", "both"])


@st.composite
def real_intervals(draw: st.DrawFn) -> Intervals:
    unit = draw(st.sampled_from([0.1, 0.25, 1, 2.5]))
    low, size = draw(st.integers(-50, 50)), draw(st.integers(1, 40))
    widths = [draw(st.integers(1, 6))]
    for _ in range(draw(st.integers(0, 2))):
        widths.append(widths[-1] * draw(st.integers(2, 4)))
    return Intervals(
        (float(round(low * unit, 6)), round((low + size) * unit, 6)),
        widths=tuple(round(width * unit, 6) for width in widths),
        origin=draw(st.integers(-9, 9)),
        open=draw(ENDS),
    )


@st.composite
def intervals_by_width(draw: st.DrawFn) -> Intervals:
    low, size = draw(st.integers(-50, 50)), draw(st.integers(1, 60))
    widths = [draw(st.integers(1, 6))]
    for _ in range(draw(st.integers(0, 2))):
        widths.append(widths[-1] * draw(st.integers(2, 4)))
    origin, ends = draw(st.integers(-9, 9)), draw(ENDS)
    return Intervals((low, low + size - 1), widths=tuple(widths), origin=origin, open=ends)


@st.composite
def intervals_by_bounds(draw: st.DrawFn) -> Intervals:
    low, size = draw(st.integers(-50, 50)), draw(st.integers(2, 40))
    fine = draw(st.sets(st.integers(low + 1, low + size - 1)))
    coarse = draw(st.sets(st.sampled_from(sorted(fine)))) if fine else set()
    return Intervals((low, low + size - 1), bounds=(tuple(sorted(fine)), tuple(sorted(coarse))))


@st.composite
def redactions(draw: st.DrawFn) -> Redaction:
    codes = draw(st.lists(st.text("abc12-", max_size=5), min_size=1, max_size=9, unique=True))
    counts = draw(st.sets(st.integers(1, 6)))
    side = draw(st.sampled_from(["left", "right"]))
    return Redaction(values=tuple(codes), side=side, redact=tuple(sorted(counts)))


@st.composite
def dates(draw: st.DrawFn) -> Dates:
    first = draw(DAYS)
    levels = draw(st.sets(st.sampled_from(PERIODS), min_size=1))
    last = first + timedelta(draw(st.integers(0, 500)))
    ends = draw(st.sampled_from([None, "low", "high", "both"]))
    return Dates(first, last, tuple(p for p in PERIODS if p in levels), open=ends)


@st.composite
def elapsed(draw: st.DrawFn) -> Elapsed:
    low = draw(st.integers(-100, 50))
    levels = draw(st.sampled_from([("week",), ("2 days", "4 weeks", "year")]))
    ends = draw(st.sampled_from([None, "low", "high", "both"]))
    return Elapsed(levels, domain=(low, low + draw(st.integers(0, 80))), open=ends, missing=None)


@st.composite
def ordered(draw: st.DrawFn) -> Ordered:
    values = draw(st.lists(st.text("abcde", max_size=3), min_size=1, max_size=20, unique=True))
    return Ordered(tuple(values), sizes=tuple(draw(st.lists(st.integers(1, 4), max_size=3))))


@st.composite
def explicit(draw: st.DrawFn) -> Explicit:
    leaves = draw(st.lists(st.integers(0, 99), min_size=1, max_size=12, unique=True))
    groups: dict[str, dict[str, list[int]]] = {}
    for leaf in leaves:
        outer, inner = draw(st.integers(0, 2)), draw(st.integers(0, 2))
        groups.setdefault(f"{outer}", {}).setdefault(f"{outer}.{inner}", []).append(leaf)
    return Explicit(groups=groups)


@st.composite
def priorities(draw: st.DrawFn) -> Priority:
    values = draw(st.lists(st.text("abcde", max_size=3), min_size=1, max_size=20, unique=True))
    keep = draw(st.sets(st.integers(1, max(1, len(values) - 1)))) if len(values) > 1 else set()
    unlisted = draw(st.booleans())
    return Priority(tuple(values), keep=tuple(sorted(keep, reverse=True)), unlisted=unlisted)


@st.composite
def codes(draw: st.DrawFn) -> Coded:
    values = draw(st.lists(st.text("ab-1", min_size=1, max_size=6), min_size=1, unique=True))
    prefixes = draw(st.sets(st.integers(1, 6), min_size=1))
    labels = draw(st.sampled_from([None, {"a": "first", "b1": "second"}]))
    return Coded(prefixes=tuple(sorted(prefixes)[::-1]), values=tuple(values), labels=labels)


EXAMPLES: dict[str, st.SearchStrategy[Any]] = {
    "intervals": st.one_of(intervals_by_width(), intervals_by_bounds(), real_intervals()),
    "redaction": redactions(),
    "codes": codes(),
    "dates": dates(),
    "elapsed": elapsed(),
    "mapping": explicit(),
    "ordered": ordered(),
    "priority": priorities(),
}


@pytest.mark.parametrize("kind", BUILDERS)
@given(data=st.data())
def test_every_builder_yields_levels_that_only_coarsen(kind: str, data: st.DataObject) -> None:
    builder = data.draw(EXAMPLES[kind])
    rows = list(builder.rows())
    for level in range(len(rows[0]) - 1):
        parents: dict[str, str] = {}
        for row in rows:
            assert parents.setdefault(row[level], row[level + 1]) == row[level + 1]
    assert len({row[0] for row in rows}) == len(rows) == builder.build("x").size
    assert list(builder.build("x").rows()) == list(Hierarchy.from_rows("x", rows).rows())
    assert {row[-1] for row in rows} == {"*"}


@pytest.mark.parametrize("kind", BUILDERS)
@given(data=st.data())
def test_every_builder_is_a_value_equal_to_one_made_alike(kind: str, data: st.DataObject) -> None:
    builder: Builder = data.draw(EXAMPLES[kind])
    again = eval(repr(builder), {**{c.__name__: c for c in BUILDERS.values()}, "datetime": _DATES})
    assert again == builder
    assert builder.kind == kind


class _DATES:
    """What the text of a date refers to."""

    date = date


@given(intervals_by_width())
def test_an_interval_by_width_holds_the_numbers_its_name_says(builder: Intervals) -> None:
    for number, *names, _ in builder.rows():
        for name, width in zip(names, builder.widths, strict=True):
            low = int(number) - (int(number) - int(builder.origin)) % int(width)
            if name.startswith("<") or name.endswith("+") or name[:2] in (">=", "an"):
                continue  # an open end
            assert name in (f"{low}-{low + width - 1}", f"{low} to {low + width - 1}", f"{low}")


def test_bounds_say_where_an_interval_starts() -> None:
    assert list(Intervals((0, 4), bounds=((1, 3), (3,))).rows()) == [
        ("0", "0", "0-2", "*"),
        ("1", "1-2", "0-2", "*"),
        ("2", "1-2", "0-2", "*"),
        ("3", "3-4", "3-4", "*"),
        ("4", "3-4", "3-4", "*"),
    ]


def test_other_values_stay_apart_until_the_top() -> None:
    rows = list(Intervals((0, 1), widths=(2,), others=("unknown", 99), top="any").rows())
    assert rows[-2:] == [("unknown", "unknown", "any"), ("99", "99", "any")]


def test_codes_lose_characters_from_either_side() -> None:
    right, left = Redaction(values=("91326",)), Redaction(values=("91326",), side="left")
    assert next(right.rows()) == ("91326", "9132*", "913**", "91***", "9****", "*")
    assert next(left.rows()) == ("91326", "*1326", "**326", "***26", "****6", "*")


def test_digits_stand_for_all_codes_of_that_length() -> None:
    assert Redaction(digits=3).build("x").leaves == tuple(f"{code:03}" for code in range(1000))


def test_short_codes_never_lose_more_than_they_have() -> None:
    rows = list(Redaction(values=("12", "123"), redact=(1, 3), mask="#").rows())
    assert rows == [("12", "1#", "##", "*"), ("123", "12#", "###", "*")]


def test_dates_pass_through_month_quarter_year_and_decade() -> None:
    rows = list(Dates("1999-12-31", date(2000, 1, 1)).rows())
    assert rows == [
        ("1999-12-31", "1999-12", "1999-Q4", "1999", "1990s", "*"),
        ("2000-01-01", "2000-01", "2000-Q1", "2000", "2000s", "*"),
    ]


NAMES: dict[str, Callable[[date], str]] = {
    "day": date.isoformat,
    "month": lambda day: f"{day.year:04}-{day.month:02}",
    "quarter": lambda day: f"{day.year:04}-Q{(day.month + 2) // 3}",
    "year": lambda day: f"{day.year:04}",
    "decade": lambda day: f"{day.year // 10 * 10:04}s",
}


@given(
    st.dates(date(1, 1, 1), date(9990, 1, 1)),
    st.integers(0, 2000),
    st.sets(st.sampled_from(PERIODS), min_size=1),
)
def test_dates_are_those_of_a_walk_through_the_calendar(
    first: date, length: int, chosen: set[str]
) -> None:
    levels = tuple(period for period in PERIODS if period in chosen)
    days = [first + timedelta(number) for number in range(length + 1)]
    rows = dict.fromkeys(tuple(NAMES[level](day) for level in levels) for day in days)
    assert [row[:-1] for row in Dates(first, days[-1], levels).rows()] == list(rows)


@given(DAYS)
def test_a_quarter_is_three_whole_months(day: date) -> None:
    ((_, quarter, _),) = Dates(day, day, ("month", "quarter")).rows()
    assert quarter == f"{day.year}-Q{1 + (day.month - 1) // 3}"


FAULTS: list[tuple[type[Builder], dict[str, Any], str]] = [
    (Intervals, {"domain": (9, 0)}, "domain: 9 is above 0; write it as [lowest, highest]."),
    (
        Intervals,
        {"domain": "0-9"},
        "domain: '0-9' is not a range; write it as [lowest, highest] in whole numbers.",
    ),
    (
        Intervals,
        {"domain": (0, 10**9)},
        "domain: [0, 1000000000] has too many values; use at most 5,000,000.",
    ),
    (
        Intervals,
        {"domain": (1, 1_000_000), "widths": tuple(2**power for power in range(1, 100))},
        "widths: 99 levels of 1,000,000 values are too many; use at most 20 levels.",
    ),
    (
        Intervals,
        {"domain": (1, 10_000), "bounds": ((5,),) * 5_000},
        "bounds: 5,000 levels of 10,000 values are too many; use at most 500 levels.",
    ),
    (
        Redaction,
        {"digits": 4, "redact": tuple(range(1, 5_001))},
        "redact: 5,000 levels of 10,000 values are too many; use at most 500 levels.",
    ),
    (
        Ordered,
        {"values": ((1, 10_000),), "sizes": (1,) * 5_000},
        "sizes: 5,000 levels of 10,000 values are too many; use at most 500 levels.",
    ),
    (
        Intervals,
        {"domain": (0, 9), "widths": (4, 6)},
        "widths: 6 is not a multiple of 4, so intervals would be cut in two; use 8.",
    ),
    (
        Intervals,
        {"domain": (0, 9), "widths": (4, 2)},
        "widths: 2 comes after 4; list them from small to large.",
    ),
    (Intervals, {"domain": (0, 9), "widths": (0,)}, "widths.0: 0 is too small; use 1 or more."),
    (Intervals, {"domain": (0, 9), "widths": 5}, "widths: 5 is not a list; write it as [ ... ]."),
    (
        Intervals,
        {"domain": (0, 9), "origin": 0.5},
        "origin: 0.5 is not a whole number; write one without quotes or a decimal point.",
    ),
    (
        Intervals,
        {"domain": (0, 9), "bounds": ((12,),)},
        "bounds: 12 does not start an interval within 0 to 9; leave it out.",
    ),
    (
        Intervals,
        {"domain": (0, 9), "bounds": ((3,), (5,))},
        "bounds: 5 would cut an interval of the level below in two; add it there.",
    ),
    (
        Intervals,
        {"domain": (0, 9), "bounds": 5},
        "bounds: 5 is not a list; write it as [ ... ].",
    ),
    (
        Intervals,
        {"domain": (0, 9), "widths": (2,), "bounds": ((3,),)},
        "bounds: `widths` is given too; keep one of them.",
    ),
    (
        Intervals,
        {"domain": (0, 9), "others": (5,)},
        "others: already a leaf: '5'; leave it out here.",
    ),
    (
        Intervals,
        {"domain": (0, 9), "others": (True,)},
        "others.0: True is not a value; write text in quotes, a number or a range [2, 4].",
    ),
    (Intervals, {"domain": (0, 9), "top": 1}, "top: 1 is not a string; put it in quotes."),
    (Redaction, {}, "length: give exactly one of `digits`, `values` and `length`."),
    (Redaction, {"digits": 9}, "digits: 9 is too large; use 6 or less."),
    (
        Redaction,
        {"digits": 2, "side": "top"},
        "side: 'top' is unknown; use one of 'left', 'right'.",
    ),
    (
        Redaction,
        {"digits": 2, "mask": "**"},
        "mask: '**' is not one character; write one in quotes.",
    ),
    (
        Redaction,
        {"values": ("a", "b", "a")},
        "values: listed more than once: 'a'; keep one of each.",
    ),
    (
        Dates,
        {"from_": "2024-13-01", "to": "2024-01-01"},
        "from: '2024-13-01' is not a date; write it as 2024-12-31.",
    ),
    (
        Dates,
        {"from_": "2024-02-01", "to": "2024-01-01"},
        "to: 2024-01-01 is before 2024-02-01; swap the two.",
    ),
    (
        Dates,
        {"from_": "2024-01-01", "to": "2024-01-02", "periods": ("week",)},
        "periods.0: 'week' is unknown; use one of 'hour', 'day', 'month', 'quarter', 'year', 'decade'.",
    ),
    (
        Dates,
        {"from_": "2024-01-01", "to": "2024-01-02", "periods": ["day", {}]},
        "periods.1: {} is unknown; use one of 'hour', 'day', 'month', 'quarter', 'year', 'decade'.",
    ),
    (
        Dates,
        {"from_": datetime(2024, 1, 1), "to": "2024-01-02"},
        "from: 2024-01-01 00:00:00 is not a date; write it as 2024-12-31.",
    ),
    (
        Dates,
        {"from_": "2024-01-01", "to": "2024-01-02", "periods": ("year", "day")},
        "periods: list them from short to long, as in 'hour', 'day', 'month', 'quarter', 'year', "
        "'decade'.",
    ),
    (
        Dates,
        {"from_": "2024-01-01", "to": "2024-01-02", "periods": ()},
        "periods: this is empty; name at least one.",
    ),
]


@pytest.mark.parametrize(("builder", "keys", "message"), FAULTS)
def test_a_fault_names_the_key_the_value_and_the_remedy(
    builder: type[Builder], keys: dict[str, Any], message: str
) -> None:
    with pytest.raises(HierarchyError) as caught:
        builder(**keys)
    assert caught.value.faults == (message,)
    assert str(caught.value) == f"builder '{builder.kind}': {message}"


def test_all_faults_of_a_builder_are_shown_together() -> None:
    with pytest.raises(HierarchyError) as caught:
        Intervals((9, 0), widths=(0,), origin="x", top=1)  # type: ignore[arg-type]
    assert [fault.split(":")[0] for fault in caught.value.faults] == [
        "domain",
        "widths.0",
        "origin",
        "top",
    ]


def test_a_label_that_two_groups_share_is_refused_when_the_hierarchy_is_built() -> None:
    with pytest.raises(HierarchyError, match="give it one parent"):
        Intervals((0, 9), widths=(5, 10), others=("0-4",)).build("x")
