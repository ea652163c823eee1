"""Attack: a scenario against a table, and the matches for every set of groups that may be known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonymizer.attackers.cells import alike
from anonymizer.attackers.chances import Chances
from anonymizer.attackers.placed import Subjects, Values
from anonymizer.attackers.probability import HIGH
from anonymizer.attackers.scenario import Scenario
from anonymizer.data.aggregate import Labels, code_labels, label_together, one_part
from anonymizer.errors import DataError, PolicyError
from anonymizer.kernels.overall import add_matches
from anonymizer.kernels.partition import sum_by_label
from anonymizer.lattice import Scheme
from anonymizer.table.microdata import Microdata
from anonymizer.table.people import People

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Branch = tuple[bool, ...]
"""Which of the first groups are known."""

MIXTURE_LIMIT = 200
"""So many combinations of levels in one table; each is compared with each."""


class Join(NamedTuple):
    """Rows of one or two combinations of levels, at levels where to cover is to be equal.

    The rows before `split` have one combination, the others the other; in a join of one combination
    with itself, `split` is None.
    """

    rows: NDArray[np.int32]
    split: int | None
    group_labels: tuple[Labels, ...]
    """The labels of the rows by the values of each group."""


class Parts(NamedTuple):
    """The people whom an attacker with some known groups can tell apart."""

    equal: Labels
    """By equal values, of whatever levels."""
    joined: tuple[Labels, ...]
    """In each join: by values of which one covers the other."""


class Knowledge(NamedTuple):
    """A set of groups that may be known, and whom it tells apart."""

    known: NDArray[np.bool_]
    parts: Parts


class Matches(NamedTuple):
    """Who matches whom on what is known: `records[labels[row]]` records match a row, itself included.

    Where people have several records, people are counted.
    """

    labels: NDArray[np.int32]
    records: Integers
    class_sizes: Integers
    """The records of each class of equal values, from which the population is estimated."""
    people: Integers | None
    """How many people of the population match a row with each label, where there is a table of it."""


@dataclass(frozen=True, slots=True, eq=False)
class AttackedTable:
    """A scenario against a table, given as rows that the attacker can tell apart, with counts."""

    scenario: Scenario
    counts: Integers
    chances: Chances
    kind: NDArray[np.int32]
    """The kind of each row: people of whom everything is learned with the same probability."""
    group_labels: tuple[Labels, ...]
    """The labels of the rows by the values of each group."""
    joins: tuple[Join, ...]
    """Where the table mixes levels: who matches whom. Elsewhere none: equal values match."""
    row_of_tuple: NDArray[np.int32]
    """The row of each of the table's tuples; -1 for those that are suppressed."""
    population: Integers | None = None
    """The people of a population table in each row."""
    people: People | None = None
    """Whose the rows are, where people have several records."""
    monotone: bool = False
    """Whether u_S is taken as the highest of all that is known less: so that no risk falls as more is."""
    highest_estimates: dict[frozenset[int], float] = field(default_factory=dict)
    people_at_row: Integers | None = None
    """The people that means count at each row, by which they are most at risk; None: its records."""

    @staticmethod
    def of(
        subjects: Subjects,
        scenario: Scenario,
        kept: NDArray[np.bool_] | None = None,
        end: int = HIGH,
    ) -> AttackedTable:
        """Merge the tuples that the scenario, whose attributes must be the table's, cannot tell apart.

        `kept` marks the tuples that are not suppressed. Ranges count with one end of each.
        """
        monotone, scenario = scenario.has_learned_ranges, scenario.at(end)
        there = subjects.counts > 0
        there &= True if kept is None else kept
        tuples = np.flatnonzero(there | subjects.outside)
        codes = {name: subjects.codes[name][tuples] for name in scenario.named}
        values = label_groups(scenario, subjects.values, codes, tuples.size)
        chances, kind = Chances.of(scenario, subjects.values, codes, tuples.size)
        merged = label_together(values, tuples.size).refine(kind)
        first = merged.first_rows()
        codes = {name: numbers[first] for name, numbers in codes.items()}

        def count(of_tuple: Integers) -> Integers:
            counted: Integers = sum_by_label(merged.of_row, of_tuple[tuples], merged.number)
            return counted

        row_of_tuple = np.full(subjects.counts.size, -1, np.int32)
        row_of_tuple[tuples] = merged.of_row
        row_of_tuple = np.where(there, row_of_tuple, -1).astype(np.int32)
        return AttackedTable(
            scenario,
            count(np.where(there, subjects.counts, 0)),
            chances,
            kind.of_row[first],
            tuple(labels.take(first) for labels in values),
            tuple(make_joins(scenario, subjects.values, codes)),
            row_of_tuple,
            None if subjects.population is None else count(subjects.population),
            subjects.people(row_of_tuple, merged.number),
            monotone,
        )

    def counting_people(self, risks: Floats) -> AttackedTable:
        """Return the attack with means over people, each at the row with their highest risk."""
        assert self.people is not None
        at_row = self.people.at_highest(np.round(risks, 12))  # equal ones tie
        return replace(self, people_at_row=at_row)

    @property
    def weights(self) -> Integers:
        """What means count of each row: its records, or the people who are most at risk by it."""
        return self.counts if self.people_at_row is None else self.people_at_row

    @property
    def weight(self) -> int:
        """What means are over: records, or people."""
        return int(self.weights.sum())

    @property
    def weight_of_kind(self) -> Integers:
        """The same of each kind."""
        counted: Integers = sum_by_label(self.kind, self.weights, self.chances.kinds)
        return counted

    # --- who matches whom

    def start(self) -> Parts:
        """Return whom one who knows nothing can tell apart."""
        joined = tuple(one_part(join.rows.size) for join in self.joins)
        return Parts(one_part(self.counts.size), joined)

    def learn(self, parts: Parts, group: int) -> Parts:
        """Tell apart by one more group."""
        joined = zip(parts.joined, self.joins, strict=True)
        return Parts(
            parts.equal.refine(self.group_labels[group]),
            tuple(labels.refine(join.group_labels[group]) for labels, join in joined),
        )

    def know(self, known: Sequence[bool] | NDArray[np.bool_]) -> Knowledge:
        """Return whom one who knows some groups can tell apart."""
        parts = self.start()
        for group in np.flatnonzero(known).tolist():
            parts = self.learn(parts, group)
        return Knowledge(np.asarray(known, np.bool_), parts)

    def count(self, parts: Parts) -> Matches:
        """Count who matches whom."""
        sizes = self._people_of(parts.equal)
        if not self.joins:
            people = self.population
            if people is not None:
                people = sum_by_label(parts.equal.of_row, people, parts.equal.number)
            return Matches(parts.equal.of_row, sizes, sizes, people)
        labels = np.arange(self.counts.size, dtype=np.int32)
        people = None if self.population is None else self._matches(parts, self.population)
        return Matches(labels, self._people_who_match(parts), sizes, people)

    def _people_of(self, labels: Labels) -> Integers:
        """Count the different people with rows of each label."""
        if self.people is not None:
            return self.people.class_sizes(labels.of_row, labels.number)
        records: Integers = sum_by_label(labels.of_row, self.counts, labels.number)
        return records

    def _people_who_match(self, parts: Parts) -> Integers:
        """Count for each row those who match it, where the table mixes levels.

        Where people have several records, those of the join in which most match: somebody may be in
        several, and must not count twice.
        """
        if self.people is None:
            return self._matches(parts, self.counts)
        most = np.zeros(self.counts.size, np.int64)
        for join, labels in zip(self.joins, parts.joined, strict=True):
            one, other = slice(0, join.split), slice(join.split, None)
            for mine, theirs in (
                [(one, one)] if join.split is None else [(one, other), (other, one)]
            ):
                of_row = np.full(self.counts.size, labels.number, np.int32)
                of_row[join.rows[theirs]] = labels.of_row[theirs]
                sizes = self.people.class_sizes(of_row, labels.number + 1)
                rows = join.rows[mine]
                most[rows] = np.maximum(most[rows], sizes[labels.of_row[mine]])
        return most

    def _matches(self, parts: Parts, counts: Integers) -> Integers:
        """Count for each row those of some who match it, where the table mixes levels."""
        matches = np.zeros(counts.size, np.int64)
        for join, labels in zip(self.joins, parts.joined, strict=True):
            if join.split is None:
                sums = sum_by_label(labels.of_row, counts[join.rows], labels.number)
                matches[join.rows] += sums[labels.of_row]
            else:
                add_matches(labels.of_row, join.split, counts, join.rows, labels.number, matches)
        return matches

    # --- what may be known

    def branches(self, depth: int) -> list[Branch]:
        """List what may be known of the first groups: the parts that a walk can be divided into."""
        found: list[Branch] = [()]
        for _ in range(min(depth, len(self.scenario.learned))):
            found = [(*branch, known) for branch in found for known in (False, True)]
        return [branch for branch in found if (self.missed(branch) < 2).any()]

    def walk(self, branch: Branch = (), but_for: int = 0) -> Iterator[Knowledge]:
        """Yield every set of groups that begins so and may be known.

        With `but_for` = 1 also those that may be known but for one group, which is certain to be
        learned and is not in the set: what if it were never learned?
        """
        known = self.know(branch)
        yield from self._walk(branch, known.parts, self.missed(branch), but_for)

    def _walk(
        self, branch: Branch, parts: Parts, missed: Integers, but_for: int
    ) -> Iterator[Knowledge]:
        group = len(branch)
        if group == len(self.scenario.learned):
            known = np.array(branch, np.bool_)
            if self.may_be_known(known, but_for):
                yield Knowledge(known, parts)
            return
        for learned in (False, True):
            further = self.miss(missed, group, learned)
            if (further <= but_for).any():  # else it cannot happen
                split = self.learn(parts, group) if learned else parts
                yield from self._walk((*branch, learned), split, further, but_for)

    def may_be_known(self, known: NDArray[np.bool_], but_for: int) -> bool:
        """Whether a set may be known of anybody; with a common cause some can only be known together."""
        if self.chances.probability(known).any():
            return True
        return but_for > 0 and bool(self.chances.probability_without(known).any())

    def missed(self, branch: Branch) -> Integers:
        """Return for each kind how many groups that are certain are not in a set; 2 if it cannot be."""
        missed = np.zeros(self.chances.kinds, np.int64)
        for group, known in enumerate(branch):
            missed = self.miss(missed, group, known)
        return missed

    def miss(self, missed: Integers, group: int, known: bool) -> Integers:
        """Bring `missed` up to date with one more group."""
        learned = self.chances.learned[:, group]
        more = 2 * (learned == 0) if known else learned == 1
        counted: Integers = np.minimum(missed + more, 2)
        return counted


