"""The rules by which a column gets its role by itself; what no rule decides is a candidate."""

from __future__ import annotations

from collections.abc import Callable

from anonymizer.policy import Role
from anonymizer.proposal.content import Content
from anonymizer.proposal.decision import FEW_REPEATS, ColumnFacts, Confidence, Decision, decide
from anonymizer.proposal.names import Meaning

SINGLES_OUT = 0.05
"""The share of unique people from which a column is never kept as it is unless the user says so."""
NEARLY_A_NAME = 0.2
"""The share of unique people from which texts that nothing orders count as direct identifiers."""
NUMBERED = 0.9
"""The share of unique people from which whole numbers count as numbers of people or of rows."""


def decide_alone(column: ColumnFacts) -> Decision | None:
    """Decide on a column by its name, its cells and its figures; None where none of these settles it."""
    return next((found for rule in RULES if (found := rule(column)) is not None), None)


def empty(column: ColumnFacts) -> Decision | None:
    """A column without a cell has nothing to lose, and next month's table may have some."""
    if column.content is not Content.EMPTY:
        return None
    reason = "no cell has a value; nothing is lost without it, and a later table may have some"
    return decide(column, Role.REMOVED, Confidence.HIGH, reason)


def named_identifier(column: ColumnFacts) -> Decision | None:
    """The name says that a column identifies people."""
    if column.meaning not in (Meaning.PERSON, Meaning.IDENTIFIER):
        return None
    reason = f"its name says that it is {column.meaning.value}"
    confidence = Confidence.HIGH if column.figures.unique >= SINGLES_OUT else Confidence.MEDIUM
    return decide(column, Role.IDENTIFYING, confidence, reason)


def identifying_content(column: ColumnFacts) -> Decision | None:
    """Cells that name a person."""
    if not column.content.identifies:
        return None
    reason = f"its cells look like {column.content.value}"
    return decide(column, Role.IDENTIFYING, Confidence.HIGH, reason)


def constant(column: ColumnFacts) -> Decision | None:
    """What everybody has tells nobody apart."""
    figures = column.figures
    if figures.distinct > 1 or figures.missing:
        return None
    role = Role.SENSITIVE if column.meaning is Meaning.SENSITIVE else Role.INSENSITIVE
    return decide(column, role, Confidence.HIGH, "every cell has the same value")


def free_text(column: ColumnFacts) -> Decision | None:
    """Sentences name people, places and relatives, and no hierarchy makes them safe."""
    figures = column.figures
    if column.content is not Content.FREE or figures.distinct * FEW_REPEATS < figures.rows:
        return None
    return decide(column, Role.IDENTIFYING, Confidence.HIGH, "free text, which may name people")


def nearly_a_name(column: ColumnFacts) -> Decision | None:
    """Texts of which many people have one of their own, and whole numbers all but different."""
    unique = column.figures.unique
    texts = not column.content.in_order and unique >= NEARLY_A_NAME and not column.known
    whole = column.content is Content.WHOLE and unique >= NUMBERED and column.meaning is None
    if not (texts or whole):
        return None
    confidence = Confidence.HIGH if unique >= NUMBERED else Confidence.MEDIUM
    return decide(column, Role.IDENTIFYING, confidence, "many have a value of their own")


def sensitive(column: ColumnFacts) -> Decision | None:
    """What people keep to themselves, unless it singles them out."""
    named = column.meaning is Meaning.SENSITIVE
    if not (named or column.content is Content.DIAGNOSIS) or column.known:
        return None
    if column.figures.unique >= SINGLES_OUT:
        return None
    reason = f"its {'name' if named else 'content'} says that it is {Meaning.SENSITIVE.value}"
    return decide(column, Role.SENSITIVE, Confidence.MEDIUM, reason)


RULES: tuple[Callable[[ColumnFacts], Decision | None], ...] = (
    empty,
    identifying_content,
    named_identifier,
    constant,
    free_text,
    nearly_a_name,
    sensitive,
)
"""In the order in which they are asked."""
