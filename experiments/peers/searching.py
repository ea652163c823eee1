"""The same table, hierarchies and k for every tool that searches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import pandas as pd

from experiments.peers.environments import Environment
from experiments.peers.running import run_driver
from experiments.peers.tables import Table, describe_release

TIE = 1e-9
TASK = ("data", "k", "suppression_limit")


@dataclass(frozen=True, slots=True)
class Cell:
    """What one tool made of one task."""

    peer: str
    data: str
    records: int
    schemes: int
    k: int
    suppression_limit: float
    version: str = ""
    status: str = ""
    """found, none found, refused, not finished, not tried, not installed, failed"""
    proven: bool | None = None
    """Whether the tool says that it proved an optimum of its own objective."""
    optimal: bool | None = None
    """Whether no tool released less loss, by our measure."""
    evaluated: int | None = None
    loss: float | None = None
    """By our measure, from the released cells."""
    suppressed: int | None = None
    smallest_class: int | None = None
    cpu_seconds: float | None = None
    peak_mib: float | None = None
    said: str = ""


COLUMNS = [field.name for field in fields(Cell)]
ANSWERED = ("version", "status", "proven", "evaluated", "cpu_seconds", "peak_mib", "said")
"""What a driver says; the rest is counted from what it released."""


def search_all(
    tables: Sequence[Table],
    environments: Sequence[Environment],
    ks: Sequence[int],
    limits: Sequence[float],
    folder: Path,
    seconds: int,
) -> Iterator[Cell]:
    """Give every tool every task; after one that it does not finish, no others on that table."""
    for table in tables:
        table.frame.to_csv(folder / "table.csv", index=False)
        for environment in environments:
            out_of_time = False
            for limit in limits:
                for k in ks:
                    cell = search_one(table, environment, k, limit, folder, seconds, out_of_time)
                    out_of_time |= cell.status == "not finished"
                    yield cell


def search_one(
    table: Table,
    environment: Environment,
    k: int,
    limit: float,
    folder: Path,
    seconds: int,
    out_of_time: bool = False,
) -> Cell:
    """Give one tool one task."""
    name = environment.name
    task = name, table.name, len(table.frame), table.schemes, k, limit
    if environment.python is None:
        return Cell(*task, status="not installed", said=environment.why)
    if out_of_time:
        return Cell(*task, status="not tried", said="it did not finish an easier or equal task")
    release = folder / "release.csv"
    release.unlink(missing_ok=True)
    job = {
        "table": str(folder / "table.csv"),
        "release": str(release),
        "hierarchies": table.rows(),
        "losses": table.level_losses(),
        "k": k,
        "suppression": limit,
    }
    found = run_driver(environment, job, folder, seconds)
    known = {key: found[key] for key in ANSWERED if key in found}
    if release.exists():
        known |= describe_release(table, pd.read_csv(release, dtype=str, keep_default_na=False))
    return Cell(*task, **known)


def mark_optima(cells: Sequence[Cell]) -> pd.DataFrame:
    """Return a table of all cells; the least loss of each task is marked."""
    frame = pd.DataFrame([asdict(cell) for cell in cells], columns=COLUMNS)
    loss = frame["loss"].astype(float)
    least = loss.groupby([frame[name] for name in TASK]).transform("min")
    optimal = (loss.fillna(2) <= least.fillna(0) + TIE).astype(object)
    return frame.assign(optimal=optimal.where(loss.notna(), None))
