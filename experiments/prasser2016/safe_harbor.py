"""The Safe Harbor method of HIPAA as a release: what it keeps, and what it leaves to the prosecutor.

45 CFR 164.514(b)(2) names what has to go. Of the attributes here these are ages above 89, which become
one category, ZIP codes, of which three digits stay unless fewer than 20,000 people live there, and dates,
of which the year stays. Nothing is suppressed, and no risk is measured.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from anonymizer.hierarchy import Hierarchy
from anonymizer.problem import Problem
from anonymizer.proposal.safe_harbor import DIGITS, OLDEST, first_digits, top_code
from anonymizer.risk import SampleUniqueness
from anonymizer.risk.parsing import parse_model
from anonymizer.table.domain import QuasiIdentifier
from experiments.prasser2016 import paper
from experiments.prasser2016.releases import Dataset, Released, release, untouched
from experiments.prasser2016.tables import OnStep

SMALLEST = 5
"""Records in classes of fewer are counted."""


@dataclass(frozen=True, slots=True)
class Named:
    """What a data set has of what Safe Harbor names."""

    age: str
    zip_code: str | None = None
    dates: tuple[str, ...] = ()
    """Days and months; there is no year in the data."""


ATTRIBUTES = {
    "adult": Named("age"),
    "cup": Named("AGE", zip_code="ZIP"),
    "fars": Named("iage", dates=("ideathmon", "ideathday")),
}
"""ATUS and IHIS are not known here: what their codes for ages and quarters stand for was not checked."""

SHIPPED, LITERAL = "Safe Harbor, shipped hierarchies", "Safe Harbor to the letter"
AS_UNIQUE = "best with no larger a share of uniques"
"""The point of the frontier of sample uniqueness beside Safe Harbor to the letter."""


def safe_harbor_table(datasets: Sequence[Dataset], on_step: OnStep) -> pd.DataFrame:
    """Measure Safe Harbor beside the data as they are and the rows of Table 2."""
    rows = []
    for dataset in datasets:
        if dataset.name in ATTRIBUTES:
            on_step(f"{dataset.name.upper()}: Safe Harbor")
            releases = {"untouched": untouched(dataset), **safe_harbor(dataset)}
            releases |= {
                row.label: release(dataset, parse_model(row.risk))
                for row in paper.ROWS
                if row.table == 2
            }
            literal = releases[LITERAL].class_sizes
            share = int((literal == 1).sum()) / int(literal.sum())
            releases[AS_UNIQUE] = release(dataset, SampleUniqueness(share))
            rows += [describe(dataset, name, found) for name, found in releases.items()]
    return pd.DataFrame(rows)


def describe(dataset: Dataset, name: str, released: Released) -> dict[str, Any]:
    """Return the quality in percent and the prosecutor's risks, from 0 to 1, of what is released."""
    sizes = released.class_sizes
    records = max(1, int(sizes.sum()))
    return {
        "data": dataset.name,
        "release": name,
        "quality": 100 * released.quality,
        "highest prosecutor risk": 1 / max(1, released.smallest),
        "average prosecutor risk": sizes.size / records,
        "sample uniques": int((sizes == 1).sum()),
        "share in classes below 5": int(sizes[sizes < SMALLEST].sum()) / records,
        "suppressed": released.suppressed,
        "scheme": " ".join(f"{name}={level}" for name, level in released.scheme.items()),
    }


def safe_harbor(dataset: Dataset) -> dict[str, Released]:
    """Return what Safe Harbor makes of a data set, by the shipped hierarchies and to the letter."""
    shipped = apply_levels(dataset.problem, shipped_levels(dataset))
    literal = apply_levels(literal_problem(dataset), literal_levels(dataset))
    return {SHIPPED: shipped, LITERAL: literal}


def apply_levels(problem: Problem, levels: Mapping[str, int]) -> Released:
    """Generalize some attributes, leave the others as they are, and suppress nothing."""
    scheme = {name: levels.get(name, 0) for name in problem.microdata.attributes}
    outcome = problem.outcome(problem.scheme_of(scheme))  # under 1-anonymity
    return Released(
        outcome.evaluation.quality,
        scheme,
        outcome.evaluation.suppressed_records,
        problem.microdata.records,
        outcome.classes.sizes,
    )


def columns(problem: Problem) -> dict[str, QuasiIdentifier]:
    return dict(zip(problem.microdata.attributes, problem.microdata.columns, strict=True))


# --- by the shipped hierarchies ---


def shipped_levels(dataset: Dataset) -> dict[str, int]:
    """Return the least levels of the shipped hierarchies that do what the rule asks for."""
    named, by_name = ATTRIBUTES[dataset.name], columns(dataset.problem)
    levels = {named.age: age_level(by_name[named.age])}
    if named.zip_code is not None:
        hierarchy = by_name[named.zip_code].hierarchy
        levels[named.zip_code] = len(hierarchy.leaves[0]) - DIGITS  # one digit for each level
    return levels | {name: by_name[name].hierarchy.height - 1 for name in named.dates}


def age_level(column: QuasiIdentifier) -> int:
    """Return the least level at which the ages above 89 that occur share one value."""
    ages = np.array([int(leaf) for leaf in column.hierarchy.leaves])[column.leaves]
    old = column.leaves[ages > OLDEST]
    codes = column.hierarchy.codes
    return next(at for at in range(len(codes)) if np.unique(codes[at][old]).size <= 1)


# --- to the letter ---


def literal_problem(dataset: Dataset) -> Problem:
    """Read the data set with hierarchies that do what the rule asks for, and no more."""
    named, by_name = ATTRIBUTES[dataset.name], columns(dataset.problem)
    rules: dict[str, Callable[[str], str]] = {named.age: top_code}
    if named.zip_code is not None:
        rules[named.zip_code] = first_digits
    changes = {
        name: {"hierarchy": with_rule(by_name[name].hierarchy, rule)}
        for name, rule in rules.items()
    }
    return Problem.read(None, dataset.problem.policy.with_attributes(changes))


def literal_levels(dataset: Dataset) -> dict[str, int]:
    """Return the levels of the hierarchies of the rule."""
    named = ATTRIBUTES[dataset.name]
    ruled = [named.age] if named.zip_code is None else [named.age, named.zip_code]
    return shipped_levels(dataset) | dict.fromkeys(ruled, 1)


def with_rule(hierarchy: Hierarchy, rule: Callable[[str], str]) -> Hierarchy:
    """Return a hierarchy of the same leaves with one level below the top."""
    rows = [(leaf, rule(leaf), "*") for leaf in hierarchy.leaves]
    return Hierarchy.from_rows(hierarchy.name, rows)
