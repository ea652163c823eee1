"""Data sets, and the best release of each under a risk model."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.opening import open_table
from anonymizer.errors import DataError, quote_some
from anonymizer.problem import Problem
from anonymizer.risk import PopulationModel, RiskModel, RiskProfile, profile
from anonymizer.search import Status
from anonymizer.solution.solution import anonymize
from anonymizer.table.classes import partition
from experiments.datasets import policy_of, spec_of
from experiments.prasser2016.paper import k_anonymity


@dataclass(frozen=True, slots=True, eq=False)
class Dataset:
    """The records of a data set, every column a quasi-identifier."""

    name: str
    path: Path
    problem: Problem = field(repr=False)

    @property
    def records(self) -> int:
        return self.problem.microdata.records


@dataclass(frozen=True, slots=True, eq=False)
class Released:
    """The best release under a model: what is left of the quality, and the classes that are kept."""

    quality: float
    scheme: dict[str, int]
    suppressed: int
    input_people: int
    class_sizes: NDArray[np.int64] = field(repr=False)

    @property
    def smallest(self) -> int:
        """The records of the smallest class; 0 if nothing is left."""
        return int(self.class_sizes.min(initial=self.input_people)) if self.class_sizes.size else 0

    def profile(self, population: int) -> RiskProfile:
        """Describe the risks against attackers who know such a population."""
        return profile(self.class_sizes, PopulationModel(population, self.input_people))


def columns_of(name: str) -> list[str]:
    """List the attributes that the shipped hierarchies of a data set are for."""
    return sorted(path.stem for path in spec_of(name, "any").parent.glob("*.toml"))


def load(name: str, path: Path) -> Dataset:
    """Read and aggregate a data set; a DataError says if it is another one."""
    wanted, found = columns_of(name), list(open_table(path, ";").columns)
    if sorted(found) != wanted:
        raise DataError(
            f"{path}: a file of {name.upper()} has the columns {quote_some(wanted, most=9)}, separated "
            f"by ';', but this one has {quote_some(found, most=9)}; see hierarchies/{name}."
        )
    return Dataset(name, path, Problem.read(None, policy_of(name, path, k_anonymity(1))))


@cache
def release(dataset: Dataset, model: RiskModel) -> Released:
    """Search for the best release under a model."""
    problem = dataset.problem.with_models(model)
    found = anonymize(problem)  # there is a solution: everything may be suppressed
    assert found.status is Status.OPTIMAL
    return Released(
        found.quality,
        found.scheme,
        found.suppressed,
        found.records,
        found.outcome.classes.sizes[~found.outcome.suppressed],
    )


@cache
def untouched(dataset: Dataset) -> Released:
    """Return the data set as it is."""
    microdata = dataset.problem.microdata
    scheme = dict.fromkeys(microdata.attributes, 0)
    classes = partition(microdata, tuple(scheme.values()))
    return Released(1.0, scheme, 0, microdata.records, classes.sizes)
