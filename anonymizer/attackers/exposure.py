"""Exposure: how likely each person of a table is re-identified, summed over what the attacker may know.

The attacker learns each attribute group of a subject or not. Let S be what is known, a_S the records
that match the subject on S, and u_S the probability that a record unique on S is unique in the
population. Given S, the three routes of Figure 1 of Xia et al. 2021 are independent:

    P(re-identified | S) = 1 - (1 - p_m p_fm [a_S = 1]) (1 - p_cu u_S [a_S = 1]) (1 - p_c / a_S)

Multiplied out, this is linear in [a_S = 1], u_S [a_S = 1] and 1 / a_S. Their means over S are the risks
by prosecutor, journalist and marketer; so these are summed, and the overall risk follows from them. The
sum is exact given u_S, or estimated from draws of what is known. u_S is an estimate either way and has an
interval; the interval of a risk has every u_S at one end of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.attackers.attack import AttackedTable, Branch, Floats, Knowledge
from anonymizer.attackers.scenario import Scenario
from anonymizer.attackers.uniqueness import (
    UniqueGivenUnique,
    describe_unique,
    ends_of,
    estimator_of,
    look,
)
from anonymizer.estimators.intervals import Estimate, Interval
from anonymizer.estimators.uniques import unique_given_unique as by_pitman
from anonymizer.kernels.overall import add_measures, sum_measures
from anonymizer.table.domain import read_only

WORK_LIMIT = 4_000_000_000
"""Rows times sets of known groups; some minutes. Beyond it, what is known is drawn."""
BRANCH_DEPTH = 6  # groups; the parts into which the sets are divided, whatever the workers
TRIALS = 10_000
OVERALL = 3  # where sums over records have it, after the three measures
MEASURES = ("overall", "prosecutor", "journalist", "marketer")

OnStep = Callable[[int, int], None]
"""Told how many steps of how many are done."""


class Method(StrEnum):
    """How the mean over all that may be known was computed."""

    EXACT = "exact given u_S"
    SIMULATED = "simulated"


@dataclass(frozen=True, slots=True)
class GroupDriver:
    """A group of attributes, and what the mean risk would be if the attacker never learned it.

    Means are over people. A person with several records counts with the one by which they are most at
    risk.
    """

    group: int
    probability: float
    """That the group is learned, on average."""
    prosecutor: float
    journalist: float
    marketer: float
    overall: float


@dataclass(frozen=True, slots=True)
class KnownSet:
    """A set of groups, how likely just these are known, and the part of the risk that is theirs."""

    groups: tuple[int, ...]
    probability: float
    overall: float
    unique: Estimate
    """u_S: that somebody unique on the set in the table is so in the population; 0 if nobody is."""


@dataclass(frozen=True, slots=True, eq=False)
class Exposure:
    """The risks of each distinct tuple of a table under a scenario, and where they come from."""

    scenario: Scenario
    method: Method
    subsets: int
    """Sets of groups looked at, or draws of what is known."""
    standard_error: float | None
    """Of the mean overall risk, where it is simulated."""
    parameters: Floats
    """p_m, p_fm, p_c and p_cu, a row each, of each tuple."""
    prosecutor: Floats
    """The probability that the subject is unique in the table on what is known."""
    journalist: Floats
    """The probability that the subject is unique in the population on what is known."""
    marketer: Floats
    """The probability that a record picked among those that match is the subject's."""
    alone: float
    """The mean of the prosecutor's risk over what means are over."""
    journalist_interval: Interval
    """Of the same mean of the journalist's, with every u_S at an end of its interval."""
    drivers: tuple[GroupDriver, ...] = ()
    known_sets: tuple[KnownSet, ...] = ()
    """The sets that add most to the mean overall risk, most first."""

    @property
    def overall(self) -> Floats:
        """The probability that the subject is re-identified, by any route."""
        risks: Floats = combine(self.parameters, self.prosecutor, self.journalist, self.marketer)
        return risks

    def measure(self, name: str) -> Floats:
        """Return one of the four risks by its name."""
        risks: Floats = getattr(self, name)
        return risks

    def with_unique(self, unique: float) -> Exposure:
        """Return the exposure where whoever is unique in the table is so in the population so likely."""
        return replace(self, journalist=np.minimum(self.prosecutor * unique, 1.0))

    def under(self, scenario: Scenario, parameters: Floats) -> Exposure:
        """Return the same knowledge used with the four probabilities of another scenario."""
        return replace(
            self, scenario=scenario, parameters=parameters, standard_error=None, known_sets=()
        )


def combine(parameters: Floats, prosecutor: Any, journalist: Any, marketer: Any) -> Any:
    """Return the overall risk that follows from the three risks, given p_m, p_fm, p_c and p_cu."""
    p_m, p_fm, p_c, p_cu = parameters
    member = p_m * p_fm
    unique = member * prosecutor + (1 - member) * p_cu * journalist
    return p_c * marketer + (1 - p_c) * unique


