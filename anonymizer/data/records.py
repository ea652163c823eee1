"""Rows or columns in Python's own lists and dicts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass
from typing import Any

import pandas as pd

from anonymizer.data.frame import FrameTable
from anonymizer.data.plan import ReleasePlan
from anonymizer.errors import DataError


@dataclass(frozen=True, eq=False)
class RecordsTable(FrameTable):
    """A list with a dict for each row; a key that a row does not have is a missing cell."""

    @staticmethod
    def of(records: Sequence[Mapping[Any, Any]]) -> RecordsTable:
        """Put the values of each key together."""
        if not all(isinstance(record, Mapping) for record in records):
            raise DataError(
                "the data is a list: give a dict for each row, the path of a file or a dataframe."
            )
        if not records:
            raise DataError("the list is empty, so it has no columns; give a dict for each row.")
        names = dict.fromkeys(name for record in records for name in record)
        return RecordsTable(
            frame_of({name: [record.get(name) for record in records] for name in names})
        )

    @property
    def name(self) -> str:
        """How messages call it."""
        return "the list of rows"

    def release(self, plan: ReleasePlan) -> list[dict[str, Any]]:
        """Make a release as a list of dicts."""
        columns = lists_of(self.to_frame(plan))
        rows = zip(*columns.values(), strict=True)
        return [dict(zip(columns, row, strict=True)) for row in rows]


@dataclass(frozen=True, eq=False)
class ColumnsTable(FrameTable):
    """A dict with a list for each column."""

    @staticmethod
    def of(columns: Mapping[Any, Sequence[Any]]) -> ColumnsTable:
        """Take lists of one length."""
        strange = [name for name, values in columns.items() if not is_column(values)]
        if strange or not columns:
            raise DataError(
                "the data is a dict: give a list of values for each column, all equally long."
            )
        if len({len(values) for values in columns.values()}) > 1:
            raise DataError("the columns of the dict are not equally long; give each row a value.")
        return ColumnsTable(frame_of(columns))

    @property
    def name(self) -> str:
        """How messages call it."""
        return "the dict of columns"

    def release(self, plan: ReleasePlan) -> dict[str, list[Any]]:
        """Make a release as a dict of lists."""
        return lists_of(self.to_frame(plan))


def is_column(values: object) -> bool:
    """Whether something has a value for each row."""
    listed = isinstance(values, Sized) and isinstance(values, Iterable)
    return listed and not isinstance(values, str | bytes | Mapping)


def frame_of(columns: Mapping[Any, Sequence[Any]]) -> pd.DataFrame:
    """Make a dataframe whose cells are the objects themselves."""
    made = {str(name): pd.Series(list(values), dtype=object) for name, values in columns.items()}
    if len(made) < len(columns):
        raise DataError("two columns have the same name as text; rename one.")
    return pd.DataFrame(made)


def lists_of(frame: pd.DataFrame) -> dict[str, list[Any]]:
    """Return the cells of each column; a missing one that was written anew is None."""
    return {
        str(name): column.tolist()
        if column.dtype == object
        else column.astype(object).where(column.notna(), None).tolist()
        for name, column in frame.items()
    }
