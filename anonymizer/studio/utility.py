"""Utility: what of the table can still be seen in its release."""

from __future__ import annotations

from typing import Any

from anonymizer.comparison.comparison import compare
from anonymizer.report.chart import draw_associations, draw_distribution
from anonymizer.report.comparison import caption
from anonymizer.solution.solution import Solution
from anonymizer.studio.figures import chart


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
