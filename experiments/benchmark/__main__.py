"""make bench: the cost of a proven optimum, in group-bys of the raw table.

The unit is one `DataFrame.groupby(quasi_identifiers, sort=False, observed=True).size()`, best of
five, in the same run: it carries over from machine to machine. Writes results/benchmark/. With
`--arx libarx.jar` (or $ANONYMIZER_LIBARX) and a JDK, ARX runs beside.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd
from rich.console import Console
from rich.table import Table as Grid

from anonymizer.search import search
from experiments.benchmark import arx, growth, plots
from experiments.benchmark.clock import best_of
from experiments.benchmark.cluster import measure_clusters
from experiments.benchmark.commands import measure_registry, measure_start
from experiments.benchmark.engines import measure_engines
from experiments.benchmark.engines import save as save_engines
from experiments.benchmark.first_runs import measure_first_runs
from experiments.benchmark.frontiers import draw_example, measure_frontiers
from experiments.benchmark.hierarchies import measure_hierarchies
from experiments.benchmark.memory import measure_encoding
from experiments.benchmark.overall import measure_overall
from experiments.benchmark.people import measure_people
from experiments.benchmark.searches import COMPILED, K_ANONYMITY, Searches, measure_all
from experiments.benchmark.sensitive import measure_sensitive
from experiments.benchmark.studio import measure_studio
from experiments.benchmark.wide_searches import measure_wide
from experiments.datasets import RESULTS, draw_stand_in, path_of, policy_of
from experiments.running import run_main

Rows = list[dict[str, Any]]
DATASETS = ("adult", "cup", "fars", "atus", "ihis")
FOLDER = RESULTS / "benchmark"


def main() -> None:
    options = argparse.ArgumentParser(prog="make bench", description=__doc__)
    options.add_argument(
        "--quick", action="store_true", help="ADULT and k-anonymity only, no files"
    )
    options.add_argument("--only", choices=PARTS, action="append", help="some of the parts")
    options.add_argument("--arx", type=Path, help="libarx.jar; left out: $ANONYMIZER_LIBARX")
    given = options.parse_args()
    if given.quick:
        show("Searches, proven optimal", quick())
        return
    try:
        jar = arx.find_jar(given.arx)
    except arx.ArxError as error:
        sys.exit(f"error: {error}")
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in given.only or PARTS:
            print(f"measuring {name} ...", file=sys.stderr)
            PARTS[name](Path(folder), jar)
    save([machine()], "machine.csv")


def quick() -> Rows:
    """Measure k-anonymity on ADULT."""
    path = path_of("adult")
    if path is None:
        print("adult: skipped, its data is not at hand (ANONYMIZER_DATA)")
        return []
    searches = Searches("adult", path)
    return [searches.measure(risk) for risk in K_ANONYMITY]


def paths(folder: Path) -> dict[str, Path]:
    """Find the data sets, and draw the stand-ins; say which are not at hand."""
    found = {}
    for name in DATASETS:
        path = path_of(name) or draw_stand_in(name, folder)
        if path is None or not path.is_file():
            print(f"{name}: skipped, its data is not at hand (ANONYMIZER_DATA)")
        else:
            found[name] = path
    return found


def measure_searches(folder: Path, jar: Path | None) -> None:
    """Measure every search, with ARX beside where it can run."""
    rows: Rows = []
    for name, path in paths(folder).items():
        mine = list(measure_all(name, path))
        if jar is not None:
            add_arx(mine, jar, name, path)
        rows += mine
    report("Searches, proven optimal", rows, "searches.csv")


def add_arx(rows: Rows, jar: Path, name: str, path: Path) -> None:
    """Run ARX for the k-anonymity rows of a data set, and note its time in the same unit.

    And how its loss differs from ours, and how many schemes it evaluated in this run.
    """
    for row, found in zip(rows, arx.measure(jar, name, K_ANONYMITY, data=path), strict=False):
        row["ARX search / group-by"] = round(1000 * found["search_seconds"] / row["group-by ms"], 1)
        row["ARX CPU s"] = round(found["cpu_seconds"], 3)
        row["loss ours - ARX"] = row["loss"] - found["loss"]
        row["ARX evaluated here"] = found["evaluated"]


def measure_workers(folder: Path, _: Path | None) -> None:
    """Compare one worker with two on the largest of the five data sets."""
    path = draw_stand_in("ihis", folder)
    if path is None:
        return
    searches = Searches("ihis", path)
    policy = policy_of("ihis", path, K_ANONYMITY[1])
    problem = searches.problem.with_policy(policy)
    evaluator, lattice = problem.evaluator, problem.lattice
    search(evaluator, lattice, params=COMPILED)
    one, two = (
        best_of(
            3, lambda workers=workers: search(evaluator, lattice, workers=workers, params=COMPILED)
        )
        for workers in (1, 2)
    )
    row = {"data": "ihis", "one worker s": round(one, 2), "two workers s": round(two, 2)}
    report("Workers", [{**row, "ratio": round(one / two, 2)}], "workers.csv")


def measure_sweeps(_: Path, __: Path | None) -> None:
    """Measure frontiers, and draw one."""
    report("Frontiers in one pass", measure_frontiers(), "frontiers.csv")
    draw_example(FOLDER)


def measure_ids(_: Path, __: Path | None) -> None:
    """Measure what counting people instead of rows costs."""
    if path := path_of("adult"):
        report("Counting people, three rows each", measure_people(path), "people.csv")


def measure_growth(folder: Path, _: Path | None) -> None:
    """Measure how the cost grows with rows, attributes and k."""
    rows = [
        *growth.cost_over_rows(folder), *growth.cost_over_attributes(), *growth.cost_over_k(),
    ]  # fmt: skip
    report("Cost over growing work", rows, "growth.csv")
    plots.plot_growth(pd.DataFrame(rows), FOLDER)


def measure_gap(_: Path, __: Path | None) -> None:
    """Measure the gap over a minute on the widest register."""
    rows = growth.gap_over_time()
    report("20 attributes: the gap over time", rows, "gap_over_time.csv", most=12)
    plots.plot_gap(pd.DataFrame(rows), FOLDER)


def measure_backends(*_: Any) -> None:
    """Compare threads, processes and Dask, and simulate larger clusters."""
    measured, simulated = measure_clusters()
    report("Searches on joblib's backends", measured, "cluster.csv")
    report("Larger clusters, simulated from a recorded run", simulated, "cluster_simulated.csv")
    plots.plot_cluster(pd.DataFrame(measured), pd.DataFrame(simulated), FOLDER)


def measure_tables_in_engines(*_: Any) -> None:
    """Measure an engine at its usual size; larger tables that were measured by hand stay as they were."""
    found = measure_engines()
    show("Tables in engines", found)
    if found:
        save_engines(found)


PARTS: dict[str, Callable[[Path, Path | None], None]] = {
    "searches": measure_searches,
    "overall": lambda *_: report("Overall risk", list(measure_overall()), "overall.csv"),
    "sensitive": lambda *_: report(
        "Models of a sensitive attribute", list(measure_sensitive()), "sensitive.csv"
    ),
    "workers": measure_workers,
    "cluster": measure_backends,
    "frontiers": measure_sweeps,
    "people": measure_ids,
    "growth": measure_growth,
    "gap": measure_gap,
    "studio": lambda folder, _: report(
        "The studio: from slider to optimum", list(measure_studio(folder)), "studio.csv"
    ),
    "wide": lambda *_: report("Wide tables, one worker", list(measure_wide()), "wide.csv"),
    "first_run": lambda *_: report("First runs", list(measure_first_runs()), "first_run.csv"),
    "hierarchies": lambda *_: report(
        "Reading hierarchies", list(measure_hierarchies()), "hierarchies.csv"
    ),
    "start": lambda *_: report("Start-up", measure_start(), "start.csv"),
    "registry": lambda *_: report("10,000,000 records", measure_registry(), "registry.csv"),
    "engines": measure_tables_in_engines,
    "encoding": lambda *_: report("Memory", measure_encoding(), "encoding_memory.csv"),
}


def machine() -> dict[str, Any]:
    """Describe what the figures were measured on."""
    packages = {
        name: version(name) for name in ("anonymizer", "numpy", "pandas", "numba", "pyarrow")
    }
    return {
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        **packages,
    }


def report(title: str, rows: Rows, file: str, most: int = 1000) -> None:
    """Print rows and write them to results/benchmark/."""
    show(title, rows[:: -(-len(rows) // most)] if rows else rows)
    save(rows, file)


def show(title: str, rows: Rows) -> None:
    """Print rows as a table, if there are any."""
    if not rows:
        return
    grid = Grid(*rows[0], title=title, title_justify="left")
    for row in rows:
        grid.add_row(*map(cell, row.values()))
    Console(width=180).print(grid)


def cell(value: object) -> str:
    """Write a value of a table."""
    if value is None:
        return ""
    return f"{value:,}" if isinstance(value, int) else str(value)


def save(rows: Iterable[dict[str, Any]], name: str) -> None:
    """Write rows to results/benchmark/, if there are any."""
    if rows := list(rows):
        pd.DataFrame(rows).to_csv(FOLDER / name, index=False)


if __name__ == "__main__":
    run_main(main, "benchmark")
