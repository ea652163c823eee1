"""Dates that moved: by one number of days for each person, within the range that the policy states."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.dates import NO_DAY, Days
from anonymizer.policy import Policy
from anonymizer.verification.claims import Check

SURE = 30
"""Bits: chance alone does not leave all dates of so many people where they were."""
CLAIM = "dates are moved by one number of days for each person"


def check_not_compared(policy: Policy) -> list[Check]:
    """Say that only the original tells how dates were moved; nothing where none move."""
    if policy.release.date_shift is None:
        return []
    return [Check(CLAIM, None, "only the original tells whether they were moved, and how far")]


def check_moved(
    mine: Sequence[Hashable],
    theirs: Sequence[Hashable],
    days: tuple[Days, Days],
    most: int,
    people: int,
    who: str,
) -> Check:
    """Check that first dates of released and original, which are alike by all else, are near enough.

    Where several are alike, each released one has a partner of its own within the range if and only if
    they have one in the order of their dates.
    """
    numbers: dict[Hashable, int] = {}
    labels = [
        np.array([numbers.setdefault(each, len(numbers)) for each in some], np.int64)
        for some in (mine, theirs)
    ]
    in_order = [
        (label[order], day[order])
        for label, day in zip(labels, days, strict=True)
        for order in [np.lexsort((day, label))]
    ]
    (own, first), (other, second) = in_order
    if own.size != other.size or (own != other).any():
        return Check(CLAIM, False, "released dates have other intervals than those of the original")
    return check_distances(first, second, most, people, f"as far as {who} can be told apart")


def check_distances(first: Days, second: Days, most: int, people: int, how: str) -> Check:
    """Check that dates and those they were moved from are within the range."""
    there: NDArray[np.bool_] = (first != NO_DAY) | (second != NO_DAY)
    far = there & (np.abs(first - second) > most)
    if far.any():
        return Check(
            CLAIM, False, f"{int(far.sum()):,} are further than {most:,} days away ({how})"
        )
    still = first[there] == second[there]
    if people * np.log2(2 * most + 1) > SURE and there.any() and still.all():
        return Check(CLAIM, False, "no date has moved")
    return Check(CLAIM, True, f"intervals agree, and dates are within {most:,} days, {how}")
