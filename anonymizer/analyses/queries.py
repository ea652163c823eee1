"""Queries: how well the release answers how many records have some values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from anonymizer.analyses.pair import Floats, Pair
from anonymizer.analyses.result import Result
from anonymizer.data.column import Column
from anonymizer.errors import percent
from anonymizer.hierarchy.numbers import numbers_of_values
from anonymizer.policy.analysis import Queries

FIGURE = "median relative error of random counts"
SEED = 0
"""What questions are drawn from: the same in every run."""
TOGETHER = 2
"""The columns that a query looks at, where there are so many."""
LEAST = 0.001
"""An error is divided by the true count, or by this share of the records if that is more."""
METHOD = (
    "Each asks how many records have some values in two columns: a range that ends at the values of two "
    "random records where values have an order, else the value of one. A generalized value counts by the "
    "part of what it covers that is asked for. Errors are divided by the true count, at least "
    f"{percent(LEAST)} of the records."
)

Condition = Callable[[tuple[int, int]], tuple[Floats, Floats]]
"""Asks a column about the values of two records; returns how far each record has them, both times."""


@dataclass(frozen=True, slots=True)
class Size:
    """Queries of one size; `true` is how many records have what is asked for."""

    true: str
    queries: int
    median_error: float | None
    """The median relative error; None without queries."""
    upper_error: float | None
    """The 90th percentile."""


def run(analysis: Queries, pair: Pair) -> Result:
    """Ask random questions, and compare the answers of both tables."""
    columns = pair.chosen(analysis)
    together = min(TOGETHER, len(columns))
    random = np.random.default_rng(SEED)
    conditions = {name: condition_of(name, pair) for name in columns}
    true, errors = np.empty(analysis.queries), np.empty(analysis.queries)
    for number in range(analysis.queries):
        chosen = random.choice(len(columns), together, replace=False)
        one, other = random.integers(pair.records, size=2).tolist()
        before, after = np.ones(pair.records), pair.released.astype(np.float64)
        for at in chosen.tolist():
            asked, answered = conditions[columns[at]]((one, other))
            before, after = before * asked, after * answered
        true[number] = before @ pair.weights
        errors[number] = abs(after @ pair.weights - true[number]) / max(
            true[number], LEAST * pair.records
        )
    return Result(
        analysis,
        FIGURE,
        float(np.median(errors)),
        higher_is_better=False,
        rows=by_size(true / pair.records, errors),
        method=pair.say_how(METHOD),
    )


def by_size(shares: Floats, errors: Floats) -> tuple[Size, ...]:
    """Summarize the errors by how many records the questions are about."""
    ends = (0.0, 0.01, 0.1, 1.0)
    names = ("all", "up to 1 % of the records", "1 % to 10 %", "over 10 %")
    parts = [np.ones(shares.size, np.bool_)]
    parts += [(shares > low) & (shares <= high) for low, high in pairwise(ends)]
    return tuple(summarize(name, errors[part]) for name, part in zip(names, parts, strict=True))


def summarize(name: str, errors: Floats) -> Size:
    """Return the median and the 90th percentile of some errors."""
    if not errors.size:
        return Size(name, 0, None, None)
    median, upper = np.percentile(errors, [50, 90]).tolist()
    return Size(name, errors.size, median, upper)


def condition_of(name: str, pair: Pair) -> Condition:
    """Return what draws questions about a column."""
    return generalized(name, pair) if pair.is_quasi(name) else kept(pair.kept[name])


def kept(column: Column) -> Condition:
    """Ask about a column that is released as it is; it answers as the original does."""
    numbers = numbers_of_values(column.texts)
    codes = column.codes

    def ask(records: tuple[int, int]) -> tuple[Floats, Floats]:
        if numbers is None or np.isnan(numbers[codes[list(records)]]).any():
            asked = (codes == codes[records[0]]).astype(np.float64)
        else:
            low, high = sorted(numbers[codes[list(records)]].tolist())
            asked = ((numbers >= low) & (numbers <= high)).astype(np.float64)[codes]
        return asked, asked

    return ask


def generalized(name: str, pair: Pair) -> Condition:
    """Ask about a quasi-identifier; a released value answers by its share of leaves that is asked for."""
    release, at = pair.solution.release, pair.place(name)
    hierarchy, leaves = release.microdata.columns[at].hierarchy, pair.leaves(name)
    levels = pair.levels(name)
    used = np.unique(levels[pair.released]).tolist()

    def ask(records: tuple[int, int]) -> tuple[Floats, Floats]:
        wanted = np.zeros(hierarchy.size)
        ends = (
            sorted(leaves[list(records)].tolist())
            if hierarchy.ordered
            else [leaves[records[0]]] * 2
        )
        wanted[ends[0] : ends[1] + 1] = 1.0
        answered = np.zeros(leaves.size)
        for level in used:
            codes, here = hierarchy.codes[level], levels == level
            share = np.bincount(codes, wanted) / np.bincount(codes)
            answered[here] = share[codes[leaves[here]]]
        return wanted[leaves], answered

    return ask
