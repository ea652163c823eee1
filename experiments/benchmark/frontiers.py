"""What a frontier costs, beside one search at its loosest and one at its tightest threshold."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from anonymizer.frontiers.frontier import Frontier, frontier
from anonymizer.frontiers.sweep import Sweep
from anonymizer.policy import Policy
from anonymizer.problem import Problem
from anonymizer.search import search
from experiments.benchmark.clock import best_of, group_by_seconds
from experiments.benchmark.searches import COMPILED, POPULATIONS
from experiments.datasets import path_of, policy_of

UNIQUENESS = tuple(10 ** -(2 + 6 * step / 20) for step in range(21))
"""From 1e-2 to 1e-8."""
RISKS: list[dict[str, Any]] = [
    {"model": "k-anonymity", "k": 2},
    {"model": "average", "threshold": 0.1},
    {"model": "p-uniqueness", "threshold": 0.01, "population": POPULATIONS["USA"]},
]
VALUES = {"p-uniqueness": UNIQUENESS}
"""The thresholds, where they are not the usual ones of the model."""


def measure_frontiers() -> list[dict[str, Any]]:
    """Measure the usual sweeps on the data sets that are at hand."""
    paths = {name: path_of(name) for name in ("adult", "fars")}
    return [measure(name, path, risk) for name, path in paths.items() if path for risk in RISKS]


def draw_example(folder: Path) -> None:
    """Draw the frontier of ADULT for k-anonymity, as `anonymizer frontier` does."""
    path = path_of("adult")
    if path is not None:
        found = frontier(None, policy_of("adult", path, RISKS[0]))
        figure = found.plot().figure
        figure.savefig(folder / "frontier.png", dpi=100)
        figure.savefig(folder / "frontier.svg", metadata={"Date": None})


def measure(name: str, path: Path, risk: dict[str, Any]) -> dict[str, Any]:
    """Measure one sweep; the time to read the table is left out of all figures."""
    policy, values = policy_of(name, path, risk), VALUES.get(risk["model"])
    problem = Problem.read(None, policy)
    unit = group_by_seconds(pd.read_csv(path, sep=";", dtype=str))
    search(problem.evaluator, problem.lattice, params=COMPILED)  # compiles: then all go together
    found = frontier(problem, None, values)
    whole = best_of(2, lambda: frontier(problem, None, values))
    alone = list(seconds_alone(policy, found))
    return {
        "data": name,
        "model": risk["model"],
        "thresholds": len(found.points),
        "evaluated": found.evaluated,
        "frontier s": round(whole, 2),
        "group-by ms": round(1000 * unit, 2),
        "frontier / group-by": round(whole / unit, 1),
        "separate searches s": round(sum(alone), 2),
        "loosest alone s": round(alone[0], 3),
        "tightest alone s": round(alone[-1], 3),
        "frontier / loosest": round(whole / alone[0], 1),
        "frontier / dearest": round(whole / max(alone), 1),
        "frontier / all": round(whole / sum(alone), 2),
    }


def seconds_alone(policy: Policy, found: Frontier) -> Iterator[float]:
    """Time a search at each threshold by itself; the first one is not timed, it prepares the table."""
    problem = Problem.read(None, policy)
    search(problem.evaluator, problem.lattice)
    for models in Sweep.of(problem.models, [point.value for point in found.points]).models:
        at = problem.with_models(*models)
        started = time.perf_counter()
        search(at.evaluator, at.lattice)
        yield time.perf_counter() - started
