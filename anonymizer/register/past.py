"""Past: what the people of a table were in earlier releases, and who of these releases is not in it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anonymizer.register.promise import Classes, number_histories

NEVER_RELEASED = 0
"""The history of whoever was in no release."""


@dataclass(frozen=True, eq=False)
class Past:
    """The histories of everybody who was ever released, and those of the people of a table."""

    history: NDArray[np.int64]
    """Of each person of the table, the number of their history."""
    members: NDArray[np.int64]
    """By history, everybody who was ever released; nobody of those who never were."""

    @staticmethod
    def of(classes: Classes, place: NDArray[np.int64]) -> Past:
        """Number the histories of everybody ever released; `place` is the row of each person of a table.

        It is -1 of who is in none of them.
        """
        numbers = number_histories(classes)
        members = np.bincount(numbers, minlength=1)
        members[NEVER_RELEASED] = 0
        history = np.append(numbers, NEVER_RELEASED)[place]
        return Past(history.astype(np.int64), members)

    @property
    def histories(self) -> int:
        """How many histories there are, with that of whoever was in no release."""
        return self.members.size

    @cached_property
    def left(self) -> NDArray[np.int64]:
        """By history, how many of its people are not in the table."""
        present = np.bincount(self.history, minlength=self.histories)
        present[NEVER_RELEASED] = 0
        return self.members - present

    def absent(self, gone: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Count by history who is not released: whoever is not in the table, and some who are."""
        absent = self.left + np.bincount(self.history[gone], minlength=self.histories)
        absent[NEVER_RELEASED] = 0
        return absent

    def lost(self, k: int) -> NDArray[np.bool_]:
        """Mark the histories of fewer than k people: no release can hide these among k."""
        return (self.members > 0) & (self.members < k)

    def needed(self, gone: NDArray[np.bool_], k: int) -> NDArray[np.int64]:
        """Count by history how many more must be absent, so that nobody or at least k of it are."""
        absent = self.absent(gone)
        short = (absent > 0) & (absent < k) & ~self.lost(k)
        return np.where(short, k - absent, 0)
