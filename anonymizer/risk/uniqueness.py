"""Uniqueness: how many records, or people of the population, are alone with their values."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

from anonymizer.errors import suggest_name
from anonymizer.estimators.intervals import Interval, estimate_uniques
from anonymizer.estimators.uniques import ESTIMATORS, at_most, first_cut
from anonymizer.risk.assumption import Assumption
from anonymizer.risk.inputs import Inputs, Population
from anonymizer.risk.model import TableModel
from anonymizer.risk.parameters import (
    THRESHOLD,
    Parameter,
    check_sample,
    check_share,
    check_whole,
)
from anonymizer.risk.remaining import Histogram, Remaining
from anonymizer.risk.sizes import Sizes


@dataclass(frozen=True)
class SampleUniqueness(TableModel):
    """The share of records that are alone in their class is at most the threshold."""

    name: ClassVar[str] = "sample-uniqueness"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        replace(THRESHOLD, usual=tuple(10.0**-e for e in range(1, 6))),
    )
    decreases: ClassVar[bool] = True  # uniques go first, each with one record

    threshold: float

    def __post_init__(self) -> None:
        check_share("threshold", self.threshold)

    def __str__(self) -> str:
        return f"{self.name} of at most {self.threshold:g}"

    def risk_of(self, histogram: Histogram) -> float:
        """Return uniques / people."""
        return histogram.uniques / histogram.people

    def asks(self, people: int) -> Sizes:
        """Return how many uniques may stay, of all records: one that merges is unique no more."""
        return Sizes(uniques=most_within(self.threshold, people))


def most_within(share: float, people: int) -> int:
    """Return how many of some people are within a share of them, as a risk is divided, to the last bit.

    >>> most_within(0.3, 10), most_within(0.29, 10)
    (3, 2)
    """
    most = math.floor(share * people) + 1
    while most / people > share:
        most -= 1
    return most


@dataclass(frozen=True)
class PUniqueness(TableModel):
    """The estimated share of the population that is unique is at most the threshold.

    Estimators: pitman (Hoshino 2001, the default), zayatz, snb, dankar. An estimate that cannot be
    had while there are sample uniques never passes.
    """

    name: ClassVar[str] = "p-uniqueness"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        replace(THRESHOLD, usual=tuple(10.0**-e for e in range(2, 9))),
    )

    threshold: float
    population: int
    estimator: str = "pitman"

    def __post_init__(self) -> None:
        check_share("threshold", self.threshold)
        check_whole("population", self.population)
        if self.estimator not in ESTIMATORS:
            names = suggest_name(self.estimator, ESTIMATORS)
            raise ValueError(f"estimator {self.estimator!r} is unknown; {names}")

    def __str__(self) -> str:
        return (
            f"{self.name} of at most {self.threshold:g} in a population of {self.population:,} "
            f"({self.estimator})"
        )

    @property
    def exact(self) -> bool:
        """Whether no cut can be missed; `Cuts` says from which limit on Pitman's estimate may rise."""
        return self.estimator in ("zayatz", "snb") or self.threshold < 0.1

    @property
    def inputs(self) -> Inputs:
        """A population of the size given."""
        return Inputs(population=Population(self.population))

    def assumptions(self) -> tuple[Assumption, ...]:
        """Return the size of the population."""
        return (
            Assumption.of_population(
                self.population, lambda people: replace(self, population=people)
            ),
        )

    def check(self, people: int, quasi_identifiers: tuple[str, ...]) -> list[str]:  # noqa: ARG002
        """A sample is no larger than its population."""
        return check_sample(people, self.population)

    def estimate(self, histogram: Histogram) -> float:
        """Estimate how many people of the population are unique; infinite where that cannot be had."""
        if histogram.uniques == 0:
            return 0.0
        # people with several rows may be in more classes than there are people
        population = max(self.population, histogram.memberships)
        estimate = ESTIMATORS[self.estimator](histogram.sizes, histogram.counts, population)
        return math.inf if math.isnan(estimate) else at_most(estimate, self.population)

    def risk_of(self, histogram: Histogram) -> float:
        """Return estimated population uniques / population."""
        return self.estimate(histogram) / self.population

    def risk_interval(self, remaining: Remaining) -> Interval:
        """Return the interval of the estimated share.

        For Pitman's model it is that of the exact expectation, made to hold Hoshino's asymptotic form.
        """
        histogram = remaining.histogram
        if histogram.classes == 0:
            return Interval(0.0, 0.0)
        population = max(self.population, histogram.memberships)
        found = estimate_uniques(histogram.sizes, histogram.counts, population, self.estimator)
        value = min(self.risk_of(histogram), 1.0)  # infinite where nothing is known
        low, high = (min(end / self.population, 1.0) for end in (found.low, found.high))
        return Interval(min(low, value), max(high, value))

    @property
    def limit(self) -> float:
        """How many people of the population may be unique."""
        return self.threshold * self.population

    def passes(self, remaining: Remaining, cut: int = 0) -> bool:
        """Whether no more people than the limit are estimated to be unique, as `first_cut` compares."""
        return self.estimate(remaining.left(cut)) <= self.limit

    def first_cut(self, remaining: Remaining, start: int) -> int:
        """Find the least cut that passes: when the last sample unique is gone, it does."""
        left = remaining.left(start)
        if left.uniques == 0:
            return start
        if remaining.ranked is not None:
            return super().first_cut(remaining, start)
        population = max(self.population, left.memberships)
        return start + first_cut(left.sizes, left.counts, population, self.limit, self.estimator)

    @property
    def bounded(self) -> bool:
        """Whether, by Pitman or Zayatz, the classes of a scheme bound the estimates of finer ones."""
        return self.estimator == "zayatz" or (self.estimator != "snb" and self.threshold < 0.1)

    def asks(self, people: int) -> Sizes:
        """Return what may be left of the uniques, or of all classes with a unique among them.

        A finer scheme has all uniques of this one, and no fewer classes. Zayatz' estimate is at least
        N (s1/n)^2, so that no more than n times the square root of the threshold may be unique.
        """
        if not self.bounded:
            return Sizes()
        if self.estimator == "zayatz":
            return Sizes(uniques=most_within(math.sqrt(self.threshold), people))
        most = self.most_classes(people)
        return Sizes() if most is None else Sizes(classes=most)

    def most_classes(self, records: int) -> int | None:
        """Return how many classes may be left with a unique among them; None where nothing is known.

        Dankar's rule takes Pitman's estimate from a sample of at most a tenth of the population. Where
        that cannot be had, all records are unique, and Zayatz' is the whole population.
        """
        if self.estimator == "dankar" and records > self.population / 10:
            return None
        # SciPy's special functions take a tenth of a second to import, for every other model in vain
        from anonymizer.estimators.most_classes import most_classes

        return most_classes(records, self.population, self.limit)
