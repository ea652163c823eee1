"""Ambiguity: how many combinations of original values a released record could stand for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from anonymizer.risk.remaining import Binding
from anonymizer.table.classes import EquivalenceClasses
from anonymizer.table.microdata import Microdata
from anonymizer.utility.measure import Appraisal, Measure


@dataclass(frozen=True, slots=True)
class Ambiguity(Measure):
    """The mean over the records of the share of all combinations of leaves that a record could have.

    Nergiz and Clifton (2007) multiply, over the attributes, the leaves that a released value covers; a
    suppressed record could have all of them. Put between 0, one combination each, and 1, all of them. It
    is not a sum over the attributes. For schemes u <= w <= v, every record stands at w for no fewer
    combinations than at u, and one that must go, as v tells, for all: no more than 1 less its share at v
    is added by that, since it stands at w for no more than at v.

    Not computable from a release by the sums that verification has.
    """

    name: ClassVar[str] = "ambiguity"
    floors: ClassVar[bool] = True

    def appraise(
        self,
        microdata: Microdata,
        classes: EquivalenceClasses,
        suppressed: NDArray[np.bool_],
        binding: Binding,
    ) -> Appraisal:
        """Sum up the shares of the kept and the suppressed records, and bound what lies around."""
        shares, least = shares_of(microdata, classes), least_share(microdata)
        room = microdata.records * (1 - least) if least < 1 else 1.0
        records, hidden = classes.records, classes.records * (1 - shares)
        floor = float(((shares - least) * records).sum()) / room
        forfeit = fewest(hidden, records, binding) / room
        attributes, levels = len(classes.scheme), max(microdata.lattice.high) + 1
        return Appraisal(
            floor + float(hidden[suppressed].sum()) / room,
            np.full((attributes, levels), forfeit / attributes),
            floor,
        )


def least_share(microdata: Microdata) -> float:
    """Return the share of all combinations of leaves that an untouched record has."""
    return float(np.prod(microdata.domain.least / microdata.domain.sizes))


def shares_of(microdata: Microdata, classes: EquivalenceClasses) -> NDArray[np.float64]:
    """Return the share of all combinations of leaves that a record of each class could have."""
    domain, shares = microdata.domain, np.ones(classes.sizes.size)
    for a, level in enumerate(classes.scheme):
        codes = microdata.codes[a, classes.first_tuple]
        shares *= domain.shares[level, domain.offsets[a] + codes.astype(np.int64)]
    return shares


def fewest(hidden: NDArray[np.float64], records: NDArray[np.int64], binding: Binding) -> float:
    """Sum what is hidden by suppressing all but the exempt records: those that would hide most."""
    chosen, counts = hidden[binding.classes], records[binding.classes]
    if not binding.exempt:
        return float(chosen.sum())
    each = chosen / np.maximum(counts, 1)
    order = np.argsort(-each, kind="stable")
    left = np.minimum(np.maximum(np.cumsum(counts[order]) - binding.exempt, 0), counts[order])
    return float((left * each[order]).sum())
