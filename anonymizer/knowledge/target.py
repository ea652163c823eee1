"""The table as an attacker sees it: who matches whom, for every set of groups that may be known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonymizer.errors import DataError
from anonymizer.kernels.known_sets import add_matches
from anonymizer.kernels.partition import sum_by_label
from anonymizer.knowledge.overall_risk import Labels, label_together, one_part
from anonymizer.knowledge.scenario import AttributeGroup, Scenario
from anonymizer.knowledge.values import Subjects, Values, distinct_rows

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

MIXTURE_LIMIT = 200
"""So many combinations of levels in one table; each is compared with each."""


class Join(NamedTuple):
    """Rows of one or two combinations of levels, at levels where covering is equality.

    The rows before `split` have one combination, the others the other; in a join of one combination
    with itself, `split` is None.
    """

    rows: NDArray[np.int32]
    split: int | None
    values: tuple[Labels, ...]
    """The labels of the rows by the values of each group."""
    matching: bool = True
    """False where it only counts equal values, of whatever levels."""


class Knowledge(NamedTuple):
    """A set of groups that may be known, and what follows."""

    known: NDArray[np.bool_]
    matches: Integers
    """The records that match each row on what is known, itself included."""
    class_sizes: Integers
    """The records of each class of equal values, from which the population is estimated."""


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """A scenario against a table, given as rows that the attacker can tell apart, with counts."""

    scenario: Scenario
    counts: Integers
    chances: Floats
    """chances[kind, group] = the probability that the attacker learns the group, of a kind of people."""
    kind: NDArray[np.int32]
    """The kind of each row: people of whom everything is learned with the same probability."""
    joins: tuple[Join, ...]
    """The first has all rows and counts who has equal values."""
    row_of_tuple: NDArray[np.int32]

    @staticmethod
    def of(subjects: Subjects, scenario: Scenario) -> Target:
        """Keep what the scenario can tell apart; its attributes must be the table's."""
        row_of_tuple, first = subjects.project(scenario.named)
        counts = np.bincount(row_of_tuple, subjects.counts, first.size).astype(np.int64)
        codes = {name: subjects.codes[name][first] for name in scenario.named}
        chances, kind = find_kinds(scenario, subjects.attributes, codes, first.size)
        joins = tuple(make_joins(scenario, subjects.attributes, codes, first.size))
        return Target(scenario, counts, chances, kind, joins, row_of_tuple)

    @property
    def records(self) -> int:
        """The number of records."""
        return int(self.counts.sum())

    @property
    def records_of_kind(self) -> Integers:
        """The number of records of each kind."""
        counted: Integers = sum_by_label(self.kind, self.counts, len(self.chances))
        return counted

    def look(self, known: NDArray[np.bool_], partitions: Sequence[Labels]) -> Knowledge:
        """Count who matches whom in the partitions that some known groups make."""
        matches = np.zeros(self.counts.size, np.int64)
        for join, labels in zip(self.joins, partitions, strict=True):
            if join.matching:
                self.count_matches(join, labels, matches)
        equal = partitions[0]
        sizes: Integers = sum_by_label(equal.of_row, self.counts, equal.number)
        return Knowledge(known, matches, sizes)

    def count_matches(self, join: Join, labels: Labels, matches: Integers) -> None:
        """Add the records that match each row of a join."""
        if join.split is None:
            sums = sum_by_label(labels.of_row, self.counts[join.rows], labels.number)
            matches[join.rows] += sums[labels.of_row]
        else:
            add_matches(labels.of_row, join.split, self.counts, join.rows, labels.number, matches)

    def start(self) -> list[Labels]:
        """Return the partitions when nothing is known."""
        return [one_part(join.rows.size) for join in self.joins]

    def learn(self, partitions: Sequence[Labels], group: int) -> list[Labels]:
        """Split the partitions by what a group tells."""
        pairs = zip(partitions, self.joins, strict=True)
        return [labels.refine(join.values[group]) for labels, join in pairs]

    def branches(self, depth: int) -> list[tuple[bool, ...]]:
        """List what may be known of the first groups: the parts that a walk can be divided into."""
        found: list[tuple[bool, ...]] = [()]
        for _ in range(min(depth, len(self.scenario.groups))):
            found = [(*branch, known) for branch in found for known in (False, True)]
        return [branch for branch in found if (self.left_out(branch) < 2).any()]

    def weigh(self, known: NDArray[np.bool_]) -> tuple[Floats, Floats]:
        """Return how likely just these groups are known, for each kind, and the same but for each group.

        `but_for[group, kind]` is the probability if the group were never learned; 0 for known groups.
        """
        factors = np.where(known, self.chances, 1 - self.chances)
        but_for = np.zeros(factors.T.shape)
        for group in np.flatnonzero(~known):
            but_for[group] = np.delete(factors, group, axis=1).prod(axis=1)
        return factors.prod(axis=1), but_for

    def left_out(self, branch: Sequence[bool]) -> NDArray[np.int8]:
        """Return for each kind 0 if a set may be known, 1 if it may but for one group, else 2.

        The one group is certain to be learned and is not in the set: what if it were never learned?
        """
        left_out = np.zeros(len(self.chances), np.int8)
        for group, known in enumerate(branch):
            self.leave_out(left_out, group, known)
        return left_out

    def leave_out(self, left_out: NDArray[np.int8], group: int, known: bool) -> None:
        """Bring `left_out` up to date with one more group."""
        learned = self.chances[:, group]
        if known:
            left_out[learned == 0] = 2
        else:
            left_out[learned == 1] += 1
        np.minimum(left_out, 2, out=left_out)

    def walk(self, branch: tuple[bool, ...]) -> Iterator[Knowledge]:
        """Yield every set of groups that begins so and may be known by, or but for, one group."""
        partitions = self.start()
        for group, known in enumerate(branch):
            if known:
                partitions = self.learn(partitions, group)
        yield from self._walk(branch, partitions, self.left_out(branch))

    def _walk(
        self, branch: tuple[bool, ...], partitions: list[Labels], left_out: NDArray[np.int8]
    ) -> Iterator[Knowledge]:
        group = len(branch)
        if group == len(self.scenario.groups):
            yield self.look(np.array(branch, np.bool_), partitions)
            return
        for known in (False, True):
            further = left_out.copy()
            self.leave_out(further, group, known)
            if (further < 2).any():  # else it cannot happen, not even but for one group
                split = self.learn(partitions, group) if known else partitions
                yield from self._walk((*branch, known), split, further)


