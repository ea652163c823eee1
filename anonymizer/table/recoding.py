"""Recodings in the order of their hierarchy, so that intervals and dates come out as they follow."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from anonymizer.data.table import Recoding
from anonymizer.hierarchy import Hierarchy


def in_order(recoding: Recoding, hierarchy: Hierarchy) -> Recoding:
    """Put the values of an ordered hierarchy into the order of the leaves; redacted ones come last."""
    if not hierarchy.ordered or not recoding.values:
        return recoding
    places, values = places_of(hierarchy, set(recoding.values)), recoding.values
    order = sorted(range(len(values)), key=lambda n: places.get(values[n], (hierarchy.size, 0)))
    numbers = np.empty(len(order), recoding.number_of_tuple.dtype)
    numbers[order] = np.arange(len(order))
    return replace(
        recoding,
        values=tuple(values[number] for number in order),
        number_of_tuple=numbers[recoding.number_of_tuple],
        ordered=True,
    )


def places_of(hierarchy: Hierarchy, values: Collection[str]) -> dict[str, tuple[int, int]]:
    """Return the first and the last leaf of some values, at whichever level they stand first.

    >>> rows = [("1", "1-2"), ("2", "1-2"), ("3", "3")]
    >>> places_of(Hierarchy.from_rows("n", rows), {"3", "1-2"})
    {'3': (2, 2), '1-2': (0, 1)}
    """
    places: dict[str, tuple[int, int]] = {}
    for labels, codes in zip(hierarchy.labels, hierarchy.codes, strict=True):
        used, first = np.unique(codes, return_index=True)
        last = codes.size - 1 - np.unique(codes[::-1], return_index=True)[1]
        for number, *leaves in zip(used.tolist(), first.tolist(), last.tolist(), strict=True):
            if labels[number] in values:
                places.setdefault(labels[number], (leaves[0], leaves[1]))
    return places
