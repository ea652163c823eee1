"""What the cells of a column look like, whatever its name is."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path

from anonymizer.data.column import MISSING, Column
from anonymizer.data.table import Table
from anonymizer.data.text import hidden_delimiter
from anonymizer.errors import DataError

SAMPLE = 2_000
"""So many distinct values are looked at, spread over all of them."""
BEGINNING = 200
"""Characters of a value that are looked at."""
MOSTLY = 0.9
"""The share of values that must have a form for the column to have it: some say "unknown"."""
SOME = 0.2
"""The share of values that look like direct identifiers from which a column counts as one."""
LONG_TEXT = 5
"""Words of a text, on average, from which it is written freely."""


class Content(StrEnum):
    """What the cells of a column hold."""

    EMPTY = "nothing"
    WHOLE = "whole numbers"
    DECIMAL = "numbers"
    DATE = "dates"
    EMAIL = "e-mail addresses"
    URL = "web addresses"
    IP = "IP addresses"
    IBAN = "bank accounts"
    SSN = "social security numbers"
    PHONE = "telephone numbers"
    PLACE = "coordinates"
    DIAGNOSIS = "diagnosis codes"
    CODE = "whole numbers that look like codes"
    FREE = "free text"
    TEXT = "texts"

    @property
    def identifies(self) -> bool:
        """Whether such cells name a person, whoever else has the same."""
        return self in DIRECT

    @property
    def in_order(self) -> bool:
        """Whether such cells can be merged with their neighbours."""
        return self in (Content.WHOLE, Content.DECIMAL, Content.DATE)


DIRECT = (
    Content.EMAIL, Content.URL, Content.IP, Content.IBAN, Content.SSN, Content.PHONE, Content.PLACE,
)  # fmt: skip

_YEAR_FIRST = r"\d{4}[-/.]\d{1,2}([-/.]\d{1,2})?"
_YEAR_LAST = r"(\d{1,2}[-/.])?\d{1,2}[-/.]\d{4}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2}"
_TIME = r"([T ]\s*\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?\s*([AaPp][Mm])?\s*(Z|[+-]\d{2}:?\d{2})?)?"
FORMS: dict[Content, re.Pattern[str]] = {
    Content.WHOLE: re.compile(r"\s*[+-]?\d+(\.0*)?\s*"),
    Content.DECIMAL: re.compile(r"\s*[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?\s*"),
    Content.DATE: re.compile(rf"\s*({_YEAR_FIRST}|{_YEAR_LAST}){_TIME}\s*"),
}
"""Forms that nearly all values must have; the first that fits counts."""
IDENTIFIERS: dict[Content, re.Pattern[str]] = {
    Content.EMAIL: re.compile(r"\s*[^@\s]+@[^@\s]+\.[^@\s.]+\s*"),
    Content.URL: re.compile(r"\s*(https?://|www\.)\S+\s*"),
    Content.IP: re.compile(
        r"\s*((\d{1,3}\.){3}\d{1,3}|([0-9a-fA-F]{0,4}:){3,7}[0-9a-fA-F]{1,4})\s*"
    ),
    Content.IBAN: re.compile(r"\s*[A-Z]{2}\d{2} ?([A-Z0-9]{4} ?){2,7}[A-Z0-9]{1,4}\s*"),
    Content.SSN: re.compile(r"\s*\d{3}-\d{2}-\d{4}\s*"),
    Content.PLACE: re.compile(
        r"\s*(POINT ?\(.*\)|[(\[]?-?\d{1,3}\.\d{3,}\s*[,; ]\s*-?\d{1,3}\.\d{3,}[)\]]?)\s*"
    ),
    Content.PHONE: re.compile(r"\s*(?=(?:\D*\d){8})(?=\+|.*[ ()/.-])\+?[(\d][\d ()/.-]{6,}\d\s*"),
}
"""Forms of direct identifiers, of which a part of the values is enough."""
_DIAGNOSIS = re.compile(r"[A-TV-Z]\d\d(\.[0-9A-Z]{1,4})?([ :-]+\D*)?")
_MORE_THAN_A_CODE = re.compile(r"...[. :-]+.+")


def content_of(texts: Sequence[str]) -> Content:
    """Say what the distinct values of a column look like.

    >>> content_of(["12.03.2024", "1.4.2024", ""]), content_of(["18", "18.5"])
    (<Content.DATE: 'dates'>, <Content.DECIMAL: 'numbers'>)
    """
    values = sample_of(texts)
    if not values:
        return Content.EMPTY
    for content, form in FORMS.items():
        if share_of(values, form.fullmatch) >= MOSTLY:
            return content
    for content, form in IDENTIFIERS.items():
        if share_of(values, form.fullmatch) >= SOME:
            return content
    if is_diagnosis(values):
        return Content.DIAGNOSIS
    long = sum(len(value.split()) for value in values) >= LONG_TEXT * len(values)
    return Content.FREE if long else Content.TEXT


def is_diagnosis(values: Sequence[str]) -> bool:
    """Whether values are codes of the ICD; bare ones such as E14 may as well be postcodes.

    >>> is_diagnosis(["I10.0", "E11 Diabetes"]), is_diagnosis(["E14", "N16"])
    (True, False)
    """
    coded = share_of(values, _DIAGNOSIS.fullmatch) >= MOSTLY
    return coded and share_of(values, _MORE_THAN_A_CODE.fullmatch) >= SOME


def sample_of(texts: Sequence[str]) -> list[str]:
    """Take the beginnings of some values that are not missing, spread over all of them."""
    values = [text for text in texts if text != MISSING]
    return [value[:BEGINNING] for value in values[:: max(1, len(values) // SAMPLE)]]


def share_of(values: Sequence[str], fits: Callable[[str], object]) -> float:
    """Return the share of the values that something holds for."""
    return sum(fits(value) is not None for value in values) / len(values)


MANY = 1 / 3
"""The share of names that look like cells from which the header is a row."""


def check_header(table: Table, columns: Mapping[str, Column]) -> None:
    """Raise a DataError if a file's header was not split, or looks like a person's cells.

    Names of columns are shown and written, so that a file without a header would give its first
    person away. A dataframe has names of its own.
    """
    if not Path(table.name).is_file():
        return
    if len(columns) == 1 and (hidden := hidden_delimiter(*columns)):
        raise DataError(
            f"{table.name}: the header is one name with {hidden!r} in it; if that separates columns, "
            f"write --delimiter {hidden!r}."
        )
    if looks_like_cells(columns):
        raise DataError(
            f"{table.name}: the first row looks like a person's cells, not like names of columns; "
            "add a row with their names."
        )


def looks_like_cells(columns: Mapping[str, Column]) -> bool:
    """Whether names are values of their own columns, or direct identifiers."""
    if any(form.fullmatch(name) for name in columns for form in IDENTIFIERS.values()):
        return True
    alike = sum(name in column.texts for name, column in columns.items() if name)
    return alike > MANY * len(columns)
