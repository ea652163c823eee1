"""A published table as it is printed: the arms of a trial, and rows of counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from anonymizer.errors import DataError, quote, shorten


@dataclass(frozen=True, slots=True)
class Arms:
    """The arms of a trial and how many people are in each: at least two arms, each of at least one."""

    names: tuple[str, ...]
    sizes: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.names) != len(self.sizes):
            raise DataError(
                f"{len(self.names)} arms have {len(self.sizes)} sizes; give each arm one size."
            )
        if len(self.names) < 2:
            raise DataError(f"the trial has {len(self.names)} arms; it needs at least 2.")
        for name, size in zip(self.names, self.sizes, strict=True):
            if size < 1:
                raise DataError(f"the {shorten(name)} arm has {size} people; it needs at least 1.")
            if self.names.count(name) > 1:
                raise DataError(f"two arms are called {quote(name)}; give each its own name.")

    @property
    def total(self) -> int:
        """The people in all arms."""
        return sum(self.sizes)


@dataclass(frozen=True, slots=True)
class Characteristic:
    """A row of the table: how many people of each arm have it."""

    name: str
    counts: tuple[int, ...]
    totals: tuple[int, ...] | None = None
    """How many people of each arm were measured; None: all of them."""
    heading: str = ""
    """What is printed above the row and its neighbours."""
    category: bool = False
    """Whether the row is one of several categories under its heading that exclude each other."""

    @property
    def label(self) -> str:
        """The name that identifies the row in the table."""
        return f"{self.heading}: {self.name}" if self.heading else self.name

    @property
    def total(self) -> int:
        """The people of all arms who have it."""
        return sum(self.counts)

    def measured(self, arms: Arms) -> tuple[int, ...]:
        """Return how many people of each arm were measured."""
        return arms.sizes if self.totals is None else self.totals


def blocks_of(rows: Sequence[Characteristic]) -> list[tuple[Characteristic, ...]]:
    """Divide a table into blocks: the categories under one heading, or a row that stands alone."""
    blocks: list[tuple[Characteristic, ...]] = []
    for (category, _), members in groupby(rows, key=lambda row: (row.category, row.heading)):
        block = tuple(members)
        blocks.extend([block] if category else [(row,) for row in block])
    return blocks


# --- what counts cannot be ---


def count_faults(row: Characteristic, arms: Arms) -> Iterator[str]:
    """Check that a row has counts from 0 to those measured, and totals from 0 to the size of the arm."""
    measured = row.measured(arms)
    if not len(row.counts) == len(measured) == len(arms.sizes):
        yield (
            f"'{row.name}' has {len(row.counts)} counts and {len(measured)} totals for "
            f"{len(arms.sizes)} arms; give one for each arm."
        )
        return
    for arm, size, count, total in zip(arms.names, arms.sizes, row.counts, measured, strict=True):
        if not 0 <= total <= size:
            yield (
                f"'{row.name}' has a total of {total} in the {arm} arm of {size}; fix the total, or "
                "the size of the arm."
            )
        elif not 0 <= count <= total:
            of = (
                f"{count} people in the {arm} arm of {size}; fix the count, or the size of the arm."
            )
            own = (
                f"{count} of {total} people measured in the {arm} arm; fix the count, or the total."
            )
            yield f"'{row.name}' has {of if total == size else own}"


def category_faults(block: Sequence[Characteristic], arms: Arms) -> Iterator[str]:
    """Check that categories exclude each other: they add up to at most the people measured."""
    if len({row.measured(arms) for row in block}) > 1:
        yield f"the categories of '{block[0].heading}' have different totals; write the same in each."
        return
    for index, arm in enumerate(arms.names):
        people, measured = sum(row.counts[index] for row in block), block[0].measured(arms)[index]
        if people > measured:
            yield (
                f"the categories of '{block[0].heading}' add up to {people} people in the {arm} arm, "
                f"where {measured} were measured; fix a count, or give each its own heading."
            )
