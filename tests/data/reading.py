"""Writing small files, and reading tables back row by row."""

from __future__ import annotations

from pathlib import Path

import pytest

from anonymizer.data.table import Table
from anonymizer.errors import DataError

SECRET = "Eve Adams"


def write(folder: Path, content: str | bytes, name: str = "people.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def rows_in(opened: Table, *columns: str) -> list[tuple[object, ...]]:
    """Read the rows as a whole, missing cells as None."""
    rows: list[tuple[object, ...]] = []
    for batch in opened.batches(columns):
        read = [[None if i < 0 else c.distinct[i] for i in c.indices.tolist()] for c in batch]
        rows += zip(*read, strict=True)
    return rows


def message_of(opened: Table, *columns: str) -> str:
    """Return the error that reading gives, which is one line about the file."""
    with pytest.raises(DataError) as caught:
        opened.columns, rows_in(opened, *columns)  # either may be the first to see it
    message = str(caught.value)
    assert message.startswith(f"{opened.name}: ")
    assert "\n" not in message
    assert message.endswith((".", "?"))
    assert SECRET not in message
    return message.removeprefix(f"{opened.name}: ")
