"""The best bound that the schemes evaluated so far give for a box of the lattice.

Each evaluated scheme v has a table of terms, one for each attribute and level: the bound on the loss
of a scheme w finer than v is the sum of v's terms at the levels of w (before the aggregate's
transformation, which is monotone). In a box [low, high] that sum is least at `low`. What a measure adds
to all sums of a box, its floor, is taken off the limit beforehand.
"""

from __future__ import annotations

import numpy as np

from anonymizer.kernels.compilation import kernel


@kernel
def covers(scheme, high):
    """Whether a scheme is at least as coarse as `high` in every attribute."""
    for a in range(high.size):
        if scheme[a] < high[a]:
            return False
    return True


@kernel
def sum_terms(terms, low):
    """Add up the terms at the levels of a scheme."""
    total = 0.0
    for a in range(low.size):
        total += terms[a, low[a]]
    return total


@kernel
def strongest(schemes, terms, n_evaluated, low, high, limit):
    """Find the evaluated scheme that bounds [low, high] best; stop at the first above the limit."""
    best, bound = -1, -np.inf
    for e in range(n_evaluated - 1, -1, -1):
        if covers(schemes[e], high):
            total = sum_terms(terms[e], low)
            if total > bound:
                best, bound = e, total
                if bound > limit:
                    break
    return best, bound


@kernel
def cut_high(terms, bound, low, high, limit):
    """Lower `high` to the levels at which the bound does not exceed the limit; say whether it moved."""
    moved = False
    for a in range(low.size):
        level = high[a]
        while level > low[a] and bound - terms[a, low[a]] + terms[a, level] > limit:
            level -= 1
        if level < high[a]:
            high[a] = level
            moved = True
    return moved


@kernel
def tighten(schemes, terms, n_evaluated, low, high, limit):
    """Shrink `high` (in place) as far as the evaluated schemes allow.

    Returns the evaluated scheme with the best bound for what is left, and that bound; a bound above
    the limit means that nothing in the box can be better.
    """
    while True:
        best, bound = strongest(schemes, terms, n_evaluated, low, high, limit)
        if best < 0 or bound > limit or not cut_high(terms[best], bound, low, high, limit):
            return best, bound


@kernel
def best_split(terms, low, high, gap, room, share, logit, steps, finer_weight):
    """Find the attribute and level at which to split a box so that both halves are soon pruned.

    In the coarser half the bound rises by what `terms` say. In the finer half more records must be
    suppressed: the forecast says what part of those that `share` leaves, each worth its part of `room`.
    A rise beyond `gap` is no better than one that just closes it. The product of both rises decides,
    the finer half's to the power of `finer_weight`.
    """
    attribute, level, best = -1, -1, -np.inf
    for a in range(low.size):
        for step in range(low[a], high[a]):
            forecast = 1 / (1 + np.exp(steps[a, high[a]] - steps[a, step] - logit))
            below = min(gap, room * (forecast - share) / (1 - share))
            above = min(gap, terms[a, step + 1] - terms[a, low[a]])
            score = max(below, 1e-9) ** finer_weight * max(above, 1e-9)
            if score > best:
                attribute, level, best = a, step, score
    return attribute, level
