"""Histograms of classes: how many people of each class have which value of a column beside."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anonymizer.engine.domain import read_only
from anonymizer.engine.microdata import Beside, Microdata
from anonymizer.kernels.histograms import (
    count_chosen,
    count_values,
    largest_counts,
    sum_entries,
)
from anonymizer.kernels.partition import label_keys, sum_by_label

Integers = NDArray[np.int64]


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
    number_of_values: int
    """How many values the whole table has."""

    @staticmethod
    def of(
        microdata: Microdata, name: str, labels: NDArray[np.int32], sizes: Integers
    ) -> ClassHistograms:
        """Count the values of a column in each class, given the class of each tuple."""
        beside = microdata.beside[name]
        if microdata.people is None:
            found = count_values(
                labels, beside.codes, microdata.counts, sizes.size, len(beside.texts)
            )
        else:
            found = count_holders(microdata, beside, labels, sizes.size)
        return ClassHistograms(*found, sizes, len(beside.texts))

    @cached_property
    def totals(self) -> Integers:
        """The sum of each class: its people, each counted once for every value they have."""
        totals: Integers = sum_entries(self.starts, self.counts)
        return totals

    @property
    def distinct(self) -> Integers:
        """How many values each class has."""
        return np.diff(self.starts)

    def with_any(self, chosen: NDArray[np.bool_]) -> Integers:
        """Sum the counts of the chosen values in each class."""
        sums: Integers = count_chosen(self.starts, self.values, self.counts, chosen)
        return sums

    def largest(self, chosen: NDArray[np.bool_]) -> Integers:
        """Return how many people of each class share one of the chosen values."""
        found: Integers = largest_counts(self.starts, self.values, self.counts, chosen)
        return found


def count_holders(
    microdata: Microdata, beside: Beside, labels: NDArray[np.int32], classes: int
) -> tuple[Integers, NDArray[np.int32], Integers]:
    """Count the different people with each value in each class, where a person may have several rows."""
    values = len(beside.texts)
    pair_of_tuple, first = label_keys(labels.astype(np.int64) * values + beside.codes)
    records: Integers = sum_by_label(pair_of_tuple, microdata.counts, first.size)
    people = microdata.count_people(pair_of_tuple, records)
    order = np.argsort(labels[first], kind="stable")
    starts = np.searchsorted(labels[first][order], np.arange(classes + 1))
    return starts, beside.codes[first][order].astype(np.int32), people[order]


def overall_counts(microdata: Microdata, name: str) -> Integers:
    """Return how many people of the table have each value of a column beside."""
    beside = microdata.beside[name]

    def count() -> Integers:
        labels = beside.codes.astype(np.int32)
        records: Integers = sum_by_label(labels, microdata.counts, len(beside.texts))
        return read_only(microdata.count_people(labels, records))

    return microdata.once(beside, count)


def overall_shares(microdata: Microdata, name: str, of_people: bool = False) -> NDArray[np.float64]:
    """Return the share of each value in the input.

    They add up to 1, unless they are shares `of_people` who may have several values.
    """
    beside = microdata.beside[name]
    if beside.shares is not None:
        return beside.shares
    counts = overall_counts(microdata, name)
    return counts / (microdata.number_of_people if of_people else max(1, int(counts.sum())))


def choose(beside: Beside, values: Collection[str] | None) -> NDArray[np.bool_]:
    """Mark some values of a column; all where none are named."""
    if values is None:
        return np.ones(len(beside.texts), np.bool_)
    return np.array([text in values for text in beside.texts], np.bool_)
