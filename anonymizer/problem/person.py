"""Which column may tell whose each row is, found by the structure of a table, whatever it is called.

The values of such a column repeat. Inside them other columns are constant far more often than in groups
of the same sizes drawn at random, or run like time: no value twice, where chance would repeat many.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeAlias

import numpy as np

from anonymizer.data.arrays import is_nested
from anonymizer.data.coded import read_first
from anonymizer.data.column import MISSING, Column
from anonymizer.data.table import Table
from anonymizer.errors import quote_some
from anonymizer.problem.groups import (
    EXPECTED,
    Groups,
    ValueCounts,
    blocks_of,
    collisions,
    groups_of,
    is_derived,
    likeness,
    sizes_of,
)

FEWEST_PEOPLE = 10
"""Fewer values are those of a category, or too few to tell."""
FEWEST_REPEATED = 8
"""So many values must be in several rows; in fewer, equal cells are chance."""
MOST_ROWS = 60
"""More rows for each value, on average, are those of a place or a category."""
USUAL_ROWS = 20
"""A person rarely has more, on average: of several candidates, one with fewer rows each comes first."""
FEW_ROWS = 12
"""With more rows for each value, one constant column is not enough: a town is in one county."""
FILLED = 0.5
"""A column that is empty in more than this share of the rows does not tell whose they are."""
CONSTANT = 0.9
"""A column is constant inside values where this share of the differences that chance makes is not there;
some change: a person moves, or ticks another box."""
NEARLY_ALWAYS = 0.95
"""For a strong sign."""
ALWAYS = 0.99
"""Where one constant column is the only sign."""
FEWEST_ALONE = 25
"""So many values must repeat there."""
FEW_ALONE = 1.25
"""And so many rows have a value there on average: a postal code that few share is in one state."""
ALIKE = 0.4
"""Rows are alike in a column where this share of the differences is not there. Two such columns are a
sign where the rows of a value stand together, or every value has as many."""
COLLISIONS = 0.02
"""A column runs like time if it repeats inside values in at most this share of what chance makes."""
NUMBERS_ROWS = 0.8
"""A column with more different values than this share of the rows numbers rows, and is not time."""
BALANCED = 0.3
"""Numbers of rows that vary less than this share of what chance makes are there by design: everybody
was asked as often."""
REPEATED = 1.9
"""Rows for each value, on average, from which that means something."""
UNEVEN = 6.0
"""Numbers of rows that vary more than this multiple of chance are rather those of places."""
SKEWED = 4.0
"""So are those where a row's group is so many times as large as a group is on average: no strong sign."""
TOO_SKEWED = 10.0
"""And no sign at all."""
TOGETHER = 0.02
"""The rows of a value stand together if at most this share of the repeated rows begins a new block."""
OF_DECIMALS = 3
"""So many constant columns make a candidate of decimal numbers, whose ties are mostly chance."""
MOST_CANDIDATES = 40
"""So many columns are looked at, those with the fewest values first."""
MOST_COMPARED = 100
"""So many other columns are looked at for each."""
MOST_NAMED = 3
"""So many columns are named in a sentence."""
TEXTS = 200
"""So many values are looked at to tell numbers and dates from codes."""

