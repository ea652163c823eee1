"""The risk profile: what every table is described by, whichever model drove the search."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonymizer.attackers.statistics import statistic_of
from anonymizer.estimators.intervals import Estimate, Interval, estimate_uniques, within
from anonymizer.risk.remaining import Histogram
from anonymizer.risk.sensitive_profile import SensitiveProfile
from anonymizer.table.classes import EquivalenceClasses
from anonymizer.table.microdata import Microdata
from anonymizer.table.people import People

THRESHOLDS = (0.05, 0.1, 0.2, 0.5)
"""A record at more than such a risk is counted; 0.05 and 0.2 are the usual limits (Simon et al. 2020)."""

SIZE_EDGES = (1, 2, 3, 5, 10, 20, 50, 100, 1000)
"""Where the ranges of the distribution of class sizes begin."""

LARGE, TERMS = 50, 32
"""From such a size of a class so many terms give its expected risk to the last digit."""


@dataclass(frozen=True, slots=True)
class Attacker:
    """The risk of re-identification, as a probability, under one attacker; 0 without records."""

    highest: float
    average: float
    above: dict[str, float]
    """The share of the records whose risk exceeds a threshold."""


@dataclass(frozen=True, slots=True)
class RiskProfile:
    """The risks of a table.

    The prosecutor knows that the target is in the table: a record's risk is one over the size of its
    class. The journalist does not: it is one over the number of people who match, counted in the
    population table or expected for a population of a given size. The marketer wants as many as can be
    had: `marketer` is the share of records expected to be re-identified by linking to that population,
    or to a list of the same people where no population is given.
    """

    records: int
    people: int
    classes: int
    prosecutor: Attacker
    journalist: Attacker | None
    marketer: float
    sample_uniques: int
    population_uniques: float | None
    """The people who are unique in the population: the expectation by Pitman's model. None where no
    population is given or no estimate can be had."""
    population_uniques_interval: Interval | None
    """Its interval at 95 % confidence, or None where no population is given."""
    smallest_class: int
    median_class: float
    largest_class: int
    class_sizes: dict[str, int]
    """The number of records in classes of each range of sizes."""
    sensitive: dict[str, SensitiveProfile]
    """What the classes give away about each sensitive attribute: its `values`, the `least_distinct` ones
    and the `least_entropy` of a class (as a number of values), the `greatest_share` of one value, the
    `greatest_distance` from the input's distribution and the `released_distance` from their own, the
    classes of `one_value`, and those in which everybody has a value that a model marks (`all_marked`)."""


@dataclass(frozen=True, slots=True, eq=False)
class PopulationModel:
    """What is known of the population a table is a sample of."""

    size: int | None = None
    people: int = 0
    """The number of people drawn from it, suppressed ones included."""
    class_sizes: NDArray[np.int64] | None = None
    """The number of people who match each class."""


class Everyone:
    """The people in some classes, where each is in one."""

    def __init__(self, class_sizes: NDArray[np.signedinteger]) -> None:
        self.class_sizes = class_sizes

    def count(self, chosen: NDArray[np.bool_]) -> int:
        """Count the different people in some of the classes."""
        return int(self.class_sizes[chosen].sum())

    def mean(self, risks: NDArray[np.float64]) -> float:
        """Return the mean over the people of their highest risk, given one for each class."""
        return float(risks @ self.class_sizes / self.class_sizes.sum())


class EveryoneOnce(Everyone):
    """The people in some classes, where a person with several rows may be in more than one."""

    def __init__(
        self, people: People, classes: EquivalenceClasses, kept: NDArray[np.bool_]
    ) -> None:
        super().__init__(classes.sizes[kept])
        self.people, self.classes, self.kept = people, classes, kept

    def count(self, chosen: NDArray[np.bool_]) -> int:
        """Count the different people in some of the classes."""
        marked = np.zeros(self.kept.size, np.bool_)
        marked[self.kept] = chosen
        return self.people.present(marked[self.classes.label_of_tuple])

    def mean(self, risks: NDArray[np.float64]) -> float:
        """Return the mean over the people of their highest risk, given one for each class."""
        if self.count(np.ones(risks.size, np.bool_)) == self.class_sizes.sum():
            return super().mean(risks)  # nobody is in two: the same sum, to the last bit
        of_class = np.full(self.kept.size, -1.0)
        of_class[self.kept] = risks
        highest, people = self.people.highest(of_class[self.classes.label_of_tuple])
        return statistic_of(highest[highest >= 0], people[highest >= 0], "mean")


def everyone_in(
    microdata: Microdata, classes: EquivalenceClasses, kept: NDArray[np.bool_]
) -> Everyone:
    """Return the people in the classes that are kept."""
    if microdata.people is None:
        return Everyone(classes.sizes[kept])
    return EveryoneOnce(microdata.people, classes, kept)


def profile(
    class_sizes: NDArray[np.signedinteger],
    population: PopulationModel | None = None,
    everyone: Everyone | None = None,
    records: int | None = None,
    sensitive: dict[str, SensitiveProfile] | None = None,
) -> RiskProfile:
    """Describe a table by the sizes of its classes; suppressed classes are left out by the caller.

    Where people are in several classes, `everyone` counts them once and `records` are given.

    >>> profile(np.array([1, 3])).prosecutor.average
    0.5
    """
    histogram, everyone = Histogram.of(class_sizes), everyone or Everyone(class_sizes)
    people = everyone.count(np.ones(class_sizes.size, np.bool_))
    prosecutor = attacker(1 / np.maximum(class_sizes, 1), everyone)
    uniques = population_uniques(histogram, population)
    journalist = None if population is None else journalist_of(everyone, population)
    return RiskProfile(
        records=people if records is None else records,
        people=people,
        classes=histogram.classes,
        prosecutor=prosecutor,
        journalist=journalist,
        marketer=(journalist or prosecutor).average,
        sample_uniques=everyone.count(class_sizes == 1),
        population_uniques=None if uniques is None or math.isnan(uniques.value) else uniques.value,
        population_uniques_interval=None if uniques is None else uniques.interval,
        smallest_class=int(histogram.sizes[0]) if histogram.classes else 0,
        median_class=float(np.median(class_sizes)) if histogram.classes else 0.0,
        largest_class=int(histogram.sizes[-1]) if histogram.classes else 0,
        class_sizes=records_by_size(class_sizes),
        sensitive=sensitive or {},
    )


def attacker(risks: NDArray[np.float64], everyone: Everyone) -> Attacker:
    """Summarize the risk of each class over its people; who is in several counts with the highest."""
    class_sizes = everyone.class_sizes
    people = everyone.count(np.ones(class_sizes.size, np.bool_))
    if not people:
        return Attacker(0.0, 0.0, {f"{threshold:g}": 0.0 for threshold in THRESHOLDS})
    above = {
        # a class of exactly 5 is not above 0.2, whatever the last bit of the division says
        f"{threshold:g}": everyone.count(risks > threshold + 1e-12) / people
        for threshold in THRESHOLDS
    }
    highest = float(risks.max())
    return Attacker(highest, min(highest, everyone.mean(risks)), above)  # a sum is rounded


def journalist_of(everyone: Everyone, population: PopulationModel) -> Attacker | None:
    """Return the journalist's risk, or None where nothing is known of the population."""
    if population.class_sizes is not None:
        # where nobody in the table matches a class, the table is not the whole population
        return attacker(1 / np.maximum(population.class_sizes, 1), everyone)
    if population.size is None:
        return None
    fraction = population.people / population.size
    sizes, where = np.unique(everyone.class_sizes, return_inverse=True)
    return attacker(expected_risk(sizes, fraction)[where], everyone)


