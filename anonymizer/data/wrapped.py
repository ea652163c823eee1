"""A table that is read from another one: some of its rows, or columns of it that are kept in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from anonymizer.data.batched import BatchedTable
from anonymizer.data.contract import Table
from anonymizer.data.plan import ReleasePlan


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
