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
from typing import Any

import pandas as pd
from rich.console import Console
from rich.table import Table as Grid

from anonymizer import Policy
from anonymizer.evaluate import Evaluator
from anonymizer.risk import AttributeGroup, Scenario
from anonymizer.search import SearchResult, search
from anonymizer.solution import make_evaluator, read
from experiments.benchmark.memory import measure_encoding
from experiments.datasets import REFERENCE, RESULTS, path_of, spec_of

DATASETS = ("adult", "cup", "fars")
KS = (2, 5, 10)
POPULATIONS = {"Houston": 2_200_000, "Texas": 27_000_000, "USA": 318_900_000}
MODELS: list[dict[str, Any]] = [
    *({"model": "strict-average", "k": k, "threshold": t} for k, t in ((3, 0.2), (2, 0.2))),
    *({"model": "strict-average", "k": k, "threshold": t} for k, t in ((5, 0.1), (3, 0.1))),
    *({"model": "k-map", "k": k, "population": n} for k in (5, 10) for n in POPULATIONS.values()),
    *({"model": "average", "threshold": t} for t in (0.2, 0.1)),
    {"model": "sample-uniqueness", "threshold": 0.01},
    *(
        {"model": "p-uniqueness", "threshold": t, "population": n}
        for t in (1e-2, 1e-4, 1e-6)
        for n in POPULATIONS.values()
    ),
    {"model": "overall", "threshold": 0.01},
]
"""The thresholds of Prasser et al. 2016, and some of the other models'."""


def main() -> None:
    options = argparse.ArgumentParser(prog="make bench", description=__doc__)
    options.add_argument("--quick", action="store_true", help="ADULT only, no memory run, no files")
    quick = options.parse_args().quick
    runs = [Run(name) for name in DATASETS[: 1 if quick else None] if path_of(name)]
    for name in set(DATASETS) - {run.name for run in runs}:
        print(f"{name}: skipped" + ("" if quick else ", its data is not at hand (ANONYMIZER_DATA)"))
    ks = [run.measure_k(k) for run in runs for k in KS]
    models = [run.measure_model(model) for run in runs for model in MODELS]
    memory = None if quick else measure_encoding()
    show("Search for k-anonymity, proven optimal", ks)
    show("Search for other models, proven optimal", models)
    show("Memory while a table is encoded", memory)
    if not quick:
        save(ks, "k_anonymity.csv")
        save(models, "models.csv")
        save(memory, "encoding_memory.csv")
        save([machine()], "machine.csv")


class Run:
    """One data set, read once, with the time of its group-by."""

    def __init__(self, name: str) -> None:
        path = path_of(name)
        assert path is not None
        frame = pd.read_csv(path, sep=";", dtype=str)
        self.name, self.columns = name, list(frame)
        self.unit = best_of(5, lambda: frame.groupby(list(frame), sort=False, observed=True).size())
        _, self.microdata = read(path, self.policy({"model": "k-anonymity", "k": 2}))

    def policy(self, risk: dict[str, Any]) -> Policy:
        """Write down what is searched for."""
        return Policy(
            data={"delimiter": ";"},
            attributes={
                a: {"role": "quasi", "hierarchy": spec_of(self.name, a)} for a in self.columns
            },
            risk=[risk],
        )

    def search(self, risk: dict[str, Any], repeats: int) -> tuple[Evaluator, SearchResult, float]:
        """Search some times, the first time to compile; return the shortest time too."""
        policy = self.policy(risk)
        evaluator = make_evaluator(self.microdata, policy)
        lattice = policy.lattice(tuple(column.hierarchy for column in self.microdata.columns))
        found = search(evaluator, lattice)
        return evaluator, found, best_of(repeats, lambda: search(evaluator, lattice))

    def measure_k(self, k: int) -> dict[str, Any]:
        """Measure the search for k-anonymity, and one evaluation of its optimum."""
        evaluator, found, searching = self.search({"model": "k-anonymity", "k": k}, repeats=5)
        best = found.best
        assert best is not None
        evaluation = best_of(100, lambda: evaluator.evaluate(best.scheme))
        return {
            "data": self.name,
            "records": self.microdata.records,
            "distinct": self.microdata.distinct,
            "k": k,
            "schemes": found.proof.schemes,
            "evaluated": found.proof.evaluated,
            "loss": round(best.loss, 9),
            **arx(self.name, k, best.loss),
            "group-by ms": round(1000 * self.unit, 2),
            "evaluation / group-by": round(evaluation / self.unit, 3),
            "search / group-by": round(searching / self.unit, 1),
        }

    def measure_model(self, risk: dict[str, Any]) -> dict[str, Any]:
        """Measure the search for another model."""
        if risk["model"] == "overall":
            risk = {**risk, "scenario": self.scenario()}
        _, found, searching = self.search(risk, repeats=2)
        assert found.best is not None
        parameters = {k: v for k, v in risk.items() if k not in ("model", "scenario")}
        return {
            "data": self.name,
            "model": risk["model"],
            "parameters": " ".join(f"{key}={value:g}" for key, value in parameters.items()),
            "evaluated": found.proof.evaluated,
            "loss": round(found.best.loss, 9),
            "suppressed": found.best.suppressed_records,
            "search / group-by": round(searching / self.unit, 1),
        }

    def scenario(self) -> Scenario:
        """Invent an attacker who may learn the attributes in three groups."""
        parts = [tuple(self.columns[start::3]) for start in range(3)]
        groups = [
            AttributeGroup(part, probability=probability)
            for part, probability in zip(parts, (0.6, 0.3, 0.1), strict=True)
        ]
        rates = {"p_m": 0.2, "p_fm": 0.5, "p_c": 0.2, "p_cu": 0.5}
        return Scenario(tuple(groups), POPULATIONS["USA"], **rates)


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


def show(title: str, rows: list[dict[str, Any]] | None) -> None:
    """Print rows as a table, if there are any."""
    if not rows:
        return
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