# --- exactly


def expose(
    attack: AttackedTable,
    workers: int = 1,
    on_step: OnStep | None = None,
    generator: np.random.Generator | None = None,
    work_limit: int | None = None,
) -> Exposure:
    """Compute the risks exactly where the sets of known groups are not too many, else draw them."""
    estimate = estimator_of(attack.scenario.estimator)
    limit = WORK_LIMIT if work_limit is None else work_limit
    exact = count_subsets(attack) * attack.counts.size <= limit
    generator = generator or np.random.default_rng(0)

    def sum_up(attack: AttackedTable, told: OnStep | None) -> Exposure:
        if exact:
            return sum_exactly(attack, workers, told, estimate)
        return draw(attack, deepcopy(generator), TRIALS, told, estimate)

    if attack.people is None:
        return sum_up(attack, on_step)
    found = sum_up(attack, half_of(on_step, 0))  # who is most at risk by which record
    risks = np.zeros(attack.counts.size)
    there = attack.row_of_tuple >= 0
    risks[attack.row_of_tuple[there]] = found.overall[there]
    return sum_up(attack.counting_people(risks), half_of(on_step, 1))


def half_of(on_step: OnStep | None, half: int) -> OnStep | None:
    """Tell the steps of the first or the second of two equal halves."""
    if on_step is None:
        return None
    return lambda done, steps: on_step(half * steps + done, 2 * steps)


def count_subsets(attack: AttackedTable) -> int:
    """Count the sets of groups that may be known, or may be but for one group, at most."""
    certain = attack.chances.learned == 1
    uncertain = (attack.chances.learned > 0) & ~certain
    kinds = np.unique(np.hstack([certain, uncertain]), axis=0)
    groups = certain.shape[1]
    return sum((1 + int(kind[:groups].sum())) << int(kind[groups:].sum()) for kind in kinds)


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """What one part of the walk adds up to."""

    measures: Floats
    without: Floats
    known: NDArray[np.bool_]
    totals: Floats
    unique: Floats
    """u_S of each set, and the ends of its interval."""


def sum_exactly(
    attack: AttackedTable,
    workers: int = 1,
    on_step: OnStep | None = None,
    estimate: UniqueGivenUnique = by_pitman,
) -> Exposure:
    """Sum over all sets of groups, part by part in threads; the parts do not hang on the workers."""
    branches, groups = attack.branches(BRANCH_DEPTH), len(attack.scenario.learned)
    measures, without = np.zeros((3, attack.counts.size)), np.zeros((groups, 4))
    known, totals = [np.zeros((0, groups), np.bool_)], [np.zeros((0, 5))]
    unique = [np.zeros((0, 3))]
    with ThreadPoolExecutor(workers) as pool:
        parts = pool.map(lambda branch: sum_branch(attack, branch, estimate), branches)
        for done, part in enumerate(parts, 1):
            measures += part.measures
            without += part.without
            known.append(part.known)
            totals.append(part.totals)
            unique.append(part.unique)
            if on_step is not None:
                on_step(done, len(branches))
    sets = np.concatenate(known), np.concatenate(totals), np.concatenate(unique)
    ends = sum(
        (
            ends_of(attack, total[1:], Estimate(*unique.tolist()))
            for total, unique in zip(sets[1], sets[2], strict=True)
        ),
        start=np.zeros(2),
    )
    return Exposure(
        attack.scenario,
        Method.EXACT,
        len(sets[0]),
        None,
        *spread(attack, measures),
        float(measures[0] @ attack.weights) / max(1, attack.weight),
        Interval(*(ends / max(1, attack.weight)).tolist()),
        make_drivers(attack, without),
        make_known_sets(attack, *sets),
    )


def add_risks(
    attack: AttackedTable,
    knowledge: Knowledge,
    weights: Floats,
    estimate: UniqueGivenUnique,
    measures: Floats,
) -> tuple[Floats, Estimate]:
    """Add the three risks of each row, given what is known, by the weight of its kind.

    Returns what they and the overall risk sum to over the people of each kind, without the weights, and
    u_S.
    """
    labels, records, unique, sizes = look(attack, knowledge, estimate)
    rows = labels, records, unique, attack.kind
    add_measures(*rows, weights, measures)
    sums: Floats = sum_measures(*rows, attack.weights, weights.size)
    overall = combine(attack.chances.parameters.T, *sums.T)
    return np.column_stack([sums, overall]), describe_unique(attack, records, unique, sizes)


