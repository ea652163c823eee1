"""What the first run on a machine takes, whose kernels are to be compiled, and every later one.

Processor time and memory of a whole command, its start included, in a process of its own.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from experiments.benchmark.commands import ENVIRONMENT, write_policy
from experiments.datasets import path_of

WARM = 2
"""So many later runs, of which the shortest counts."""
LAYERS = "\n[release]\nlayers = true\n"
CLOSE = '\n[[risk]]\nmodel = "t-closeness"\nattribute = "occupation"\nt = 0.2\n'


MEASURED = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss)
"""
"""What runs a command, and says what it took."""


def measure_first_runs() -> Iterator[dict[str, Any]]:
    """Measure commands on ADULT with an empty cache of compiled code, and with a full one."""
    table = path_of("adult")
    if table is None:
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for command, arguments in commands(table, folder).items():
            cache = {"NUMBA_CACHE_DIR": str(folder / f"kernels {command}")}
            first, peak = spent([*arguments, "--json"], cache)
            later = [spent([*arguments, "--json"], cache) for _ in range(WARM)]
            yield {
                "command": command,
                "first, CPU s": round(first, 2),
                "first, MiB": peak,
                "warm, CPU s": round(min(seconds for seconds, _ in later), 2),
                "warm, MiB": max(mib for _, mib in later),
            }


def commands(table: Path, folder: Path) -> dict[str, list[str]]:
    """Write policies, and return what is run; the first leaves the release that is verified."""
    plain = write_policy("adult", table, folder, k=5)
    text = plain.read_text(encoding="utf-8")
    (layers := folder / "layers.toml").write_text(text + LAYERS, encoding="utf-8")
    close = folder / "close.toml"
    lines = [
        "'occupation' = { role = 'sensitive' }" if line.startswith("'occupation'") else line
        for line in text.splitlines()
    ]
    close.write_text("\n".join(lines) + CLOSE, encoding="utf-8")
    out = str(folder / "release")
    return {
        "run": ["run", str(plain), "--out", out],
        "verify --against": ["verify", f"{out}/release.csv", str(plain), "--against", str(table)],
        "frontier 2..50": [
            "frontier",
            str(plain),
            "--at",
            "2..50",
            "--out",
            str(folder / "frontier"),
        ],
        "t-closeness": ["run", str(close), "--out", str(folder / "close")],
        "layers": ["run", str(layers), "--out", str(folder / "layers")],
    }


def spent(arguments: list[str], variables: dict[str, str]) -> tuple[float, int]:
    """Run a command; return the processor seconds it took, and its peak in MiB."""
    # in a process of its own: the peak of children is the highest of all that there were
    command = [sys.executable, "-m", "anonymizer", *arguments]
    environment = {**ENVIRONMENT, **variables}
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *command],
        check=True,
        capture_output=True,
        text=True,
        env=environment,
    )
    seconds, peak = done.stdout.split()
    return float(seconds), int(peak) >> 10
