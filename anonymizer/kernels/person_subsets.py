"""Who is unique on which subsets of the attributes, person by person.

Attributes are decided on one after the other, kept or dropped. A run is a set of tuples that agree on all
attributes kept so far. A person alone in a run stays unique whatever else is kept. All subsets of that
branch are then settled at once: `trees[:, child]` is their weight together. Branches are nodes of a
binary tree: 1 is the root, 2 n keeps and 2 n + 1 drops the next attribute.
"""

from __future__ import annotations

import numpy as np

from anonymizer.kernels.compilation import kernel

NONE, MANY = -1, -2
"""Whose a tuple or a run is, if not one person's."""
DENSE = 16
"""A table of all pairs may have so many entries for each tuple."""
UNIQUE, NOT_FOUND, FOUND, FOUND_ONCE = 1, 2, 4, 8
"""What is known of a person on a branch; each holds if it holds for one of the person's rows."""


@kernel
def join_owner(one, other):
    """Say whose a run is that has tuples of two owners."""
    if one == NONE:
        return other
    if other == NONE:
        return one
    return one if one == other else MANY


@kernel
def refine_sparse(labels, column, size):
    """Number the pairs of a label and a code in their order, and count them."""
    pairs = labels * np.int64(size) + column
    refined, found = np.empty(labels.size, np.int32), 0
    before = np.int64(-1)
    for i in np.argsort(pairs):
        found += pairs[i] != before
        before = pairs[i]
        refined[i] = found - 1
    return refined, found


@kernel
def refine(labels, runs, column, size):
    """Number the pairs of a label and a code, and count them."""
    if runs * size > DENSE * labels.size + DENSE:
        return refine_sparse(labels, column, size)
    numbers = np.full(runs * size, -1, np.int32)
    refined = np.empty(labels.size, np.int32)
    found = 0
    for i in range(labels.size):
        pair = np.int64(labels[i]) * size + column[i]
        if numbers[pair] < 0:
            numbers[pair] = found
            found += 1
        refined[i] = numbers[pair]
    return refined, found


@kernel
def describe_runs(labels, runs, ours, theirs):
    """Say whose each run is, in our table and in the other, and whether it can still change."""
    owner, outside = np.full(runs, NONE, np.int32), np.full(runs, NONE, np.int32)
    tuples, hopeful = np.zeros(runs, np.int32), np.zeros(runs, np.bool_)
    for i in range(labels.size):
        run = labels[i]
        owner[run] = join_owner(owner[run], ours[i])
        outside[run] = join_owner(outside[run], theirs[i])
        tuples[run] += 1
        hopeful[run] |= ours[i] >= 0
    return owner, outside, tuples, hopeful


@kernel
def weigh(bits, certain, likely):
    """Return what a branch adds to a person's risk."""
    if bits & FOUND_ONCE:
        return certain
    return likely if bits & NOT_FOUND else 0.0


@kernel
def note(person, status, child, bits, trees, tallies, risk):
    """Note what is known of a person on a branch, beyond what is known already."""
    old = bits[person]
    new = old | UNIQUE | status
    bits[person] = new
    certain, likely = trees[0, child], trees[1, child]
    risk[person] += weigh(new, certain, likely) - weigh(old, certain, likely)
    gained = new & ~old
    tallies[0, child] += gained & UNIQUE > 0
    tallies[1, child] += gained & FOUND > 0
    tallies[2, child] += gained & FOUND_ONCE > 0


@kernel
def settle(owner, outside, final, child, bits, trees, tallies, risk):
    """Note the people who are alone in a run whatever is decided later; return what was known before."""
    people = np.flatnonzero((owner >= 0) & final)
    before = np.empty(people.size, np.int64)
    for at, run in enumerate(people):
        person = owner[run]
        people[at], before[at] = person, bits[person]
        status = NOT_FOUND
        if outside[run] != NONE:
            status = FOUND | FOUND_ONCE if outside[run] >= 0 else FOUND
        note(person, status, child, bits, trees, tallies, risk)
    return people, before


@kernel
def visit(codes, sizes, ours, theirs, labels, runs, node, bits, trees, tallies, risk):
    """Decide on the first attribute of the codes, both ways, and go on with those that follow."""
    last = len(codes) == 1
    for keep in (False, True):
        child = 2 * node + (0 if keep else 1)
        refined, count = labels, runs
        if keep:
            refined, count = refine(labels, runs, codes[0], sizes[0])
        elif not last:  # the runs are as they were
            visit(
                codes[1:], sizes[1:], ours, theirs, labels, runs, child, bits, trees, tallies, risk
            )
            continue
        owner, outside, tuples, hopeful = describe_runs(refined, count, ours, theirs)
        # while a run has several tuples, who is found outside may still change
        final = (outside == NONE) | (tuples == 1) | last
        people, before = settle(owner, outside, final, child, bits, trees, tallies, risk)
        hopeful &= (owner < 0) | ~final
        left = np.flatnonzero(hopeful[refined])
        if left.size and not last:
            places, new_runs = refine(refined[left], count, np.zeros(left.size, np.int32), 1)
            visit(
                codes[1:, left],
                sizes[1:],
                ours[left],
                theirs[left],
                places,
                new_runs,
                child,
                bits,
                trees,
                tallies,
                risk,
            )
        for at in range(people.size - 1, -1, -1):
            bits[people[at]] = before[at]
