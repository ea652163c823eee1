"""python -m experiments.peers: packages that pip installs, side by side with this one.

Writes results/peers/: peers.csv (the same tables, hierarchies and k), judged.csv (our releases, measured
by pyCANON), claims.csv (what else OpenMed does), README.md. Each package is installed into an
environment of its own below `--work`.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
from rich.console import Console

from experiments.datasets import RESULTS
from experiments.peers.environments import PEERS, Environment, install, ourselves
from experiments.peers.judging import judge_all
from experiments.peers.page import write_page
from experiments.peers.running import run_driver
from experiments.peers.searching import mark_optima, search_all, search_one
from experiments.peers.tables import SMALL, adult, drawn
from experiments.running import run_main

PARTS = ("peers", "judged", "claims")
"""The tables that are written."""
KS = (2, 5, 10)
LIMITS = (0.0, 0.05)
"""Shares of the records that may be suppressed."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Install, run and write."""
    parser = argparse.ArgumentParser(prog="python -m experiments.peers", description=__doc__)
    parser.add_argument(
        "--work", type=Path, help="folder for the environments; left out: temporary"
    )
    parser.add_argument("--out", type=Path, default=RESULTS / "peers", help="folder to write to")
    parser.add_argument("--limit", type=int, default=240, help="processor seconds for each task")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="the others stay")
    given = parser.parse_args(arguments)
    console = Console(stderr=True)
    if adult() is None:
        console.print(
            "skipped: ADULT is not here; `python -m experiments.adult --out FOLDER` fetches it."
        )
        return
    given.out.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as scratch:
        work = given.work or Path(scratch)
        installed = {name: install(name, work) for name in PEERS}
        for each in installed.values():
            console.print(f"{each.name}: {each.why or PEERS[each.name]}")
        if "peers" in given.parts:
            searchers = [ourselves(), installed["openmed"], installed["anjana"]]
            search(searchers, Path(scratch), given.limit, console).to_csv(
                given.out / "peers.csv", index=False
            )
        if "judged" in given.parts:
            judged = judge_all(installed["pycanon"], Path(scratch), given.limit)
            judged.to_csv(given.out / "judged.csv", index=False)
        if "claims" in given.parts:
            claims = try_claims(installed["openmed"], Path(scratch), given.limit)
            claims.to_csv(given.out / "claims.csv", index=False)
    (given.out / "README.md").write_text(read_page(given.out), encoding="utf-8")


def search(
    searchers: Sequence[Environment], folder: Path, seconds: int, console: Console
) -> pd.DataFrame:
    """Let every tool search every table; ours once before, so that its kernels are compiled."""
    tables = [table for table in (adult(SMALL), adult(), drawn()) if table is not None]
    tables[0].frame.to_csv(folder / "table.csv", index=False)
    search_one(tables[0], searchers[0], KS[0], LIMITS[0], folder, 600)
    cells = []
    for cell in search_all(tables, searchers, KS, LIMITS, folder, seconds):
        console.print(f"{cell.data}, k = {cell.k}, {cell.peer}: {cell.status} {cell.cpu_seconds}")
        cells.append(cell)
    return mark_optima(cells).round(9)


def try_claims(openmed: Environment, folder: Path, seconds: int) -> pd.DataFrame:
    """Try what else OpenMed does with tables; an empty table where it is not installed."""
    found = run_driver(openmed, {}, folder, seconds, "_claims") if openmed.python else {}
    return pd.DataFrame(found.get("claims", {}).items(), columns=["tried", "found"])


def read_page(folder: Path) -> str:
    """Write the page from the tables that are in the folder."""
    tables = [pd.read_csv(folder / f"{name}.csv", keep_default_na=False) for name in PARTS]
    return write_page(*tables)


if __name__ == "__main__":
    run_main(main, "peers")
