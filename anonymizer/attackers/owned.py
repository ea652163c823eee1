"""The risk of each person, and uniqueness counted in people where a person has several rows.

A person is unique on a subset C of the attributes if no other person has the values of one of their rows
on C. Just one subset of a person is disclosed, so that the risk is the sum of z_C over the subsets on
which they are unique. A term counts in full if one person of the external table has these values, not at
all if several have, and times q_C if nobody has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonymizer.attackers.placed import number_people
from anonymizer.attackers.unique_subsets import Uniqueness
from anonymizer.data.aggregate import count_tuples
from anonymizer.data.column import Codes, Vocabulary, code_batches
from anonymizer.data.table import Table, check_rows, read_columns
from anonymizer.errors import DataError
from anonymizer.kernels.person_subsets import MANY, NONE, visit
from anonymizer.table.domain import read_only

Floats = NDArray[np.float64]
Owners = NDArray[np.int32]
"""The number of a person, NONE or MANY."""

MOST_STEPS = 1 << 34
"""Tuples times subsets that can be looked at in minutes."""


@dataclass(frozen=True, slots=True, eq=False)
class OwnedTuples:
    """The distinct tuples of a table, and of an external one, with whose they are."""

    attributes: tuple[str, ...]
    codes: NDArray[np.int32]
    """codes[attribute, tuple]"""
    ours: Owners
    theirs: Owners
    person_of_row: NDArray[np.int64]
    """The person of each row of our table."""
    external: bool

    @property
    def people(self) -> int:
        """The people of our table."""
        return int(self.person_of_row.max()) + 1

    @property
    def steps(self) -> int:
        """Tuples times subsets: what a walk may take."""
        return self.ours.size << len(self.attributes)

    @property
    def order(self) -> list[int]:
        """The attributes in the order in which they are decided on: what tells most comes first."""
        values = [np.unique(column).size for column in self.codes]
        return sorted(range(len(values)), key=lambda at: -values[at])

    def count(self) -> Uniqueness:
        """Count the people who are unique on each subset, and those of them who are found outside."""
        weights = np.zeros(1 << len(self.attributes))
        _, tallies = self.walk(weights, weights)
        counts = [read_only(tally) for tally in tallies[: 3 if self.external else 1]]
        return Uniqueness(self.attributes, self.people, self.ours.size, *counts)

    def risks(self, likelihood: Floats, unique_outside: Floats) -> Floats:
        """Return the risk of each person, given z and q of each subset."""
        return read_only(self.walk(likelihood, likelihood * unique_outside)[0])

    def walk(self, certain: Floats, likely: Floats) -> tuple[Floats, NDArray[np.int64]]:
        """Visit every subset: the risk of each person, and for each subset who is unique and found."""
        subsets, order = 1 << len(self.attributes), self.order
        leaves = leaf_places(order)
        trees = np.stack([sum_branches(weights[leaves]) for weights in (certain, likely)])
        tallies, risk = np.zeros((3, 2 * subsets), np.int64), np.zeros(self.people)
        bits, labels = np.zeros(self.people, np.int64), np.zeros(self.ours.size, np.int32)
        codes = np.ascontiguousarray(self.codes[order])
        sizes = codes.max(axis=1).astype(np.int64) + 1
        visit(codes, sizes, self.ours, self.theirs, labels, 1, 1, bits, trees, tallies, risk)
        counts = np.zeros((3, subsets), np.int64)
        counts[:, leaves] = spread_branches(tallies)
        return np.clip(risk, 0.0, 1.0), counts


def leaf_places(order: Sequence[int]) -> NDArray[np.int64]:
    """Return the number of the subset at each leaf of the tree of decisions, from left to right.

    >>> leaf_places([1, 0]).tolist()  # both, the second, the first, nothing
    [3, 2, 1, 0]
    """
    subsets = np.zeros(1, np.int64)
    for attribute in reversed(order):
        subsets = np.concatenate([subsets | 1 << attribute, subsets])
    return subsets


def sum_branches(leaves: Floats) -> Floats:
    """Sum up the leaves under each node of a binary tree; the root is node 1.

    >>> sum_branches(np.array([1.0, 2.0])).tolist()
    [0.0, 3.0, 1.0, 2.0]
    """
    tree = np.zeros(2 * leaves.size)
    tree[leaves.size :] = leaves
    for node in range(leaves.size.bit_length() - 2, -1, -1):
        first = 1 << node
        tree[first : 2 * first] = (
            tree[2 * first : 4 * first : 2] + tree[2 * first + 1 : 4 * first : 2]
        )
    return tree


def spread_branches(tree: NDArray[np.int64]) -> NDArray[np.int64]:
    """Add to each leaf of binary trees what its branches have, from the root on."""
    leaves = tree.shape[-1] // 2
    total = tree[..., 1:2]
    first = 2
    while first <= leaves:
        total = np.repeat(total, 2, axis=-1) + tree[..., first : 2 * first]
        first *= 2
    return total


def read_owned(
    table: Table,
    attributes: Sequence[str],
    person: str | None = None,
    external: Table | None = None,
    external_person: str | None = None,
) -> OwnedTuples:
    """Read the tuples of a table, and of an external one; without an id, each row is a person."""
    vocabularies = [Vocabulary() for _ in attributes]
    tables = [table] if external is None else [table, external]
    batches: list[list[Codes]] = []
    rows = []
    for each in tables:
        coded = list(code_batches(each.batches(attributes), vocabularies))
        rows.append(sum(batch[0].size for batch in coded))
        check_rows(each, rows[-1])
        batches += coded
    tuples = count_tuples(batches, [words.texts for words in vocabularies])
    check_steps(tuples.counts.size, len(attributes))
    people = [
        number_rows(each, name, count)
        for each, name, count in zip(tables, (person, external_person), rows, strict=False)
    ]
    ours = owners_of(tuples.tuple_of_row[: rows[0]], people[0], tuples.counts.size)
    theirs = np.full(tuples.counts.size, NONE, np.int32)
    if external is not None:
        theirs = owners_of(tuples.tuple_of_row[rows[0] :], people[1], tuples.counts.size)
    codes = np.stack([column.astype(np.int32) for column in tuples.codes])
    return OwnedTuples(tuple(attributes), codes, ours, theirs, people[0], external is not None)


class TooManyStepsError(DataError):
    """It would take hours to look at each person."""


def check_steps(tuples: int, attributes: int) -> None:
    """Raise a DataError if it would take hours to look at each person."""
    if tuples << attributes > MOST_STEPS:
        raise TooManyStepsError(
            f"{tuples:,} distinct combinations on {1 << attributes:,} subsets are too many to tell the "
            "risk of each person; leave out attributes with the lowest disclosure rates."
        )


def number_rows(table: Table, person: str | None, rows: int) -> NDArray[np.int64]:
    """Say whose each row of a table is; without a column for that, each is somebody else's."""
    if person is None:
        return np.arange(rows)
    return number_people(read_columns(table, [person])[person], table.name, person)


def owners_of(
    tuple_of_row: NDArray[np.int32], person_of_row: NDArray[np.int64], tuples: int
) -> Owners:
    """Say whose each tuple is: nobody's, one person's, or that of several."""
    least = np.full(tuples, np.iinfo(np.int64).max)
    most = np.full(tuples, NONE, np.int64)
    np.minimum.at(least, tuple_of_row, person_of_row)
    np.maximum.at(most, tuple_of_row, person_of_row)
    return np.where((most != NONE) & (least != most), MANY, most).astype(np.int32)
