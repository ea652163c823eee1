"""How far columns single people out, alone and in pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

from anonymizer.data.aggregate import count_people_alone, label_columns
from anonymizer.data.column import MISSING, Column
from anonymizer.errors import counted, percent


@dataclass(frozen=True, slots=True)
class Figures:
    """What is counted of one column.

    >>> print(Figures(1629, 0, 1510, 0.871))
    1,510 different values in 1,629 rows; 87.1 % of the people unique by it
    """

    rows: int
    missing: int
    """Cells without a value."""
    distinct: int
    """Different values, missing cells aside."""
    unique: float
    """The share of the people who have a value that nobody else has."""
    added: float | None = None
    """The share of the people who become unique where the column is added to one other, on average
    over the columns it was paired with; None where it was not paired."""

    def __str__(self) -> str:
        values = counted(self.distinct, "value", "different values")
        more = "" if self.added is None else f", {percent(self.added)} added to one other column"
        return f"{values} in {self.rows:,} rows; {percent(self.unique)} of the people unique by it{more}"

    def describe(self) -> dict[str, Any]:
        """Return the figures as JSON."""
        return asdict(self)


def count(column: Column, person: Column | None) -> Figures:
    """Count the values of a column, and the people who are unique by them."""
    there = column.texts.index(MISSING) if MISSING in column.texts else None
    missing = 0 if there is None else int((column.codes == there).sum())
    return Figures(
        column.codes.size,
        missing,
        len(column.texts) - (there is not None),
        unique_share([column], person),
    )


def unique_share(columns: Sequence[Column], person: Column | None) -> float:
    """Return the share of the people who are unique by their values of some columns.

    Where a person has several rows, one row that nobody else has is enough.
    """
    if not columns or not columns[0].codes.size:
        return 0.0
    labels = label_columns(columns).of_row
    if person is None:
        return float((np.bincount(labels) == 1).sum()) / labels.size
    return count_people_alone(labels, person.codes) / np.unique(person.codes).size


def added_by_pairs(
    columns: Mapping[str, Column], alone: Mapping[str, float], person: Column | None
) -> dict[str, float]:
    """Return what each column adds to one other, on average: the share of people who become unique.

    `alone` is the share of people who are unique by each column by itself.
    """
    added: dict[str, list[float]] = {name: [] for name in columns}
    for one, other in combinations(columns, 2):
        share = unique_share([columns[one], columns[other]], person)
        added[one].append(share - alone[other])
        added[other].append(share - alone[one])
    return {name: float(np.mean(gains)) if gains else 0.0 for name, gains in added.items()}
