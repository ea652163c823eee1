"""The slow and obvious way to the overall risk: every subset of groups, every pair of records.

A record is a dict of its generalized values; a person is a dict of the values before. Nothing here comes
from the engine but the scenario, which is only read.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from anonymizer.knowledge.scenario import AttributeGroup, Scenario

Record = Mapping[str, str]
Estimate = Callable[[Sequence[int], int], float | None]


@dataclass(frozen=True)
class Risks:
    """The risks of one record."""

    overall: float
    prosecutor: float
    journalist: float
    marketer: float


def learned(group: AttributeGroup, person: Record) -> float:
    """How likely the group is learned about a person."""
    if group.by is None:
        assert group.probability is not None
        return group.probability
    assert group.default is not None
    return group.probabilities.get(person[group.by], group.default)


def risks_of(
    position: int,
    records: Sequence[Record],
    people: Sequence[Record],
    scenario: Scenario,
    estimate: Estimate,
) -> Risks:
    """Look at every set of groups that the attacker may know about one person."""
    sums = [0.0] * 4
    for known in itertools.product((False, True), repeat=len(scenario.groups)):
        weight, names = 1.0, []
        for group, is_known in zip(scenario.groups, known, strict=True):
            probability = learned(group, people[position])
            weight *= probability if is_known else 1 - probability
            names += group.attributes if is_known else ()
        own = tuple(records[position][name] for name in names)
        sizes = Counter(tuple(record[name] for name in names) for record in records)
        terms = routes(sizes[own], tuple(sizes.values()), scenario, estimate)
        sums = [total + weight * term for total, term in zip(sums, terms, strict=True)]
    return Risks(*sums)


def routes(
    size: int, sizes: Sequence[int], scenario: Scenario, estimate: Estimate
) -> tuple[float, float, float, float]:
    """The probability of re-identification given what is known, as the paper puts it together."""
    unique = 0.0
    if size == 1:
        estimated = estimate(sizes, scenario.population)
        unique = 1.0 if estimated is None else estimated
    by_membership = scenario.p_m * scenario.p_fm * (size == 1)
    by_uniqueness = scenario.p_cu * unique
    by_guess = scenario.p_c / size
    overall = 1 - (1 - by_membership) * (1 - by_uniqueness) * (1 - by_guess)
    return overall, float(size == 1), unique, 1 / size


def all_risks(
    records: Sequence[Record], people: Sequence[Record], scenario: Scenario, estimate: Estimate
) -> list[Risks]:
    """The risks of every record."""
    return [
        risks_of(position, records, people, scenario, estimate) for position in range(len(records))
    ]


def statistic(risks: Sequence[float], name: str) -> float:
    """The mean, the maximum or a percentile such as p95."""
    if not risks:
        return 0.0
    if name == "mean":
        return math.fsum(risks) / len(risks)
    if name == "maximum":
        return max(risks)
    share = Fraction(name[1:]) / 100
    return next(
        value
        for value in sorted(risks)
        if sum(risk <= value for risk in risks) >= share * len(risks)
    )
