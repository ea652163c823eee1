"""The simulation of Xia et al. 2021: for cross-checks of the exact risk, and for many groups."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.engine.domain import read_only
from anonymizer.errors import PolicyError
from anonymizer.estimators.uniques import unique_given_unique as by_pitman
from anonymizer.kernels.partition import sum_by_label
from anonymizer.knowledge.overall_risk import (
    Attack,
    Floats,
    Labels,
    OverallRisk,
    UniqueGivenUnique,
    one_part,
    unique_in_population,
)

SIMULATION_LIMIT = 62  # groups; what is known fits one machine word
DRAWS_AT_ONCE = 4_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Simulation:
    """What came out of some trials for every subject."""

    trials: int
    risk: OverallRisk
    """The estimates for each tuple."""
    mean: float
    """The estimate of the mean overall risk of the records."""
    standard_error: float
    """The standard error of the mean, from its spread over the trials."""


def simulate(
    attack: Attack,
    generator: np.random.Generator,
    trials: int = 1000,
    unique_given_unique: UniqueGivenUnique | None = None,
) -> Simulation:
    """Estimate the risks as the paper does: draw for each subject what is known, and play the attack.

    For cross-checks, and for more groups than the exact risk allows (up to 62); costs time in trials
    times records, and one partition of the table for each set of groups drawn.
    """
    if trials < 2:
        raise ValueError(f"a standard error needs at least 2 trials, got {trials}")
    if len(attack.values) > SIMULATION_LIMIT:
        raise PolicyError(
            f"scenario: {len(attack.values)} groups are more than the {SIMULATION_LIMIT} that a "
            "simulation can draw; merge groups."
        )
    lottery = Lottery(attack, generator, unique_given_unique or by_pitman)
    at_once = max(1, DRAWS_AT_ONCE // max(1, attack.records * len(attack.values)))
    batches = [min(at_once, trials - done) for done in range(0, trials, at_once)]
    results = [lottery.play(batch) for batch in batches]
    means = np.concatenate([means for means, _ in results])
    sums = np.sum([sums for _, sums in results], axis=0)
    risks = sums / (np.maximum(attack.counts, 1) * trials)
    return Simulation(
        trials,
        OverallRisk(attack.counts, *map(read_only, risks)),
        float(means.mean()),
        float(means.std(ddof=1) / math.sqrt(trials)),
    )


class Lottery:
    """Draws the variables of the network for every subject of an attack."""

    def __init__(
        self, attack: Attack, generator: np.random.Generator, estimate: UniqueGivenUnique
    ) -> None:
        self.attack = attack
        self.generator = generator
        self.estimate = estimate
        self.tuple_of_subject = np.repeat(np.arange(attack.counts.size), attack.counts)
        self.partition = lru_cache(maxsize=128)(self._partition)

    def play(self, trials: int) -> tuple[Floats, Floats]:
        """Return the mean of X_r in each trial, and the sums of the four risks for each tuple."""
        shape = trials, self.tuple_of_subject.size
        sizes, unique = self.look_up(self.draw_known(shape))
        alone = sizes == 1
        reidentified = self.draw_routes(alone, unique, 1 / sizes)
        risks = np.stack([reidentified, alone, unique, 1 / sizes]).sum(axis=1)
        tuples = self.attack.counts.size
        sums = [np.bincount(self.tuple_of_subject, risk, tuples) for risk in risks]
        return reidentified.sum(axis=1) / max(1, shape[1]), np.array(sums)

    def draw_known(self, shape: tuple[int, int]) -> NDArray[np.int64]:
        """Draw Y_1, Y_2, ...: the groups known in each trial about each subject, as bits."""
        known = np.zeros(shape, np.int64)
        for group, learned in enumerate(self.attack.learned):
            draws = self.generator.random(shape) < learned[self.tuple_of_subject]
            known |= draws.astype(np.int64) << group
        return known

    def draw_routes(self, alone: NDArray[np.bool_], unique: Floats, share: Floats) -> Any:
        """Draw the variables below what is known, down to X_r."""
        scenario = self.attack.scenario

        def happens(probability: float | Floats) -> NDArray[np.bool_]:
            drawn: NDArray[np.bool_] = self.generator.random(alone.shape) < probability
            return drawn

        prosecutor = happens(scenario.p_m) & alone & happens(scenario.p_fm)
        journalist = happens(unique) & happens(scenario.p_cu)
        marketer = happens(share) & happens(scenario.p_c)
        return prosecutor | journalist | marketer

    def look_up(self, known: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Return a_S, and u_S where a_S is 1, for what is known in each trial about each subject."""
        tuples = np.broadcast_to(self.tuple_of_subject, known.shape).ravel()
        order = np.argsort(known, axis=None, kind="stable")
        drawn, starts = np.unique(known.ravel()[order], return_index=True)
        sizes, unique = np.empty(known.size), np.empty(known.size)
        ends = np.append(starts, known.size)[1:].tolist()
        for bits, start, end in zip(drawn.tolist(), starts.tolist(), ends, strict=True):
            where = order[start:end]
            parts = self.partition(bits)
            part_sizes = sum_by_label(parts.of_row, self.attack.counts, parts.number)
            sizes[where] = part_sizes[parts.of_row[tuples[where]]]
            estimated = unique_in_population(part_sizes, self.attack.scenario, self.estimate)
            unique[where] = np.where(sizes[where] == 1, estimated, 0)
        return sizes.reshape(known.shape), unique.reshape(known.shape)

    def _partition(self, bits: int) -> Labels:
        """Return the partition by the groups of some bits."""
        if bits == 0:
            return one_part(self.attack.counts.size)
        rest = bits & (bits - 1)  # without the lowest: sets drawn in a row share their high bits
        group = (bits ^ rest).bit_length() - 1
        return self.partition(rest).refine(self.attack.values[group])
