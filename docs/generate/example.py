"""The folder that the README's examples run in: a small synthetic table, made by the code of the demo."""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd

from anonymizer.data.files import specs_folder
from anonymizer.demo.population import population
from anonymizer.demo.register import register
from anonymizer.hierarchy import read_spec

FOLDER = Path(__file__).resolve().parents[1] / "example"
WARDS = ("medicine", "surgery", "geriatrics")
STAYS = 600
"""In the table; a third of them are the second stay of a patient."""


def discharges(seed: int) -> pd.DataFrame:
    """Draw stays of synthetic patients, some of whom come twice."""
    patients = register(population(20_000, seed), STAYS * 2 // 3, seed)
    again = patients.iloc[: STAYS // 3].assign(diagnosis=patients["diagnosis"].iloc[::-1])
    stays = pd.concat([patients, again], ignore_index=True)
    stays["ward"] = [WARDS[len(diagnosis) % len(WARDS)] for diagnosis in stays["diagnosis"]]
    return stays[["patient_id", "age", "zip", "diagnosis", "ward"]]


def zip_rows() -> str:
    """Write the hierarchy of the region's postal codes as ARX has it."""
    rows = read_spec(specs_folder() / "demo" / "zip.toml").build("zip").rows()
    return "".join(";".join(row) + "\n" for row in rows)


def files() -> dict[str, str]:
    """Return the files that the demo's code makes, by name."""
    return {
        "discharges.csv": discharges(2024).to_csv(index=False, lineterminator="\n"),
        "july.csv": discharges(2025).to_csv(index=False, lineterminator="\n"),
        "zip.csv": zip_rows(),
    }


if __name__ == "__main__":
    for name, text in files().items():
        sys.stdout.write(f"{FOLDER / name}\n")
        (FOLDER / name).write_text(text, encoding="utf-8")
