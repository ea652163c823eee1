"""External tables: what others have about the same people, in columns and levels of their own.

An attacker compares what both tables have. Where one of them is coarser, both are seen as on its level.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from anonymizer.attackers.statement import ExternalSource, Statement
from anonymizer.data.coded import CodedTable, LoadedTable, load
from anonymizer.data.column import Column, check_whose
from anonymizer.data.opening import check_present, describe_header, end_sentence, open_table
from anonymizer.data.table import Table, read_columns
from anonymizer.errors import (
    AnonymizerWarning,
    DataError,
    HierarchyError,
    list_cells,
    quote_some,
    suggest_name,
)
from anonymizer.hierarchy import MISSING, REDACTED, Hierarchy

OPEN = (MISSING, REDACTED)
"""Cells that may stand for any value: they match every value of the other table."""

ID = "\0id"
"""What the id of an external table is called beside the attributes: no column has that name."""

File = tuple[Path, str | None]
"""A path and the delimiter of its cells, where it is stated."""


@dataclass(frozen=True, slots=True, eq=False)
class External:
    """The keys of a source as its table has them, and whose each row is."""

    name: str
    """The path of the table."""
    keys: dict[str, Column]
    """The table's columns, by what the source calls the keys."""
    person: Column | None
    """The column that tells whose a row is; None where each row is a person."""
    table: Table | None = None
    """The table itself."""

    @property
    def rows(self) -> int:
        """The number of rows."""
        return next(iter(self.keys.values())).codes.size


def external_file(statement: Statement, source: ExternalSource) -> File | None:
    """Return where the table of a source is, if it is at hand."""
    return None if source.path is None else (statement.folder / source.path, source.delimiter)


def open_externals(statement: Statement) -> dict[File, LoadedTable]:
    """Open the tables that are at hand; one that several sources name is read once for all."""
    wanted: dict[File, list[str]] = {}
    for source in statement.source:
        if file := external_file(statement, source):
            named = [source.names.get(key, key) for key in source.keys]
            wanted.setdefault(file, []).extend([*named, *([source.id] if source.id else [])])
    return {file: load(open_table(*file), columns) for file, columns in wanted.items()}


def load_externals(statement: Statement) -> dict[str, External]:
    """Read the tables of the sources that are at hand, by the source's name."""
    tables = open_externals(statement)
    return {
        source.name: load_external(tables[file], source)
        for source in statement.source
        if (file := external_file(statement, source))
    }


def load_external(table: LoadedTable, source: ExternalSource) -> External:
    """Read the keys of a source, and whose each row is, from its table."""
    names = match_columns(source.keys, table, source.names)
    if source.id is not None and source.id not in table.columns:
        raise DataError(
            f"{table.name}: the external table has no column '{source.id}', which is the id of "
            f"'{source.name}'; {suggest_name(source.id, table.columns)}"
        )
    person = [] if source.id is None else [source.id]
    wanted = list(dict.fromkeys([*names.values(), *person]))
    check_present(table, wanted)
    loaded = read_columns(table, wanted)
    external = External(
        table.name,
        {key: loaded[column] for key, column in names.items()},
        None if source.id is None else loaded[source.id],
        table.origin,
    )
    check_external(external, source)
    return external


def check_external(external: External, source: ExternalSource) -> None:
    """Raise a DataError if an external table has no rows, or a row that is nobody's."""
    if not external.rows:
        raise DataError(f"{external.name}: the external table has no rows; name one with people.")
    if external.person is not None and source.id is not None:
        check_whose(external.person, external.name, source.id)


def match_columns(keys: Sequence[str], external: Table, names: dict[str, str]) -> dict[str, str]:
    """Find what an external table calls each key; names that differ are given."""
    columns = {key: names.get(key, key) for key in keys}
    absent = [key for key, column in columns.items() if column not in external.columns]
    if len(absent) == len(keys):
        raise DataError(
            f"{external.name}: the external table has no column in common with the keys "
            f"{quote_some(keys)}; {end_sentence(describe_header(external, ()))} "
            "Name its columns under `columns`."
        )
    if absent:
        raise DataError(
            f"{external.name}: the external table has no column for the key {quote_some(absent)}; "
            "leave it out of the source's keys, or name its column under `columns`."
        )
    return columns


def place_column(hierarchy: Hierarchy, column: Column, where: str) -> tuple[Hierarchy, Column, int]:
    """Write a column as its hierarchy does, and find its level; the hierarchy takes in what it covers."""
    hierarchy, texts = hierarchy.fit(column.texts)
    return hierarchy, column.rename(texts), level_of(hierarchy, texts, where)


