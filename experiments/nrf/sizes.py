"""Means over all subsets of each size, as in Figure 3."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anonymizer.attackers.nrf import Reidentification, subset_sizes


@dataclass(frozen=True, slots=True)
class SizeMean:
    """The means over all subsets of one size."""

    size: int
    subsets: int
    d_uniqueness: float
    disclosure_likelihood: float
    probability: float


def means_by_size(risk: Reidentification) -> list[SizeMean]:
    """Return the means of uniqueness, likelihood and probability over the subsets of each size."""
    sizes = subset_sizes(len(risk.uniqueness.attributes))
    subsets = np.bincount(sizes)
    means = [
        np.bincount(sizes, values) / subsets
        for values in (risk.uniqueness.d_uniqueness, risk.likelihood, risk.probability)
    ]
    rows = zip(subsets.tolist(), *(mean.tolist() for mean in means), strict=True)
    return [SizeMean(size, *row) for size, row in enumerate(rows)]
