"""Solutions, explanations and frontiers as the page shows them: JSON, and the charts of the reports."""

from __future__ import annotations

from typing import Any

from anonymizer.explanation.explanation import Explanation
from anonymizer.explanation.neighbourhood import Step
from anonymizer.frontiers.frontier import Frontier
from anonymizer.report.chart import STYLE
from anonymizer.report.frontier import draw_frontier
from anonymizer.search import Status
from anonymizer.solution.solution import Solution


def describe_solution(solution: Solution) -> dict[str, Any]:
    """Return what the strip shows, and the scheme."""
    after, proof = solution.after, solution.proof
    return {
        "status": solution.status.value,
        "proven": solution.status is Status.OPTIMAL,
        "stopped": solution.stopped.value,
        "quality": solution.quality,
        "gap": solution.gap,
        "highest": after.prosecutor.highest,
        "average": after.prosecutor.average,
        "records": solution.records,
        "people": solution.problem.microdata.number_of_people,
        "suppressed": solution.suppressed,
        "scheme": solution.scheme,
        "layers": len(solution.layers),
        "attribute_loss": solution.attribute_loss,
        "retained": solution.retained,
        "collapsed": solution.collapsed,
        "schemes": None if proof is None else proof.schemes,
        "evaluated": None if proof is None else proof.evaluated,
        "milliseconds": 1000 * solution.seconds.get("search", 0.0),
        "models": [str(model) for model in solution.problem.models],
    }


def describe_explanation(explanation: Explanation) -> dict[str, Any]:
    """Return what each step would cost, and what can be done next."""
    return {
        "drivers": [
            {
                "attribute": driver.attribute,
                "level": driver.level,
                "share": driver.share,
                "coarser": describe_step(driver.coarser),
                "finer": describe_step(driver.finer),
            }
            for driver in explanation.drivers
        ],
        "cheapest": [
            {
                "figure": each.figure,
                "fall": each.fall,
                "cost": each.cost,
                "levels": each.step.levels,
            }
            for each in explanation.cheapest
        ],
    }


def describe_step(step: Step | None) -> dict[str, Any] | None:
    """Return what a step would change; None where there is none."""
    if step is None:
        return None
    return {
        "levels": step.levels,
        "allowed": step.allowed,
        "possible": step.possible,
        "quality_change": step.quality_change,
        "suppressed_change": step.suppressed_change,
    }


def describe_frontier(frontier: Frontier) -> dict[str, Any]:
    """Return the chart of a frontier, and its points in the order of the chart."""
    return {
        "parameter": frontier.parameter.name,
        "model": frontier.model,
        "chart": chart(draw_frontier(frontier)),
        "points": [
            {
                "value": point.value,
                "quality": point.quality,
                "verdict": point.verdict,
                "suppressed": point.evaluation.suppressed_records,
                "highest": point.profile.prosecutor.highest,
                "scheme": point.scheme,
            }
            for point in frontier.points
        ],
        "infeasible": [value for value, _ in frontier.infeasible],
    }


def chart(markup: str) -> str:
    """Return a chart whose looks are left to the page: its rules forbid styles inside elements."""
    return str(markup).replace(f'style="{STYLE}"', 'class="chart"')
