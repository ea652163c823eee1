"""The benchmark data, where it is: ../shared/data beside the repository, or $ANONYMIZER_DATA."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd

from anonymizer import Policy

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("ANONYMIZER_DATA", ROOT.parent / "shared" / "data"))
REFERENCE = DATA.parent / "reference"
RESULTS = ROOT / "results"

STAND_INS = {"atus": "atus", "ihis": "ihis", "registry": "ihis"}
"""Data sets whose records are drawn by a script, and whose hierarchies they are drawn over."""


def path_of(name: str) -> Path | None:
    """Return the CSV file of a data set, or None where it is not at hand."""
    path = DATA / name / "data.csv"
    return path if path.is_file() else None


def draw_stand_in(name: str, folder: Path) -> Path | None:
    """Write a stand-in's records into a folder, or return None where the script is not at hand."""
    script = DATA / "make_standins.py"
    if not script.is_file():
        return None
    subprocess.run([sys.executable, script, folder, name], check=True, stdout=subprocess.DEVNULL)
    return folder / f"{name}.csv"


def spec_of(name: str, attribute: str) -> Path:
    """Return the shipped hierarchy of an attribute."""
    return ROOT / "hierarchies" / STAND_INS.get(name, name) / f"{attribute}.toml"


def policy_of(name: str, path: Path, risk: dict[str, Any], **parts: Any) -> Policy:
    """Make every column of a data set a quasi-identifier."""
    columns = list(pd.read_csv(path, sep=";", nrows=0))
    return Policy(
        data={"path": path, "delimiter": ";"},
        attributes={a: {"role": "quasi", "hierarchy": spec_of(name, a)} for a in columns},
        risk=[risk],
        **parts,
    )