def sum_branch(attack: AttackedTable, branch: Branch, estimate: UniqueGivenUnique) -> Sums:
    """Sum over the sets of one branch."""
    groups = len(attack.scenario.learned)
    measures = np.zeros((3, attack.counts.size))
    without = np.zeros((groups, 4))
    known, totals, uniques = [], [], []
    weight_of_kind = attack.weight_of_kind
    for knowledge in attack.walk(branch, but_for=1):
        weights = attack.chances.probability(knowledge.known)
        sums, unique = add_risks(attack, knowledge, weights, estimate, measures)
        without += attack.chances.probability_without(knowledge.known) @ sums
        known.append(knowledge.known)
        totals.append([weights @ weight_of_kind, *(weights @ sums)])
        uniques.append([unique.value, unique.low, unique.high])
    return Sums(
        measures,
        without,
        np.array(known, np.bool_).reshape(-1, groups),
        np.array(totals).reshape(-1, 5),
        np.array(uniques).reshape(-1, 3),
    )


def spread(attack: AttackedTable, measures: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Give each tuple of the table the parameters and measures of its row; one suppressed has 0."""
    parameters = attack.chances.parameters[attack.kind].T
    limited = np.append(parameters, np.minimum(measures, 1), axis=0)  # weights sum to 1 + rounding
    padded = np.append(limited, np.zeros((len(limited), 1)), axis=1)[:, attack.row_of_tuple]
    prosecutor, journalist, marketer = map(read_only, padded[4:])
    return read_only(padded[:4]), prosecutor, journalist, marketer


def make_drivers(attack: AttackedTable, without: Floats) -> tuple[GroupDriver, ...]:
    """Say for each group what the mean risk would be without it."""
    everybody = max(1, attack.weight)
    probability = attack.weight_of_kind @ attack.chances.learned / everybody
    mean = without / everybody
    return tuple(
        GroupDriver(group, float(probability[group]), *mean[group].tolist())
        for group in range(len(mean))
    )


def make_known_sets(
    attack: AttackedTable, known: NDArray[np.bool_], totals: Floats, unique: Floats, most: int = 10
) -> tuple[KnownSet, ...]:
    """Find the sets that add most to the mean overall risk."""
    shares = totals / max(1, attack.weight)
    overall = shares[:, 1 + OVERALL]
    order = np.argsort(-overall, kind="stable")[:most]
    return tuple(
        KnownSet(
            tuple(np.flatnonzero(known[at]).tolist()),
            float(shares[at, 0]),
            float(overall[at]),
            Estimate(*unique[at].tolist()),
        )
        for at in order
        if overall[at] > 0
    )


# --- by drawing


def draw(
    attack: AttackedTable,
    generator: np.random.Generator,
    trials: int,
    on_step: OnStep | None = None,
    estimate: UniqueGivenUnique = by_pitman,
) -> Exposure:
    """Estimate the risks from draws of what is known; given that, they are computed, not drawn.

    One draw decides about every group for all records at once: a group is learned where its number is
    below the probability. So one partition serves all records with the same probabilities.
    """
    if trials < 2:
        raise ValueError(f"a standard error needs at least 2 trials, got {trials}")
    kinds, groups = attack.chances.groups.shape
    measures = np.zeros((3, attack.counts.size))
    without, unknown = np.zeros((groups, kinds, 4)), np.zeros((groups, kinds))
    means, ends = [], np.zeros(2)
    for trial in range(trials):
        total = 0.0
        for known, weights in draw_known(attack, generator):
            sums, unique = add_risks(attack, attack.know(known), weights, estimate, measures)
            sums *= weights[:, np.newaxis]
            without[~known] += sums
            unknown[~known] += weights
            total += float(sums[:, OVERALL].sum())
            ends += ends_of(attack, sums.sum(axis=0), unique)
        means.append(total / max(1, attack.weight))
        if on_step is not None:
            on_step(trial + 1, trials)
    return Exposure(
        attack.scenario,
        Method.SIMULATED,
        trials,
        float(np.std(means, ddof=1) / math.sqrt(trials)),
        *spread(attack, measures / trials),
        float(measures[0] @ attack.weights) / trials / max(1, attack.weight),
        Interval(*(ends / trials / max(1, attack.weight)).tolist()),
        drawn_drivers(attack, without, unknown),
    )


def draw_known(
    attack: AttackedTable, generator: np.random.Generator
) -> Iterator[tuple[NDArray[np.bool_], Floats]]:
    """Draw what is known; yield each set with weight 1 for the kinds of people it is known of."""
    chances = attack.chances
    known_of_kind = generator.random(chances.groups.shape[1]) < chances.groups
    for cause, members in enumerate(chances.members):
        known_of_kind[:, members] &= (generator.random() < chances.causes[:, cause])[:, np.newaxis]
    for known in np.unique(known_of_kind, axis=0):
        yield known, (known_of_kind == known).all(axis=1).astype(np.float64)


def drawn_drivers(
    attack: AttackedTable, without: Floats, unknown: Floats
) -> tuple[GroupDriver, ...]:
    """Say what the mean risk is in the draws without a group; a group that all draws have is left out."""
    seen = np.flatnonzero((unknown > 0).all(axis=1))
    mean = (without / np.maximum(unknown, 1)[:, :, np.newaxis]).sum(axis=1)
    return tuple(driver for driver in make_drivers(attack, mean) if driver.group in seen)
