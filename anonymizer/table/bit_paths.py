"""Paths: a tuple as the ways through its hierarchies, in bits, so that to generalize is to mask.

A value's path names, from the top level down, which child of its parent it is. Its beginning is the path
of the value it becomes at a higher level. So with the paths of all attributes in a few machine words, a
scheme is a mask, and two tuples fall into one class when their words agree under it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

WORD_BITS = 64


@dataclass(frozen=True, slots=True, eq=False)
class Digit:
    """One step of the path of an attribute: where its bits stand, and its value for each code."""

    attribute: int
    level: int
    word: int
    shift: int
    width: int
    values: NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class Paths:
    """The places of all digits, and the mask of each level of each attribute."""

    digits: tuple[Digit, ...]
    words: int
    masks: NDArray[np.uint64]
    """`masks[attribute, level]` has, in every word, the bits that are left at that level."""

    @staticmethod
    def of(groups: Sequence[Sequence[NDArray[np.int64]]]) -> Paths:
        """Lay out the paths; `groups[attribute][level]` numbers the value of each code."""
        digits = tuple(lay_out(groups))
        words = 1 + max((digit.word for digit in digits), default=0)
        masks = np.zeros((len(groups), max(map(len, groups)), words), np.uint64)
        for digit in digits:
            ones = np.uint64(((1 << digit.width) - 1) << digit.shift)
            masks[digit.attribute, : digit.level + 1, digit.word] |= ones
        return Paths(digits, words, masks)

    def encode(self, codes: NDArray[np.unsignedinteger]) -> NDArray[np.uint64]:
        """Return the words of tuples: one row for each word, one column for each tuple."""
        words = np.zeros((self.words, codes.shape[1]), np.uint64)
        for digit in self.digits:
            words[digit.word] |= (digit.values << np.uint64(digit.shift))[codes[digit.attribute]]
        return words

    def mask(self, scheme: Sequence[int]) -> NDArray[np.uint64]:
        """Return the bits that a scheme leaves in every word."""
        mask: NDArray[np.uint64] = np.bitwise_or.reduce(
            self.masks[range(len(scheme)), scheme], axis=0
        )
        return mask


def lay_out(groups: Sequence[Sequence[NDArray[np.int64]]]) -> Iterator[Digit]:
    """Place digit after digit, in a new word where one does not fit."""
    word = shift = 0
    for attribute, levels in enumerate(groups):
        for level in reversed(range(len(levels))):
            values = children(levels, level)
            width = int(values.max(initial=0)).bit_length()
            if width == 0:  # the level merges nothing, or everything
                continue
            if shift + width > WORD_BITS and shift:
                word, shift = word + 1, 0
            yield Digit(attribute, level, word, shift, width, values)
            shift += width


def children(levels: Sequence[NDArray[np.int64]], level: int) -> NDArray[np.uint64]:
    """Number, for each code, its value at a level among the children of the value above.

    >>> children([np.array([0, 1, 2]), np.array([0, 1, 1])], 0).tolist()
    [0, 0, 1]
    """
    values = levels[level]
    above = levels[level + 1] if level + 1 < len(levels) else np.zeros_like(values)
    order = np.lexsort((values, above))
    new_value = np.diff(values[order], prepend=-1) != 0
    new_parent = np.diff(above[order], prepend=-1) != 0
    number = np.cumsum(new_value)
    number -= np.maximum.accumulate(np.where(new_parent, number, 0))
    numbered = np.empty(values.size, np.uint64)
    numbered[order] = number
    return numbered
