"""Sampling weights of a comparison: how many people of the population each record stands for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.table import read_columns
from anonymizer.risk.k_map import fractions_of, weight_of
from anonymizer.solution.release import Release

Weights = NDArray[np.float64]
WEIGHTED = "Frequencies are weighted by '{}', the sampling weight."


def read_weights(release: Release) -> Weights | None:
    """Return the weight of each row, scaled to a mean of 1; None where the policy names none."""
    name = release.policy.data.weight
    if name is None:
        return None
    column = read_columns(release.table, [name])[name]
    fractions_of(column.texts, name)  # what is no weight is an error
    weights = np.array([weight_of(text) for text in column.texts])[column.codes]
    scaled: Weights = weights / weights.mean()
    return scaled


def say_weights(release: Release) -> tuple[str, ...]:
    """Say in a sentence that frequencies are weighted; nothing where they are not."""
    name = release.policy.data.weight
    return () if name is None else (WEIGHTED.format(name),)
