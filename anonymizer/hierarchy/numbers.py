"""Numbers of a hierarchy: its leaves as numbers, the group of a number, and the number of a group.

The midpoint of a value is halfway between the lowest and the highest that it covers: 22 for `20-24`, 2.5
for `[0, 5)`, the middle of the month for `2024-02`, in days since 1970. An open interval reaches to the
end of the stated domain, as it does for the loss: `90+` is 105 where the domain ends at 120.
"""

from __future__ import annotations

import calendar
import math
import re
from bisect import bisect_right
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from anonymizer.errors import quote_some
from anonymizer.hierarchy.hierarchy import Hierarchy
from anonymizer.hierarchy.values import parse_day, parse_number, write_number


def numbers_of(texts: Sequence[str]) -> list[Decimal | None]:
    """Read texts as numbers; None where a text is not one, as `unknown` or a missing cell.

    >>> numbers_of(["18", "unknown"])
    [Decimal('18'), None]
    """
    return [parse_number(text) for text in texts]


def why_not_in_runs(hierarchy: Hierarchy) -> str | None:
    """Say why a number between two leaves of a group need not belong to the group; None where it does.

    >>> parity = [("1", "odd"), ("2", "even"), ("3", "odd")]
    >>> why_not_in_runs(Hierarchy.from_rows("day", parity))
    "'odd' at level 1 is not a run of numbers"
    """
    numbers = numbers_of(hierarchy.leaves)
    leaves = sorted((n, leaf) for leaf, n in enumerate(numbers) if n is not None)
    if not leaves:
        return "its hierarchy has no numbers"
    for level, codes in enumerate(hierarchy.codes):
        runs = [code for code, _ in groupby(int(codes[leaf]) for _, leaf in leaves)]
        if twice := [code for code in dict.fromkeys(runs) if runs.count(code) > 1]:
            labels = quote_some([hierarchy.labels[level][code] for code in twice])
            return f"{labels} at level {level} is not a run of numbers"
    return None


def groups_of_numbers(hierarchy: Hierarchy, level: int, texts: Sequence[str]) -> list[str | None]:
    """Return the group of a level that each number is in, between leaves too; None where it is in none.

    >>> ages = [("20", "20-29"), ("29", "20-29"), ("30", "30-39")]
    >>> groups_of_numbers(Hierarchy.from_rows("age", ages), 1, ["24.5", "29.5", "30", "old"])
    ['20-29', None, '30-39', None]
    """
    numbers = numbers_of(texts)
    grown = hierarchy.with_values([write_number(n) for n in numbers if n is not None])
    leaves = sorted((n, leaf) for leaf, n in enumerate(numbers_of(grown.leaves)) if n is not None)
    places, codes = [number for number, _ in leaves], grown.codes[level]
    found: list[str | None] = []
    for number in numbers:
        at = 0 if number is None else bisect_right(places, number)
        below = None if at == 0 else int(codes[leaves[at - 1][1]])
        listed = at > 0 and places[at - 1] == number
        inside = listed or (0 < at < len(leaves) and int(codes[leaves[at][1]]) == below)
        found.append(grown.labels[level][below] if below is not None and inside else None)
    return found


Floats = NDArray[np.float64]
PERIOD = re.compile(
    r"(?P<year>\d{4})(?:-(?P<month>\d\d)(?:-(?P<day>\d\d)(?:T(?P<hour>\d\d))?)?|-Q(?P<quarter>[1-4]))?"
)
EPOCH = date(1970, 1, 1).toordinal()


def numbers_of_values(texts: Sequence[str]) -> Floats | None:
    """Read values as numbers, or else as dates in days since 1970; None where one is neither.

    A missing value is NaN.

    >>> numbers_of_values(["18", ""]).tolist(), numbers_of_values(["1970-01-02"]).tolist()
    ([18.0, nan], [1.0])
    >>> numbers_of_values(["18", "old"]) is None
    True
    """
    given = [text for text in texts if text.strip()]
    for read in (read_number, middle_of_period):
        if given and all(read(text) is not None for text in given):
            found = (read(text) if text.strip() else None for text in texts)
            return np.array([math.nan if number is None else number for number in found])
    return None


