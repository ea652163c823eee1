"""Parquet files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from anonymizer.data import arrays
from anonymizer.data.arrays import cells_of_arrow, is_nested
from anonymizer.data.column import Cells
from anonymizer.data.release import to_pandas, write_parquet
from anonymizer.data.table import FileTable, ReleasePlan
from anonymizer.errors import DataError

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class ParquetTable(FileTable):
    """A Parquet file."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names in the file's schema."""
        return tuple(self.metadata[0].names)

    @property
    def types(self) -> Mapping[str, pa.DataType]:
        """The types in the file's schema."""
        return dict(zip(self.metadata[0].names, self.metadata[0].types, strict=True))

    @property
    def rows(self) -> int | None:
        """The number of rows."""
        return self.metadata[1]

    @property
    def kind(self) -> str:
        """A Parquet file too."""
        return "parquet"

    @cached_property
    def metadata(self) -> tuple[pa.Schema, int]:
        """The schema and the number of rows."""
        file = self.file()
        return file.schema_arrow, file.metadata.num_rows

    def file(self, dictionaries: Sequence[str] = ()) -> Any:
        """Open the file."""
        from pyarrow import parquet

        try:
            self.first_read.check_stamp()
            return parquet.ParquetFile(self.path, read_dictionary=list(dictionaries))
        except (pa.ArrowException, OSError, UnicodeError):
            raise DataError(f"{self.path}: this is not a Parquet file.") from None

    def batches(self, columns: Sequence[str]) -> Iterator[list[Cells]]:
        """Yield the rows as distinct values."""
        flat = not any(
            map(is_nested, self.types.values())
        )  # else Arrow counts its columns otherwise
        file = self.file(dictionaries=columns if flat else ())
        with self.reading():
            for batch in file.iter_batches(batch_size=arrays.BATCH_ROWS, columns=list(columns)):
                batch.validate(full=True)
                yield [cells_of_arrow(batch.column(column)) for column in columns]

    def read(self, columns: Sequence[str]) -> pa.Table:
        """Read whole columns with their types."""
        file = self.file()
        with self.reading():
            table = file.read(columns=list(columns))
            table.validate(full=True)
            return table

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Say in one sentence that a page cannot be read."""
        try:
            yield
        except MemoryError:
            raise
        except (pa.ArrowException, OSError, OverflowError):  # a date beyond the year 9999
            raise DataError(
                f"{self.path}: the file is damaged, and a part of it cannot be read; export it again."
            ) from None

    def to_native(self, plan: ReleasePlan) -> pd.DataFrame:
        """Make a release as a pandas dataframe."""
        return to_pandas(self.assemble(plan))

    def write(self, plan: ReleasePlan, path: Path, delimiter: str | None) -> None:  # noqa: ARG002
        """Write a release to a Parquet file."""
        write_parquet(self.assemble(plan, stored_once=True), path)

    def digest(self) -> str:
        """Return the digest of the file's bytes, as it was when it was first read."""
        self.first_read.check_stamp()
        return super().digest()
