"""k-map: every record matches at least k people of the population."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from anonymizer.engine.classes import EquivalenceClasses
from anonymizer.estimators.derived_k import derived_k
from anonymizer.risk.model import ClassModel, Need, check_whole


@dataclass(frozen=True)
class KMap(ClassModel):
    """Every class matches at least k people (Sweeney 2002; estimated: El Emam and Dankar 2008).

    With a population table (a path or a dataframe), people are counted in it, generalized by the same
    scheme. With the size of the population, a class must have at least k' records, where k' makes it
    unlikely (at the significance) that a class of fewer than k people yields so many.

    >>> print(KMap(k=5, population=2_200_000))
    k-map with k = 5 in a population of 2,200,000
    """

    name: ClassVar[str] = "k-map"

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
    def needs(self) -> frozenset[Need]:
        """The population table, where there is one."""
        if self.population is None:
            return frozenset({Need.CLASS_SIZES, Need.POPULATION_TABLE})
        return frozenset({Need.CLASS_SIZES})

    def resolve(self, folder: Path) -> KMap:
        """Find the population table relative to a folder."""
        if not isinstance(self.population_table, str | Path):
            return self
        return replace(self, population_table=folder / self.population_table)

    def check(self, records: int, quasi_identifiers: tuple[str, ...]) -> list[str]:  # noqa: ARG002
        """A sample is no larger than its population, and not smaller than k'."""
        if self.population is None:
            return []
        if self.population < records:
            return [
                f"the population of {self.population} is smaller than the table, which has {records} "
                "records; correct it."
            ]
        least = self.least_size(records)
        if least > records:
            return [f"k' = {least} is larger than the table, which has {records} records; lower k."]
        return []

    def least_size(self, records: int) -> int:
        """Return k', the records a class of a table of so many records must have."""
        assert self.population is not None
        return derived_k(self.k, self.significance, records, self.population, self.estimator)

    def breaking(self, classes: EquivalenceClasses) -> NDArray[np.bool_]:
        """Mark the classes that match too few people."""
        if self.population is None:
            assert classes.population_sizes is not None
            return classes.population_sizes < self.k
        return classes.sizes < self.least_size(classes.input_records)
