"""Dates: days, hours or longer periods of a span of time, in ever longer ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass as plain_dataclass
from datetime import date, datetime
from itertools import pairwise
from typing import Annotated, Any, ClassVar, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, field_validator
from pydantic.dataclasses import dataclass

from anonymizer.errors import quote_some
from anonymizer.hierarchy.builders import Builder, Columns, Open, beyond, builder, name_ends
from anonymizer.hierarchy.fields import Day, RisingDays, bounds_faults, check_size
from anonymizer.hierarchy.values import AsDate, Reading, Unit
from anonymizer.validation import CHECKED, NOT_EMPTY, ONLY_LISTS, raise_faults, show


class Period(NamedTuple):
    """A period of time, numbered from 1970 on; each is made of whole shorter ones."""

    number_of: Callable[[NDArray[np.datetime64]], NDArray[np.int64]]
    """The numbers of the periods that hold some times."""
    names_of: Callable[[range], list[str]]


def months(times: NDArray[np.datetime64]) -> NDArray[np.int64]:
    """Number the months that hold some times, January 1970 with 0."""
    return times.astype("datetime64[M]").astype(np.int64)


def iso_names(numbers: range, unit: str) -> list[str]:
    """Write days or hours, numbered from 1970-01-01 on, as ISO does."""
    times = np.arange(numbers.start, numbers.stop).astype(f"datetime64[{unit}]")
    return list(map(str, np.datetime_as_string(times).tolist()))


PERIODS: dict[Unit, Period] = {
    "hour": Period(
        lambda times: times.astype("datetime64[h]").astype(np.int64),
        lambda numbers: iso_names(numbers, "h"),
    ),
    "day": Period(
        lambda times: times.astype("datetime64[D]").astype(np.int64),
        lambda numbers: iso_names(numbers, "D"),
    ),
    "month": Period(
        months, lambda numbers: [f"{1970 + n // 12:04}-{n % 12 + 1:02}" for n in numbers]
    ),
    "quarter": Period(
        lambda times: months(times) // 3,
        lambda numbers: [f"{1970 + n // 4:04}-Q{n % 4 + 1}" for n in numbers],
    ),
    "year": Period(
        lambda times: months(times) // 12, lambda numbers: [f"{1970 + n:04}" for n in numbers]
    ),
    "decade": Period(
        lambda times: months(times) // 120,  # 1970 is the first year of a decade
        lambda numbers: [f"{1970 + 10 * n:04}s" for n in numbers],
    ),
}
"""From short to long."""

MOST_PERIODS = 1_000_000
"""So many days are 2,700 years, so many hours 114: more is a slip of the pen, and takes long to list."""


def check_longer(periods: tuple[Unit, ...]) -> tuple[Unit, ...]:
    """Check that each period is longer than the one before."""
    ranks = [list(PERIODS).index(name) for name in periods]
    if any(fine >= coarse for fine, coarse in pairwise(ranks)):
        raise ValueError(f"list them from short to long, as in {quote_some(PERIODS, most=6)}")
    return periods


def parse_formats(value: object) -> object:
    """Take one format of dates or several, each of which tells the year and the month at least."""
    return tuple(map(parse_format, value if isinstance(value, list | tuple) else (value,)))


def parse_format(value: object) -> str:
    """Take the format of a date."""
    if isinstance(value, str) and tells_month(value):
        return value
    raise ValueError(
        f'{show(value)} is not the format of a date; write it as "%d.%m.%Y" or "%m/%d/%Y %H:%M"'
    )


def tells_month(form: str) -> bool:
    """Whether a format tells at least the year and the month of a time.

    >>> tells_month("%d.%m.%Y"), tells_month("%d.%m."), tells_month("no date")
    (True, False, False)
    """
    when = datetime(2024, 11, 23, 17)
    try:
        found = datetime.strptime(when.strftime(form), form)
    except ValueError:
        return False
    return (found.year, found.month) == (when.year, when.month)


DateFormat = Annotated[str, BeforeValidator(parse_format)]
"""How a table writes dates, in the directives of Python's strptime."""


