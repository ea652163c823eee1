"""Columns of dates as days: read, the first of each person, and the days between them."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.column import MISSING, Column
from anonymizer.data.table import Table, read_columns
from anonymizer.errors import AnonymizerWarning, DataError, list_cells
from anonymizer.hierarchy.values import AsDate

Days = NDArray[np.datetime64]
"""The day of each cell; NaT where there is none."""
PARTIAL = re.compile(r"\d{4}(-(0[1-9]|1[0-2]))?")
"""A date of which only the year or the month is known."""


def read_days(table: Table, name: str, formats: Sequence[str] = ()) -> Days:
    """Read a column of dates as days; what is no date is an error, what is half a date is missing."""
    column = read_columns(table, [name])[name]
    reading = AsDate(tuple(formats))
    read = [reading.read(text) for text in column.texts]
    partial = np.array([bool(PARTIAL.fullmatch(text.strip())) for text in column.texts], np.bool_)
    pairs = zip(column.texts, read, partial.tolist(), strict=True)
    if strange := [text for text, day, half in pairs if day is None and not half]:
        row = column.first_row(strange) + 1
        raise DataError(
            f"{table.name}: row {row} has no date in column '{name}'{list_cells(strange)}; correct it, "
            'or state how dates are written with `format`, such as "%d.%m.%Y".'
        )
    if many := int(partial[column.codes].sum()):
        warnings.warn(
            f"{table.name}: column '{name}' has dates of which only the year or the month is known "
            f"({many:,}); no days can be counted from them, so they count as missing.",
            AnonymizerWarning,
            stacklevel=2,
        )
    texts = [day if day else "NaT" for day in read]
    days: Days = np.array(texts, "datetime64[D]")[column.codes]
    return days


def first_days(people: int, dates: Sequence[tuple[NDArray[np.integer], Days]]) -> Days:
    """Return the first day of each person; `dates` say whose each row is (-1: nobody's) and when."""
    latest = np.iinfo(np.int64).max
    first = np.full(people, latest)
    for person, days in dates:
        there = ~np.isnat(days) & (person >= 0)
        np.minimum.at(first, person[there], days[there].astype(np.int64))
    found: Days = np.where(first == latest, np.iinfo(np.int64).min, first).astype("datetime64[D]")
    return found


def days_since(days: Days, index: Days) -> Column:
    """Write the days from one date to another; missing where one of them is."""
    values, codes = np.unique((days - index).astype(np.int64), return_inverse=True)
    missing = int(np.iinfo(np.int64).min)
    texts = tuple(MISSING if value == missing else str(value) for value in values.tolist())
    return Column(codes.astype(np.int32).reshape(-1), texts)