def attack_on(
    microdata: Microdata,
    scheme: Scheme,
    scenario: Scenario,
    kept: NDArray[np.bool_] | None = None,
) -> AttackedTable:
    """Return the attack on a table as a scheme generalizes it; for the rest see `Attack.of`."""
    heights = [column.hierarchy.height for column in microdata.columns]
    expanded = scenario.expand(microdata.attributes)
    if faults := check_levels(expanded, dict(zip(microdata.attributes, heights, strict=True))):
        raise PolicyError.defective("scenario", faults)
    return AttackedTable.of(Subjects.of(microdata, scheme), expanded, kept)


def check_levels(scenario: Scenario, heights: Mapping[str, int]) -> list[str]:
    """Say which attributes and levels of a scenario the table's hierarchies do not have."""
    faults = scenario.check_attributes(list(heights))
    return faults or [
        f"levels.{name}: {level} is above the top of its hierarchy, which has levels 0 to "
        f"{heights[name] - 1}."
        for group in scenario.learned
        for name, level in group.levels.items()
        if level >= heights[name]
    ]


def label_groups(
    scenario: Scenario,
    values: Mapping[str, Values],
    codes: Mapping[str, NDArray[np.integer]],
    rows: int,
) -> tuple[Labels, ...]:
    """Label the rows by their values of each group.

    Where the attacker knows an attribute more coarsely than the table has it, the records that the
    attacker's value covers match; where more finely, those whose value covers it. So the coarser level
    counts.
    """

    def label(name: str, least: int) -> Labels:
        return values[name].label(values[name].levels_from(least)).take(codes[name])

    return label_each(scenario, label, rows)


