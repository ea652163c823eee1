"""Counting people, each once, where a person may have several rows."""

from __future__ import annotations

import numpy as np

from anonymizer.kernels.compilation import kernel


@kernel
def add_people(labels, starts, tuple_of_entry, people, sizes, last):
    """Add to the size of each class the people with rows in it, each once.

    The entries from `starts[h]` to `starts[h + 1]` are the tuples of history h, which so many people
    share. `last` has a place for each class, whatever it holds.
    """
    last[: sizes.size] = -1
    for h in range(people.size):
        for e in range(starts[h], starts[h + 1]):
            label = labels[tuple_of_entry[e]]
            if last[label] != h:
                last[label] = h
                sizes[label] += people[h]


@kernel
def count_present(present, starts, tuple_of_entry, people):
    """Count the people who have at least one row among the tuples that are present."""
    total = 0
    for h in range(people.size):
        for e in range(starts[h], starts[h + 1]):
            if present[tuple_of_entry[e]]:
                total += people[h]
                break
    return total


@kernel
def count_until_last(turn_of_tuple, starts, tuple_of_entry, people, gone):
    """Count the people whose last row goes at each turn; adds to `gone`, one place for each turn."""
    for h in range(people.size):
        latest = 0
        for e in range(starts[h], starts[h + 1]):
            latest = max(latest, turn_of_tuple[tuple_of_entry[e]])
        gone[latest] += people[h]


@kernel
def highest_by_history(value_of_tuple, starts, tuple_of_entry):
    """Return the largest value among the tuples of each history."""
    highest = np.empty(starts.size - 1, value_of_tuple.dtype)
    for h in range(highest.size):
        value = value_of_tuple[tuple_of_entry[starts[h]]]
        for e in range(starts[h] + 1, starts[h + 1]):
            value = max(value, value_of_tuple[tuple_of_entry[e]])
        highest[h] = value
    return highest


@kernel
def add_highest_left(turn_of_tuple, value_of_tuple, starts, tuple_of_entry, people, changes):
    """Follow the largest value among the tuples of each history that are left, turn by turn.

    A tuple is left before and at its turn; one that never is has turn -1. Adds to `changes`, one place
    for each turn, by how much the sum over all people changes there.
    """
    for h in range(people.size):
        begin = 0  # the turn from which on the next value counts
        while True:
            highest, until = -np.inf, -1
            for e in range(starts[h], starts[h + 1]):
                turn, value = turn_of_tuple[tuple_of_entry[e]], value_of_tuple[tuple_of_entry[e]]
                if turn >= begin and (value > highest or (value == highest and turn > until)):
                    highest, until = value, turn
            if until < 0:
                break
            changes[begin] += people[h] * highest
            changes[until + 1] -= people[h] * highest
            begin = until + 1
