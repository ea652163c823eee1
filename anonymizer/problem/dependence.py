"""Which columns of a table follow from others: functions, codes with labels, dummies, differences.

A column *determines* another if whoever knows its value knows the other's. Three things show it:

- **groups**: records that share a value of one column share the other's. A value that one record has
  shows nothing, so only repeated values count: a laboratory value that is unique to each row determines
  everything, and says nothing.
- **intervals**: in the order of a number or a date, the other column changes as seldom as it can. This
  finds groups of ages, and years of birth in dates that nobody shares.
- **order**: both columns are numbers or dates, nearly all different, and one rises or falls with the
  other, as logarithms, squares and other units do.

Each counts its errors, and how many it would have counted had the values been paired at random. The
dependence holds if chance would have made at least `EVIDENCE` errors, and there are at most `1 - NEARLY`
as many. So neither columns that are all but constant nor plain correlation are called dependence.
Of people with several rows, one row each is looked at, drawn at random.
"""

from __future__ import annotations

import contextlib
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.column import MISSING, Column
from anonymizer.errors import quote_some
from anonymizer.hierarchy.suggest import FORMATS
from anonymizer.hierarchy.values import AsDate

NEARLY = 0.98
"""So much of what chance gets wrong must be right; two records must agree, so 1 in 100 may be wrong."""
EVIDENCE = 20
"""Chance must get so many records wrong: it does well on all of them once in a billion times."""
MOST_ROWS = 5_000
"""So many rows are looked at, drawn at random."""
SCREENED = 2_000
"""So many pairs of neighbours tell whether a dependence is worth counting."""
FIRST = 200
"""So many rows tell whether the order of two columns is worth comparing."""
SCREEN = 3 * (1 - NEARLY)
"""An error parts a record from two neighbours; half as much again allows for the few that are drawn."""
MOSTLY = 0.5
"""The share of the records that must have a value of what determines another column."""
RANKED = 0.95
"""The rank correlation from which two orders are compared record by record."""
FINE = 4
"""Columns with more than one value for so many records are compared by order, not by intervals."""
BLOCK, BLOCKS = 8, 3
"""The rows on which a difference of two columns is first compared with a third, and how often."""
SAME = 1e-6
"""Numbers are equal that differ by so much of their standard deviation."""
FEW = 10
"""Numbers with so many values or fewer are not taken for rounded ones."""
MOST_FLAGS = 60
"""So many dummies are looked at together: their values are the bits of one number."""

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


class DependenceKind(StrEnum):
    """How a column follows from others; the text is what it is to them."""

    LINEAR = "a linear function of"
    SQUARE = "the square of"
    LOGARITHM = "the logarithm of"
    CODE = "a renaming of"
    FUNCTION = "a function of"
    DIFFERENCE = "a difference of"
    SUM = "a sum of"
    TOGETHER = "what is left by"

    @property
    def is_formula(self) -> bool:
        """Whether the column can be computed again from what it follows from."""
        return self in (DependenceKind.LINEAR, DependenceKind.SQUARE, DependenceKind.LOGARITHM)


@dataclass(frozen=True, slots=True)
class Dependence:
    """A column that follows from others.

    >>> print(Dependence("age2", ("age",), DependenceKind.SQUARE))
    'age2' is the square of 'age'
    """

    column: str
    on: tuple[str, ...]
    """What determines it: one column, or several together."""
    kind: DependenceKind

    def __str__(self) -> str:
        return f"'{self.column}' is {self.kind.value} {quote_some(self.on)}"


@dataclass(frozen=True, slots=True)
class Fit:
    """How often something fails, and how often it would if values were paired at random."""

    errors: int
    by_chance: int

    @property
    def holds(self) -> bool:
        """Whether it nearly never fails, though chance would have made it fail."""
        return self.by_chance >= EVIDENCE and self.errors <= (1 - NEARLY) * self.by_chance


