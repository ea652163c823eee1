"""The data sets and figures that experiments read, and where they are.

Figures are committed beside the experiment that needs them; FIGURES.md says where they are from. Data
sets are not ours: they are looked for in the folders of `--data`. Without it, that is ../shared/data
beside the repository (or $ANONYMIZER_DATA), and where `make reproduce` fetches ADULT to. Everywhere,
`--data` is a folder with NAME/data.csv, and may be repeated.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import pandas as pd

from anonymizer import Policy
from anonymizer.errors import DataError

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("ANONYMIZER_DATA", ROOT.parent / "shared" / "data"))
CACHE = Path(sys.prefix) / "data"
"""Below the virtual environment, so it is never committed and goes with it."""
RESULTS = ROOT / "results"
FOLDERS: ContextVar[tuple[Path, ...]] = ContextVar("FOLDERS", default=(DATA, CACHE))
"""Where data sets are looked for, in this order."""

STAND_INS = {"atus": "atus", "ihis": "ihis", "registry": "ihis"}
"""Data sets whose records are drawn by a script, and whose hierarchies they are drawn over."""


def figures_of(experiment: str, name: str) -> Path:
    """Return a file of figures that an experiment compares with or draws from."""
    return ROOT / "experiments" / experiment / "figures" / name


def add_data_option(options: argparse.ArgumentParser) -> None:
    """Let the caller say where the data sets are."""
    options.add_argument(
        "--data",
        type=Path,
        action="append",
        metavar="FOLDER",
        help="folder with NAME/data.csv of the data sets; may be repeated",
    )


@contextmanager
def data_from(folders: Sequence[Path] | None) -> Iterator[None]:
    """Look for data sets in these folders alone, or in the usual ones if none are given."""
    if missing := [folder for folder in folders or () if not folder.is_dir()]:
        raise DataError(f"--data: there is no folder '{missing[0]}'; name one with NAME/data.csv.")
    token = FOLDERS.set(tuple(folders) if folders else FOLDERS.get())
    try:
        yield
    finally:
        FOLDERS.reset(token)


def find_file(*parts: str) -> Path | None:
    """Return a file or folder from the first folder that has it, or None."""
    paths = [folder.joinpath(*parts) for folder in FOLDERS.get()]
    return next((path for path in paths if path.exists()), None)


def path_of(name: str) -> Path | None:
    """Return the CSV file of a data set, or None where it is not at hand."""
    return find_file(name, "data.csv")


def at_hand(names: Sequence[str], needs: Callable[[str], str] | None = None) -> list[str]:
    """Return those data sets that are at hand, and say which are not; none at all is an error.

    `needs` says what the file of a data set has.
    """
    found = [name for name in names if path_of(name)]
    if not found:
        raise DataError(
            f"none of the data sets asked for ({', '.join(names)}) is in {folders_named()}; give their "
            "folder with --data, or let `make reproduce` fetch ADULT."
        )
    for name in names:
        if name not in found:
            print(describe_absent(name, needs=needs and needs(name)), file=sys.stderr)
    return found


def describe_absent(name: str, what: str | None = None, needs: str | None = None) -> str:
    """Say what is not run for want of a data set, and what that would be."""
    place = f"{name}/data.csv in {folders_named()}"
    return f"not run: {what or name.upper()}, for want of {place}{f' ({needs})' if needs else ''}."


def folders_named() -> str:
    """Name the folders that data sets are looked for in."""
    return " or ".join(map(str, FOLDERS.get()))


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
