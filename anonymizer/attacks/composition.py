"""Composition: what two releases of overlapping people single out together.

Ganta et al. 2008. Somebody who is in both releases is among those who share their class in the one and
their class in the other. That may be fewer people than either release promises.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.attacks.collective import find_people
from anonymizer.attacks.columns import Integers
from anonymizer.attacks.matching import NOBODY
from anonymizer.attacks.result import Attack, skip
from anonymizer.attacks.setting import Setting
from anonymizer.data.aggregate import code_labels, label_together
from anonymizer.estimators.proportions import Rate

NAME = "composition"
QUESTION = (
    "Having an earlier release too, can they tell somebody who is in both from all others who are?"
)


@dataclass(frozen=True, slots=True, eq=False)
class Intersection:
    """The people who are in both releases, and how many each of them is among."""

    here: Integers
    """The size of each person's class in this release."""
    there: Integers
    """And in the earlier one."""
    together: Integers
    """The people in both who share both classes with them."""

    @property
    def promised(self) -> int:
        """The smallest class that a person in both has in either release."""
        return int(min(self.here.min(), self.there.min()))

    def describe(self) -> dict[str, Any]:
        """Return the figures as JSON."""
        return {
            "people": self.together.size,
            "alone": int(np.count_nonzero(self.together == 1)),
            "smallest_here": int(self.here.min()),
            "smallest_there": int(self.there.min()),
            "smallest_together": int(self.together.min()),
            "below_both": int(np.count_nonzero(self.together < self.promised)),
            "median_together": float(np.median(self.together)),
        }


def composition(setting: Setting) -> Attack:
    """Intersect the classes of this release and of an earlier one."""
    if setting.earlier is None:
        return skip(NAME, QUESTION, "no earlier release is given.")
    found = intersect(setting, setting.earlier)
    if found is None:
        return skip(NAME, QUESTION, "nobody who is released is in the earlier release too.")
    figures = found.describe()
    people = figures["people"]
    before = int(np.count_nonzero(np.minimum(found.here, found.there) == 1))
    who = "the same people, by each release alone"
    success = Rate(figures["alone"], people)
    return Attack(NAME, QUESTION, success, Rate(before, people), who, figures)


def intersect(setting: Setting, earlier: Setting) -> Intersection | None:
    """Find the people in both releases, and whom they cannot be told from; None if there are none."""
    record = same_people(setting, earlier)
    mine = class_of_record(setting)
    theirs = np.append(class_of_record(earlier), NOBODY)[record]
    both = (mine != NOBODY) & (theirs != NOBODY)
    if not both.any():
        return None
    pair = label_together([code_labels(mine[both]), code_labels(theirs[both])], int(both.sum()))
    together = np.bincount(pair.of_row, minlength=pair.number)[pair.of_row]
    return Intersection(
        released_in_class(setting)[mine[both]], released_in_class(earlier)[theirs[both]], together
    )


def same_people(setting: Setting, earlier: Setting) -> Integers:
    """Return the record of the earlier original that each record's person has; `NOBODY` for others.

    Without an earlier original, the people are those of this one.
    """
    if earlier.table is setting.table:
        return np.arange(setting.original.shape[1])
    common = [name for name in setting.identity if name in earlier.identity]
    if not common:
        return np.full(setting.original.shape[1], NOBODY, np.int64)
    return find_people(setting.identity[common[0]], earlier.identity[common[0]])


def released_in_class(setting: Setting) -> Integers:
    """Return how many released rows each class has."""
    of_row, number = setting.row_classes
    return np.bincount(of_row, minlength=number)


def class_of_record(setting: Setting) -> Integers:
    """Return the class of each record's own row, or of the narrowest that may be theirs."""
    of_row, _ = setting.row_classes
    if setting.own_original:
        return np.append(of_row, NOBODY)[setting.own_row]
    return narrowest_class(setting, of_row)


def narrowest_class(setting: Setting, of_row: Integers) -> Integers:
    """Return the smallest of the classes that cover each record; `NOBODY` where none does."""
    found = np.full(setting.original.shape[1], NOBODY, np.int64)
    fewest = np.full(found.size, setting.cells.rows + 1, np.int64)
    for part in setting.cells.join(setting.quasi, setting.original):
        size = np.bincount(part.row_label, minlength=part.number)
        some = np.zeros(part.number, np.int64)
        some[part.row_label] = of_row[part.rows]
        mine = size[part.record_label]
        better: NDArray[np.bool_] = (mine > 0) & (mine < fewest)
        found[better], fewest[better] = some[part.record_label][better], mine[better]
    return found
