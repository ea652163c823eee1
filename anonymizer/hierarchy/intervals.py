"""Intervals: whole numbers or real ones, in groups that widen from level to level."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass as plain_dataclass
from fractions import Fraction
from itertools import pairwise
from math import gcd, lcm
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import ValidationInfo, field_validator
from pydantic.dataclasses import dataclass

from anonymizer.hierarchy.builders import (
    HIGH,
    LOW,
    Builder,
    Columns,
    Open,
    beyond,
    builder,
    name_ends,
)
from anonymizer.hierarchy.fields import (
    MOST_LEAVES,
    Real,
    RealWidths,
    Rising,
    RisingReals,
    Widths,
    bounds_faults,
    check_size,
    parse_range,
    parse_real_range,
)
from anonymizer.hierarchy.hierarchy import Growth
from anonymizer.hierarchy.values import NUMBER, Reading, parse_number, write_number
from anonymizer.validation import (
    CHECKED,
    ONLY_LISTS,
    Whole,
    raise_faults,
    validate_each,
)

MOST_UNITS = 10**9
"""The width of a continuous domain in the unit that its bounds are whole multiples of."""

Bounds = Annotated[tuple[Rising, ...], ONLY_LISTS]
RealBounds = Annotated[tuple[RisingReals, ...], ONLY_LISTS]


@builder
@dataclass(frozen=True, slots=True, config=CHECKED)
class Intervals(Builder):
    """Numbers in intervals that widen from level to level.

    Either `widths` (each a multiple of the last; an interval starts at `origin`) or `bounds`: for
    each level the numbers at which a new interval starts, each level's among those of the last. A domain
    that is written with a decimal point is continuous: an interval holds its first number, not its last.

    >>> list(Intervals((0, 3), widths=(2,)).rows())
    [('0', '0-1', '*'), ('1', '0-1', '*'), ('2', '2-3', '*'), ('3', '2-3', '*')]
    >>> Intervals((0, 120), bounds=((18, 65), (65,)), open="high").build("age").labels[1]
    ('0-17', '18-64', '65+')
    >>> Intervals((0.0, 10.0), widths=(2.5, 5)).build("dose").labels[2]
    ('[0, 5)', '[5, 10]')
    """

    kind: ClassVar[str] = "intervals"
    ordered: ClassVar[bool] = True
    domain: tuple[int | float, int | float]
    widths: tuple[int | float, ...] = ()
    bounds: tuple[tuple[int | float, ...], ...] = ()
    origin: int | float = 0
    open: Open | None = None
    """Which ends are open: what lies beyond the domain is in the first or the last interval."""

    @field_validator("domain", mode="plain")
    @classmethod
    def check_domain(cls, domain: Any) -> Any:
        """Check that the domain is a range, of whole numbers unless it has a decimal point."""
        return parse_real_range(domain) if has_decimals(domain) else parse_range(domain)

    @field_validator("widths", mode="plain")
    @classmethod
    def check_widths(cls, widths: Any, info: ValidationInfo) -> Any:
        """Check the widths, and that there are not too many levels for so large a domain."""
        return cls.check_levels(parse_as(RealWidths, Widths, widths, info), info)

    @field_validator("bounds", mode="plain")
    @classmethod
    def check_bounds(cls, bounds: Any, info: ValidationInfo) -> Any:
        """Check that the bounds cut the domain, each level's among those of the last."""
        bounds = cls.check_levels(parse_as(RealBounds, Bounds, bounds, info), info)
        if bounds and info.data.get("widths"):
            raise ValueError("`widths` is given too; keep one of them")
        if "domain" in info.data:
            low, high = info.data["domain"]
            raise_faults(bounds_faults(bounds, low, high, is_continuous(info)))
        return bounds

    @field_validator("origin", mode="plain")
    @classmethod
    def check_origin(cls, origin: Any, info: ValidationInfo) -> Any:
        """Check that the origin is a number, and that the intervals are not too many."""
        origin = parse_as(Real, Whole, origin, info)
        if is_continuous(info) and {"domain", "widths", "bounds"} <= info.data.keys():
            check_fine(origin, *(info.data[key] for key in ("domain", "widths", "bounds")))
        return origin

    @classmethod
    def check_levels(cls, levels: Any, info: ValidationInfo) -> Any:
        """Check that there are not too many levels for so large a domain."""
        if "domain" in info.data and not is_continuous(info):
            low, high = info.data["domain"]
            check_size(high - low + 1, len(levels))
        return levels

    @property
    def reading(self) -> Reading:
        """Cells are numbers, however they are written."""
        return NUMBER

    def columns(self) -> Columns:
        """List the numbers, then the interval of each; of a continuous domain, where intervals start."""
        if has_decimals(self.domain):
            grid = self.grid()
            starts = [grid.low, *(grid.cuts[0] if grid.cuts else ())]
            return [list(column) for column in zip(*map(grid.labels_of, starts), strict=True)]
        low, high = (int(end) for end in self.domain)
        numbers = range(low, high + 1)
        levels = [self._by_width(numbers, int(width)) for width in self.widths]
        levels += [self._by_bounds([int(bound) for bound in bounds]) for bounds in self.bounds]
        return [[str(number) for number in numbers], *levels]

    def _by_width(self, numbers: range, width: int) -> list[str]:
        first = numbers[0] - (numbers[0] - int(self.origin)) % width
        spans = [(start, start + width - 1) for start in range(first, numbers[-1] + 1, width)]
        names = self._names(spans)
        return [names[(number - first) // width] for number in numbers]

    def _by_bounds(self, bounds: Sequence[int]) -> list[str]:
        starts = [int(self.domain[0]), *bounds, int(self.domain[1]) + 1]
        spans = [(start, following - 1) for start, following in pairwise(starts)]
        sizes = [high - low + 1 for low, high in spans]
        return [
            name for name, size in zip(self._names(spans), sizes, strict=True) for _ in range(size)
        ]

    def _names(self, spans: Sequence[tuple[int, int]]) -> list[str]:
        low, high = f"< {spans[0][1] + 1}", at_least(spans[-1][0])
        return name_ends([interval(*span) for span in spans], self.open, low, high, "any number")

    def grid(self) -> Grid:
        """Return the intervals of a continuous domain."""
        low, high = map(exact, self.domain)
        cuts = [cuts_of(exact(width), exact(self.origin), low, high) for width in self.widths]
        cuts += [tuple(map(exact, bounds)) for bounds in self.bounds]
        names = tuple(tuple(real_names(low, high, level, self.open)) for level in cuts)
        return Grid(low, high, tuple(cuts), names, self.open, self.top)

    def traits(self) -> dict[str, Any]:
        """Return the widths of a continuous domain, and what knows numbers that are not listed."""
        low, high = (write_number(exact(end)) for end in self.domain)
        span = f"numbers from {low} to {high}"
        if has_decimals(self.domain):
            return {"span": f"the {span}", **self._measured(self.grid())}
        if self.open is None:
            return {"span": f"the whole {span}"}
        return {"span": f"the {span}", **beyond(self, self.open, whole_place)}

    def _measured(self, grid: Grid) -> dict[str, Any]:
        """Return what each value of each level covers, in units; other values cover nothing."""
        units, levels = grid.units(), self.all_columns()
        covers = [np.zeros(len(set(levels[0])), np.int64)]
        for widths, names, column in zip(units[1:], grid.names, levels[1:-1], strict=True):
            width_of = dict(zip(names, widths, strict=True))
            covers.append(np.array([width_of.get(n, 0) for n in dict.fromkeys(column)], np.int64))
        covers.append(np.array([units[0][0]], np.int64))
        whole = units[0][0]
        return {"covers": tuple(covers), "whole": whole, "continuous": True, "growth": grid}


@plain_dataclass(frozen=True)
class Grid(Growth):
    """The intervals of a continuous domain, level by level; a cut is the first number of its interval."""

    low: Fraction
    high: Fraction
    cuts: tuple[tuple[Fraction, ...], ...]
    names: tuple[tuple[str, ...], ...]
    open: Open | None
    top: str

    def labels_of(self, number: Fraction) -> tuple[str, ...]:
        """Return the number, and its interval at each level below the top."""
        found = (
            names[bisect_right(cuts, number)]
            for cuts, names in zip(self.cuts, self.names, strict=True)
        )
        return (write_number(number), *found)

    def row_of(self, value: str) -> tuple[str, ...] | None:
        """Return what a number becomes; None for a text, or a number beyond a closed end."""
        parsed = parse_number(value)
        if parsed is None:
            return None
        number = Fraction(parsed)
        if (number < self.low and self.open not in LOW) or (
            number > self.high and self.open not in HIGH
        ):
            return None
        return (value, *self.labels_of(number)[1:], self.top)

    def position(self, value: str) -> float | None:
        """Return the number."""
        number = parse_number(value)
        return None if number is None else float(number)

    def units(self) -> list[list[int]]:
        """Return the width of the domain, then of the intervals of each level, in the largest unit."""
        ends = [[self.low, *cuts, self.high] for cuts in ((), *self.cuts)]
        widths = [[after - before for before, after in pairwise(level)] for level in ends]
        unit = largest_unit([width for level in widths for width in level])
        return [[int(width / unit) for width in level] for level in widths]


def has_decimals(domain: object) -> bool:
    """Whether a domain is written with a decimal point, and so is one of real numbers.

    >>> has_decimals((0, 9)), has_decimals((0.0, 9))
    (False, True)
    """
    return isinstance(domain, list | tuple) and any(isinstance(end, float) for end in domain)


def is_continuous(info: ValidationInfo) -> bool:
    """Whether the intervals that are checked are of real numbers."""
    return has_decimals(info.data.get("domain"))


def parse_as(real: Any, whole: Any, value: object, info: ValidationInfo) -> Any:
    """Check a value as real numbers where the attribute is continuous, and else as whole ones."""
    return validate_each(real if is_continuous(info) else whole, [((), value)])[()]


def exact(number: int | float) -> Fraction:
    """Return the decimal number that is written, which a float only comes near.

    >>> exact(0.1)
    Fraction(1, 10)
    """
    return Fraction(str(number))


def cuts_of(
    width: Fraction, origin: Fraction, low: Fraction, high: Fraction
) -> tuple[Fraction, ...]:
    """Return where intervals of one width start inside a domain."""
    first = (low - origin) // width + 1
    last = -((origin - high) // width) - 1
    return tuple(origin + number * width for number in range(first, last + 1))


def largest_unit(widths: Sequence[Fraction]) -> Fraction:
    """Return the largest number of which all widths are whole multiples.

    >>> largest_unit([Fraction(5, 2), Fraction(10)])
    Fraction(5, 2)
    """
    denominator = lcm(*(width.denominator for width in widths))
    return Fraction(gcd(*(int(width * denominator) for width in widths)), denominator)


def check_fine(
    origin: float,
    domain: Sequence[float],
    widths: Sequence[float],
    bounds: Sequence[Sequence[float]],
) -> None:
    """Refuse more intervals than anybody can mean, or bounds of more digits."""
    low, high = map(exact, domain)
    if widths and (high - low) / exact(widths[0]) > MOST_LEAVES:
        raise ValueError(f"{widths[0]} makes too many intervals; use at most {MOST_LEAVES:,}")
    starts = [exact(bound) - low for level in bounds for bound in level]
    unit = largest_unit([high - low, *starts, *map(exact, widths), exact(origin) - low])
    if (high - low) / unit > MOST_UNITS:
        raise ValueError("the bounds of the intervals have too many digits; round them")


def interval(low: int, high: int) -> str:
    """Name the whole numbers from low to high.

    >>> interval(20, 24), interval(-5, -1), interval(7, 7)
    ('20-24', '-5 to -1', '7')
    """
    if low == high:
        return str(low)
    return f"{low}-{high}" if low >= 0 else f"{low} to {high}"


def at_least(low: int) -> str:
    """Name the whole numbers from one on.

    >>> at_least(90), at_least(-5)
    ('90+', '>= -5')
    """
    return f"{low}+" if low >= 0 else f">= {low}"


def real_names(
    low: Fraction, high: Fraction, cuts: Sequence[Fraction], ends: Open | None
) -> list[str]:
    """Name the intervals of a level: with a square bracket where an end belongs to it.

    >>> real_names(Fraction(0), Fraction(10), [Fraction(5, 2)], None)
    ['[0, 2.5)', '[2.5, 10]']
    >>> real_names(Fraction(0), Fraction(10), [Fraction(5, 2)], "both")
    ['< 2.5', '>= 2.5']
    """
    texts = [write_number(end) for end in (low, *cuts, high)]
    names = [f"[{before}, {after})" for before, after in pairwise(texts)]
    names[-1] = f"{names[-1][:-1]}]"
    return name_ends(names, ends, f"< {texts[1]}", f">= {texts[-2]}", "any number")


def whole_place(value: str) -> float | None:
    """Return a whole number as what it is sorted by."""
    number = parse_number(value)
    return None if number is None or number % 1 else float(number)
