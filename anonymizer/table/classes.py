"""Equivalence classes: what a scheme makes of the distinct tuples; all that models and measures see."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.errors import PolicyError
from anonymizer.kernels.partition import (
    label_keys,
    label_word,
    label_words,
    sum_by_label,
    sum_shares,
)
from anonymizer.lattice import Scheme
from anonymizer.table.microdata import Microdata, PopulationTuples, Workspace
from anonymizer.table.sensitive import ClassHistograms


@dataclass(frozen=True, slots=True, eq=False)
class EquivalenceClasses:
    """The classes of equal generalized tuples, numbered by the first tuple in each."""

    scheme: Scheme
    label_of_tuple: NDArray[np.int32]
    first_tuple: NDArray[np.int32]
    sizes: NDArray[np.int64]
    """The number of different people in each class."""
    records: NDArray[np.int64]
    """The number of records in each class: the same where each record is a person."""
    input_people: int
    """The number of people the table had before anything was suppressed."""
    microdata: Microdata = field(repr=False)
    """The table that the classes are of."""
    population_sizes: NDArray[np.int64] | None = None
    """The number of people in the population table who match each class."""
    unmatched_population: bool = False
    """Whether somebody in the population table matches no class."""
    counted: dict[str, ClassHistograms] = field(default_factory=dict, repr=False)
    """The histograms that were asked for, by column."""
    asked: NDArray[np.bool_] | None = field(default=None, repr=False)
    """The classes that somebody wants to know about; None for all of them."""
    split_sizes: NDArray[np.int64] | None = field(default=None, repr=False)
    """The sizes of the classes that these are parts of; None where these are whole."""

    @property
    def whole_sizes(self) -> NDArray[np.int64]:
        """The sizes of the classes of the scheme, with nothing suppressed."""
        return self.sizes if self.split_sizes is None else self.split_sizes

    def among(self, some: NDArray[np.bool_]) -> EquivalenceClasses:
        """Return the same classes where only some are asked about, so that no others are counted."""
        return replace(self, asked=some)

    def histograms(self, name: str, some: NDArray[np.bool_] | None = None) -> ClassHistograms:
        """Return who has which value of a sensitive column in some classes, counted once.

        Classes that nobody asks about may be without people.
        """
        found, some = self.counted.get(name), self.asked if some is None else some
        wanted = np.ones(self.sizes.size, np.bool_) if some is None else some
        if found is None or (wanted & ~found.counted).any():
            column = self.microdata.sensitive.get(name)
            if column is None:
                raise PolicyError(
                    f"a risk model counts the values of '{name}', and does not declare it; let its "
                    f"`inputs` return Inputs(sensitive=('{name}',))."
                )
            found = column.histograms(self.label_of_tuple, self.sizes, wanted)
            self.counted[name] = found
        return found

    def with_values_of(self, name: str, kept: NDArray[np.bool_]) -> EquivalenceClasses:
        """Return the classes of the table in which a sensitive column has the values of some alone."""
        column = self.microdata.sensitive[name].among(kept[self.label_of_tuple])
        columns = {**self.microdata.sensitive, name: column}
        return replace(
            self, microdata=replace(self.microdata, sensitive=columns), counted={}, asked=None
        )

    def split(
        self, microdata: Microdata, part_of_tuple: NDArray[Any], parts: int
    ) -> EquivalenceClasses:
        """Split each class by the part that each of its tuples is in, 0, 1, ... below `parts`.

        Parts of classes are numbered by the first tuple in each, as classes are.
        """
        keys = self.label_of_tuple.astype(np.int64) * parts + part_of_tuple
        labels, first = label_keys(keys, parts * self.sizes.size)
        records: NDArray[np.int64] = sum_by_label(labels, microdata.counts, first.size)
        population = self.population_sizes
        if population is not None:
            population = population[self.label_of_tuple[first]]
        return EquivalenceClasses(
            self.scheme,
            labels,
            first,
            microdata.count_people(labels, records),
            records,
            self.input_people,
            microdata,
            population,
            self.unmatched_population,
            split_sizes=self.whole_sizes,
        )


def partition(microdata: Microdata, scheme: Scheme) -> EquivalenceClasses:
    """Split the records into classes that a scheme makes equal, and find who matches them."""
    labels, first, records, matching = match_tuples(microdata, microdata.domain.paths.mask(scheme))
    sizes = microdata.count_people(labels, records)
    people, population = microdata.number_of_people, microdata.population
    unmatched = False
    if population is not None and matching is not None and population.known is None:
        unmatched = int(matching.sum()) < population.people
    return EquivalenceClasses(
        scheme, labels, first, sizes, records, people, microdata, matching, unmatched
    )


def match_tuples(
    microdata: Microdata, mask: NDArray[np.uint64]
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64], NDArray[np.int64] | None]:
    """Number the tuples that agree under a mask: labels, where, their records, and who matches them.

    The last are the people of the population table who agree with each label, where there is one.
    """
    population = microdata.population
    if population is not None and population.known is None:
        return match_together(microdata, population, mask)
    labels, first, records = label_tuples(
        microdata.words, microdata.counts, mask, microdata.workspace
    )
    if population is None or population.known is None:
        return labels, first, records, None
    # those who share the values that the population table has, whatever class they are in
    cells, _, _, in_cell = match_together(microdata, population, mask & population.known)
    return labels, first, records, in_cell[cells[first]]


def match_together(
    microdata: Microdata, population: PopulationTuples, mask: NDArray[np.uint64]
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """Label the tuples that agree under a mask, and count the people of a population in each class.

    Returns the labels, where each is first, and the records and the people of the population under it.
    """
    tuples = microdata.distinct
    together = np.concatenate([microdata.words, population.words], axis=1)
    nobody = np.zeros(population.counts.size, np.int32)
    labels, first, records = label_tuples(
        together, np.append(microdata.counts, nobody), mask, microdata.workspace
    )
    # tuples of the population come last, so classes without a record do too
    classes = int(np.searchsorted(first, tuples))
    matching = sum_by_label(labels[tuples:], population.counts, first.size)[:classes]
    return labels[:tuples], first[:classes], records[:classes], matching


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
