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
