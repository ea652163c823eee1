"""k-map: every record matches at least k people of the population."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from anonymizer.errors import DataError, PolicyError, list_cells
from anonymizer.estimators.derived_k import derived_k
from anonymizer.estimators.intervals import Interval
from anonymizer.estimators.survey import (
    large_enough,
    largest_fractions,
    rarities,
    wrong_at_most,
)
from anonymizer.risk.assumption import Assumption
from anonymizer.risk.inputs import HierarchyOf, Inputs, Population, no_hierarchy, paths_in
from anonymizer.risk.model import (
    ClassModel,
    ModelKind,
    one_over_least,
)
from anonymizer.risk.parameters import K, Parameter, check_k, check_sample, check_whole
from anonymizer.risk.remaining import Remaining
from anonymizer.risk.sizes import Sizes
from anonymizer.table.classes import EquivalenceClasses
from anonymizer.table.microdata import Microdata

SURVEY = "survey"
"""The estimator that counts by sampling weights."""


@dataclass(frozen=True)
class KMap(ClassModel):
    """Every class matches at least k people (Sweeney 2002; estimated: El Emam and Dankar 2008).

    With a population table (a path or a dataframe), people are counted in it, generalized by the same
    scheme. With the size of the population, a class must have at least k' records. A class of fewer than
    k people yields so many with a probability of at most the significance. With the column of a survey's
    sampling weights (estimator "survey"), each record is drawn with a fraction of its own, one over its
    weight: see `estimators.survey`.

    >>> print(KMap(k=5, population=2_200_000))
    k-map with k = 5 in a population of 2,200,000
    """

    name: ClassVar[str] = "k-map"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        replace(K, meaning="people of the population who match, at least"),
    )
    kind: ClassVar[ModelKind] = ModelKind.PEOPLE  # a finer class matches no more people

    k: int
    population: int | None = None
    significance: float = 0.1
    estimator: str = "zero-truncated-poisson"
    population_table: Any = field(default=None, compare=False)
    weight: str | None = None
    """The column of sampling weights; a policy names it in [data]."""

    def __post_init__(self) -> None:
        check_whole("k", self.k)
        if self.estimator == SURVEY:
            if (self.population, self.population_table) != (None, None):
                raise ValueError(
                    'the estimator "survey" counts by weights; leave out population and population_table'
                )
            largest_fractions(self.k, self.significance)  # checks them
            return
        if self.weight is not None:
            raise ValueError('weight is for the estimator "survey"; leave it out')
        if (self.population is None) == (self.population_table is None):
            raise ValueError("k-map needs either population or population_table")
        if self.population is not None:
            check_whole("population", self.population)
            if self.k > self.population:
                raise ValueError(f"k = {self.k} is larger than the population of {self.population}")
            derived_k(self.k, self.significance, 1, self.population, self.estimator)  # checks them

    def __str__(self) -> str:
        where = "the population table"
        if self.population is not None:
            where = f"a population of {self.population:,}"
        if self.estimator == SURVEY:
            where = f"the population, by weights, at a significance of {self.significance:g}"
        return f"{self.name} with k = {self.k} in {where}"

    @property
    def inputs(self) -> Inputs:
        """The population as it is given: by its size, by a table or by the weights of a survey."""
        if self.weight is not None:
            return Inputs(columns=(self.weight,), original_values=True)
        return Inputs(population=Population(self.population, self.population_table))

    def assumptions(self) -> tuple[Assumption, ...]:
        """Return the size of the population, where that is given."""
        if self.population is None:
            return ()
        return (
            Assumption.of_population(
                self.population, lambda people: replace(self, population=people)
            ),
        )

    def files(self, folder: Path) -> list[Path]:
        """Return the population table, if it is a file."""
        return [folder / path for path in paths_in(self.population_table)]

    def resolve(self, folder: Path, hierarchy_of: HierarchyOf = no_hierarchy) -> Self:  # noqa: ARG002
        """Find the population table relative to a folder."""
        files = self.files(folder)
        return replace(self, population_table=files[0]) if files else self

    def with_weight(self, column: str | None) -> Self:
        """Return the model with the column of sampling weights, if it asks for one and names none."""
        if self.estimator != SURVEY or self.weight is not None or column is None:
            return self
        return replace(self, weight=column)

    def check(self, people: int, quasi_identifiers: tuple[str, ...]) -> list[str]:
        """A sample is no larger than its population, and not smaller than k'."""
        if self.estimator == SURVEY and self.weight is None:
            return [
                f'{self.name}: "survey" needs sampling weights; name their column as data.weight.'
            ]
        if self.weight in quasi_identifiers:
            return [f"{self.name}: '{self.weight}' is a quasi-identifier; give it another role."]
        if self.population is None:
            return []
        if faults := check_sample(people, self.population):
            return faults  # k' is derived only for a sample that fits
        return check_k(self.asks(people).least_class, people, "k'")

    def asks(self, people: int) -> Sizes:
        """Ask for k', or nothing where people are counted: those who match need not be in the table.

        Of a survey, one record is never enough.
        """
        if self.estimator == SURVEY:
            return Sizes(min(2, self.k), matching=self.k)
        if self.population is None:
            return Sizes(matching=self.k)
        least = derived_k(self.k, self.significance, people, self.population, self.estimator)
        return Sizes(least, matching=self.k, only=True)

    def violating(self, classes: EquivalenceClasses) -> NDArray[np.bool_]:
        """Mark the classes that match too few people."""
        if self.estimator == SURVEY:
            return ~self.large_enough(classes)
        if self.population is None:
            assert classes.population_sizes is not None
            return classes.population_sizes < self.k
        return super().violating(classes)

    def prepare(self, microdata: Microdata) -> None:
        """Read the weights, if they are asked for."""
        if self.weight is not None:
            microdata.once(self, lambda: self.rarities(microdata))

    def rarities(self, microdata: Microdata) -> NDArray[np.int64]:
        """Number the tuples by how rarely their records are drawn."""
        assert self.weight is not None
        if microdata.people is not None:
            raise PolicyError(
                f"policy: {self.name} by weights counts each row as a person, and '{microdata.id}' says "
                "that people have several; keep one row for each."
            )
        beside = microdata.beside[self.weight]
        found = rarities(fractions_of(beside.texts, self.weight), self.k, self.significance)
        return np.asarray(found[beside.codes])

    def large_enough(self, classes: EquivalenceClasses) -> NDArray[np.bool_]:
        """Mark the classes that are drawn from k people, by the weights of their records."""
        microdata = classes.microdata
        rarity = microdata.once(self, lambda: self.rarities(microdata))
        labels = classes.label_of_tuple
        return large_enough(labels, rarity, microdata.counts, classes.sizes.size, self.k)

    def risk_interval(self, remaining: Remaining) -> Interval | None:
        """Return the interval of the share of people in classes of fewer than k of the population.

        Of a survey; at most so many classes of those that could be too small pass by chance.
        """
        if self.estimator != SURVEY:
            return None
        sizes = remaining.classes.sizes
        kept = sizes[~remaining.suppressed]
        doubtful = np.sort(kept[kept < self.k])
        wrong = min(wrong_at_most(int((sizes < self.k).sum()), self.significance), doubtful.size)
        people = int(doubtful[doubtful.size - wrong :].sum())
        share = people / max(1, int(kept.sum()))
        return Interval(0.0, max(share, self.risk(remaining)))

    def residual_risk(self, remaining: Remaining) -> float:
        """Return one over the fewest people who match a class, or one over the smallest class."""
        matching = remaining.classes.population_sizes
        if self.population is not None or matching is None:
            return super().residual_risk(remaining)
        return one_over_least(matching[~remaining.suppressed])


def fractions_of(texts: Sequence[str], column: str) -> NDArray[np.float64]:
    """Return the sampling fractions of weights, at most 1; a DataError says which are none."""
    weights = np.array([weight_of(text) for text in texts])
    if wrong := [text for text, weight in zip(texts, weights, strict=True) if not weight > 0]:
        raise DataError(
            f"column '{column}': {len(wrong):,} of its values are no sampling weights, which are numbers "
            f"above 0{list_cells(wrong)}; correct them, or leave out these rows."
        )
    return np.minimum(1.0, 1 / weights)


def weight_of(text: str) -> float:
    """Read a weight; 0 where it is none."""
    try:
        weight = float(text)
    except ValueError:
        return 0.0
    return weight if math.isfinite(weight) else 0.0
