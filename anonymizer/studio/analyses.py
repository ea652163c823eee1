"""What of the table is left in the release, as the page shows it: columns, and the stated analyses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anonymizer.analyses.evidence import evidence_of
from anonymizer.analyses.result import Result
from anonymizer.comparison.comparison import compare
from anonymizer.report.chart import draw_associations, draw_distribution
from anonymizer.report.comparison import caption
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


def describe_utility(solution: Solution) -> dict[str, Any]:
    """Return each column's distribution before and after, pairs of columns, and who is missing."""
    found = compare(solution)
    columns = sorted(found.columns, key=lambda column: -column.distance)
    return {
        "columns": [
            {"name": each.name, "caption": caption(each), "chart": chart(draw_distribution(each))}
            for each in columns
        ],
        "pairs": chart(draw_associations(found.pairs)) if found.pairs else None,
        "subgroups": [
            {
                "who": f"{each.column}: {each.label}",
                "records": each.records,
                "suppressed": each.suppressed,
                "share": each.share,
            }
            for each in found.subgroups()[:12]
        ],
        "suppressed": found.share,
    }
