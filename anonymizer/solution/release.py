"""Release: a scheme applied to a table, and the table that comes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from anonymizer.data.cells import text_of
from anonymizer.data.staging import write_csv, write_parquet
from anonymizer.data.table import CsvTable, FrameTable, ParquetTable, Table
from anonymizer.engine.microdata import Microdata
from anonymizer.errors import ReleaseError
from anonymizer.hierarchy import MISSING
from anonymizer.policy import Policy, Role

if TYPE_CHECKING:
    import pandas as pd

REDACTED = "*"
"""What every quasi-identifier of a suppressed record becomes where such records are kept."""


@dataclass(frozen=True, slots=True, eq=False)
class Release:
    """A table generalized by a scheme, without the suppressed records; made when asked for.

    Identifying columns are gone, sensitive and insensitive ones stay as they are. Rows are shuffled
    unless the policy says otherwise: their order in the original is a key.
    """

    table: Table
    policy: Policy
    microdata: Microdata
    scheme: dict[str, int]
    suppressed: NDArray[np.bool_]
    """Which distinct tuples are suppressed."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the release, in the order of the original."""
        identifying = self.policy.with_role(Role.IDENTIFYING)
        return tuple(column for column in self.table.columns if column not in identifying)

    @property
    def redacts(self) -> bool:
        """Whether suppressed records stay in the table."""
        return self.policy.release.suppressed == "redact"

    def rows(self, random: np.random.Generator) -> NDArray[np.int64]:
        """Return the original row of each released row."""
        rows = np.arange(self.microdata.records)
        if not self.redacts:
            rows = rows[~self.suppressed[self.microdata.tuple_of_row]]
        if self.policy.release.shuffle:
            random.shuffle(rows)
        return rows

    def values(self, attribute: str) -> tuple[NDArray[np.int64], list[str | None]]:
        """Return the released value of each tuple: numbers, and the values they number."""
        at, level = self.microdata.attributes.index(attribute), self.scheme[attribute]
        column = self.microdata.columns[at]
        numbers = column.groups[level][self.microdata.codes[at]]
        values = [None if label == MISSING else label for label in column.labels(level)]
        if self.redacts:
            numbers = np.where(self.suppressed, len(values), numbers)
            values.append(REDACTED)
        return numbers, values

    def keeps(self, attribute: str, kind: pa.DataType | None) -> bool:
        """Whether a column is released cell for cell, so that it can keep its type too.

        A quasi-identifier can where it is not generalized and cells that count as one value cannot be
        told apart by their type: an empty text and a missing one, NaN and null, 1 and "1" could be.
        """
        if attribute not in self.scheme:
            return True
        at = self.microdata.attributes.index(attribute)
        missing = MISSING in self.microdata.columns[at].labels(0)
        redacted = self.redacts and bool(self.suppressed.any())
        exact = kind is not None and (
            pa.types.is_integer(kind)
            or pa.types.is_boolean(kind)
            or pa.types.is_date(kind)
            or (pa.types.is_floating(kind) and not missing)
            or (pa.types.is_timestamp(kind) and kind.tz is None)
        )
        return exact and self.scheme[attribute] == 0 and not redacted

    def to_frame(self, random: np.random.Generator) -> pd.DataFrame:
        """Make the released dataframe."""
        import pandas as pd

        if not isinstance(self.table, FrameTable):
            return pd.DataFrame(self.to_arrow(random).to_pandas())
        rows = self.rows(random)
        released = {}
        for column in self.columns:
            original = self.table.frame.iloc[:, self.table.columns.index(column)]
            if self.keeps(column, arrow_type(original)):
                kept = original.iloc[rows].reset_index(drop=True)
                if isinstance(kept.dtype, pd.CategoricalDtype):
                    kept = kept.cat.remove_unused_categories()  # suppressed records had them
                released[column] = kept
            else:
                numbers, values = self.values(column)
                texts = np.array(values, dtype=object)[numbers[self.microdata.tuple_of_row[rows]]]
                released[column] = pd.Series(texts, dtype="str")
        return pd.DataFrame(released, columns=list(self.columns))

    def to_arrow(self, random: np.random.Generator) -> pa.Table:
        """Make the released table of a file: the other columns are read again, row for row."""
        assert isinstance(self.table, CsvTable | ParquetTable)
        rows = self.rows(random)
        # a CSV file has no types to keep, so its quasi-identifiers need not be read again
        types = self.table.types() if isinstance(self.table, ParquetTable) else {}
        reread = [column for column in self.columns if self.keeps(column, types.get(column))]
        others = self.table.read(reread) if reread else None
        if others is not None and others.num_rows != self.microdata.records:
            raise ReleaseError(
                f"{self.table.name} changed while it was anonymized: it had "
                f"{self.microdata.records} rows and now has {others.num_rows}. Run again."
            )
        take = pa.array(rows)
        return pa.table(
            {
                column: others.column(column).take(take)
                if others is not None and column in reread
                else self.arrow_values(column, rows)
                for column in self.columns
            }
        )

    def arrow_values(self, attribute: str, rows: NDArray[np.int64]) -> pa.DictionaryArray:
        """Return a generalized column, each value stored once."""
        numbers, values = self.values(attribute)
        of_row = numbers.astype(np.int32)[self.microdata.tuple_of_row[rows]]
        missing = np.array([value is None for value in values])[of_row]
        return pa.DictionaryArray.from_arrays(
            pa.array(of_row, mask=missing), pa.array(["" if v is None else v for v in values])
        )

    def write(self, path: Path, random: np.random.Generator) -> None:
        """Write the release as a file of the same kind as the original; dataframes become CSV."""
        if isinstance(self.table, ParquetTable):
            write_parquet(self.to_arrow(random), path)
        elif isinstance(self.table, FrameTable):
            texts = texts_of(FrameTable(self.to_frame(random)))
            write_csv(texts, path, self.policy.data.delimiter)
        else:
            write_csv(self.to_arrow(random), path, self.policy.data.delimiter)

    @property
    def file_name(self) -> str:
        """What the released file is called."""
        return file_name(getattr(self.table, "path", None))


