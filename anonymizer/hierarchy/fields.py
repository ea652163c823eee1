"""What a key of a builder may hold: types of fields, and the checks behind them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from fractions import Fraction
from itertools import pairwise
from typing import Annotated, Any, TypeGuard

from pydantic import AfterValidator, BeforeValidator

from anonymizer.hierarchy.values import parse_day
from anonymizer.validation import (
    FROM_NUMPY,
    NOT_EMPTY,
    ONLY_LISTS,
    Count,
    Whole,
    check_unrepeated,
    show,
)

MOST_LEAVES = 5_000_000
"""More than this is a slip of the pen, and would fill the memory before anyone noticed."""
LARGEST = sys.float_info.max
"""No number with decimals is larger."""
MOST_CELLS, FEW_LEVELS = 5_000_000, 20
"""A few levels may be of any size; more than that may have so many values of all leaves together."""


def check_size(leaves: int, levels: int) -> None:
    """Raise a ValueError if a hierarchy would fill the memory, or take minutes to look at.

    >>> check_size(5_000, 4_000)
    Traceback (most recent call last):
    ValueError: 4,000 levels of 5,000 values are too many; use at most 1,000 levels
    """
    most = max(FEW_LEVELS, MOST_CELLS // max(leaves, 1))
    if levels > most:
        raise ValueError(
            f"{levels:,} levels of {leaves:,} values are too many; use at most {most:,} levels"
        )


def is_whole(value: object) -> TypeGuard[int]:
    """Whether the value is a whole number; true and false are not."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_range(value: object) -> bool:
    """Whether the value is a pair such as [2, 4], short for 2, 3, 4."""
    return isinstance(value, list | tuple) and len(value) == 2 and all(map(is_whole, value))


def expand(values: Iterable[Any]) -> list[str]:
    """Write values as text and ranges in full.

    >>> expand(["a", (2, 4), 99])
    ['a', '2', '3', '4', '99']
    """
    texts: list[str] = []
    for value in values:
        texts.extend(map(str, range(value[0], value[1] + 1)) if is_range(value) else [str(value)])
    return texts


def parse_range(value: Any) -> tuple[int, int]:
    """Take a range of whole numbers that is not empty and not endless."""
    if not is_range(value):
        raise ValueError(
            f"{show(value)} is not a range; write it as [lowest, highest] in whole numbers"
        )
    low, high = value
    if low > high:
        raise ValueError(f"{show(low)} is above {show(high)}; write it as [lowest, highest]")
    if high - low >= MOST_LEAVES:
        raise ValueError(f"{show([low, high])} has too many values; use at most {MOST_LEAVES:,}")
    return low, high


def parse_real(value: object) -> int | float:
    """Take a number that is not infinite; true and false are not numbers."""
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST:
        return value if isinstance(value, int) else float(value)
    raise ValueError(f"{show(value)} is not a number; write one without quotes")


def parse_width(value: object) -> int | float:
    """Take a number above 0."""
    number = parse_real(value)
    if number <= 0:
        raise ValueError(f"{show(value)} is too small; use a number above 0")
    return number


def parse_real_range(value: Any) -> tuple[int | float, int | float]:
    """Take a range of numbers that is more than a point."""
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise ValueError(f"{show(value)} is not a range; write it as [lowest, highest]")
    low, high = map(parse_real, value)
    if low >= high:
        raise ValueError(f"{show(low)} is not below {show(high)}; write it as [lowest, highest]")
    return low, high


def parse_leaf(value: object) -> object:
    """Take text, a number, a date or a range."""
    if isinstance(value, list | tuple):
        return parse_range(value)
    # Python refuses to write a whole number of more digits
    small = not is_whole(value) or abs(value) < 10**4000
    if isinstance(value, str | int | float | date) and not isinstance(value, bool) and small:
        return value
    raise ValueError(
        f"{show(value)} is not a value; write text in quotes, a number or a range [2, 4]"
    )


def check_leaves(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Check that no value comes twice, ranges written in full."""
    if sum(high - low for low, high in filter(is_range, values)) >= MOST_LEAVES:
        raise ValueError(f"the ranges have too many values; use at most {MOST_LEAVES:,}")
    check_unrepeated(expand(values))
    return values


def check_rising(numbers: tuple[Any, ...]) -> tuple[Any, ...]:
    """Check that each number is larger than the one before."""
    for low, high in pairwise(numbers):
        if low >= high:
            raise ValueError(f"{high} comes after {low}; list them from small to large")
    return numbers


def check_day(value: object) -> date:
    """Take a date as TOML or ISO writes it.

    >>> check_day("2024-12-31")
    datetime.date(2024, 12, 31)
    """
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    day = parse_day(value) if isinstance(value, str) else None
    if day is None:
        raise ValueError(f"{show(value)} is not a date; write it as 2024-12-31")
    return day


def check_multiples(widths: tuple[Any, ...]) -> tuple[Any, ...]:
    """Check that no interval is cut in two by the intervals of the next level."""
    for narrow, wide in pairwise(widths):
        small, large = Fraction(str(narrow)), Fraction(str(wide))
        if large % small:
            better = large + small - large % small
            raise ValueError(
                f"{wide} is not a multiple of {narrow}, so intervals would be cut in two; "
                f"use {int(better) if better.denominator == 1 else float(better)}"
            )
    return widths


def bounds_faults(
    levels: Sequence[Sequence[Any]], low: Any, high: Any, continuous: bool = False
) -> Iterator[str]:
    """Say which bounds are outside the domain, or cut an interval of the level below in two."""
    for bound in dict.fromkeys(bound for bounds in levels for bound in bounds):
        inside = low < bound < high if continuous else low < bound <= high
        if not inside:
            yield f"{show(bound)} does not start an interval within {low} to {high}; leave it out"
    for fine, coarse in pairwise(levels):
        for bound in sorted(set(coarse) - set(fine)):
            yield f"{bound} would cut an interval of the level below in two; add it there"


def freeze(value: Any) -> Any:
    """Turn lists into tuples, all the way down.

    >>> freeze([1, [2, 3]])
    (1, (2, 3))
    """
    if isinstance(value, list | tuple):
        return tuple(map(freeze, value))
    if isinstance(value, dict):
        return {str(key): freeze(item) for key, item in value.items()}
    return value


Values = Annotated[
    tuple[Annotated[Any, BeforeValidator(parse_leaf)], ...],
    AfterValidator(check_leaves),
    ONLY_LISTS,
]
"""What a column can hold; a range stands for its whole numbers."""
SomeValues = Annotated[
    tuple[Annotated[Any, BeforeValidator(parse_leaf)], ...],
    NOT_EMPTY,
    AfterValidator(check_leaves),
    ONLY_LISTS,
]
Rising = Annotated[tuple[Whole, ...], AfterValidator(check_rising), ONLY_LISTS]
RisingCounts = Annotated[tuple[Count, ...], AfterValidator(check_rising), ONLY_LISTS]
Widths = Annotated[RisingCounts, AfterValidator(check_multiples)]
Real = Annotated[Any, BeforeValidator(parse_real), FROM_NUMPY]
RisingReals = Annotated[tuple[Real, ...], AfterValidator(check_rising), ONLY_LISTS]
RealWidths = Annotated[
    tuple[Annotated[Any, BeforeValidator(parse_width), FROM_NUMPY], ...],
    AfterValidator(check_rising),
    AfterValidator(check_multiples),
    ONLY_LISTS,
]
Day = Annotated[date, BeforeValidator(check_day)]
RisingDays = Annotated[tuple[Day, ...], AfterValidator(check_rising), ONLY_LISTS]
