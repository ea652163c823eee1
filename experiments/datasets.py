"""The benchmark data, where it is: ../shared/data beside the repository, or $ANONYMIZER_DATA."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("ANONYMIZER_DATA", ROOT.parent / "shared" / "data"))
REFERENCE = DATA.parent / "reference"
RESULTS = ROOT / "results"


def path_of(name: str) -> Path | None:
    """Return the CSV file of a data set, or None where it is not at hand."""
    path = DATA / name / "data.csv"
    return path if path.is_file() else None


def spec_of(name: str, attribute: str) -> Path:
    """Return the shipped hierarchy of an attribute."""
    return ROOT / "hierarchies" / name / f"{attribute}.toml"
