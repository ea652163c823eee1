"""The delimiter of a CSV file: checked where it is stated, else found in the header."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from itertools import islice

from anonymizer.errors import DataError

DEFAULT = ","
CANDIDATES = ",;\t|"
"""What a delimiter that is not stated may be."""
ROWS = 20
"""The rows that are looked at where the header leaves it open."""
QUOTED = re.compile(r'"[^"]*"')


def check_delimiter(delimiter: str) -> None:
    """Raise a DataError unless cells can be separated so.

    >>> check_delimiter("é")
    Traceback (most recent call last):
    anonymizer.errors.DataError: delimiter: 'é' is not a delimiter; use one ASCII character, such as ';'.
    """
    from anonymizer.validation import parse_delimiter  # imports pydantic

    try:
        parse_delimiter(delimiter)
    except ValueError as error:
        raise DataError(f"delimiter: {error}.") from None


def hidden_delimiter(name: str) -> str | None:
    """Return what may separate names that were read as one.

    >>> hidden_delimiter("age;sex"), hidden_delimiter("age")
    (';', None)
    """
    return next((each for each in CANDIDATES if each in name), None)


def find_delimiter(lines: Iterator[str]) -> str | None:
    """Find the delimiter of a file from its first lines; None where several would do.

    >>> find_delimiter(iter(["name;'size, cm'", "Ann;170"])), find_delimiter(iter(["age"]))
    (';', ',')
    """
    header = next(lines, "")
    while header.count('"') % 2 and (more := next(lines, "")):  # a name of several lines
        header += more
    found = [each for each in CANDIDATES if each in QUOTED.sub("", header)]
    if len(found) > 1:
        text = [*header.splitlines(keepends=True), *islice(lines, ROWS)]
        found = [each for each in found if is_even(text, each)]
        return found[0] if len(found) == 1 else None
    return found[0] if found else DEFAULT


def is_even(lines: list[str], delimiter: str) -> bool:
    """Whether all rows have as many cells as the header, cut at this delimiter."""
    try:
        widths = [len(row) for row in csv.reader(lines, delimiter=delimiter, strict=True) if row]
    except csv.Error:
        return False
    return len(set(widths)) == 1