def label_each(
    scenario: Scenario, label: Callable[[str, int], Labels], rows: int
) -> tuple[Labels, ...]:
    """Label the rows by each group, given the labels by an attribute known at a level at best."""
    return tuple(
        label_together((label(name, group.levels.get(name, 0)) for name in group.attributes), rows)
        for group in scenario.learned
    )


def make_joins(
    scenario: Scenario,
    values: Mapping[str, Values],
    codes: Mapping[str, NDArray[np.integer]],
) -> Iterator[Join]:
    """Compare the rows of each combination of levels with themselves and with those of each other."""
    mixed = [
        values[name].levels_from(least)[codes[name]]
        for name, least in dict.fromkeys(known_levels(scenario))
        if np.ptp(values[name].levels_from(least)) > 0
    ]
    if not mixed:
        return
    mixtures = [these for _, these in alike(np.array(mixed))]
    if len(mixtures) > MIXTURE_LIMIT:
        raise DataError(
            f"the table mixes {len(mixtures)} combinations of levels, more than the {MIXTURE_LIMIT} that "
            "can be compared; generalize each column to one level."
        )

    def join(rows: Integers, split: int | None) -> Join:
        def label(name: str, least: int) -> Labels:
            numbers = codes[name][rows]
            coarsest = values[name].levels_from(least)[numbers].max()
            return code_labels(values[name].ancestors[coarsest, numbers])

        return Join(rows.astype(np.int32), split, label_each(scenario, label, rows.size))

    yield from (join(these, None) for these in mixtures)
    for one, other in combinations(mixtures, 2):
        yield join(np.concatenate([one, other]), one.size)


def known_levels(scenario: Scenario) -> list[tuple[str, int]]:
    """List the attributes that may be learned, each with the level at which it is known at best."""
    return [
        (name, group.levels.get(name, 0)) for group in scenario.learned for name in group.attributes
    ]