@dataclass(frozen=True, eq=False)
class Drawn:
    """Rows of some columns, one of each person, as codes and as numbers."""

    columns: Mapping[str, Column]

    @staticmethod
    def of(columns: Mapping[str, Column], whose: Column | None = None) -> Drawn:
        """Draw at most `MOST_ROWS` rows, one of each person, in a random order.

        Tables come sorted, and neighbours in the order of one column must not be so in another's.
        """
        size = next((column.codes.size for column in columns.values()), 0)
        rows = np.random.default_rng(0).permutation(size)
        if whose is not None:
            rows = rows[np.sort(np.unique(whose.codes[rows], return_index=True)[1])]
        rows = rows[:MOST_ROWS]
        return Drawn({name: column.keep(rows) for name, column in columns.items()})

    @cached_property
    def names(self) -> list[str]:
        """The columns that have more than one value: constant ones follow from anything."""
        return [n for n, each in self.columns.items() if len(set(each.texts) - {MISSING}) > 1]

    @cached_property
    def codes(self) -> dict[str, Integers]:
        """The codes of each column; missing cells are -1."""
        found = {}
        for name in self.names:
            column = self.columns[name]
            found[name] = np.where(column.missing, -1, column.codes.astype(np.int64))
        return found

    @cached_property
    def readings(self) -> dict[str, tuple[Floats, bool]]:
        """The values of numbers and dates, these in days, and whether they are dates."""
        read = {name: read_numbers(self.columns[name].texts) for name in self.names}
        return {name: found for name, found in read.items() if found is not None}

    @cached_property
    def numbers(self) -> dict[str, Floats]:
        """The columns of numbers or dates; missing cells are NaN."""
        read = self.readings
        return {name: values[self.columns[name].codes] for name, (values, _) in read.items()}

    @property
    def dates(self) -> list[str]:
        """The columns of dates."""
        return [name for name, (_, is_date) in self.readings.items() if is_date]

    @cached_property
    def orders(self) -> dict[str, Integers]:
        """The rows of each column of numbers in their order, without missing cells."""
        return {
            name: np.argsort(values, kind="stable")[: np.count_nonzero(~np.isnan(values))]
            for name, values in self.numbers.items()
        }

    @cached_property
    def correlations(self) -> dict[str, dict[str, float]]:
        """About the rank correlation of every two columns of numbers, by a few rows."""
        some = np.random.default_rng(7).permutation(self.rows)[:FIRST]
        values = [np.zeros((some.size, 0)), *(each[some, None] for each in self.numbers.values())]
        there = ~np.isnan(np.concatenate(values, axis=1))
        ranks = np.argsort(np.argsort(np.concatenate(values, axis=1), axis=0), axis=0)
        centred = np.where(there, ranks - (there.sum(axis=0) - 1) / 2, 0.0)
        squares = (centred**2).T @ there
        found = centred.T @ centred / np.maximum(np.sqrt(squares * squares.T), 1e-12)
        return {
            name: dict(zip(self.numbers, row.tolist(), strict=True))
            for name, row in zip(self.numbers, found, strict=True)
        }

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return next((codes.size for codes in self.codes.values()), 0)

    def is_fine(self, name: str) -> bool:
        """Whether a column of numbers has too many values to be constant in intervals of another."""
        values = len(self.columns[name].texts)
        return name in self.readings and values * FINE > min(self.rows, SCREENED)

    def flags(self, names: Iterable[str]) -> list[str]:
        """List the columns among some that have two values and no missing cell: dummies."""
        return [name for name in names if name in self.codes and len(self.columns[name].texts) == 2]


def read_numbers(texts: Sequence[str]) -> tuple[Floats, bool] | None:
    """Return texts as numbers, or as days, and whether they are days; None where they are neither."""
    with contextlib.suppress(ValueError):
        numbers = np.array([float(text) if text and text != " " else np.nan for text in texts])
        return None if np.isinf(numbers).any() else (numbers, False)
    first = next((text.strip() for text in texts if text.strip()), "")
    for reading in (AsDate(), *(AsDate((form,)) for form in FORMATS)):
        if reading.moment(first) is None:
            continue
        moments = [reading.moment(text.strip()) for text in texts]
        if all(m is not None or not t.strip() for m, t in zip(moments, texts, strict=True)):
            days = [np.nan if m is None else float(m.toordinal()) for m in moments]
            return np.array(days), True
    return None


def find_dependences(
    columns: Mapping[str, Column], whose: Column | None = None
) -> list[Dependence]:
    """Find every column that follows from one other, and every difference or sum of two.

    `whose` is the column that tells whose each row is, where people have several.
    """
    drawn = Drawn.of(columns, whose)
    pairs = find_pairs(drawn, drawn.names, drawn.names)
    single = [describe(drawn, on, column, (column, on) in pairs) for on, column in pairs]
    return [*single, *find_differences(drawn, pairs)]


