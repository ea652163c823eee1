"""Which column tells whose each row is, where a person has several."""

from __future__ import annotations

from collections.abc import Mapping

from anonymizer.data.cells import MISSING
from anonymizer.data.columns import Coded
from anonymizer.proposal.content import Content, content_of
from anonymizer.proposal.names import Meaning, meaning_of

MOST_ROWS = 1_000
"""More rows for each value, on average, are those of a place or a category, not of a person."""
NUMBERS = (Content.EMAIL, Content.SSN)
"""Contents that only one person has."""


def find_person(columns: Mapping[str, Coded]) -> str | None:
    """Return the column that numbers people and repeats; the one with the fewest values, if several.

    Too few people are on the safe side: no class counts more than there are. A column with missing
    cells cannot be it, since those rows would be nobody's.
    """
    found = [name for name, column in columns.items() if tells_person(name, column)]
    return min(found, key=lambda name: len(columns[name].texts), default=None)


def tells_person(name: str, column: Coded) -> bool:
    """Whether a column numbers people, each in some rows, at least one in several."""
    rows, people = column.codes.size, len(column.texts)
    repeats = people < rows <= people * MOST_ROWS
    return repeats and MISSING not in column.texts and numbers_people(name, column)


def numbers_people(name: str, column: Coded) -> bool:
    """Whether the name or the cells of a column are those of a number that one person has."""
    meaning = meaning_of(name)
    if meaning is Meaning.PERSON:
        return any(char.isdigit() for char in "".join(column.texts[:100]))
    return meaning is Meaning.IDENTIFIER and content_of(column.texts) in NUMBERS
