"""Builders: a few parameters that stand for a whole hierarchy, each a frozen value."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, Field, ValidationInfo, field_validator, model_validator
from pydantic.dataclasses import dataclass

from anonymizer.errors import HierarchyError, quote_some
from anonymizer.hierarchy.checks import (
    Day,
    Range,
    Rising,
    RisingCounts,
    Values,
    Widths,
    check_size,
    expand,
)
from anonymizer.hierarchy.hierarchy import Hierarchy
from anonymizer.hierarchy.levels import Levels
from anonymizer.validation import (
    CHECKED,
    FROM_NUMPY,
    NOT_EMPTY,
    ONLY_LISTS,
    Text,
    Whole,
    expecting,
    plain_errors,
    raise_faults,
)

Columns = list[list[str]]
"""For each level below the top, the values of all leaves."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True, config=CHECKED)
class Builder(ABC):
    """What builders have in common: values that stay themselves up to the top, and the top."""

    kind: ClassVar[str]
    ordered: ClassVar[bool] = False
    """Whether the leaves are listed in an order that their groups keep."""
    others: Values = ()
    """Values outside the pattern, such as "unknown"; each stays apart until the top."""
    top: Text = "*"

    @abstractmethod
    def columns(self) -> Columns:
        """List the values of all leaves, level by level, leaves first, without others and top."""

    @model_validator(mode="after")
    def check_others(self) -> Self:
        """Check that what is outside the pattern is not inside."""
        known = set(self.columns()[0]) if self.others else set()
        if double := [other for other in expand(self.others) if other in known]:
            raise ValueError(f"others: already a leaf: {quote_some(double)}; leave it out here")
        return self

    def all_columns(self) -> Columns:
        """List the values of all leaves, level by level, with others and top."""
        columns, others = self.columns(), expand(self.others)
        top = [self.top] * (len(columns[0]) + len(others))
        return [*([*column, *others] for column in columns), top]

    def rows(self) -> Iterator[tuple[str, ...]]:
        """List the rows of the hierarchy, one for each leaf."""
        return zip(*self.all_columns(), strict=True)

    def build(self, name: str, source: str | None = None) -> Hierarchy:
        """Make the hierarchy of the attribute `name`."""
        levels = Levels.of_columns(self.all_columns())
        return Hierarchy.from_levels(name, levels, source, self.ordered)


def builder(cls: type[T]) -> type[T]:
    """Let a builder say in our sentences what is wrong with its keys."""
    kind = cls.kind  # type: ignore[attr-defined]  # pydantic's decorator hides the base from mypy
    return plain_errors(HierarchyError, f"builder '{kind}'")(cls)


@builder
@dataclass(frozen=True, slots=True, config=CHECKED)
class Intervals(Builder):
    """Whole numbers in intervals that widen from level to level.

    Either `widths` (each a multiple of the last; an interval starts at `origin`) or `bounds`: for
    each level the numbers at which a new interval starts, each level's among those of the last.

    >>> list(Intervals((0, 3), widths=(2,)).rows())
    [('0', '0-1', '*'), ('1', '0-1', '*'), ('2', '2-3', '*'), ('3', '2-3', '*')]
    >>> Intervals((0, 120), bounds=((18, 65), (65,))).build("age").labels[1]
    ('0-17', '18-64', '65-120')
    """

    kind: ClassVar[str] = "intervals"
    ordered: ClassVar[bool] = True
    domain: Range
    widths: Widths = ()
    bounds: Annotated[tuple[Rising, ...], ONLY_LISTS] = ()
    origin: Whole = 0

    @field_validator("widths", "bounds")
    @classmethod
    def check_levels(cls, levels: Any, info: ValidationInfo) -> Any:
        """Check that there are not too many levels for so large a domain."""
        if "domain" in info.data:
            low, high = info.data["domain"]
            check_size(high - low + 1, len(levels))
        return levels

    @field_validator("bounds")
    @classmethod
    def check_bounds(cls, bounds: Any, info: ValidationInfo) -> Any:
        """Check that the bounds cut the domain, each level's among those of the last."""
        if bounds and info.data.get("widths"):
            raise ValueError("`widths` is given too; keep one of them")
        if "domain" in info.data:
            raise_faults(bounds_faults(bounds, *info.data["domain"]))
        return bounds

    def columns(self) -> Columns:
        """List the numbers, then the interval of each, level by level."""
        low, high = self.domain
        numbers = range(low, high + 1)
        levels = [self._by_width(numbers, width) for width in self.widths]
        levels += [self._by_bounds(bounds) for bounds in self.bounds]
        return [[str(number) for number in numbers], *levels]

    def _by_width(self, numbers: range, width: int) -> list[str]:
        starts = (number - (number - self.origin) % width for number in numbers)
        return [interval(start, start + width - 1) for start in starts]

    def _by_bounds(self, bounds: Sequence[int]) -> list[str]:
        starts = [self.domain[0], *bounds, self.domain[1] + 1]
        spans = ((start, following - 1) for start, following in pairwise(starts))
        return [interval(low, high) for low, high in spans for _ in range(low, high + 1)]


