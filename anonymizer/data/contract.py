"""The contract of a table: all that is asked of a kind of table, of a file format or of an engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from anonymizer.data.cells import Cells
from anonymizer.data.plan import ReleasePlan

if TYPE_CHECKING:
    import pandas as pd

    from anonymizer.data.engines.addresses import Address


class ArrowStream(Protocol):
    """An object that hands out its rows as an Arrow C stream."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the capsule of the stream."""


class Query(Protocol):
    """A dataframe that is yet to be collected."""

    def collect(self) -> Any:
        """Return the rows."""


class Table(Protocol):
    """A table of people, a row for each.

    `data/batched.py` does all but the reading in terms of `batches`; a kind of table that can group, join
    or write by itself does so in `aggregate`, `release` and `write`.
    """

    @property
    def name(self) -> str:
        """How messages call the table: a file's path."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in order."""

    @property
    def types(self) -> Mapping[str, pa.DataType]:
        """The type of each column; text where it has none of its own."""

    @property
    def rows(self) -> int | None:
        """The number of rows; None where that is not known before they are read."""

    @property
    def file_name(self) -> str:
        """What the file of a release is called."""

    def batches(self, columns: Sequence[str]) -> Iterator[list[Cells]]:
        """Yield the rows, batch by batch, as the distinct values of each of the columns."""

    def read(self, columns: Sequence[str]) -> pa.Table:
        """Read whole columns, with their types."""

    def aggregate(self, columns: Sequence[str], known: Sequence[Sequence[str]] = ()) -> Tuples:
        """Count the distinct tuples of some columns; texts that are `known` come first, in order."""

    def release(self, plan: ReleasePlan) -> Any:
        """Make a release: a dataframe of the same kind, or of pandas where the table is a file."""

    def write(self, plan: ReleasePlan, path: Path, delimiter: str | None) -> None:
        """Write a release to a file.

        The delimiter is for files that have one: None is that of the table, or else a comma.
        """

    def digest(self) -> str:
        """Return a SHA-256 digest of the content."""


TableLike: TypeAlias = (
    "str | Path | pd.DataFrame | ArrowStream | Query | Sequence[Mapping[str, Any]] "
    "| Mapping[str, Sequence[Any]] | Address | Table"
)
"""A path, a dataframe of any library, an Arrow table or stream, a list of dicts, a dict of lists, or the
address of a database."""


@dataclass(frozen=True, slots=True, eq=False)
class Tuples:
    """The distinct tuples of some columns in the order of their codes, and how often each occurs."""

    texts: tuple[tuple[str, ...], ...]
    """The texts of each column, by number; the empty one is a missing cell, and some may not occur."""
    codes: tuple[NDArray[np.integer], ...]
    """The number of each tuple's text, for each column."""
    counts: NDArray[np.int32]
    tuple_of_row: NDArray[np.int32]
    grouped: bool = False
    """Whether an engine counted the rows: `tuple_of_row` is then of each tuple that came from there."""

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.counts.sum(dtype=np.int64))
