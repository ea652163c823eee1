"""Dates that move by one number of days for each person: where, and what nobody may forget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

import numpy as np

from anonymizer.data.arrays import is_nested
from anonymizer.data.column import code_columns
from anonymizer.data.dates import DatedColumn, Days, first_days, read_dates, read_moment
from anonymizer.data.elapsed import ElapsedTable
from anonymizer.data.engines.table import EngineTable
from anonymizer.data.table import Table
from anonymizer.errors import DataError, PolicyError
from anonymizer.hierarchy import Hierarchy
from anonymizer.policy import Policy, Role
from anonymizer.problem.elapsed import find_whose_rows, formats_of

MANY_DATES = 0.5
"""A column of which so many values are dates is one of dates."""


def moved_columns(policy: Policy) -> tuple[str, ...]:
    """Return the columns of one table whose dates move."""
    return tuple(name for name, each in policy.attributes.items() if each.shift)


def check_shift(table: Table, policy: Policy, hierarchies: Sequence[Hierarchy]) -> None:
    """Raise a PolicyError where dates that stay would tell how far the others have moved.

    The first batch of rows is looked at.
    """
    if policy.release.date_shift is None:
        return
    if isinstance(table, EngineTable):
        raise DataError(
            f"{table.name}: dates move row by row in memory, and this table stays in its engine; export "
            "it as .csv or .parquet, or leave out date_shift."
        )
    attributes, quasi = policy.attributes, [h.name for h in hierarchies if h.reading.kind == "date"]
    dated = kept_dates(table, policy)
    faults = [
        f"attributes.{name} has dates that do not move, from which the shift of the others can be told; "
        f"{remedy}, or accept it with shift = false."
        for names, remedy in (
            (quasi, "remove it"),
            (dated, "write shift = true, or remove it"),
        )
        for name in names
        if attributes[name].shift is None and attributes[name].since is None
    ]
    if faults:
        raise PolicyError.defective("policy", faults)


def kept_dates(table: Table, policy: Policy) -> list[str]:
    """Return the columns of dates that are released as they are, by the first batch of rows."""
    kept = [
        name
        for role in (Role.SENSITIVE, Role.INSENSITIVE)
        for name in policy.with_role(role)
        if policy.attributes[name].shift is None and not is_nested(table.types[name])
    ]
    columns = code_columns(kept, islice(table.batches(kept), 1)) if kept else {}
    return [name for name, column in columns.items() if are_dates(column.texts)]


def are_dates(texts: Sequence[str]) -> bool:
    """Whether many of some texts are dates as ISO writes them."""
    some = [text for text in texts if text.strip()]
    found = sum(read_moment(text) is not None for text in some)
    return found > 0 and found >= MANY_DATES * len(some)


def read_moved(table: Table, policy: Policy) -> dict[str, DatedColumn]:
    """Read the columns of a table whose dates move."""
    return {
        name: read_dates(table, name, formats_of(policy.attributes[name]))
        for name in moved_columns(policy)
    }


def say_shift(names: Sequence[str], most: int | None) -> list[str]:
    """Say in sentences what moves, and what a shift does not hide; nothing where nothing moves."""
    if most is None:
        return []
    return [
        f"Dates in {', '.join(names)} are moved by one number of days for each person, within plus or "
        f"minus {most:,}.",
        "A shift is no generalization: the days between the dates of a person, their order and the time "
        f"of day are as they were, and every date is known to within {most:,} days.",
    ]


def in_row_intervals(table: Table, policy: Policy) -> tuple[Table, Days]:
    """Return a table with the days since the first date of each row in place of dates that move."""
    dated = read_moved(table, policy)
    rows = next(iter(dated.values())).column.codes.size
    everyone = np.arange(rows)
    first = first_days(rows, [(everyone, each.days) for each in dated.values()])
    return ElapsedTable(table, {name: each.since(first) for name, each in dated.items()}), first


def in_intervals(tables: Mapping[str, Table], policy: Policy) -> tuple[dict[str, Table], Days]:
    """Return linked tables with days since each person's first date in place of dates that move.

    Beside them, that first date of each row of the people table. The policy names the ids, or the keys
    that took their place.
    """
    whose = find_whose_rows(dict(tables), policy)
    dated = {
        name: read_moved(table, policy.of_table(name) if name in policy.tables else policy)
        for name, table in tables.items()
    }
    people = whose[next(iter(tables))].size
    first = first_days(
        people, [(whose[name], each.days) for name in dated for each in dated[name].values()]
    )
    made = {
        name: ElapsedTable(
            table, {c: each.since(first[whose[name]]) for c, each in dated[name].items()}
        )
        if dated[name]
        else table
        for name, table in tables.items()
    }
    return made, first