def interval(low: int, high: int) -> str:
    """Name the whole numbers from low to high.

    >>> interval(20, 24), interval(-5, -1), interval(7, 7)
    ('20-24', '-5 to -1', '7')
    """
    if low == high:
        return str(low)
    return f"{low}-{high}" if low >= 0 else f"{low} to {high}"


def bounds_faults(levels: Sequence[Sequence[int]], low: int, high: int) -> Iterator[str]:
    """Say which bounds are outside the domain, or cut an interval of the level below in two."""
    for bound in dict.fromkeys(bound for bounds in levels for bound in bounds):
        if not low < bound <= high:
            yield f"{bound} does not start an interval within {low} to {high}; leave it out"
    for fine, coarse in pairwise(levels):
        for bound in sorted(set(coarse) - set(fine)):
            yield f"{bound} would cut an interval of the level below in two; add it there"


@builder
@dataclass(frozen=True, slots=True, config=CHECKED)
class Redaction(Builder):
    """Codes that lose character after character, by default from the right.

    The codes are all numbers of so many `digits`, or the `values`. `redact` says how many
    characters are gone at each level; by default one more each time, until one is left.

    >>> next(Redaction(digits=5).rows())
    ('00000', '0000*', '000**', '00***', '0****', '*')
    >>> next(Redaction(values=("DE-BY",), side="left", redact=(3,)).rows())
    ('DE-BY', '***BY', '*')
    """

    kind: ClassVar[str] = "redaction"
    digits: Annotated[int, Field(strict=True, ge=1, le=6), FROM_NUMPY] | None = None
    values: Values = ()
    side: Literal["left", "right"] = "right"
    redact: RisingCounts = ()
    mask: Annotated[
        str,
        Field(strict=True, min_length=1, max_length=1),
        expecting("is not one character; write one in quotes"),
    ] = "*"

    @field_validator("values")
    @classmethod
    def check_codes(cls, values: Any, info: ValidationInfo) -> Any:
        """Check that the codes are known."""
        if "digits" in info.data and (info.data["digits"] is None) == (not values):
            raise ValueError("give either this or `digits`, so that the codes are known")
        return values

    @field_validator("redact")
    @classmethod
    def check_redact(cls, redact: Any, info: ValidationInfo) -> Any:
        """Check that there are not too many levels for so many codes."""
        if info.data.get("digits") is not None:
            check_size(10 ** info.data["digits"], len(redact))
        elif "values" in info.data:
            check_size(len(expand(info.data["values"])), len(redact))
        return redact

    def columns(self) -> Columns:
        """List the codes, then what is left of them, level by level."""
        codes = self._codes()
        counts = self.redact or range(1, max(map(len, codes)))
        return [codes, *([self._redacted(code, count) for code in codes] for count in counts)]

    def _codes(self) -> list[str]:
        if self.digits is None:
            return expand(self.values)
        return [f"{number:0{self.digits}}" for number in range(10**self.digits)]

    def _redacted(self, code: str, count: int) -> str:
        kept = max(0, len(code) - count)
        hidden = self.mask * (len(code) - kept)
        return code[:kept] + hidden if self.side == "right" else hidden + code[len(code) - kept :]


