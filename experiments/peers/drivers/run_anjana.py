"""ANJANA: generalizes the attribute with the most values until what is left can be suppressed."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import pandas as pd
from anjana.anonymity import k_anonymity
from meter import measure, read_job


def run(job: dict[str, Any], frame: pd.DataFrame, levels: dict[str, Any]) -> dict[str, Any]:
    """Anonymize, and write the released rows; an empty table is how it says that it found none."""
    released = k_anonymity(frame, [], list(levels), job["k"], 100 * job["suppression"], levels)
    if released.empty:
        return {"status": "none found"}
    released[list(levels)].to_csv(job["release"], index=False)
    return {"status": "found"}


def levels_of(rows: list[list[str]]) -> dict[int, list[str]]:
    """Write a hierarchy as ANJANA reads it: the column of each level."""
    return {level: list(column) for level, column in enumerate(zip(*rows, strict=True))}


def main() -> None:
    job = read_job()
    frame = pd.read_csv(job["table"], dtype=str)
    levels = {name: levels_of(rows) for name, rows in job["hierarchies"].items()}
    measure(job, version("anjana"), lambda: run(job, frame, levels))


if __name__ == "__main__":
    main()
