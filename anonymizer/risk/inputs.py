"""Inputs: what a model looks at beside the sizes of classes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anonymizer.hierarchy import Hierarchy

HierarchyOf = Callable[[str], Hierarchy | None]
"""Returns the hierarchy that a policy has for a column, if any."""


def no_hierarchy(name: str) -> None:  # noqa: ARG001
    """Return no hierarchy for any column."""
    return


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """The population that a table is a sample of: its size, or a table of all its people, or neither."""

    size: int | None = None
    table: Any = None
    """A path or a dataframe."""
    subset: tuple[str, str] | None = None
    """The column and value that mark the released people, where the table itself is the population."""


@dataclass(frozen=True, slots=True, eq=False)
class Inputs:
    """What a model looks at beside the sizes of classes; nothing, unless it says so.

    A run reads the columns and tables that it names; verification asks what it must have at hand.
    """

    sensitive: tuple[str, ...] = ()
    """The columns whose values are counted in each class; no quasi-identifiers."""
    harmful: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The values of some of them that are marked as harmful; where a column is left out, all are."""
    overall_shares: bool = False
    """Whether a class is compared with the shares of all sensitive values in the input."""
    columns: tuple[str, ...] = ()
    """Other columns of the original that it looks at, quasi-identifiers or not."""
    original_values: bool = False
    """Whether it looks at values that a release no longer has."""
    single_columns: bool = False
    """Whether people may count as alike by some quasi-identifiers alone, not by all."""
    population: Population = field(default_factory=Population)
    """The population that it rests on."""

    @property
    def counts_only(self) -> bool:
        """Whether sizes and counts of sensitive values, in each class and in all, are everything."""
        others = self.original_values or self.population.table is not None
        return not (others or self.population.subset)


def paths_in(*given: object) -> tuple[Path, ...]:
    """Return those of some parameters that are the path of a file."""
    return tuple(Path(each) for each in given if isinstance(each, str | Path))
