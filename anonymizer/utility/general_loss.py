"""Iyengar's loss in general: with any aggregate, and generalization and suppression weighed unequally.

The factor is what ARX calls `gsFactor`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from anonymizer.kernels.partition import sum_chosen
from anonymizer.lattice import Lattice
from anonymizer.risk.remaining import Binding
from anonymizer.table.classes import EquivalenceClasses
from anonymizer.table.microdata import Microdata
from anonymizer.utility.aggregate import Aggregate
from anonymizer.utility.loss import Loss
from anonymizer.utility.measure import AttributeMeasure, Released, relative_weights

EVEN = 0.5
"""The factor at which a suppressed value costs as much as one generalized to the whole domain."""


@dataclass(frozen=True, slots=True)
class GeneralLoss(AttributeMeasure):
    """Iyengar's loss with a factor g, 0 to 1: the lower, the less suppression costs.

    A kept value counts min(1, 2 - 2g) of its share of the domain. A suppressed one counts the share of
    its generalized value, and min(1, 2g) of the rest: with g = 0 as if it were kept. All is put between
    0, untouched, and 1, nothing left. At 0.5, and with a mean of the attributes, it is `Loss`.

    The bound is that of `Loss`: a loss with a factor is a sum of losses without one, and neither falls
    with the level or with further suppression. A maximum is bounded by the power mean.
    """

    name: ClassVar[str] = "loss"

    aggregate: Aggregate = field()  # not the default of other measures
    weights: tuple[float, ...]
    factor: float = EVEN

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", relative_weights(self.weights))
        if not 0 <= self.factor <= 1:
            raise ValueError(f"a factor must be from 0 to 1, got {self.factor}")

    @property
    def even(self) -> Loss:
        """The same with the factor 0.5."""
        return Loss(Aggregate.ARITHMETIC, self.weights)

    def losses(
        self, microdata: Microdata, classes: EquivalenceClasses, gone: Binding, box: Lattice
    ) -> NDArray[np.float64]:
        """Return the loss of each attribute at every level of a box, with some records gone."""
        even = self.even.losses(microdata, classes, gone, box)
        if self.factor < EVEN:
            nobody = Binding(np.zeros_like(gone.classes))
            return self.favour_suppression(self.even.losses(microdata, classes, nobody, box), even)
        suppressed = max(0, sum_chosen(classes.records, gone.classes) - gone.exempt)
        sizes, least = (
            each[:, np.newaxis] for each in (microdata.domain.sizes, microdata.domain.least)
        )
        return self.favour_generalization(even, suppressed / microdata.records, sizes, least)

    def favour_suppression(
        self, kept: NDArray[np.float64], even: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the losses with a factor below 0.5, from those with nothing suppressed and at 0.5."""
        return (1 - 2 * self.factor) * kept + 2 * self.factor * even

    def favour_generalization(
        self,
        even: NDArray[np.float64],
        suppressed: float,
        leaves: NDArray[np.int64],
        least: NDArray[np.int64],
    ) -> NDArray[np.float64]:
        """Return the losses with a factor from 0.5, with some share of the records suppressed.

        Those at 0.5 are (total - N/D) / (N - N/D), in the words of the design; here the shares of kept
        values, and N/D, are multiplied. With D = 1 there is nothing to lose.
        """
        kept = 2 - 2 * self.factor
        room = leaves - kept * least
        lost = kept * (leaves - least) * even + (1 - kept) * leaves * suppressed
        losses: NDArray[np.float64] = np.where(
            leaves > least, lost / np.where(leaves > least, room, 1), 0.0
        )
        return losses

    def of_release(self, released: Released) -> tuple[float, tuple[float, ...]] | None:
        """Count what the released values cover; below 0.5, those of suppressed records count too."""
        if self.factor < EVEN and released.suppressed:
            return None
        even = np.array(self.even.of_release(released)[1])
        share = released.suppressed / max(1, released.records)
        if self.factor > EVEN:
            even = self.favour_generalization(even, share, released.leaves, released.least)
        return self.combine(even)
