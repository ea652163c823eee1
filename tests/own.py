"""Risk models and a measure as somebody else would write them: one class each, and nothing besides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from anonymizer.lattice import Lattice
from anonymizer.risk import (
    Binding,
    ClassModel,
    Direction,
    Histogram,
    Inputs,
    ModelKind,
    Parameter,
    RiskModel,
    TableModel,
)
from anonymizer.risk.sizes import Sizes
from anonymizer.table.classes import EquivalenceClasses
from anonymizer.table.microdata import Microdata
from anonymizer.utility import Released
from anonymizer.utility.measure import AttributeMeasure


@dataclass(frozen=True)
class OwnL(ClassModel):
    """Every class has at least l records; that it tightens upwards is all it declares."""

    name: ClassVar[str] = "own-l"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("l", Direction.UP, usual=(2, 3, 4), whole=True),
    )

    l: int  # noqa: E741 - as it is called in the field

    def violating(self, classes: EquivalenceClasses) -> NDArray[np.bool_]:
        return classes.sizes < self.l


@dataclass(frozen=True)
class OwnK(ClassModel):
    """Every class holds at least k pairs of records; it declares all that it can."""

    name: ClassVar[str] = "own-k"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("k", Direction.UP, usual=(1, 2, 3), whole=True, meaning="pairs, at least"),
    )
    kind: ClassVar[ModelKind] = ModelKind.PEOPLE

    k: int

    def asks(self, people: int) -> Sizes:  # noqa: ARG002
        return Sizes(2 * self.k, only=True)

    def violating(self, classes: EquivalenceClasses) -> NDArray[np.bool_]:
        return classes.sizes // 2 < self.k


@dataclass(frozen=True)
class OwnMost(ClassModel):
    """No class has more than so many records: whole, downwards, and large classes go before small."""

    name: ClassVar[str] = "own-most"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("most", Direction.DOWN, usual=(30, 10, 5), whole=True),
    )

    most: int

    def violating(self, classes: EquivalenceClasses) -> NDArray[np.bool_]:
        return classes.sizes > self.most


@dataclass(frozen=True)
class OwnWeight(ClassModel):
    """A class has at least a certain weight, 0.4 for each record: a fraction that tightens upwards."""

    name: ClassVar[str] = "own-weight"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("weight", Direction.UP, usual=(0.5, 1.0, 1.5)),
    )

    weight: float

    def violating(self, classes: EquivalenceClasses) -> NDArray[np.bool_]:
        return 0.4 * classes.sizes < self.weight


@dataclass(frozen=True)
class OwnThreshold(TableModel):
    """The share of records in classes of fewer than four is at most the threshold."""

    name: ClassVar[str] = "own-threshold"

    threshold: float

    def risk_of(self, histogram: Histogram) -> float:
        small = histogram.sizes < 4
        return int((histogram.sizes * histogram.counts)[small].sum()) / histogram.people


@dataclass(frozen=True)
class OwnShare(TableModel):
    """The largest class holds at most a share of the records; its parameter has a name of its own."""

    name: ClassVar[str] = "own-share"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("largest", Direction.DOWN, usual=(0.9, 0.5, 0.2), limits_risk=True),
    )

    largest: float

    @property
    def threshold(self) -> float:  # type: ignore[override]
        return self.largest

    def risk_of(self, histogram: Histogram) -> float:
        return int(histogram.sizes[-1]) / histogram.people


@dataclass(frozen=True)
class OwnSpread(ClassModel):
    """Every class has so many values of a column; it declares what it reads, and what tightens it."""

    name: ClassVar[str] = "own-spread"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("values", Direction.UP, usual=(1, 2, 3), whole=True),
    )

    column: str
    values: int

    @property
    def inputs(self) -> Inputs:
        return Inputs(sensitive=(self.column,))

    def violating(self, classes: EquivalenceClasses) -> NDArray[np.bool_]:
        return classes.histograms(self.column).distinct < self.values


@dataclass(frozen=True)
class Undeclared(ClassModel):
    """A model with a field k that declares nothing."""

    name: ClassVar[str] = "undeclared"

    k: int

    def violating(self, classes: EquivalenceClasses) -> NDArray[np.bool_]:
        return classes.sizes < self.k


@dataclass(frozen=True)
class WrongWay(OwnL):
    """A model that says that it tightens downwards, which it does not."""

    name: ClassVar[str] = "wrong-way"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("l", Direction.DOWN, usual=(4, 3, 2), whole=True),
    )


OWN_MODELS: list[tuple[RiskModel, tuple[float, ...]]] = [
    (OwnL(3), (2, 3, 4, 8)),
    (OwnK(2), (1, 2, 4)),
    (OwnMost(20), (60, 20, 1)),
    (OwnWeight(1.0), (0.5, 1.0, 3.0)),
    (OwnThreshold(0.1), (0.3, 0.1, 0.0)),
    (OwnShare(0.3), (0.9, 0.3, 0.01)),
]
"""Each with values of its first parameter, the loosest first."""


@dataclass(frozen=True, slots=True)
class OwnMeasure(AttributeMeasure):
    """The share of cells that are not the original value: generalized at all, or suppressed."""

    name: ClassVar[str] = "own-measure"

    weights: tuple[float, ...]

    def losses(
        self,
        microdata: Microdata,
        classes: EquivalenceClasses,
        gone: Binding,
        box: Lattice,  # noqa: ARG002
    ) -> NDArray[np.float64]:
        gone_records = max(0, int(classes.sizes[gone.classes].sum()) - gone.exempt)
        levels = np.arange(max(column.hierarchy.height for column in microdata.columns))
        lost = np.where(levels > 0, 1.0, gone_records / microdata.records)
        return np.tile(lost, (len(microdata.columns), 1))

    def of_release(self, released: Released) -> tuple[float, tuple[float, ...]]:
        return self.combine(
            np.where(released.levels > 0, 1.0, released.suppressed / released.records)
        )
