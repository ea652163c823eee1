"""Expected uniques: how many released people are, as far as can be estimated, alone in the population."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from anonymizer.attackers.uniqueness import estimate_unique, estimator_of
from anonymizer.errors import suggest_name
from anonymizer.estimators.intervals import (
    Interval,
    estimate_unique_given_unique,
    estimate_uniques,
)
from anonymizer.estimators.uniques import ESTIMATORS, bisect, histogram
from anonymizer.risk.assumption import Assumption
from anonymizer.risk.inputs import Inputs, Population
from anonymizer.risk.model import Estimates, ModelKind, RiskModel
from anonymizer.risk.parameters import Direction, Parameter, check_sample, check_whole
from anonymizer.risk.remaining import Remaining


@dataclass(frozen=True)
class ExpectedUniques(RiskModel):
    """The expected number of released people who are unique in the population is at most `people`.

    Whoever is alone in the table is unique in the population with a probability u that is estimated once
    for a scheme, from the table before anything is suppressed; so many times u are expected of those who
    are released alone. Where u cannot be estimated, it is 1. The estimators are those of p-uniqueness.

    It is a number, not a share: of a simple random sample the expected share is that of the population,
    which p-uniqueness limits, and 1 % of a large release are many people.
    """

    name: ClassVar[str] = "expected-uniques"
    kind: ClassVar[ModelKind] = ModelKind.TABLE
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            "people",
            Direction.DOWN,
            (1000, 300, 100, 30, 10, 3, 1, 0.3, 0.1),
            meaning="released people expected to be unique in the population, at most",
        ),
    )

    unique: ClassVar[float | None] = None
    """What u is; None where it is estimated."""

    people: float
    population: int
    estimator: str = "pitman"

    def __post_init__(self) -> None:
        number = isinstance(self.people, int | float) and not isinstance(self.people, bool)
        if not number or not 0 <= self.people < math.inf:
            raise ValueError(f"people must be a number of at least 0, got {self.people!r}")
        check_whole("population", self.population)
        if self.estimator not in ESTIMATORS:
            names = suggest_name(self.estimator, ESTIMATORS)
            raise ValueError(f"estimator {self.estimator!r} is unknown; {names}")

    def __str__(self) -> str:
        return (
            f"{self.name} of at most {self.people:g} in a population of {self.population:,} "
            f"({self.estimator})"
        )

    @property
    def inputs(self) -> Inputs:
        """A population of the size given."""
        return Inputs(population=Population(self.population))

    def assumptions(self) -> tuple[Assumption, ...]:
        """Return the size of the population."""
        return (
            Assumption.of_population(self.population, lambda size: replace(self, population=size)),
        )

    def check(self, people: int, quasi_identifiers: tuple[str, ...]) -> list[str]:  # noqa: ARG002
        """A sample is no larger than its population."""
        return check_sample(people, self.population)

    def with_estimates(self, at: Estimates) -> RiskModel:
        """Return the model with u = 0 or 1: a release does not have the records it is estimated from."""
        model = NobodyUnique if at is Estimates.LEAST else EverybodyUnique
        return model(self.people, self.population, self.estimator)

    def unique_given_unique(self, remaining: Remaining) -> float:
        """Return u: how likely whoever is alone in the table is unique in the population."""
        if self.unique is not None:
            return self.unique
        sizes = remaining.classes.whole_sizes
        return estimate_unique(sizes, self.population, estimator_of(self.estimator))

    def expected(self, remaining: Remaining, cut: int = 0) -> float:
        """Return how many of the people who are left are expected to be unique in the population."""
        uniques = remaining.left(cut).uniques
        return uniques * self.unique_given_unique(remaining) if uniques else 0.0

    def risk(self, remaining: Remaining, cut: int = 0) -> float:
        """Return the expected share of the people who are left."""
        expected = self.expected(remaining, cut)
        return expected / remaining.left(cut).people if expected else 0.0

    def risk_interval(self, remaining: Remaining) -> Interval | None:
        """Return the share with u at the ends of its interval."""
        if self.unique is not None:
            return None
        risk, left = self.risk(remaining), remaining.left(0)
        if not left.uniques:
            return Interval(0.0, 0.0)
        share, found = left.uniques / left.people, self.interval(remaining)
        return Interval(min(risk, share * found.low), max(risk, share * found.high))

    def interval(self, remaining: Remaining) -> Interval:
        """Return the interval of u."""
        sizes = remaining.classes.whole_sizes
        records, alone = int(sizes.sum()), int(np.count_nonzero(sizes == 1))
        population = max(self.population, records)
        if self.estimator == "pitman" or not alone:
            return estimate_unique_given_unique(sizes, population).interval
        found = estimate_uniques(*histogram(sizes), population, self.estimator)
        low, high = (
            min(end * records / population / alone, 1.0) for end in (found.low, found.high)
        )
        return Interval(low, high)

    def passes(self, remaining: Remaining, cut: int = 0) -> bool:
        """Whether no more people are expected than the limit."""
        return self.expected(remaining, cut) <= self.people

    def first_cut(self, remaining: Remaining, start: int) -> int:
        """Find the least cut that passes, by bisection: without a class nobody else becomes unique."""
        if not remaining.left(start).uniques:
            return start
        unique = self.unique_given_unique(remaining)

        def passes(cut: int) -> bool:
            return remaining.left(cut).uniques * unique <= self.people

        return start if passes(start) else bisect(passes, start, remaining.histogram.classes)


class NobodyUnique(ExpectedUniques):
    """The model with u = 0: it passes whatever is released."""

    unique: ClassVar[float] = 0.0


class EverybodyUnique(ExpectedUniques):
    """The model with u = 1: whoever is alone counts as unique in the population."""

    unique: ClassVar[float] = 1.0
