"""Fitting hierarchies to a table: do they cover its values, and what could they be?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from anonymizer.data.cells import text_of
from anonymizer.data.staging import Staging
from anonymizer.data.table import Table, guess_delimiter, open_table
from anonymizer.errors import DataError, HierarchyError, quote_some
from anonymizer.hierarchy import Defect, check_file, check_values, load_hierarchy, suggest


def check_files(
    files: Sequence[Path], data: Path | None, delimiter: str, data_delimiter: str
) -> list[tuple[Path, Defect]]:
    """Find the defects of hierarchy files, and the values of a table that they do not cover.

    A file is for the column that has its name; files of other names are not compared with the table.
    """
    table = None if data is None else open_table(data, data_delimiter)
    if table is not None and not any(file.stem in table.columns for file in files):
        raise DataError(
            f"{table.name}: no column is called as one of the files; the header reads "
            f"{quote_some(table.columns)}{guess_delimiter(table)}."
        )
    found: list[tuple[Path, Defect]] = []
    for file in files:
        defects = check_one(file, table, delimiter)
        found += [(file, defect) for defect in defects]
    return found


def check_one(file: Path, table: Table | None, delimiter: str) -> list[Defect]:
    """Find the defects of one file; a file that cannot be read is one defect."""
    try:
        defects = check_file(file, delimiter=delimiter)
        usable = all(defect.severity != "error" for defect in defects)
        if table is not None and usable and file.stem in table.columns:
            values = column_values(table, file.stem)
            defects += check_values(load_hierarchy(file, delimiter=delimiter), values)
    except HierarchyError as error:
        return [Defect("error", file.stem, None, None, str(error).removeprefix(f"{file}: "))]
    return defects


def column_values(table: Table, column: str) -> list[str]:
    """List the distinct values of a column; a missing cell is an empty text."""
    values: dict[str, None] = {}
    for (cells,) in table.batches([column]):
        values.update(dict.fromkeys(text_of(value) for value in cells.distinct))
        if (cells.indices < 0).any():
            values[""] = None
    return list(values)


def suggest_for(path: Path, columns: Sequence[str], delimiter: str) -> dict[str, str]:
    """Propose a spec for each of the columns, or for all."""
    import pandas as pd

    table = open_table(path, delimiter)
    if absent := [column for column in columns if column not in table.columns]:
        raise DataError(
            f"{table.name}: no column {quote_some(absent)}; the header reads "
            f"{quote_some(table.columns)}."
        )
    specs = {}
    for column in columns or table.columns:
        values = [value or None for value in column_values(table, column)]
        specs[column] = suggest(pd.Series(values, name=column, dtype=object))
    return specs


def write_suggestions(specs: dict[str, str], folder: Path) -> list[Path]:
    """Write specs into a folder, all or none; a file that is there already is an error."""
    paths = [folder / f"{name.replace('/', '_')}.toml" for name in specs]
    if existing := [path for path in paths if path.exists()]:
        raise DataError(
            f"{quote_some(existing)} is there already; remove it or choose another folder."
        )
    with Staging(folder) as staging:
        for path, spec in zip(paths, specs.values(), strict=True):
            staging.path(path.name).write_text(spec, encoding="utf-8")
    return paths