def find_revealed(
    columns: Mapping[str, Column],
    kept: Sequence[str],
    hidden: Sequence[str],
    whose: Column | None = None,
) -> list[Dependence]:
    """Find every hidden column that follows from one that is kept, or from several together."""
    drawn = Drawn.of({name: columns[name] for name in (*kept, *hidden)}, whose)
    pairs = find_pairs(drawn, kept, hidden)
    found = [describe(drawn, on, column, False) for on, column in pairs]
    rest = [name for name in hidden if name in drawn.codes and name not in {b for _, b in pairs}]
    for column in rest:
        if on := find_flags(drawn, kept, column):
            found.append(Dependence(column, on, DependenceKind.TOGETHER))
    if len(drawn.numbers.keys() & set(kept)) > 1 and drawn.numbers.keys() & set(rest):
        found += differences_of_kept(drawn, kept, rest)
    return found


def differences_of_kept(
    drawn: Drawn, kept: Sequence[str], hidden: Sequence[str]
) -> Iterator[Dependence]:
    """Yield the hidden columns that are a difference or a sum of two that are kept."""
    for each in find_differences(drawn, {}):
        three = (each.column, *each.on)
        of_kept = tuple(name for name in three if name in kept)
        told = [name for name in three if name in hidden]
        if len(of_kept) == 2 and told:
            yield Dependence(told[0], of_kept, DependenceKind.DIFFERENCE)


Pairs: TypeAlias = dict[tuple[str, str], None]
"""A column and another that it determines, in the order in which they were found."""


def find_pairs(drawn: Drawn, some: Sequence[str], others: Sequence[str]) -> Pairs:
    """Find the columns among some that determine one of the others."""
    targets = [name for name in others if name in drawn.codes]
    if not targets or drawn.rows < EVIDENCE:
        return {}
    matrix = np.column_stack([drawn.codes[name] for name in targets]).astype(np.int32)
    found: Pairs = {}
    for name in some:
        if name in drawn.codes:
            by_value = screen_groups(drawn.codes[name], matrix)
            by_order = screen_order(drawn, name, targets, matrix)
            for at, target in enumerate(targets):
                if target != name and (
                    (by_value[at] and count_groups(drawn.codes[name], matrix[:, at]).holds)
                    or (by_order[at] and count_order(drawn, name, target).holds)
                ):
                    found[name, target] = None
    return found


