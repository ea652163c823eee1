"""Reading: a release, its original and the tables of others in one and the same numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from anonymizer.attacks.columns import (
    NO_VALUE,
    AnyColumn,
    kept_column,
    kept_names,
    quasi_column,
)
from anonymizer.attacks.matching import ReleasedCells
from anonymizer.attacks.setting import MEMBER, AttackPlan, Others, Setting
from anonymizer.data.column import Column
from anonymizer.data.opening import TableLike, check_present
from anonymizer.data.table import Table, read_columns
from anonymizer.errors import DataError, quote_some
from anonymizer.policy import Policy, Role
from anonymizer.problem import part_released
from anonymizer.verification.reading import find_redacted


def read_setting(
    released: TableLike,
    original: TableLike,
    policy: Policy,
    manifest: Mapping[str, Any] | None,
    plan: AttackPlan,
    control: TableLike | None = None,
    population: TableLike | None = None,
    targets: TableLike | None = None,
) -> Setting:
    """Read a release, its original, and the tables of others."""
    memory = policy.machine.memory
    table, opened = policy.data.open_release(released, memory), policy.data.open(original, memory)
    policy = policy.with_columns([*opened.columns, *table.columns])
    opened = part_released(opened, policy.load_models(), policy)
    quasi = policy.quasi_identifiers
    for each in (opened, table):
        check_present(each, quasi)
    kept = tuple(name for name in kept_names(policy, opened) if name in table.columns)
    names = [*quasi, *kept]
    identity = [name for name in policy.with_role(Role.IDENTIFYING) if name in opened.columns]
    whose = [name for name in (policy.data.id,) if name in opened.columns]
    mine = read_columns(table, names)
    theirs = read_columns(opened, list(dict.fromkeys([*names, *identity, *whose])))
    tables = {"control": control, "population": population, "targets": targets}
    given = {kind: each for kind, each in tables.items() if each is not None}
    others = {
        kind: read_others(policy.data.open_beside(each), names, kind)
        for kind, each in given.items()
    }
    columns = make_columns(policy, kept, mine, [theirs, *others.values()], manifest)
    sensitive = policy.with_role(Role.SENSITIVE)
    beside = {
        kind: make_others(name_of(given[kind], kind), each, columns)
        for kind, each in others.items()
    }
    redacted = find_redacted({name: mine[name] for name in quasi}, policy, manifest)
    return Setting(
        policy,
        read_cells(columns, mine, table.name).keep(~redacted),
        np.array([column.leaves(theirs[column.name], opened.name) for column in columns]),
        tuple(range(len(quasi))),
        tuple(at for at, name in enumerate(names) if name in sensitive),
        {name: theirs[name] for name in identity},
        theirs[whose[0]].codes.astype(np.int64)
        if whose
        else np.arange(theirs[names[0]].codes.size),
        plan,
        opened,
        table,
        manifest,
        control=beside.get("control"),
        population=beside.get("population"),
        targets=beside.get("targets"),
    )


def name_of(table: TableLike, kind: str) -> str:
    """Return the name of a file, or what kind of table it is."""
    return Path(table).name if isinstance(table, str | Path) else kind


def make_columns(
    policy: Policy,
    kept: Sequence[str],
    released: Mapping[str, Column],
    originals: Sequence[Mapping[str, Column]],
    manifest: Mapping[str, Any] | None,
) -> tuple[AnyColumn, ...]:
    """Make the columns of a release: quasi-identifiers, then others, with the values of all tables."""
    levels = declared_levels(manifest)
    quasi = [
        quasi_column(policy, name, with_column(originals, name), released[name], levels.get(name))
        for name in policy.quasi_identifiers
    ]
    others = [
        kept_column(policy, name, with_column(originals, name), released[name]) for name in kept
    ]
    return *quasi, *others


def with_column(tables: Sequence[Mapping[str, Column]], name: str) -> list[Column]:
    """Return a column of all tables that have it."""
    return [table[name] for table in tables if name in table]


def declared_levels(manifest: Mapping[str, Any] | None) -> dict[str, int]:
    """Return the level of each attribute that a manifest declares; nothing for a release in layers."""
    if manifest is None or manifest.get("layers"):
        return {}
    return dict(manifest["scheme"])


def read_cells(
    columns: Sequence[AnyColumn], released: Mapping[str, Column], where: str
) -> ReleasedCells:
    """Read the released cells."""
    cells = [column.cells(released[column.name], where) for column in columns]
    levels, codes = (np.array(each, np.int64) for each in zip(*cells, strict=True))
    return ReleasedCells(tuple(columns), levels, codes)


def read_others(table: Table, names: Sequence[str], kind: str) -> dict[str, Column]:
    """Read another table."""
    if not set(names) & set(table.columns):
        raise DataError(
            f"{table.name}: it has none of the released columns {quote_some(names)}; its header reads "
            f"{quote_some(table.columns)}. Name its columns as the policy does."
        )
    if kind == "targets" and MEMBER not in table.columns:
        raise DataError(
            f"{table.name}: it has no column '{MEMBER}', which says whether somebody is in the release; "
            "add it, with 1 or 0."
        )
    found = read_columns(table, list(dict.fromkeys(table.columns)))
    if not next(iter(found.values())).codes.size:
        raise DataError(f"{table.name}: the table has no rows; name one with people.")
    return found


def make_others(name: str, read: Mapping[str, Column], columns: Sequence[AnyColumn]) -> Others:
    """Write another table in the numbers of the release's columns."""
    size = next(iter(read.values())).codes.size
    leaves = np.full((len(columns), size), NO_VALUE, np.int64)
    there = tuple(at for at, column in enumerate(columns) if column.name in read)
    for at in there:
        leaves[at] = columns[at].leaves(read[columns[at].name], name)
    own = {column.name for column in columns}
    return Others(name, leaves, there, {key: each for key, each in read.items() if key not in own})
