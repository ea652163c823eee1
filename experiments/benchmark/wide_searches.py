"""Wide tables: loss and gap after 1, 5, 10, 30 and 60 s, beside what ARX's heuristics had by then."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from anonymizer import Policy
from anonymizer.problem import Problem
from anonymizer.search import Limits, Progress, Status, search
from experiments.benchmark.growth import WIDE_ROWS, compile_kernels
from experiments.benchmark.wide import wide_policy, wide_register
from experiments.datasets import DATA, figures_of, path_of

SECONDS = (1, 5, 10, 30, 60)
TABLES = ("mach2019", "creditcard")
AGGREGATES = ("arithmetic", "geometric")
ARX_SECONDS = (1, 10, 30, 60)
"""When ARX's losses were noted."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A search: a table, some of its attributes, k and the aggregate."""

    table: str
    attributes: tuple[str, ...]
    k: int = 5
    aggregate: str = "arithmetic"
    whole: bool = True
    """Whether these are all attributes of the table."""

    @property
    def policy(self) -> Policy:
        """Describe the run; attributes that are left out are not released."""
        folder = DATA / self.table
        roles: dict[str, Any] = {
            name: {"role": "quasi", "hierarchy": folder / "hierarchies" / f"{name}.csv"}
            if name in self.attributes
            else {"role": "identifying"}
            for name in columns_of(self.table)
        }
        return Policy(
            data={"path": folder / "data.csv", "delimiter": ";", "rows_are_people": True},
            attributes=roles,
            risk=[{"model": "k-anonymity", "k": self.k}],
            utility={"aggregate": self.aggregate},
        )


def columns_of(table: str) -> tuple[str, ...]:
    """Return the columns of a table."""
    return tuple(pd.read_csv(DATA / table / "data.csv", sep=";", nrows=0))


def settings() -> Iterator[Setting]:
    """List the tables as they are, then random subsets of their attributes with other k."""
    at_hand = [table for table in TABLES if path_of(table)]
    for table in at_hand:
        for aggregate in AGGREGATES:
            yield Setting(table, columns_of(table), aggregate=aggregate)
    draw = random.Random(1)
    for table in at_hand:
        names = columns_of(table)
        for k in (2, 10):
            some = tuple(sorted(draw.sample(names, 3 * len(names) // 4), key=names.index))
            yield Setting(table, some, k, draw.choice(AGGREGATES), whole=False)


def measure_wide() -> Iterator[dict[str, Any]]:
    """Measure every setting, and the widest register."""
    for setting in settings():
        described = {
            "data": setting.table,
            "attributes": len(setting.attributes),
            "k": setting.k,
            "aggregate": setting.aggregate,
        }
        problem = Problem.read(None, setting.policy)
        arx = arx_losses(setting) if setting.whole else {}
        yield from rows_of(described, problem, arx)
    register = {"data": "register", "attributes": 20, "k": 5, "aggregate": "geometric"}
    yield from rows_of(register, Problem.read(wide_register(WIDE_ROWS, seed=1), wide_policy()), {})


def rows_of(
    described: dict[str, Any], problem: Problem, arx: dict[int, float]
) -> Iterator[dict[str, Any]]:
    """Search once, and say what was found after each number of seconds."""
    seen: list[Progress] = []
    compile_kernels(problem.evaluator, problem.lattice)
    limits = Limits(float(SECONDS[-1]))
    result = search(problem.evaluator, problem.lattice, limits, 1, seen.append)
    proven = seen[-1].seconds if result.status is Status.OPTIMAL else None
    for seconds in SECONDS:
        before = [progress for progress in seen if progress.seconds <= seconds]
        if not before or before[-1].best is None:
            continue
        last, done = before[-1], proven is not None and proven <= seconds
        yield {
            **described,
            "seconds": seconds,
            "loss": before[-1].best.loss,
            "bound": before[-1].best.loss if done else last.proof.bound,
            "gap": 0.0 if done else last.gap,
            "ARX's best": arx.get(seconds),
            "proven s": proven,
        }


def arx_losses(setting: Setting) -> dict[int, float]:
    """Return the best loss that any of ARX's heuristics had after some seconds, where it is known."""
    known = pd.read_csv(figures_of("benchmark", "arx_wide.csv"))
    of_arx = known["tool"].str.startswith("ARX") & (known["dataset"] == setting.table)
    rows = known[of_arx & (known["measure"] == f"loss {setting.aggregate}")]
    return {second: float(rows[f"loss_{second}s"].min()) for second in ARX_SECONDS}
