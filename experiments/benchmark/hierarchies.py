"""Reading hierarchies: CUP beside its CSV file read by Arrow, and files of ever more leaves."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
from pyarrow import csv

from anonymizer import Policy
from anonymizer.hierarchy import load_hierarchy
from anonymizer.problem import Problem
from experiments.benchmark.clock import best_of, peak_bytes
from experiments.datasets import path_of, policy_of

LEAVES = (100_000, 1_000_000, 10_000_000)
LEVELS = 8
REPEATS = 5
K = {"model": "k-anonymity", "k": 5}


def measure_hierarchies() -> Iterator[dict[str, Any]]:
    """Measure the reading of CUP, then of files of leaves, each in a process of its own."""
    if table := path_of("cup"):
        yield from measure_cup(table)
    for leaves in LEAVES:
        with tempfile.TemporaryDirectory() as folder:
            path = write_codes(Path(folder) / "codes.csv", leaves)
            yield {"read": f"{leaves:,} leaves, {LEVELS} levels", **read_alone(path)}


def measure_cup(table: Path) -> Iterator[dict[str, Any]]:
    """Read and encode CUP by specs and by ARX's files, and its CSV file alone."""
    columns = list(pd.read_csv(table, sep=";", nrows=0))
    folder = table.parent / "hierarchies"
    files = {name: {"role": "quasi", "hierarchy": folder / f"{name}.csv"} for name in columns}
    data = {"path": table, "delimiter": ";"}
    rows = {
        "CUP, specs": policy_of("cup", table, K),
        "CUP, CSV files": Policy(data=data, attributes=files, risk=[K]),
    }
    for name, policy in rows.items():
        seconds = best_of(REPEATS, lambda policy=policy: encode(policy), time.process_time)
        yield {"read": name, "CPU ms": round(1000 * seconds)}
    parse = csv.ParseOptions(delimiter=";")
    alone = best_of(REPEATS, lambda: csv.read_csv(table, parse_options=parse), time.process_time)
    yield {"read": "CUP, its table alone by pyarrow", "CPU ms": round(1000 * alone)}


def encode(policy: Policy) -> object:
    """Read a table with its hierarchies."""
    return Problem.read(None, policy).microdata


def write_codes(path: Path, leaves: int) -> Path:
    """Write codes of which every level hides one more digit."""
    width = LEVELS - 1
    with path.open("w", encoding="utf-8") as file:
        for number in range(leaves):
            code = f"{number:0{width}}"
            hidden = ";".join(code[: width - n] + "*" * n for n in range(width))
            file.write(f"{hidden};*\n")
    return path


def read_alone(path: Path) -> dict[str, Any]:
    """Read a file in a process of its own."""
    command = [sys.executable, "-m", "experiments.benchmark.hierarchies", str(path)]
    seconds, peak = subprocess.run(
        command, check=True, capture_output=True, text=True
    ).stdout.split()
    return {"CPU ms": round(1000 * float(seconds)), "peak MiB": int(peak) >> 20}


if __name__ == "__main__":
    started = time.process_time()
    load_hierarchy(sys.argv[1])
    print(time.process_time() - started, peak_bytes())
