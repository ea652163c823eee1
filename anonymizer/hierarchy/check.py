"""Fitting hierarchies to a table: do they cover its values, and what could they be?"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

from anonymizer.data.columns import read_columns
from anonymizer.data.staging import Staging
from anonymizer.data.table import Table, guess_delimiter, open_table
from anonymizer.errors import DataError, HierarchyError, quote_some
from anonymizer.hierarchy import Defect, check_file, check_values, load_hierarchy, suggest


def check_files(
    files: Sequence[Path], data: Path | None, delimiter: str, data_delimiter: str
) -> list[tuple[Path, Defect]]:
    """Find the defects of hierarchy files, and the values of a table that they do not cover.

    A file is for the column that has its name; one that has no such column is a warning.
    """
    table = None if data is None else open_table(data, data_delimiter)
    if table is not None and not any(file.stem in table.columns for file in files):
        raise DataError(
            f"{table.name}: no column is called as one of the files; the header reads "
            f"{quote_some(table.columns)}{guess_delimiter(table)}."
        )
    values = {} if table is None else distinct_values(table, [file.stem for file in files])
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


def check_one(file: Path, values: Sequence[str] | None, delimiter: str) -> list[Defect]:
    """Find the defects of one file, and the values it does not cover; if unreadable, one defect."""
    try:
        defects = check_file(file, delimiter=delimiter)
        if values is not None and all(defect.severity != "error" for defect in defects):
            defects += check_values(load_hierarchy(file, delimiter=delimiter), values)
    except HierarchyError as error:
        return [Defect("error", file.stem, None, None, str(error).removeprefix(f"{file}: "))]
    return defects


def distinct_values(table: Table, columns: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """List the distinct values of those columns that a table has; a missing cell is an empty text."""
    there = set(table.columns)
    coded = read_columns(table, [name for name in dict.fromkeys(columns) if name in there])
    return {name: column.texts for name, column in coded.items()}


def suggest_for(path: Path, columns: Sequence[str], delimiter: str) -> dict[str, str]:
    """Propose a spec for each of the columns, or for all."""
    import pandas as pd

    table = open_table(path, delimiter)
    if absent := [column for column in columns if column not in table.columns]:
        raise DataError(
            f"{table.name}: no column {quote_some(absent)}; the header reads "
            f"{quote_some(table.columns)}."
        )
    found = distinct_values(table, columns or table.columns)
    return {
        column: suggest(pd.Series([text or None for text in texts], name=column, dtype=object))
        for column, texts in found.items()
    }


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
