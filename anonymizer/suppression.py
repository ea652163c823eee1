"""Which classes are suppressed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from anonymizer.classes import EquivalenceClasses
from anonymizer.risk import RiskModel


def suppressed_classes(
    classes: EquivalenceClasses, models: Sequence[RiskModel]
) -> NDArray[np.bool_]:
    """Mark the classes that break any of the models on their own account."""
    breaking = np.zeros(classes.sizes.size, np.bool_)
    for model in models:
        breaking |= model.breaking(classes.sizes)
    return breaking
