"""Which column tells whose each row is, where a person has several: by its name, or by structure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from anonymizer.data.column import MISSING, Column
from anonymizer.problem.person import Candidate, Candidates, find_candidates
from anonymizer.proposal.content import Content, content_of
from anonymizer.proposal.names import Meaning, meaning_of

MOST_ROWS = 1_000
"""More rows for each value, on average, are those of a place or a category, not of a person."""
NUMBERS = (Content.EMAIL, Content.SSN)
"""Contents that only one person has."""


@dataclass(frozen=True, slots=True)
class Whose:
    """Who is a person in a table, as far as that is known."""

    person: str | None = None
    """The column that tells whose each row is."""
    rows_are_people: bool = False
    """Whether it was said that each row is a person."""
    candidates: Candidates = ()
    """Columns that may tell it; there are some only where it must be asked."""
    found: Candidate | None = None
    """What spoke for the column, where nobody named it and its name does not say it."""

    @property
    def doubtful(self) -> tuple[str, ...]:
        """The columns that may tell whose each row is."""
        return tuple(each.column for each in self.candidates)


def find_whose(columns: Mapping[str, Column], free: Collection[str]) -> Whose:
    """Find out who is a person; only one of the `free` columns is taken without asking.

    By its name first, then by structure. Only strong signs are taken: a wrong column counts wrong people.
    """
    named = find_person({name: columns[name] for name in columns if name in free})
    if named is not None:
        return Whose(named)
    found = find_candidates(columns)
    if found and found[0].strong and found[0].column in free:
        return Whose(found[0].column, found=found[0])
    return Whose(candidates=found)


def find_person(columns: Mapping[str, Column]) -> str | None:
    """Return the column that numbers people and repeats; the one with the fewest values, if several.

    Too few people are on the safe side: no class counts more than there are. A column with missing
    cells cannot be it, since those rows would be nobody's.
    """
    found = [name for name, column in columns.items() if tells_person(name, column)]
    return min(found, key=lambda name: len(columns[name].texts), default=None)


def tells_person(name: str, column: Column) -> bool:
    """Whether a column numbers people, each in some rows, at least one in several."""
    rows, people = column.codes.size, len(column.texts)
    repeats = people < rows <= people * MOST_ROWS
    return repeats and MISSING not in column.texts and numbers_people(name, column)


def numbers_people(name: str, column: Column) -> bool:
    """Whether the name or the cells of a column are those of a number that one person has."""
    meaning = meaning_of(name)
    if meaning is Meaning.PERSON:
        return any(char.isdigit() for char in "".join(column.texts[:100]))
    return meaning is Meaning.IDENTIFIER and content_of(column.texts) in NUMBERS
