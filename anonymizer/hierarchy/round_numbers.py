"""Intervals with round bounds for numbers that occur: no bound is somebody's own value by design."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from anonymizer.hierarchy.intervals import exact
from anonymizer.hierarchy.values import write_number

MANY_GROUPS = 20
"""The first level above the values should have about so many groups at most."""
MOST_NUMBERS = 1_000_000
"""A domain with more whole numbers than this is better taken as continuous."""
FAR = 3
"""Outliers are left to the open ends where they make the domain so many times as wide."""
TAIL = Fraction(1, 100)
"""The share of the cells at either end that may be outliers."""


def propose_intervals(name: str, counts: Mapping[str, int]) -> list[str]:
    """Propose intervals for numbers, given how many cells have each."""
    numbers = {Fraction(value): times for value, times in counts.items()}
    low, high = core(numbers)
    whole = all(number.denominator == 1 for number in numbers)
    if whole and high - low < MOST_NUMBERS:
        return whole_lines(name, len(numbers), int(low), int(high))
    return real_lines(name, len(numbers), low, high)


def core(numbers: Mapping[Fraction, int]) -> tuple[Fraction, Fraction]:
    """Return where the numbers lie, outliers aside if the domain would be mostly empty with them.

    >>> core({Fraction(n): 10 for n in range(50)} | {Fraction(10**6): 1})
    (Fraction(0, 1), Fraction(49, 1))
    """
    ordered = sorted(numbers)
    cells, tail = sum(numbers.values()), TAIL * sum(numbers.values())
    seen = 0
    inside = []
    for number in ordered:
        if seen + numbers[number] > tail and seen < cells - tail:
            inside.append(number)
        seen += numbers[number]
    wide, narrow = ordered[-1] - ordered[0], inside[-1] - inside[0]
    if 0 < narrow * FAR < wide:
        return inside[0], inside[-1]
    return ordered[0], ordered[-1]


def whole_lines(name: str, count: int, low: int, high: int) -> list[str]:
    """Propose intervals of whole numbers."""
    span = high - low + 1
    width = first_width(Fraction(span), at_least=Fraction(2)).numerator
    widths = [width]
    while widths[-1] * 4 <= span:
        widths.append(widths[-1] * 2)
    start, end = low // width * width, high // width * width + width - 1
    return [
        f"# Column '{name}': {count:,} whole numbers.",
        COMMENT,
        'builder = "intervals"',
        f"domain = [{start}, {end}]",
        f"widths = {widths if span > 2 else []}",
        open_line(start),
    ]


COMMENT = (
    "# The domain counts for the loss; beyond an open end, the first or last interval goes on."
)


def real_lines(name: str, count: int, low: Fraction, high: Fraction) -> list[str]:
    """Propose intervals of real numbers."""
    width = first_width(high - low or Fraction(1))
    while not all(map(is_short, (low // width * width, high // width * width + width))):
        width *= 10  # so large a number has no room for so small a step
    start, end = low // width * width, high // width * width + width
    widths = [width]
    while widths[-1] * 4 <= end - start:
        widths.append(widths[-1] * 2)
    return [
        f"# Column '{name}': {count:,} numbers with decimals.",
        COMMENT,
        'builder = "intervals"',
        f"domain = [{float(start)!r}, {float(end)!r}]",
        f"widths = [{', '.join(map(write_number, widths))}]",
        open_line(start),
    ]


def open_line(start: Fraction | int) -> str:
    """Open the ends; where the numbers start at zero, one below would be a mistake."""
    return 'open = "high"' if start == 0 else 'open = "both"'


def is_short(number: Fraction) -> bool:
    """Whether a number is what a float with a few digits says."""
    return exact(float(number)) == number


def first_width(span: Fraction, at_least: Fraction = Fraction(0)) -> Fraction:
    """Find a round width that makes about twenty intervals.

    >>> [str(first_width(Fraction(span))) for span in (10, 74, 450, 5676)]
    ['1/2', '5', '50', '500']
    """
    width = Fraction(1)
    while width * MANY_GROUPS >= span:
        width /= 10
    while True:
        for factor in (2, 5, 10):
            if width * factor * MANY_GROUPS >= span and width * factor >= at_least:
                return width * factor
        width *= 10
