"""Two-way tables: how far the joint distribution of every two columns is from what it was."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from anonymizer.analyses.pair import Pair
from anonymizer.analyses.result import Result
from anonymizer.comparison.association import JointCounts
from anonymizer.comparison.binning import FEWEST_PEOPLE, MOST_BINS, Binned
from anonymizer.comparison.comparison import MOST_PAIRED
from anonymizer.errors import DataError
from anonymizer.policy.analysis import TwoWay

FIGURE = "mean distance of the two-way tables"
METHOD = (
    f"Tables have at most {MOST_BINS} bins and one for all other values, each of {FEWEST_PEOPLE} people "
    "or more. The distance is the total variation of the cells' shares. A generalized value counts as "
    "spread evenly over what it covers."
)


@dataclass(frozen=True, slots=True)
class TwoWayTable:
    """The table of two columns before and after."""

    one: str
    other: str
    distance: float
    """The total variation distance of the cells' shares, 0 to 1: 0 is unchanged."""
    association_before: float
    """Cramer's V, 0 to 1, corrected for chance."""
    association_after: float


def run(analysis: TwoWay, pair: Pair) -> Result:
    """Return the distance of every two columns' table, the largest first."""
    chosen = [pair.binned[name] for name in pair.chosen(analysis)][:MOST_PAIRED]
    if len(chosen) < 2:
        raise DataError(f"analysis '{analysis.name}': a table needs two columns; name another.")
    rows = [compare_table(one, other) for one, other in combinations(chosen, 2)]
    mean = sum(row.distance for row in rows) / len(rows)
    ordered = tuple(sorted(rows, key=lambda row: -row.distance))
    return Result(
        analysis, FIGURE, mean, higher_is_better=False, rows=ordered, method=pair.say_how(METHOD)
    )


def compare_table(one: Binned, other: Binned) -> TwoWayTable:
    """Count the table of two columns before and after."""
    counts = JointCounts.of(one, other)
    return TwoWayTable(one.name, other.name, counts.distance, *counts.associate())
