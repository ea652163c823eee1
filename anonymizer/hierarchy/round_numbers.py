"""Intervals with round bounds for numbers that occur: no bound is somebody's own value by design."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate
from operator import itemgetter

from anonymizer.hierarchy.intervals import exact
from anonymizer.hierarchy.values import write_number

MANY_GROUPS = 20
"""The first level above the values should have about so many groups at most."""
MOST_NUMBERS = 1_000_000
"""A domain with more whole numbers than this is better taken as continuous."""
FAR = 3
"""Outliers are left to the open ends where they make the domain so many times as wide."""
CROWDED = Fraction(2, 3)
"""Intervals of equal width do not serve where one of the largest width holds more of the cells."""
MOST_HALVINGS = 4
"""So many levels, of two to sixteen intervals, are cut where the numbers lie."""
FINEST = 10**6
"""Cuts are told apart down to about this part of the domain."""
TAIL = Fraction(1, 100)
"""The share of the cells at either end that may be outliers."""

Cells = Sequence[tuple[Fraction, int]]
"""The numbers of a column in order, and how many cells have each."""


def propose_intervals(name: str, counts: Mapping[str, int]) -> list[str]:
    """Propose intervals for numbers, given how many cells have each.

    They are of equal width where the numbers are spread over their domain. Else most cells would be in
    one interval, and the bounds lie where the numbers do.
    """
    ordered = sorted(counts, key=Decimal)  # many times as fast as to sort fractions
    cells = [(Fraction(value), counts[value]) for value in ordered]
    low, high = core(cells)
    whole = all(number.denominator == 1 for number, _ in cells)
    if whole and high - low < MOST_NUMBERS:
        found = whole_domain(int(low), int(high))
    else:
        whole, found = False, real_domain(low, high)
    inside = clip(cells, found)
    levels = round_cuts(inside, found, whole) if crowded(inside, found) else []
    kind = "whole numbers" if whole else "numbers with decimals"
    write = write_number if whole else lambda number: repr(float(number))
    return [
        f"# Column '{name}': {len(cells):,} {kind}.",
        COMMENT,
        *(CUTS if levels else ()),
        'builder = "intervals"',
        f"domain = [{write(found.start)}, {write(found.end)}]",
        f"bounds = [{', '.join(map(array, levels))}]"
        if levels
        else f"widths = {array(found.widths)}",
        open_line(found.start, cells[0][0]),
    ]


@dataclass(frozen=True)
class RoundDomain:
    """Where most numbers lie, between round bounds, and the widths of intervals that fill it."""

    start: Fraction
    end: Fraction
    widths: Sequence[Fraction]


def core(cells: Cells) -> tuple[Fraction, Fraction]:
    """Return where the numbers lie, outliers aside if the domain would be mostly empty with them.

    >>> core([(Fraction(n), 10) for n in range(50)] + [(Fraction(10**6), 1)])
    (Fraction(0, 1), Fraction(49, 1))
    """
    total = sum(times for _, times in cells)
    tail, seen = total // (1 / TAIL), 0
    inside = []
    for number, times in cells:
        if seen + times > tail and seen < total - tail:
            inside.append(number)
        seen += times
    wide, narrow = cells[-1][0] - cells[0][0], inside[-1] - inside[0]
    if 0 < narrow * FAR < wide:
        return inside[0], inside[-1]
    return cells[0][0], cells[-1][0]


def whole_domain(low: int, high: int) -> RoundDomain:
    """Return a domain of whole numbers."""
    span = high - low + 1
    width = first_width(Fraction(span), at_least=Fraction(2))
    start, end = low // width * width, high // width * width + width - 1
    return RoundDomain(Fraction(start), end, doubled(width, Fraction(span)) if span > 2 else ())


def real_domain(low: Fraction, high: Fraction) -> RoundDomain:
    """Return a domain of real numbers."""
    width = first_width(high - low or Fraction(1))
    while not all(map(is_short, (low // width * width, high // width * width + width))):
        width *= 10  # so large a number has no room for so small a step
    start, end = low // width * width, high // width * width + width
    return RoundDomain(start, end, doubled(width, end - start))


def doubled(width: Fraction, span: Fraction) -> list[Fraction]:
    """Double a width until two to four intervals are left.

    >>> list(map(int, doubled(Fraction(5), Fraction(74))))
    [5, 10, 20]
    """
    widths = [width]
    while widths[-1] * 4 <= span:
        widths.append(widths[-1] * 2)
    return widths


COMMENT = (
    "# The domain counts for the loss; beyond an open end, the first or last interval goes on."
)
CUTS = ("# Intervals start at round numbers between which about equally many cells lie.",)


def array(numbers: Sequence[Fraction]) -> str:
    """Write numbers as a TOML array."""
    return f"[{', '.join(map(write_number, numbers))}]"


def open_line(start: Fraction, least: Fraction) -> str:
    """Open the ends; where the numbers start at zero, one below would be a mistake."""
    return 'open = "high"' if start == 0 <= least else 'open = "both"'


def clip(cells: Cells, domain: RoundDomain) -> Cells:
    """Count what lies beyond the ends of a domain at the ends.

    >>> clip([(Fraction(n), 1) for n in range(-2, 12)], whole_domain(0, 1))
    [(Fraction(0, 1), 3), (Fraction(1, 1), 11)]
    """
    first = bisect_right(cells, domain.start, key=itemgetter(0))
    last = bisect_left(cells, domain.end, key=itemgetter(0))
    low, high = (sum(times for _, times in part) for part in (cells[:first], cells[last:]))
    ends = (domain.start, low), (domain.end, high)
    return [pair for pair in (ends[0], *cells[first:last], ends[1]) if pair[1]]


def crowded(inside: Cells, domain: RoundDomain) -> bool:
    """Whether one interval of the largest width holds most cells.

    >>> evenly = [(Fraction(n), 1) for n in range(100)]
    >>> crowded(evenly, whole_domain(0, 99)), crowded(evenly, whole_domain(0, 999))
    (False, True)
    """
    if not domain.widths:
        return False
    held: Counter[int] = Counter()
    for number, times in inside:
        held[number // domain.widths[-1]] += times
    return max(held.values()) > CROWDED * held.total()


def round_cuts(inside: Cells, domain: RoundDomain, whole: bool) -> list[list[Fraction]]:
    """Halve the cells again and again at round numbers: the cuts of each level, the finest first.

    >>> skewed = [(Fraction(n), 1000 // (n + 1)) for n in range(500)]
    >>> for cuts in round_cuts(skewed, whole_domain(0, 499), whole=True):
    ...     print(*cuts)
    1 2 3 5 7 10 15 20 30 50 70 100 150 200 300
    2 5 10 20 50 100 200
    5 20 100
    20
    """
    span = domain.end - domain.start
    least = Fraction(1) if whole else first_width(span / FINEST)
    most = domain.end if whole else domain.end - least  # a cut at the end would cut off nothing
    fewest = TAIL * sum(times for _, times in inside)
    parts, cuts, levels = [inside], list[Fraction](), list[list[Fraction]]()
    for _ in range(MOST_HALVINGS):
        halves = []
        for part in parts:
            cut = round_cut(part, least, fewest)
            if cut is None or cut > most:
                halves.append(part)
                continue
            cuts.append(cut)
            at = bisect_left(part, cut, key=itemgetter(0))
            halves += [part[:at], part[at:]]
        if len(halves) == len(parts) or (whole and len(halves) > span):
            break  # nothing is left to cut, or each number would be an interval
        parts = halves
        levels.insert(0, sorted(cuts))
    return levels


def round_cut(part: Cells, least: Fraction, fewest: Fraction) -> Fraction | None:
    """Return the roundest number that leaves between a third and two thirds of the cells below it.

    Where no number does, because many cells have one value, it is next to that. None where a side would
    have too few cells, or where the numbers lie closer together than the `least` step.

    >>> cells = [(Fraction(n), 1) for n in range(17, 91)]
    >>> round_cut(cells, Fraction(1), Fraction(1)), round_cut(cells[:2], Fraction(1), Fraction(2))
    (Fraction(50, 1), None)
    """
    below = list(accumulate(times for _, times in part))
    total = below.pop()
    if not below:
        return None
    middle = min(range(1, len(part)), key=lambda at: abs(2 * below[at - 1] - total))
    if min(below[middle - 1], total - below[middle - 1]) < fewest:
        return None
    fitting = [at for at, cells in enumerate(below, 1) if total <= 3 * cells <= 2 * total]
    first, last = (fitting[0], fitting[-1]) if fitting else (middle, middle)
    return roundest(part[first - 1][0], part[last][0], part[middle][0], least)


def roundest(above: Fraction, up_to: Fraction, near: Fraction, least: Fraction) -> Fraction | None:
    """Return the multiple of the largest round step between two numbers that is nearest to a third.

    >>> roundest(Fraction(31), Fraction(78), Fraction(52), Fraction(1))
    Fraction(50, 1)
    """
    for step in round_steps(max(abs(above), abs(up_to)), least):
        first, last = above // step + 1, up_to // step
        if first <= last:
            cut = min(max(round(near / step), first), last) * step
            return cut if is_short(cut) else None
    return None


def round_steps(size: Fraction, least: Fraction) -> Iterator[Fraction]:
    """List 1, 2 and 5 times powers of ten, from above a size down to the least.

    >>> list(map(str, round_steps(Fraction(30), Fraction(1, 2))))
    ['50', '20', '10', '5', '2', '1', '1/2']
    """
    step = first_width(max(size, least) * MANY_GROUPS)
    while step >= least:
        yield step
        step /= 2 if first_digit(step) != 5 else Fraction(5, 2)


def first_digit(number: Fraction) -> int:
    """Return the first digit that is not 0.

    >>> first_digit(Fraction(50)), first_digit(Fraction(1, 5))
    (5, 2)
    """
    return int(f"{float(number):e}"[0])


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