def file_name(original: Path | None) -> str:
    """Name the release of a file, which is of the same kind; dataframes become CSV."""
    parquet = original is not None and original.suffix.lower() == ".parquet"
    return "release.parquet" if parquet else "release.csv"


def arrow_type(column: pd.Series[Any]) -> pa.DataType | None:
    """Return the type Arrow has for a pandas column; None for objects and categories."""
    from pandas import CategoricalDtype

    if column.dtype == object or isinstance(column.dtype, CategoricalDtype):
        return None
    try:
        return pa.array(column.iloc[:0]).type
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        return None


def texts_of(table: FrameTable) -> pa.Table:
    """Write every cell of a dataframe as text, each value stored once."""
    (columns,) = table.batches(table.columns)
    arrays = [
        pa.DictionaryArray.from_arrays(
            pa.array(cells.indices, mask=cells.indices < 0),
            pa.array([text_of(value) for value in cells.distinct], pa.string()),
        )
        for cells in columns
    ]
    return pa.table(arrays, names=list(table.columns))


def mapping_rows(policy: Policy, scheme: dict[str, int]) -> Sequence[tuple[str, str, str]]:
    """List attribute, value and released value for every leaf of every hierarchy.

    All leaves are listed, whether or not they occur: the mapping says nothing about the data.
    """
    return [
        (hierarchy.name, row[0], row[scheme[hierarchy.name]])
        for hierarchy in policy.load_hierarchies()
        for row in hierarchy.rows()
    ]


def write_mapping(policy: Policy, scheme: dict[str, int], path: Path) -> None:
    """Write the applied mapping as a CSV file: attribute, value, released."""
    rows = [("attribute", "value", "released"), *mapping_rows(policy, scheme)]
    columns = [list(column) for column in zip(*rows[1:], strict=True)]
    table = pa.table(dict(zip(rows[0], columns, strict=True)))
    write_csv(table, path, policy.data.delimiter)
