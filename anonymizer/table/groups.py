"""Groups: records of which a policy wants a share kept, counted from tuples."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anonymizer.table.microdata import Microdata
from anonymizer.table.people import People
from anonymizer.table.sensitive import SensitiveColumn


@dataclass(frozen=True, eq=False)
class Group:
    """The records of a table that meet a condition, and how many of them must stay.

    Where people have several rows, it is people that are counted: all with a record of the group, each
    once; who keeps one of these stays.
    """

    where: str
    """The condition, as the policy states it."""
    at_least: float
    """The share that must stay."""
    tuples: NDArray[np.int32]
    """The distinct tuple of each part of the group."""
    records: NDArray[np.int64]
    """The records of each part."""
    people: People | None = None
    """Whose the parts are; None where each record is a person."""

    @staticmethod
    def of_column(
        where: str, at_least: float, column: SensitiveColumn, values: NDArray[np.bool_]
    ) -> Group:
        """Return the records with some values of a column that is not a quasi-identifier."""
        chosen = values[column.value_of_pair]
        people = None if column.people is None else column.people.among(chosen)
        return Group(where, at_least, column.tuple_of_pair[chosen], column.records[chosen], people)

    @staticmethod
    def of_tuples(
        where: str, at_least: float, microdata: Microdata, chosen: NDArray[np.bool_]
    ) -> Group:
        """Return the records of some tuples."""
        people = None if microdata.people is None else microdata.people.among(chosen)
        counts = microdata.counts[chosen].astype(np.int64)
        return Group(where, at_least, np.flatnonzero(chosen).astype(np.int32), counts, people)

    @cached_property
    def size(self) -> int:
        """How many there are."""
        return int(self.records.sum()) if self.people is None else self.people.number

    @property
    def least(self) -> int:
        """How many must stay, at least."""
        # exact: a product such as 0.55 * 20 lies just above the whole number that is meant
        return math.ceil(Fraction(repr(float(self.at_least))) * self.size)

    def kept(self, tuples: NDArray[np.bool_]) -> int:
        """Count those who stay when some tuples are kept, and all others go."""
        there = tuples[self.tuples]
        if self.people is None:
            return int(self.records[there].sum())
        return self.people.present(there)
