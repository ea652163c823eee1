"""The slow and obvious way to the overall risk: all that may be known, every pair of records.

A record is a dict of its generalized values; a person is a dict of the values before. Nothing here comes
from the engine but the scenario, which is only read.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from anonymizer.attackers.probability import Chance
from anonymizer.attackers.scenario import Scenario

Record = Mapping[str, str]
Estimate = Callable[[Sequence[int], int], float | None]


@dataclass(frozen=True)
class Risks:
    """The risks of one record."""

    overall: float
    prosecutor: float
    journalist: float
    marketer: float


def number(chance: Chance, person: Record) -> float:
    """A probability of one person, looked up in what the scenario says."""
    if chance.column is not None:
        return float(person[chance.column])
    found: Any = chance.probability if chance.by is None else chance.probabilities
    for name in [chance.by] if isinstance(chance.by, str) else chance.by or ():
        if isinstance(found, Mapping):
            found = found.get(person[name], chance.default)
    assert isinstance(found, float | int)
    return found


def all_known(
    scenario: Scenario, of_person: Callable[[Chance], float]
) -> Iterator[tuple[float, tuple[bool, ...]]]:
    """Enumerate which causes are found and which groups may be learned: what is known, how likely."""
    causes, groups = list(scenario.causes), scenario.learned
    numbers = [of_person(c) for c in (*scenario.causes.values(), *(g.chance for g in groups))]
    for found in itertools.product((False, True), repeat=len(causes)):
        for learned in itertools.product((False, True), repeat=len(groups)):
            weight = 1.0
            for probability, happens in zip(numbers, (*found, *learned), strict=True):
                weight *= probability if happens else 1 - probability
            there = dict(zip(causes, found, strict=True))
            yield (
                weight,
                tuple(
                    happens and (group.cause is None or there[group.cause])
                    for group, happens in zip(groups, learned, strict=True)
                ),
            )


def risks_of(
    position: int,
    records: Sequence[Record],
    people: Sequence[Record],
    scenario: Scenario,
    estimate: Estimate,
) -> Risks:
    """Look at every set of groups that the attacker may know about one person."""
    sums = [0.0] * 4
    person = people[position]
    parameters = [number(chance, person) for chance in scenario.parameters]
    for weight, known in all_known(scenario, lambda chance: number(chance, person)):
        names = {
            name
            for group, is_known in zip(scenario.learned, known, strict=True)
            for name in group.attributes
            if is_known
        }
        own = tuple(records[position][name] for name in sorted(names))
        sizes = Counter(tuple(record[name] for name in sorted(names)) for record in records)
        estimated = partial(estimate, tuple(sizes.values()), scenario.population)
        terms = routes(sizes[own], parameters, estimated)
        sums = [total + weight * term for total, term in zip(sums, terms, strict=True)]
    return Risks(*sums)


def routes(
    size: int, parameters: Sequence[float], estimate: Callable[[], float | None]
) -> tuple[float, float, float, float]:
    """The probability of re-identification given what is known, as the paper puts it together."""
    p_m, p_fm, p_c, p_cu = parameters
    unique = 0.0
    if size == 1:
        estimated = estimate()
        unique = 1.0 if estimated is None else estimated
    by_membership = p_m * p_fm * (size == 1)
    by_uniqueness = p_cu * unique
    by_guess = p_c / size
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
