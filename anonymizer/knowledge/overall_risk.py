"""Overall risk: how likely a subject is re-identified by someone who knows some attributes, not all.

The attacker learns each attribute group of a subject or not. Let S be what is known, a_S the records
that match the subject on S, and u_S the probability that a record unique on S is unique in the
population. Given S, the three routes of Figure 1 of Xia et al. 2021 are independent:

    P(re-identified | S) = 1 - (1 - p_m p_fm [a_S = 1]) (1 - p_cu u_S [a_S = 1]) (1 - p_c / a_S)

Multiplied out, this is linear in [a_S = 1], u_S [a_S = 1] and 1 / a_S. Their means over S are the risks
by prosecutor, journalist and marketer; so these are summed, and the overall risk follows from them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.columns import ROW_LIMIT
from anonymizer.engine.domain import read_only
from anonymizer.engine.microdata import Microdata
from anonymizer.errors import PolicyError
from anonymizer.estimators.uniques import unique_given_unique as by_pitman
from anonymizer.kernels.overall import add_measures
from anonymizer.kernels.partition import label_keys, sum_by_label
from anonymizer.knowledge.scenario import Scenario
from anonymizer.lattice import Scheme

Floats = NDArray[np.float64]
UniqueGivenUnique = Callable[[NDArray[np.int64], int], float | None]
"""From class sizes and the size of the population: the probability that a record that is unique in the
table is unique in the population; None or NaN where it cannot be estimated."""

EXACT_LIMIT = 20  # groups; the exact risk has 2^groups terms
SLACK = 1e-12  # a risk that differs from the threshold by rounding only is not above it


class Labels(NamedTuple):
    """A number below `number` for each row; rows with one label are not told apart."""

    of_row: NDArray[np.int32]
    number: int

    def refine(self, values: Labels) -> Labels:
        """Split each part by some values; a chain of splits begins with `one_part`."""
        if values.number <= 1 or self.number == self.of_row.size:
            return self  # the values tell no one apart, or everyone is told apart already
        keys = self.of_row.astype(np.int64) * values.number + values.of_row
        labels, first = label_keys(keys, self.number * values.number)
        return Labels(labels, first.size)

    def take(self, rows: NDArray[np.signedinteger]) -> Labels:
        """Keep some of the rows, with the labels they have."""
        return Labels(self.of_row[rows], self.number)


def one_part(rows: int) -> Labels:
    """Return the partition in which no row is told from another."""
    return Labels(np.zeros(rows, np.int32), min(rows, 1))


def code_labels(codes: NDArray[np.integer]) -> Labels:
    """Take codes as labels."""
    for code in (codes.min(initial=0), codes.max(initial=0)):
        if not 0 <= code < ROW_LIMIT:  # wrapped around, it would match what it must not
            raise ValueError(f"codes are from 0 to {ROW_LIMIT - 1}, got {code}")
    return Labels(codes.astype(np.int32), int(codes.max(initial=-1)) + 1)


def label_values(values: NDArray[Any]) -> Labels:
    """Label equal values of any kind."""
    distinct, labels = np.unique(values, return_inverse=True)
    return Labels(labels.astype(np.int32), distinct.size)


def label_together(codes: Iterable[NDArray[np.integer]], rows: int) -> Labels:
    """Label the rows that have equal codes of several attributes."""
    labels = one_part(rows)
    for codes_of_attribute in codes:
        labels = labels.refine(code_labels(codes_of_attribute))
    return labels


@dataclass(frozen=True, slots=True, eq=False)
class Attack:
    """A scenario against a generalized table, given as distinct tuples and their counts.

    `values[g]` labels the tuples by their generalized values of group g; `learned[g]` is, for each
    tuple, the probability that the attacker learns the group; a suppressed tuple has count 0.
    """

    scenario: Scenario
    values: tuple[Labels, ...]
    counts: NDArray[np.int64]
    learned: Floats

    def __post_init__(self) -> None:
        shape = len(self.scenario.groups), self.counts.size
        given = len(self.values), *{values.of_row.size for values in self.values}
        if given != shape or self.learned.shape != shape:
            raise ValueError(f"{shape[0]} groups and {shape[1]} tuples do not fit the arrays given")

    @staticmethod
    def build(
        scenario: Scenario,
        codes: Mapping[str, NDArray[np.integer]],
        counts: NDArray[np.integer],
        learned: Floats,
    ) -> Attack:
        """Take the generalized value of each attribute, as a code for each tuple, and the rest."""
        values = tuple(
            label_together([codes[attribute] for attribute in group.attributes], counts.size)
            for group in scenario.groups
        )
        return Attack(scenario, values, counts.astype(np.int64), learned)

    @property
    def records(self) -> int:
        """The number of records that are not suppressed."""
        return int(self.counts.sum())

    def with_counts(self, counts: NDArray[np.integer]) -> Attack:
        """Return the attack on the same tuples with other counts, 0 for those that are suppressed."""
        return Attack(self.scenario, self.values, counts.astype(np.int64), self.learned)

    def take(self, rows: NDArray[np.signedinteger], counts: NDArray[np.int64]) -> Attack:
        """Return the attack on some of the tuples."""
        values = tuple(labels.take(rows) for labels in self.values)
        return Attack(self.scenario, values, counts, self.learned[:, rows])


def learned_probabilities(
    scenario: Scenario, leaves: Mapping[str, tuple[Sequence[str], NDArray[np.integer]]], tuples: int
) -> Floats:
    """Return for each group and tuple the probability that the attacker learns the group.

    `leaves` has, for each attribute that probabilities depend on, its values before generalization
    and their number for each tuple.
    """
    learned = np.empty((len(scenario.groups), tuples))
    for row, group in zip(learned, scenario.groups, strict=True):
        if group.by is None:
            row[:] = group.probability
        else:
            values, code_of_tuple = leaves[group.by]
            row[:] = group.probability_of(values)[code_of_tuple]
    return learned


def leaf_values(
    microdata: Microdata, attribute: int
) -> tuple[list[str], NDArray[np.unsignedinteger]]:
    """Return the original values of an attribute that occur, and the number of each tuple's."""
    column = microdata.columns[attribute]
    return [column.hierarchy.leaves[leaf] for leaf in column.leaves], microdata.codes[attribute]


