"""Equivalence classes: what a scheme makes of the distinct tuples; all that models and measures see."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonymizer.engine.microdata import Microdata, Workspace
from anonymizer.kernels.partition import label_word, label_words, sum_by_label, sum_shares
from anonymizer.lattice import Scheme


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
    mask, people = microdata.domain.paths.mask(scheme), microdata.population
    words, counts = microdata.words, microdata.counts
    if people is None:
        labels, first, sizes = label_tuples(words, counts, mask, microdata.workspace)
        return EquivalenceClasses(scheme, labels, first, sizes, microdata.records)
    tuples = microdata.distinct
    together = np.concatenate([words, people.words], axis=1)
    nobody = np.zeros(people.counts.size, np.int32)
    labels, first, sizes = label_tuples(
        together, np.append(counts, nobody), mask, microdata.workspace
    )
    # tuples of the population come last, so classes without a record do too
    classes = int(np.searchsorted(first, tuples))
    matching = sum_by_label(labels[tuples:], people.counts, first.size)[:classes]
    return EquivalenceClasses(
        scheme, labels[:tuples], first[:classes], sizes[:classes], microdata.records, matching
    )


def label_tuples(
    words: NDArray[np.uint64],
    counts: NDArray[np.int32],
    mask: NDArray[np.uint64],
    workspace: Workspace,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
    """Number the tuples that agree under a mask by first appearance: labels, where, and their counts."""
    arrays = workspace.buffers(counts.size)
    labels: NDArray[np.int32]
    first: NDArray[np.int32]
    sizes: NDArray[np.int64]
    if mask.size == 1:
        labels, first, sizes = label_word(words[0], counts, mask[0], *arrays)
    else:
        labels, first, sizes = label_words(words, counts, mask, *arrays)
    return labels, first, sizes


def suppression_order(microdata: Microdata, classes: EquivalenceClasses) -> NDArray[np.int64]:
    """Order the classes for suppression: the smallest first, among equals the least informative.

    What is still equal goes by the first tuple, which is the order of the numbers.
    """
    everything = np.arange(classes.sizes.size)
    return np.lexsort((information_content(microdata, classes, everything), classes.sizes))


def information_content(
    microdata: Microdata, classes: EquivalenceClasses, which: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the information content of a record of each of the classes, 0 to 1.

    The mean over the attributes of 1 - share; rounded, so that the order of equal ones does not hang
    on the last bit of a sum.
    """
    levels, domain = np.array(classes.scheme), microdata.domain
    shares: NDArray[np.float64] = sum_shares(
        classes.first_tuple[which], microdata.codes, domain.shares, domain.offsets, levels
    )
    return np.round(1 - shares / levels.size, 12)
