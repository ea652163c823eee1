"""Numbers of a hierarchy: its leaves as numbers, and the group of a number that need not be a leaf."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from decimal import Decimal
from itertools import groupby

from anonymizer.errors import quote_some
from anonymizer.hierarchy.hierarchy import Hierarchy
from anonymizer.hierarchy.values import parse_number, write_number


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
