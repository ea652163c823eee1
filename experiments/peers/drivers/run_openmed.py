"""OpenMed's search: every scheme of the lattice, with every set of classes that may be suppressed."""

from __future__ import annotations

import csv
import math
from importlib.metadata import version
from pathlib import Path
from typing import Any

from meter import measure, read_job
from openmed.risk.kanon import enforce_kanon


def run(
    job: dict[str, Any], records: list[dict[str, str]], levels: dict[str, Any]
) -> dict[str, Any]:
    """Search, and write the released rows."""
    found = enforce_kanon(
        records,
        quasi_identifiers=list(levels),
        target_k=job["k"],
        suppression_limit=math.floor(job["suppression"] * len(records)),
        hierarchies=levels,
    )
    write(job, list(levels), found["records"])
    search = found["generalization"]
    return {
        "status": "found",
        "proven": search["optimum_proven"],
        "evaluated": search["nodes_evaluated"],
        "said": search["search"],
    }


def levels_of(rows: list[list[str]], losses: list[float]) -> list[dict[str, Any]]:
    """Write a hierarchy as OpenMed reads it: what each value, and each group below, is at a level."""
    levels: list[dict[str, Any]] = [{"name": "level 0"}]
    for level in range(1, len(rows[0])):
        values = {label: row[level] for row in rows for label in row[:level]}
        levels.append({"name": f"level {level}", "values": values, "loss": losses[level]})
    return levels


def write(job: dict[str, Any], names: list[str], records: list[dict[str, Any]]) -> None:
    """Write the released cells."""
    with Path(job["release"]).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, names, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(records)


def main() -> None:
    job = read_job()
    with Path(job["table"]).open(encoding="utf-8", newline="") as file:
        records = list(csv.DictReader(file))
    levels = {
        name: levels_of(rows, job["losses"][name]) for name, rows in job["hierarchies"].items()
    }
    measure(job, version("openmed"), lambda: run(job, records, levels))


if __name__ == "__main__":
    main()
