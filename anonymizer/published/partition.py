"""The people of a trial divided by what they would answer to a row of the table.

A row divides them into those who have it and those who do not: the complement, which a row gives away as
well. Where the row has its own totals, as in `65/145`, those who were not measured are a third group. The
categories under one heading divide them into more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from anonymizer.published.table import Arms, Characteristic, blocks_of


class Answer(StrEnum):
    """What kind of answer a group gives."""

    HAS = "has it"
    LACKS = "does not have it"
    MISSING = "not measured"
    CATEGORY = "category"


@dataclass(frozen=True, slots=True)
class AnswerGroup:
    """The people who give one answer, by arm."""

    name: str
    answer: Answer
    counts: tuple[int, ...]
    attacks: bool = True
    """Whether PDP is computed here for them; if not, another row of the table has it."""

    @property
    def total(self) -> int:
        """The people of all arms who give the answer."""
        return sum(self.counts)


@dataclass(frozen=True, slots=True)
class Partition:
    """All people of a trial, or those measured, by their answer."""

    name: str
    groups: tuple[AnswerGroup, ...]
    sizes: tuple[int, ...]
    """The people of each arm; the groups add up to them."""
    rows: tuple[Characteristic, ...]
    """What is printed: one row, or the categories under a heading."""
    measured_only: bool = False

    @property
    def label(self) -> str:
        """The name, and of whom the partition is."""
        return f"{self.name}, of those measured" if self.measured_only else self.name

    @property
    def total(self) -> int:
        """The people of all arms."""
        return sum(self.sizes)

    @property
    def printed(self) -> bool:
        """Whether this is a printed row, with everybody in it."""
        return len(self.rows) == 1 and not self.measured_only

    @property
    def nobody(self) -> bool:
        """Whether nobody is known to have the characteristic."""
        return all(row.total == 0 for row in self.rows)

    def group(self, answer: Answer) -> AnswerGroup | None:
        """Return the first group with an answer of a kind."""
        return next((group for group in self.groups if group.answer is answer), None)


def partitions_of(rows: Sequence[Characteristic], arms: Arms) -> Iterator[Partition]:
    """Divide the people by every row, and by all categories under a heading together.

    Where somebody was not measured, those measured are divided once more without the others: an attacker
    may know that somebody was measured.
    """
    for block in blocks_of(rows):
        together = len(block) > 1
        for row in block:
            yield from both_partitions((row,), arms, category=together)
        if together:
            yield from both_partitions(block, arms)


def both_partitions(
    rows: tuple[Characteristic, ...], arms: Arms, category: bool = False
) -> Iterator[Partition]:
    """Divide everybody, and those measured where these are others."""
    measured = rows[0].measured(arms)
    name = rows[0].label if len(rows) == 1 else f"{rows[0].heading}: all categories"
    known = (*named_groups(rows), *rest_groups(rows, measured))
    absent = subtract(arms.sizes, measured)
    missing = AnswerGroup(Answer.MISSING.value, Answer.MISSING, absent, attacks=not category)
    if not missing.total:
        yield Partition(name, known, measured, rows)
        return
    yield Partition(name, (*known, missing), arms.sizes, rows)
    if any(measured):
        again = tuple(AnswerGroup(g.name, g.answer, g.counts, attacks=False) for g in known)
        yield Partition(name, again, measured, rows, measured_only=True)


def named_groups(rows: tuple[Characteristic, ...]) -> tuple[AnswerGroup, ...]:
    """Return those who have the characteristic, or each of the categories, whose rows ask PDP."""
    if len(rows) == 1:
        return (AnswerGroup(Answer.HAS.value, Answer.HAS, rows[0].counts),)
    return tuple(AnswerGroup(row.name, Answer.CATEGORY, row.counts, attacks=False) for row in rows)


def rest_groups(
    rows: tuple[Characteristic, ...], measured: tuple[int, ...]
) -> tuple[AnswerGroup, ...]:
    """Return those who do not have it; after categories only where they leave somebody out."""
    rest = measured
    for row in rows:
        rest = subtract(rest, row.counts)
    if len(rows) == 1:
        return (AnswerGroup(Answer.LACKS.value, Answer.LACKS, rest),)
    return (AnswerGroup("none of these", Answer.LACKS, rest),) if any(rest) else ()


def subtract(whole: tuple[int, ...], part: tuple[int, ...]) -> tuple[int, ...]:
    """Subtract counts arm by arm."""
    return tuple(w - p for w, p in zip(whole, part, strict=True))
