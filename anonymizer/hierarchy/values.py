"""Values: how the cells of an attribute are read, so that one value has one text everywhere.

An attribute is a text, a number or a date. A reading turns the text of a cell into the text that stands
for its value: as a number, `18`, `18.0` and ` 18 ` are one; as a date, what the format says.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import ClassVar, Literal

from anonymizer.hierarchy.levels import MISSING

Kind = Literal["text", "number", "date"]
Unit = Literal["hour", "day", "month", "quarter", "year", "decade"]

MOST_DIGITS = 400
"""A number of more digits is taken as a text: no attribute has them, and they fill the memory."""
_ISO = re.compile(
    r"(\d{4}-\d{2}-\d{2})"
    r"(?:[T ]([01]\d|2[0-3])(?::?[0-5]\d(?::?[0-5]\d(?:[.,]\d+)?)?)?"
    r"\s?(?:Z|UTC|[+-]\d{2}(?::?\d{2})?)?)?"
)
"""A day, or a time of at least an hour, with or without a time zone."""
_OWN: dict[str, re.Pattern[str]] = {
    "month": re.compile(r"\d{4}-(0[1-9]|1[0-2])"),
    "quarter": re.compile(r"\d{4}-Q[1-4]"),
    "year": re.compile(r"\d{4}"),
    "decade": re.compile(r"\d{3}0s"),
}
"""How a period is written that is all a cell tells."""


class Reading(ABC):
    """How the cells of an attribute are read."""

    __slots__ = ()
    kind: ClassVar[Kind]

    @property
    def noun(self) -> str:
        """What a value is, with its article."""
        return f"a {self.kind}"

    @abstractmethod
    def read(self, text: str) -> str | None:
        """Return the text that stands for the value of a cell; None where it has none of this kind."""

    def stated(self, kind: Kind | None, form: str | None) -> Reading:
        """Return the reading that a type or the format of a date names; itself where neither is given."""
        if form is not None or kind == "date":
            return AsDate(() if form is None else (form,))
        if kind is None:
            return self
        return NUMBER if kind == "number" else TEXT


@dataclass(frozen=True, slots=True)
class AsText(Reading):
    """The exact string."""

    kind: ClassVar[Kind] = "text"

    def read(self, text: str) -> str | None:
        """Return the text as it is."""
        return text


@dataclass(frozen=True, slots=True)
class AsNumber(Reading):
    """A decimal number, however it is written.

    >>> [AsNumber().read(text) for text in ("18", "18.0", " 18 ", "1.8e1", "-0.50", "eighteen")]
    ['18', '18', '18', '18', '-0.5', None]
    """

    kind: ClassVar[Kind] = "number"

    def read(self, text: str) -> str | None:
        """Return the shortest way to write the number; a blank cell is a missing one."""
        if not text.strip():
            return MISSING
        number = parse_number(text)
        return None if number is None else write_number(number)


@dataclass(frozen=True, slots=True)
class AsDate(Reading):
    """A date or a time in ISO's form or in a stated one, at the precision of a unit.

    A time counts as its day, hour, month or year as it is written, whatever its time zone.

    >>> day = AsDate(("%d.%m.%Y",))
    >>> day.read("31.12.2024"), day.read("2024-12-31T23:59:00+02:00"), day.read("31/12/2024")
    ('2024-12-31', '2024-12-31', None)
    >>> AsDate(unit="hour").read("2024-12-31 23:59"), AsDate(unit="month").read("2024-12")
    ('2024-12-31T23', '2024-12')
    """

    kind: ClassVar[Kind] = "date"
    formats: tuple[str, ...] = ()
    unit: Unit = "day"

    def read(self, text: str) -> str | None:
        """Return ISO's text of the unit that holds the date; a blank cell is a missing one."""
        plain = text.strip()
        if not plain:
            return MISSING
        if self.unit in _OWN and _OWN[self.unit].fullmatch(plain):
            return plain
        moment = self.moment(plain)
        return None if moment is None else write_moment(moment, self.unit)

    def stated(self, kind: Kind | None, form: str | None) -> Reading:
        """Return the reading with another format, at the same precision."""
        if kind in (None, "date"):
            return self if form is None else replace(self, formats=(form,))
        return Reading.stated(self, kind, form)

    def moment(self, text: str) -> datetime | None:
        """Return the time that a text stands for, by ISO or one of the formats."""
        if found := _ISO.fullmatch(text):
            day = parse_day(found[1])
            return None if day is None else datetime(*day.timetuple()[:3], int(found[2] or 0))
        for form in self.formats:
            try:
                return datetime.strptime(text, form).replace(tzinfo=None)
            except ValueError:
                continue
        return None


TEXT, NUMBER = AsText(), AsNumber()


def parse_number(text: str) -> Decimal | None:
    """Return the number that a text stands for, exactly; None where there is none.

    >>> parse_number("1_000"), parse_number("inf"), parse_number("0x10")
    (None, None, None)
    """
    plain = text.strip()
    if "_" in plain or len(plain) > MOST_DIGITS or not plain.isascii():
        return None
    try:
        number = Decimal(plain)
    except InvalidOperation:
        return None
    return number if number.is_finite() and abs(number.adjusted()) < MOST_DIGITS else None


def write_number(number: Decimal | Fraction | int) -> str:
    """Write a number with no more digits than it needs.

    >>> write_number(Decimal("1E+3")), write_number(Decimal("-0.0")), write_number(Fraction(5, 4))
    ('1000', '0', '1.25')
    """
    if isinstance(number, Fraction):
        number = Decimal(number.numerator) / Decimal(number.denominator)
    text = format(Decimal(number), "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def parse_day(text: str) -> date | None:
    """Return the day that ISO writes so; None where there is none."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def write_moment(moment: datetime, unit: Unit) -> str:
    """Name the period that holds a moment.

    >>> [write_moment(datetime(2024, 12, 31, 23), unit) for unit in ("hour", "quarter", "decade")]
    ['2024-12-31T23', '2024-Q4', '2020s']
    """
    if unit == "quarter":
        return f"{moment.year:04}-Q{(moment.month + 2) // 3}"
    if unit == "decade":
        return f"{moment.year // 10 * 10:04}s"
    return moment.isoformat()[: {"hour": 13, "day": 10, "month": 7, "year": 4}[unit]]


def reading_of_values(values: Sequence[object]) -> Reading:
    """Return the reading of listed values: a number where each is written as one, without quotes."""
    numbers = all(isinstance(value, int | float | tuple | list) for value in values)
    return NUMBER if numbers and values else TEXT
