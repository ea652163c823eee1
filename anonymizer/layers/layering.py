"""Layering: which scheme each record is released by, and what comes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.column import smallest_type
from anonymizer.kernels.partition import label_keys, sum_by_label
from anonymizer.lattice import Scheme
from anonymizer.table.classes import EquivalenceClasses, partition
from anonymizer.table.microdata import Microdata

SUPPRESSED = -1


@dataclass(frozen=True, eq=False)
class Layering:
    """The layer of each distinct tuple: all records of a tuple are in one."""

    microdata: Microdata
    schemes: tuple[Scheme, ...]
    """The schemes of the layers, in the order in which equal claims on a record are settled."""
    layer_of_tuple: NDArray[np.int32]
    """-1 for a suppressed tuple."""

    @staticmethod
    def of_numbers(
        microdata: Microdata, schemes: Sequence[Scheme], number_of_tuple: NDArray[np.int32]
    ) -> Layering:
        """Number the schemes that are used, in their order."""
        used = np.unique(number_of_tuple[number_of_tuple >= 0])
        layer = np.searchsorted(used, number_of_tuple).astype(np.int32)
        layer[number_of_tuple < 0] = SUPPRESSED
        return Layering(microdata, tuple(schemes[number] for number in used.tolist()), layer)

    def by_values(self) -> Layering:
        """Return the layers as whoever reads the release finds them: see `first_fitting`."""
        moved = first_fitting(self.microdata, self.schemes, self.layer_of_tuple)
        return replace(self, layer_of_tuple=moved)

    @cached_property
    def suppressed(self) -> NDArray[np.bool_]:
        """Which distinct tuples are suppressed."""
        return self.layer_of_tuple < 0

    @property
    def suppressed_records(self) -> int:
        """The number of records that are suppressed."""
        return int(self.microdata.counts[self.suppressed].sum())

    @cached_property
    def records(self) -> NDArray[np.int64]:
        """The number of records in each layer."""
        kept = ~self.suppressed
        counts = np.bincount(
            self.layer_of_tuple[kept], self.microdata.counts[kept], len(self.schemes)
        )
        return counts.astype(np.int64)

    @property
    def coarsest(self) -> Scheme:
        """The join of all layers: the least scheme that is as coarse as each, or coarser."""
        if not self.schemes:
            return self.microdata.lattice.high
        return tuple(np.max(np.array(self.schemes), axis=0).tolist())

    def levels(self, attribute: int) -> NDArray[np.int64]:
        """Return the level of each tuple in one attribute; that of a suppressed tuple means nothing."""
        if not self.schemes:
            return np.zeros(self.microdata.distinct, np.int64)
        levels: NDArray[np.int64] = np.array(self.schemes)[self.layer_of_tuple, attribute]
        return levels

    def values(self, attribute: int) -> tuple[NDArray[np.integer], list[str]]:
        """Return the released value of each tuple in one attribute, as numbers of texts.

        The same text is the same value, whatever its level. What is suppressed has any number.
        """
        column, codes = self.microdata.columns[attribute], self.microdata.codes[attribute]
        numbers_of_code, number_of_text = {}, dict[str, int]()
        for level in sorted({self.schemes[layer][attribute] for layer in self.used}):
            labels = column.labels(level)
            of_group = [number_of_text.setdefault(t, len(number_of_text)) for t in labels]
            numbers_of_code[level] = np.array(of_group)[column.groups[level]]
        texts = list(number_of_text)
        kind = smallest_type(len(texts))
        if len(numbers_of_code) == 1:
            (only,) = numbers_of_code.values()
            return only.astype(kind)[codes], texts
        numbers, levels = np.zeros(codes.size, kind), self.levels(attribute)
        for level, of_code in numbers_of_code.items():
            here = levels == level
            numbers[here] = of_code[codes[here]]
        return numbers, texts

    @cached_property
    def used(self) -> list[int]:
        """The layers that have records."""
        return np.flatnonzero(self.records).tolist()

    def covered(self) -> NDArray[np.int64]:
        """Return the leaves that the values of each attribute cover, summed over all records."""
        domain, counts, suppressed = self.microdata.domain, self.microdata.counts, self.suppressed
        sums = []
        for a, codes in enumerate(self.microdata.codes):
            leaves = domain.covered[self.levels(a), domain.offsets[a] + codes.astype(np.int64)]
            leaves = np.where(suppressed, domain.sizes[a], leaves)
            sums.append(int(leaves @ counts.astype(np.int64)))
        return np.array(sums, np.int64)

    def covered_by_layer(self) -> NDArray[np.int64]:
        """Return the same for the records of each layer: one row for each layer."""
        domain, kept = self.microdata.domain, ~self.suppressed
        sums = np.zeros((len(self.schemes), len(domain.columns)), np.int64)
        layer, counts = self.layer_of_tuple[kept], self.microdata.counts[kept]
        for a, codes in enumerate(self.microdata.codes):
            places = domain.offsets[a] + codes[kept].astype(np.int64)
            leaves = domain.covered[self.levels(a)[kept], places]
            np.add.at(sums[:, a], layer, leaves * counts)  # a bincount would add floats
        return sums

    def classes(self) -> tuple[EquivalenceClasses, NDArray[np.bool_]]:
        """Return the classes of equal released values over all layers, and which are suppressed.

        The suppressed tuples are classes of their own. The scheme of the classes is the coarsest.
        """
        microdata = self.microdata
        labels = self.suppressed.astype(np.int64)
        first = np.zeros(1, np.int32)
        for a in range(len(microdata.attributes)):
            numbers, texts = self.values(a)
            found, first = label_keys(labels * max(1, len(texts)) + numbers)
            labels = found.astype(np.int64)
        of_tuple = labels.astype(np.int32)
        records: NDArray[np.int64] = sum_by_label(of_tuple, microdata.counts, first.size)
        return (
            EquivalenceClasses(
                self.coarsest,
                of_tuple,
                first,
                microdata.count_people(of_tuple, records),
                records,
                microdata.number_of_people,
                microdata,
                self.population_sizes(first),
            ),
            self.suppressed[first],
        )

    def population_sizes(self, first: NDArray[np.int32]) -> NDArray[np.int64] | None:
        """Return the people of the population who match each class, given by a tuple of it."""
        if self.microdata.population is None:
            return None
        sizes = np.zeros(first.size, np.int64)
        layer = self.layer_of_tuple[first]
        for number, scheme in enumerate(self.schemes):
            classes = partition(self.microdata, scheme)
            assert classes.population_sizes is not None
            here = layer == number
            sizes[here] = classes.population_sizes[classes.label_of_tuple[first[here]]]
        return sizes


def first_fitting(
    microdata: Microdata, schemes: Sequence[Scheme], layer_of_tuple: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Move each tuple to the first layer that releases it by the same values.

    A value may be called the same at two levels. Whoever reads the release then cannot tell the layers
    of such tuples apart; this says which one they count to. A class moves as a whole.
    """
    same = [texts_by_level(microdata, a) for a in range(len(microdata.attributes))]
    if not any(repeats(texts) for texts in same):
        return layer_of_tuple.copy()
    kind_of_tuple, first = kinds_of_tuples(microdata, same, layer_of_tuple)
    mine = layer_of_tuple[first]
    moved = mine.copy()
    numbered = np.array(schemes, np.int64).reshape(-1, len(same))
    for layer in range(len(schemes) - 1, -1, -1):
        fits = mine > layer
        for a, texts in enumerate(same):
            levels, codes = numbered[mine, a], microdata.codes[a][first]
            fits &= texts[levels, codes] == texts[numbered[layer, a], codes]
        moved[fits] = layer
    return moved[kind_of_tuple]