class Period(NamedTuple):
    """A period of time, numbered from 1970 on; each is made of whole shorter ones."""

    number_of: Callable[[NDArray[np.datetime64]], NDArray[np.int64]]
    """The numbers of the periods that hold some days."""
    names_of: Callable[[range], list[str]]


def months(days: NDArray[np.datetime64]) -> NDArray[np.int64]:
    """Number the months that hold some days, January 1970 with 0."""
    return days.astype("datetime64[M]").astype(np.int64)


def dates(numbers: range) -> list[str]:
    """Write days, numbered from 1970-01-01 on, as ISO does."""
    days = np.arange(numbers.start, numbers.stop).astype("datetime64[D]")
    return list(map(str, np.datetime_as_string(days).tolist()))


PeriodName = Literal["day", "month", "quarter", "year", "decade"]

PERIODS: dict[PeriodName, Period] = {
    "day": Period(lambda days: days.astype(np.int64), dates),
    "month": Period(
        months, lambda numbers: [f"{1970 + n // 12:04}-{n % 12 + 1:02}" for n in numbers]
    ),
    "quarter": Period(
        lambda days: months(days) // 3,
        lambda numbers: [f"{1970 + n // 4:04}-Q{n % 4 + 1}" for n in numbers],
    ),
    "year": Period(
        lambda days: months(days) // 12, lambda numbers: [f"{1970 + n:04}" for n in numbers]
    ),
    "decade": Period(
        lambda days: months(days) // 120,  # 1970 is the first year of a decade
        lambda numbers: [f"{1970 + 10 * n:04}s" for n in numbers],
    ),
}
"""From short to long."""


def check_longer(levels: tuple[PeriodName, ...]) -> tuple[PeriodName, ...]:
    """Check that each period is longer than the one before."""
    ranks = [list(PERIODS).index(name) for name in levels]
    if any(fine >= coarse for fine, coarse in pairwise(ranks)):
        raise ValueError(f"list them from short to long, as in {quote_some(PERIODS)}")
    return levels


@builder
@dataclass(frozen=True, slots=True, config=CHECKED)
class Dates(Builder):
    """Dates of a span of time, in ever longer periods; the first of `levels` is the data's own.

    >>> next(Dates("2024-02-28", "2024-12-31").rows())
    ('2024-02-28', '2024-02', '2024-Q1', '2024', '2020s', '*')
    >>> list(Dates("2023-12-01", "2024-01-31", levels=("month", "year")).rows())
    [('2023-12', '2023', '*'), ('2024-01', '2024', '*')]
    """

    kind: ClassVar[str] = "dates"
    ordered: ClassVar[bool] = True
    from_: Annotated[Day, Field(alias="from")]
    to: Day
    levels: Annotated[
        tuple[PeriodName, ...], NOT_EMPTY, AfterValidator(check_longer), ONLY_LISTS
    ] = get_args(PeriodName)

    @field_validator("to")
    @classmethod
    def check_span(cls, to: date, info: ValidationInfo) -> date:
        """Check that the span does not end before it starts."""
        if to < info.data.get("from_", to):
            raise ValueError(f"{to} is before {info.data['from_']}; swap the two")
        return to

    def columns(self) -> Columns:
        """List the dates, then the period of each, level by level."""
        days = np.arange(np.datetime64(self.from_), np.datetime64(self.to) + 1)
        # one day stands for each leaf: whatever period holds the day holds the leaf
        leaves = days[np.unique(PERIODS[self.levels[0]].number_of(days), return_index=True)[1]]
        return [names_of(PERIODS[level], leaves) for level in self.levels]


def names_of(period: Period, days: NDArray[np.datetime64]) -> list[str]:
    """Name the period that holds each of some rising days."""
    numbers = period.number_of(days)
    names = period.names_of(range(int(numbers[0]), int(numbers[-1]) + 1))
    return list(map(names.__getitem__, (numbers - numbers[0]).tolist()))
