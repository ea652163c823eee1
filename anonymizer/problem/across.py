"""Columns that are kept in one table of a study, and tell what another table hides.

Within a table, `checks` looks for that. Across tables there are two more ways: a column may repeat an id
or a key, which the release replaces by a random one; and it may repeat a quasi-identifier of what its row
belongs to, such as the age of the person beside each event.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.arrays import is_nested
from anonymizer.data.column import MISSING, Column, code_columns
from anonymizer.data.table import read_columns
from anonymizer.errors import AnonymizerWarning, PolicyError, quote_some
from anonymizer.problem.date_shift import kept_dates
from anonymizer.problem.dependence import NEARLY, find_revealed
from anonymizer.problem.part import StudyPart
from anonymizer.study.study import PEOPLE, Study

LEAST = 3
"""So many different values are no accident where each is the id of its own row."""
LONG = 7
"""Whole numbers of fewer digits may be equal to the id of somebody by accident."""
Rows = NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class Told:
    """A column that is kept, and what it tells."""

    table: str
    column: str
    fault: str


def check_across(parts: Sequence[StudyPart], study: Study) -> None:
    """Raise a PolicyError where columns that are kept tell ids, or what another table generalizes."""
    if found := find_told(parts, study):
        raise PolicyError.defective("policy", [each.fault for each in found])


def find_told(parts: Sequence[StudyPart], study: Study) -> list[Told]:
    """Find the columns that are kept and tell what is hidden in other tables, or the ids of their own.

    The first batch of rows of each table is looked at.
    """
    linked = LinkedParts(parts, study)
    found = {(each.table, each.column): each for each in linked.told_ids()}
    for each in linked.told_values():
        found.setdefault((each.table, each.column), each)
    return list(found.values())


@dataclass(frozen=True)
class LinkedParts:
    """The tables of a study, with what is kept of each."""

    parts: Sequence[StudyPart]
    study: Study

    @cached_property
    def kept(self) -> list[dict[str, Column]]:
        """The first rows of the columns of each table that are released as they are."""
        found = []
        for part in self.parts:
            moved = {name for name, each in part.policy.attributes.items() if each.shift}
            names = [n for n in part.kept if n not in moved and not is_nested(part.table.types[n])]
            batches = islice(part.table.batches(names), 1) if names else ()
            found.append(code_columns(names, batches) if names else {})
        return found

    def rows_of(self, place: int) -> Rows:
        """The first rows of a table, as many as are looked at."""
        columns = self.kept[place].values()
        return np.arange(max((column.codes.size for column in columns), default=0))

    def above(self, place: int, rows: Rows, other: int) -> Rows | None:
        """Return the rows of another table that some rows belong to; None where it is not above."""
        while place != other:
            table = self.study.tables[place]
            if table.parent is None or table.parent_row is None:
                return None
            place, rows = table.parent, table.parent_row[rows]
        return rows

    @cached_property
    def ids(self) -> dict[int, Column]:
        """The ids of the people, and the keys of other tables."""
        found = {}
        for place, part in enumerate(self.parts):
            own = [column for column, table in part.keys.items() if table == part.name]
            if own:
                found[place] = read_columns(part.table, own)[own[0]]
        return found

    def told_ids(self) -> Iterator[Told]:
        """Yield the columns that repeat the id of their row or of what it belongs to, or other ids."""
        for place, part in enumerate(self.parts):
            for name, column in self.kept[place].items():
                table = next((t for t in self.ids if self.repeats(place, column, t)), None)
                if table is not None:
                    where = attribute_path(part, self.parts, name)
                    fault = (
                        f"{where}: it is kept as it is, and holds the ids of table "
                        f"'{self.parts[table].name}', which random keys replace; give it the role "
                        "'identifying'."
                    )
                    yield Told(part.name, name, fault)

    def repeats(self, place: int, column: Column, other: int) -> bool:
        """Whether a column holds the id that its row has in a table, or only texts that are ids there."""
        there = np.flatnonzero(~column.missing)
        texts = {text.strip() for text in column.texts if text != MISSING}
        if len(texts) < LEAST:
            return False
        ids = self.ids[other]
        of_anybody = sum(is_telling(text) and text in self.id_texts[other] for text in texts)
        if of_anybody >= NEARLY * len(texts):
            return True
        own = self.above(place, there, other)
        if own is None:
            return False
        mine, numbers = column.codes[there].tolist(), ids.codes[own].tolist()
        same = sum(
            column.texts[one].strip() == ids.texts[two].strip()
            for one, two in zip(mine, numbers, strict=True)
        )
        return bool(same >= NEARLY * len(mine))

    @cached_property
    def id_texts(self) -> dict[int, set[str]]:
        """The texts of these."""
        return {place: {text.strip() for text in ids.texts} for place, ids in self.ids.items()}

    def told_values(self) -> Iterator[Told]:
        """Yield the columns from which a quasi-identifier of another table follows."""
        for place, kept in enumerate(self.kept):
            if not kept:
                continue
            for other in range(len(self.parts)):
                if other != place and (rows := self.together(place, other)) is not None:
                    yield from self.told_of(place, other, *rows)

    def together(self, place: int, other: int) -> tuple[Rows, Rows, Rows] | None:
        """Return rows of two tables that belong together, and those of the upper one; None: none do."""
        first = self.rows_of(place)
        if (above := self.above(place, first, other)) is not None:
            return first, above, above
        rows = np.arange(self.study.tables[other].rows)
        if (mine := self.above(other, rows, place)) is None:
            return None
        looked_at = mine < first.size
        return mine[looked_at], rows[looked_at], mine[looked_at]

    def told_of(
        self, place: int, other: int, mine: Rows, theirs: Rows, upper: Rows
    ) -> Iterator[Told]:
        """Yield the columns of one table that tell a quasi-identifier of another.

        One row of each row of the upper table is looked at, as of people with several rows.
        """
        part, hidden = self.parts[place], self.hidden(other, theirs)
        kept = {name: column.keep(mine) for name, column in self.kept[place].items()}
        if not hidden or not upper.size:
            return
        whose = Column(upper, ("",) * (int(upper.max()) + 1))
        columns = {label(place, name): column for name, column in kept.items()} | hidden
        for each in find_revealed(columns, [label(place, n) for n in kept], [*hidden], whose):
            names = [on.partition("\0")[2] for on in each.on]
            column = each.column.partition("\0")[2]
            called = self.parts[other].label(column, self.parts[PEOPLE].name)
            accepted = {column, called}
            if any(accepted & {*part.policy.attributes[name].reveals} for name in names):
                continue
            where = attribute_path(part, self.parts, names[0])
            together = " together" if len(names) > 1 else ""
            accept = "" if place == PEOPLE else f', or accept it by reveals = ["{called}"]'
            fault = (
                f"{where}: it is kept as it is, and whoever reads {quote_some(names, len(names))}"
                f"{together} knows '{called}', which is generalized; remove it{accept}."
            )
            yield Told(part.name, names[0], fault)

    def hidden(self, place: int, rows: Rows) -> dict[str, Column]:
        """Return the values of the quasi-identifiers of some rows that may be generalized."""
        microdata, policy = self.study.tables[place].microdata, self.parts[place].policy
        hierarchies = tuple(column.hierarchy for column in microdata.columns)
        high = policy.lattice(hierarchies).high if hierarchies else ()
        tuples = microdata.tuple_of_row[rows]
        return {
            label(place, column.hierarchy.name): Column(
                column.groups[0][microdata.codes[at, tuples]], tuple(column.labels(0))
            )
            for at, column in enumerate(microdata.columns)
            if high[at] > 0
        }


def warn_of_dates(parts: Sequence[StudyPart]) -> None:
    """Warn of dates that are kept beside days since the index date, which both together tell."""
    names = [name for part in parts for name, each in part.policy.attributes.items() if each.since]
    if not names:
        return
    for part in parts:
        if dated := kept_dates(part.table, part.policy):
            warnings.warn(
                f"{attribute_path(part, parts, dated[0])}: its dates are kept, and '{names[0]}' has days "
                "since each person's index date: whoever reads both may tell that date; count it with "
                "`since` too, or remove it.",
                AnonymizerWarning,
                stacklevel=2,
            )


def is_telling(text: str) -> bool:
    """Whether a text cannot be equal to an id by accident, as a small number can.

    >>> is_telling("17"), is_telling("P17"), is_telling("4711982")
    (False, True, True)
    """
    return len(text) >= LONG or not text.isdecimal()


def label(place: int, name: str) -> str:
    """Name a column of one of several tables, which may have columns of one name."""
    return f"{place}\0{name}"


def attribute_path(part: StudyPart, parts: Sequence[StudyPart], name: str) -> str:
    """Say where a policy names a column."""
    start = "" if part.name == parts[PEOPLE].name else f"tables.{part.name}."
    return f"{start}attributes.{name}"
