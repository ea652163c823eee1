"""Which candidates become quasi-identifiers: what others may know, and what singles out most."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from anonymizer.data.column import Column
from anonymizer.policy import Role
from anonymizer.proposal.decision import ColumnFacts, Confidence, Decision, decide
from anonymizer.proposal.figures import added_by_pairs
from anonymizer.proposal.names import Meaning
from anonymizer.proposal.rules import SINGLES_OUT

MOST_QUASI = 8
"""So many quasi-identifiers are proposed; with more, little is left of each."""
MOST_KNOWN = 12
"""So many where others may know all of them; the optimum is proven for so many."""
PAIRED = 16
"""So many candidates are counted in pairs: those others may know first, then what singles out most."""
RELEVANT = 0.01
"""The share of people whom a column must single out, alone or added to another, to be generalized."""

UniqueBy: TypeAlias = Callable[[Sequence[ColumnFacts]], float]
"""Returns the share of the people who are unique by some columns together."""


def count_pairs(
    candidates: Sequence[ColumnFacts], columns: Mapping[str, Column], person: Column | None
) -> list[ColumnFacts]:
    """Add to the figures what columns single out in pairs; at most `PAIRED` columns are paired."""
    first = sorted(
        candidates,
        key=lambda column: (not column.known, -column.figures.unique, -column.figures.distinct),
    )
    paired = {column.name: columns[column.name] for column in first[:PAIRED]}
    alone = {column.name: column.figures.unique for column in candidates}
    added = added_by_pairs(paired, alone, person)
    return [
        replace(column, figures=replace(column.figures, added=added.get(column.name)))
        for column in candidates
    ]


def rank(candidates: Sequence[ColumnFacts]) -> list[ColumnFacts]:
    """Sort columns by how much they single people out, most first."""
    return sorted(candidates, key=lambda column: (-singled_out(column), column.name))


def singled_out(column: ColumnFacts) -> float:
    """Return the share of people whom a column singles out, alone or added to one other."""
    return max(column.figures.unique, column.figures.added or 0.0)


def choose(
    candidates: Sequence[ColumnFacts],
    given: Sequence[ColumnFacts],
    kept: Sequence[ColumnFacts],
    unique_by: UniqueBy,
) -> Iterator[Decision]:
    """Decide on candidates, where some quasi-identifiers are given already, and some columns are kept.

    Of columns that others may know, those that single out least are taken, because more is left of
    them; of all others those that single out most, because they are the dangerous ones. More are taken
    while the rest matters and there is room.
    """
    ranked = rank(candidates)
    known = [column for column in ranked if column.known]
    taken = [*given, *known[max(0, len(known) - max(0, MOST_KNOWN - len(given))) :]]
    rest = [column for column in ranked if not column.known]
    while len(taken) < MOST_QUASI and matters(rest, taken, unique_by):
        taken.append(rest.pop(0))
    if not taken:
        taken = ranked[:1]  # a policy needs something to generalize
    crowded = matters(rest, taken, unique_by)
    telling = telling_together(rest, kept, unique_by)
    for column in ranked:
        if column in taken:
            yield generalized(column)
        else:
            yield left_out(column, crowded, column in telling)


def telling_together(
    rest: Sequence[ColumnFacts], kept: Sequence[ColumnFacts], unique_by: UniqueBy
) -> list[ColumnFacts]:
    """Return the columns that cannot be kept: together they would single out too many.

    Those that single out least are kept first, beside what is kept anyway.
    """
    limit = unique_by(kept) + SINGLES_OUT
    if unique_by([*kept, *rest]) < limit:
        return []
    stay, telling = list(kept), []
    for column in sorted(rest, key=lambda each: (singled_out(each), each.figures.distinct)):
        if unique_by([*stay, column]) < limit:
            stay.append(column)
        else:
            telling.append(column)
    return telling


def matters(rest: Sequence[ColumnFacts], taken: Sequence[ColumnFacts], unique_by: UniqueBy) -> bool:
    """Whether columns single people out: one of them, all together, or all beside those taken."""
    if not rest or any(singled_out(column) >= RELEVANT for column in rest):
        return bool(rest)
    beside = unique_by([*taken, *rest]) - unique_by(taken)
    return max(unique_by(rest), beside) >= RELEVANT


def generalized(column: ColumnFacts) -> Decision:
    """Make a column a quasi-identifier."""
    if column.known:
        return decide(column, Role.QUASI, Confidence.HIGH, "others may know it")
    what = "it singles people out"
    if singled_out(column) < RELEVANT:
        what = "it singles people out beside the other columns"
    elif column.meaning is Meaning.SENSITIVE:
        what = "people keep it to themselves, but it singles them out"
    return decide(column, Role.QUASI, Confidence.MEDIUM, what)


def left_out(column: ColumnFacts, crowded: bool, telling: bool) -> Decision:
    """Remove a column for which there is no room if it may identify people; otherwise keep it.

    `crowded` says that there was no room for all that single people out, `telling` that it would single
    out too many beside the columns that are kept.
    """
    if column.known:
        reason = f"of more than {MOST_KNOWN} columns that others may know, it singles out most"
        return decide(column, Role.REMOVED, Confidence.LOW, reason)
    if column.figures.unique >= SINGLES_OUT:
        reason = f"it singles people out, and there are {MOST_QUASI} quasi-identifiers already"
        return decide(column, Role.REMOVED, Confidence.LOW, reason)
    if telling:
        reason = (
            f"it singles people out beside the columns that are kept, and there are {MOST_QUASI} "
            "quasi-identifiers already"
        )
        return decide(column, Role.REMOVED, Confidence.LOW, reason)
    role = Role.SENSITIVE if column.meaning is Meaning.SENSITIVE else Role.INSENSITIVE
    if crowded:
        reason = f"there are {MOST_QUASI} quasi-identifiers that single out more"
        return decide(column, role, Confidence.LOW, reason)
    return decide(column, role, Confidence.MEDIUM, "it hardly singles anybody out")
