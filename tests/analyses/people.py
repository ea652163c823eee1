"""A small table of people whose truth is known, and releases of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from anonymizer import Intervals, Policy, Solution, apply
from anonymizer.hierarchy import Hierarchy

AGE = Intervals((20, 79), widths=(10, 30), origin=20)
SEX = Hierarchy.from_rows("sex", [("F", "*"), ("M", "*")])
TOWN = Hierarchy.from_rows(
    "town", [("A", "north", "*"), ("B", "north", "*"), ("C", "south", "*"), ("D", "south", "*")]
)


def people(records: int = 400, seed: int = 1) -> pd.DataFrame:
    """Draw people whose stay grows with age by 0.1 a year and is 2 days longer for men."""
    random = np.random.default_rng(seed)
    age = random.integers(20, 80, records)
    sex = random.choice(["F", "M"], records)
    town = random.choice(["A", "B", "C", "D"], records)
    stay = 1 + 0.1 * age + 2.0 * (sex == "M") + random.normal(0, 1, records)
    ill = np.where(random.random(records) < 1 / (1 + np.exp(4 - 0.08 * age)), "yes", "no")
    return pd.DataFrame({"age": age, "sex": sex, "town": town, "stay": stay.round(3), "ill": ill})


def release(
    frame: pd.DataFrame,
    analyses: Sequence[dict[str, Any]],
    scheme: Sequence[int] = (0, 0, 0),
    k: int = 1,
    **parts: Any,
) -> Solution:
    """Apply a scheme of age, sex and town; with k = 1 nothing is suppressed."""
    kept = {name: {"role": "insensitive"} for name in frame if name not in ("age", "sex", "town")}
    policy = Policy(
        attributes={
            "age": {"role": "quasi", "hierarchy": AGE},
            "sex": {"role": "quasi", "hierarchy": SEX},
            "town": {"role": "quasi", "hierarchy": TOWN},
            **kept,
            **parts.pop("attributes", {}),
        },
        risk=[{"model": "k-anonymity", "k": k}],
        analysis=list(analyses),
        **{"data": {"rows_are_people": True}, **parts},
    )
    return apply(frame, policy, dict(zip(("age", "sex", "town"), scheme, strict=True)))


STAY = {"name": "stay", "kind": "linear", "formula": "stay ~ age + sex"}
ILL = {"name": "ill", "kind": "logistic", "formula": "ill ~ age + sex", "positive": "yes"}
HAZARD = {
    "name": "hazard", "kind": "cox", "formula": "stay ~ age + sex", "event": "ill", "positive": "yes",
}  # fmt: skip
CURVES = {
    "name": "curves", "kind": "survival", "time": "stay", "event": "ill", "positive": "yes",
    "group": "sex",
}  # fmt: skip
PREDICTED = {
    "name": "predicted", "kind": "prediction", "response": "ill", "predictors": ["age", "sex"],
    "repeats": 1,
}  # fmt: skip
EVERY = (
    STAY,
    ILL,
    HAZARD,
    CURVES,
    PREDICTED,
    {"name": "marginals", "kind": "marginals"},
    {"name": "tables", "kind": "two-way"},
    {"name": "queries", "kind": "queries", "queries": 50},
    {"name": "subgroups", "kind": "subgroups"},
)
"""One analysis of every kind."""
