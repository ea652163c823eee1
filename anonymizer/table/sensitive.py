"""Sensitive columns: who in each class has which value, counted from tuples, never from rows."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.column import Tuples
from anonymizer.kernels.histograms import (
    count_chosen,
    count_values,
    entropies,
    largest_counts,
    sum_entries,
)
from anonymizer.kernels.partition import label_keys
from anonymizer.table.domain import read_only
from anonymizer.table.people import People

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SensitiveColumn:
    """A column that is not a quasi-identifier: which of its values each distinct tuple occurs with.

    There is a pair for each tuple and each value that it occurs with, in the order of the tuples.
    """

    texts: tuple[str, ...]
    """The values, in their order as texts; the empty one is a missing cell."""
    tuple_of_pair: NDArray[np.int32]
    value_of_pair: NDArray[np.int32]
    records: Integers
    """The records of each pair."""
    number_of_people: int
    """The different people of the table."""
    people: People | None = None
    """Whose the pairs are; None where each record is a person."""
    input_shares: NDArray[np.float64] | None = None
    """The share of each value in the input, where the table is not all of it."""
    below: NDArray[np.float64] | float = 0.0
    """How far below these each may be; models judge with the worst, or if negative the best."""
    above: NDArray[np.float64] | float = 0.0
    """How far above these each may be, likewise."""

    @staticmethod
    def of(
        wider: Tuples, column: int, tuple_of_wide: NDArray[np.int32], people: Integers | None
    ) -> SensitiveColumn:
        """Pair tuples with the values of a column of wider tuples, given the tuple of each of these.

        `people` numbers the people of the wider tuples, where a person may have several.
        """
        codes = wider.codes[column]
        return SensitiveColumn.of_rows(
            wider.texts[column], tuple_of_wide, codes, wider.counts, people
        )

    @staticmethod
    def of_rows(
        texts: tuple[str, ...],
        tuple_of_row: NDArray[np.integer],
        value_of_row: NDArray[np.integer],
        counts: NDArray[np.integer],
        people: Integers | None,
    ) -> SensitiveColumn:
        """Pair tuples with values, given both of rows, each with the number of records it stands for.

        `people` numbers whose the rows are, where a person may have several.
        """
        keys = tuple_of_row.astype(np.int64) * len(texts) + value_of_row
        pairs, pair_of_row = np.unique(keys, return_inverse=True)
        holders = None
        if people is not None:
            holders = People.of_rows(people, pair_of_row.astype(np.int32), pairs.size)
        tuple_of_pair, value_of_pair = np.divmod(pairs, len(texts))
        records = np.bincount(pair_of_row, counts, pairs.size).astype(np.int64)
        return SensitiveColumn(
            texts,
            read_only(tuple_of_pair.astype(np.int32)),
            read_only(value_of_pair.astype(np.int32)),
            read_only(records),
            int(records.sum()) if holders is None else holders.number,
            holders,
        )

    def among(self, tuples: NDArray[np.bool_]) -> SensitiveColumn:
        """Return the column of a table with some of the tuples alone, which keep their numbers."""
        kept = tuples[self.tuple_of_pair]
        values, value_of_pair = np.unique(self.value_of_pair[kept], return_inverse=True)
        records, people = (
            self.records[kept],
            None if self.people is None else self.people.among(kept),
        )
        return SensitiveColumn(
            tuple(self.texts[value] for value in values),
            read_only(self.tuple_of_pair[kept]),
            read_only(value_of_pair.astype(np.int32)),
            read_only(records),
            int(records.sum()) if people is None else people.number,
            people,
        )

    @cached_property
    def counts(self) -> Integers:
        """How many people of the table have each value."""
        if self.people is not None:
            return read_only(self.people.class_sizes(self.value_of_pair, len(self.texts)))
        records = np.bincount(self.value_of_pair, self.records, len(self.texts))
        return read_only(records.astype(np.int64))

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """The share of each value in the input; they add up to 1."""
        if self.input_shares is not None:
            return self.input_shares
        return read_only(self.counts / max(1, int(self.counts.sum())))

    @property
    def moved(self) -> float:
        """How much of the whole may be at other values than the shares say; negative for the best.

        Shares add up to 1: the sum of all shortfalls is that of all excesses.
        """
        below, above = float(np.sum(self.below)), float(np.sum(self.above))
        return min(below, above, key=abs)

    @cached_property
    def shares_of_people(self) -> NDArray[np.float64]:
        """The share of the people of the input who have each value: they may have several."""
        if self.input_shares is not None:
            return self.input_shares
        return read_only(self.counts / self.number_of_people)

    def choose(self, values: Collection[str] | None) -> NDArray[np.bool_]:
        """Mark some values; all where none are named."""
        if values is None:
            return np.ones(len(self.texts), np.bool_)
        return np.array([text in values for text in self.texts], np.bool_)

    def people_with(
        self, labels: NDArray[np.int32], classes: int, chosen: NDArray[np.bool_]
    ) -> Integers:
        """Count the people of each class who have one of the chosen values, or several, each once."""
        of_pair = np.where(chosen[self.value_of_pair], labels[self.tuple_of_pair], classes)
        if self.people is not None:
            return self.people.class_sizes(of_pair.astype(np.int32), classes + 1)[:-1]
        return np.bincount(of_pair, self.records, classes + 1)[:-1].astype(np.int64)

    def all_have(
        self, labels: NDArray[np.int32], sizes: Integers, chosen: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Mark the classes in which everybody has one of the chosen values, given their people."""
        found: NDArray[np.bool_] = self.people_with(labels, sizes.size, chosen) == sizes
        return found

    def histograms(
        self, labels: NDArray[np.int32], sizes: Integers, classes: NDArray[np.bool_]
    ) -> ClassHistograms:
        """Count the values in some classes, given the class of each tuple; the others have none."""
        values = len(self.texts)
        if self.people is None:
            starts, of_class, counts = count_values(
                labels, self.tuple_of_pair, self.value_of_pair, self.records, classes, values
            )
        else:
            starts, of_class, counts = self.count_holders(labels, classes)
        return ClassHistograms(starts, of_class, counts, sizes, classes)

    def count_holders(
        self, labels: NDArray[np.int32], classes: NDArray[np.bool_]
    ) -> tuple[Integers, NDArray[np.int32], Integers]:
        """Count the different people with each value in each class."""
        assert self.people is not None
        of_pair = labels[self.tuple_of_pair]
        keys = of_pair.astype(np.int64) * len(self.texts) + self.value_of_pair
        label_of_pair, first = label_keys(keys)
        counts = self.people.class_sizes(label_of_pair, first.size)
        order = np.argsort(of_pair[first], kind="stable")
        order = order[classes[of_pair[first[order]]]]
        starts = np.searchsorted(of_pair[first[order]], np.arange(classes.size + 1))
        return starts, self.value_of_pair[first[order]], counts[order]


