"""k-map: every record matches at least k people of the population."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from anonymizer.estimators.derived_k import derived_k
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


@dataclass(frozen=True)
class KMap(ClassModel):
    """Every class matches at least k people (Sweeney 2002; estimated: El Emam and Dankar 2008).

    With a population table (a path or a dataframe), people are counted in it, generalized by the same
    scheme. With the size of the population, a class must have at least k' records. A class of fewer than
    k people yields so many with a probability of at most the significance.

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

    def __post_init__(self) -> None:
        check_whole("k", self.k)
        if (self.population is None) == (self.population_table is None):
            raise ValueError("k-map needs either population or population_table")
        if self.population is not None:
            check_whole("population", self.population)
            if self.k > self.population:
                raise ValueError(f"k = {self.k} is larger than the population of {self.population}")
            derived_k(self.k, self.significance, 1, self.population, self.estimator)  # checks them

    def __str__(self) -> str:
        where = (
            "the population table"
            if self.population is None
            else f"a population of {self.population:,}"
        )
        return f"{self.name} with k = {self.k} in {where}"

    @property
    def inputs(self) -> Inputs:
        """The population as it is given: by its size or by a table."""
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

    def check(self, people: int, quasi_identifiers: tuple[str, ...]) -> list[str]:  # noqa: ARG002
        """A sample is no larger than its population, and not smaller than k'."""
        if self.population is None:
            return []
        if faults := check_sample(people, self.population):
            return faults  # k' is derived only for a sample that fits
        return check_k(self.asks(people).least_class, people, "k'")

    def asks(self, people: int) -> Sizes:
        """Ask for k', or nothing where people are counted: those who match need not be in the table."""
        if self.population is None:
            return Sizes(matching=self.k)
        least = derived_k(self.k, self.significance, people, self.population, self.estimator)
        return Sizes(least, matching=self.k, only=True)

    def violating(self, classes: EquivalenceClasses) -> NDArray[np.bool_]:
        """Mark the classes that match too few people."""
        if self.population is None:
            assert classes.population_sizes is not None
            return classes.population_sizes < self.k
        return super().violating(classes)

    def residual_risk(self, remaining: Remaining) -> float:
        """Return one over the fewest people who match a class, or one over the smallest class."""
        matching = remaining.classes.population_sizes
        if self.population is not None or matching is None:
            return super().residual_risk(remaining)
        return one_over_least(matching[~remaining.suppressed])
