"""The tables of others, from a folder: CSV files as packages of data ship them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

ROWS = (150, 20_000)
COLUMNS = (4, 70)
INDEX = "datasets"
"""A list of the tables of a package, not a table."""
DOZEN = (
    "Ecdat/Males", "Ecdat/OFP", "Ecdat/MedExp", "Ecdat/Hdma", "Ecdat/Wages1", "HistData/GaltonFamilies",
    "MASS/birthwt", "MASS/Pima.tr2", "survival/lung", "survival/pbc", "Ecdat/BudgetFood", "plm/Crime",
)  # fmt: skip
"""A dozen that a change is tried on first."""


@dataclass(frozen=True, slots=True)
class Found:
    """A table and where it came from."""

    name: str
    """Its folder and its file's name, such as Ecdat/Males."""
    frame: pd.DataFrame


def find_tables(folder: Path, names: tuple[str, ...] = ()) -> Iterator[Found]:
    """Read the tables below a folder, row numbers left out; all of a fitting size, or those named."""
    for path in sorted(folder.rglob("*.csv")):
        name = f"{path.parent.name}/{path.stem}"
        if path.name.startswith(".") or path.stem == INDEX or (names and name not in names):
            continue
        frame = read_table(path)
        if frame is not None and (names or is_fitting(frame)):
            yield Found(name, frame)


def read_table(path: Path) -> pd.DataFrame | None:
    """Read a table as texts, without the column that numbers its rows; None where that fails."""
    try:
        frame = pd.read_csv(path, dtype=str, keep_default_na=False, na_values=["", "NA"])
    except (ValueError, UnicodeDecodeError):
        return None
    first = str(frame.columns[0]) if len(frame.columns) else ""
    if first.startswith("Unnamed") or first == "rownames":
        frame = frame.drop(columns=frame.columns[0])
    return frame


def is_fitting(frame: pd.DataFrame) -> bool:
    """Whether a table has as many rows and columns as are looked at."""
    rows, columns = frame.shape
    return ROWS[0] <= rows <= ROWS[1] and COLUMNS[0] <= columns <= COLUMNS[1]