def read_number(text: str) -> float | None:
    """Read a number."""
    number = parse_number(text)
    return None if number is None else float(number)


def middle_of_period(text: str) -> float | None:
    """Return the middle of a day, month, quarter, year or hour, in days since 1970; a day is its number.

    >>> middle_of_period("1970-01-31"), middle_of_period("1970-01"), middle_of_period("no date")
    (30.0, 15.0, None)
    """
    plain = text.strip()
    found = PERIOD.fullmatch(plain) or PERIOD.fullmatch(plain[:10])
    ends = None if found is None else ends_of_period(found)
    if ends is None or found is None:
        return None
    return sum(ends) / 2 + (int(found["hour"]) / 24 if found["hour"] else 0.0)


def ends_of_period(found: re.Match[str]) -> tuple[float, float] | None:
    """Return the first and the last day of a period, in days since 1970."""
    year = int(found["year"])
    if found["day"]:
        day = parse_day(found[0][:10])
        return None if day is None else (day.toordinal() - EPOCH,) * 2
    quarter = int(found["quarter"] or 0)
    first = int(found["month"] or 0) or (3 * quarter - 2 if quarter else 1)
    last = int(found["month"] or 0) or (3 * quarter if quarter else 12)
    if not (year and 1 <= first <= 12):
        return None
    days = calendar.monthrange(year, last)[1]
    return (
        date(year, first, 1).toordinal() - EPOCH,
        date(year, last, days).toordinal() - EPOCH,
    )


def midpoints(hierarchy: Hierarchy, level: int) -> Floats | None:
    """Return the midpoint of each value of a level; None where the leaves are not numbers or dates.

    >>> ages = [("20", "20-24"), ("24", "20-24"), ("25", "25+"), ("90", "25+")]
    >>> midpoints(Hierarchy.from_rows("age", ages), 1).tolist()
    [22.0, 57.5]
    """
    leaves = numbers_of_values(hierarchy.leaves)
    if leaves is None:
        return None
    if level == 0:
        return leaves
    stated = hierarchy.declared or hierarchy  # an open interval ends where the domain does
    known = dict(zip(*stated_midpoints(stated, level), strict=True))
    return np.array([known.get(label, math.nan) for label in hierarchy.labels[level]])


def stated_midpoints(hierarchy: Hierarchy, level: int) -> tuple[tuple[str, ...], list[float]]:
    """Return the values of a level and their midpoints, as the leaves that are listed give them."""
    numbers = numbers_of_values(hierarchy.leaves)
    assert numbers is not None
    codes, labels = hierarchy.codes[level], hierarchy.labels[level]
    low, high = np.full(len(labels), math.inf), np.full(len(labels), -math.inf)
    there = ~np.isnan(numbers)
    np.minimum.at(low, codes[there], numbers[there])
    np.maximum.at(high, codes[there], numbers[there])
    if hierarchy.continuous:  # the leaves that are listed are where the finest intervals begin
        high = low + hierarchy.cover(level) * unit_of(hierarchy, numbers)
    low[np.isinf(low)] = math.nan  # a value that covers no number, as that of missing cells
    return labels, ((low + high) / 2).tolist()


def unit_of(hierarchy: Hierarchy, starts: Floats) -> float:
    """Return the width that a cover of 1 stands for, in a hierarchy of continuous numbers."""
    order = np.argsort(starts)
    order = order[~np.isnan(starts[order])]
    widths = hierarchy.cover(1)[hierarchy.codes[1][order]]
    if order.size < 2:
        return 0.0
    return float((starts[order[-1]] - starts[order[0]]) / widths[:-1].sum())
