"""Special uniques: the smallest sets of keys that make a record unique, scored as SUDA2 does.

Elliot, Manning, Ford 2002; the scores are those of sdcMicro's `suda2`. A set of keys is a minimal sample
unique (MSU) of a record if the record is unique by it and by no part of it. The smaller the sets, and the
more of them, the more likely the record is unique in the population too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import factorial, prod

import numpy as np
from numpy.typing import NDArray

from anonymizer.assessment.keys import Integers, KeySet
from anonymizer.errors import DataError
from anonymizer.kernels.partition import KEY_LIMIT, label_keys
from anonymizer.kernels.special_uniques import (
    drop_digit,
    list_unique,
    mark,
    merge_owners,
    select_unmarked,
)

MOST_KEYS = 12
"""Of more keys there are too many sets to look at them all."""
MOST_ENTRIES = 150_000_000
"""How many pairs of a set and a tuple unique by it are kept at once: 600 MB."""

Floats = NDArray[np.float64]
Labels = NDArray[np.signedinteger]


@dataclass(frozen=True, slots=True, eq=False)
class SpecialUniques:
    """The scores of the cells with one person in them, and what the keys contribute to these."""

    cells: Integers
    """The numbers of the cells that one person alone is in."""
    score: Floats
    """Of each of these: the sum over its MSUs of their weights, (M - m)! for a set of m of M keys."""
    smallest: Integers
    """Of each of these: the number of keys in its smallest MSU."""
    sets: Integers
    """The number of MSUs of each size, from 1 to M, over all these cells."""
    contributions: dict[str, float]
    """For each key, the share of all scores that is due to sets with it."""


def original_weight(keys: int, size: int) -> float:
    """Return what an MSU of some size adds to the score.

    >>> original_weight(3, 2)
    1.0
    """
    return float(factorial(keys - size))


def dis_power(keys: int) -> float:
    """Return the exponent of DIS-SUDA for so many keys.

    >>> dis_power(3)
    1.25
    """
    return 1 + (8 - keys) / 20


def dis_scores(scores: Floats, uniques: int, pairs: int, power: float, fraction: float) -> Floats:
    """Turn scores into DIS-SUDA: the probability that a match with the record is a right one.

    `uniques` and `pairs` are the records in cells of 1 and of 2; `fraction` is the share of the
    population that the table is (sdcMicro's `DisFraction`), `power` comes from `dis_power`.
    """
    scored = scores > 0
    if not scored.any():
        return np.zeros_like(scores)
    right = uniques * fraction / (uniques * fraction + pairs * (1 - fraction))
    s = scores[scored]
    dis = np.zeros_like(scores)
    dis[scored] = 1 / (1 + (uniques / right - uniques) / (s**power * (s**-power).sum()))
    return dis


def why_infeasible(key_set: KeySet) -> str | None:
    """Say why the sets of keys are too many to look at; None where they are not."""
    keys = len(key_set.keys)
    if keys > MOST_KEYS:
        return (
            f"special uniques were not scored: {keys} keys have {2**keys - 1:,} combinations; "
            f"name at most {MOST_KEYS} keys for the source."
        )
    if prod(radices(key_set)) > KEY_LIMIT:
        return (
            "special uniques were not scored: the keys have too many different values; coarsen one "
            "with `levels`."
        )
    return None


def radices(key_set: KeySet) -> list[int]:
    """Count the values of each key at the level the attacker knows."""
    columns = zip(key_set.microdata.columns, key_set.base, strict=True)
    return [column.group_counts[level] for column, level in columns]


def owners_of_cells(key_set: KeySet) -> Integers:
    """Return who alone is in a cell, numbered by history; -1 where several people are."""
    people, classes = key_set.people.everybody, key_set.classes()
    history = people.history_of_entry
    owner_of_entry = np.where(people.of_history[history] == 1, history, -1)
    cell_of_entry = classes.label_of_tuple[people.tuple_of_entry]
    owners: Integers = merge_owners(cell_of_entry, owner_of_entry, classes.sizes.size)
    return owners


def find_special_uniques(
    key_set: KeySet,
    on_set: Callable[[int], None] | None = None,
    weight: Callable[[int, int], float] = original_weight,
) -> SpecialUniques:
    """Find the minimal sample uniques of every cell with one person, and score them.

    `on_set` is told the number of sets looked at; `why_infeasible` says beforehand if it cannot be done.
    `weight` says what a set adds to the score, given how many keys there are and how many it has.
    """
    keys = len(key_set.keys)
    cells, unique_by = unique_cells(key_set, on_set)
    score, smallest = np.zeros(cells.size), np.full(cells.size, keys)
    sets, by_key = np.zeros(keys, np.int64), np.zeros(keys)
    for subset, minimal in minimal_sets(unique_by, cells.size):
        size = subset.bit_count()
        score[minimal] += weight(keys, size)
        smallest[minimal] = np.minimum(smallest[minimal], size)
        sets[size - 1] += minimal.size
        inside = np.array([bool(subset >> key & 1) for key in range(keys)])
        by_key += inside * weight(keys, size) * minimal.size
    contributions = name_contributions(key_set, by_key, score.sum())
    return SpecialUniques(cells, score, smallest, sets, contributions)


def name_contributions(key_set: KeySet, by_key: Floats, total: float) -> dict[str, float]:
    """Return the share of the total for each key; nothing where there is none."""
    shares = by_key / total if total else by_key
    return dict(zip(key_set.keys, shares.tolist(), strict=True))


def minimal_sets(
    unique_by: dict[int, NDArray[np.int32]], cells: int
) -> Iterator[tuple[int, NDArray[np.int32]]]:
    """Yield each set of keys with the cells that are unique by it and by no set of one key less."""
    marked = np.zeros(cells, np.bool_)
    for subset, unique in unique_by.items():
        smaller = [subset & ~(1 << key) for key in range(subset.bit_length()) if subset >> key & 1]
        parts = [unique_by[part] for part in smaller if part in unique_by]
        for part in parts:
            mark(marked, part, True)
        minimal = select_unmarked(unique, marked)
        for part in parts:
            mark(marked, part, False)
        if minimal.size:
            yield subset, minimal


def unique_cells(
    key_set: KeySet, on_set: Callable[[int], None] | None
) -> tuple[Integers, dict[int, NDArray[np.int32]]]:
    """Find by which sets of keys, as bits, each cell with one person is unique.

    From the whole set one key after the other is left out, the one with most values first: cells only
    merge, so each step costs no more than the cells that are left, and ends where nobody is unique.
    """
    owners = owners_of_cells(key_set)
    cells = np.flatnonzero(owners >= 0)
    sizes = radices(key_set)
    strides = [prod(sizes[key + 1 :]) for key in range(len(sizes))]
    order = sorted(range(len(sizes)), key=lambda key: -sizes[key])
    found: dict[int, NDArray[np.int32]] = {}
    entries = 0

    def descend(keys: Integers, owners: Integers, labels: Labels, subset: int, start: int) -> None:
        nonlocal entries
        unique = list_unique(labels, owners)
        if not unique.size or not subset:
            return
        found[subset] = unique
        entries += unique.size
        check_entries(entries)
        if on_set is not None:
            on_set(len(found))
        for place in range(start, len(order)):
            key = order[place]
            fewer = drop_digit(keys, strides[key], sizes[key])
            merged, first = label_keys(fewer, prod(sizes))
            its_owners = merge_owners(merged, owners, first.size)
            descend(fewer[first], its_owners, merged[labels], subset & ~(1 << key), place + 1)

    keys = mixed_radix(key_set, strides)
    descend(keys, owners, cells, (1 << len(sizes)) - 1, 0)
    return cells, found


def check_entries(entries: int) -> None:
    """Raise a DataError rather than fill the memory."""
    if entries > MOST_ENTRIES:
        raise DataError(
            "special uniques were not scored: too many records are unique by too many sets of keys; "
            "name fewer keys for the source, or coarsen one with `levels`."
        )


def mixed_radix(key_set: KeySet, strides: list[int]) -> Integers:
    """Write the key values of each cell as one number, at the levels the attacker knows."""
    first = key_set.classes().first_tuple
    keys = np.zeros(first.size, np.int64)
    for number, (column, level) in enumerate(
        zip(key_set.microdata.columns, key_set.base, strict=True)
    ):
        codes = key_set.microdata.codes[number, first]
        keys += column.groups[level][codes] * strides[number]
    return keys
