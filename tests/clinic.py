"""A small study: patients, their visits, diagnoses of visits, and drugs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

PEOPLE = 60
POLICY = """
[data]
path = "patient.csv"
id = "pid"

[attributes]
pid = { role = "identifying" }
sex = { role = "quasi", hierarchy = { F = "*", M = "*" } }
born = { role = "quasi", hierarchy = { builder = "intervals", domain = [1930, 2009], widths = [10, 40] } }
arm = { role = "insensitive" }

[tables.visit]
path = "visit.csv"
id = "patient"
key = "visit_id"
[tables.visit.attributes]
visit_id = { role = "identifying" }
patient = { role = "identifying" }
kind = { role = "quasi", hierarchy = { clinic = "*", phone = "*" } }

[tables.diagnosis]
path = "diagnosis.csv"
id = "visit"
parent = "visit"
[tables.diagnosis.attributes]
visit = { role = "identifying" }
code = { role = "quasi", hierarchy = "code.csv" }

[tables.drug]
path = "drug.csv"
id = "who"
[tables.drug.attributes]
who = { role = "identifying" }
name = { role = "quasi", hierarchy = { aspirin = "*", statin = "*" } }
dose = { role = "insensitive" }

[[risk]]
model = "study"
k = 3
power = 2
"""
CODES = "a1;a;*\na2;a;*\nb1;b;*\nb2;b;*\n"
NAMES = ("patient", "visit", "diagnosis", "drug")
Frames = dict[str, pd.DataFrame]


def frames(seed: int = 5, people: int = PEOPLE) -> Frames:
    """Draw a study; rows stand in the order of the patients, as they do in most extracts."""
    random = np.random.default_rng(seed)
    ids = [f"S-{number:04d}" for number in range(people)]
    whose = np.sort(random.integers(0, people, 2 * people))
    visits = [f"V{number:05d}" for number in range(whose.size)]
    of_visit = np.sort(random.integers(0, whose.size, 2 * people))
    drugs = np.sort(random.integers(0, people, people))
    return {
        "patient": pd.DataFrame({
            "pid": ids,
            "sex": random.choice(["F", "M"], people),
            "born": random.integers(1930, 2010, people),
            "arm": random.choice(["placebo", "verum"], people),
        }),
        "visit": pd.DataFrame({
            "visit_id": visits,
            "patient": [ids[person] for person in whose],
            "kind": random.choice(["clinic", "phone"], whose.size, p=[0.8, 0.2]),
        }),
        "diagnosis": pd.DataFrame({
            "visit": [visits[visit] for visit in of_visit],
            "code": random.choice(["a1", "a2", "b1", "b2"], of_visit.size, p=[0.6, 0.2, 0.15, 0.05]),
        }),
        "drug": pd.DataFrame({
            "who": [ids[person] for person in drugs],
            "name": random.choice(["aspirin", "statin"], drugs.size),
            "dose": random.choice([50, 100], drugs.size),
        }),
    }  # fmt: skip


def write_clinic(folder: Path, policy: str = POLICY, **changed: Any) -> Path:
    """Write the tables, but for those that are changed, the hierarchy and a policy; return its path."""
    folder.mkdir(exist_ok=True)
    for name, frame in {**frames(), **changed}.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
    (folder / "code.csv").write_text(CODES)
    (folder / "policy.toml").write_text(policy)
    return folder / "policy.toml"
