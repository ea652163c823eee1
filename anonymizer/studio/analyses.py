"""Analyses that the policy states, made on the table and on the release, as the page shows them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anonymizer.analyses.evidence import evidence_of
from anonymizer.analyses.result import Result
from anonymizer.report.evidence import (
    conclusions,
    figures_of,
    summary_row,
    title_of,
)
from anonymizer.report.evidence_pictures import pictures_of
from anonymizer.solution.solution import Solution
from anonymizer.studio.figures import chart

SHOWN_ROWS, SHOWN_PICTURES = 40, 4


def describe_evidence(solution: Solution, check: Callable[[], None]) -> dict[str, Any]:
    """Make every stated analysis on both; `check` raises if nobody waits for them any more."""
    if not solution.problem.policy.analysis:
        return {"results": []}
    found = evidence_of(solution, lambda _: check())
    return {"results": [describe_result(result) for result in found.results]}


def describe_result(result: Result) -> dict[str, Any]:
    """Return the figure of one analysis, original beside release, with what stands out and pictures."""
    _, figure, original, released, best = summary_row(result)
    table = figures_of(result) if result.rows else None
    return {
        "name": result.analysis.name,
        "title": title_of(result),
        "figure": figure,
        "original": original,
        "release": released,
        "best": best,
        "sentences": [*conclusions(result), *result.findings],
        "method": result.method,
        "header": [] if table is None else table.header,
        "rows": [] if table is None else table.rows[:SHOWN_ROWS],
        "all_rows": len(result.rows),
        "pictures": [
            {"chart": chart(svg), "caption": caption}
            for svg, caption in list(pictures_of(result))[:SHOWN_PICTURES]
        ],
    }
