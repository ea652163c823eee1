"""Releases that are tables: in the database that the original is in, or in another."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from anonymizer.data.engines.duckdb import DuckDB, connect_duckdb
from anonymizer.data.engines.engine import Engine, new_name, working
from anonymizer.data.engines.opening import (
    Address,
    Where,
    connect_address,
    open_address,
    open_database,
)
from anonymizer.data.engines.table import EngineTable
from anonymizer.data.table import ReleasePlan, Table
from anonymizer.errors import DataError


def check_target(table: Table, name: str, where: Where = None) -> EngineTable:
    """Raise a DataError unless a release can become a table; return the original."""
    if not isinstance(table, EngineTable) or (table.files and where is None):
        raise DataError(
            f"{table.name}: only a table in a database is released as one; leave out table in [release]"
            f"{', or add url' if isinstance(table, EngineTable) else ''}."
        )
    if where is None:
        with table.working():
            there = table.engine.has_table(name)
    elif isinstance(where, Path) and isinstance(table.engine, DuckDB) and table.engine.holds(where):
        raise DataError(
            f"{where}: this is the database of the table itself; leave out url in [release]."
        )
    else:
        there = has_table(where, name)
    if there:
        raise DataError(
            f"{table.name if where is None else where}: there is a table '{name}' already; drop it, or "
            "name another in [release]."
        )
    return table


def has_table(where: Path | Address, name: str) -> bool:
    """Whether another database has a table; a file of DuckDB need not be there yet."""
    if isinstance(where, Path):
        if not where.parent.is_dir():
            raise DataError(f"{where}: there is no such folder; check url in [release].")
        if not where.exists():
            return False
    with connected(where) as engine:
        return engine.has_table(name)


@contextlib.contextmanager
def connected(where: Path | Address) -> Iterator[Engine]:
    """Connect to another database that can be written, and disconnect."""
    with working(str(where), "may it be written, and does no other process have it open?"):
        engine = (
            connect_duckdb(None, where, writable=True)
            if isinstance(where, Path)
            else connect_address(where)
        )
        try:
            yield engine
        finally:
            engine.backend.disconnect()


def write_to_table(
    table: Table, plan: ReleasePlan, name: str, where: Where = None
) -> tuple[EngineTable, Callable[[], None]]:
    """Have a release written to a new table; return it, and what removes it again."""
    original = check_target(table, name, where)
    if where is None:
        undo = partial(original.engine.drop_table, name)
        original.write_to(plan, name)
        return open_target(original, name), undo
    new = isinstance(where, Path) and not where.exists()
    undo = partial(remove_table, where, name, new)
    write_elsewhere(original, plan, name, where)
    try:
        return open_target(original, name, where), undo
    except BaseException:
        undo()
        raise


def write_elsewhere(
    original: EngineTable, plan: ReleasePlan, name: str, where: Path | Address
) -> None:
    """Write a release to another database; if that fails, nothing of it is left there."""
    if isinstance(where, Path) and not where.exists():
        with new_file(where) as made:
            transfer(original, plan, name, made)
    else:
        transfer(original, plan, name, where)


def transfer(original: EngineTable, plan: ReleasePlan, name: str, where: Path | Address) -> None:
    """Write a release in one transaction: DuckDB to DuckDB by itself, else in batches through here."""
    if isinstance(where, Path) and isinstance(original.engine, DuckDB):
        original.write_into(plan, where, name)
        return
    with connected(where) as engine:
        original.send(plan, engine, name)


@contextlib.contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """Yield the path of a hidden file, which becomes the database once it is whole."""
    made = path.with_name(f".{new_name()}{path.suffix}")
    try:
        yield made
        if path.exists():
            raise DataError(f"{path}: another process made it meanwhile; run again.")
        made.rename(path)
    finally:
        remove_database(made)


def remove_database(path: Path) -> None:
    """Remove a DuckDB database and what it has not yet taken in."""
    path.unlink(missing_ok=True)
    path.with_name(f"{path.name}.wal").unlink(missing_ok=True)


def remove_table(where: Path | Address, name: str, new: bool) -> None:
    """Remove a table from another database, and its file if that was new."""
    if isinstance(where, Path) and new:
        remove_database(where)
        return
    with connected(where) as engine:
        engine.drop_table(name)


def open_target(table: Table, name: str, where: Where = None) -> EngineTable:
    """Open a release beside its original, or in another database."""
    called = f"table '{name}'"
    if where is not None:
        there = open_database(where, name) if isinstance(where, Path) else open_address(where, name)
        return replace(there, called=called)
    assert isinstance(table, EngineTable)
    with table.working():
        if not table.engine.has_table(name):
            raise DataError(f"{table.name}: there is no released table '{name}' beside it.")
        released = table.engine.backend.table(name)
    return replace(table, source=released, called=called, counted={}, noted={})
