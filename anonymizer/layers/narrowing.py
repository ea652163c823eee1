"""Narrowing: what somebody who knows how layers are made learns from the layer a record is in.

The argument. When a class opens, it takes all tuples of its values that are still free. Of two open
classes, one inside the other, the finer one was therefore taken first: had the coarser one come first,
nothing would have been left for the finer. A record of the coarser class was still free at that time, so
that it lies outside the finer one: no record of a class is any tuple of an open class inside it. All of
this can be read off the release, in whichever order classes were taken, for new layers as for given ones.

When it holds. `take_classes` takes the classes of a scheme whole: all tuples of a class cost the same.
`construct_by_scheme` does so where each model lets through all free tuples of a class or none; every
`local` model does. Other models may refuse some tuples of a class for their original values; those stay
free, and a coarser class may release them. There, nothing is counted.

What is counted. A cell of a record is narrowed if an open class differs from the record's class in this
attribute alone and is finer there: then the record has none of that class's values of the attribute. That
is the least that can be learned. Several classes together may rule out more. So may a finer class that
did not open: too few free records fell into it (minimality: Wong et al. 2007; downcoding: Cohen 2022).
Suppressed records are not counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.kernels.partition import label_keys
from anonymizer.layers.layering import Layering
from anonymizer.risk import RiskModel
from anonymizer.table.classes import EquivalenceClasses
from anonymizer.table.domain import QuasiIdentifier


@dataclass(frozen=True, slots=True)
class Narrowed:
    """The cells of released records that can be narrowed down, and the records that have one."""

    by_attribute: dict[str, int]
    """Records whose cell of the attribute can be narrowed down."""
    records: int
    """Records with at least one such cell."""

    @property
    def cells(self) -> int:
        """The cells that can be narrowed down, over all attributes."""
        return sum(self.by_attribute.values())

    def describe(self) -> dict[str, Any]:
        """Return the figures as JSON."""
        return {"cells": self.cells, "records": self.records, "by_attribute": self.by_attribute}


@dataclass(frozen=True, slots=True, eq=False)
class OpenClasses:
    """The released classes: for each attribute a level and a code under it, one for each class."""

    columns: Sequence[QuasiIdentifier]
    levels: Sequence[NDArray[np.int64]]
    codes: Sequence[NDArray[np.int64]]
    records: NDArray[np.int64]

    def narrowed(self) -> Narrowed:
        """Count what can be narrowed down of their records."""
        marked = self.narrowed_cells()
        names = [column.hierarchy.name for column in self.columns]
        cells = {
            name: int(self.records[here].sum()) for name, here in zip(names, marked, strict=True)
        }
        return Narrowed(cells, int(self.records[marked.any(axis=0)].sum()))

    def narrowed_cells(self) -> NDArray[np.bool_]:
        """Mark, for each attribute, the classes that hold one finer in this attribute alone."""
        numbers = [number_values(column) for column in self.columns]
        columns = zip(numbers, self.levels, self.codes, strict=True)
        values = [by_level[levels, codes] for by_level, levels, codes in columns]
        marked = np.zeros((len(numbers), self.records.size), np.bool_)
        for a, by_level in enumerate(numbers):
            others = label_together([*values[:a], *values[a + 1 :]], self.records.size)
            marked[a] = hold_finer(others, by_level[:, self.codes[a]], self.levels[a])
        return marked


def count_narrowed(
    layering: Layering,
    classes: EquivalenceClasses,
    suppressed: NDArray[np.bool_],
    models: Sequence[RiskModel],
) -> Narrowed | None:
    """Count what can be narrowed down of the classes of a layering; None where that is not known."""
    if not takes_whole_classes(models):
        return None
    microdata, first = layering.microdata, classes.first_tuple[~suppressed]
    return OpenClasses(
        microdata.columns,
        [layering.levels(a)[first] for a in range(len(microdata.columns))],
        [codes[first].astype(np.int64) for codes in microdata.codes],
        classes.records[~suppressed],
    ).narrowed()


def takes_whole_classes(models: Sequence[RiskModel]) -> bool:
    """Whether the models let through all free tuples of a class or none."""
    return all(model.violators is None for model in models)


def number_values(column: QuasiIdentifier) -> NDArray[np.int64]:
    """Number what each code becomes at each level; what covers the same leaves has the same number."""
    starts = np.cumsum([0, *column.group_counts[:-1]])
    numbers: NDArray[np.int64] = np.array(column.groups) + starts[:, None]
    for level in range(1, len(numbers)):
        same = column.covered[level] == column.covered[level - 1]
        if column.hierarchy.growth is not None:  # an open end holds more than what is listed
            same &= column.texts(level) == column.texts(level - 1)
        numbers[level, same] = numbers[level - 1, same]
    return numbers


def label_together(columns: Sequence[NDArray[np.int64]], size: int) -> NDArray[np.int64]:
    """Label rows 0, 1, ... that agree in all columns."""
    labels = np.zeros(size, np.int64)
    for column in columns if size else ():
        found, _ = label_keys(labels * (int(column.max()) + 1) + column)
        labels = found.astype(np.int64)
    return labels


def hold_finer(
    others: NDArray[np.int64], ways: NDArray[np.int64], levels: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Mark the classes that hold another one with the same label and a finer value.

    `others` labels each class by its values of all other attributes, `ways[level]` numbers what its
    value becomes at a level, `levels` says at which it is.
    """
    keys = others * (int(ways.max(initial=0)) + 1) + ways
    own = np.take_along_axis(keys, levels[None, :], axis=0)[0]
    above = (np.arange(len(ways))[:, None] > levels) & (keys != own)
    return np.isin(own, keys[above])