WHOLE = re.compile(r"\s*[+-]?\d+(\.0*)?\s*")
NUMBER = re.compile(r"\s*[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?\s*")
DATE = re.compile(r"\s*(\d{4}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})([-/.T ].*)?\s*")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A column that may tell whose each row is, and what speaks for it."""

    column: str
    people: int
    """Its different values."""
    rows: int
    """The rows that have one."""
    constant: tuple[str, ...] = ()
    """Columns that hardly change inside a value."""
    timelike: tuple[str, ...] = ()
    """Columns that do not repeat inside a value."""
    strong: bool = False
    """Whether it may be taken without asking."""

    def __str__(self) -> str:
        figures = f"{self.people:,} values in {self.rows:,} rows"
        named = (self.constant or self.timelike)[:MOST_NAMED]
        if not named:
            return f"'{self.column}' ({figures})"
        does = "hardly var" if self.constant else "never repeat"
        ending = ("ies" if len(named) == 1 else "y") if self.constant else "s" * (len(named) == 1)
        return f"'{self.column}' ({figures}, inside which {quote_some(named)} {does}{ending})"


Candidates: TypeAlias = tuple[Candidate, ...]
"""Strong ones first."""


def look_for_people(
    table: Table, columns: Sequence[str], not_these: Collection[str] = ()
) -> tuple[Candidates, Table]:
    """Find candidates among columns of a table by its first batch; an engine is asked for no more.

    Returns also the table to read on with: where the batch was all, it has been read.
    """
    types = table.types
    coded, read = read_first(table, [name for name in columns if not is_nested(types[name])])
    return find_candidates(coded, not_these), read


def find_candidates(columns: Mapping[str, Column], not_these: Collection[str] = ()) -> Candidates:
    """Return the columns that may tell whose each row is; of those that group rows alike, the first."""
    sizes = {name: sizes_of(each) for name, each in columns.items() if name not in not_these}
    possible = [name for name in sizes if may_number_people(columns[name], sizes[name])]
    first = sorted(possible, key=lambda name: sizes[name].groups)[:MOST_CANDIDATES]
    compared = dict(islice(columns.items(), MOST_COMPARED))
    judged = (
        judge(name, columns[name], sizes[name], compared) for name in possible if name in first
    )
    found = distinct([each for each in judged if each is not None], columns)
    return tuple(sorted(settle_crossed(found), key=preference))


def preference(candidate: Candidate) -> tuple[bool, bool, int]:
    """Put strong ones first, then those with few rows each, then the fewest people: the safe side."""
    return (
        not candidate.strong,
        candidate.rows > candidate.people * USUAL_ROWS,
        candidate.people,
    )


def may_number_people(column: Column, sizes: ValueCounts) -> bool:
    """Whether the values of a column repeat as those of people do; dates tell when, not who."""
    if sizes.groups < FEWEST_PEOPLE or sizes.repeated < FEWEST_REPEATED:
        return False
    if sizes.rows < FILLED * column.codes.size or sizes.mean > MOST_ROWS:
        return False
    return sizes.skew <= TOO_SKEWED and not have_form(column, DATE)


def have_form(column: Column, form: re.Pattern[str]) -> bool:
    """Whether the values of a column, or those of them that are looked at, have a form."""
    texts = [text for text in column.texts if text != MISSING]
    return all(map(form.fullmatch, texts[:: max(1, len(texts) // TEXTS)]))


def judge(
    name: str, column: Column, sizes: ValueCounts, columns: Mapping[str, Column]
) -> Candidate | None:
    """Weigh what speaks for a column; None where it is not enough to ask."""
    groups = groups_of(column)
    others = {
        other: each
        for other, each in columns.items()
        if other != name and not same_groups(column, each)  # a label of the same says nothing
    }
    alike = {
        other: share
        for other, each in others.items()
        if (share := likeness(groups, each)) is not None
    }
    constant = {
        other: share
        for other, share in alike.items()
        if share >= CONSTANT and not is_derived(groups, others[other])
    }
    timelike = [
        other
        for other, share in alike.items()
        if share < ALIKE and runs_like_time(groups, others[other])
    ]
    signs = Signs(
        sizes,
        constant,
        len([share for share in alike.values() if share >= ALIKE]),
        tuple(timelike),
        max((len(others[other].texts) for other in timelike), default=0),
        stand_together(column, sizes),
        MISSING not in column.texts,
        have_form(column, NUMBER) and not have_form(column, WHOLE),
    )
    if not (signs.strong or signs.weak):
        return None
    given = sizes.groups, sizes.rows, tuple(constant), signs.timelike
    return Candidate(name, *given, signs.strong)


@dataclass(frozen=True, slots=True)
class Signs:
    """All that speaks for a column, or against it."""

    sizes: ValueCounts
    constant: Mapping[str, float]
    """Columns that hardly change inside values and are not derived from them, and how little."""
    alike: int
    """Columns in which the rows of a value are alike, constant or not."""
    timelike: tuple[str, ...]
    times: int
    """The most values that one of those columns has."""
    together: bool
    filled: bool
    decimal: bool

    @property
    def balanced(self) -> bool:
        """Whether every value has about as many rows."""
        return self.sizes.mean >= REPEATED and self.sizes.dispersion <= BALANCED

    @property
    def strong(self) -> bool:
        """Whether the column can be taken for the person without asking."""
        if self.decimal or not self.filled or self.sizes.skew > SKEWED:
            return False
        nearly_always = [share for share in self.constant.values() if share >= NEARLY_ALWAYS]
        if len(nearly_always) > 1 and (self.timelike or self.sizes.dispersion <= UNEVEN):
            return True
        # with more times than people, who was asked and when may be mixed up
        often = self.balanced and self.together
        return bool(self.timelike) and self.sizes.groups > self.times and (often or self.alike > 0)

    @property
    def weak(self) -> bool:
        """Whether it must be asked."""
        if self.decimal:
            return len(self.constant) >= OF_DECIMALS and self.sizes.mean >= REPEATED
        if self.timelike or len(self.constant) > 1:
            return True
        if self.balanced and (self.together or self.alike > 1):
            return True
        if self.together and self.alike > 1:
            return True
        enough = self.sizes.repeated >= FEWEST_ALONE and FEW_ALONE <= self.sizes.mean <= FEW_ROWS
        always = any(share >= ALWAYS for share in self.constant.values())
        return always and enough and self.sizes.dispersion <= UNEVEN


def stand_together(column: Column, sizes: ValueCounts) -> bool:
    """Whether the rows of each value stand together, and there are enough of them to tell."""
    more = blocks_of(column) - sizes.groups
    return sizes.mean >= REPEATED and more <= TOGETHER * (sizes.rows - sizes.groups)


def runs_like_time(groups: Groups, column: Column) -> bool:
    """Whether a column has no value twice inside groups, where chance would have repeated many."""
    if len(column.texts) > NUMBERS_ROWS * column.codes.size:
        return False
    inside, by_chance = collisions(groups, column)
    return by_chance >= EXPECTED and inside <= COLLISIONS * by_chance


def distinct(found: Sequence[Candidate], columns: Mapping[str, Column]) -> list[Candidate]:
    """Leave out candidates that group the rows as an earlier one does, or as a strong one does."""
    kept: list[Candidate] = []
    for candidate in sorted(found, key=lambda each: not each.strong):
        if not any(same_groups(columns[candidate.column], columns[one.column]) for one in kept):
            kept.append(candidate)
    return kept


def same_groups(one: Column, other: Column) -> bool:
    """Whether two columns group the rows alike."""
    if len(one.texts) != len(other.texts):
        return False
    pairs = one.codes.astype(np.int64) * len(other.texts) + other.codes
    return bool(np.unique(pairs).size == len(one.texts))


def settle_crossed(found: Sequence[Candidate]) -> list[Candidate]:
    """Take candidates that run like time inside each other as weak, unless one has the better signs."""
    others = {each.column: each for each in found}

    def in_doubt(candidate: Candidate) -> bool:
        crossed = [others[name] for name in candidate.timelike if name in others]
        if candidate.constant:
            return any(other.strong and other.constant for other in crossed)
        return any(other.strong or other.constant for other in crossed)

    return [replace(each, strong=each.strong and not in_doubt(each)) for each in found]


def ask_who(found: Candidates) -> str:
    """Ask in one sentence who is a person, with both answers."""
    first = found[0].column
    which = " or ".join(str(each) for each in found[:MOST_NAMED])
    return (
        f"{which} may tell whose each row is, and nobody said whether each row is a person; "
        f"say --person {quoted(first)} or --rows-are-people, or in [data] of the policy "
        f'id = "{first}" or rows_are_people = true.'
    )


def quoted(name: str) -> str:
    """Write a name as a shell takes it.

    >>> quoted("nr"), quoted("person number")
    ('nr', "'person number'")
    """
    return shlex.quote(name)
