"""python -m experiments.start FOLDER: init, run and verify on the tables of others.

FOLDER has CSV files of packages such as pydataset, statsmodels, seaborn and lifelines, at any depth; none
is shipped here. Writes one row for each table to results/start/tables.csv, and the counts to summary.csv.
`--tables a,b` takes some of them and keeps the rows of the others; `--dozen` takes a fixed dozen.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
from rich.console import Console

from experiments.datasets import RESULTS
from experiments.running import run_main
from experiments.start.measure import COLUMNS, K, measure
from experiments.start.tables import DOZEN, find_tables

MANY_DROPPED = 0.05


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure tables and write what came of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", help="The folder with the tables.")
    parser.add_argument("--tables", default="", help="Some tables, such as Ecdat/Males,Ecdat/OFP.")
    parser.add_argument("--dozen", action="store_true", help="A fixed dozen.")
    parser.add_argument(
        "--seconds", type=float, help="The time of each run, in place of the policy's."
    )
    parser.add_argument("--out", type=Path, default=RESULTS / "start")
    given = parser.parse_args(arguments)
    console = Console(stderr=True)
    if given.folder is None or not given.folder.is_dir():
        console.print("skipped: the tables are not here; name their folder.")
        return
    names = DOZEN if given.dozen else tuple(filter(None, given.tables.split(",")))
    rows = []
    for found in find_tables(given.folder, names):
        with TemporaryDirectory() as folder:
            row = measure(found.name, found.frame, Path(folder), given.seconds)
        console.print(f"{row.table}: {row.recoding or row.fault} {row.quality or ''}")
        rows.append(row.describe())
        write(rows, given.out)
    if missing := sorted(set(names) - {row["table"] for row in rows}):
        console.print(f"skipped, because they are not in the folder: {', '.join(missing)}")


def write(rows: list[dict[str, object]], folder: Path) -> None:
    """Write the rows, beside those of other tables that are there, and count them."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "tables.csv"
    table = pd.DataFrame(rows, columns=COLUMNS)
    if path.is_file():
        old = pd.read_csv(path)
        table = pd.concat([old[~old["table"].isin(table["table"])], table])
    table.sort_values("table").round(4).to_csv(path, index=False)
    summarize(table).to_csv(folder / "summary.csv", index=False)


def summarize(table: pd.DataFrame) -> pd.DataFrame:
    """Count what must be so."""
    ran = table[table["fault"].isna() | (table["fault"] == "")]
    collapsed = ran[ran["collapsed"].fillna("") != ""]
    counts = {
        "tables": len(table),
        "proposed and run": len(ran),
        "verified": int(ran["verified"].astype(bool).sum()),
        "people by a column": int((ran["id"].fillna("") != "").sum()),
        "asked who is a person": int(ran["asked"].astype(bool).sum()),
        f"with a class below {K} people": int((ran["smallest"].astype(float) < K).sum()),
        "in layers": int((ran["recoding"] == "layers").sum()),
        "with a collapsed column": len(collapsed),
        "of which not said": int((~collapsed["said"].astype(bool)).sum()),
        "with more than 5 % dropped": int((ran["dropped"].astype(float) > MANY_DROPPED).sum()),
        "median quality": round(float(ran["quality"].astype(float).median()), 4),
        "longest init, seconds": round(float(ran["seconds"].astype(float).max()), 2),
    }
    return pd.DataFrame(list(counts.items()), columns=["count", "value"])


if __name__ == "__main__":
    run_main(main, "start")
