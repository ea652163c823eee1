"""Explore: what can be varied, and schemes chosen by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from anonymizer.comparison.binning import FEWEST_PEOPLE
from anonymizer.comparison.comparison import compare
from anonymizer.errors import DataError, PolicyError, quote, suggest_name
from anonymizer.evaluation.measurement import measure
from anonymizer.explanation.neighbourhood import Neighbourhood
from anonymizer.frontiers.sweep import find_parameter
from anonymizer.hierarchy import MISSING, Hierarchy
from anonymizer.hierarchy.fields import is_whole
from anonymizer.lattice import Scheme
from anonymizer.problem import Problem
from anonymizer.risk import Parameter, RiskModel
from anonymizer.solution.solution import Solution
from anonymizer.studio.figures import describe_solution, describe_step

FRONTIER_POINTS = 10
"""So many thresholds are looked at beside the policy's own, spread by their ratios."""
SHOWN_LABELS = 4
"""So many values stand for a level."""
MOST_VALUES = 1_000
"""So many values of a level are listed."""
SHOWN_GROUPS, MOST_GROUPS = 4, 500
"""So many groups that lose most are shown of each solution, and are known of it."""


def describe_problem(problem: Problem) -> dict[str, Any]:
    """Return what can be varied: attributes with their levels, and models with their parameters."""
    policy = problem.policy
    return {
        "attributes": [
            {
                "name": hierarchy.name,
                "weight": policy.attributes[hierarchy.name].weight,
                "low": low,
                "high": high,
                "levels": describe_levels(hierarchy),
            }
            for hierarchy, low, high in zip(
                problem.hierarchies, problem.lattice.low, problem.lattice.high, strict=True
            )
        ],
        "weighted": policy.utility.has("weights"),
        "models": [describe_model(model) for model in problem.models],
        "suppression_limit": policy.release.suppression_limit,
        "most_layers": policy.release.layers,
        "schemes": problem.lattice.size,
        "layers": policy.release.in_layers,
    }


def describe_levels(hierarchy: Hierarchy) -> list[dict[str, Any]]:
    """Name each level by some of its values."""
    return [{"label": name_level(labels), "values": len(labels)} for labels in hierarchy.labels]


def name_level(labels: Sequence[str]) -> str:
    """Name a level by its first values and its last.

    >>> name_level(("0-19", "20-39", "40-59", "60-79", "80+"))
    '0-19, 20-39, … 80+'
    """
    names = [label if label != MISSING else "(missing)" for label in labels]
    if len(names) <= SHOWN_LABELS:
        return ", ".join(names)
    return f"{', '.join(names[: SHOWN_LABELS - 2])}, … {names[-1]}"


def describe_level(solution: Solution, name: Any, level: Any) -> dict[str, Any]:
    """Return every value that an attribute has at a level, with its records and those released."""
    problem, release = solution.problem, solution.release
    microdata = release.microdata
    if name not in microdata.attributes:
        known = microdata.attributes
        raise DataError(
            f"there is no attribute {quote(str(name))}; {suggest_name(str(name), known)}"
        )
    at = microdata.attributes.index(name)
    hierarchy, column = problem.hierarchies[at], microdata.columns[at]
    if not is_whole(level) or not 0 <= level <= hierarchy.height:
        raise DataError(
            f"'{name}' has no level {level!r}; choose one from 0 to {hierarchy.height}."
        )
    labels = hierarchy.labels[level]
    values = hierarchy.codes[level][column.leaves[microdata.codes[at]]]
    kept = ~release.suppressed
    records = np.bincount(values, microdata.counts, len(labels)).astype(np.int64)
    released = np.bincount(values, microdata.counts * kept, len(labels)).astype(np.int64)
    there = np.flatnonzero(records)
    return {
        "values": [
            {
                "label": labels[value] if labels[value] != MISSING else "(missing)",
                "records": int(records[value]),
                "released": int(released[value]),
            }
            for value in there[:MOST_VALUES].tolist()
        ],
        "there": int(there.size),
        "absent": len(labels) - int(there.size),
    }


