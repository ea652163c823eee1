"""encode_study: tables linked by ids and keys, checked, as a study in integers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.coded import LoadedTable, load
from anonymizer.data.column import Column, check_whose
from anonymizer.data.table import Table, check_rows
from anonymizer.errors import DataError, HierarchyError, list_cells, quote, suggest_name
from anonymizer.hierarchy import Hierarchy
from anonymizer.study.study import PEOPLE, Study, StudyTable, without_attributes
from anonymizer.table.domain import read_only
from anonymizer.table.microdata import Microdata, encode


@dataclass(frozen=True, eq=False)
class KeyedTable:
    """A table of a study as it is given: the first one is the people table, the others are children."""

    name: str
    """What the study calls it; the names of a child's attributes begin with it."""
    table: Table
    hierarchies: Sequence[Hierarchy]
    """Those of its quasi-identifiers, by their names."""
    id: str
    """The column that names the person; of a child with a parent, the column with the key of that."""
    parent: str | None = None
    """The child that its rows belong to; None for the people table."""
    key: str | None = None
    """The column that names each row of a child that other tables belong to."""


def encode_study(tables: Sequence[KeyedTable]) -> Study:
    """Read linked tables, and find the person and the parent of each row.

    Raises a DataError that says in one sentence what does not fit, where, and what to do; and a
    HierarchyError as `encode` does.
    """
    order = parents_first(tables)
    people = order[0]
    check_names(order)
    made: dict[str, StudyTable] = {}
    rows_by_key: dict[str, dict[str, int]] = {}
    for place, linked in enumerate(order):
        loaded = load_columns(linked)
        parent = None if linked is people else linked.parent or people.name
        rows = None if parent is None else find_parents(linked, loaded, parent, rows_by_key[parent])
        above = None if parent is None else list(made).index(parent)
        made[linked.name] = StudyTable(linked.name, microdata_of(linked, loaded), above, rows)
        if place == PEOPLE or any(each.parent == linked.name for each in order):
            rows_by_key[linked.name] = number_keys(linked, loaded, is_people=place == PEOPLE)
    study = Study(tuple(made.values()))
    if len(set(study.attributes)) < len(study.attributes):
        twice = next(name for name in study.attributes if study.attributes.count(name) > 1)
        raise DataError(
            f"{people.table.name}: the column '{twice}' is called as a column of a child table is; "
            "rename it."
        )
    return study


def parents_first(tables: Sequence[KeyedTable]) -> list[KeyedTable]:
    """Order the tables so that a parent comes before its children, otherwise as they are given."""
    if not tables:
        raise DataError("a study has no tables; give the people table first.")
    people, *children = tables
    if people.parent is not None:
        raise DataError(
            f"table '{people.name}': the first table, that of the people, has no parent; leave it out."
        )
    names = [table.name for table in tables]
    for table in children:
        if table.parent is not None and table.parent not in names:
            raise DataError(
                f"table '{table.name}': its parent '{table.parent}' is no table of the study; "
                f"{suggest_name(table.parent, names)}"
            )
    order, left = [people], children
    while left:
        placed = {people.name, None, *(table.name for table in order)}
        ready = [table for table in left if table.parent in placed]
        if not ready:
            raise DataError(
                f"table '{left[0].name}': its parents form a cycle ("
                + ", ".join(f"'{table.name}' belongs to '{table.parent}'" for table in left)
                + "); name a parent that leads to the people table."
            )
        order.append(ready[0])
        left = [table for table in left if table is not ready[0]]
    return order


def check_names(tables: Sequence[KeyedTable]) -> None:
    """Raise a DataError if two tables have one name, or a table with children has no key."""
    names = [table.name for table in tables]
    if twice := [name for name in names if names.count(name) > 1]:
        raise DataError(f"table '{twice[0]}': two tables of the study have this name; rename one.")
    for table in tables[1:]:
        if table.key is None and any(each.parent == table.name for each in tables):
            raise DataError(
                f"table '{table.name}': other tables belong to it, and it has no key; name the column "
                "that they refer to."
            )


def load_columns(linked: KeyedTable) -> LoadedTable:
    """Read the columns of a table that count, in one pass; a column that is not there is an error."""
    table, names = linked.table, [hierarchy.name for hierarchy in linked.hierarchies]
    wanted = [*names, linked.id, *([] if linked.key is None else [linked.key])]
    for name in wanted:
        if table.columns.count(name) != 1:
            times = "twice" if name in table.columns else "not"
            raise DataError(
                f"{table.name}: column '{name}' is {times} in the table; "
                f"{suggest_name(name, table.columns) if times == 'not' else 'rename one.'}"
            )
    loaded = load(table, wanted)
    check_rows(table, loaded.rows or 0)
    return loaded


def microdata_of(linked: KeyedTable, loaded: LoadedTable) -> Microdata:
    """Encode the quasi-identifiers of a table; without any, its rows all look alike."""
    if not linked.hierarchies:
        return without_attributes(loaded.rows or 0)
    try:
        return encode(loaded, linked.hierarchies)
    except HierarchyError as error:  # tables may have columns of one name
        raise HierarchyError(f"{linked.table.name}: {error}") from None


def number_keys(linked: KeyedTable, loaded: LoadedTable, is_people: bool) -> dict[str, int]:
    """Return the row of each id of the people table, or of each key of another one: no two are equal."""
    name = linked.id if is_people else linked.key
    assert name is not None
    column = filled(linked, loaded, name)
    counts = np.bincount(column.codes, minlength=len(column.texts))
    if (counts > 1).any():
        twice = int(counts.argmax())
        first, second = (np.flatnonzero(column.codes == twice)[:2] + 1).tolist()
        what = "id" if is_people else "key"
        remedy = (
            "keep one row for each person"
            if is_people
            else "name a column that is different in each row"
        )
        raise DataError(
            f"{linked.table.name}: rows {first} and {second} have the same {what} in column '{name}'"
            f"{list_cells([column.texts[twice]])}; {remedy}."
        )
    rows = np.empty(len(column.texts), np.int64)
    rows[column.codes] = np.arange(column.codes.size)
    return dict(zip(column.texts, rows.tolist(), strict=True))


def find_parents(
    linked: KeyedTable, loaded: LoadedTable, parent: str, rows: Mapping[str, int]
) -> NDArray[np.int32]:
    """Return the row of the parent that each row belongs to."""
    column = filled(linked, loaded, linked.id)
    row_of_text = np.array([rows.get(text, -1) for text in column.texts], np.int32)
    found: NDArray[np.int32] = row_of_text[column.codes]
    if (found < 0).any():
        row, orphans = int((found < 0).argmax()), int(np.count_nonzero(found < 0))
        others = f" ({orphans:,} rows in all)" if orphans > 1 else ""
        raise DataError(
            f"{linked.table.name}: row {row + 1} belongs to nobody: its '{linked.id}' is in no row of "
            f"table {quote(parent)}{others}{list_cells([column.texts[column.codes[row]]])}; add that row "
            "there, or leave this one out."
        )
    return read_only(found)


def filled(linked: KeyedTable, loaded: LoadedTable, name: str) -> Column:
    """Return a column of ids, none of which is missing."""
    column = loaded.coded[name]
    check_whose(column, linked.table.name, name)
    return column
