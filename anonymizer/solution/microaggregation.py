"""Microaggregation: the mean or the median of a class in place of the interval that its records share.

Classes are formed, and the loss is measured, by the interval. All records of a class get one number, so
that nobody in it is told apart. But it is a number of these records: in a class of two, each can find the
other's value from the mean.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from anonymizer.hierarchy.numbers import numbers_of
from anonymizer.hierarchy.values import write_number
from anonymizer.lattice import Scheme
from anonymizer.table.classes import partition
from anonymizer.table.microdata import Microdata

Center: TypeAlias = Literal["mean", "median"]
MOST_DECIMALS = 9
"""A mean has as many decimals as the values, and no more than these."""


def aggregate_classes(
    microdata: Microdata,
    scheme: Scheme,
    suppressed: NDArray[np.bool_],
    attribute: int,
    center: Center,
) -> tuple[NDArray[np.int64], list[str]]:
    """Return the released number of each tuple in one attribute, as numbers of texts.

    It is that of the records of its class that are kept and have a number. Where none has, it is the
    label of the level.
    """
    column, level = microdata.columns[attribute], scheme[attribute]
    codes = microdata.codes[attribute]
    numbers = numbers_of(column.labels(0))
    decimals = min(MOST_DECIMALS, max(map(decimals_of, numbers), default=0))
    scaled = [0 if n is None else int(n.scaleb(decimals).to_integral_value()) for n in numbers]
    of_code: NDArray[Any] = np.array(scaled, integers_for(scaled, microdata.records))
    counted = np.array([n is not None for n in numbers], np.bool_)[codes] & ~suppressed
    label_of_tuple = partition(microdata, scheme).label_of_tuple
    find = means if center == "mean" else medians
    classes, centers = find(
        label_of_tuple[counted], of_code[codes[counted]], microdata.counts[counted]
    )
    texts = {
        int(label): write_number(Decimal(int(value)).scaleb(-decimals))
        for label, value in zip(classes, centers, strict=True)
    }
    labels = column.labels(level)
    group_of_tuple = column.groups[level][codes]
    number_of_text: dict[str, int] = {}
    released = np.array(
        [
            number_of_text.setdefault(texts.get(label, labels[group]), len(number_of_text))
            for label, group in zip(label_of_tuple.tolist(), group_of_tuple.tolist(), strict=True)
        ],
        np.int64,
    )
    return released, list(number_of_text)


def decimals_of(number: Decimal | None) -> int:
    """Count the digits behind the point.

    >>> [decimals_of(Decimal(text)) for text in ("18", "2.50", "1e3")]
    [0, 2, 0]
    """
    return 0 if number is None else max(0, -int(number.as_tuple().exponent))


def integers_for(values: list[int], records: int) -> type:
    """Return a type in which the sum of so many records cannot overflow."""
    largest = max(map(abs, values), default=0)
    return np.int64 if largest * records < 2**62 else object


def means(
    labels: NDArray[np.integer], values: NDArray[np.int64], counts: NDArray[np.integer]
) -> tuple[NDArray[np.integer], NDArray[np.int64]]:
    """Return the classes, and the mean of each, rounded to the nearest whole number, half to even.

    >>> means(np.array([4, 4, 7]), np.array([1, 2, 9]), np.array([1, 1, 3]))[1].tolist()
    [2, 9]
    """
    classes, of_class = np.unique(labels, return_inverse=True)
    sums, sizes = np.zeros(classes.size, values.dtype), np.zeros(classes.size, values.dtype)
    np.add.at(sums, of_class, values * counts)
    np.add.at(sizes, of_class, counts)
    whole, rest = sums // sizes, sums % sizes
    up = (2 * rest > sizes) | ((2 * rest == sizes) & (whole % 2 == 1))
    return classes, whole + up


def medians(
    labels: NDArray[np.integer], values: NDArray[np.int64], counts: NDArray[np.integer]
) -> tuple[NDArray[np.integer], NDArray[np.int64]]:
    """Return the classes, and the median of each: of two in the middle, the lower.

    >>> medians(np.array([4, 4, 7]), np.array([1, 2, 9]), np.array([1, 1, 3]))[1].tolist()
    [1, 9]
    """
    order = np.lexsort((values, labels))
    labels, values, counts = labels[order], values[order], counts[order].astype(np.int64)
    classes, first, of_class = np.unique(labels, return_index=True, return_inverse=True)
    so_far = np.cumsum(counts)
    before = (so_far - counts)[first]
    sizes = np.append(before[1:], so_far[-1:]) - before
    middle = 2 * (so_far - before[of_class]) >= sizes[of_class]
    at = np.flatnonzero(middle)
    picked = at[np.unique(of_class[at], return_index=True)[1]]
    return classes, values[picked]