def describe_kept(solution: Solution) -> dict[str, Any]:
    """Return what is compared of solutions: what is left of each column, and who is dropped."""
    comparison = compare(solution)
    groups = [
        (f"{column.name}: {part.label}", part)
        for column in comparison.columns
        for part in column.bins
        if part.before >= FEWEST_PEOPLE
    ]
    most = sorted(groups, key=lambda group: -group[1].suppressed)[:MOST_GROUPS]
    return {
        **describe_solution(solution),
        "changed": {column.name: column.distance for column in comparison.columns},
        "dropped": {name: part.suppressed / part.before for name, part in most},
        "most_dropped": [f"{e.column}: {e.label}" for e in comparison.subgroups()[:SHOWN_GROUPS]],
    }


def describe_model(model: RiskModel) -> dict[str, Any]:
    """Return a model in words, and what of it can be tightened."""
    return {
        "name": model.name,
        "text": str(model),
        "parameters": [describe_parameter(each, model) for each in model.parameters],
    }


def describe_parameter(parameter: Parameter, model: RiskModel) -> dict[str, Any]:
    """Return the range of a slider; one without usual values has none."""
    value = parameter.value_of(model)
    usual = [*parameter.usual, value] if parameter.usual else []
    return {
        "name": parameter.name,
        "value": value,
        "whole": parameter.whole,
        "meaning": parameter.meaning,
        "share": parameter.limits_risk and max(usual, default=2) <= 1,
        "low": min(usual, default=None),
        "high": max(usual, default=None),
        "step": 1 if parameter.whole else smallest_step(usual),
        "tightens": parameter.tightens.value,
    }


def smallest_step(values: Sequence[float]) -> float | None:
    """Return the smallest difference of some values, as a slider's step."""
    ordered = sorted(set(values))
    steps = [after - before for before, after in pairwise(ordered)]
    return float(f"{min(steps):.2g}") if steps else None


def frontier_values(problem: Problem) -> list[float]:
    """Choose the thresholds of a quick frontier: some of the usual ones, and the policy's own."""
    varied = problem.models[0]
    if not varied.parameters or not varied.parameters[0].usual:
        return []
    parameter = varied.parameters[0]
    microdata = problem.microdata
    fitting = [
        value
        for value in parameter.usual
        if not parameter.at(varied, value).check(microdata.number_of_people, microdata.attributes)
    ]
    return sorted({*spread(fitting, FRONTIER_POINTS), parameter.value_of(varied)})


def why_no_frontier(problem: Problem) -> list[str]:
    """Say what the policy's first model would have to declare for a frontier, or nothing."""
    try:
        find_parameter(problem.models[0])
    except PolicyError as error:
        return [str(error)]
    return []


def spread(values: Sequence[float], most: int) -> list[float]:
    """Choose some of many values, about evenly by their ratios.

    >>> spread(range(2, 51), 6)
    [2, 4, 7, 14, 26, 50]
    """
    ordered = sorted(value for value in values if value > 0)
    if len(ordered) <= most:
        return ordered
    ratio = math.log(ordered[-1] / ordered[0]) / (most - 1)
    aims = [ordered[0] * math.exp(ratio * place) for place in range(most)]
    return list(dict.fromkeys(min(ordered, key=lambda v: abs(math.log(v / aim))) for aim in aims))


def scheme_by_hand(problem: Problem, levels: Mapping[str, Any]) -> Scheme:
    """Return a scheme of levels that the hierarchies have, whatever the policy allows."""
    attributes, high = problem.microdata.attributes, problem.microdata.lattice.high
    for name, top in zip(attributes, high, strict=True):
        level = levels.get(name)
        if not isinstance(level, int) or isinstance(level, bool) or not 0 <= level <= top:
            raise DataError(f"'{name}' has no level {level!r}; choose one from 0 to {top}.")
    return tuple(levels[name] for name in attributes)


def look_at(
    problem: Problem, solution: Solution | None, levels: Mapping[str, Any]
) -> dict[str, Any]:
    """Measure a scheme chosen by hand, how far it is from the optimum, and every step from it."""
    scheme = scheme_by_hand(problem, levels)
    now = measure(problem.evaluator, scheme)
    around = Neighbourhood(problem.evaluator, problem.lattice, scheme, now)
    return {
        **now.describe(),
        "allowed": scheme in problem.lattice,
        "distance": None if solution is None else solution.quality - now.quality,
        "steps": [
            {
                "attribute": name,
                "level": scheme[at],
                "coarser": describe_step(around.step_to(at, scheme[at] + 1)),
                "finer": describe_step(around.step_to(at, scheme[at] - 1)),
            }
            for at, name in enumerate(problem.microdata.attributes)
        ],
    }