def level_of(hierarchy: Hierarchy, values: Collection[str], where: str) -> int:
    """Find the finest level that knows all the values of a column, or say which it does not know.

    A missing or redacted cell is of any level, unless nothing else is there.

    >>> rows = [("34", "30-39", "*"), ("51", "50-59", "*")]
    >>> level_of(Hierarchy.from_rows("age", rows), ["30-39", "*"], "voters.csv")
    1
    """
    wanted = {value for value in values if value not in OPEN} or {*values} - {MISSING}
    unknown = [sorted(wanted.difference(labels)) for labels in hierarchy.labels]
    for level, rest in enumerate(unknown):
        if not rest:
            return level
    fewest = min(unknown, key=len)
    raise HierarchyError(
        f"{where}: column '{hierarchy.name}' has values that no single level of its hierarchy knows"
        f"{list_cells(fewest)}; write all values as on one level, or add them to "
        f"{hierarchy.source or 'the hierarchy'}."
    )


def to_leaves(hierarchy: Hierarchy, level: int, column: Column) -> Column:
    """Replace the values of a level by a leaf under each: equal on that level stays equal.

    A redacted cell below the level that is called so becomes a missing one.
    """
    if level == 0 and REDACTED not in column.texts:
        return column
    first = {code: leaf for leaf, code in reversed([*enumerate(hierarchy.codes[level].tolist())])}
    leaf_of = {label: hierarchy.leaves[first[i]] for i, label in enumerate(hierarchy.labels[level])}
    leaf_of = {MISSING: MISSING, REDACTED: MISSING} | leaf_of
    return column.rename([leaf_of[text] for text in column.texts])


def check_common(key: str, mine: set[str], theirs: set[str], where: str) -> None:
    """Raise a DataError if no value of a key occurs in both tables: nobody could ever match."""
    here, there = mine.difference(OPEN), theirs.difference(OPEN)
    if here and there and here.isdisjoint(there):
        examples = list_cells([*sorted(here)[:1], *sorted(there)[:1]])
        raise DataError(
            f"{where}: no value of the key '{key}' occurs in both tables{examples}; write them alike, "
            "or give the key a hierarchy that knows both."
        )


# --- two tables, without a statement


def align(
    table: Table,
    external: Table,
    attributes: Sequence[str],
    columns: Mapping[str, str],
    hierarchies: Mapping[str, Hierarchy],
    ids: tuple[str | None, str | None] = (None, None),
) -> tuple[CodedTable, CodedTable]:
    """Read the attributes of two tables, called alike and on one level each, and their ids."""
    names = match_columns(attributes, external, dict(columns))
    own, other = ids
    check_present(external, [*names.values(), *([] if other is None else [other])])
    mine = read_columns(table, [*attributes, *([] if own is None else [own])])
    found = read_columns(external, [*names.values(), *([] if other is None else [other])])
    theirs = {name: found[column] for name, column in names.items()}
    if other is not None:
        theirs[ID] = found[other]
    for name in attributes:
        if name in hierarchies:
            both = mine[name], theirs[name]
            mine[name], theirs[name] = same_level(hierarchies[name], *both, (table, external))
        if set(mine[name].texts).isdisjoint(theirs[name].texts):
            warn_of_strangers(name, external)
    return CodedTable(mine), CodedTable(theirs)


def warn_of_strangers(name: str, external: Table) -> None:
    """Warn that nobody can match on an attribute: the risk is then as if all were unique outside."""
    warnings.warn(
        f"{external.name}: no value of '{name}' occurs in both tables, so that whoever is unique in ours "
        "counts as unique there; write them alike, or give the attribute a hierarchy that knows both.",
        AnonymizerWarning,
        stacklevel=2,
    )


def same_level(
    hierarchy: Hierarchy, mine: Column, theirs: Column, tables: tuple[Table, Table]
) -> tuple[Column, Column]:
    """Write the values of both columns as on the coarser of their levels."""
    hierarchy, labels = hierarchy.fit([*mine.texts, *theirs.texts])
    mine = mine.rename(labels[: len(mine.texts)])
    theirs = theirs.rename(labels[len(labels) - len(theirs.texts) :])
    own, its = (
        level_of(hierarchy, column.texts, table.name)
        for column, table in zip((mine, theirs), tables, strict=True)
    )
    level = max(own, its)
    return climb(hierarchy, mine, own, level), climb(hierarchy, theirs, its, level)


def climb(hierarchy: Hierarchy, column: Column, level: int, to: int) -> Column:
    """Write the values of a level as those of a coarser one; a missing cell stays one."""
    if level == to:
        return column
    labels, numbers = hierarchy.labels[to], hierarchy.codes[to]
    value_of = {leaf: labels[numbers[at]] for at, leaf in enumerate(hierarchy.leaves)}
    leaves = to_leaves(hierarchy, level, column)
    return leaves.rename([MISSING if leaf == MISSING else value_of[leaf] for leaf in leaves.texts])
