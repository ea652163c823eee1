"""Entropy l-diversity: the values of a class are as uncertain as l equally frequent ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from anonymizer.kernels.histograms import below_entropy
from anonymizer.kernels.most_kept import most_even
from anonymizer.risk.criterion import Criterion
from anonymizer.risk.parameters import Direction, Parameter
from anonymizer.risk.sensitive import SLACK, Floats, SensitiveModel, check_values_enough
from anonymizer.table.microdata import Microdata
from anonymizer.table.sensitive import ClassHistograms


@dataclass(frozen=True)
class EntropyL(SensitiveModel):
    """The entropy of the values of every class is at least log l (Machanavajjhala et al. 2007).

    l is a number of at least 1, not only a whole one.

    >>> print(EntropyL("diagnosis", 1.5))
    entropy-l of 'diagnosis' with l = 1.5
    """

    name: ClassVar[str] = "entropy-l"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("l", Direction.UP, (1.5, 2, 2.5, 3, 4, 5), meaning="values, if equally frequent"),
    )

    l: float  # noqa: E741 - as it is called in the field

    def __post_init__(self) -> None:
        super().__post_init__()
        check_at_least_one("l", self.l)

    def __str__(self) -> str:
        return f"{self.name} of '{self.attribute}' with l = {self.l:g}"

    def prepare(self, microdata: Microdata) -> None:
        """Check that there are so many values."""
        super().prepare(microdata)
        check_values_enough(self, self.l, microdata)

    def exposure(self, histograms: ClassHistograms, microdata: Microdata) -> Floats:  # noqa: ARG002
        """Return one over the number of equally frequent values of the same entropy."""
        return np.exp(-histograms.entropies)

    def exceeds(self, histograms: ClassHistograms, microdata: Microdata) -> NDArray[np.bool_]:  # noqa: ARG002
        """Mark the classes of too little entropy: sum_s n_s ln n_s exceeds n (ln n - ln l).

        Without a tolerance, and in ARX's form: a class of exactly log l is as good as its last bit.
        """
        found: NDArray[np.bool_] = below_entropy(
            histograms.starts, histograms.counts, math.ceil(self.l - SLACK), math.log(self.l)
        )
        return found

    def criterion(self, microdata: Microdata) -> Criterion | None:  # noqa: ARG002
        """Return the limit on the entropy, unless some classes are not judged."""
        if self.values is not None:
            return None
        return Criterion.entropy(math.ceil(self.l - SLACK), math.log(self.l))

    def most_passing(
        self,
        histograms: ClassHistograms,
        microdata: Microdata,  # noqa: ARG002
        chosen: NDArray[np.bool_],
    ) -> Floats:
        """Cut the most frequent values to one number until the entropy is enough; it is concave."""
        least = math.ceil(self.l - SLACK)
        found: Floats = most_even(
            histograms.starts, histograms.counts, chosen, True, least, math.log(self.l)
        )
        return found


def check_at_least_one(name: str, value: object) -> None:
    """Raise a ValueError unless the value is a finite number of at least 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 1 <= value < math.inf:
        raise ValueError(f"{name} must be a number of at least 1, got {value!r}")
