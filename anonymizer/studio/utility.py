"""Utility: what of the table can still be seen in its release, and an analysis made on both."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.comparison.comparison import compare
from anonymizer.data.coded import LoadedTable
from anonymizer.data.columns import Coded
from anonymizer.errors import DataError
from anonymizer.hierarchy.values import parse_number
from anonymizer.report.comparison import caption
from anonymizer.report.svg import draw_associations, draw_distribution
from anonymizer.solution.solution import Solution
from anonymizer.studio.columns import column_of
from anonymizer.studio.figures import chart


def describe_utility(solution: Solution) -> dict[str, Any]:
    """Return each column's distribution before and after, pairs of columns, and who is missing."""
    found = compare(solution)
    columns = sorted(found.columns, key=lambda column: -column.distance)
    attributes = solution.problem.microdata.attributes
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
        "by": list(attributes),
        "outcomes": [name for name in solution.release.columns if name not in attributes],
    }


def analyse(table: LoadedTable, solution: Solution, by: Any, outcome: Any) -> dict[str, Any]:
    """Return the mean of an outcome, or the share of its most frequent value, by groups, on both.

    The groups are the released values; the rows of the original are counted in the group that they
    would be released in.
    """
    release, microdata = solution.release, solution.problem.microdata
    if by not in microdata.attributes:
        raise DataError(f"{by!r} is not generalized, so that there is nothing to compare.")
    name, values = measured(column_of(table, outcome), str(outcome))
    recoding, of_row = release.recoding(by), microdata.tuple_of_row
    kept = ~release.suppressed[of_row]
    groups = recoding.number_of_tuple[of_row]
    known = ~np.isnan(values)
    before = means(groups[known], values[known], len(recoding.values))
    there = known & kept
    after = means(groups[there], values[there], len(recoding.values))
    return {
        "outcome": name,
        "share": name != f"mean {outcome}",
        "rows": [
            {"group": label, "before": b, "after": a, "rows_before": nb, "rows_after": na}
            for label, (b, nb), (a, na) in zip(recoding.values, before, after, strict=True)
            if nb
        ],
    }


def measured(column: Coded, name: str) -> tuple[str, NDArray[np.float64]]:
    """Return what is measured of each row: a number, or whether it has the most frequent value."""
    numbers = [parse_number(text) for text in column.texts]
    if all(n is not None for n, text in zip(numbers, column.texts, strict=True) if text.strip()):
        known = np.array([np.nan if n is None else float(n) for n in numbers])
        return f"mean {name}", known[column.codes]
    often = int(np.bincount(column.codes).argmax())
    return f"share of {name} = {column.texts[often]}", (column.codes == often).astype(np.float64)


def means(
    groups: NDArray[np.integer], values: NDArray[np.float64], count: int
) -> list[tuple[float | None, int]]:
    """Return the mean of each group and its rows; None where it has none."""
    rows = np.bincount(groups, minlength=count)
    sums = np.bincount(groups, weights=values, minlength=count)
    return [(s / n if n else None, n) for s, n in zip(sums.tolist(), rows.tolist(), strict=True)]
