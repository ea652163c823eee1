"""The simulation of Xia et al. 2021: draw for each subject what is known, and play the attack.

The package sums over what may be known, or draws that and computes the rest. This draws every variable of
the network for every subject on its own, as the paper does: a cross-check of the formula too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from anonymizer.attackers.attack import AttackedTable
from anonymizer.attackers.matching import look
from anonymizer.attackers.uniqueness import UniqueGivenUnique
from anonymizer.estimators.uniques import unique_given_unique as by_pitman

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

DRAWS_AT_ONCE = 4_000_000


@dataclass(frozen=True, slots=True)
class Simulation:
    """What came out of some trials for every subject."""

    trials: int
    mean: float
    """The estimate of the mean overall risk of the records."""
    standard_error: float
    """The standard error of the mean, from its spread over the trials."""
    risks: Floats
    """The estimates of overall, prosecutor, journalist and marketer risk, for each subject."""


def play(
    attack: AttackedTable,
    counts: NDArray[np.integer],
    generator: np.random.Generator,
    trials: int = 1000,
    estimate: UniqueGivenUnique = by_pitman,
) -> Simulation:
    """Play the attack on everybody; `counts` are the records of each tuple of the table.

    Costs time in trials times records, and one partition of the table for each set of groups drawn.
    """
    lottery = Lottery(attack, np.repeat(attack.row_of_tuple, counts), generator, estimate)
    at_once = max(1, DRAWS_AT_ONCE // max(1, int(attack.counts.sum()) * len(attack.group_labels)))
    batches = [min(at_once, trials - done) for done in range(0, trials, at_once)]
    results = [lottery.play(batch) for batch in batches]
    means = np.concatenate([means for means, _ in results])
    sums: Floats = np.sum([sums for _, sums in results], axis=0)
    error = float(means.std(ddof=1) / math.sqrt(trials))
    return Simulation(trials, float(means.mean()), error, sums / trials)


class Lottery:
    """Draws the variables of the network for every subject of an attack."""

    def __init__(
        self,
        attack: AttackedTable,
        row_of_subject: NDArray[np.int32],
        generator: np.random.Generator,
        estimate: UniqueGivenUnique,
    ) -> None:
        self.attack = attack
        self.row_of_subject = row_of_subject
        self.generator = generator
        self.estimate = estimate
        self.look = lru_cache(maxsize=128)(self._look)

    def play(self, trials: int) -> tuple[Floats, Floats]:
        """Return the mean of X_r in each trial, and the sums of the four risks for each subject."""
        shape = trials, self.row_of_subject.size
        matches, unique = self.look_up(self.draw_known(shape))
        alone = matches == 1
        reidentified = self.draw_routes(alone, unique, 1 / matches)
        risks = np.stack([reidentified, alone, unique, 1 / matches])
        return reidentified.sum(axis=1) / max(1, shape[1]), risks.sum(axis=1)

    def draw_known(self, shape: tuple[int, int]) -> Bools:
        """Draw Y_1, Y_2, ...: the groups known in each trial about each subject."""
        chances, kind = self.attack.chances, self.attack.kind[self.row_of_subject]
        learned = [self.generator.random(shape) < chance for chance in chances.groups[kind].T]
        known = np.stack(learned, axis=-1)
        for found, members in zip(chances.causes[kind].T, chances.members, strict=True):
            known[..., members] &= (self.generator.random(shape) < found)[..., np.newaxis]
        return known

    def draw_routes(self, alone: Bools, unique: Floats, share: Floats) -> Bools:
        """Draw the variables below what is known, down to X_r."""
        kind = self.attack.kind[self.row_of_subject]
        p_m, p_fm, p_c, p_cu = self.attack.chances.parameters[kind].T

        def happens(probability: float | Floats) -> Bools:
            drawn: Bools = self.generator.random(alone.shape) < probability
            return drawn

        prosecutor = happens(p_m) & alone & happens(p_fm)
        journalist = happens(unique) & happens(p_cu)
        marketer = happens(share) & happens(p_c)
        return prosecutor | journalist | marketer

    def look_up(self, known: Bools) -> tuple[Floats, Floats]:
        """Return a_S, and u_S where a_S is 1, for what is known in each trial about each subject."""
        shape, groups = known.shape[:-1], known.shape[-1]
        bits = (known @ (1 << np.arange(groups))).ravel()
        order = np.argsort(bits, kind="stable")
        starts = np.flatnonzero(np.diff(bits[order], prepend=-1))
        rows = np.broadcast_to(self.row_of_subject, shape).ravel()
        matches, unique = np.empty(bits.size), np.empty(bits.size)
        for where in np.split(order, starts[1:]):
            matches_of_row, estimated = self.look(tuple(known.reshape(-1, groups)[where[0]]))
            matches[where] = matches_of_row[rows[where]]
            unique[where] = np.where(matches[where] == 1, estimated[rows[where]], 0)
        return matches.reshape(shape), unique.reshape(shape)

    def _look(self, groups: tuple[bool, ...]) -> tuple[NDArray[np.int64], Floats]:
        labels, matches, unique, _ = look(self.attack, self.attack.know(groups), self.estimate)
        return matches[labels], unique[labels]
