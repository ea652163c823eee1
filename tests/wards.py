"""A small hospital table with a policy, as files and as a dataframe, for the tests of the edges."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

POLICY = """
[data]
path = "patients.csv"
delimiter = ";"

[attributes]
name      = { role = "identifying" }
age       = { role = "quasi", hierarchy = "age.toml" }
sex       = { role = "quasi", hierarchy = "sex.csv" }
zip       = { role = "quasi", hierarchy = "zip.toml" }
diagnosis = { role = "sensitive" }
days      = { role = "insensitive" }

[[risk]]
model = "k-anonymity"
k = 3
"""

AGE = 'builder = "intervals"\ndomain = [0, 99]\nwidths = [10, 20, 40]\n'
ZIP = (
    'builder = "redaction"\nredact = [1, 2]\nvalues = ["101", "102", "111", "112", "201", "202"]\n'
)
DIAGNOSES = ['flu; "mild"', "asthma", "fracture\nof the arm", "flu"]


def patients(rows: int = 120, seed: int = 1) -> pd.DataFrame:
    """Draw patients; diagnoses hold a delimiter, quotes and a line break."""
    random = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "name": [f"Patient {i}" for i in range(rows)],
            "age": random.integers(20, 60, rows),
            "sex": random.choice(["F", "M"], rows),
            "zip": random.choice(["101", "102", "111", "201"], rows),
            "diagnosis": random.choice(DIAGNOSES, rows),
            "days": random.integers(1, 9, rows),
        }
    )


def write_files(folder: Path, frame: pd.DataFrame | None = None, policy: str = POLICY) -> Path:
    """Write table, hierarchies and policy; return the path of the policy."""
    frame = patients() if frame is None else frame
    frame.to_csv(folder / "patients.csv", sep=";", index=False)
    frame.to_parquet(folder / "patients.parquet", index=False)
    (folder / "age.toml").write_text(AGE)
    (folder / "zip.toml").write_text(ZIP)
    (folder / "sex.csv").write_text("F;*\nM;*\n")
    (folder / "policy.toml").write_text(policy)
    return folder / "policy.toml"


def change(text: str, **replacements: str) -> str:
    """Replace lines of the policy by key: `change(POLICY, k="k = 2")`."""
    for key, line in replacements.items():
        lines = text.splitlines()
        at = next(i for i, old in enumerate(lines) if old.split("=")[0].strip() == key)
        lines[at] = line
        text = "\n".join(lines) + "\n"
    return text


def rows_of(frame: pd.DataFrame) -> list[tuple[Any, ...]]:
    """List the rows as texts, sorted: what a table holds, whatever the order and the types."""
    texts = frame.astype(object).where(frame.notna(), "").astype(str)
    return sorted(texts.itertuples(index=False, name=None))


ROUTES = """
population = 100000
p_m = 0.3
p_fm = 0.5
p_c = 0.4
p_cu = 0.6
"""
"""What a scenario says of the attacker's routes and of the population."""

SCENARIO = f"""{ROUTES}
[[learned]]
attributes = ["age", "sex"]
probability = 0.6

[[learned]]
attributes = ["zip"]
probability = 0.2
"""

SOURCES = """
disclosure = { age = 0.3, sex = 0.8 }

[[source]]
name = "a microblog"
usage = 0.9

[[source]]
name = "a network"
usage = 0.7
disclosure = { zip = 0.5 }
"""
"""Where people disclose what about themselves."""

MODELS = {
    "k-map with a table": 'model = "k-map"\nk = 6\npopulation_table = "people.csv"',
    "k-map estimated": 'model = "k-map"\nk = 5\npopulation = 5000',
    "average": 'model = "average"\nthreshold = 0.15',
    "strict-average": 'model = "strict-average"\nk = 2\nthreshold = 0.2',
    "sample-uniqueness": 'model = "sample-uniqueness"\nthreshold = 0.05',
    "p-uniqueness": 'model = "p-uniqueness"\nthreshold = 0.01\npopulation = 5000',
    "overall": 'model = "overall"\nthreshold = 0.05\nscenario = "scenario.toml"',
    "nrf": 'model = "nrf"\nthreshold = 0.03\nstatistic = "mean"\nsources = "sources.toml"',
    "two": 'model = "k-anonymity"\nk = 2\n[[risk]]\nmodel = "average"\nthreshold = 0.1',
}
"""The [[risk]] part of a policy, by what it asks for."""


def policy_with(risk: str) -> str:
    """Replace the risk model of the policy."""
    return POLICY[: POLICY.index("model =")] + risk + "\n"


def write_more(folder: Path) -> None:
    """Write the files that some of the models name: a population and a scenario."""
    patients(rows=3000, seed=8).to_csv(folder / "people.csv", sep=";", index=False)
    (folder / "scenario.toml").write_text(SCENARIO)
    (folder / "sources.toml").write_text(SOURCES)
