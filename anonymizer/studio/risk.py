"""Risk: class sizes in people, people above each risk, its causes, and kept columns that give away."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.coded import LoadedTable
from anonymizer.explanation.explanation import Explanation
from anonymizer.policy import Policy
from anonymizer.problem import Problem
from anonymizer.proposal.decision import Decision
from anonymizer.proposal.kept import KEPT
from anonymizer.report.chart import draw_shares
from anonymizer.risk import RiskProfile
from anonymizer.risk.profile import everyone_in
from anonymizer.solution.solution import Solution
from anonymizer.studio.figures import chart
from anonymizer.studio.release import kept_columns
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
    unique, warned = kept_columns(table, policy, decisions)
    return {
        "before": describe_profile(solution.before),
        "after": describe_profile(solution.after),
        "sizes": {
            "before": draw_sizes(solution.before, "before"),
            "after": draw_sizes(solution.after, "after"),
        },
        "curve": curves(solution),
        "drivers": None if explanation is None else draw_drivers(explanation),
        "sensitive": {name: asdict(found) for name, found in solution.after.sensitive.items()},
        "kept": describe_kept(policy, decisions),
        "unique_by_kept": unique,
        "warnings": warned,
    }


def describe_profile(profile: RiskProfile) -> dict[str, Any]:
    """Return the figures of a risk profile that a steward compares."""
    return {
        "people": profile.people,
        "classes": profile.classes,
        "highest": profile.prosecutor.highest,
        "average": profile.prosecutor.average,
        "above": profile.prosecutor.above,
        "journalist": None if profile.journalist is None else profile.journalist.highest,
        "uniques": profile.sample_uniques,
        "population_uniques": profile.population_uniques,
        "smallest": profile.smallest_class,
        "median": profile.median_class,
        "largest": profile.largest_class,
    }


def draw_sizes(profile: RiskProfile, when: str) -> str:
    """Draw the share of the people in classes of each range of sizes; empty ends are left out."""
    total = sum(profile.class_sizes.values()) or 1
    bars = [(f"class of {name}", count / total) for name, count in profile.class_sizes.items()]
    there = [at for at, (_, count) in enumerate(bars) if count] or [0]
    bars = bars[there[0] : there[-1] + 1]
    return chart(draw_shares(bars, f"The share of people in classes of each size, {when}"))


def draw_drivers(explanation: Explanation) -> str:
    """Draw the part of the models' risk that would be gone without each attribute."""
    bars = [(driver.attribute, max(0.0, driver.share)) for driver in explanation.drivers]
    title = "The part of the risk that would be gone without each attribute, nothing suppressed"
    return chart(draw_shares(bars, title))


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


def describe_kept(policy: Policy, decisions: Mapping[str, Decision]) -> list[dict[str, Any]]:
    """List the unchanged columns, those that single out most people first."""
    kept = [
        {
            "column": name,
            "role": policy.attributes[name].role.value,
            "unique": each.figures.unique,
            "distinct": each.figures.distinct,
        }
        for name, each in decisions.items()
        if name in policy.attributes and policy.attributes[name].role in KEPT
    ]
    return sorted(kept, key=lambda each: -float(each["unique"]))
