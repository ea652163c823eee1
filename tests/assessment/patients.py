"""Made-up people with the attributes of the shipped scenarios, from the shipped hierarchies alone."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from anonymizer import Policy
from anonymizer.hierarchy import Hierarchy, load_hierarchy

FOLDER = Path(__file__).parents[2] / "hierarchies" / "patients"
ATTRIBUTES = ("race", "state", "ethnicity", "sex", "year_of_birth", "country_of_birth", "homeowner")


@cache
def hierarchy(name: str) -> Hierarchy:
    return load_hierarchy(FOLDER / f"{name}.toml", name)


def policy() -> Policy:
    attributes = {name: {"role": "quasi", "hierarchy": hierarchy(name)} for name in ATTRIBUTES}
    return Policy(attributes=attributes, risk=[{"model": "k-anonymity", "k": 2}])


def draw(records: int, seed: int) -> pd.DataFrame:
    """Draw values that are the rarer the later their leaf comes."""
    random = np.random.default_rng(seed)
    columns = {}
    for name in ATTRIBUTES:
        leaves = hierarchy(name).leaves
        weights = 1.0 / np.arange(1, len(leaves) + 1)
        columns[name] = random.choice(leaves, records, p=weights / weights.sum())
    return pd.DataFrame(columns)