def find_kinds(
    scenario: Scenario,
    values: Mapping[str, Values],
    codes: Mapping[str, NDArray[np.int32]],
    rows: int,
) -> tuple[Floats, NDArray[np.int32]]:
    """Return the probabilities that groups are learned for each kind of people, and each row's kind."""
    by = dict.fromkeys(group.by for group in scenario.groups if group.by is not None)
    of_row, first = distinct_rows([codes[name] for name in by], rows)
    learned = np.empty((first.size, len(scenario.groups)))
    for column, group in zip(learned.T, scenario.groups, strict=True):
        if group.by is None:
            column[:] = group.probability
        else:
            column[:] = chances_by_value(group, values[group.by])[codes[group.by][first]]
    chances, kind = np.unique(learned, axis=0, return_inverse=True)
    return chances, kind.ravel().astype(np.int32)[of_row]


def chances_by_value(group: AttributeGroup, values: Values) -> Floats:
    """Return the probability that a group is learned, for each value of the attribute it hangs on.

    A generalized value stands for the likeliest of those it covers: what is not known must not look
    safe.
    """
    numbers = range(len(values.texts))
    return np.array([group.probability_of(values.leaves_of(value)).max() for value in numbers])


def make_joins(
    scenario: Scenario,
    values: Mapping[str, Values],
    codes: Mapping[str, NDArray[np.int32]],
    rows: int,
) -> Iterator[Join]:
    """Compare the rows of each combination of levels with themselves and with those of each other."""
    told = [
        (name, group.levels.get(name, 0)) for group in scenario.groups for name in group.attributes
    ]
    levels = np.array([np.maximum(values[name].levels[codes[name]], least) for name, least in told])
    kind, first = distinct_rows(list(levels), rows)
    if first.size > MIXTURE_LIMIT:
        raise DataError(
            f"the table mixes {first.size} combinations of levels, more than the {MIXTURE_LIMIT} that "
            "can be compared; generalize each column to one level."
        )
    everybody = np.arange(rows)

    def at(rows: NDArray[np.intp], levels: Integers, split: int | None) -> Join:
        labels = label_groups(scenario, values, codes, rows, levels)
        return Join(rows.astype(np.int32), split, labels)

    if first.size > 1:  # values of different levels match, but they are not equal
        yield at(everybody, levels, None)._replace(matching=False)
    of_kind = [np.flatnonzero(kind == number) for number in range(first.size)]
    for rows_of_kind in of_kind:
        yield at(rows_of_kind, levels[:, rows_of_kind], None)
    for one, other in combinations(of_kind, 2):
        coarser = np.maximum(levels[:, one[:1]], levels[:, other[:1]])
        yield at(np.concatenate([one, other]), coarser, one.size)


def label_groups(
    scenario: Scenario,
    values: Mapping[str, Values],
    codes: Mapping[str, NDArray[np.int32]],
    rows: NDArray[np.intp],
    levels: Integers,
) -> tuple[Labels, ...]:
    """Label rows by the values of each group, at a level for each attribute of each group in turn."""
    level = iter(levels)
    labels = []
    for group in scenario.groups:
        of_group = []
        for name in group.attributes:
            at = np.broadcast_to(next(level), rows.size)
            # values of two levels are never equal: the level is a part of the label
            of_group += [at, values[name].ancestors[at, codes[name][rows]]]
        labels.append(label_together(of_group, rows.size))
    return tuple(labels)
