"""People: whom the rows of a table belong to, where one person has several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.kernels.people import (
    add_highest_left,
    add_people,
    count_present,
    count_until_last,
    highest_by_history,
)
from anonymizer.table.domain import read_only

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class People:
    """Everyone in a table, by the distinct tuples that their rows show.

    People whose rows show one tuple only are counted with it. All others are put together by their
    history, the set of tuples that their rows show: whoever has the same history looks the same under
    every scheme. So counting costs time in tuples and histories, never in rows.
    """

    number: int
    """How many people there are."""
    of_tuple: Integers
    """For each tuple, the people whose rows show it alone."""
    of_history: Integers
    """For each history of several tuples, the people who share it."""
    starts: Integers
    """Where each history's tuples begin; the last is where they end."""
    tuple_of_entry: Integers
    """The tuples of all histories, one history after the other."""

    @staticmethod
    def of_rows(person_of_row: Integers, tuple_of_row: NDArray[np.int32], tuples: int) -> People:
        """Put the rows of each person together; people are numbered 0, 1, ... without a gap."""
        pairs = np.unique(person_of_row * tuples + tuple_of_row)
        person, tuple_of_pair = np.divmod(pairs, tuples)
        shown = np.bincount(person)
        alone = shown[person] == 1
        of_tuple = np.bincount(tuple_of_pair[alone], minlength=tuples)
        several = Histories.of(person[~alone], tuple_of_pair[~alone], tuples)
        return People(
            shown.size,
            read_only(of_tuple.astype(np.int64)),
            read_only(several.people),
            read_only(several.starts),
            read_only(several.tuples),
        )

    @property
    def history_of_entry(self) -> Integers:
        """The history of each entry."""
        return np.repeat(np.arange(self.of_history.size), np.diff(self.starts))

    def among(self, tuples: NDArray[np.bool_]) -> People:
        """Return the people who have a row among some tuples, by these alone; they are numbered anew."""
        number = np.cumsum(tuples) - 1
        kept = tuples[self.tuple_of_entry]
        history = self.history_of_entry[kept]
        left = np.bincount(history, minlength=self.of_history.size)
        entries, several = number[self.tuple_of_entry[kept]], left[history] > 1
        of_tuple = self.of_tuple[tuples]
        np.add.at(of_tuple, entries[~several], self.of_history[history[~several]])
        of_history = self.of_history[left > 1]
        return People(
            int(of_tuple.sum()) + int(of_history.sum()),
            read_only(of_tuple),
            read_only(of_history),
            read_only(np.concatenate([[0], np.cumsum(left[left > 1])])),
            read_only(entries[several]),
        )

    def class_sizes(self, labels: NDArray[np.int32], classes: int) -> Integers:
        """Count the people with rows in each class, each once; labels number the class of each tuple."""
        sizes = np.bincount(labels, self.of_tuple, classes).astype(np.int64)
        last = np.empty(classes, np.int64)
        add_people(labels, self.starts, self.tuple_of_entry, self.of_history, sizes, last)
        return sizes

    def present(self, tuples: NDArray[np.bool_]) -> int:
        """Count the people who have at least one row among some tuples."""
        several = count_present(tuples, self.starts, self.tuple_of_entry, self.of_history)
        return int(self.of_tuple[tuples].sum()) + int(several)

    def left_after(self, turn_of_tuple: Integers, turns: int) -> Integers:
        """Count the people who are left before the first turn and after each.

        A person is gone when the last tuple of their history is; a tuple that is never gone has `turns`.
        """
        gone = np.bincount(turn_of_tuple, self.of_tuple, turns + 1).astype(np.int64)
        count_until_last(turn_of_tuple, self.starts, self.tuple_of_entry, self.of_history, gone)
        return self.number - np.concatenate([[0], np.cumsum(gone[:-1])])

    def sum_highest_left(
        self, value_of_tuple: Floats, turn_of_tuple: Integers, turns: int
    ) -> Floats:
        """Sum the largest value among each person's tuples left, before the first turn and after each.

        A tuple that is gone before the first turn has turn -1. Right but for the rounding of sums.
        """
        sums = sum_left(value_of_tuple * self.of_tuple, turn_of_tuple, turns)
        changes = np.zeros(turns + 1)
        entries = self.starts, self.tuple_of_entry, self.of_history
        add_highest_left(turn_of_tuple, value_of_tuple, *entries, changes)
        return sums + np.cumsum(changes)

    def highest(self, value_of_tuple: Floats) -> tuple[Floats, Integers]:
        """Return the largest value among each person's tuples, with how many people have it.

        One entry for each tuple that somebody shows alone or nobody does, then one for each history.
        """
        several = self.highest_of_histories(value_of_tuple)
        values = np.concatenate([value_of_tuple, several])
        return values, np.concatenate([self.of_tuple, self.of_history])

    def at_highest(self, value_of_tuple: Floats) -> Integers:
        """Count each person once, at the tuple with the largest value; of equal ones, at the first.

        >>> people = People.of_rows(np.array([0, 0, 1]), np.array([0, 1, 1], np.int32), 2)
        >>> people.at_highest(np.array([0.5, 0.2])).tolist()
        [1, 1]
        """
        counts = self.of_tuple.copy()
        np.add.at(counts, self.highest_tuples(value_of_tuple), self.of_history)
        return counts

    def highest_tuples(self, value_of_tuple: Floats) -> Integers:
        """Return of each history the tuple with the largest value; of equal ones, the first."""
        order = np.lexsort((-value_of_tuple[self.tuple_of_entry], self.history_of_entry))
        return self.tuple_of_entry[order[self.starts[:-1]]]

    def highest_of_histories(self, value_of_tuple: NDArray[Any]) -> NDArray[Any]:
        """Return the largest value among the tuples of each history."""
        highest: NDArray[Any] = highest_by_history(value_of_tuple, self.starts, self.tuple_of_entry)
        return highest

    def highest_in_classes(
        self, value_of_tuple: Floats, labels: NDArray[np.integer]
    ) -> tuple[NDArray[np.integer], Floats, Integers]:
        """Return the largest value of each person in each class that they are in, once.

        Classes, values, and how many people have them; labels number the class of each tuple.
        """
        history, label = self.history_of_entry, labels[self.tuple_of_entry]
        value = value_of_tuple[self.tuple_of_entry]
        order = np.lexsort((-value, label, history))
        first = np.ones(order.size, np.bool_)
        first[1:] = (np.diff(history[order]) != 0) | (np.diff(label[order]) != 0)
        at = order[first]
        return (
            np.concatenate([labels, label[at]]),
            np.concatenate([value_of_tuple, value[at]]),
            np.concatenate([self.of_tuple, self.of_history[history[at]]]),
        )


