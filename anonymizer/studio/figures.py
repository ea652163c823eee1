"""What was found, as the page shows it: figures as JSON, and the sections and charts of the reports."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from anonymizer.analyses.evidence import evidence_of
from anonymizer.comparison.comparison import compare
from anonymizer.explanation.explanation import Explanation
from anonymizer.explanation.layered import explain_layers
from anonymizer.explanation.neighbourhood import Step
from anonymizer.frontiers.frontier import Frontier
from anonymizer.report.chart import STYLE
from anonymizer.report.comparison import comparison_sections
from anonymizer.report.evidence import result_section
from anonymizer.report.explanation import blocking_section, cheapest_section
from anonymizer.report.frontier import draw_frontier
from anonymizer.report.layered import layered_sections
from anonymizer.report.sections import FigureTable, Picture, Section, tone, unmarked
from anonymizer.report.suppression import suppression_section
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
    following = cheapest_section, blocking_section, suppression_section
    return {
        "drivers": [
            {
                "attribute": driver.attribute,
                "coarser": describe_step(driver.coarser),
                "finer": describe_step(driver.finer),
            }
            for driver in explanation.drivers
        ],
        "next": describe_sections(section(explanation) for section in following),
    }


def describe_layers(solution: Solution) -> dict[str, Any]:
    """Return what layers do and give away; there are no steps from them."""
    sections = layered_sections(explain_layers(solution))
    return {"drivers": [], "next": describe_sections(sections)}


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


def describe_evidence(solution: Solution, on_step: Callable[[str, float], None]) -> dict[str, Any]:
    """Make every stated analysis on both; `on_step` raises if nobody waits for them any more."""
    stated = [each.name for each in solution.problem.policy.analysis]
    if not stated:
        return {"results": []}
    found = evidence_of(solution, lambda a: on_step(a.name, stated.index(a.name) / len(stated)))
    return {"results": describe_sections(map(result_section, found.results))}


def describe_utility(solution: Solution) -> dict[str, Any]:
    """Return what is left of columns and of pairs of them, and who is missing."""
    *left, missing = describe_sections(comparison_sections(compare(solution)))
    return {"sections": left, "missing": missing}


# --- sections


def describe_sections(sections: Iterable[Section]) -> list[dict[str, Any]]:
    """Return sections of a report; how they look is left to the page."""
    return [
        {
            "title": section.title,
            "sentences": list(map(describe_text, section.sentences)),
            "figures": list(map(describe_table, section.figures)),
            "pictures": list(map(describe_picture, section.pictures)),
            "folded": list(map(describe_picture, section.folded)),
        }
        for section in sections
    ]


def describe_table(table: FigureTable) -> dict[str, Any]:
    """Return a table: which columns hold figures, and what stands for it until it is unfolded."""
    return {
        "header": table.header,
        "rows": [list(map(describe_text, row)) for row in table.rows],
        "numeric": table.numeric,
        "folded": table.title or table.folded,
    }


def describe_text(said: str) -> dict[str, str]:
    """Return a sentence or a cell with its tone."""
    return {"text": unmarked(said), "tone": tone(said)}


def describe_picture(picture: Picture) -> dict[str, str]:
    """Return a chart with its caption."""
    return {"chart": chart(picture.svg), "caption": picture.caption}


def chart(markup: str) -> str:
    """Return a chart whose looks are left to the page: its rules forbid styles inside elements."""
    return str(markup).replace(f'style="{STYLE}"', 'class="chart"')
