"""Equivalence classes: what a scheme makes of the distinct tuples; all that models and measures see."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonymizer.kernels.partition import add_digits, sum_by_label
from anonymizer.lattice import Scheme
from anonymizer.microdata import KEY_LIMIT, Microdata, label_keys


@dataclass(frozen=True, slots=True, eq=False)
class EquivalenceClasses:
    """The classes of equal generalized tuples, numbered by the first tuple in each."""

    scheme: Scheme
    label_of_tuple: NDArray[np.int32]
    sizes: NDArray[np.int64]
    """The number of records in each class."""

    @property
    def records(self) -> int:
        """The number of records in all classes."""
        return int(self.sizes.sum())


def partition(microdata: Microdata, scheme: Scheme) -> EquivalenceClasses:
    """Split the records into classes that a scheme makes equal."""
    keys = np.zeros(microdata.distinct, np.int64)
    levels, strides = np.array(scheme), np.zeros(len(scheme), np.int64)
    tables = microdata.codes, microdata.groups, microdata.offsets
    key_space = 1
    for a, (column, level) in enumerate(zip(microdata.columns, scheme, strict=True)):
        values = column.group_counts[level]
        if values == 1:
            continue  # the attribute tells nobody apart
        if key_space * values > KEY_LIMIT:
            add_digits(keys, *tables, levels, strides)
            labels, first = label_keys(keys)
            keys, key_space = labels.astype(np.int64), first.size
            strides[:] = 0
        strides[a] = key_space
        key_space *= values
    add_digits(keys, *tables, levels, strides)
    labels, first = label_keys(keys, key_space)
    return EquivalenceClasses(scheme, labels, sum_by_label(labels, microdata.counts, first.size))
