"""Warnings for the steward: columns that are kept and yet single people out, and what may be wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from anonymizer.errors import percent, quote_some
from anonymizer.policy import Role
from anonymizer.problem.person import ask_who
from anonymizer.proposal.content import Content
from anonymizer.proposal.decision import FEW_REPEATS, Confidence, Decision
from anonymizer.proposal.person import Whose
from anonymizer.proposal.rules import SINGLES_OUT

KEPT = (Role.SENSITIVE, Role.INSENSITIVE)
"""The roles of columns that are released as they are."""
NOT_SAID = Whose()
MOST_NAMED = 10
"""So many columns are named in one sentence; the page has them all."""


def find_warnings(
    decisions: Sequence[Decision], unique_by_kept: float, whose: Whose = NOT_SAID
) -> Iterator[str]:
    """Say which kept columns single people out, what was removed for want of room, and who repeats."""
    kept = [each for each in decisions if each.role in KEPT]
    yield from find_unknowable(kept)
    for each in kept:
        if each.figures.unique >= SINGLES_OUT and not each.unknowable:
            yield (
                f"'{each.column}' is kept as it is and nearly identifies people: "
                f"{each.figures}. Make it a quasi-identifier, or remove it."
            )
    doubtful = [each for each in kept if each.confidence is Confidence.LOW]
    yield from find_codes(decisions)
    if len(kept) > 1 and (doubtful or unique_by_kept >= SINGLES_OUT):
        yield (
            f"{percent(unique_by_kept)} of the people are unique by the {len(kept)} columns that are "
            f"kept as they are{name_doubtful(doubtful)}. Whoever knows these values finds people by "
            "them; make some of them quasi-identifiers, or remove them."
        )
    removed = [
        each
        for each in decisions
        if each.role is Role.REMOVED and each.confidence is Confidence.LOW
    ]
    if removed:
        names = quote_some([each.column for each in removed], MOST_NAMED)
        yield (
            f"removed, because it singles people out and there are enough quasi-identifiers: {names}. "
            "Give what you need the role 'quasi'."
        )
    if whose.found is not None:
        yield (
            f"{whose.found} is taken for the column that tells whose each row is, and people are "
            "counted by it; if another one tells, name it with --person, if none does, say "
            "--rows-are-people."
        )
    if whose.candidates:
        yield ask_who(whose.candidates)
    elif not whose.rows_are_people:
        yield from find_repeated(decisions)


def find_unknowable(kept: Sequence[Decision]) -> Iterator[str]:
    """Say which columns stay only because nobody outside can know them."""
    if telling := [e for e in kept if e.unknowable and e.figures.unique >= SINGLES_OUT]:
        names = quote_some([each.column for each in telling], MOST_NAMED)
        yield (
            f"kept as they are for this recipient, though they single people out: {names}. Whoever comes "
            "to know these values finds people by them; name with --quasi what others may know."
        )


def find_codes(decisions: Sequence[Decision]) -> Iterator[str]:
    """Say which whole numbers are read as codes."""
    found = [each for each in decisions if each.content is Content.CODE]
    if found and any(each.role is Role.QUASI for each in found):
        names = quote_some([each.column for each in found if each.role is Role.QUASI], MOST_NAMED)
        yield (
            f"whole numbers that look like codes are read as codes: {names}. Leading zeros may be lost; "
            "read such columns as texts (in pandas, dtype=str)."
        )


def possible_ids(decisions: Sequence[Decision]) -> list[Decision]:
    """List the columns that may be an id of people, where none certainly is one."""
    if any(each.is_id for each in decisions):
        return []
    removed = [each for each in decisions if each.role is Role.IDENTIFYING and not each.derived]
    return [e for e in removed if e.confidence is not Confidence.LOW and is_repeated(e)]


def find_repeated(decisions: Sequence[Decision]) -> Iterator[str]:
    """Name a column that may be an id of people, where none certainly is one."""
    if named := possible_ids(decisions):
        most = max(named, key=lambda each: each.figures.distinct)
        yield (
            f"'{most.column}' has {most.figures.distinct:,} different values in {most.figures.rows:,} "
            "rows, and each row counts as a person. If it tells whose a row is, name it with --person."
        )


def is_repeated(decision: Decision) -> bool:
    """Whether some value of a column is in several rows, but not as often as a category."""
    filled = decision.figures.rows - decision.figures.missing
    return decision.figures.distinct < filled < decision.figures.distinct * FEW_REPEATS


def name_doubtful(doubtful: Sequence[Decision]) -> str:
    """Name the columns that are kept for want of room."""
    if not doubtful:
        return ""
    names = quote_some([each.column for each in doubtful], MOST_NAMED)
    return f", among them what was left out of the quasi-identifiers: {names}"