def attack_on(microdata: Microdata, scheme: Scheme, scenario: Scenario) -> Attack:
    """Return the attack on a table as a scheme generalizes it, with nothing suppressed.

    Where the attacker knows an attribute more coarsely than the table has it, the records that his
    value covers match; where more finely, those whose value covers his. So the coarser level counts.
    """
    scenario = scenario.expand(microdata.attributes)
    heights = [column.hierarchy.height for column in microdata.columns]
    if faults := check_levels(scenario, dict(zip(microdata.attributes, heights, strict=True))):
        raise PolicyError.defective("scenario", faults)
    place = {name: at for at, name in enumerate(microdata.attributes)}

    def codes(name: str, least: int) -> NDArray[np.int64]:
        column, level = microdata.columns[place[name]], max(scheme[place[name]], least)
        found: NDArray[np.int64] = column.groups[level][microdata.codes[place[name]]]
        return found

    values = tuple(
        label_together(
            [codes(name, group.levels.get(name, 0)) for name in group.attributes],
            microdata.distinct,
        )
        for group in scenario.groups
    )
    leaves = {
        group.by: leaf_values(microdata, place[group.by])
        for group in scenario.groups
        if group.by is not None
    }
    learned = learned_probabilities(scenario, leaves, microdata.distinct)
    return Attack(scenario, values, microdata.counts.astype(np.int64), learned)


def check_levels(scenario: Scenario, heights: Mapping[str, int]) -> list[str]:
    """Say which attributes and levels of a scenario the table's hierarchies do not have."""
    faults = scenario.check_attributes(list(heights))
    return faults or [
        f"levels.{name}: {level} is above the top of its hierarchy, which has levels 0 to "
        f"{heights[name] - 1}."
        for group in scenario.groups
        for name, level in group.levels.items()
        if level >= heights[name]
    ]


