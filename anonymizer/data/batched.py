"""What a kind of table need not do by itself: everything but the reading, in terms of its batches."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from anonymizer.data.assemble import assemble, texts_of
from anonymizer.data.cells import Cells, batches_of_arrow, same_text
from anonymizer.data.columns import code_columns
from anonymizer.data.contract import Table, Tuples
from anonymizer.data.csv import RELEASE_NAME, write_csv
from anonymizer.data.plan import ReleasePlan


class BatchedTable(ABC):
    """A table of which only the name, the columns and the batches must be given."""

    @property
    @abstractmethod
    def name(self) -> str:
        """How messages call the table."""

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in order."""

    @property
    def types(self) -> Mapping[str, pa.DataType]:
        """Text, for every column."""
        return dict.fromkeys(self.columns, pa.string())

    @property
    def rows(self) -> int | None:
        """Not known before the rows are read."""
        return None

    @property
    def file_name(self) -> str:
        """A CSV file."""
        return RELEASE_NAME

    @abstractmethod
    def batches(self, columns: Sequence[str]) -> Iterator[list[Cells]]:
        """Yield the rows, batch by batch, as the distinct values of each of the columns."""

    def read(self, columns: Sequence[str]) -> pa.Table:
        """Read whole columns as text."""
        return texts_of(columns, self.batches(columns))

    def aggregate(self, columns: Sequence[str], known: Sequence[Sequence[str]] = ()) -> Tuples:
        """Count the distinct tuples of some columns in one pass over the batches."""
        from anonymizer.data.aggregate import (
            aggregate,  # compiled, and not needed to look at a table
        )

        return aggregate(self, columns, known)

    def digest(self) -> str:
        """Return a digest of the names and the values, row by row.

        A dataframe that is saved and read again may have other types, but the same digest.
        """
        from pandas.util import hash_array

        digest = hashlib.sha256("\0".join(self.columns).encode())
        for column in code_columns(self.columns, self.batches(self.columns)).values():
            texts = np.array([same_text(text) for text in column.texts], object)
            hashes = hash_array(texts, categorize=False)
            digest.update(hashes[column.codes].tobytes())
        return digest.hexdigest()

    def release(self, plan: ReleasePlan) -> Any:
        """Make a release in Arrow's memory."""
        return assemble(self, plan)

    def write(self, plan: ReleasePlan, path: Path, delimiter: str | None) -> None:
        """Write a release to a CSV file, every cell as its text."""
        write_texts(self, plan, path, delimiter)


def write_texts(table: Table, plan: ReleasePlan, path: Path, delimiter: str | None) -> None:
    """Write a release of any table to a CSV file, every cell as its text."""
    released = assemble(table, plan)
    write_csv(texts_of(plan.columns, batches_of_arrow(released)), path, delimiter)


@dataclass(frozen=True, eq=False)
class WrappedTable(BatchedTable):
    """A table that is called as another one, has its columns, and leaves a release to it."""

    origin: Table

    @property
    def name(self) -> str:
        """How messages call the other table."""
        return self.origin.name

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all its columns."""
        return self.origin.columns

    @property
    def types(self) -> Mapping[str, pa.DataType]:
        """The types of its columns."""
        return self.origin.types

    @property
    def file_name(self) -> str:
        """What it calls the file of a release."""
        return self.origin.file_name

    def read(self, columns: Sequence[str]) -> pa.Table:
        """Read whole columns of it, with their types."""
        return self.origin.read(columns)

    def release(self, plan: ReleasePlan) -> Any:
        """Make a release of its kind."""
        return self.origin.release(plan)

    def write(self, plan: ReleasePlan, path: Path, delimiter: str | None) -> None:
        """Write a release as it does."""
        self.origin.write(plan, path, delimiter)

    def digest(self) -> str:
        """Return its digest."""
        return self.origin.digest()
