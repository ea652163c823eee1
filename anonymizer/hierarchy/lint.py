"""The linter: every defect of the rows of a hierarchy, found at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from anonymizer.errors import counted, quote
from anonymizer.hierarchy.levels import Levels, Rows, usual_width

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Defect:
    """One thing that is wrong, where, and what to do; only errors keep a hierarchy from use."""

    severity: Severity
    attribute: str
    row: int | None
    """From 1, empty lines counted; None where the defect has no single row."""
    value: str | None
    message: str

    def __str__(self) -> str:
        return f"{self.severity}: {self.message}"


def check_rows(
    rows: Iterable[Sequence[str]], attribute: str = "", continuous: bool = False
) -> list[Defect]:
    """Find all defects of the rows of a hierarchy, errors first.

    The rows of a continuous one are its narrowest intervals, each by where it starts.

    >>> for defect in check_rows([("34", "30s", "*"), ("34", "30s", "*"), ("35", "*")]):
    ...     print(defect)
    error: row 3 has 2 cells where most rows have 3; give every row one cell for each level.
    error: row 2: '34' already has row 1; keep one of them.
    """
    table = list(rows)
    levels = Levels.of(table)
    return [*find_errors(table, levels, attribute), *find_warnings(levels, attribute, continuous)]


def find_errors(rows: Rows, levels: Levels, attribute: str) -> list[Defect]:
    """Find what keeps the rows from being a tree, or splits a group that is meant to be one."""
    return [
        Defect("error", attribute, row, value, message)
        for find in (_empty, _ragged)
        for row, value, message in find(rows)
    ] + find_level_errors(levels, attribute)


def find_level_errors(levels: Levels, attribute: str) -> list[Defect]:
    """Find what keeps levels of one height from being a tree."""
    return [
        Defect("error", attribute, row, value, message)
        for look in (_duplicates, _two_parents, _split_by_blanks)
        for row, value, message in look(levels)
    ]


def find_warnings(levels: Levels, attribute: str, continuous: bool = False) -> list[Defect]:
    """Find what is legal but seldom meant."""
    idle = _idle_levels(levels, lowest=2 if continuous else 1)
    return [
        Defect("warning", attribute, row, value, message)
        for found in (_blanks(levels), _written_twice(levels), idle)
        for row, value, message in found
    ]


Found = Iterator[tuple[int | None, str | None, str]]
"""Row, value and message of each defect."""


def _empty(rows: Rows) -> Found:
    if not any(rows):
        remedy = "write one row for each value, from the value itself to the top"
        yield None, None, f"the hierarchy has no rows; {remedy}."


def _ragged(rows: Rows) -> Found:
    width = usual_width(rows)
    for number, row in enumerate(rows, start=1):
        if row and len(row) != width:
            yield (
                number,
                row[0],
                f"row {number} has {counted(len(row), 'cell')} where most rows have {width}; "
                "give every row one cell for each level.",
            )


def _duplicates(levels: Levels) -> Found:
    if not levels.labels or len(levels.labels[0]) == levels.row_numbers.size:
        return
    first = levels.first_rows(0)[levels.codes[0]]
    for again in np.flatnonzero(first != np.arange(first.size)).tolist():
        row, earlier = levels.row_numbers[again], levels.row_numbers[first[again]]
        value = levels.labels[0][levels.codes[0, again]]
        yield (
            int(row),
            value,
            f"row {row}: {quote(value)} already has row {earlier}; keep one of them.",
        )


def _two_parents(levels: Levels) -> Found:
    # a leaf with two parents has two rows, which is said of it already
    for level in range(1, len(levels.labels) - 1):
        value, parent = levels.codes[level].astype(np.int64), levels.codes[level + 1]
        first = levels.first_rows(level)[value]
        strays = np.flatnonzero(parent != parent[first])
        pairs = value[strays] * len(levels.labels[level + 1]) + parent[strays]
        for stray in np.sort(strays[np.unique(pairs, return_index=True)[1]]).tolist():
            yield _second_parent(levels, level, stray, int(first[stray]))


def _second_parent(levels: Levels, level: int, stray: int, first: int) -> tuple[int, str, str]:
    row, earlier = (int(levels.row_numbers[index]) for index in (stray, first))
    value = levels.labels[level][levels.codes[level, stray]]
    here, there = (levels.labels[level + 1][levels.codes[level + 1, at]] for at in (stray, first))
    return (
        row,
        value,
        f"row {row}: {quote(value)} at level {level} belongs to {quote(here)}, but to "
        f"{quote(there)} in row {earlier}; give it one parent.",
    )


def _split_by_blanks(levels: Levels) -> Found:
    # leaves are left out: data that has both spellings needs a leaf for each
    for level in range(1, len(levels.labels)):
        labels = levels.labels[level]
        stripped = tuple(map(str.strip, labels))
        pairs = [] if stripped == labels else list(_alike(labels, str.strip))
        row_of = levels.first_row_numbers(level) if pairs else {}
        for earlier, value in pairs:
            yield (
                row_of[value],
                value,
                f"row {row_of[value]}: {quote(value)} at level {level} differs from {quote(earlier)} "
                "only by blanks, so they are two groups; write both alike.",
            )


def _blanks(levels: Levels) -> Found:
    for level, labels in enumerate(levels.labels):
        values = [value for value in labels if value != value.strip()]
        row_of = levels.first_row_numbers(level) if values else {}
        for value in values:
            yield (
                row_of[value],
                value,
                f"row {row_of[value]}: {quote(value)} at level {level} has blanks around it, which "
                "count when values are compared; remove them unless the data has them too.",
            )


def _written_twice(levels: Levels) -> Found:
    pairs = list(_alike(levels.labels[0], plain_number)) if levels.labels else []
    row_of = levels.first_row_numbers(0) if pairs else {}
    for earlier, value in pairs:
        yield (
            row_of[value],
            value,
            f"row {row_of[value]}: {quote(value)} and {quote(earlier)} are one value written in two "
            "ways, yet two leaves; keep the one the data has.",
        )


def _idle_levels(levels: Levels, lowest: int) -> Found:
    sizes = [len(labels) for labels in levels.labels]
    for level in range(lowest, len(sizes)):
        if sizes[level] >= sizes[level - 1] > 1:
            yield (
                None,
                None,
                f"level {level} merges nothing: it has {sizes[level]:,} values, as many as level "
                f"{level - 1}; leave it out.",
            )


def _alike(labels: Iterable[str], normal: Callable[[str], str]) -> Iterator[tuple[str, str]]:
    """Pair each label with an earlier one that has the same normal form."""
    seen: dict[str, str] = {}
    for label in labels:
        earlier = seen.setdefault(normal(label), label)
        if earlier != label:
            yield earlier, label


_DECIMALS = re.compile(r"(?<=\d)\.0+$")
_ZEROS = re.compile(r"^([+-]?)0+(?=\d)")


def without_decimals(value: str) -> str:
    """Leave out decimals that are zeros."""
    text = value.strip()
    return _DECIMALS.sub("", text) if text.endswith("0") and "." in text else text


def plain_number(value: str) -> str:
    """Write whole numbers one way.

    >>> plain_number(" 007.0")
    '7'
    """
    text = without_decimals(value)
    return _ZEROS.sub(r"\1", text) if text.startswith(("0", "+", "-")) else text
