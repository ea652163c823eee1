"""A table in small integers, as the checker sees it: distinct tuples, their classes, what is gone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anonymizer.proof.format import ProofError, Scheme

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Marks = NDArray[np.bool_]


class Unsupported(ProofError):  # noqa: N818 - not an error of the proof
    """A policy that the checker has no rule for; the message says which part."""


@dataclass(frozen=True, eq=False)
class Attribute:
    """A quasi-identifier: what each of its codes becomes at every level, and what that covers."""

    name: str
    groups: tuple[Integers, ...]
    """groups[level][code] numbers the values of a level."""
    covered: tuple[Integers, ...]
    """covered[level][code] counts the leaves below that value, or units of a continuous domain."""
    extent: int
    """All leaves or units: D."""
    least: int
    """What a single value covers: 1, or 0 in a continuous domain."""

    @property
    def only_merges(self) -> bool:
        """Whether every level merges groups of the one below, and no value covers less at it."""
        levels = zip(self.groups, self.groups[1:], self.covered, self.covered[1:], strict=False)
        return all(
            number_pairs(fine, coarse) == np.unique(fine).size and bool((covers <= more).all())
            for fine, coarse, covers, more in levels
        )


@dataclass(frozen=True, eq=False)
class Values:
    """A sensitive column: a pair for each tuple and each of its values, with records."""

    texts: tuple[str, ...]
    tuple_of_pair: Integers
    value_of_pair: Integers
    records: Integers
    owners: tuple[Integers, Integers] | None = None
    """Where people have several rows: a person and a pair of theirs, all of them once."""

    @cached_property
    def overall(self) -> Integers:
        """The people of the whole table who have each value."""
        every = np.ones(self.records.size, np.bool_)
        counted: Integers = self.count(np.zeros(self.records.size, np.int64), 1, every)[0]
        return counted

    def count(self, labels: Integers, size: int, kept: Marks) -> Integers:
        """Count the people with each value under each label, given those of the pairs that are kept."""
        width = len(self.texts)
        if size * width > 2**28:
            raise Unsupported("a sensitive column has too many values to be counted here.")
        keys = labels * width + self.value_of_pair
        if self.owners is None:
            counts = whole_sums(keys[kept], self.records[kept], size * width)
        else:
            person, pair = self.owners
            there = kept[pair]
            pairs = np.unique(person[there] * (size * width) + keys[pair[there]])
            counts = np.bincount(pairs % (size * width), minlength=size * width)
        return counts.reshape(size, width)


@dataclass(frozen=True, eq=False)
class Table:
    """The distinct quasi-identifier tuples of a table, with their records and people."""

    attributes: tuple[Attribute, ...]
    codes: Integers
    """A row for each attribute, a column for each tuple."""
    counts: Integers
    """The records of each tuple."""
    owners: tuple[Integers, Integers] | None = None
    """Where people have several rows: a person and a tuple of theirs, all of them once."""
    population: tuple[Integers, Integers, tuple[int, ...]] | None = None
    """Codes and counts of a population table, and which attributes it has."""
    values: Mapping[str, Values] = field(default_factory=dict)

    @cached_property
    def records(self) -> int:
        """N."""
        return int(self.counts.sum())

    @cached_property
    def people(self) -> int:
        """The number of different people."""
        return self.records if self.owners is None else int(np.unique(self.owners[0]).size)

    @cached_property
    def totals(self) -> list[Integers]:
        """The records of each code, attribute by attribute."""
        return [
            whole_sums(codes, self.counts, attribute.groups[0].size)
            for attribute, codes in zip(self.attributes, self.codes, strict=True)
        ]

    def partition(self, scheme: Scheme) -> Integers:
        """Number the tuples by their class: alike where all generalized values are equal."""
        return self.cells(dict(enumerate(scheme)))

    def cells(self, levels: Mapping[int, int]) -> Integers:
        """Number the tuples alike whose values of some attributes are equal on these levels."""
        return number_alike(self.attributes, self.codes, levels)

    def count(self, labels: Integers, kept: Marks) -> Integers:
        """Count the people of each label among the tuples that are kept."""
        size = int(labels.max(initial=-1)) + 1
        if self.owners is None:
            return whole_sums(labels[kept], self.counts[kept], size)
        person, of = self.owners
        there = kept[of]
        pairs = np.unique(person[there] * size + labels[of[there]])
        return np.bincount(pairs % size, minlength=size)

    def matching(self, levels: Mapping[int, int]) -> tuple[Integers, int]:
        """Count the people of the population who match each tuple, and those who match nobody."""
        assert self.population is not None
        codes, counts, _ = self.population
        labels = number_alike(self.attributes, np.concatenate([self.codes, codes], axis=1), levels)
        tuples = self.counts.size
        size = int(labels.max(initial=-1)) + 1
        people = whole_sums(labels[tuples:], counts, size)
        seen = np.zeros(size, np.bool_)
        seen[labels[:tuples]] = True
        return people[labels[:tuples]], int(people[~seen].sum())


@dataclass(frozen=True, eq=False)
class Group:
    """Records of which some must stay: parts of tuples, or where people have several rows, people."""

    name: str
    """The condition that tells it."""
    share: Fraction
    """What must stay of it."""
    tuple_of_part: Integers
    records: Integers
    """The records of each part."""
    owners: tuple[Integers, Integers] | None = None
    """Where people have several rows: a person and a part of theirs, all of them once."""

    def count(self, tuples: Marks) -> int:
        """Count the records in some tuples; or the people who have at least one there."""
        parts = tuples[self.tuple_of_part]
        if self.owners is None:
            return int(self.records[parts].sum())
        person, part = self.owners
        return int(np.unique(person[parts[part]]).size)

    @cached_property
    def least(self) -> int:
        """How many must stay."""
        return math.ceil(self.share * self.count(np.ones(self.largest + 1, np.bool_)))

    @property
    def largest(self) -> int:
        """The last tuple that has a part."""
        return int(self.tuple_of_part.max(initial=-1))

    def most_kept(self, gone: Gone) -> int:
        """Count how many can stay: who is not gone for certain, and of the others no more than a few."""
        sure = self.count(~gone.tuples)
        return min(sure, self.count(~(gone.tuples | gone.partly)) + gone.spared)


def number_pairs(fine: Integers, coarse: Integers) -> int:
    """Count the pairs of groups of two levels that have a code in common."""
    return int(np.unique(np.stack([fine, coarse]), axis=1).shape[1])


def number_alike(
    attributes: Sequence[Attribute], codes: Integers, levels: Mapping[int, int]
) -> Integers:
    """Number the columns of codes alike whose groups on these levels are all equal."""
    labels, size = np.zeros(codes.shape[1], np.int64), 1
    for at, level in levels.items():
        groups = attributes[at].groups[level]
        width = int(groups.max(initial=0)) + 1
        labels, size = labels * width + groups[codes[at]], size * width
        if size > codes.shape[1]:
            labels, size = renumber(labels, size)
    return renumber(labels, size)[0]


def renumber(labels: Integers, size: int) -> tuple[Integers, int]:
    """Number the labels that occur, below a size, without gaps; return how many there are, too."""
    if size > 64 * labels.size:  # what is sparse is sorted
        found = np.unique(labels, return_inverse=True)[1].astype(np.int64)
        return found, int(found.max(initial=-1)) + 1
    there = np.zeros(size, np.int64)
    there[labels] = 1
    numbers = np.cumsum(there) - 1
    return numbers[labels], int(there.sum())


def whole_sums(labels: Integers, counts: Integers, size: int) -> Integers:
    """Sum whole numbers by label; exact below 2 to the 53."""
    return np.bincount(labels, counts, size).astype(np.int64)


@dataclass(frozen=True, eq=False)
class View:
    """The tuples that are kept at a scheme, in their classes."""

    table: Table
    scheme: Scheme
    labels: Integers
    kept: Marks

    @cached_property
    def sizes(self) -> Integers:
        """The people of each class."""
        return self.table.count(self.labels, self.kept)

    @cached_property
    def records(self) -> Integers:
        """The records of each class."""
        return whole_sums(self.labels[self.kept], self.table.counts[self.kept], self.classes)

    @cached_property
    def classes(self) -> int:
        """The number of classes, those that are gone included."""
        return int(self.labels.max(initial=-1)) + 1

    @cached_property
    def there(self) -> Marks:
        """The classes that are not gone."""
        return self.records > 0

    @cached_property
    def histograms(self) -> dict[str, Integers]:
        """What `histogram` has counted."""
        return {}

    def histogram(self, name: str) -> Integers:
        """Count the people with each value of a sensitive column: a row for each class."""
        if name not in self.histograms:
            values = self.table.values[name]
            labels, kept = self.labels[values.tuple_of_pair], self.kept[values.tuple_of_pair]
            self.histograms[name] = values.count(labels, self.classes, kept)
        return self.histograms[name]

    def without(self, gone: Marks) -> View:
        """Return what is left when some tuples go."""
        return View(self.table, self.scheme, self.labels, ~gone)


@dataclass(frozen=True, eq=False)
class Gone:
    """Records that are gone: certain tuples, and of others, taken together, all but a few."""

    tuples: Marks
    partly: Marks
    """Of these tuples, no more than `spared` records are kept."""
    spared: int = 0

    @staticmethod
    def of(tuples: Marks) -> Gone:
        """Return tuples that are gone for certain."""
        return Gone(tuples, np.zeros(tuples.size, np.bool_))

    def count(self, table: Table) -> tuple[int, int]:
        """Count the records that are gone for certain, and those that go of the others at least."""
        others = int(table.counts[self.partly & ~self.tuples].sum())
        return int(table.counts[self.tuples].sum()), max(0, others - self.spared)

    def records(self, table: Table) -> int:
        """Count all records that are gone, at least."""
        return sum(self.count(table))
