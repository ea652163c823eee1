"""Study: linked tables in integers, every row with its person and its parent."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from anonymizer.lattice import Lattice, Scheme
from anonymizer.table.classes import partition
from anonymizer.table.domain import Domain, read_only
from anonymizer.table.microdata import Microdata

PEOPLE = 0
"""The place of the people table among the tables."""
Number = TypeVar("Number", np.int32, np.float64)
Mask = NDArray[np.bool_]
Rows = tuple[Mask, ...]
"""Which rows of each table, those of the people first."""
NO_ROWS = np.empty(0, np.int32)


@dataclass(frozen=True, eq=False)
class StudyTable:
    """One table of a study; its distinct tuples are microdata, however many rows have each."""

    name: str
    microdata: Microdata
    parent: int | None = None
    """The place of the table that its rows belong to; None for the people table."""
    parent_row: NDArray[np.int32] | None = None
    """For each row, the row that it belongs to there."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """The quasi-identifiers, as the table calls them."""
        return self.microdata.attributes

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.microdata.tuple_of_row.size

    def labels(self, scheme: Scheme) -> NDArray[np.int32]:
        """Number what the distinct tuples become by a scheme of this table alone."""
        if not self.attributes:
            return np.zeros(self.microdata.distinct, np.int32)
        return partition(self.microdata, scheme).label_of_tuple

    def with_counts(self, counts: NDArray[np.int32]) -> Microdata:
        """Return the microdata of some of the rows, given how many have each tuple."""
        return replace(self.microdata, counts=counts)


def without_attributes(rows: int) -> Microdata:
    """Return the microdata of a table that has no quasi-identifiers: all rows look alike."""
    return Microdata(
        Domain((), ()),
        np.zeros((0, 1), np.uint8),
        np.array([rows], np.int32),
        np.zeros(rows, np.int32),
    )


@dataclass(frozen=True, eq=False)
class PersonEvents:
    """The rows of some child tables, person by person: those of person p are from `first[p]` on."""

    tables: tuple[int, ...]
    first: NDArray[np.int64]
    """Where each person's events begin; the last is their number."""
    order: NDArray[np.int32] | None
    """Which of the rows, one table's after another's, each event is; None where they are in order."""

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many each person has."""
        return np.diff(self.first)

    def arrange(self, of_rows: Sequence[NDArray[Number]]) -> NDArray[Number]:
        """Put what is known of the rows of each table in the order of the events."""
        together = of_rows[0] if len(of_rows) == 1 else np.concatenate(of_rows)
        return together if self.order is None else together[self.order]

    def spread(self, of_events: NDArray[np.bool_], sizes: Sequence[int]) -> list[NDArray[np.bool_]]:
        """Put what is known of the events in the order of the rows of each table: undo `arrange`."""
        together = of_events.copy()
        if self.order is not None:
            together[self.order] = of_events
        return np.split(together, np.cumsum(sizes)[:-1]) if sizes else []


@dataclass(frozen=True, eq=False)
class Study:
    """A people table and the tables of events that belong to them, the people table first.

    A parent comes before its children. The rows of the people table are the people, in their order.
    """

    tables: tuple[StudyTable, ...]

    @property
    def people(self) -> int:
        """The number of people."""
        return self.tables[PEOPLE].rows

    @cached_property
    def attributes(self) -> tuple[str, ...]:
        """All quasi-identifiers: those of people by their names, those of events as `table.column`."""
        people, *children = self.tables
        named = [f"{table.name}.{name}" for table in children for name in table.attributes]
        return (*people.attributes, *named)

    @cached_property
    def lattice(self) -> Lattice:
        """All levels of all hierarchies, table by table."""
        tops = [
            column.hierarchy.height - 1
            for table in self.tables
            for column in table.microdata.columns
        ]
        return Lattice((0,) * len(tops), tuple(tops))

    def split(self, scheme: Scheme) -> list[Scheme]:
        """Split a scheme into those of the tables.

        The scheme of a table without quasi-identifiers is empty.
        """
        ends = np.cumsum([0, *(len(table.attributes) for table in self.tables)]).tolist()
        return [scheme[start:end] for start, end in itertools.pairwise(ends)]

    def labels(self, scheme: Scheme) -> list[NDArray[np.int32]]:
        """Number what the rows of each table become."""
        pairs = zip(self.tables, self.split(scheme), strict=True)
        return [table.labels(part)[table.microdata.tuple_of_row] for table, part in pairs]

    @property
    def is_flat(self) -> bool:
        """Whether no table has a parent but the people table."""
        return all(table.parent in (None, PEOPLE) for table in self.tables)

    @cached_property
    def person_of_row(self) -> tuple[NDArray[np.int32], ...]:
        """The person that each row of each table is about."""
        persons = [read_only(np.arange(self.people, dtype=np.int32))]
        for table in self.tables[1:]:
            assert table.parent is not None
            assert table.parent_row is not None
            own = table.parent == PEOPLE
            persons.append(table.parent_row if own else persons[table.parent][table.parent_row])
        return tuple(persons)

    def rows_of(self, people: Mask) -> Rows:
        """Return all rows of some people."""
        return tuple(people[person] for person in self.person_of_row)

    def with_events(self, rows: Rows) -> Study:
        """Return the study with some of its events, and what these belong to, and all people."""
        people, *children = self.tables
        numbers = [np.arange(self.people, dtype=np.int32)]
        tables = [people]
        for table, kept in zip(children, rows[1:], strict=True):
            assert table.parent is not None
            assert table.parent_row is not None
            numbers.append(np.cumsum(kept, dtype=np.int32) - 1)
            above = numbers[table.parent][table.parent_row[kept]]
            of_row = table.microdata.tuple_of_row[kept]
            microdata = replace(table.microdata, tuple_of_row=of_row)
            tables.append(StudyTable(table.name, microdata, table.parent, above))
        return Study(tuple(tables))

    def place_of(self, name: str) -> int | None:
        """Return the place of a child table; None where there is none of that name."""
        names = [table.name for table in self.tables]
        return names.index(name, 1) if name in names[1:] else None

    def counts(self, tables: Iterable[int]) -> NDArray[np.int64]:
        """Count the events of each person in some tables: one row for each table."""
        counted = [np.bincount(self.person_of_row[t], minlength=self.people) for t in tables]
        return np.array(counted, np.int64).reshape(-1, self.people)

    def events(self, tables: Sequence[int]) -> PersonEvents:
        """Put the rows of some child tables together, person by person."""
        first = np.concatenate([[0], np.cumsum(self.counts(tables).sum(axis=0))])
        person = np.concatenate([NO_ROWS, *(self.person_of_row[t] for t in tables)])
        if (person[1:] >= person[:-1]).all():
            return PersonEvents(tuple(tables), first, None)
        order = np.argsort(person, kind="stable").astype(np.int32)
        return PersonEvents(tuple(tables), first, read_only(order))