def merge(attack: Attack, labels: Labels) -> tuple[Attack, Labels]:
    """Merge tuples under one label that the attacker cannot tell apart; say which row each became."""
    for values in attack.values:
        labels = labels.refine(values)
    for learned in attack.learned:
        if learned.size and learned.min() < learned.max():
            labels = labels.refine(label_values(learned))
    _, first = label_keys(labels.of_row.astype(np.int64), labels.number)
    counts: NDArray[np.int64] = sum_by_label(labels.of_row, attack.counts, labels.number)
    return attack.take(first, counts), labels


def quantile_of(statistic: str | float) -> Fraction | None:
    """Return the share of records that a statistic looks at, or None for the mean.

    >>> quantile_of("p95"), quantile_of(0.95), quantile_of("maximum"), quantile_of("mean")
    (Fraction(19, 20), Fraction(19, 20), Fraction(1, 1), None)
    """
    if statistic == "mean":
        return None
    share = Fraction(0)
    if isinstance(statistic, str):
        percent = re.fullmatch(r"p(\d+(?:\.\d+)?)", statistic)
        share = Fraction(percent[1]) / 100 if percent else Fraction(statistic == "maximum")
    elif isinstance(statistic, int | float) and math.isfinite(statistic):
        share = Fraction(repr(float(statistic)))  # 0.95 is meant, not the binary number next to it
    if not 0 < share <= 1 or isinstance(statistic, bool):
        raise ValueError(
            f"statistic {statistic!r} is unknown; use 'mean', 'maximum' or a percentile such as 'p95'"
        )
    return share


def statistic_of(risks: Floats, counts: NDArray[np.int64], statistic: str | float) -> float:
    """Return a statistic of the records' risks; without records it is 0.

    A percentile is the smallest value v such that at least that share of the records have risk <= v.

    >>> statistic_of(np.array([0.1, 0.5]), np.array([19, 1]), "p95")
    0.1
    """
    quantile = quantile_of(statistic)
    records = int(counts.sum())
    if records == 0:
        return 0.0
    if quantile is None:
        return float((risks * counts).sum() / records)
    order = np.argsort(risks)
    at_most = np.cumsum(counts[order])
    return float(risks[order[np.searchsorted(at_most, math.ceil(quantile * records))]])


def passes(risk: float, threshold: float) -> bool:
    """Tell whether a risk is within a threshold, rounding aside."""
    return risk <= threshold + SLACK


@dataclass(frozen=True, slots=True, eq=False)
class OverallRisk:
    """The risks of each tuple's records, 0 for suppressed tuples, and how many records it has."""

    counts: NDArray[np.int64]
    overall: Floats
    prosecutor: Floats
    """The probability that the subject is unique in the table on what is known."""
    journalist: Floats
    """The probability that the subject is unique in the population on what is known."""
    marketer: Floats
    """The probability that a record picked among those that match is the subject's."""

    def statistic(self, statistic: str | float, measure: str = "overall") -> float:
        """Return "mean", "maximum" or a percentile such as "p95" or 0.95 over the records."""
        return statistic_of(getattr(self, measure), self.counts, statistic)

    def describe(self) -> dict[str, dict[str, float]]:
        """Return mean, median, 95th percentile and maximum of each risk, as JSON."""
        names = {"mean": "mean", "median": "p50", "p95": "p95", "maximum": "maximum"}
        return {
            measure: {name: self.statistic(key, measure) for name, key in names.items()}
            for measure in ("overall", "prosecutor", "journalist", "marketer")
        }


def combine(scenario: Scenario, prosecutor: Any, journalist: Any, marketer: Any) -> Any:
    """Return the overall risk that follows from the three risks."""
    member = scenario.p_m * scenario.p_fm
    unique = member * prosecutor + (1 - member) * scenario.p_cu * journalist
    return scenario.p_c * marketer + (1 - scenario.p_c) * unique