def screen_groups(codes: Integers, matrix: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Say of which columns a value of this one may tell the value, by some rows that share one."""
    order = np.argsort(codes, kind="stable")[np.count_nonzero(codes < 0) :]
    same = np.flatnonzero(codes[order[1:]] == codes[order[:-1]])
    if order.size < MOSTLY * codes.size or same.size < EVIDENCE:
        return np.zeros(matrix.shape[1], np.bool_)
    some = same[:: max(1, same.size // SCREENED)]
    changes = np.count_nonzero(matrix[order[some + 1]] != matrix[order[some]], axis=0)
    screened: NDArray[np.bool_] = changes <= SCREEN * some.size
    return screened


def count_groups(codes: Integers, others: NDArray[np.integer]) -> Fit:
    """Count the records that have not the value that most have who share theirs of a column."""
    there = codes >= 0
    codes, others = codes[there], others[there]
    shuffled = np.random.default_rng(2).permutation(others)
    return Fit(count_exceptions(codes, others), count_exceptions(codes, shuffled))


def count_exceptions(codes: Integers, others: NDArray[np.integer]) -> int:
    """Count the records that differ from most of those with the same code."""
    width = int(others.max(initial=0)) + 2
    keys, counts = np.unique(codes * width + (others + 1), return_counts=True)
    starts = np.flatnonzero(np.diff(keys // width, prepend=-1))
    return int(codes.size - np.maximum.reduceat(counts, starts).sum()) if codes.size else 0


def screen_order(
    drawn: Drawn, name: str, targets: Sequence[str], matrix: NDArray[np.int32]
) -> NDArray[np.bool_]:
    """Say which columns may follow from the order of this one, by some neighbours."""
    order = drawn.orders.get(name)
    if order is None or order.size < MOSTLY * drawn.rows:
        return np.zeros(len(targets), np.bool_)
    at = np.arange(order.size - 1)[:: max(1, order.size // SCREENED)]
    changes = np.count_nonzero(matrix[order[at + 1]] != matrix[order[at]], axis=0)
    least = np.array([len(drawn.columns[target].texts) - 1 for target in targets])
    screened: NDArray[np.bool_] = changes <= least + SCREEN * at.size
    for place, target in enumerate(targets):
        if drawn.is_fine(target):  # nearly all differ, so that neighbours say nothing
            screened[place] = abs(drawn.correlations[name][target]) >= RANKED
    return screened


def count_order(drawn: Drawn, name: str, other: str) -> Fit:
    """Count what does not fit the order of a column: needless changes, or records out of order."""
    if drawn.is_fine(other):
        return count_disordered(drawn.numbers[name], drawn.numbers[other])
    codes = drawn.codes[other][drawn.orders[name]]
    shuffled = np.random.default_rng(3).permutation(codes)
    least = np.unique(codes).size - 1
    changes, by_chance = (int(np.count_nonzero(np.diff(each))) for each in (codes, shuffled))
    return Fit(changes - least, by_chance - least)


def both_present(one: Floats, two: Floats) -> tuple[Floats, Floats]:
    """Return some rows of two columns of numbers, without those in which one is missing."""
    step = max(1, one.size // SCREENED)
    one, two = one[::step], two[::step]
    there = ~(np.isnan(one) | np.isnan(two))
    return one[there], two[there]


def rank_correlation(one: Floats, two: Floats) -> float:
    """Return Spearman's rank correlation of two columns of numbers, in some rows."""
    one, two = both_present(one, two)
    if one.size < EVIDENCE:
        return 0.0
    ranks = [np.unique(each, return_inverse=True)[1] for each in (one, two)]
    centred = [each - each.mean() for each in ranks]
    scale = float(np.sqrt((centred[0] ** 2).sum() * (centred[1] ** 2).sum()))
    return float(centred[0] @ centred[1]) / scale if scale else 0.0


def count_disordered(one: Floats, two: Floats) -> Fit:
    """Count the records that must go so that one column rises, or falls, with the other."""
    one, two = both_present(one, two)
    if rank_correlation(one, two) < 0:
        two = -two
    # among equal values of the one, the other falls: only equal ones can then stay together
    in_order = two[np.lexsort((-two, one))]
    shuffled = np.random.default_rng(4).permutation(two)
    return Fit(two.size - longest_rise(in_order), two.size - longest_rise(shuffled))


def longest_rise(values: Floats) -> int:
    """Return how many values, at most, are left of a sequence that never falls.

    >>> longest_rise(np.array([1.0, 5.0, 2.0, 2.0, 9.0]))
    4
    """
    ends: list[float] = []
    for value in values.tolist():
        at = bisect_right(ends, value)
        ends[at : at + 1] = [value]
    return len(ends)


def describe(drawn: Drawn, on: str, column: str, both: bool) -> Dependence:
    """Say how a column follows from one other; `both` says that each determines the other."""
    if on in drawn.numbers and column in drawn.numbers:
        one, two = both_present(drawn.numbers[on], drawn.numbers[column])
        for kind, values in formulas(one):
            if is_linear(values, two):
                return Dependence(column, (on,), kind)
    return Dependence(column, (on,), DependenceKind.CODE if both else DependenceKind.FUNCTION)


def formulas(values: Floats) -> Iterator[tuple[DependenceKind, Floats]]:
    """Yield what a column may be a linear function of."""
    yield DependenceKind.LINEAR, values
    yield DependenceKind.SQUARE, values**2
    if (values > 0).all():
        yield DependenceKind.LOGARITHM, np.log(values)


def is_linear(one: Floats, two: Floats) -> bool:
    """Whether a column is a linear function of another, but for rounding."""
    distinct = np.unique(two)
    if np.unique(one).size < 2 or distinct.size < 2:
        return False
    slope, start = np.polyfit(one, two, 1)
    apart = np.abs(two - slope * one - start)
    step = float(np.diff(distinct).min()) / 2 if distinct.size > FEW else 0.0
    within = max(step, SAME * float(two.std()))
    return float(np.mean(apart <= within * (1 + SAME))) >= NEARLY


def find_flags(drawn: Drawn, kept: Sequence[str], column: str) -> tuple[str, ...]:
    """Return the dummies among some columns that determine another together; none if they do not."""
    flags = [name for name in drawn.flags(kept) if name != column][:MOST_FLAGS]

    def determine(names: Sequence[str]) -> bool:
        joint = np.zeros(drawn.rows, np.int64)
        for name in names:
            joint = joint * 2 + drawn.codes[name]
        return count_groups(np.unique(joint, return_inverse=True)[1], drawn.codes[column]).holds

    if len(flags) < 2 or not determine(flags):
        return ()
    needed = flags
    for name in flags:
        without = [each for each in needed if each != name]
        needed = without if determine(without) else needed
    return tuple(needed)


def find_differences(drawn: Drawn, pairs: Pairs) -> Iterator[Dependence]:
    """Yield the columns that are a difference or a sum of two others, unless one determines another."""
    names = [name for name in drawn.numbers if len(drawn.columns[name].texts) > 2]
    found = set()
    for whole, one, two in screen_sums(drawn, names):
        if (whole, frozenset((one, two))) in found or related(pairs, whole, one, two):
            continue
        if count_sum(*(drawn.numbers[name] for name in (whole, one, two))).holds:
            found.add((whole, frozenset((one, two))))
            yield sum_or_difference(drawn, whole, one, two)
    yield from find_durations(drawn, pairs)


def related(pairs: Pairs, *names: str) -> bool:
    """Whether one of some columns determines another."""
    return any((a, b) in pairs or (b, a) in pairs for a, b in combinations(names, 2))


def screen_sums(drawn: Drawn, names: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Yield columns of which one moves as two others together, in some rows."""
    if len(names) < 3:
        return
    matrix = np.column_stack([drawn.numbers[name] for name in names])
    full = np.argsort(np.isnan(matrix).sum(axis=1), kind="stable")
    left, right = np.triu_indices(len(names), 1)
    within = SAME * np.nanstd(matrix, axis=0)
    spread = full[: max(BLOCK * BLOCKS, int(full.size * MOSTLY))]
    drawn_rows = np.random.default_rng(5).permutation(spread)
    blocks = min(BLOCKS, spread.size // BLOCK)
    for rows in drawn_rows[: BLOCK * blocks].reshape(blocks, BLOCK):
        moved = matrix[rows[1:]] - matrix[rows[0]]
        sums = moved[:, left] + moved[:, right]
        for at, name in enumerate(names):
            fits = (np.abs(sums - moved[:, at : at + 1]) <= within[at]).all(axis=0)
            for pair in np.flatnonzero(fits):
                if at not in (left[pair], right[pair]):
                    yield name, names[left[pair]], names[right[pair]]


def count_sum(whole: Floats, one: Floats, two: Floats) -> Fit:
    """Count the records in which a column is not the sum of two others, but for a constant."""
    there = ~(np.isnan(whole) | np.isnan(one) | np.isnan(two))
    whole, parts = whole[there], one[there] + two[there]
    if whole.size < EVIDENCE:
        return Fit(0, 0)
    within = SAME * float(whole.std())

    def exceptions(values: Floats) -> int:
        return int(np.count_nonzero(np.abs(values - parts - np.median(values - parts)) > within))

    return Fit(exceptions(whole), exceptions(np.random.default_rng(6).permutation(whole)))


def sum_or_difference(drawn: Drawn, whole: str, one: str, two: str) -> Dependence:
    """Name a sum; the column between two dates is their difference."""
    dates = [name for name in (one, two) if name in drawn.dates]
    if whole in drawn.dates and len(dates) == 1:
        between = two if one in dates else one
        return Dependence(between, (whole, dates[0]), DependenceKind.DIFFERENCE)
    return Dependence(whole, (one, two), DependenceKind.SUM)


def find_durations(drawn: Drawn, pairs: Pairs) -> Iterator[Dependence]:
    """Yield the numbers that follow from the time between two dates: ages in years, stays in weeks."""
    for one, two in combinations(drawn.dates, 2):
        time = drawn.numbers[one] - drawn.numbers[two]
        for name, values in drawn.numbers.items():
            if name in drawn.dates or related(pairs, name, one) or related(pairs, name, two):
                continue
            in_days = count_sum(values, time, 0 * time), count_sum(values, -time, 0 * time)
            if any(fit.holds for fit in in_days):
                continue  # found as a difference already
            if abs(rank_correlation(time, values)) >= RANKED and follows(values, time):
                yield Dependence(name, (one, two), DependenceKind.DIFFERENCE)


def follows(values: Floats, time: Floats) -> bool:
    """Whether numbers rise or fall with a time, apart from rounding."""
    return count_disordered(time, values).holds