def kinds_of_tuples(
    microdata: Microdata, same: Sequence[NDArray[np.int64]], layer_of_tuple: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Number tuples of one layer whose values repeat their texts at the same levels; a tuple of each."""
    labels = layer_of_tuple.astype(np.int64) + 1
    kinds, first = label_keys(labels)
    for a, texts in enumerate(same):
        if repeats(texts):
            lowest = np.argmax(
                texts[:, None] == texts[None], axis=0
            )  # the first level of each text
            patterns, of_code = np.unique(lowest, axis=1, return_inverse=True)
            labels = kinds.astype(np.int64) * patterns.shape[1]
            kinds, first = label_keys(labels + of_code.ravel()[microdata.codes[a]])
    return kinds, first


def texts_by_level(microdata: Microdata, attribute: int) -> NDArray[np.int64]:
    """Number the texts that each code of an attribute becomes: one row for each level."""
    column, number_of_text = microdata.columns[attribute], dict[str, int]()
    rows = []
    for level, groups in enumerate(column.groups):
        labels = [number_of_text.setdefault(t, len(number_of_text)) for t in column.labels(level)]
        rows.append(np.array(labels, np.int64)[groups])
    return np.array(rows)


def repeats(texts: NDArray[np.int64]) -> bool:
    """Whether a text stands at two levels."""
    return len(set.union(*map(set, texts.tolist()))) < sum(len(set(row)) for row in texts.tolist())


def one_layer(microdata: Microdata, scheme: Scheme, suppressed: NDArray[np.bool_]) -> Layering:
    """Return the layering of one scheme for all tuples that are not suppressed."""
    return Layering(microdata, (scheme,), np.where(suppressed, SUPPRESSED, 0).astype(np.int32))
