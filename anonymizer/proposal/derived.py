"""Columns that follow from one another: one is generalized, and the others leave with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from anonymizer.data.column import Column
from anonymizer.errors import quote_some
from anonymizer.policy import Role
from anonymizer.problem.dependence import (
    Dependence,
    DependenceKind,
    find_dependences,
    find_revealed,
)
from anonymizer.proposal.decision import Confidence, Decision
from anonymizer.proposal.names import Meaning, meaning_of

LEAVES = Role.REMOVED
"""The role of a column that is not released because of another."""
RELEASED = (Role.QUASI, Role.SENSITIVE, Role.INSENSITIVE)


def settle_derived(
    decisions: Mapping[str, Decision], columns: Mapping[str, Column], whose: Column | None
) -> dict[str, Decision]:
    """Let columns leave that give a quasi-identifier away, or that follow from one.

    Of two quasi-identifiers the one with the finer content stays; of two that say the same, the one that
    others may know, or from which the other is computed. What the user decided stays. Columns are left
    alone where none is generalized.
    """
    released = {n: columns[n] for n, each in decisions.items() if each.role in RELEASED}
    if not any(each.role is Role.QUASI for each in decisions.values()):
        return dict(decisions)
    settling = Settling(decisions, find_dependences(released, whose))
    settling.settle_pairs()
    settling.settle_threes()
    settling.settle_together(released, whose)
    return settling.now


class Settling:
    """Decisions that change while columns leave."""

    def __init__(self, decisions: Mapping[str, Decision], found: Sequence[Dependence]) -> None:
        self.before = decisions
        self.now = dict(decisions)
        self.of_one = {(each.on[0], each.column): each for each in found if len(each.on) == 1}
        self.of_two = [each for each in found if len(each.on) == 2]

    def stays(self, name: str) -> bool:
        """Whether a column is released so far."""
        return self.now[name].role in RELEASED

    def generalized(self, name: str) -> bool:
        """Whether a column is a quasi-identifier so far."""
        return self.now[name].role is Role.QUASI

    def free(self, names: Sequence[str]) -> list[str]:
        """List the columns that are released, but not because the user said so or needs them."""
        return [
            n
            for n in names
            if self.stays(n)
            and self.now[n].confidence is not Confidence.GIVEN
            and not self.now[n].needed
        ]

    def leave(self, name: str, reason: str, *others: str) -> None:
        """Let a column leave because of others."""
        self.now[name] = replace(
            self.now[name], role=LEAVES, confidence=Confidence.MEDIUM, reason=reason, derived=others
        )

    def settle_pairs(self) -> None:
        """Settle columns of which one determines another: quasi-identifiers first, then what is kept."""
        for (on, column), each in self.of_one.items():
            if self.generalized(on) and self.generalized(column):
                self.settle_generalized(each)
        for on, column in self.of_one:
            if self.before[column].role is Role.QUASI and not self.generalized(on):
                self.settle_revealing(on, column)
        for (on, column), each in self.of_one.items():
            if self.generalized(on) and not self.generalized(column) and self.free([column]):
                self.leave(column, follows(each), on)

    def settle_generalized(self, each: Dependence) -> None:
        """Keep one of two quasi-identifiers of which one determines the other."""
        on, column = each.on[0], each.column
        free = self.free([on, column])
        back = self.of_one.get((column, on))
        if not free:
            return
        known = [name for name in (on, column) if meaning_of(name) is Meaning.KNOWN]
        if back is None and known == [column]:
            return  # the finer one tells more than what others know; both are generalized
        leaving = column if back is None else max(on, column, key=[*self.now].index)
        if back is not None and is_base(each) != is_base(back):
            leaving = column if is_base(each) else on
        if len(known) == 1:
            leaving = column if known == [on] else on
        if leaving not in free:
            leaving = free[0]
        if leaving == column:
            self.leave(column, follows(each), on)
        else:
            self.leave(on, follows(back) if back is not None else gives_away(column), column)

    def settle_revealing(self, on: str, column: str) -> None:
        """Let a kept column leave that determines a quasi-identifier, or this if the user keeps it."""
        if self.free([on]):
            self.leave(on, gives_away(column), column)
        elif self.stays(on) and self.free([column]):
            self.leave(column, f"it follows from '{on}', which you keep or need", on)

    def settle_threes(self) -> None:
        """Let one of three columns leave of which each follows from the two others."""
        for each in self.of_two:
            three = [each.column, *each.on]
            free = self.free(three)
            if all(map(self.stays, three)) and any(map(self.generalized, three)) and free:
                leaving = next((n for n in free if not self.generalized(n)), free[0])
                leaving = each.column if each.column in free else leaving
                others = [name for name in three if name != leaving]
                self.leave(
                    leaving, follows(replace(each, column=leaving, on=tuple(others))), *others
                )

    def settle_together(self, columns: Mapping[str, Column], whose: Column | None) -> None:
        """Let one column leave of those that determine a quasi-identifier only together: dummies."""
        for _ in columns:
            kept = [n for n in columns if self.stays(n) and not self.generalized(n)]
            hidden = [n for n in columns if self.generalized(n)]
            found = find_revealed(columns, kept, hidden, whose)
            change = next((each for each in found if self.free([*each.on, each.column])), None)
            if change is None:
                break
            if free := self.free(change.on):
                self.leave(
                    free[-1], gives_away(change.column, beside(change, free[-1])), change.column
                )
            else:
                why = f"it follows from {quote_some(change.on)}, which you keep or need"
                self.leave(change.column, why, *change.on)
        for name, on in self.left_over(columns, whose):
            self.leave(name, f"it follows from {quote_some(on)} together", *on)

    def left_over(
        self, columns: Mapping[str, Column], whose: Column | None
    ) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield the last of each set of dummies that are all generalized: it follows from the others."""
        flags = [n for n in columns if self.generalized(n) and len(columns[n].texts) == 2]
        for name in reversed(flags):
            others = [n for n in flags if n != name and self.generalized(n)]
            if len(others) > 1 and self.free([name]):
                for each in find_revealed(columns, others, [name], whose):
                    if each.kind is DependenceKind.TOGETHER:
                        yield name, each.on


def is_base(each: Dependence) -> bool:
    """Whether a column is computed from the other, and not the other way round."""
    return each.kind in (DependenceKind.SQUARE, DependenceKind.LOGARITHM)


def follows(each: Dependence) -> str:
    """Say that a column follows from others, and how it can be made again.

    >>> follows(Dependence("age2", ("age",), DependenceKind.SQUARE))
    "it follows from 'age': the square of it; make it from the released 'age'"
    """
    on = quote_some(each.on)
    if each.kind.is_formula:
        return f"it follows from {on}: {each.kind.value} it; make it from the released {on}"
    if len(each.on) > 1:
        return f"it follows from {on}: {each.kind.value} them"
    return f"it follows from {on}: {each.kind.value} it"


def gives_away(column: str, others: Sequence[str] = ()) -> str:
    """Say that a column would give a quasi-identifier away.

    >>> gives_away("zip", ["street"])
    "it gives 'zip' away together with 'street'"
    """
    return f"it gives '{column}' away" + (f" together with {quote_some(others)}" if others else "")


def beside(each: Dependence, name: str) -> list[str]:
    """List the other columns that a column follows from."""
    return [other for other in each.on if other != name]
