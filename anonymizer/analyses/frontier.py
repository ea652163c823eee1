"""Analyses of a frontier: what the release of each point is worth; nothing is searched for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from anonymizer.analyses.evidence import RUNS
from anonymizer.analyses.pair import Pair
from anonymizer.analyses.result import Result
from anonymizer.frontiers.frontier import Frontier
from anonymizer.frontiers.points import Point
from anonymizer.policy import Analysis


def with_analyses(frontier: Frontier, names: Sequence[str]) -> Frontier:
    """Return a frontier whose points have the figures of some analyses of its policy.

    The points stay the optima by the policy's measure: nothing is searched for again.
    """
    analyses = [frontier.problem.policy.find_analysis(name) for name in names]
    labels: dict[str, str] = {}

    def measured(point: Point) -> Point:
        results = run_all(frontier, point, analyses)
        labels.update({result.analysis.name: label_of(result) for result in results})
        return replace(point, figures={result.analysis.name: result.value for result in results})

    points, by_layers = (
        tuple(map(measured, each)) for each in (frontier.points, frontier.by_layers)
    )
    return replace(frontier, points=points, by_layers=by_layers, figures=labels)


def run_all(frontier: Frontier, point: Point, analyses: Sequence[Analysis]) -> list[Result]:
    """Run analyses on the release of one point."""
    pair = Pair(frontier.solution_at(point))
    return [RUNS[analysis.kind](analysis, pair) for analysis in analyses]


def label_of(result: Result) -> str:
    """Name the axis of an analysis, and say which end of it is the good one."""
    good = "higher" if result.higher_is_better else "lower"
    return f"{result.analysis.name}: {result.figure} ({good} is better)"
