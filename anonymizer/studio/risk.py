"""Risk: before and after, its causes, people above each risk, and kept columns that give away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.coded import LoadedTable
from anonymizer.explanation.explanation import Explanation
from anonymizer.policy import Policy
from anonymizer.problem import Problem
from anonymizer.proposal.decision import Decision
from anonymizer.proposal.kept import KEPT
from anonymizer.report.explanation import drivers_section
from anonymizer.report.page import share, whole
from anonymizer.report.sections import FigureTable, Section, bad
from anonymizer.report.solution import sections as solution_sections
from anonymizer.risk.profile import everyone_in
from anonymizer.solution.solution import Solution
from anonymizer.studio.checklist import kept_columns
from anonymizer.studio.figures import describe_sections
from anonymizer.table.classes import EquivalenceClasses, partition

SIZES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 75, 100)
"""A person's risk is one over the size of their class; the curve is drawn at these."""


def describe_risk(
    solution: Solution,
    explanation: Explanation | None,
    table: LoadedTable,
    decisions: Mapping[str, Decision],
) -> dict[str, Any]:
    """Return the risks before and after, and where they come from."""
    policy = solution.problem.policy.with_columns(table.columns)
    _, *sections = solution_sections(solution)  # the scheme is on a page of its own
    if explanation is not None:
        sections.append(drivers_section(explanation))
    kept = kept_section(policy, decisions, *kept_columns(table, policy, decisions))
    return {
        "sections": describe_sections(sections),
        "curve": curves(solution),
        "kept": describe_sections([kept]),
    }


def curves(solution: Solution) -> list[dict[str, Any]]:
    """Return the share of the people above each risk, before and after."""
    problem, outcome = solution.problem, solution.outcome
    untouched = partition(problem.microdata, (0,) * len(problem.microdata.attributes))
    before = above(problem, untouched, np.ones(untouched.sizes.size, np.bool_))
    after = above(problem, outcome.classes, ~outcome.suppressed)
    return [
        {"risk": 1 / size, "before": one, "after": other}
        for size, one, other in zip(SIZES, before, after, strict=True)
    ]


def above(problem: Problem, classes: EquivalenceClasses, kept: NDArray[np.bool_]) -> list[float]:
    """Return the share of the people in classes smaller than each size, each person counted once."""
    everyone = everyone_in(problem.microdata, classes, kept)
    sizes = everyone.class_sizes
    people = everyone.count(np.ones(sizes.size, np.bool_)) or 1
    return [everyone.count(sizes < size) / people for size in SIZES]


def kept_section(
    policy: Policy, decisions: Mapping[str, Decision], unique: float, warned: Sequence[str]
) -> Section:
    """Show the columns that are kept as they are, those that single out most people first."""
    kept = [
        (name, policy.attributes[name].role.value, each.figures)
        for name, each in decisions.items()
        if name in policy.attributes and policy.attributes[name].role in KEPT
    ]
    rows = tuple(
        (name, role, whole(figures.distinct), share(figures.unique))
        for name, role, figures in sorted(kept, key=lambda each: -each[2].unique)
    )
    said = f"{share(unique)} of the people are unique by these columns together."
    header = "column", "role", "values", "unique by it"
    return Section("Kept as it is", (said, *map(bad, warned)), (FigureTable(header, rows),))
