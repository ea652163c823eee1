"""The values of a table as places in hierarchies: it may be raw, generalized, or partly suppressed.

Two values match when one covers the other. In a tree that is so exactly if they are the same at the
coarser of their two levels. A suppressed cell is at the top and matches everything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.aggregate import Labels, code_labels, distinct_rows
from anonymizer.data.column import Column, check_whose
from anonymizer.data.table import Table, read_columns
from anonymizer.errors import DataError, HierarchyError, list_cells
from anonymizer.hierarchy import MISSING, REDACTED, Hierarchy
from anonymizer.lattice import Scheme
from anonymizer.table.domain import QuasiIdentifier, read_only
from anonymizer.table.microdata import Microdata
from anonymizer.table.people import People


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """The distinct values of one attribute in a table, finest first, each of any level.

    The last level is above the hierarchy's own: there everything is one, as a suppressed cell.
    """

    hierarchy: Hierarchy
    texts: tuple[str, ...]
    levels: NDArray[np.int64]
    """The level at which the attacker sees each value."""
    ancestors: NDArray[np.int64]
    """ancestors[level, value] = the number of what covers it there; -1 below the level of its text."""

    @staticmethod
    def of(hierarchy: Hierarchy, texts: Sequence[str]) -> Values:
        """Find each text in the hierarchy; raise a HierarchyError that names those that it has not.

        >>> sex = Hierarchy.from_rows("sex", [("F", "any"), ("M", "any")])
        >>> Values.of(sex, ["*", "M", "any"]).levels.tolist()
        [0, 1, 2]
        """
        if MISSING in texts:
            hierarchy = hierarchy.with_missing()
        hierarchy, read = fit_cells(hierarchy, texts)
        texts = list(dict.fromkeys(read))
        places = find_places(hierarchy)
        if unknown := [text for text in texts if text not in places]:
            raise HierarchyError(
                f"column '{hierarchy.name}': {len(unknown)} values are unknown, no level of its "
                f"hierarchy has them{list_cells(unknown)}. Add them to "
                f"{hierarchy.source or 'the hierarchy'}."
            )
        ordered = sorted(texts, key=places.__getitem__)
        levels = np.array([places[text][0] for text in ordered], np.int64)
        codes = np.array([places[text][1] for text in ordered], np.int64)
        return Values(hierarchy, tuple(ordered), levels, climb(hierarchy, levels, codes))

    @staticmethod
    def of_column(column: QuasiIdentifier, level: int) -> Values:
        """Take the leaves of a column as a level generalizes them."""
        hierarchy = column.hierarchy
        texts = tuple(map(hierarchy.leaves.__getitem__, column.leaves.tolist()))
        top = np.zeros((1, len(texts)), np.int64)
        ancestors = np.concatenate([hierarchy.codes[:, column.leaves], top])
        return Values(hierarchy, texts, np.full(len(texts), level), read_only(ancestors))

    @staticmethod
    def plain(name: str, texts: Sequence[str]) -> Values:
        """Take the values of a column that has no hierarchy."""
        ordered = sorted(set(texts) - {MISSING}) or [REDACTED]
        return Values.of(
            Hierarchy.from_rows(name, [(text,) for text in ordered]), sorted(set(texts))
        )

    def places(self, column: Column) -> NDArray[np.int64]:
        """Return the number of each row's value."""
        place = {text: at for at, text in enumerate(self.texts)}
        labels = self.hierarchy.read_texts(column.texts, range(self.hierarchy.height))
        return np.array([place[label] for label in labels], np.int64)[column.codes]

    @property
    def text_levels(self) -> NDArray[np.intp]:
        """The level of each text: finer than the value's, where a scheme generalizes it."""
        levels: NDArray[np.intp] = np.argmax(self.ancestors >= 0, axis=0)
        return levels

    def levels_from(self, least: int) -> NDArray[np.int64]:
        """Return the level of each value to one who knows it at a level at best: the coarser one."""
        levels: NDArray[np.int64] = np.maximum(self.levels, least)
        return levels

    def label(self, levels: NDArray[np.int64]) -> Labels:
        """Label the values that are one at a level given for each; values of two levels never are."""
        places = self.ancestors[levels, np.arange(levels.size)]
        if levels.size and levels.min() < levels.max():
            places = np.unique(np.stack([levels, places]), axis=1, return_inverse=True)[1].ravel()
        return code_labels(places)

    def highest(self, of_leaf: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return for each value the highest of the numbers of those it may have been.

        >>> sex = Hierarchy.from_rows("sex", [("F", "any"), ("M", "any")])
        >>> Values.of(sex, ["*", "M", "any"]).highest(np.array([0.7, 0.2])).tolist()
        [0.2, 0.7, 0.7]
        """
        found = np.full(len(self.texts), of_leaf.max(initial=0))
        for level, codes in enumerate(self.hierarchy.codes):
            here = np.flatnonzero(self.text_levels == level)
            if here.size:
                of_code = np.zeros(len(self.hierarchy.labels[level]))
                np.maximum.at(of_code, codes, of_leaf)
                found[here] = of_code[self.ancestors[level, here]]
        return found

    def leaves_of(self, value: int, more: Hierarchy | None = None) -> list[str]:
        """List what a value may have been; of a generalized one, also what a hierarchy took in."""
        hierarchy, level = more or self.hierarchy, int(self.text_levels[value])
        if level == hierarchy.height:
            return list(hierarchy.leaves)
        below = np.flatnonzero(hierarchy.codes[level] == self.ancestors[level, value])
        return [hierarchy.leaves[leaf] for leaf in below]


def fit_cells(hierarchy: Hierarchy, texts: Sequence[str]) -> tuple[Hierarchy, list[str]]:
    """Take in the values of cells of any level, and return the labels that they stand for.

    A redacted cell is no value, though a rule may cover any text: it would match nobody else.
    """
    hierarchy, _ = hierarchy.fit([text for text in texts if text != REDACTED])
    return hierarchy, hierarchy.read_texts(texts, range(hierarchy.height))


def find_places(hierarchy: Hierarchy) -> dict[str, tuple[int, int]]:
    """Return for each value of each level the finest level that has it, and its number there.

    A redacted cell is above the top, unless a level has a value that is called so.
    """
    places: dict[str, tuple[int, int]] = {}
    for level, labels in enumerate(hierarchy.labels):
        for code, label in enumerate(labels):
            places.setdefault(label, (level, code))
    places.setdefault(REDACTED, (hierarchy.height, 0))
    return places


def climb(
    hierarchy: Hierarchy, levels: NDArray[np.int64], codes: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Follow each value up to the top."""
    ancestors = np.full((hierarchy.height + 1, levels.size), -1, np.int64)
    ancestors[-1] = 0
    for level in range(hierarchy.height):
        here = np.flatnonzero(levels == level)
        below = np.unique(hierarchy.codes[level], return_index=True)[1][codes[here]]
        for above in range(level, hierarchy.height):
            ancestors[above, here] = hierarchy.codes[above, below]
    return read_only(ancestors)


def number_people(column: Column, where: str, person: str) -> NDArray[np.int64]:
    """Number the people of a column that tells whose each row is, without a gap."""
    check_whose(column, where, person)
    return np.unique(column.codes, return_inverse=True)[1].astype(np.int64)


def read_values(
    hierarchies: Sequence[Hierarchy], coded: Mapping[str, Column], people: Mapping[str, Column]
) -> dict[str, Values]:
    """Place the values of a table, and of a population if there is one; all faults are shown together."""
    values: dict[str, Values] = {}
    faults = []
    for hierarchy in hierarchies:
        parts = [part[hierarchy.name].texts for part in (coded, people) if part]
        texts = dict.fromkeys(text for part in parts for text in part)
        try:
            values[hierarchy.name] = Values.of(hierarchy, list(texts))
        except HierarchyError as error:
            row = first_unknown(hierarchy, coded[hierarchy.name])
            faults.append(str(error) if row is None else f"{error} First at row {row}.")
    if faults:
        raise HierarchyError(" ".join(faults))
    return values


def first_unknown(hierarchy: Hierarchy, column: Column) -> int | None:
    """Return the first row, from 1, whose value the hierarchy lacks; None where it has all of them."""
    fitted, labels = fit_cells(hierarchy, column.texts)
    known = {MISSING, *find_places(fitted)}
    pairs = zip(column.texts, labels, strict=True)
    unknown = {text for text, label in pairs if label not in known}
    return column.first_row(unknown) + 1 if unknown else None


def values_beside(microdata: Microdata) -> dict[str, Values]:
    """Return the values of the columns that are read beside the quasi-identifiers, by their codes."""
    found = {}
    for name, column in microdata.beside.items():
        values = Values.plain(name, column.texts)
        place = {text: at for at, text in enumerate(values.texts)}
        order = [place[text] for text in column.texts]
        found[name] = replace(
            values,
            texts=column.texts,
            levels=values.levels[order],
            ancestors=values.ancestors[:, order],
        )
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Subjects:
    """The people of a table as distinct tuples of values, whatever their levels, with counts."""

    attributes: Mapping[str, Values]
    codes: Mapping[str, NDArray[np.integer]]
    """The number of each tuple's value, for each attribute."""
    counts: NDArray[np.int64]
    tuple_of_row: NDArray[np.int32]
    beside: Mapping[str, Values] = field(default_factory=dict)
    """Columns that are not quasi-identifiers, by which people are told apart all the same."""
    population: NDArray[np.int64] | None = None
    """The people of a population table in each tuple; its tuples come last, and have no records."""
    person_of_row: NDArray[np.int64] | None = None
    """Whose each row is, where people have several; None where each row is a person."""

    @staticmethod
    def of(microdata: Microdata, scheme: Scheme) -> Subjects:
        """Take the people of a table as a scheme generalizes them, each column to one level."""
        columns = zip(microdata.attributes, microdata.columns, scheme, strict=True)
        values = {name: Values.of_column(column, level) for name, column, level in columns}
        codes: dict[str, NDArray[np.integer]] = dict(
            zip(microdata.attributes, microdata.codes, strict=True)
        )
        beside = values_beside(microdata)
        codes |= {name: microdata.beside[name].codes for name in beside}
        counts = microdata.counts.astype(np.int64)
        return Subjects(values, codes, counts, microdata.tuple_of_row, beside)

    @staticmethod
    def read(
        table: Table,
        hierarchies: Sequence[Hierarchy],
        beside: Sequence[str] = (),
        population: Table | None = None,
        person: str | None = None,
    ) -> Subjects:
        """Read the quasi-identifiers of a table, and columns beside them; of a population, too.

        `person` is the column that tells whose each row is. The order of rows decides nothing.
        """
        names = [hierarchy.name for hierarchy in hierarchies]
        whose = [] if person is None else [person]
        coded = read_columns(table, list(dict.fromkeys([*names, *beside, *whose])))
        people = {} if population is None else read_columns(population, names)
        values = read_values(hierarchies, coded, people)
        other = {name: Values.plain(name, coded[name].texts) for name in beside}
        of_row = {name: found.places(coded[name]) for name, found in (values | other).items()}
        if not len(next(iter(of_row.values()))):
            raise DataError(f"{table.name}: the table has no rows; there is nobody to find.")
        subjects = Subjects.aggregate(values, of_row, other)
        if person is not None:
            subjects = replace(
                subjects, person_of_row=number_people(coded[person], table.name, person)
            )
        if population is None:
            return subjects
        return subjects.among({name: found.places(people[name]) for name, found in values.items()})

    @staticmethod
    def aggregate(
        values: Mapping[str, Values],
        of_row: Mapping[str, NDArray[np.int64]],
        beside: Mapping[str, Values] | None = None,
    ) -> Subjects:
        """Count the rows that are alike."""
        rows = len(next(iter(of_row.values())))
        labels, first = distinct_rows(list(of_row.values()), rows)
        codes = {name: numbers[first].astype(np.int32) for name, numbers in of_row.items()}
        counts = np.bincount(labels, minlength=first.size)
        return Subjects(values, codes, counts, labels, beside or {})

    def among(self, of_row: Mapping[str, NDArray[np.int64]]) -> Subjects:
        """Add the people of a population table, generalized as far as the whole of a column is."""
        people = Subjects.aggregate(self.attributes, of_row)
        lifted = {
            name: replace(
                values, levels=values.levels_from(int(values.levels[self.codes[name]].min()))
            )
            for name, values in self.attributes.items()
        }
        nobody = np.zeros(people.counts.size, np.int64)
        codes = {
            name: np.append(numbers, people.codes.get(name, nobody))
            for name, numbers in self.codes.items()
        }
        return replace(
            self,
            attributes=lifted,
            codes=codes,
            counts=np.append(self.counts, nobody),
            population=np.append(np.zeros(self.counts.size, np.int64), people.counts),
        )

    @property
    def values(self) -> dict[str, Values]:
        """The values of all columns."""
        return {**self.attributes, **self.beside}

    @property
    def outside(self) -> NDArray[np.bool_]:
        """Which tuples are those of the population table."""
        if self.population is None:
            return np.zeros(self.counts.size, np.bool_)
        return self.population > 0

    @property
    def records(self) -> int:
        """The number of rows."""
        return int(self.counts.sum())

    @property
    def number_of_people(self) -> int:
        """How many different people have the rows."""
        if self.person_of_row is None:
            return self.records
        return int(self.person_of_row.max(initial=-1)) + 1

    def people(
        self, row_of_tuple: NDArray[np.int32] | None = None, rows: int | None = None
    ) -> People | None:
        """Return whose the tuples are, or whose the rows they are merged to; None where all have one.

        A tuple whose row is -1 is left out.
        """
        if self.person_of_row is None:
            return None
        place = self.tuple_of_row if row_of_tuple is None else row_of_tuple[self.tuple_of_row]
        there = place >= 0
        person = np.unique(self.person_of_row[there], return_inverse=True)[1]
        return People.of_rows(person, place[there], self.counts.size if rows is None else rows)

    @property
    def coarse(self) -> NDArray[np.bool_]:
        """Which tuples have a value that is coarser than others of its column.

        What such a person's value really is cannot be told from the table.
        """
        found = np.zeros(self.counts.size, np.bool_)
        for name, values in self.attributes.items():
            found |= values.levels[self.codes[name]] > values.levels.min()
        return found

    @property
    def coarse_records(self) -> int:
        """The records with a cell that is suppressed or coarser than others of its column."""
        return int(self.counts[self.coarse].sum())
