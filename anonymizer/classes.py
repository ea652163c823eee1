"""Equivalence classes: what a scheme makes of the distinct tuples; all that models and measures see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonymizer.kernels.partition import add_digits, sum_by_label, sum_shares
from anonymizer.lattice import Scheme
from anonymizer.microdata import KEY_LIMIT, Microdata, label_keys


@dataclass(frozen=True, slots=True, eq=False)
class EquivalenceClasses:
    """The classes of equal generalized tuples, numbered by the first tuple in each."""

    scheme: Scheme
    label_of_tuple: NDArray[np.int32]
    first_tuple: NDArray[np.int32]
    sizes: NDArray[np.int64]
    """The number of records in each class."""
    input_records: int
    """The number of records the table had before anything was suppressed."""
    population_sizes: NDArray[np.int64] | None = None
    """The number of people in the population table who match each class."""


def partition(microdata: Microdata, scheme: Scheme) -> EquivalenceClasses:
    """Split the records into classes that a scheme makes equal, and find who matches them."""
    tuples = microdata.distinct
    codes = [microdata.codes]
    if microdata.population is not None:
        codes.append(microdata.population.codes)
    labels, first = label_tuples(microdata, codes, scheme)
    # tuples of the population come last, so classes without a record do too
    classes = int(np.searchsorted(first, tuples))
    sizes = sum_by_label(labels[:tuples], microdata.counts, classes)
    if microdata.population is None:
        return EquivalenceClasses(scheme, labels, first, sizes, microdata.records)
    matching = sum_by_label(labels[tuples:], microdata.population.counts, first.size)[:classes]
    return EquivalenceClasses(
        scheme, labels[:tuples], first[:classes], sizes, microdata.records, matching
    )


def label_tuples(
    microdata: Microdata, parts: Sequence[NDArray[np.unsignedinteger]], scheme: Scheme
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Number the generalized tuples by first appearance, and say where that is."""
    levels, strides = np.array(scheme), np.zeros(len(scheme), np.int64)
    keys = np.zeros(sum(codes.shape[1] for codes in parts), np.int64)
    key_space = 1
    for a, (column, level) in enumerate(zip(microdata.columns, scheme, strict=True)):
        values = column.group_counts[level]
        if values == 1:
            continue  # the attribute tells nobody apart
        if key_space * values > KEY_LIMIT:
            fill_keys(keys, microdata, parts, levels, strides)
            labels, first = label_keys(keys)
            keys, key_space = labels.astype(np.int64), first.size
            strides[:] = 0
        strides[a] = key_space
        key_space *= values
    fill_keys(keys, microdata, parts, levels, strides)
    return label_keys(keys, key_space)


def fill_keys(
    keys: NDArray[np.int64],
    microdata: Microdata,
    parts: Sequence[NDArray[np.unsignedinteger]],
    levels: NDArray[np.int64],
    strides: NDArray[np.int64],
) -> None:
    """Add the digits of the attributes that have a stride, part by part."""
    start = 0
    for codes in parts:
        end = start + codes.shape[1]
        add_digits(keys[start:end], codes, microdata.groups, microdata.offsets, levels, strides)
        start = end


def suppression_order(microdata: Microdata, classes: EquivalenceClasses) -> NDArray[np.int64]:
    """Order the classes for suppression: the smallest first, among equals the least informative.

    What is still equal goes by the first tuple, which is the order of the numbers.
    """
    everything = np.arange(classes.sizes.size)
    return np.lexsort((content(microdata, classes, everything), classes.sizes))


def content(
    microdata: Microdata, classes: EquivalenceClasses, which: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the information content of a record of each of the classes, 0 to 1.

    The mean over the attributes of 1 - share; rounded, so that the order of equal ones does not hang
    on the last bit of a sum.
    """
    levels = np.array(classes.scheme)
    shares: NDArray[np.float64] = sum_shares(
        classes.first_tuple[which], microdata.codes, microdata.shares, microdata.offsets, levels
    )
    return np.round(1 - shares / levels.size, 12)
