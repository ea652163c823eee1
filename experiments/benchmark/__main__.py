"""make bench: the cost of a proven optimum, in group-bys of the raw table.

The unit is one `DataFrame.groupby(quasi_identifiers, sort=False, observed=True).size()`, best of
five, in the same run: it carries over from machine to machine. Writes results/benchmark/.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd
from rich.console import Console
from rich.table import Table as Grid

from anonymizer import Policy
from anonymizer.evaluate import Evaluator
from anonymizer.search import search
from anonymizer.solution import make_evaluator, read
from experiments.benchmark.memory import measure_encoding
from experiments.datasets import REFERENCE, RESULTS, path_of, spec_of

DATASETS = ("adult", "cup", "fars")
KS = (2, 5, 10)


def main() -> None:
    options = argparse.ArgumentParser(prog="make bench", description=__doc__)
    options.add_argument("--quick", action="store_true", help="fewer repetitions, no memory run")
    quick = options.parse_args().quick
    rows = [row for name in DATASETS for row in bench(name, repeats=1 if quick else 5)]
    memory = None if quick else measure_encoding()
    if rows:
        show("Search for k-anonymity, proven optimal", rows)
    if memory:
        show("Memory while a table is encoded", memory)
    if not quick:
        save(rows, "k_anonymity.csv")
        save(memory, "encoding_memory.csv")
        save([machine()], "machine.csv")


def bench(name: str, repeats: int) -> list[dict[str, Any]]:
    """Measure the search for each k on one data set."""
    path = path_of(name)
    if path is None:
        print(f"{name}: skipped, its data is not at hand (set ANONYMIZER_DATA)")
        return []
    frame = pd.read_csv(path, sep=";", dtype=str)
    unit = best_of(5, lambda: frame.groupby(list(frame), sort=False, observed=True).size())
    return [bench_k(name, frame, path, k, unit, repeats) for k in KS]


def bench_k(
    name: str, frame: pd.DataFrame, path: Path, k: int, unit: float, repeats: int
) -> dict[str, Any]:
    """Measure one search, and one evaluation of its optimum."""
    policy = Policy(
        data={"path": path, "delimiter": ";"},
        attributes={a: {"role": "quasi", "hierarchy": spec_of(name, a)} for a in frame},
        risk=[{"model": "k-anonymity", "k": k}],
    )
    _, microdata = read(None, policy)
    evaluator: Evaluator = make_evaluator(microdata, policy)
    lattice = policy.lattice(tuple(column.hierarchy for column in microdata.columns))
    found = search(evaluator, lattice)  # the first call compiles
    best = found.best
    assert best is not None, f"{name}, k = {k}: {found.status}"
    evaluation = best_of(20 * repeats, lambda: evaluator.evaluate(best.scheme))
    searching = best_of(repeats, lambda: search(evaluator, lattice))
    return {
        "data": name,
        "records": microdata.records,
        "distinct": microdata.distinct,
        "k": k,
        "schemes": lattice.size,
        "evaluated": found.proof.evaluated,
        "loss": round(best.loss, 9),
        **arx(name, k, best.loss),
        "group-by ms": round(1000 * unit, 2),
        "evaluation / group-by": round(evaluation / unit, 3),
        "search / group-by": round(searching / unit, 1),
    }


def arx(name: str, k: int, loss: float) -> dict[str, Any]:
    """Return what ARX evaluated for the same optimum, and how far its loss is from ours."""
    path = REFERENCE / "arx_optima.csv"
    if not path.is_file():
        return {}
    optima = pd.read_csv(path).query(
        "dataset == @name and model == 'k-anonymity' and parameters == @parameters "
        "and measure == 'loss geometric' and suppression_limit == 1",
        local_dict={"name": name, "parameters": f"k={k}"},
    )
    (reference,) = optima.to_dict("records")
    return {
        "ARX evaluated": reference["arx_evaluated"],
        "loss - ARX's": f"{loss - reference['loss']:.0e}",
    }


def best_of(repeats: int, call: Callable[[], object]) -> float:
    """Return the shortest time of several calls, in seconds."""
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
    return min(times)


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


def show(title: str, rows: list[dict[str, Any]]) -> None:
    """Print rows as a table."""
    grid = Grid(*rows[0], title=title, title_justify="left")
    for row in rows:
        grid.add_row(
            *(f"{value:,}" if isinstance(value, int) else str(value) for value in row.values())
        )
    Console(width=140).print(grid)


def save(rows: list[dict[str, Any]] | None, name: str) -> None:
    """Write rows to results/benchmark/, if there are any."""
    if rows:
        folder = RESULTS / "benchmark"
        folder.mkdir(parents=True, exist_ok=True)
        pd.DataFrame(rows).to_csv(folder / name, index=False)


if __name__ == "__main__":
    main()
