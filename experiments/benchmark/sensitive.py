"""Models of a sensitive attribute: every row that ARX was measured with, in group-bys."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from anonymizer import Policy
from anonymizer.data.pandas import FrameTable
from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.problem import Problem
from anonymizer.risk import KAnonymity
from anonymizer.search import SearchParams, search
from experiments.benchmark.clock import best_of, group_by_seconds
from experiments.datasets import figures_of, path_of, spec_of

SCREENED = SearchParams(unscreened_work=0)
"""With screening from the start, where it is of use: once compiled, it is faster."""

EVALUATED = 60
"""Schemes, drawn at random, that are evaluated with and without the model, to compare what that costs."""
SUBSET_STEP = 3
"""The research subset of delta-presence: every third row, the first one too."""


def reference_rows() -> list[dict[str, Any]]:
    """Read ARX's figures."""
    return pd.read_csv(figures_of("benchmark", "arx_sensitive.csv")).to_dict("records")  # type: ignore[return-value]


def risks_of(row: Mapping[str, Any], population: Any = None) -> list[dict[str, Any]]:
    """Write the models of a row as a policy does."""
    given = {key: float(v) for key, v in (part.split("=") for part in row["parameters"].split())}
    of = {"attribute": row["sensitive"]}
    name, _, kind = row["model"].partition("-")
    risks: list[dict[str, Any]] = []
    if "k" in given:
        risks.append({"model": "k-anonymity", "k": int(given["k"])})
    if name == "t":
        distance = kind.removeprefix("closeness-")
        return [*risks, {"model": "t-closeness", **of, "t": given["t"], "distance": distance}]
    if name == "beta":
        enhanced = kind == "enhanced"
        return [
            *risks,
            {"model": "beta-likeness", **of, "beta": given["beta"], "enhanced": enhanced},
        ]
    if row["model"] == "delta-presence":
        limits = {"minimum": given["dmin"], "maximum": given["dmax"]}
        return [*risks, {"model": row["model"], **limits, "population_table": population}]
    if row["model"] == "delta-disclosure":
        return [*risks, {"model": row["model"], **of, "delta": given["delta"], "absent": "skip"}]
    numbers: dict[str, float] = {"l": given["l"] if name == "entropy" else int(given["l"])}
    if "c" in given:
        numbers["c"] = given["c"]
    return [*risks, {"model": row["model"], **of, **numbers}]


def policy_of_row(row: Mapping[str, Any], columns: list[str], population: Any = None) -> Policy:
    """Make every column but the sensitive one a quasi-identifier."""
    return Policy(
        data={"delimiter": ";"},
        attributes={
            name: {
                "role": "sensitive" if name == row["sensitive"] else "quasi",
                "hierarchy": spec_of(row["dataset"], name),
            }
            for name in columns
        },
        risk=risks_of(row, population),
        release={"suppression_limit": row["suppression_limit"]},
    )


class Tables:
    """The data sets, each read once for each sensitive attribute."""

    def __init__(self) -> None:
        self.frames: dict[str, pd.DataFrame] = {}
        self.problems: dict[tuple[str, str], Problem] = {}

    def frame(self, name: str) -> pd.DataFrame:
        """Read a data set."""
        if name not in self.frames:
            path = path_of(name)
            assert path is not None
            self.frames[name] = pd.read_csv(path, sep=";", dtype=str)
        return self.frames[name]

    def problem(self, row: Mapping[str, Any]) -> Problem:
        """Put the models of a row to its data set."""
        frame = self.frame(row["dataset"])
        columns = list(frame)
        if row["model"] == "delta-presence":
            subset = frame.iloc[::SUBSET_STEP].reset_index(drop=True)
            return Problem.read(FrameTable(subset), policy_of_row(row, columns, frame))
        policy, key = policy_of_row(row, columns), (row["dataset"], row["sensitive"])
        if key not in self.problems:
            self.problems[key] = Problem.read(FrameTable(frame), policy)
        return self.problems[key].with_policy(policy)


def measure_sensitive(repeats: int = 6) -> Iterator[dict[str, Any]]:
    """Search for the optimum of every row, the first time to compile."""
    tables = Tables()
    for row in reference_rows():
        if path_of(row["dataset"]) is not None:
            yield measure_row(tables, row, repeats)


def evaluation_ratio(problem: Problem, repeats: int) -> float:
    """Return what an evaluation costs, over one with k-anonymity alone."""
    drawn, lattice = random.Random(1), problem.lattice
    schemes = [tuple(map(drawn.randint, lattice.low, lattice.high)) for _ in range(EVALUATED)]
    plain = replace(problem.evaluator, models=(KAnonymity(5),))

    def seconds(evaluator: Evaluator) -> float:
        return best_of(repeats, lambda: list(map(evaluator.evaluate, schemes)), time.process_time)

    return seconds(problem.evaluator) / seconds(plain)


def measure_row(tables: Tables, row: Mapping[str, Any], repeats: int) -> dict[str, Any]:
    """Search some times; return the shortest, beside ARX's seconds for the same.

    Processor time, of one worker: how busy the machine is plays a smaller part.
    """
    problem = tables.problem(row)
    evaluator, lattice = problem.evaluator, problem.lattice
    started = time.process_time()
    found = search(evaluator, lattice, params=SCREENED)
    seconds = time.process_time() - started
    if repeats > 1:
        again = lambda: search(evaluator, lattice, params=SCREENED)  # noqa: E731
        seconds = best_of(repeats - 1, again, time.process_time)
    assert found.best is not None
    levels = json.loads(row["levels"])
    # measured beside each search, so that both find the machine as busy
    unit = group_by_seconds(tables.frame(row["dataset"]), time.process_time)
    return {
        "data": row["dataset"],
        "model": row["model"],
        "parameters": row["parameters"],
        "sensitive": "" if row["model"] == "delta-presence" else row["sensitive"],
        "limit": row["suppression_limit"],
        "schemes": found.proof.schemes,
        "evaluated": found.proof.effort,
        "status": found.status.value,
        "loss": round(found.best.loss, 9),
        "loss - ARX's": f"{found.best.loss - row['loss']:.0e}",
        "levels as ARX": problem.named(found.best.scheme) == levels,
        "suppressed": found.best.suppressed_records,
        "suppressed - ARX's": found.best.suppressed_records - row["suppressed"],
        "group-by ms": round(1000 * unit, 2),
        "search / group-by": round(seconds / unit, 1),
        "evaluation / k-anonymity": round(evaluation_ratio(problem, repeats), 2),
        "ARX evaluated": row["arx_evaluated"],
        "ARX s": row["seconds"],
    }
