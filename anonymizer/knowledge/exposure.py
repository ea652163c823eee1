"""Exposure: how likely each person of a table is found under a scenario, summed over what is known."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from anonymizer.engine.domain import read_only
from anonymizer.estimators.uniques import unique_given_unique
from anonymizer.kernels.known_sets import add_subset
from anonymizer.knowledge.overall_risk import combine, unique_in_population
from anonymizer.knowledge.scenario import Scenario
from anonymizer.knowledge.target import Floats, Knowledge, Target

WORK_LIMIT = 4_000_000_000
"""Rows times sets of known groups; some minutes. Beyond it, what is known is drawn."""
BRANCH_DEPTH = 6  # groups; the parts into which the sets are divided, whatever the workers
TRIALS = 10_000
MEASURES = ("overall", "prosecutor", "journalist", "marketer")

OnStep = Callable[[int, int], None]
"""Told how many steps of how many are done."""


class Method(StrEnum):
    """How the mean over all that may be known was computed."""

    EXACT = "exact"
    SIMULATED = "simulated"


@dataclass(frozen=True, slots=True)
class Driver:
    """A group of attributes, and what the risk would be if the attacker never learned it."""

    group: int
    probability: float
    """That the group is learned, on average over the records."""
    prosecutor: float
    journalist: float
    marketer: float

    def overall(self, scenario: Scenario) -> float:
        """Return the mean overall risk without the group."""
        return float(combine(scenario, self.prosecutor, self.journalist, self.marketer))


@dataclass(frozen=True, slots=True)
class KnownSet:
    """A set of groups, how likely just these are known, and the part of the risk that is theirs."""

    groups: tuple[int, ...]
    probability: float
    overall: float


@dataclass(frozen=True, slots=True, eq=False)
class Exposure:
    """The risks of each distinct tuple of a table under a scenario, and where they come from."""

    scenario: Scenario
    method: Method
    subsets: int
    """Sets of groups looked at, or draws of what is known."""
    standard_error: float | None
    """Of the mean overall risk, where it is simulated."""
    prosecutor: Floats
    journalist: Floats
    marketer: Floats
    drivers: tuple[Driver, ...] = ()
    known_sets: tuple[KnownSet, ...] = ()
    """The sets that add most to the mean overall risk, most first."""

    @property
    def overall(self) -> Floats:
        """The probability that the subject is re-identified, by any route."""
        risks: Floats = combine(self.scenario, self.prosecutor, self.journalist, self.marketer)
        return risks

    def measure(self, name: str) -> Floats:
        """Return one of the four risks by its name."""
        risks: Floats = getattr(self, name)
        return risks

    def under(self, scenario: Scenario) -> Exposure:
        """Return the same knowledge used with the four probabilities of another scenario."""
        return replace(self, scenario=scenario, standard_error=None, known_sets=())


def expose(
    target: Target,
    workers: int = 1,
    on_step: OnStep | None = None,
    generator: np.random.Generator | None = None,
    work_limit: int | None = None,
) -> Exposure:
    """Compute the risks exactly where the sets of known groups are not too many, else draw them."""
    limit = WORK_LIMIT if work_limit is None else work_limit
    if count_subsets(target) * target.counts.size <= limit:
        return sum_exactly(target, workers, on_step)
    return draw(target, generator or np.random.default_rng(0), TRIALS, on_step)


def count_subsets(target: Target) -> int:
    """Count the sets of groups that may be known, at most."""
    certain = target.chances == 1
    uncertain = (target.chances > 0) & ~certain
    kinds = np.unique(np.hstack([certain, uncertain]), axis=0)
    groups = certain.shape[1]
    return sum((1 + int(kind[:groups].sum())) << int(kind[groups:].sum()) for kind in kinds)


# --- exactly


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """What one part of the walk adds up to."""

    measures: Floats
    without: Floats
    known: NDArray[np.bool_]
    totals: Floats


def sum_exactly(target: Target, workers: int, on_step: OnStep | None) -> Exposure:
    """Sum over all sets of groups, part by part in threads; the parts do not hang on the workers."""
    branches = target.branches(BRANCH_DEPTH)
    measures = np.zeros((3, target.counts.size))
    without = np.zeros((len(target.scenario.groups), 3))
    known, totals = [], []
    with ThreadPoolExecutor(workers) as pool:
        parts = pool.map(lambda branch: sum_branch(target, branch), branches)
        for done, part in enumerate(parts, 1):
            measures += part.measures
            without += part.without
            known.append(part.known)
            totals.append(part.totals)
            if on_step is not None:
                on_step(done, len(branches))
    return Exposure(
        target.scenario,
        Method.EXACT,
        sum(len(part) for part in known),
        None,
        *spread(target, measures),
        make_drivers(target, without),
        make_known_sets(target, np.concatenate(known), np.concatenate(totals)),
    )


def sum_branch(target: Target, branch: tuple[bool, ...]) -> Sums:
    """Sum over the sets of one branch."""
    groups = len(target.scenario.groups)
    measures = np.zeros((3, target.counts.size))
    without = np.zeros((groups, 3))
    known, totals = [], []
    for knowledge in target.walk(branch):
        weights, but_for = target.weigh(knowledge.known)
        unique, sums = estimate(target, knowledge), np.zeros((weights.size, 3))
        add_subset(knowledge.matches, target.counts, target.kind, weights, unique, measures, sums)
        without += but_for @ sums
        known.append(knowledge.known)
        totals.append([weights @ target.records_of_kind, *(weights @ sums)])
    return Sums(
        measures,
        without,
        np.array(known, np.bool_).reshape(-1, groups),
        np.array(totals).reshape(-1, 4),
    )


def estimate(target: Target, knowledge: Knowledge) -> float:
    """Return the probability that a record unique on what is known is unique in the population."""
    if not (knowledge.matches == 1).any():
        return 0.0
    return unique_in_population(knowledge.class_sizes, target.scenario, unique_given_unique)


def spread(target: Target, measures: Floats) -> tuple[Floats, Floats, Floats]:
    """Give each tuple of the table the measures of its row."""
    limited = np.minimum(measures, 1)  # the weights sum to 1 + rounding
    prosecutor, journalist, marketer = (read_only(m[target.row_of_tuple]) for m in limited)
    return prosecutor, journalist, marketer


def make_drivers(target: Target, without: Floats) -> tuple[Driver, ...]:
    """Say for each group what the mean risk would be without it."""
    records = max(1, target.records)
    probability = target.records_of_kind @ target.chances / records
    mean = without / records
    return tuple(
        Driver(group, float(probability[group]), *mean[group].tolist())
        for group in range(len(mean))
    )


def make_known_sets(
    target: Target, known: NDArray[np.bool_], totals: Floats, most: int = 10
) -> tuple[KnownSet, ...]:
    """Find the sets that add most to the mean overall risk."""
    shares = totals / max(1, target.records)
    overall = combine(target.scenario, *shares[:, 1:].T)
    order = np.argsort(-overall, kind="stable")[:most]
    return tuple(
        KnownSet(
            tuple(np.flatnonzero(known[at]).tolist()), float(shares[at, 0]), float(overall[at])
        )
        for at in order
        if overall[at] > 0
    )


# --- by drawing


def draw(
    target: Target, generator: np.random.Generator, trials: int, on_step: OnStep | None
) -> Exposure:
    """Estimate the risks from draws of what is known; given that, they are computed, not drawn.

    One draw decides about every group for all records at once: a group is learned where its number is
    below the probability. So one partition serves all records with the same probabilities.
    """
    kinds, groups = target.chances.shape
    measures = np.zeros((3, target.counts.size))
    without, unknown = np.zeros((groups, kinds, 3)), np.zeros((groups, kinds))
    means = []
    for trial in range(trials):
        known_of_kind = generator.random(groups) < target.chances
        total = np.zeros(3)
        for known in np.unique(known_of_kind, axis=0):
            applies = (known_of_kind == known).all(axis=1)
            sums = add_draw(target, known, applies, measures)
            without[~known] += sums
            unknown[np.ix_(~known, applies)] += 1
            total += sums.sum(axis=0)
        means.append(combine(target.scenario, *(total / target.records)))
        if on_step is not None:
            on_step(trial + 1, trials)
    return Exposure(
        target.scenario,
        Method.SIMULATED,
        trials,
        float(np.std(means, ddof=1) / math.sqrt(trials)),
        *spread(target, measures / trials),
        drawn_drivers(target, without, unknown),
    )


def add_draw(
    target: Target, known: NDArray[np.bool_], applies: NDArray[np.bool_], measures: Floats
) -> Floats:
    """Add the risks of one draw to the rows of the kinds it applies to; return their sums by kind."""
    knowledge = look_at(target, known)
    unique, sums = estimate(target, knowledge), np.zeros((applies.size, 3))
    weights = applies.astype(np.float64)
    add_subset(knowledge.matches, target.counts, target.kind, weights, unique, measures, sums)
    return sums * weights[:, np.newaxis]


def drawn_drivers(target: Target, without: Floats, unknown: Floats) -> tuple[Driver, ...]:
    """Say what the mean risk is in the draws without a group; a group that all draws have is left out."""
    seen = np.flatnonzero((unknown > 0).all(axis=1))
    mean = (without / np.maximum(unknown, 1)[:, :, np.newaxis]).sum(axis=1)
    return tuple(driver for driver in make_drivers(target, mean) if driver.group in seen)


def look_at(target: Target, known: NDArray[np.bool_]) -> Knowledge:
    """Count who matches whom when some groups are known."""
    partitions = target.start()
    for group in np.flatnonzero(known).tolist():
        partitions = target.learn(partitions, group)
    return target.look(known, partitions)
