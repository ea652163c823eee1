"""What counting people costs: one evaluation, and a search, with an id over one without, in one run.

Three rows for each person: ADULT, each of whose people has two more rows in which age moves by at most a
year and one of the other attributes changes now and then.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from anonymizer import Policy, Statement
from anonymizer.problem import Problem
from anonymizer.search import search
from experiments.benchmark.clock import best_of
from experiments.datasets import policy_of

ROWS_EACH = 3
CHANGED = ("workclass", "occupation", "marital-status")
SHARE_CHANGED = 0.1
"""How often each of these changes from row to row."""
SCHEMES = 40
"""Schemes that are evaluated, spread over the lattice."""

SOURCES = Statement(
    source=[
        {"name": "register", "keys": ["age", "sex", "race", "marital-status"]},
        {"name": "employers", "keys": ["workclass", "occupation", "education", "sex"]},
    ]
)
RISKS: list[dict[str, Any]] = [
    {"model": "k-anonymity", "k": 5},
    {"model": "average", "threshold": 0.1},
    {"model": "sources", "statement": SOURCES},
]


def draw_visits(people: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Give each person three rows, and an id."""
    visits = people.loc[people.index.repeat(ROWS_EACH)].reset_index(drop=True)
    later = np.arange(len(visits)) % ROWS_EACH > 0
    ages = visits["age"].astype(int)
    moved = (ages + np.where(later, rng.integers(-1, 2, len(visits)), 0)).clip(
        ages.min(), ages.max()
    )
    visits["age"] = moved.astype(str)
    for column in CHANGED:
        drawn = rng.choice(people[column].to_numpy(), len(visits))
        changes = later & (rng.random(len(visits)) < SHARE_CHANGED)
        visits[column] = np.where(changes, drawn, visits[column])
    return visits.assign(person=(np.arange(len(visits)) // ROWS_EACH).astype(str))


def measure_people(path: Path, repeats: int = 5) -> list[dict[str, Any]]:
    """Evaluate the same schemes with an id and without, by turns."""
    visits = draw_visits(pd.read_csv(path, sep=";", dtype=str), np.random.default_rng(1))
    return [measure(visits, path, risk, repeats) for risk in RISKS]


def measure(visits: pd.DataFrame, path: Path, risk: dict[str, Any], repeats: int) -> dict[str, Any]:
    """Return what one evaluation and a search take with an id and without, and the evaluations' ratio."""
    rows, people = (
        Problem.read(visits, policy_for(path, risk, by_id), warn=False) for by_id in (False, True)
    )
    schemes = list(rows.lattice)[:: max(1, rows.lattice.size // SCHEMES)]

    def evaluate(problem: Problem) -> None:
        for scheme in schemes:
            problem.evaluate(scheme)

    evaluate(rows)  # compiles
    evaluate(people)
    without, with_id = (
        1000 * best_of(repeats, lambda problem=problem: evaluate(problem)) / len(schemes)
        for problem in (rows, people)
    )
    search_without, search_with_id = (
        1000 * best_of(repeats, lambda problem=problem: search(problem.evaluator, problem.lattice))
        for problem in (rows, people)
    )
    return {
        "data": "adult",
        "people": people.microdata.number_of_people,
        "rows": len(visits),
        "distinct": rows.microdata.distinct,
        "model": risk["model"],
        "evaluation ms": round(without, 3),
        "with an id ms": round(with_id, 3),
        "ratio": round(with_id / without, 2),
        "search ms": round(search_without, 1),
        "search with an id ms": round(search_with_id, 1),
    }


def policy_for(path: Path, risk: dict[str, Any], by_id: bool) -> Policy:
    """Return the policy of ADULT, with the column that tells whose a row is."""
    policy = policy_of("adult", path, risk)
    attributes = {**policy.attributes, "person": {"role": "identifying"}}
    data = {"id": "person"} if by_id else {}
    return Policy(**{**dict(policy), "data": data, "attributes": attributes})
