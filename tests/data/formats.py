"""One table as every kind that can be given: what a user would pass for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from anonymizer.data.column import Cells, code_columns, same_text, text_of
from anonymizer.data.opening import open_table
from anonymizer.data.table import Table


class OwnTable(Table):
    """A kind of table of one's own: a list of dictionaries, read a few at a time."""

    name = "the records"

    def __init__(self, records: Sequence[dict[str, Any]]) -> None:
        self.records = list(records)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.records[0])

    def batches(self, columns: Sequence[str]) -> Iterator[list[Cells]]:
        for start in range(0, len(self.records), 7):
            part = self.records[start : start + 7]
            indices = np.arange(len(part))
            yield [Cells(indices, [record[column] for record in part]) for column in columns]


class Stream:
    """An object of a library that nobody knows, which hands out an Arrow stream."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame = frame

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return arrow_of(self.frame).__arrow_c_stream__(requested_schema)


def arrow_of(frame: pd.DataFrame) -> pa.Table:
    return pa.Table.from_pandas(frame, preserve_index=False)


def records_of(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return arrow_of(frame).to_pylist()


FRAMES: dict[str, Callable[[pd.DataFrame], Any]] = {
    "frame": lambda frame: frame,
    "arrow": arrow_of,
    "stream": Stream,
    "polars": lambda frame: pl.from_arrow(arrow_of(frame)),
    "lazy": lambda frame: pl.from_arrow(arrow_of(frame)).lazy(),  # type: ignore[union-attr]
    "records": records_of,
    "columns": lambda frame: arrow_of(frame).to_pydict(),
    "own": lambda frame: OwnTable(records_of(frame)),
}
"""How a dataframe of pandas becomes each kind in memory."""


def write_sav(frame: pd.DataFrame, path: Path) -> None:
    import pyreadstat

    pyreadstat.write_sav(frame, str(path))


def write_xpt(frame: pd.DataFrame, path: Path) -> None:
    import pyreadstat

    pyreadstat.write_xport(frame, str(path), file_format_version=8)


WRITERS: dict[str, Callable[[pd.DataFrame, Path], object]] = {
    ".csv": lambda frame, path: frame.to_csv(path, sep=";", index=False),
    ".csv.gz": lambda frame, path: frame.to_csv(path, sep="\t", index=False),
    ".csv.zst": lambda frame, path: write_zst(frame, path),
    ".txt": lambda frame, path: frame.to_csv(path, sep="|", index=False, encoding="utf-16"),
    ".parquet": lambda frame, path: frame.to_parquet(path, index=False),
    ".feather": lambda frame, path: frame.to_feather(path),
    ".xlsx": lambda frame, path: frame.to_excel(path, index=False, engine="openpyxl"),
    ".dta": lambda frame, path: frame.to_stata(path, write_index=False, version=118),
    ".sav": write_sav,
    ".xpt": write_xpt,
}
"""How a dataframe of pandas is written as each kind of file."""
PLAIN_NAMES = (".dta", ".sav", ".xpt")
"""Kinds that allow letters, digits and underscores in names only, and no values of several types."""

KINDS = [*FRAMES, *WRITERS]


def write_zst(frame: pd.DataFrame, path: Path) -> None:
    with pa.CompressedOutputStream(str(path), "zstd") as file:
        file.write(frame.to_csv(index=False).encode())


def make(kind: str, folder: Path, frame: pd.DataFrame) -> Any:
    """Return what a user would give for a table of each kind."""
    if kind in FRAMES:
        return FRAMES[kind](frame)
    path = folder / f"made{kind}"
    WRITERS[kind](frame, path)
    return path


RELEASED: dict[str, tuple[type, str]] = {
    **dict.fromkeys(FRAMES, (pa.Table, "release.csv")),
    "frame": (pd.DataFrame, "release.csv"),
    "polars": (pl.DataFrame, "release.csv"),
    "lazy": (pl.LazyFrame, "release.csv"),
    "records": (list, "release.csv"),
    "columns": (dict, "release.csv"),
    **dict.fromkeys(WRITERS, (pd.DataFrame, "release.csv")),
    **{
        kind: (pd.DataFrame, f"release{kind}")
        for kind in WRITERS
        if kind not in (".txt", *PLAIN_NAMES)
    },
}
"""What comes out for each kind: the dataframe, and the file."""


def texts_in(data: Any) -> dict[str, list[str]]:
    """Return the cells of each column of anything that is a table, numbers in one spelling."""
    table = open_table(data)
    coded = code_columns(table.columns, table.batches(table.columns))
    return {
        name: [same_text(text_of(column.texts[code])) for code in column.codes.tolist()]
        for name, column in coded.items()
    }


def rows_in(data: Any) -> list[tuple[str, ...]]:
    """Return the rows of anything that is a table, sorted: what it holds, whatever the order."""
    return sorted(zip(*texts_in(data).values(), strict=True))
