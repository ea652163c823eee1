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
