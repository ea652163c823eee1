"""Figure 6: quality against the share of the population that may be unique."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from anonymizer.frontiers.frontier import Point as OnFrontier
from anonymizer.frontiers.frontier import frontier
from anonymizer.risk.parsing import parse_model
from experiments.datasets import RESULTS, policy_of
from experiments.prasser2016 import paper
from experiments.prasser2016.releases import Dataset, release
from experiments.prasser2016.tables import OnStep

STEPS = 10
"""Between two thresholds, how finely the point is sought at which population uniques reach zero."""
SAME = 1e-9
"""ARX rounds its loss to about ten digits."""


@dataclass(frozen=True, slots=True)
class Point:
    """The best release at a threshold of p-uniqueness."""

    threshold: float
    quality: float
    suppressed: int
    sample_uniques: int
    population_uniques: float
    """Estimated, as a share of the population."""


def curve(dataset: Dataset, population: int, thresholds: Sequence[float]) -> list[Point]:
    """Return the best release at every threshold, from one pass over the schemes."""
    policy = policy_of(dataset.name, dataset.path, paper.p_uniqueness(thresholds[0], population))
    found = {point.value: point for point in frontier(None, policy, thresholds).points}
    return [make_point(found[threshold]) for threshold in thresholds]


def make_point(point: OnFrontier) -> Point:
    return Point(
        point.value,
        100 * point.quality,
        point.evaluation.suppressed_records,
        point.profile.sample_uniques,
        point.risk,  # by Hoshino's form, as in the paper
    )


def zero_line(dataset: Dataset, population: int, points: Sequence[Point]) -> float:
    """Find the highest threshold at which no unique is left; NaN if some are left at every one."""
    ordered = sorted(points, key=lambda point: point.threshold)
    zeros = [place for place, point in enumerate(ordered) if point.sample_uniques == 0]
    if not zeros:
        return float("nan")
    last = ordered[zeros[-1]].threshold
    if zeros[-1] + 1 == len(ordered):
        return last
    between = np.geomspace(last, ordered[zeros[-1] + 1].threshold, STEPS + 1)[1:-1]
    finer = curve(dataset, population, [float(f"{threshold:.4g}") for threshold in between])
    return max([last, *(point.threshold for point in finer if point.sample_uniques == 0)])


def figure_6(datasets: Sequence[Dataset], on_step: OnStep) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the curves beside ARX's, and for each where population uniques reach zero."""
    curves, lines = [], []
    arx = arx_curves()
    for dataset in datasets:
        baseline = 100 * release(dataset, parse_model(paper.k_anonymity(2))).quality
        for city, population in paper.POPULATIONS.items():
            on_step(f"{dataset.name.upper()}: Figure 6, {city}")
            points = curve(dataset, population, paper.THRESHOLDS)
            where = {"data": dataset.name, "population": city}
            curves += [{**where, **describe_point(point, baseline)} for point in points]
            lines.append({**where, "threshold": zero_line(dataset, population, points)})
    ours = pd.DataFrame(curves)
    return ours.merge(arx, how="left", on=["data", "population", "threshold"]), pd.DataFrame(lines)


def describe_point(point: Point, baseline: float) -> dict[str, float]:
    return {
        "threshold": point.threshold,
        "quality": point.quality,
        "2-anonymity": baseline,
        "suppressed": point.suppressed,
        "sample uniques": point.sample_uniques,
        "population uniques": point.population_uniques,
    }


def arx_curves() -> pd.DataFrame:
    """Read ARX's optima, and what experiments.reference says of those that differ from ours."""
    table = pd.read_csv(RESULTS / "reference" / "uniqueness.csv")
    parameters = table["parameters"].str.extract(r"threshold=(\S+) population=(\d+)")
    city_of = {people: city for city, people in paper.POPULATIONS.items()}
    return pd.DataFrame(
        {
            "data": table["data"],
            "population": parameters[1].astype(int).map(city_of),
            "threshold": parameters[0].astype(float),
            "ARX quality": 100 * (1 - table["ARX loss"]),
            "why": table["why"],
        }
    )


def compare(curves: pd.DataFrame) -> pd.Series:
    """Say of each point whether it is above, below or on ARX's; empty where ARX's is not known."""
    gain = curves["quality"] - curves["ARX quality"]
    return pd.Series(
        np.select(
            [gain.isna(), gain.abs() <= 100 * SAME, gain > 0], ["", "the same", "above"], "below"
        ),
        curves.index,
    )


def irregular(curves: pd.DataFrame, column: str = "quality") -> list[str]:
    """List where quality rises although the threshold is stricter or the population smaller."""
    faults = []
    for (data, population), points in curves.groupby(["data", "population"], sort=False):
        quality = points.sort_values("threshold")[column].dropna()
        if (quality.diff().dropna() < -100 * SAME).any():
            faults.append(f"{data}, {population}: rises with a stricter threshold")
    for (data, threshold), points in curves.groupby(["data", "threshold"], sort=False):
        by_people = points.set_index("population")[column].reindex(list(paper.POPULATIONS)).dropna()
        if (by_people.diff().dropna() < -100 * SAME).any():
            faults.append(f"{data}, {threshold:g}: rises with a smaller population")
    return faults
