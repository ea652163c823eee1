"""The people: a population that is known in full, a register of some of them, and others like them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from anonymizer import Policy
from anonymizer.data.files import specs_folder
from anonymizer.demo import population, register
from anonymizer.demo.example import ATTACKERS

SEED = 2024
QUASI = ("age", "sex", "zip", "marital_status", "race", "education", "occupation")
"""What the whole population is known by; the admission date is left out."""
STATEMENT = """
threshold = 0.2

[[source]]
name = "voter list"
keys = ["age", "sex", "zip"]
p = 0.03
q = 0.642

[[source]]
name = "neighbours"
keys = ["age", "sex", "zip"]
attack = "idiosyncratic"
"""


@dataclass(frozen=True, slots=True)
class Plan:
    """How many people there are, and how much is tried."""

    people: int = 1_000_000
    patients: int = 30_000
    targets: int = 10_000
    small: tuple[int, ...] = (30, 100, 300, 1_000)
    """Records of the tables that are released in layers."""


QUICK = Plan(people=20_000, patients=800, targets=200, small=(30, 100))


@dataclass(frozen=True, slots=True, eq=False)
class People:
    """A population, the patients whose register is released, and as many others who are not in it."""

    everybody: pd.DataFrame
    patients: pd.DataFrame
    control: pd.DataFrame

    @staticmethod
    def of(plan: Plan) -> People:
        """Draw twice as many patients as are released; a random half is the control group."""
        everybody = population(plan.people, SEED)
        stays = register(everybody, 2 * plan.patients, SEED, keep_person_id=True)
        stays = stays.drop(columns="admission_date")
        order = np.random.default_rng(SEED).permutation(len(stays))
        halves = np.split(order, 2)
        patients, control = (stays.iloc[half].reset_index(drop=True) for half in halves)
        return People(everybody[["person_id", *QUASI]], patients, control)


def policy_of(folder: Path, *risk: Mapping[str, Any], **parts: Any) -> Policy:
    """Make a policy for the register; `folder` has the statement of sources."""
    specs = specs_folder() / "demo"
    quasi = {name: {"role": "quasi", "hierarchy": specs / f"{name}.toml"} for name in QUASI}
    others = {
        "patient_id": {"role": "identifying"},
        "person_id": {"role": "identifying"},
        "diagnosis": {"role": "sensitive"},
        "length_of_stay": {"role": "insensitive"},
    }
    given = {"release": {"suppression_limit": 0.1}, **parts}
    return Policy(attributes={**quasi, **others}, risk=list(risk), folder=folder, **given)


def models(people: People) -> dict[str, list[dict[str, Any]]]:
    """Return the risk models of every release."""
    size = len(people.everybody)
    known = people.everybody[list(QUASI)].astype(str)
    voter = {
        "model": "overall",
        "threshold": 0.1,
        "scenario": ATTACKERS / "voter.toml",
    }
    return {
        **{f"k-anonymity {k}": [{"model": "k-anonymity", "k": k}] for k in (2, 5, 10)},
        "k-map 5": [{"model": "k-map", "k": 5, "population_table": known}],
        "p-uniqueness 0.001": [{"model": "p-uniqueness", "threshold": 0.001, "population": size}],
        "overall 0.1": [{**voter, "statistic": "maximum"}],
        "sources 0.2": [{"model": "sources", "statement": "statement.toml"}],
        "distinct-l 3": [{"model": "distinct-l", "attribute": "diagnosis", "l": 3}],
    }
