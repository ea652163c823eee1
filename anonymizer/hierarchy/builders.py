"""Builders: a few parameters that stand for a whole hierarchy, each a frozen value."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from datetime import date, timedelta
from itertools import pairwise, repeat
from typing import Any, ClassVar

from anonymizer.errors import HierarchyError, quote_some
from anonymizer.hierarchy import checks
from anonymizer.hierarchy.checks import Faults
from anonymizer.hierarchy.hierarchy import Hierarchy

Columns = list[list[str]]
"""For each level below the top, the values of all leaves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Builder(ABC):
    """What builders have in common: values that stay themselves up to the top, and the top."""

    kind: ClassVar[str]
    others: tuple[Any, ...] = ()
    """Values outside the pattern, such as "unknown"; each stays apart until the top."""
    top: str = "*"

    def __post_init__(self) -> None:
        for field in fields(self):
            object.__setattr__(self, field.name, checks.freeze(getattr(self, field.name)))
        faults = [*checks.text("top", self.top), *checks.values("others", self.others)]
        faults += self._faults()
        # leaves can be listed only once all keys are sound
        faults += [] if faults or not self.others else self._overlap()
        if faults:
            raise HierarchyError.defective(f"builder '{self.kind}'", faults)

    @abstractmethod
    def columns(self) -> Columns:
        """List the values of all leaves, level by level, leaves first, without others and top."""

    @abstractmethod
    def _faults(self) -> Faults:
        """Say what is wrong with the builder's own keys, one sentence each."""

    def _overlap(self) -> Faults:
        known = set(self.columns()[0])
        double = [other for other in checks.expand(self.others) if other in known]
        if double:
            yield f"others: already a leaf: {quote_some(double)}; leave it out here."

    def rows(self) -> Iterator[tuple[str, ...]]:
        """List the rows of the hierarchy, one for each leaf."""
        columns = self.columns()
        yield from zip(*columns, repeat(self.top, len(columns[0])), strict=True)
        for other in checks.expand(self.others):
            yield (*repeat(other, len(columns)), self.top)

    def build(self, name: str, source: str | None = None) -> Hierarchy:
        """Make the hierarchy of the attribute `name`."""
        return Hierarchy.from_rows(name, self.rows(), source)


@dataclass(frozen=True, slots=True)
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
    domain: tuple[int, int]
    widths: tuple[int, ...] = ()
    bounds: tuple[tuple[int, ...], ...] = ()
    origin: int = 0

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

    def _faults(self) -> Faults:
        domain = list(checks.span("domain", self.domain))
        yield from [*domain, *checks.whole("origin", self.origin)]
        widths = list(checks.rising("widths", self.widths, least=1))
        yield from widths or _not_multiples(self.widths)
        if not isinstance(self.bounds, tuple):
            yield f"bounds: {self.bounds!r} is no list; write one list of numbers for each level."
        elif not domain:
            yield from _bounds_faults(self.bounds, *self.domain)
        if self.widths and self.bounds:
            yield "widths and bounds: both are given; keep one of them."


def interval(low: int, high: int) -> str:
    """Name the whole numbers from low to high.

    >>> interval(20, 24), interval(-5, -1), interval(7, 7)
    ('20-24', '-5 to -1', '7')
    """
    if low == high:
        return str(low)
    return f"{low}-{high}" if low >= 0 else f"{low} to {high}"


def _not_multiples(widths: Sequence[int]) -> Faults:
    for narrow, wide in pairwise(widths):
        if wide % narrow:
            yield (
                f"widths: {wide} is no multiple of {narrow}, so intervals would be cut in two; "
                f"use {wide + narrow - wide % narrow}."
            )


def _bounds_faults(levels: Sequence[Any], low: int, high: int) -> Faults:
    wrong = [fault for bounds in levels for fault in checks.rising("bounds", bounds)]
    yield from wrong
    if wrong:
        return
    for bound in dict.fromkeys(bound for bounds in levels for bound in bounds):
        if not low < bound <= high:
            yield f"bounds: {bound} starts no interval of {low} to {high}; leave it out."
    for fine, coarse in pairwise(levels):
        for bound in sorted(set(coarse) - set(fine)):
            yield (
                f"bounds: {bound} would cut an interval of the level below in two; add it there."
            )


