"""Releases that are tables: in the database that the original is in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from anonymizer.data.contract import Table
from anonymizer.data.engines.table import EngineTable
from anonymizer.data.plan import ReleasePlan
from anonymizer.errors import DataError


def check_target(table: Table, name: str) -> EngineTable:
    """Raise a DataError unless a release can become a table beside the original; return that."""
    if not isinstance(table, EngineTable) or table.files:
        raise DataError(
            f"{table.name}: only a table in a database is released as one; leave out table in [release]."
        )
    with table.working():
        there = table.engine.has_table(name)
    if there:
        raise DataError(
            f"{table.name}: there is a table '{name}' already; drop it, or name another in [release]."
        )
    return table


def write_to_table(
    table: Table, plan: ReleasePlan, name: str
) -> tuple[EngineTable, Callable[[], None]]:
    """Have the engine write a release to a new table; return it, and what removes it again."""
    original = check_target(table, name)
    undo = partial(original.engine.drop_table, name)
    original.write_to(plan, name)
    return open_target(original, name), undo


def open_target(table: Table, name: str) -> EngineTable:
    """Open a release beside its original."""
    assert isinstance(table, EngineTable)
    with table.working():
        if not table.engine.has_table(name):
            raise DataError(f"{table.name}: there is no released table '{name}' beside it.")
        released = table.engine.backend.table(name)
    return replace(table, source=released, called=f"table '{name}'", counted={}, noted={})
