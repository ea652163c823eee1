"""Earlier: the releases of a register, put to the people of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anonymizer.errors import DataError, InfeasibleError
from anonymizer.register.folder import Register, RegisterEntry
from anonymizer.register.past import Past
from anonymizer.register.promise import ABSENT, Classes, exposed, number_histories


@dataclass(frozen=True, eq=False)
class Earlier:
    """Everybody who was ever released, by the classes that they were in, and who is in a table."""

    register: Register
    """As it was before the release in question."""
    classes: Classes
    """Of everybody ever released and everybody in the table, by the releases that are not forgotten."""
    place: NDArray[np.int64]
    """The row of each person of the table."""

    @staticmethod
    def of(register: Register, ids: Sequence[str], where: str) -> Earlier:
        """Look up who of a table, by their ids, was in which class of the releases of a register.

        A DataError says if there are releases and nobody was in any: ids that are written otherwise link
        nobody, and then a release would look safe that is not.
        """
        entries = register.known
        released = [register.people(entry) for entry in entries]
        own = register.persons(ids)
        everybody, number = np.unique(
            np.concatenate([*(each["person"] for each in released), own]), return_inverse=True
        )
        classes = np.full((everybody.size, len(entries)), ABSENT, np.int64)
        end = 0
        for at, each in enumerate(released):
            start, end = end, end + each.size
            classes[number[start:end], at] = each["class"]
        found = Earlier(register, classes, number[end:].astype(np.int64))
        if entries and len(ids) and not found.past.history.any():
            raise DataError(
                f"{where}: none of its people was ever in the register {register.path}; write the ids as "
                "before, or begin a new register for other people."
            )
        return found

    @property
    def releases(self) -> int:
        """How many releases there were, with those that are forgotten."""
        return len(self.register.releases)

    @cached_property
    def past(self) -> Past:
        """The histories of the people of the table, and how many people have each."""
        return Past.of(self.classes, self.place)

    @property
    def people(self) -> int:
        """How many people were ever released."""
        return int(self.past.members.sum())

    def accepted(self) -> NDArray[np.bool_]:
        """Mark who was among fewer than k after some earlier release, which was accepted then."""
        found = np.zeros(len(self.classes), np.bool_)
        for at, entry in enumerate(self.register.known, 1):
            found |= exposed(self.classes[:, :at], entry.k)
        return found

    def lost(self, k: int) -> NDArray[np.bool_]:
        """Mark who is among fewer than k whatever is released, and was not accepted to be."""
        return exposed(self.classes, k) & ~self.accepted()

    def check(self, k: int, accepted: int) -> None:
        """Raise an InfeasibleError where more people are lost than the policy accepts."""
        lost = self.lost(k)
        number = int(lost.sum())
        if number <= accepted:
            return
        groups = np.unique(number_histories(self.classes)[lost], return_counts=True)[1]
        people = "person" if number == 1 else "people"
        raise InfeasibleError(
            f"{self.register.path}: {number:,} {people} of earlier releases cannot be one of {k}, "
            f"whatever is released now: {sizes_of(groups)} by what they were in. To release all the "
            f"same, write accept_leavers = {number} in [release]."
        )

    @property
    def last(self) -> RegisterEntry | None:
        """The last release; None before the first."""
        return self.register.releases[-1] if self.releases else None


def sizes_of(groups: NDArray[np.int64]) -> str:
    """Say how many people are alike in each of some groups.

    >>> sizes_of(np.array([2, 1])), sizes_of(np.array([4]))
    ('groups of 1 and 2 are alike', '4 are alike')
    """
    sizes = sorted(groups.tolist())
    if len(sizes) == 1:
        return f"{sizes[0]} are alike" if sizes[0] > 1 else "one is unlike all others"
    if len(sizes) > 4:
        return f"{len(sizes):,} groups of at most {sizes[-1]} are alike"
    return f"groups of {', '.join(map(str, sizes[:-1]))} and {sizes[-1]} are alike"