@dataclass(frozen=True, slots=True)
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
    digits: int | None = None
    values: tuple[Any, ...] = ()
    side: str = "right"
    redact: tuple[int, ...] = ()
    mask: str = "*"

    def columns(self) -> Columns:
        """List the codes, then what is left of them, level by level."""
        codes = self._codes()
        counts = self.redact or range(1, max(map(len, codes)))
        return [codes, *([self._redacted(code, count) for code in codes] for count in counts)]

    def _codes(self) -> list[str]:
        if self.digits is None:
            return checks.expand(self.values)
        return [f"{number:0{self.digits}}" for number in range(10**self.digits)]

    def _redacted(self, code: str, count: int) -> str:
        kept = max(0, len(code) - count)
        hidden = self.mask * (len(code) - kept)
        return code[:kept] + hidden if self.side == "right" else hidden + code[len(code) - kept :]

    def _faults(self) -> Faults:
        if (self.digits is None) == (not self.values):
            yield "digits or values: give one of them, so that the codes are known."
        if self.digits is not None:
            yield from checks.whole("digits", self.digits, least=1, most=6)
        yield from checks.values("values", self.values)
        yield from checks.choice("side", self.side, ("left", "right"))
        yield from checks.rising("redact", self.redact, least=1)
        if not isinstance(self.mask, str) or len(self.mask) != 1:
            yield f"mask: {self.mask!r} is not one character; write one in quotes."


def _quarter(day: date) -> str:
    return f"{day.year:04}-Q{(day.month + 2) // 3}"


PERIODS: dict[str, Callable[[date], str]] = {
    "day": date.isoformat,
    "month": lambda day: f"{day.year:04}-{day.month:02}",
    "quarter": _quarter,
    "year": lambda day: f"{day.year:04}",
    "decade": lambda day: f"{day.year // 10 * 10:04}s",
}
"""How the period that holds a day is written; each period is made of whole shorter ones."""


@dataclass(frozen=True, slots=True)
class Dates(Builder):
    """Dates of a span of time, in ever longer periods; the first of `levels` is the data's own.

    >>> next(Dates("2024-02-28", "2024-12-31").rows())
    ('2024-02-28', '2024-02', '2024-Q1', '2024', '2020s', '*')
    >>> list(Dates("2023-12-01", "2024-01-31", levels=("month", "year")).rows())
    [('2023-12', '2023', '*'), ('2024-01', '2024', '*')]
    """

    kind: ClassVar[str] = "dates"
    from_: date | str
    to: date | str
    levels: tuple[str, ...] = tuple(PERIODS)

    def columns(self) -> Columns:
        """List the dates, then the period of each, level by level."""
        first, last = checks.as_day(self.from_), checks.as_day(self.to)
        days = (first + timedelta(number) for number in range((last - first).days + 1))
        # one day stands for each leaf: whatever period holds the day holds the leaf
        leaves = {PERIODS[self.levels[0]](day): day for day in days}
        return [[PERIODS[level](day) for day in leaves.values()] for level in self.levels]

    def _faults(self) -> Faults:
        ends = [*checks.day("from", self.from_), *checks.day("to", self.to)]
        yield from ends
        if not ends and checks.as_day(self.from_) > checks.as_day(self.to):
            yield f"from: {self.from_} is after {self.to}; swap the two."
        if not isinstance(self.levels, tuple) or not self.levels:
            yield f"levels: {self.levels!r} is no list; write some of {quote_some(PERIODS)}."
            return
        unknown = [
            fault for name in self.levels for fault in checks.choice("levels", name, PERIODS)
        ]
        yield from unknown
        ranks = [list(PERIODS).index(name) for name in self.levels if not unknown]
        if any(fine >= coarse for fine, coarse in pairwise(ranks)):
            yield f"levels: list them from short to long, as in {quote_some(PERIODS)}."