def expected_risk(sizes: NDArray[np.signedinteger], fraction: float) -> NDArray[np.float64]:
    """Return the mean of one over the population class, given the sample class (Benedetti, Franconi).

    With the sampling fraction p, the unseen people of a class of f follow a negative binomial
    distribution; the mean is p/f 2F1(1, 1; f + 1; 1 - p).

    >>> round(float(expected_risk(np.array([1]), 0.5)[0]), 6) == round(math.log(2), 6)
    True
    """
    from scipy.special import hyp2f1

    # SciPy's function is NaN from a third parameter of 101 on; there a few terms of the series are enough
    large = sizes >= LARGE
    mean = np.empty(sizes.shape, np.float64)
    mean[~large] = hyp2f1(1, 1, sizes[~large] + 1.0, 1 - fraction)
    mean[large] = sum_series(sizes[large], 1 - fraction)
    return fraction / sizes * mean


def sum_series(sizes: NDArray[np.signedinteger], unseen: float) -> NDArray[np.float64]:
    """Sum 2F1(1, 1; f + 1; z) for f of at least `LARGE`: term n is at most 1 / binomial(f + n, n)."""
    term = np.ones(sizes.shape)
    total = np.ones(sizes.shape)
    for step in range(1, TERMS):
        term *= step * unseen / (sizes + step)
        total += term
    return total


def population_uniques(histogram: Histogram, population: PopulationModel | None) -> Estimate | None:
    """Estimate how many people of the population are unique; None where its size is not known."""
    if population is None or population.size is None:
        return None
    if histogram.classes == 0:
        return Estimate(0.0, 0.0, 0.0)  # nobody is released
    # people with several rows may be in more classes than there are people
    people = max(population.size, histogram.memberships)
    found = estimate_uniques(histogram.sizes, histogram.counts, people)
    return within(found, population.size, population.size)


def records_by_size(class_sizes: NDArray[np.signedinteger]) -> dict[str, int]:
    """Sum the records in classes of each range of sizes.

    >>> records_by_size(np.array([1, 1, 4]))["3-4"]
    4
    """
    ranges = np.searchsorted(SIZE_EDGES, class_sizes, side="right") - 1
    records = np.bincount(ranges, weights=class_sizes, minlength=len(SIZE_EDGES))
    names = [range_name(number) for number in range(len(SIZE_EDGES))]
    return dict(zip(names, records.astype(int).tolist(), strict=True))


def range_name(number: int) -> str:
    """Name a range of class sizes.

    >>> range_name(0), range_name(2), range_name(8)
    ('1', '3-4', '1000+')
    """
    low = SIZE_EDGES[number]
    if number + 1 == len(SIZE_EDGES):
        return f"{low}+"
    high = SIZE_EDGES[number + 1] - 1
    return str(low) if low == high else f"{low}-{high}"
