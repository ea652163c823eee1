"""Cost over growing work, and the gap over time where there is no time for a proof: with pictures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from anonymizer import Policy
from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.lattice import Lattice
from anonymizer.problem import Problem
from anonymizer.search import Limits, Progress, SearchParams, search
from anonymizer.search.subtree_bounds import SubtreeBounds
from experiments.benchmark.clock import best_of, group_by_seconds, peak_bytes, reset_peak
from experiments.benchmark.searches import Searches
from experiments.benchmark.wide import (
    WIDE_QUASI_IDENTIFIERS,
    wide_policy,
    wide_register,
)
from experiments.datasets import draw_stand_in, path_of, policy_of

ROWS = tuple(int(10 ** (exponent / 2)) for exponent in range(8, 15))
ATTRIBUTES = (4, 6, 8, 10, 12, 14, 16, 18, 20)
KS = (2, 3, 5, 10, 20, 50, 100)
WIDE_ROWS = 100_000
SECONDS = 60.0
"""For one search on the wide register."""


def cost_over_rows(folder: Path) -> Iterator[dict[str, Any]]:
    """Search growing parts of the registry stand-in, nine attributes, k = 5."""
    path = draw_stand_in("registry", folder)
    if path is None:
        return
    whole = pd.read_csv(path, sep=";", dtype="category")
    for rows in ROWS:
        part = whole.head(rows)
        unit = group_by_seconds(part.astype(str))
        policy = policy_of("registry", path, {"model": "k-anonymity", "k": 5})
        yield {"over": "rows", "at": rows, **measure_search(part, policy, unit)}


def cost_over_attributes() -> Iterator[dict[str, Any]]:
    """Search the wide register with more and more of its attributes, k = 5."""
    register = wide_register(WIDE_ROWS, seed=1)
    for attributes in ATTRIBUTES:
        policy = wide_policy(WIDE_QUASI_IDENTIFIERS[:attributes])
        unit = group_by_seconds(register[list(policy.quasi_identifiers)].astype(str))
        yield {"over": "attributes", "at": attributes, **measure_search(register, policy, unit)}


def cost_over_k() -> Iterator[dict[str, Any]]:
    """Search ADULT with growing k."""
    path = path_of("adult")
    if path is None:
        return
    searches = Searches("adult", path)
    for k in KS:
        row = searches.measure({"model": "k-anonymity", "k": k})
        seconds = row["search / group-by"] * searches.unit
        yield {
            "over": "k", "at": k, "distinct": row["distinct"], "schemes": row["schemes"],
            "evaluated": row["evaluated"], "seconds": round(seconds, 4),
            "search / group-by": row["search / group-by"], "gap": 0.0, "relative gap": 0.0,
            "peak MiB": row["peak MiB"],
        }  # fmt: skip


def measure_search(frame: pd.DataFrame, policy: Policy, unit: float) -> dict[str, Any]:
    """Search for at most a minute; a search that ends within a second is timed again."""
    problem = Problem.read(frame, policy)
    microdata, evaluator, lattice = problem.microdata, problem.evaluator, problem.lattice
    compile_kernels(evaluator, lattice)
    reset_peak()
    found: list[Any] = []
    limits = Limits(seconds=SECONDS)
    seconds = best_of(1, lambda: found.append(search(evaluator, lattice, limits)))
    if seconds < 1:
        seconds = min(seconds, best_of(3, lambda: search(evaluator, lattice, limits)))
    result = found[0]
    return {
        "distinct": microdata.distinct,
        "schemes": lattice.size,
        "evaluated": result.proof.effort,
        "seconds": round(seconds, 4),
        "search / group-by": round(seconds / unit, 1),
        "gap": round(result.gap, 6),
        "relative gap": round(result.gap / result.best.loss, 4),
        "peak MiB": peak_bytes() >> 20,
    }


def gap_over_time() -> list[dict[str, Any]]:
    """Search the widest register, 20 attributes, for a minute, with one worker and with two."""
    register = wide_register(WIDE_ROWS, seed=1)
    return [row for workers in (1, 2) for row in watch(register, workers)]


def compile_kernels(evaluator: Evaluator, lattice: Lattice) -> None:
    """Bound the lattice with one partition, so that what is measured later does not compile."""
    prepared = SubtreeBounds.prepare([evaluator], SearchParams())
    if prepared is not None:
        steps = np.zeros((len(lattice.high), max(lattice.high) + 1))
        prepared.bound(lattice, 0.0, steps, budget=1)


def watch(register: pd.DataFrame, workers: int) -> list[dict[str, Any]]:
    """Note best loss and bound as they move, and where they end."""
    policy = wide_policy()
    problem = Problem.read(register, policy)
    evaluator, lattice = problem.evaluator, problem.lattice
    seen: list[dict[str, Any]] = []

    def note(progress: Progress) -> None:
        if progress.best is None:
            return
        loss, bound = progress.best.loss, progress.proof.bound
        seen.append({
            "workers": workers, "schemes": lattice.size, "seconds": progress.seconds,
            "evaluated": progress.proof.effort, "loss": loss, "bound": bound, "gap": loss - bound,
        })  # fmt: skip

    compile_kernels(evaluator, lattice)
    search(evaluator, lattice, Limits(SECONDS), workers, note)
    return thin_out(seen)


def thin_out(seen: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Keep where something moved, but not more often than the eye can tell, and the first of the best."""
    best = min(row["gap"] for row in seen)
    reached = next(row for row in seen if row["gap"] == best)
    kept = seen[:1]
    for row in seen[1:-1]:
        moved = row["gap"] != kept[-1]["gap"] and row["seconds"] > 1.02 * kept[-1]["seconds"]
        if moved or row is reached:
            kept.append(row)
    return [*kept, *seen[1:][-1:]]
