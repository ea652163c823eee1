"""A decision about one column: its role, the reason, and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from anonymizer.data.column import Column
from anonymizer.policy import Role
from anonymizer.proposal.codes import looks_like_codes
from anonymizer.proposal.content import Content, content_of
from anonymizer.proposal.figures import Figures, count
from anonymizer.proposal.names import Meaning, meaning_of

FEW_REPEATS = 20
"""Values of which each occurs so often or more, on average, are categories."""


class Confidence(StrEnum):
    """How sure a decision is."""

    GIVEN = "given"
    """The user said so."""
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    """Look at it first."""


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """What is known of a column before its role is decided."""

    name: str
    meaning: Meaning | None
    """What its name says."""
    content: Content
    """What its cells look like."""
    figures: Figures

    @property
    def known(self) -> bool:
        """Whether others may know it of a person, by its name."""
        return self.meaning in (Meaning.KNOWN, Meaning.NAME)


def look_at(name: str, coded: Column, person: Column | None) -> ColumnFacts:
    """Find out what a column is called, what its cells look like and whom they single out."""
    meaning = meaning_of(name)
    if meaning is Meaning.PERSON and is_category(coded):
        meaning = None  # such as 'member', with the values 'yes' and 'no'
    codes = looks_like_codes(name, coded.texts)
    content = Content.CODE if codes else content_of(coded.texts)
    return ColumnFacts(name, meaning, content, count(coded, person))


def is_category(coded: Column) -> bool:
    """Whether values without digits repeat so often that they do not number people."""
    often = len(coded.texts) * FEW_REPEATS < coded.codes.size
    return often and not any(char.isdigit() for text in coded.texts for char in text)


@dataclass(frozen=True, slots=True)
class Decision:
    """The role of a column and why it has that; the reason holds no cell."""

    column: str
    role: Role
    reason: str
    confidence: Confidence
    content: Content
    figures: Figures
    is_id: bool = False
    """Whether it tells whose each row is."""
    derived: tuple[str, ...] = ()
    """The columns because of which it leaves: it follows from them, or they from it."""
    needed: bool = False
    """Whether the analysis needs it: as a quasi-identifier, it weighs more."""
    unknowable: bool = False
    """Whether it stays as it is because nobody outside can know it."""

    def describe(self) -> dict[str, Any]:
        """Return the decision as JSON."""
        return {
            "column": self.column,
            "role": self.role.value,
            "id": self.is_id,
            "needed": self.needed,
            "reason": self.reason,
            "derived": list(self.derived),
            "confidence": self.confidence.value,
            "content": self.content.value,
            "figures": self.figures.describe(),
        }


def decide(
    column: ColumnFacts, role: Role, confidence: Confidence, reason: str, is_id: bool = False
) -> Decision:
    """Decide on a column."""
    return Decision(column.name, role, reason, confidence, column.content, column.figures, is_id)
