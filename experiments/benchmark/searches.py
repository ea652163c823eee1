"""What a proven optimum costs: one search for each data set, model and threshold."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from anonymizer.problem import Problem
from anonymizer.risk import AttributeGroup, Scenario
from anonymizer.search import SearchParams, StopReason, search
from experiments.benchmark.clock import best_of, group_by_seconds, peak_bytes, reset_peak
from experiments.datasets import figures_of, policy_of

Risk = dict[str, Any]

KS = (2, 5, 10)
COMPILED = SearchParams(boxes_work=0, unscreened_work=0)
"""With all that is compiled from the start, in small lattices too: once compiled, it is faster."""
POPULATIONS = {"Houston": 2_200_000, "Texas": 27_000_000, "USA": 318_900_000}
K_ANONYMITY: list[Risk] = [{"model": "k-anonymity", "k": k} for k in KS]
PAPER: list[Risk] = [
    *({"model": "strict-average", "k": k, "threshold": t} for k, t in ((3, 0.2), (2, 0.2))),
    *({"model": "strict-average", "k": k, "threshold": t} for k, t in ((5, 0.1), (3, 0.1))),
    *({"model": "k-map", "k": k, "population": n} for k in (5, 10) for n in POPULATIONS.values()),
]
"""The thresholds of Prasser et al. 2016."""
FURTHER: list[Risk] = [
    *({"model": "average", "threshold": t} for t in (0.2, 0.1)),
    {"model": "sample-uniqueness", "threshold": 0.01},
    {"model": "overall", "threshold": 0.01},
]


def uniqueness_of(name: str) -> list[Risk]:
    """List p-uniqueness at every threshold and population that ARX was measured with."""
    rows = pd.read_csv(figures_of("reference", "arx_uniqueness.csv"))
    rows = rows[rows["dataset"] == name]
    return [
        {"model": "p-uniqueness", "threshold": float(t), "population": int(n)}
        for t, n in zip(rows["threshold"], rows["population"], strict=True)
    ]


class Searches:
    """One data set, read once, with the time of its group-by."""

    def __init__(self, name: str, path: Path) -> None:
        self.name, self.path = name, path
        self.unit = group_by_seconds(pd.read_csv(path, sep=";", dtype=str))
        self.problem = Problem.read(path, policy_of(name, path, K_ANONYMITY[0]))
        self.microdata = self.problem.microdata

    def measure(self, risk: Risk, repeats: int = 3) -> dict[str, Any]:
        """Search some times, the first time to compile; return the shortest."""
        given = {**risk, "scenario": self.scenario()} if risk["model"] == "overall" else risk
        policy = policy_of(self.name, self.path, given)
        problem = self.problem.with_policy(policy)
        evaluator, lattice = problem.evaluator, problem.lattice
        found = search(evaluator, lattice, params=COMPILED)
        reset_peak()
        seconds = best_of(repeats, lambda: search(evaluator, lattice, params=COMPILED))
        assert found.best is not None
        assert found.stopped is StopReason.COMPLETE
        return {
            "data": self.name,
            "records": self.microdata.records,
            "distinct": self.microdata.distinct,
            "model": risk["model"],
            "parameters": parameters_of(risk),
            "schemes": found.proof.schemes,
            "evaluated": found.proof.effort,
            "loss": round(found.best.loss, 9),
            "suppressed": found.best.suppressed_records,
            **arx_figures(self.name, risk, found.best.loss),
            "group-by ms": round(1000 * self.unit, 2),
            "search / group-by": round(seconds / self.unit, 1),
            "peak MiB": peak_bytes() >> 20,
        }

    def scenario(self) -> Scenario:
        """Invent an attacker who may learn the attributes in three groups."""
        parts = [self.microdata.attributes[start::3] for start in range(3)]
        groups = [
            AttributeGroup(part, probability=probability)
            for part, probability in zip(parts, (0.6, 0.3, 0.1), strict=True)
        ]
        rates = {"p_m": 0.2, "p_fm": 0.5, "p_c": 0.2, "p_cu": 0.5}
        return Scenario(tuple(groups), POPULATIONS["USA"], **rates)


def measure_all(name: str, path: Path) -> Iterator[dict[str, Any]]:
    """Measure every model on a data set; on the stand-ins, those of the paper."""
    searches = Searches(name, path)
    small = searches.microdata.distinct < 100_000
    for risk in [*K_ANONYMITY, *PAPER, *((*FURTHER, *uniqueness_of(name)) if small else ())]:
        yield searches.measure(risk, repeats=3 if small else 2)


def parameters_of(risk: Risk) -> str:
    """Write a model's parameters in one cell."""
    return " ".join(f"{key}={value:g}" for key, value in risk.items() if key != "model")


def arx_figures(name: str, risk: Risk, loss: float) -> dict[str, Any]:
    """Return what ARX evaluated for the same optimum, and how far its loss is from ours."""
    reference = arx_row(name, risk)
    if reference is None:
        return {"ARX evaluated": None, "loss - ARX's": None}
    return {
        "ARX evaluated": int(reference["arx_evaluated"]),
        "loss - ARX's": f"{loss - reference['loss']:.0e}",
    }


def arx_row(name: str, risk: Risk) -> dict[str, Any] | None:
    """Find the row of the reference for a search, if there is one."""
    if risk["model"] == "p-uniqueness":
        rows = pd.read_csv(figures_of("reference", "arx_uniqueness.csv"))
        same = (rows["threshold"] == risk["threshold"]) & (rows["population"] == risk["population"])
        rows = rows[same & (rows["dataset"] == name)]
    else:
        rows = pd.read_csv(figures_of("reference", "arx_optima.csv"))
        rows = rows[(rows["measure"] == "loss geometric") & (rows["suppression_limit"] == 1)]
        rows = rows[rows["dataset"].isin([name, f"{name} stand-in"])]
        rows = rows[(rows["model"] == risk["model"]) & rows["parameters"].map(asks_for(risk))]
    return rows.iloc[0].to_dict() if len(rows) else None


def asks_for(risk: Risk) -> Any:
    """Return whether a cell such as `k=5 threshold=0.1` asks for what a search does."""
    wanted = {key: float(value) for key, value in risk.items() if key != "model"}

    def matches(cell: str) -> bool:
        given = dict(item.split("=") for item in cell.split())
        numbers = {key: float(given[key]) for key in wanted if key in given}
        return numbers == wanted and "qi" not in given

    return matches
