"""Setting: a release, the original it was made from, and what else attackers may have, read once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.attacks.columns import Integers
from anonymizer.attacks.matching import NOBODY, ReleasedCells, find_owners
from anonymizer.data.aggregate import code_labels, count_people, label_together
from anonymizer.data.column import Column
from anonymizer.data.table import Table
from anonymizer.errors import DataError
from anonymizer.policy import Policy

MEMBER = "member"
"""The column of a file of targets that says who is in the release."""
TRUTHS = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
HELD_OUT = 10
"""At most one in so many people is held out: the classes of the others stay nearly as large."""
DRAW_TARGETS, DRAW_OWNERS = 1, 2
"""What is drawn with the seed, so that one draw does not change another."""


@dataclass(frozen=True, slots=True)
class AttackPlan:
    """How much is tried."""

    people: int = 2_000
    """How many people, or predicates, each attack is tried on."""
    seed: int = 0

    def __post_init__(self) -> None:
        if self.people < 1:
            raise DataError(f"people must be at least 1, got {self.people}.")


@dataclass(frozen=True, slots=True, eq=False)
class Others:
    """Records of another table; a column that it does not have has no value."""

    name: str
    leaves: Integers
    there: tuple[int, ...]
    """The columns that it has."""
    texts: Mapping[str, Column]
    """Columns beside: who a record is of, or whether somebody is in the release."""


@dataclass(frozen=True, eq=False)
class Setting:
    """All that an attack may look at; the attacker sees less, as each attack says."""

    policy: Policy
    cells: ReleasedCells
    """The released rows that are not redacted."""
    original: Integers
    """The leaves of the original: a row for each column, a column for each record."""
    quasi: tuple[int, ...]
    """Which of the columns are quasi-identifiers."""
    sensitive: tuple[int, ...]
    identity: Mapping[str, Column]
    """The identifying columns of the original."""
    person: Integers
    """Whose each record of the original is, by number: its own where the policy names no id."""
    plan: AttackPlan
    table: Table
    """The original."""
    released: Table
    manifest: Mapping[str, Any] | None = None
    control: Others | None = None
    population: Others | None = None
    targets: Others | None = None
    earlier: Setting | None = None
    """An earlier release of some of the same people."""
    own_original: bool = True
    """Whether the original is the one that the release was made from."""

    @cached_property
    def owners(self) -> Integers:
        """Whose record each released row is."""
        return find_owners(self.cells, self.original, self.random(DRAW_OWNERS))

    @cached_property
    def own_row(self) -> Integers:
        """The released row of each record of the original; `NOBODY` of what is suppressed."""
        rows = np.full(self.original.shape[1], NOBODY, np.int64)
        known = self.owners != NOBODY
        rows[self.owners[known]] = np.flatnonzero(known)
        return rows

    @cached_property
    def row_classes(self) -> tuple[Integers, int]:
        """The class of each released row, and how many classes there are."""
        cells, quasi = self.cells, list(self.quasi)
        codes = [*cells.levels[quasi], *cells.codes[quasi]]
        labels = label_together(map(code_labels, codes), cells.rows)
        return labels.of_row.astype(np.int64), labels.number

    def in_order(self) -> Setting:
        """Return the same rows in an order that their cells decide, so that no shuffle changes a draw."""
        codes = [*self.cells.levels, *self.cells.codes]
        return replace(self, cells=self.cells.keep(np.lexsort(codes)))

    def random(self, *what: int) -> np.random.Generator:
        """Return the randomness of one thing that is drawn."""
        return np.random.default_rng([self.plan.seed, *what])

    @cached_property
    def drawn(self) -> tuple[Integers, Integers]:
        """People of the original who are attacked, and others who are held out, drawn at random.

        Each is a record: of a person with several, one that is drawn.
        """
        records = self.random(DRAW_TARGETS).permutation(self.original.shape[1])
        order = records[np.sort(np.unique(self.person[records], return_index=True)[1])]
        tenth = min(self.plan.people, max(1, order.size // HELD_OUT)) if order.size > 1 else 0
        return order[tenth : tenth + self.plan.people], order[:tenth]

    def count_people(self, group_of_record: NDArray[np.integer[Any]], groups: int) -> Integers:
        """Count the people of the original in each of some groups of its records."""
        return count_people(group_of_record, self.person, groups)

    def name(self, column: int) -> str:
        """Name a column."""
        return self.cells.columns[column].name


@dataclass(frozen=True, slots=True, eq=False)
class Targets:
    """People whom an attack is tried on, and the released rows that it looks at."""

    cells: ReleasedCells
    leaves: Integers

    @property
    def size(self) -> int:
        """The number of people."""
        return int(self.leaves.shape[1])


def people_in(setting: Setting) -> Targets:
    """Return people of the original; attacked with the release as it is."""
    return Targets(setting.cells, setting.original[:, setting.drawn[0]])


def people_outside(setting: Setting, needed: Sequence[int]) -> tuple[Targets, str]:
    """Return people who are not in the release, and say who they are.

    Records of the control table if it has what is needed; else some people of the original, attacked with
    the release without the rows of all of them.
    """
    control = setting.control
    if control is not None and set(needed) <= set(control.there):
        drawn = setting.random(DRAW_TARGETS).permutation(control.leaves.shape[1])
        chosen = drawn[: setting.plan.people]
        who = f"people of {control.name}, who are not in the release"
        return Targets(setting.cells, control.leaves[:, chosen]), who
    held_out = setting.drawn[1]
    theirs = np.flatnonzero(np.isin(setting.person, setting.person[held_out]))
    left = setting.cells.keep(~np.isin(setting.owners, theirs))
    who = "other people of the original, with the rows of all of them taken out of the release"
    return Targets(left, setting.original[:, held_out]), who


def own_people(setting: Setting, earlier: Setting) -> Setting:
    """Look for the people of this original in an earlier release whose own original is not at hand."""
    return replace(earlier, table=setting.table, own_original=False)


def members(targets: Others) -> NDArray[np.bool_]:
    """Return who of the targets is in the release."""
    column = targets.texts[MEMBER]
    wrong = [text for text in column.texts if text.strip().lower() not in TRUTHS]
    if wrong:
        raise DataError(
            f"{targets.name}: row {column.first_row(wrong) + 1} of column '{MEMBER}' is neither 1 nor 0; "
            "fix that row."
        )
    truth = np.array([TRUTHS[text.strip().lower()] for text in column.texts], np.bool_)
    return truth[column.codes]
