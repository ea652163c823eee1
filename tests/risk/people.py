"""People with an age and a sex, drawn at random, and policies under which both are generalized."""

from __future__ import annotations

import numpy as np
import pandas as pd

from anonymizer import Policy
from anonymizer.hierarchy import Hierarchy

AGE = Hierarchy.from_rows("age", [(str(a), f"{a // 10}0s", "*") for a in range(20, 60)])
SEX = Hierarchy.from_rows("sex", [("F", "*"), ("M", "*")])


def people(rows: int = 160, seed: int = 3) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    return pd.DataFrame(
        {"age": random.integers(20, 60, rows).astype(str), "sex": random.choice(["F", "M"], rows)}
    )


def policy(model: object) -> Policy:
    return Policy(
        attributes={
            "age": {"role": "quasi", "hierarchy": AGE},
            "sex": {"role": "quasi", "hierarchy": SEX},
        },
        risk=[model],
    )


def stated(statement: object, **keys: object) -> Policy:
    """Ask that no source of a statement finds anybody."""
    return policy({"model": "sources", "statement": statement, **keys})
