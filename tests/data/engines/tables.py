"""Tables with what engines may see otherwise: missing cells, people, dates, decimals, times, floats."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from anonymizer import Policy
from anonymizer.demo.population import population
from anonymizer.demo.register import register
from anonymizer.hierarchy import Dates, Hierarchy, Intervals
from tests.shared import DATA

Made = tuple[pa.Table, Policy]
DAY = dt.date(2024, 1, 1)


def drawn(rows: int = 60, seed: int = 1) -> pa.Table:
    """Draw a table of every type, with missing cells in most columns."""
    random = np.random.default_rng(seed)

    def cells(values: Sequence[Any], kind: pa.DataType, missing: float = 0.1) -> pa.Array:
        chosen = random.integers(0, len(values), rows)
        gone = random.random(rows) < missing
        return pa.array([None if g else values[c] for c, g in zip(chosen, gone, strict=True)], kind)

    return pa.table({
        "person": cells([f"p{n}" for n in range(rows // 2)], pa.string(), 0),
        "age": cells(range(20, 60, 3), pa.int16()),
        "day": cells([DAY + dt.timedelta(n * 11) for n in range(20)], pa.date32()),
        "moment": cells([dt.datetime(2024, 1, n, n) for n in range(1, 9)], pa.timestamp("us")),
        "amount": cells([Decimal(n) / 4 for n in range(9)], pa.decimal128(8, 2)),
        "weight": cells([0.0, -0.0, 1.5, float("nan"), 2.5], pa.float64()),
        "smokes": cells([True, False], pa.bool_()),
        "ward": cells(["a", "B", "ä; \"x\"", "it's", ""], pa.string()),
        "note": cells(["flu", "=1+2", "-3", "x\ny"], pa.string()),
        "stay": cells(range(9), pa.int64()),
        "cost": cells([Decimal("1.10"), Decimal("7.00")], pa.decimal128(8, 2)),
        "since": cells([DAY, dt.date(1999, 12, 31)], pa.date32()),
    })  # fmt: skip


def flat(name: str, leaves: Sequence[str], groups: int = 2) -> Hierarchy:
    return Hierarchy.from_rows(name, [(x, f"g{at % groups}", "*") for at, x in enumerate(leaves)])


QUASI = {
    "age": Intervals((0, 99), widths=(10, 20)),
    "day": Dates("2024-01-01", "2024-12-31", periods=("day", "month", "year")),
    "moment": Dates("2024-01-01", "2024-01-31", periods=("day", "month")),
    "amount": Intervals((0.0, 4.0), widths=(1, 2)),
    "weight": flat("weight", ["0.0", "1.5", "2.5"]),
    "smokes": flat("smokes", ["True", "False"]),
    "ward": flat("ward", ["a", "B", "ä; \"x\"", "it's"]),
}  # fmt: skip


def policy_of(quasi: Sequence[str] = ("age", "ward", "smokes"), **keys: Any) -> Policy:
    """Return a policy for a drawn table, with some of its quasi-identifiers; others are kept."""
    attributes = {
        name: {"role": "quasi", "hierarchy": QUASI[name]}
        if name in quasi
        else {"role": "insensitive", "reveals": list(quasi)}  # as chance may have it
        for name in drawn(3).column_names
    }
    kept = {"role": "sensitive", "reveals": list(quasi)}
    attributes |= {"person": {"role": "identifying"}, "note": kept}
    keys = {"risk": [{"model": "k-anonymity", "k": 3}], "data": {"rows_are_people": True}, **keys}
    return Policy(attributes=attributes, **keys)


def benchmark(name: str, columns: Sequence[str] | None = None) -> Made | None:
    """Return some rows of a benchmark's data and a policy; None where the data is not at hand."""
    from pyarrow import csv

    folder = DATA / name
    if not (folder / "data.csv").exists():
        return None
    table = csv.read_csv(folder / "data.csv", parse_options=csv.ParseOptions(delimiter=";"))
    table = table.slice(0, 1000)
    table = table.cast(pa.schema([(name, pa.string()) for name in table.column_names]))
    files = {file.stem: file for file in (folder / "hierarchies").glob("*.csv")}
    quasi = [name for name in table.column_names if name in files and name in (columns or files)]
    attributes: dict[str, Any] = {
        name: {"role": "quasi", "hierarchy": files[name]}
        if name in quasi
        else {"role": "insensitive", "reveals": quasi}  # a ZIP code tells the state
        for name in table.column_names
    }
    return table, Policy(attributes=attributes, risk=[{"model": "k-anonymity", "k": 5}])


def discharges(rows: int = 1500) -> Made:
    """Return a part of the built-in register, and a policy with people and a sensitive attribute."""
    frame = register(population(20_000), rows)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    shipped = "hierarchies/demo"
    quasi = [name for name in ("age", "sex", "zip", "admission_date") if name in frame]
    attributes: dict[str, Any] = {name: {"role": "insensitive"} for name in frame}
    attributes |= {n: {"role": "quasi", "hierarchy": f"{shipped}/{n}.toml"} for n in quasi}
    attributes |= {"patient_id": {"role": "identifying"}, "diagnosis": {"role": "sensitive"}}
    risk = [
        {"model": "k-anonymity", "k": 3},
        {"model": "distinct-l", "attribute": "diagnosis", "l": 2},
    ]
    data = {"id": "patient_id"}
    return table, Policy(attributes=attributes, risk=risk, data=data)


DATASETS: dict[str, Callable[[], Made | None]] = {
    "random": lambda: (drawn(), policy_of(("age", "day", "weight", "ward"))),
    "register": discharges,
    "adult": lambda: benchmark("adult"),
    "cup": lambda: benchmark("cup", ("AGE", "GENDER", "INCOME", "STATE")),
}
"""What every kind of table must give the same results for."""
