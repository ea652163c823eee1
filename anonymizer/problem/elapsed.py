"""The dates of a study as the days since each person's index date."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from anonymizer.data.dates import NO_DAY, Days, days_since, first_days, read_dates
from anonymizer.data.elapsed import ElapsedTable
from anonymizer.data.table import Table, read_columns
from anonymizer.errors import DataError
from anonymizer.hierarchy import Dates
from anonymizer.policy import Attribute, Policy
from anonymizer.policy.study import FIRST


class Dated(NamedTuple):
    """A column of events that is counted from an index date."""

    table: str
    column: str
    since: str
    days: Days


def with_elapsed(tables: dict[str, Table], policy: Policy) -> dict[str, Table]:
    """Return the tables of a study, the people's first, with days in place of the dates of events."""
    stated = [
        (name, column, attribute)
        for name, child in policy.tables.items()
        for column, attribute in child.attributes.items()
        if attribute.since is not None and column in tables[name].columns
    ]
    if not stated:
        return tables
    whose = find_whose_rows(tables, policy)
    dated = [
        Dated(
            name, column, str(each.since), read_dates(tables[name], column, formats_of(each)).days
        )
        for name, column, each in stated
    ]
    people = next(iter(tables))
    made: dict[str, dict[str, Days]] = {}
    for since in dict.fromkeys(each.since for each in dated):
        index = index_of(since, tables[people], whose, dated, policy)
        for each in dated:
            if each.since == since:
                check_index(each, index, whose[each.table], tables[people].name)
                # nobody's rows are an error that whoever links the tables tells better
                made.setdefault(each.table, {})[each.column] = index[whose[each.table]]
    days = {(each.table, each.column): each.days for each in dated}
    return {
        name: ElapsedTable(
            table, {c: days_since(days[name, c], start) for c, start in made[name].items()}
        )
        if name in made
        else table
        for name, table in tables.items()
    }


def index_of(
    since: str, people: Table, whose: Mapping[str, Days], dated: list[Dated], policy: Policy
) -> Days:
    """Return the index date of each person: in a column, or the first of all that are counted from it."""
    everybody = whose[next(iter(whose))].size
    if since == FIRST:
        return first_days(
            everybody, [(whose[each.table], each.days) for each in dated if each.since == FIRST]
        )
    if since not in people.columns:
        raise DataError(
            f"{people.name}: there is no column '{since}', from which the policy counts days; correct "
            f'`since`, or write since = "{FIRST}".'
        )
    own = policy.attributes.get(since)
    return read_dates(people, since, () if own is None else formats_of(own)).days


def check_index(each: Dated, index: Days, whose: Days, people: str) -> None:
    """Raise a DataError if somebody with dated events has no index date."""
    without = (index[whose] == NO_DAY) & (each.days != NO_DAY) & (whose >= 0)
    if without.any():
        row = int(whose[int(without.argmax())]) + 1
        number = np.unique(whose[without]).size
        others = f" ({number:,} people in all)" if number > 1 else ""
        raise DataError(
            f"{people}: row {row} has no day in '{each.since}', from which '{each.column}' of table "
            f"'{each.table}' is counted{others}; fill it in, leave the person out, or write "
            f'since = "{FIRST}".'
        )


def formats_of(attribute: Attribute) -> tuple[str, ...]:
    """Return how a column writes dates beside ISO's way."""
    own = () if attribute.format is None else (attribute.format,)
    return own + (attribute.hierarchy.format if isinstance(attribute.hierarchy, Dates) else ())


def find_whose_rows(tables: Mapping[str, Table], policy: Policy) -> dict[str, Days]:
    """Return the row of the people table that each row belongs to, table by table; -1: to nobody's."""
    people = next(iter(tables))
    rows: dict[str, dict[str, int]] = {}
    whose: dict[str, Days] = {}

    def place(name: str) -> None:
        """Follow the ids of a table, those of its parent first."""
        child = policy.tables.get(name)
        id_, key = (policy.data.id, policy.data.id) if child is None else (child.id, child.key)
        columns = read_columns(tables[name], list(dict.fromkeys([str(id_), str(key or id_)])))
        own = columns[str(id_)]
        if child is None:
            whose[name] = np.arange(own.codes.size)
        else:
            parent = child.parent or people
            if parent not in whose:
                place(parent)
            known = np.array([rows[parent].get(text, -1) for text in own.texts], np.int64)
            above = known[own.codes]
            whose[name] = np.where(above < 0, -1, whose[parent][above])
        named = columns[str(key or id_)]
        texts = named.cells() if key else []
        rows[name] = {text: row for row, text in enumerate(texts)}

    for name in tables:
        if name not in whose:
            place(name)
    return whose
