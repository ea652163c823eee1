"""Fitting hierarchies to a table: do they cover its values, and what could they be?"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from anonymizer.data.column import Column
from anonymizer.data.opening import describe_header, end_sentence, open_table
from anonymizer.data.staging import Staging
from anonymizer.data.table import Table, read_columns
from anonymizer.errors import DataError, HierarchyError, quote_some
from anonymizer.hierarchy import (
    MISSING,
    Defect,
    Hierarchy,
    check_file,
    check_values,
    load_hierarchy,
)
from anonymizer.hierarchy.suggest import suggest_for


def check_files(
    files: Sequence[Path],
    data: Path | None,
    delimiter: str | None,
    data_delimiter: str | None = None,
) -> list[tuple[Path, Defect]]:
    """Find the defects of hierarchy files, and the values of a table that they do not cover.

    A file is for the column that has its name; one that has no such column is a warning.
    """
    table = None if data is None else open_table(data, data_delimiter)
    if table is not None and not any(file.stem in table.columns for file in files):
        raise DataError(
            f"{table.name}: no column is called as one of the files; "
            f"{end_sentence(describe_header(table, ()))}"
        )
    values = {} if table is None else read_some(table, [file.stem for file in files])
    found = [
        (file, defect)
        for file in files
        for defect in check_one(file, values.get(file.stem), delimiter)
    ]
    unassigned = [] if table is None else [file for file in files if file.stem not in values]
    return found + [(file, not_compared(file, table)) for file in unassigned if table is not None]


def not_compared(file: Path, table: Table) -> Defect:
    """Warn that no column of a table is called as a file."""
    message = (
        f"not compared with {table.name}, which has no column '{file.stem}'; name the file after its "
        "column."
    )
    return Defect("warning", file.stem, None, None, message)


def check_one(file: Path, column: Column | None, delimiter: str | None) -> list[Defect]:
    """Find the defects of one file, and the values it does not cover; if unreadable, one defect."""
    try:
        defects = check_file(file, delimiter=delimiter)
        if column is not None and all(defect.severity != "error" for defect in defects):
            defects += check_column(load_hierarchy(file, delimiter=delimiter), column)
    except HierarchyError as error:
        return [Defect("error", file.stem, None, None, str(error).removeprefix(f"{file}: "))]
    return defects


def check_column(hierarchy: Hierarchy, column: Column) -> Iterator[Defect]:
    """Find the values of a column that a hierarchy does not cover, and where the first one is."""
    grown = hierarchy.with_values(column.texts)
    pairs = zip(column.texts, grown.read_texts(column.texts), strict=True)
    known = {MISSING, *grown.leaves}
    unknown = {text for text, value in pairs if value not in known}
    for defect in check_values(hierarchy, column.texts):
        if defect.severity == "error":
            message = f"{defect.message} First at row {column.first_row(unknown) + 1}."
            yield replace(defect, message=message)
        else:
            yield defect


def read_some(table: Table, columns: Sequence[str]) -> dict[str, Column]:
    """Read those of some columns that a table has."""
    there = set(table.columns)
    return read_columns(table, [name for name in dict.fromkeys(columns) if name in there])


def suggest_specs(
    path: Path,
    columns: Sequence[str],
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
) -> dict[str, str]:
    """Propose a spec for each of the columns, or for all."""
    table = open_table(path, delimiter, encoding, sheet)
    if absent := [column for column in columns if column not in table.columns]:
        raise DataError(
            f"{table.name}: no column {quote_some(absent)}; "
            f"{end_sentence(describe_header(table, columns))}"
        )
    found = read_some(table, columns or table.columns)
    return {name: suggest_for(name, column) for name, column in found.items()}


def file_names(columns: Sequence[str]) -> list[str]:
    """Name a file for each column, without slashes, no two alike.

    >>> file_names(["a/b", "a_b", "c"])
    ['a_b', 'a_b_2', 'c']
    """
    names: list[str] = []
    for column in columns:
        plain = column.replace("/", "_")
        tried = (plain if number == 1 else f"{plain}_{number}" for number in itertools.count(1))
        names.append(next(name for name in tried if name not in names))
    return names


def write_suggestions(specs: dict[str, str], folder: Path) -> list[Path]:
    """Write specs into a folder, all or none; a file that is there already is an error."""
    paths = [folder / f"{name}.toml" for name in file_names(list(specs))]
    if existing := [path for path in paths if path.exists()]:
        raise DataError(
            f"{quote_some(existing)} is there already; remove it or choose another folder."
        )
    with Staging(folder) as staging:
        for path, spec in zip(paths, specs.values(), strict=True):
            staging.path(path.name).write_text(spec, encoding="utf-8")
    return paths
