"""Marginals: how far the distribution of each column is from what it was."""

from __future__ import annotations

from dataclasses import dataclass

from anonymizer.analyses.pair import Pair
from anonymizer.analyses.result import Result
from anonymizer.policy.analysis import Marginals

FIGURE = "mean distance of the columns' distributions"
METHOD = (
    "The distance is the total variation: the share of the records that would need another value. A "
    "generalized value counts as spread evenly over what it covers; suppressed records are not there."
)


@dataclass(frozen=True, slots=True)
class Marginal:
    """The distribution of a column before and after."""

    column: str
    values_before: int
    """How many different values the original has."""
    values_after: int
    distance: float
    """The total variation distance, 0 to 1: 0 is unchanged."""


def run(analysis: Marginals, pair: Pair) -> Result:
    """Return the distance of each column, the largest first."""
    chosen = [pair.binned[name] for name in pair.chosen(analysis)]
    rows = [Marginal(c.name, c.values_before, c.values_after, c.distance) for c in chosen]
    mean = sum(row.distance for row in rows) / len(rows)
    ordered = tuple(sorted(rows, key=lambda row: -row.distance))
    return Result(
        analysis, FIGURE, mean, higher_is_better=False, rows=ordered, method=pair.say_how(METHOD)
    )