@dataclass(frozen=True, eq=False)
class ClassHistograms:
    """The values that occur in each class, class after class, with the people who have them."""

    starts: Integers
    """Where the entries of each class begin; the last is where they end."""
    values: NDArray[np.int32]
    counts: Integers
    """The people of the class who have the value: whoever has several values counts for each."""
    sizes: Integers
    """The people in each class."""
    counted: NDArray[np.bool_]
    """The classes that were counted; the others have no entries."""

    @cached_property
    def totals(self) -> Integers:
        """The sum of each class: its people, each counted once for every value they have."""
        totals: Integers = sum_entries(self.starts, self.counts)
        return totals

    @cached_property
    def entropies(self) -> NDArray[np.float64]:
        """The entropy of each class in nats."""
        found: NDArray[np.float64] = entropies(self.starts, self.counts)
        return found

    @property
    def distinct(self) -> Integers:
        """How many values each class has."""
        return np.diff(self.starts)

    def with_any(self, chosen: NDArray[np.bool_]) -> Integers:
        """Sum the counts of the chosen values in each class."""
        sums: Integers = count_chosen(self.starts, self.values, self.counts, chosen)
        return sums

    @property
    def of_one_value(self) -> NDArray[np.bool_]:
        """Mark the classes in which everybody has the same value."""
        everything = np.ones(int(self.values.max(initial=-1)) + 1, np.bool_)
        found: NDArray[np.bool_] = (self.largest(everything) == self.sizes) & (self.sizes > 0)
        return found

    def largest(self, chosen: NDArray[np.bool_]) -> Integers:
        """Return how many people of each class share one of the chosen values, at most."""
        found: Integers = largest_counts(self.starts, self.values, self.counts, chosen)
        return found
