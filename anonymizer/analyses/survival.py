"""Survival curves by Kaplan and Meier, one for each group, on both tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.analyses.design import MOST_CATEGORIES, number, yes_or_no
from anonymizer.analyses.pair import Categories, Floats, Numbers, Pair
from anonymizer.analyses.result import Curve, Result, need
from anonymizer.comparison.binning import FEWEST_PEOPLE, round_edges
from anonymizer.errors import DataError
from anonymizer.policy.analysis import Survival

FIGURE = "largest difference of the survival curves"
METHOD = (
    f"Curves are those of Kaplan and Meier; groups of fewer than {FEWEST_PEOPLE} people are left out. "
    "The intervals of the medians are of 95 %."
)
ALL = "all"
POINTS = 60
"""So many round times a curve is drawn at, so that no step is one person's day."""

Module = Any
Rows = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class SurvivalGroup:
    """The curve of a group in figures; a median or a bound that is not reached is None."""

    group: str
    records_before: int
    events_before: int
    median_before: float | None
    low_before: float | None
    """The 95 % interval of the median (Brookmeyer and Crowley 1982)."""
    high_before: float | None
    records_after: int
    events_after: int
    median_after: float | None
    low_after: float | None
    high_after: float | None
    difference: float | None
    """The largest difference of the two curves, 0 to 1; None where there is none on the release."""


@dataclass(frozen=True, slots=True, eq=False)
class SurvivalSteps:
    """A survival curve: the share to whom the event has not happened, from each time on."""

    times: Floats
    shares: Floats
    records: int
    events: int
    median: tuple[float | None, float | None, float | None]
    """The median and its interval."""

    def at(self, times: Floats) -> Floats:
        """Return the share at some times; before the first step it is 1."""
        return np.append(1.0, self.shares)[np.searchsorted(self.times, times, side="right")]


NOBODY = SurvivalSteps(np.empty(0), np.empty(0), 0, 0, (None, None, None))


def run(analysis: Survival, pair: Pair) -> Result:
    """Compare the curves of each group; groups of few people are left out."""
    module = need("statsmodels.duration.survfunc", "a survival curve")
    time = number(analysis.time, pair, analysis)
    event = yes_or_no(analysis.event, analysis.positive, pair, analysis)
    times = round_times(time.before)
    found = [
        compare_curves(module, label, time, event, rows, times)
        for label, *rows in members(groups_of(analysis, pair), time, event)
        if np.unique(pair.person_of_row[rows[0]]).size >= FEWEST_PEOPLE
    ]
    if not found:
        raise DataError(
            f"analysis '{analysis.name}': no group has {FEWEST_PEOPLE} people; name another group."
        )
    differences = [group.difference for group, _ in found]
    known = [each for each in differences if each is not None]
    absent = "The release does not have all groups, so not all curves can be drawn."
    return Result(
        analysis,
        FIGURE,
        max(known) if len(known) == len(found) else None,
        higher_is_better=False,
        rows=tuple(group for group, _ in found),
        method=METHOD,
        findings=() if len(known) == len(found) else (absent,),
        curves=tuple(curve for _, curve in found),
    )


def groups_of(analysis: Survival, pair: Pair) -> Categories:
    """Return the groups that have curves of their own."""
    if analysis.group is None:
        everybody = np.zeros(pair.records, np.int64)
        return Categories((ALL,), everybody, np.where(pair.released, everybody, -1))
    found = pair.categories(analysis.group, analysis.missing == "category")
    if len(found.labels) > MOST_CATEGORIES:
        raise DataError(
            f"analysis '{analysis.name}': column '{analysis.group}' has {len(found.labels):,} values in "
            f"the release, more than {MOST_CATEGORIES}; name another group."
        )
    return found


def members(groups: Categories, time: Numbers, event: Numbers) -> Iterator[tuple[str, Rows, Rows]]:
    """Return who is in each group with a time and an event, before and after."""
    before = np.isfinite(time.before) & np.isfinite(event.before)
    after = np.isfinite(time.after) & np.isfinite(event.after)
    for code, label in enumerate(groups.labels):
        yield label, before & (groups.before == code), after & (groups.after == code)


def compare_curves(
    module: Module,
    label: str,
    time: Numbers,
    event: Numbers,
    rows: Sequence[Rows],
    times: Floats,
) -> tuple[SurvivalGroup, Curve]:
    """Estimate the curve of a group on both tables, and how far they are apart."""
    before = estimate(module, time.before[rows[0]], event.before[rows[0]])
    after = estimate(module, time.after[rows[1]], event.after[rows[1]])
    steps, there = np.union1d(before.times, after.times), after.records > 0
    apart = float(np.abs(before.at(steps) - after.at(steps)).max(initial=0.0))
    group = SurvivalGroup(
        label,
        before.records, before.events, *before.median,
        after.records, after.events, *after.median,
        apart if there else None,
    )  # fmt: skip
    drawn = [tuple(each.at(times).tolist()) for each in (before, after)]
    return group, Curve(label, tuple(times.tolist()), drawn[0], drawn[1] if there else None)


def estimate(module: Module, times: Floats, events: Floats) -> SurvivalSteps:
    """Estimate a curve; of nobody there is none."""
    if not times.size:
        return NOBODY
    with np.errstate(invalid="ignore", divide="ignore"):  # where everybody's event has happened
        found = module.SurvfuncRight(times, events)
        middle, (low, high) = found.quantile(0.5), found.quantile_ci(0.5)
        if math.isnan(low):  # the one step that passes a half is beyond doubt
            low = high = middle
        median = finite(middle), finite(low), finite(high)
    shares = np.asarray(found.surv_prob)
    return SurvivalSteps(
        np.asarray(found.surv_times), shares, times.size, int(events.sum()), median
    )


def finite(value: float) -> float | None:
    """Return a number that JSON can hold; None where it is not reached."""
    return float(value) if math.isfinite(value) else None


def round_times(times: Floats) -> Floats:
    """Return evenly spaced times from 0 to the last round one; nobody's own."""
    edges = round_edges(times[np.isfinite(times)])
    return np.linspace(min(0.0, float(edges[0])), float(edges[-1]), POINTS)