def spread(
    attack: Attack, rows: Labels, present: NDArray[np.intp], measures: Floats
) -> OverallRisk:
    """Give each tuple that is present the measures of its row, and the others 0."""
    of_tuple = np.zeros((3, attack.counts.size))
    of_tuple[:, present] = np.minimum(measures, 1)[
        :, rows.of_row
    ]  # the weights sum to 1 + rounding
    overall = combine(attack.scenario, *of_tuple)
    return OverallRisk(attack.counts, *map(read_only, (overall, *of_tuple)))


class Subset(NamedTuple):
    """A set of groups that may be known, as the partition it makes and its probability by row."""

    parts: Labels
    weights: Floats


def known_subsets(attack: Attack) -> Iterator[Subset]:
    """Yield every set of groups that may be known, each refined from the set without its last group."""
    rows = attack.counts.size
    yield from _grow(attack, 0, Subset(one_part(rows), np.ones(rows)))


def _grow(attack: Attack, group: int, known: Subset) -> Iterator[Subset]:
    if group == len(attack.values):
        yield known
        return
    weights = known.weights * (1 - attack.learned[group])
    if weights.any():  # what cannot happen is left out
        yield from _grow(attack, group + 1, Subset(known.parts, weights))
    weights = known.weights * attack.learned[group]
    if weights.any():
        parts = known.parts.refine(attack.values[group])
        yield from _grow(attack, group + 1, Subset(parts, weights))


def check_exact(scenario: Scenario) -> None:
    """Refuse a scenario with too many groups for the exact risk."""
    if len(scenario.groups) > EXACT_LIMIT:
        raise PolicyError(
            f"scenario: {len(scenario.groups)} groups are more than the {EXACT_LIMIT} whose subsets "
            "can all be looked at; merge groups, or use the Monte Carlo simulation (`simulate`)."
        )


def assess(attack: Attack, unique_given_unique: UniqueGivenUnique | None = None) -> OverallRisk:
    """Compute the exact risks of all records over all subsets of groups.

    Where u_S cannot be estimated it is taken as 1. By default it is Pitman's.
    """
    check_exact(attack.scenario)
    estimate = unique_given_unique or by_pitman
    present = np.flatnonzero(attack.counts)
    left = attack.take(present, attack.counts[present])
    rows, row_of_tuple = merge(left, one_part(present.size))
    measures = sum_measures(rows, known_subsets(rows), 0, estimate)
    return spread(attack, row_of_tuple, present, measures)


def sum_measures(
    rows: Attack, subsets: Iterable[Subset], start: int, estimate: UniqueGivenUnique
) -> Floats:
    """Sum the three risks over all subsets for the rows from `start` on; those before are suppressed."""
    counts = rows.counts[start:]
    measures = np.zeros((3, counts.size))
    for parts, weights in subsets:
        labels = parts.of_row[start:]
        sizes = sum_by_label(labels, counts, parts.number)
        unique = unique_in_population(sizes, rows.scenario, estimate)
        add_measures(labels, sizes, weights[start:], unique, measures)
    return measures


def unique_in_population(
    sizes: NDArray[np.int64], scenario: Scenario, estimate: UniqueGivenUnique
) -> float:
    """Return u_S, the probability that a record unique in the table is so in the population."""
    if not (sizes == 1).any():
        return 0.0  # no record needs it
    sizes = sizes[sizes > 0]
    # no table has more records than the population it is drawn from
    estimated = estimate(sizes, max(scenario.population, int(sizes.sum())))
    if estimated is None or math.isnan(estimated):
        return 1.0  # what is not known must not look safe
    return min(max(float(estimated), 0.0), 1.0)


def estimate_needed(scenario: Scenario, given: UniqueGivenUnique | None) -> UniqueGivenUnique:
    """Return the estimate of u_S that the overall risk needs: none at all where p_cu is 0."""
    if scenario.p_cu == 0:
        return lambda *_: None
    return given or by_pitman
