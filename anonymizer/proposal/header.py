"""Is the first row of a file a header, or somebody's cells?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from anonymizer.data.column import Column
from anonymizer.data.table import Table
from anonymizer.data.text import hidden_delimiter
from anonymizer.errors import DataError
from anonymizer.proposal.content import IDENTIFIERS

MANY = 1 / 3
"""The share of names that look like cells from which the header is a row."""


def check_header(table: Table, columns: Mapping[str, Column]) -> None:
    """Raise a DataError if a file's header was not split, or looks like a person's cells.

    Names of columns are shown and written, so that a file without a header would give its first
    person away. A dataframe has names of its own.
    """
    if not Path(table.name).is_file():
        return
    if len(columns) == 1 and (hidden := hidden_delimiter(*columns)):
        raise DataError(
            f"{table.name}: the header is one name with {hidden!r} in it; if that separates columns, "
            f"write --delimiter {hidden!r}."
        )
    if looks_like_cells(columns):
        raise DataError(
            f"{table.name}: the first row looks like a person's cells, not like names of columns; "
            "add a row with their names."
        )


def looks_like_cells(columns: Mapping[str, Column]) -> bool:
    """Whether names are values of their own columns, or direct identifiers."""
    if any(form.fullmatch(name) for name in columns for form in IDENTIFIERS.values()):
        return True
    alike = sum(name in column.texts for name, column in columns.items() if name)
    return alike > MANY * len(columns)
