"""Distinct l-diversity: every class has at least l values of a sensitive attribute."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from anonymizer.risk.model import ModelKind, MostKept
from anonymizer.risk.parameters import Direction, Parameter, check_whole
from anonymizer.risk.sensitive import Floats, SensitiveModel, check_values_enough
from anonymizer.table.classes import EquivalenceClasses
from anonymizer.table.microdata import Microdata
from anonymizer.table.sensitive import ClassHistograms


@dataclass(frozen=True)
class DistinctL(SensitiveModel):
    """Every class has at least l different values (Machanavajjhala et al. 2007).

    >>> print(DistinctL("diagnosis", 3))
    distinct-l of 'diagnosis' with l = 3
    """

    name: ClassVar[str] = "distinct-l"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("l", Direction.UP, (2, 3, 4, 5, 6), whole=True, meaning="values, at least"),
    )

    l: int  # noqa: E741 - as it is called in the field

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole("l", self.l)

    def __str__(self) -> str:
        return f"{self.name} of '{self.attribute}' with l = {self.l}"

    @property
    def kind(self) -> ModelKind:  # type: ignore[override]
        """Single people: a finer class has no more values.

        Unless somebody without a harmful value is kept for nobody having one: then only whoever has one
        is bound by that.
        """
        return ModelKind.PEOPLE if self.values is None else ModelKind.CLASSES

    @property
    def most_kept(self) -> MostKept:
        """How many records of each class can be kept at finer schemes."""
        return self.most_of_classes

    def prepare(self, microdata: Microdata) -> None:
        """Check that there are so many values."""
        super().prepare(microdata)
        check_values_enough(self, self.l, microdata)

    def exposure(self, histograms: ClassHistograms, microdata: Microdata) -> Floats:  # noqa: ARG002
        """Return one over the number of values: what a guess is worth that knows nothing else."""
        return 1 / np.maximum(histograms.distinct, 1)

    def exceeds(self, histograms: ClassHistograms, microdata: Microdata) -> NDArray[np.bool_]:  # noqa: ARG002
        """Mark the classes with too few values."""
        return histograms.distinct < self.l

    def most_of_classes(
        self, classes: EquivalenceClasses, violating: NDArray[np.bool_]
    ) -> NDArray[np.int64]:
        """Whoever has a harmful value in a class of too few is in such a class at every finer scheme."""
        if classes.microdata.people is not None:
            return classes.records
        histograms = classes.histograms(self.attribute, violating)
        harmed = histograms.with_any(self.chosen(classes.microdata))
        return np.where(violating, classes.records - harmed, classes.records)

    def most_passing(
        self,
        histograms: ClassHistograms,
        microdata: Microdata,  # noqa: ARG002
        chosen: NDArray[np.bool_],  # noqa: ARG002
    ) -> Floats:
        """No part of such a class passes; see `most_of_classes`."""
        return np.zeros(histograms.sizes.size)
