"""What the command line takes as a whole: start-up on a small table, all phases on a large one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from pyarrow import csv, parquet

from experiments.benchmark.clock import best_of
from experiments.datasets import draw_stand_in, path_of, policy_of

POLL_SECONDS = 0.05
ENVIRONMENT = {
    name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
}
"""Modules are kept compiled, as those of an installed package are."""


def write_policy(name: str, table: Path, folder: Path, k: int) -> Path:
    """Write a policy file for a data set."""
    attributes = policy_of(name, table if table.suffix == ".csv" else table.with_suffix(".csv"), {
        "model": "k-anonymity", "k": k,
    }).attributes  # fmt: skip
    lines = [
        "[data]", f"path = '{table}'", 'delimiter = ";"', "[attributes]",
        *(f"'{a}' = {{ role = 'quasi', hierarchy = '{v.hierarchy}' }}" for a, v in attributes.items()),
        "[[risk]]", 'model = "k-anonymity"', f"k = {k}",
    ]  # fmt: skip
    path = folder / f"{table.stem}-{table.suffix[1:]}.toml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def command_of(policy: Path, out: Path) -> list[str]:
    """Return the command that anonymizes by a policy."""
    return [sys.executable, "-m", "anonymizer", "run", str(policy), "--out", str(out), "--json"]


def run_command(policy: Path, out: Path, *options: str) -> tuple[dict[str, Any], int]:
    """Run `anonymizer run`; return what it prints and its peak resident bytes."""
    command = [*command_of(policy, out), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) as process:
        status, peak = Path(f"/proc/{process.pid}/status"), 0
        while process.poll() is None:
            peak = max(peak, high_water(status))
            time.sleep(POLL_SECONDS)
        assert process.stdout is not None
        printed = process.stdout.read()
    if process.returncode:
        raise RuntimeError(f"anonymizer run failed with status {process.returncode}")
    return json.loads(printed), peak


def high_water(status: Path) -> int:
    """Return the peak of a process that may be gone already, in bytes."""
    try:
        lines = status.read_text().splitlines()
    except OSError:
        return 0
    return 1024 * sum(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def run_quietly(command: list[str], **variables: str) -> None:
    """Run a command to its end, whatever it prints."""
    environment = {**ENVIRONMENT, **variables}
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)


def measure_start() -> list[dict[str, Any]]:
    """Compare a whole run on ADULT, kernels cached, with the time it takes to import pandas."""
    table = path_of("adult")
    if table is None:
        return []
    with tempfile.TemporaryDirectory() as name:
        policy = write_policy("adult", table, Path(name), k=5)
        command = command_of(policy, Path(name) / "out")
        cache = str(Path(name) / "kernels")
        run_quietly(command, NUMBA_CACHE_DIR=cache)
        seconds = best_of(5, lambda: run_quietly(command, NUMBA_CACHE_DIR=cache))
    pandas = best_of(5, lambda: run_quietly([sys.executable, "-c", "import pandas"]))
    return [
        {
            "run on ADULT, seconds": round(seconds, 2),
            "import pandas, seconds": round(pandas, 2),
            "ratio": round(seconds / pandas, 1),
        }
    ]


def measure_registry() -> list[dict[str, Any]]:
    """Anonymize 10,000,000 records from CSV and from Parquet to a release."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = draw_stand_in("registry", folder)
        if table is None:
            return []
        columns = table.with_suffix(".parquet")
        parse = csv.ParseOptions(delimiter=";")
        parquet.write_table(csv.read_csv(table, parse_options=parse), columns)
        return [measure_large(path, folder) for path in (table, columns)]


def measure_large(table: Path, folder: Path) -> dict[str, Any]:
    """Run on one large file; say what each phase took."""
    result, peak = run_command(write_policy("registry", table, folder, k=5), folder / "out")
    return {
        "from": table.suffix[1:],
        "file MiB": table.stat().st_size >> 20,
        "records": result["records"],
        "evaluated": result["evaluated"],
        **{f"{phase} s": round(took, 1) for phase, took in result["seconds"].items()},
        "peak MiB": peak >> 20,
    }
