"""Subgroups: who is suppressed, and who loses detail, more than others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from anonymizer.analyses.pair import Floats, Pair
from anonymizer.analyses.result import Result
from anonymizer.comparison.binning import FEWEST_PEOPLE, Binned
from anonymizer.policy.analysis import Subgroups

FIGURE = "largest suppressed share of a subgroup"
METHOD = (
    f"Subgroups are the values of a column that {FEWEST_PEOPLE} people or more have. The loss is the "
    "mean, over their records and the quasi-identifiers, of how much of the domain a released value "
    "covers: 0 is untouched, 1 is nothing left; a suppressed record counts as 1."
)


@dataclass(frozen=True, slots=True)
class Subgroup:
    """The records with one value, or some, of a column."""

    column: str
    value: str
    records: int
    suppressed: int
    share: float
    """The share of them that is suppressed."""
    loss: float
    """Their mean loss, 0 to 1."""


def run(analysis: Subgroups, pair: Pair) -> Result:
    """Return what each subgroup loses, the largest suppressed share first."""
    losses = record_losses(pair)
    rows = [
        subgroup
        for name in pair.chosen(analysis)
        for subgroup in subgroups_of(pair.binned[name], losses, pair)
    ]
    everybody = Subgroup(
        "all", "", pair.records, int((~pair.released).sum()),
        float((~pair.released).mean()), float(losses.mean()),
    )  # fmt: skip
    ordered = (everybody, *sorted(rows, key=lambda row: (-row.share, -row.loss)))
    largest = max(row.share for row in ordered)
    return Result(analysis, FIGURE, largest, higher_is_better=False, rows=ordered, method=METHOD)


def record_losses(pair: Pair) -> Floats:
    """Return the mean loss of each record over the quasi-identifiers, by Iyengar's formula for one."""
    release = pair.solution.release
    microdata, layering = release.microdata, release.layering
    total = np.zeros(microdata.distinct)
    for at, column in enumerate(microdata.columns):
        hierarchy, levels = column.hierarchy, layering.levels(at)
        shares = hierarchy.shares()[levels, column.leaves[microdata.codes[at]]]
        least = hierarchy.least_cover / hierarchy.extent
        if least < 1:
            total += np.maximum(0.0, (shares - least) / (1 - least))
    total /= len(microdata.columns)
    return np.where(layering.suppressed, 1.0, total)[microdata.tuple_of_row]


def subgroups_of(column: Binned, losses: Floats, pair: Pair) -> Iterator[Subgroup]:
    """Return the subgroups of a column's bins."""
    records, suppressed = column.count(), column.count(~pair.released)
    lost = np.bincount(column.before, losses, records.size)
    for code in np.flatnonzero(records >= FEWEST_PEOPLE).tolist():
        count, gone = int(records[code]), int(suppressed[code])
        label = column.labels[code]
        yield Subgroup(column.name, label, count, gone, gone / count, float(lost[code] / count))
