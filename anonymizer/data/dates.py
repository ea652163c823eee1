"""Columns of dates: counted from a day, or moved by whole days with the time and the form they have."""

from __future__ import annotations

import hashlib
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.column import MISSING, Column, same_text
from anonymizer.data.table import Recoding, Table, read_columns
from anonymizer.errors import AnonymizerWarning, DataError, list_cells

ISO = re.compile(r"(\d{4}-\d{2}-\d{2})((?:[T ].*)?)")
PARTIAL = re.compile(r"\d{4}(-(0[1-9]|1[0-2]))?")
"""A date of which only the year or the month is known."""
Days = NDArray[np.int64]
"""A number for each row: of a day, or of a person."""
NO_DAY = np.iinfo(np.int64).min
LAST_DAY = date.max.toordinal()


@dataclass(frozen=True, slots=True)
class Moment:
    """What one text says: the number of its day, and what follows the day."""

    day: int
    rest: str
    """The time of day and the zone, as they are written."""
    form: str | None = None
    """The format that it is written in; None is ISO's."""

    def on(self, day: int, text: str) -> str:
        """Write the text of this moment on another day."""
        moved = date.fromordinal(day)
        if self.form is None:
            return f"{moved.isoformat()}{self.rest}"
        plain = datetime.strptime(text.strip(), self.form)
        return datetime.combine(moved, plain.timetz()).strftime(self.form)

    def since(self, first: int) -> str:
        """Write the days since another, with the time of day where there is one."""
        rest = same_text(f"2000-01-01{self.rest}")[10:]
        return f"{self.day - first}{'' if rest == 'T00:00:00' else rest}"


def read_moment(text: str, formats: Sequence[str] = ()) -> Moment | None:
    """Read a date by ISO or by one of the formats; None where there is none.

    >>> read_moment("2014-01-03T10:30"), read_moment("03.01.2014", ["%d.%m.%Y"]).day
    (Moment(day=735236, rest='T10:30', form=None), 735236)
    """
    plain = text.strip()
    if found := ISO.fullmatch(plain):
        try:
            return Moment(date.fromisoformat(found[1]).toordinal(), found[2])
        except ValueError:
            return None
    for form in formats:
        try:
            moment = datetime.strptime(plain, form)
        except ValueError:
            continue
        return Moment(moment.toordinal(), f"T{moment.time().isoformat()}", form)
    return None


@dataclass(frozen=True, eq=False)
class DatedColumn:
    """A column of dates, read once."""

    column: Column
    moments: tuple[Moment | None, ...]
    """What each text says; None for a missing cell, and where the day is not known."""
    where: str

    @property
    def days(self) -> Days:
        """The day of each row; `NO_DAY` where there is none."""
        days = [NO_DAY if each is None else each.day for each in self.moments]
        of_row: Days = np.array(days, np.int64)[self.column.codes]
        return of_row

    def moved(self, shifts: Days) -> Recoding:
        """Return what the column becomes, row by row, where each row's date moves by so many days."""
        texts, codes = self._each(shifts, self._move)
        found = Column(codes, tuple(texts)).rename(texts)
        order = sorted(range(len(found.texts)), key=found.texts.__getitem__)
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        values = tuple(found.texts[number] for number in order)
        return Recoding(values, place[found.codes], original=True)

    def since(self, first: Days) -> Column:
        """Return the days from a day of each row, with the time of day."""
        texts, codes = self._each(first, self._since)
        return Column(codes, tuple(texts)).rename(texts)

    def _each(self, numbers: Days, write: Callable[[int, int], str]) -> tuple[list[str], Days]:
        """Write each pair of a text and a number of its row once."""
        values, places = np.unique(numbers, return_inverse=True)
        pairs = self.column.codes.astype(np.int64) * values.size + places.reshape(-1)
        found, codes = np.unique(pairs, return_inverse=True)
        texts, at = np.divmod(found, values.size)
        named = zip(texts.tolist(), values[at].tolist(), strict=True)
        return [write(text, number) for text, number in named], codes.reshape(-1)

    def _move(self, text: int, by: int) -> str:
        moment = self.moments[text]
        if moment is None:
            return MISSING
        day = moment.day + by
        if not 1 <= day <= LAST_DAY:
            raise DataError(
                f"{self.where} has a date at the end of the calendar, which cannot be moved; leave the "
                "cell empty where it stands for no date."
            )
        return moment.on(day, self.column.texts[text])

    def _since(self, text: int, first: int) -> str:
        moment = self.moments[text]
        return MISSING if moment is None or first == NO_DAY else moment.since(first)


def read_dates(table: Table, name: str, formats: Sequence[str] = ()) -> DatedColumn:
    """Read a column of dates; what is no date is an error, what is half a date is missing."""
    column, where = read_columns(table, [name])[name], f"{table.name}: column '{name}'"
    moments = tuple(read_moment(text, formats) for text in column.texts)
    unread = [text for text, m in zip(column.texts, moments, strict=True) if m is None and text]
    partial = [text for text in unread if PARTIAL.fullmatch(text.strip())]
    if strange := [text for text in unread if text not in partial and text.strip()]:
        row = column.first_row(strange) + 1
        raise DataError(
            f"{table.name}: row {row} has no date in column '{name}'{list_cells(strange)}; correct it, "
            'or state how dates are written with `format`, such as "%d.%m.%Y".'
        )
    if partial:
        many = int(sum(np.count_nonzero(column.where(text)) for text in partial))
        warnings.warn(
            f"{where} has dates of which only the year or the month is known ({many:,}); no days can be "
            "counted from them, so they count as missing.",
            AnonymizerWarning,
            stacklevel=2,
        )
    return DatedColumn(column, moments, where)


def first_days(people: int, dates: Sequence[tuple[Days, Days]]) -> Days:
    """Return the first day of each person; `dates` say whose each row is (-1: nobody's) and when."""
    latest = np.iinfo(np.int64).max
    first = np.full(people, latest)
    for person, days in dates:
        there = (days != NO_DAY) & (person >= 0)
        np.minimum.at(first, person[there], days[there])
    return np.where(first == latest, NO_DAY, first)


def days_since(days: Days, index: Days) -> Column:
    """Write the days from one date to another; missing where one of them is."""
    there = (days != NO_DAY) & (index != NO_DAY)
    values, codes = np.unique(np.where(there, days - index, NO_DAY), return_inverse=True)
    texts = tuple(MISSING if value == NO_DAY else str(value) for value in values.tolist())
    return Column(codes.astype(np.int32).reshape(-1), texts)


def draw_shifts(secret: bytes, people: int, most: int) -> Days:
    """Draw a number of days for each person, from -most to most, each equally likely.

    Whoever does not know the secret learns from one person's number nothing about another's.

    >>> set(draw_shifts(b"secret", 1000, 1).tolist())
    {0, 1, -1}
    """
    stream = hashlib.shake_256(b"date shift\0" + secret).digest(8 * people)
    drawn = np.frombuffer(stream, np.dtype("<u8")) % (2 * most + 1)
    return drawn.astype(np.int64) - most
