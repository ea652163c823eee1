"""delta-presence: nobody's being in the table becomes too likely, or too unlikely."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from anonymizer.risk.inputs import HierarchyOf, Inputs, Population, no_hierarchy, paths_in
from anonymizer.risk.model import ClassModel
from anonymizer.risk.parameters import Direction, Parameter, check_share
from anonymizer.risk.remaining import Remaining
from anonymizer.risk.sensitive import SLACK
from anonymizer.table.classes import EquivalenceClasses


@dataclass(frozen=True)
class DeltaPresence(ClassModel):
    """In every class, the share of the population who are in the table is within limits (Nergiz 2007).

    What is released is the research subset. Either the table is that subset, and the population table (a
    path or a dataframe) holds all who could be in it, those of the table too. Or the table holds them
    all, and its column `subset` has the value `member` for those who are released; the others are neither
    released nor counted as records. Both are generalized by the same scheme. Whoever is in a class of the
    population without a record is known not to be in the table: where `minimum` is above 0, a scheme with
    such a class lets nothing through.

    >>> print(DeltaPresence(0.5, minimum=0.1, population_table="people.csv"))
    delta-presence from 0.1 to 0.5 in the population table
    """

    name: ClassVar[str] = "delta-presence"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            "maximum",
            Direction.DOWN,
            (1.0, 0.75, 0.5, 0.33, 0.25, 0.2, 0.1),
            limits_risk=True,
            meaning="share of the matching people who are in the table, at most",
        ),
    )

    maximum: float
    minimum: float = 0.0
    population_table: Any = field(default=None, compare=False)
    subset: str | None = None
    member: str | None = None

    def __post_init__(self) -> None:
        check_share("maximum", self.maximum)
        check_share("minimum", self.minimum)
        if (self.population_table is None) == (self.subset is None):
            raise ValueError(
                "delta-presence needs either population_table, all who could be in the table, or "
                "subset, the column that marks who of the table is released"
            )
        if (self.subset is None) != (self.member is None):
            raise ValueError(
                "delta-presence needs subset, a column, and member, its value for those who are "
                "released, together"
            )
        for name, text in (("subset", self.subset), ("member", self.member)):
            if not isinstance(text, str | None):
                raise ValueError(f"{name} must be a string, got {text!r}")

    def __str__(self) -> str:
        where = "the population table" if self.subset is None else "the table"
        return f"{self.name} from {self.minimum:g} to {self.maximum:g} in {where}"

    def check(self, people: int, quasi_identifiers: tuple[str, ...]) -> list[str]:  # noqa: ARG002
        """The least share is not above the largest, and nobody's values tell that they are members."""
        faults = []
        if self.minimum > self.maximum:
            faults.append(
                f"{self.name}: minimum {self.minimum:g} is above maximum {self.maximum:g}; swap the two."
            )
        if self.subset in quasi_identifiers:
            faults.append(
                f"{self.name}: '{self.subset}', which marks the research subset, is a quasi-identifier; "
                "give it another role."
            )
        return faults

    @property
    def inputs(self) -> Inputs:
        """The population: a table of its own, or those of the original who are not released too."""
        if self.subset is None or self.member is None:
            return Inputs(population=Population(table=self.population_table))
        marked = Population(subset=(self.subset, self.member))
        return Inputs(original_values=True, population=marked)

    def files(self, folder: Path) -> list[Path]:
        """Return the population table, if it is a file."""
        return [folder / path for path in paths_in(self.population_table)]

    def resolve(self, folder: Path, hierarchy_of: HierarchyOf = no_hierarchy) -> Self:  # noqa: ARG002
        """Find the population table relative to a folder."""
        files = self.files(folder)
        return replace(self, population_table=files[0]) if files else self

    def shares(self, classes: EquivalenceClasses) -> NDArray[np.float64]:
        """Return the share of those who match each class that are in the table."""
        assert classes.population_sizes is not None
        # whoever is in the table is in the population, even where its table lacks them
        return classes.sizes / np.maximum(classes.population_sizes, classes.sizes)

    def violating(self, classes: EquivalenceClasses) -> NDArray[np.bool_]:
        """Mark the classes whose share is out of the limits; all where somebody is known to be absent."""
        if self.minimum > 0 and classes.unmatched_population:
            return np.ones(classes.sizes.size, np.bool_)
        shares = self.shares(classes)
        return (shares > self.maximum + SLACK) | (shares < self.minimum - SLACK)

    def most_kept(
        self, classes: EquivalenceClasses, violating: NDArray[np.bool_]
    ) -> NDArray[np.int64]:
        """Return how many records of each violating class can be kept at a finer scheme, at most.

        Of two shares, that of both lies between them. Of those who match a class, at most the largest
        share is kept. Where the class is below the least share, some part of it is too. A class of the
        population without a record is one, or several, at every finer scheme. Where the population lacks
        an attribute, the same people match several parts.
        """
        population, people_once = classes.microdata.population, classes.microdata.people is None
        assert classes.population_sizes is not None
        assert population is not None
        if not people_once or len(population.places) < len(classes.scheme):
            return classes.records
        if self.minimum > 0 and classes.unmatched_population:
            return np.zeros(classes.sizes.size, np.int64)
        people = np.maximum(classes.population_sizes, classes.sizes)
        most = np.floor(people * self.maximum + 1e-6).astype(np.int64)
        return np.where(violating, np.minimum(most, classes.records - 1), classes.records)

    def risk(self, remaining: Remaining, cut: int = 0) -> float:
        """Return the largest share of a class that remains."""
        return float(self.shares(remaining.classes)[remaining.after(cut)].max(initial=0.0))

    def residual_risk(self, remaining: Remaining) -> float:
        """Return the largest share of a class that remains."""
        return self.risk(remaining)
