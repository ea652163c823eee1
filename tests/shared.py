"""The benchmark data and reference figures, which live in a folder beside the repository."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from pathlib import Path

SHARED = Path(__file__).resolve().parents[1].parent / "shared"
DATA = SHARED / "data"
REFERENCE = SHARED / "reference"

ABSENT = f"the folder {SHARED} with the benchmark data is not here"


@dataclass(frozen=True)
class Optimum:
    """One line of arx_optima.csv: what ARX finds and proves."""

    dataset: str
    model: str
    parameters: dict[str, str]
    measure: str
    suppression_limit: float
    loss: float
    levels: dict[str, int]
    suppressed: int
    schemes: int

    def __str__(self) -> str:
        parameters = " ".join(f"{key}={value}" for key, value in self.parameters.items())
        return (
            f"{self.dataset} {self.model} {parameters} {self.measure} "
            f"limit={self.suppression_limit:g}"
        )


def arx_optima() -> list[Optimum]:
    """Read all optima; none where the folder is absent."""
    return [
        Optimum(
            line["dataset"],
            line["model"],
            dict(item.split("=", 1) for item in line["parameters"].split()),
            line["measure"],
            float(line["suppression_limit"]),
            float(line["loss"]),
            json.loads(line["levels"]),
            int(line["suppressed"]),
            int(line["schemes"]),
        )
        for line in reference_lines("arx_optima.csv")
    ]


def arx_uniqueness() -> list[Optimum]:
    """Read all optima with p-uniqueness; none where the folder is absent."""
    return [
        Optimum(
            line["dataset"],
            "p-uniqueness",
            {"threshold": line["threshold"], "population": line["population"]},
            "loss geometric",
            1.0,
            float(line["loss"]),
            json.loads(line["levels"]),
            int(line["suppressed"]),
            0,
        )
        for line in reference_lines("arx_uniqueness.csv")
    ]


def reference_lines(name: str) -> list[dict[str, str]]:
    """Read a CSV file of reference figures; no lines where the folder is absent."""
    path = REFERENCE / name
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
