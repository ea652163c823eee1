"""Uniqueness: how many records, or people of the population, are alone with their values."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from anonymizer.errors import quote_some
from anonymizer.estimators.intervals import Interval, estimate_uniques
from anonymizer.estimators.uniques import ESTIMATORS, at_most, first_cut
from anonymizer.risk.model import Monotone, Population, TableModel
from anonymizer.risk.parameters import THRESHOLD, Parameter, check_share, check_whole
from anonymizer.risk.remaining import Binding, Histogram, Remaining


@dataclass(frozen=True)
class SampleUniqueness(TableModel):
    """The share of records that are alone in their class is at most the threshold."""

    name: ClassVar[str] = "sample-uniqueness"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        replace(THRESHOLD, usual=tuple(10.0**-e for e in range(1, 6))),
    )
    monotone: ClassVar[Monotone] = Monotone.TABLE  # a record that merges is unique no more
    decreases: ClassVar[bool] = True  # uniques go first, each with one record

    threshold: float

    def __post_init__(self) -> None:
        check_share("threshold", self.threshold)

    def __str__(self) -> str:
        return f"{self.name} of at most {self.threshold:g}"

    def risk_of(self, histogram: Histogram) -> float:
        """Return uniques / people."""
        return histogram.uniques / histogram.people

    def binding(self, remaining: Remaining) -> Binding | None:
        """Return the uniques: they are unique at every finer scheme, where at most a share may stay."""
        if remaining.microdata.people is not None:
            return None  # how many records those have who may stay is not known
        people = remaining.classes.input_people
        exempt = math.floor(self.threshold * people) + 1
        while exempt / people > self.threshold:  # as `risk_of` divides, to the last bit
            exempt -= 1
        return Binding(remaining.classes.sizes == 1, exempt)


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
            known = quote_some(ESTIMATORS)
            raise ValueError(f"estimator {self.estimator!r} is unknown; use one of {known}")

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
    def sampled_from(self) -> Population:
        """A population of the size given."""
        return Population(self.population)

    def with_population(self, size: int) -> Self:
        """Return the model for a population of another size."""
        return replace(self, population=size)

    def check(self, records: int, quasi_identifiers: tuple[str, ...]) -> list[str]:  # noqa: ARG002
        """A sample is no larger than its population."""
        if self.population >= records:
            return []
        return [
            f"the population of {self.population} is smaller than the table, which has {records} "
            "records; correct it."
        ]

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