@builder
@dataclass(frozen=True, slots=True, config=CHECKED)
class Dates(Builder):
    """Dates of a span of time, in ever longer periods; the first of `periods` is what a cell counts as.

    A cell is a date or a time as ISO writes it, or by one of the formats. `bounds` stand in for longer
    periods: for each level the days at which a new one starts, each level's among those of the last.

    >>> next(Dates("2024-02-28", "2024-12-31").rows())
    ('2024-02-28', '2024-02', '2024-Q1', '2024', '2020s', '*')
    >>> list(Dates("2023-12-01", "2024-01-31", periods=("month", "year"), open="high").rows())
    [('2023-12', '2023', '*'), ('2024-01', '2024 or later', '*')]
    >>> Dates("2024-01-01", "2024-12-31", ("day",), (("2024-03-15",),)).build("day").labels[1]
    ('2024-01-01 to 2024-03-14', '2024-03-15 to 2024-12-31')
    """

    kind: ClassVar[str] = "dates"
    ordered: ClassVar[bool] = True
    from_: Annotated[Day, Field(alias="from")]
    to: Day
    periods: Annotated[tuple[Unit, ...], NOT_EMPTY, AfterValidator(check_longer), ONLY_LISTS] = (
        get_args(Unit)[1:]
    )
    bounds: Annotated[tuple[RisingDays, ...], ONLY_LISTS] = ()
    format: Annotated[tuple[str, ...], BeforeValidator(parse_formats)] = ()
    """How the table writes dates, beside ISO's way: one format, or several that are tried in turn."""
    open: Open | None = None
    """Which ends are open: what lies beyond the span is in the first or the last period."""

    @field_validator("to")
    @classmethod
    def check_span(cls, to: date, info: ValidationInfo) -> date:
        """Check that the span does not end before it starts."""
        if to < info.data.get("from_", to):
            raise ValueError(f"{to} is before {info.data['from_']}; swap the two")
        return to

    @field_validator("periods")
    @classmethod
    def check_leaves(cls, periods: tuple[Unit, ...], info: ValidationInfo) -> tuple[Unit, ...]:
        """Check that there are not too many days or hours."""
        if {"from_", "to"} <= info.data.keys():
            leaves = count_leaves(info.data["from_"], info.data["to"], periods[0])
            if leaves > MOST_PERIODS:
                raise ValueError(
                    f"{leaves:,} {periods[0]}s are too many; use at most {MOST_PERIODS:,}: shorten the "
                    "span and open its ends, or begin with longer periods"
                )
        return periods

    @field_validator("bounds")
    @classmethod
    def check_bounds(
        cls, bounds: tuple[tuple[date, ...], ...], info: ValidationInfo
    ) -> tuple[tuple[date, ...], ...]:
        """Check that the bounds cut the span between whole periods of one level."""
        if bounds and {"from_", "to", "periods"} <= info.data.keys():
            first, last, periods = (info.data[key] for key in ("from_", "to", "periods"))
            if len(periods) > 1:
                raise ValueError(
                    f'they take the place of longer periods; write periods = ["{periods[0]}"] beside them'
                )
            check_size((last - first).days + 1, len(bounds))
            raise_faults([*bounds_faults(bounds, first, last), *start_faults(bounds, periods[0])])
        return bounds

    @property
    def reading(self) -> Reading:
        """Cells are dates at the precision of the first level."""
        return AsDate(self.format, self.periods[0])

    def columns(self) -> Columns:
        """List the dates, then the period of each, level by level."""
        times = np.arange(np.datetime64(self.from_), np.datetime64(self.to) + 1)
        if self.periods[0] == "hour":
            times = np.arange(times[0], times[-1] + 1, dtype="datetime64[h]")
        # one time stands for each leaf: whatever period holds the time holds the leaf
        leaves = times[np.unique(PERIODS[self.periods[0]].number_of(times), return_index=True)[1]]
        periods = [
            names_of(PERIODS[level], leaves, self.open if above else None)
            for above, level in enumerate(self.periods)
        ]
        return [*periods, *(self._between(each, leaves, periods[0]) for each in self.bounds)]

    def _between(
        self, bounds: tuple[date, ...], leaves: NDArray[np.datetime64], names: list[str]
    ) -> list[str]:
        """Name the period between two bounds that holds each leaf, by its first and last one."""
        days = np.array(bounds, "datetime64[D]").astype(leaves.dtype)
        starts = [0, *np.searchsorted(leaves, days).tolist(), len(names)]
        ends = [(names[start], names[end - 1]) for start, end in pairwise(starts)]
        spans = [first if first == last else f"{first} to {last}" for first, last in ends]
        earlier, later = f"{ends[0][1]} or earlier", f"{ends[-1][0]} or later"
        spans = name_ends(spans, self.open, earlier, later, "any date")
        sizes = [end - start for start, end in pairwise(starts)]
        return [span for span, size in zip(spans, sizes, strict=True) for _ in range(size)]

    def traits(self) -> dict[str, Any]:
        """Return what knows dates beyond the span."""
        span = f"the dates from {self.from_} to {self.to}"
        return {"span": span, **beyond(self, self.open, DatePlace(self.periods[0]))}


def count_leaves(first: date, last: date, unit: Unit) -> int:
    """Count the periods of a span."""
    ends = np.array([first, last], "datetime64[D]")
    if unit == "hour":
        return 24 * count_leaves(first, last, "day")
    low, high = PERIODS[unit].number_of(ends).tolist()
    return int(high - low + 1)


def start_faults(levels: Sequence[Sequence[date]], unit: Unit) -> Iterator[str]:
    """Say which bounds lie within a period of a unit."""
    for bound in dict.fromkeys(bound for bounds in levels for bound in bounds):
        days = np.array([bound, bound]).astype("datetime64[D]") - np.array([1, 0])
        before, here = PERIODS[unit].number_of(days).tolist()
        if before == here:
            yield f"{bound} is not the first day of a {unit}; move it, or begin with shorter periods"


@plain_dataclass(frozen=True, slots=True)
class DatePlace:
    """What dates of a unit are sorted by."""

    unit: Unit

    def __call__(self, value: str) -> float | None:
        """Return the number of the period, from 1970 on; None where it is not one of the unit."""
        if not value or AsDate(unit=self.unit).read(value) != value:
            return None
        if self.unit == "quarter":
            return int(value[:4]) * 4.0 + int(value[-1])
        text = value.removesuffix("s")
        return float(np.datetime64(text).astype("datetime64[h]").astype(np.int64))


def names_of(period: Period, times: NDArray[np.datetime64], ends: Open | None = None) -> list[str]:
    """Name the period that holds each of some rising times."""
    numbers = period.number_of(times)
    names = period.names_of(range(int(numbers[0]), int(numbers[-1]) + 1))
    earlier, later = f"{names[0]} or earlier", f"{names[-1]} or later"
    names = name_ends(names, ends, earlier, later, "any date")
    return list(map(names.__getitem__, (numbers - numbers[0]).tolist()))
