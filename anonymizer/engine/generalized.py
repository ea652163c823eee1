"""Tuples seen through a scheme."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from anonymizer.data.aggregate import recode
from anonymizer.data.cells import MISSING
from anonymizer.data.tuples import Tuples
from anonymizer.hierarchy import Hierarchy


def generalize(
    tuples: Tuples, hierarchies: Sequence[Hierarchy], scheme: Mapping[str, int]
) -> Tuples:
    """Replace leaves by their values on the levels of a scheme, and join what becomes equal.

    A missing cell that a hierarchy has no leaf for stays a value of its own, after those of the level.
    """
    numbers, texts = [], []
    for hierarchy, known in zip(hierarchies, tuples.texts, strict=True):
        level = scheme[hierarchy.name]
        labels, codes = hierarchy.labels[level], hierarchy.codes[level]
        if len(known) > hierarchy.size:
            labels = labels if MISSING in labels else (*labels, MISSING)
            codes = np.append(codes, labels.index(MISSING))
        numbers.append(codes)
        texts.append(labels)
    return recode(tuples, numbers, texts)
