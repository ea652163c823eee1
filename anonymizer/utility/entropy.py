"""Non-uniform entropy: the bits that generalization and suppression take from each attribute.

Gionis and Tassa, k-Anonymization with minimal loss of information, 2009; Prasser et al. 2016.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from anonymizer.kernels.partition import select_by_label
from anonymizer.lattice import Lattice
from anonymizer.risk.remaining import Binding
from anonymizer.table.classes import EquivalenceClasses
from anonymizer.table.microdata import Microdata
from anonymizer.utility.aggregate import Aggregate
from anonymizer.utility.measure import AttributeMeasure, relative_weights


@dataclass(frozen=True, slots=True)
class Entropy(AttributeMeasure):
    """Normalized non-uniform entropy: the mean over attributes of the share of their bits that is lost.

    For a set R of records let E(l, R) = sum_g r(g) log2(|R| / r(g)) over the values g of level l: the
    bits that tell apart their values. With all N records in T and the suppressed ones in S,

        loss(a) = (E(0, T) - E(l, T) + E(l, S)) / E(0, T)

    The bound: E is never less for a union of sets than the sum over its parts (entropy is concave), so
    with B suppressed for certain, a subset of S, E(l, S) >= E(l, B). And one level up, E(l, T) falls by
    the bits within the values of the higher level, which for the same reason are at least those of B:
    the bound does not fall with the level. Where some unknown records of B are exempt, E(l, B) is least
    if they are the rarest values, for what is left is then as uneven as it can be, and E, a constant
    minus a sum of the convex r log2 r, is least for the most uneven.

    Not computable from a release, which does not tell how often each original value occurred.
    """

    name: ClassVar[str] = "entropy"

    weights: tuple[float, ...]
    aggregate: Aggregate = Aggregate.ARITHMETIC

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", relative_weights(self.weights))

    def losses(
        self, microdata: Microdata, classes: EquivalenceClasses, gone: Binding, box: Lattice
    ) -> NDArray[np.float64]:
        """Return the loss of each attribute at every level of a box, with some records gone."""
        left = microdata.total_entropy
        whole = left[:, :1]
        if gone.classes.any():
            chosen = select_by_label(classes.label_of_tuple, gone.classes)
            left = left - microdata.sum_entropy(chosen, box, gone.exempt)
        # an attribute with one value has nothing to lose
        lost: NDArray[np.float64] = (whole - left) / np.where(whole > 0, whole, 1.0)
        return np.maximum(0.0, lost)