def sum_left(values: Floats, turn: Integers, turns: int) -> Floats:
    """Sum the values that are left before the first turn and after each; turn -1 is gone before.

    >>> sum_left(np.array([4.0, 2.0, 1.0]), np.array([1, 0, -1]), 2).tolist()
    [6.0, 4.0, 0.0]
    """
    there = turn >= 0
    at_turn = np.bincount(turn[there], values[there], turns)
    return np.append(np.cumsum(at_turn[::-1])[::-1], 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Histories:
    """Sets of several tuples, and how many people have each."""

    people: Integers
    starts: Integers
    tuples: Integers

    @staticmethod
    def of(person: Integers, tuple_of_pair: Integers, tuples: int) -> Histories:
        """Put people with the same tuples together; pairs come by person and tuple."""
        if not person.size:
            nothing = np.zeros(0, np.int64)
            return Histories(nothing, np.zeros(1, np.int64), nothing)
        _, who = np.unique(person, return_inverse=True)
        starts = np.flatnonzero(np.diff(who, prepend=-1))
        position = np.arange(who.size) - starts[who]
        history = number_histories(who, tuple_of_pair, position, tuples)
        _, one_of_each, people = np.unique(history, return_index=True, return_counts=True)
        lengths = np.bincount(who)[one_of_each]
        ends = np.cumsum(lengths)
        entries = np.repeat(starts[one_of_each] - (ends - lengths), lengths) + np.arange(ends[-1])
        return Histories(
            people.astype(np.int64), np.concatenate([[0], ends]), tuple_of_pair[entries]
        )


def number_histories(
    person: Integers, tuple_of_pair: Integers, position: Integers, tuples: int
) -> Integers:
    """Number people by the set of their tuples; pairs come by person and tuple.

    One tuple after the other is added to everyone who has so many: equal so far and equal in the next
    is equal.
    """
    numbers = np.zeros(int(person[-1]) + 1, np.int64)
    used = 1
    by_position = np.argsort(position, kind="stable")
    ends = np.cumsum(np.bincount(position))
    for start, end in zip([0, *ends[:-1]], ends, strict=True):
        pairs = by_position[start:end]
        who = person[pairs]
        key = numbers[who] * tuples + tuple_of_pair[pairs]
        distinct, new = np.unique(key, return_inverse=True)
        numbers[who] = used + new
        used += distinct.size
    return np.unique(numbers, return_inverse=True)[1]
