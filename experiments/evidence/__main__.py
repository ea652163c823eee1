"""python -m experiments.evidence: what releases of ADULT and the demo register are worth.

For k = 2, 5, 10 and for sources: the overlap of the 95 % intervals of regressions (Karr et al. 2006), and
the accuracy on held-out original records of models that learned from the release, beside those that
learned from the original and the majority class. Writes results/evidence/. `--quick` takes a part of each
table and writes only to `--out`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
from rich.console import Console

from anonymizer import Policy, Solution, anonymize, evidence
from anonymizer.analyses.regression import INTERCEPT
from anonymizer.analyses.result import Result
from anonymizer.data.files import specs_folder
from anonymizer.demo import population, register
from anonymizer.demo.tables import QUASI_IDENTIFIERS
from experiments.datasets import (
    RESULTS,
    data_from,
    describe_absent,
    path_of,
    spec_of,
)
from experiments.evidence.picture import draw
from experiments.layers.__main__ import SOURCES
from experiments.running import options_of, run_main

KS = (2, 5, 10)
SEED = 2024
OnStep = Callable[[str], None]
SALARY = {
    "kind": "logistic",
    "formula": "`salary-class` ~ age + sex + race + `marital-status`",
    "positive": ">50K",
}
STAY = {
    "kind": "linear",
    "formula": "length_of_stay ~ age + sex + race + marital_status + education",
}
ADULT = (
    {"name": "salary by midpoints", **SALARY},
    {"name": "salary by categories", **SALARY, "generalized": "category"},
    {
        "name": "salary predicted",
        "kind": "prediction",
        "response": "salary-class",
        "predictors": [
            "age", "sex", "race", "education", "marital-status", "native-country", "workclass",
            "occupation",
        ],
    },
)  # fmt: skip
REGISTER = (
    {"name": "stay by midpoints", **STAY},
    {"name": "stay by categories", **STAY, "generalized": "category"},
    {
        "name": "chapter predicted",
        "kind": "prediction",
        "response": "chapter",
        "predictors": ["age", "sex", "race", "marital_status", "education", "admission_date"],
    },
)


@dataclass(frozen=True)
class Data:
    """A table, the analyses that are made of it, and its columns."""

    name: str
    table: pd.DataFrame
    attributes: dict[str, dict[str, Any]]
    analyses: Sequence[dict[str, Any]]
    statement: Path
    id: str | None = None

    def models(self) -> dict[str, dict[str, Any]]:
        """Return the risk models by name."""
        by_k = {f"k = {k}": {"model": "k-anonymity", "k": k} for k in KS}
        return {**by_k, "sources": {"model": "sources", "statement": self.statement}}

    def solve(self, risk: dict[str, Any]) -> Solution:
        """Find the best release under a risk model."""
        policy = Policy(
            data={} if self.id is None else {"id": self.id},
            attributes=self.attributes,
            risk=[risk],
            analysis=list(self.analyses),
        )
        return anonymize(self.table, policy)


def main(arguments: Sequence[str] | None = None) -> None:
    options = options_of("evidence", __doc__, data=True, quick="a part of each table; to --out")
    given = options.parse_args(arguments)
    folder = given.out or (None if given.quick else RESULTS / "evidence")
    status_of, scratch_of = Console(stderr=True).status("starting"), TemporaryDirectory()
    with data_from(given.data), scratch_of as scratch, status_of as status:
        sets = [*adult(Path(scratch), given.quick), demo(given.quick)]
        found = [row for each in sets for row in measure(each, status.update)]
    regressions = pd.DataFrame([row for row in found if "overlap" in row])
    predictions = pd.DataFrame([row for row in found if "accuracy" in row])
    for name, table in (("regression", regressions), ("prediction", predictions)):
        print(table.to_string(index=False))
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            table.to_csv(folder / f"{name}.csv", index=False, float_format="%.6f")
    if folder is not None:
        draw(regressions, predictions, folder / "evidence.png")


def adult(scratch: Path, quick: bool) -> Iterator[Data]:
    """Return ADULT with the salary as what is analysed, where it is at hand."""
    path = path_of("adult")
    if path is None:
        print(describe_absent("adult"), file=sys.stderr)
        return
    table = pd.read_csv(path, sep=";", dtype=str)
    quasi = [name for name in table if name != "salary-class"]
    attributes = {name: {"role": "quasi", "hierarchy": spec_of("adult", name)} for name in quasi}
    statement = scratch / "sources.toml"
    statement.write_text(SOURCES, encoding="utf-8")
    rest = {"salary-class": {"role": "sensitive"}}
    yield Data("adult", part(table, quick), {**attributes, **rest}, ADULT, statement)


def demo(quick: bool) -> Data:
    """Return the demo register with the chapter of each diagnosis, its letter in the ICD-10."""
    people, size = (20_000, 3_000) if quick else (1_000_000, 30_000)
    table = register(population(people, SEED), size, SEED)
    table["chapter"] = table["diagnosis"].str[0]
    specs, quasi = specs_folder() / "demo", (*QUASI_IDENTIFIERS, "admission_date")
    attributes = {
        **{name: {"role": "quasi", "hierarchy": specs / f"{name}.toml"} for name in quasi},
        "patient_id": {"role": "identifying"},
        "diagnosis": {"role": "sensitive"},
        "chapter": {"role": "sensitive"},
        "length_of_stay": {"role": "insensitive"},
    }
    return Data("register", table, attributes, REGISTER, specs / "statement.toml", "patient_id")


def part(table: pd.DataFrame, quick: bool) -> pd.DataFrame:
    """Return some rows, or all."""
    return table.sample(3_000, random_state=SEED) if quick else table


def measure(data: Data, step: OnStep) -> Iterator[dict[str, Any]]:
    """Make every analysis of every release of a table."""
    for name, risk in data.models().items():
        step(f"{data.name}, {name}")
        solution = data.solve(risk)
        release = {
            "data": data.name,
            "model": name,
            "quality": solution.quality,
            "suppressed": solution.suppressed,
        }
        step(f"{data.name}, {name}: the analyses")
        for result in evidence(solution).results:
            for row in rows_of(result):
                yield {**release, "analysis": result.analysis.name, **row}


def rows_of(result: Result) -> Iterator[dict[str, Any]]:
    """Write a regression in one row, and a prediction in one for each model."""
    if result.analysis.kind == "prediction":
        for row in result.rows:
            yield {
                "learner": row.model,
                "accuracy on original": row.before,
                "accuracy": row.after,
                "deviation": row.after_deviation,
            }
        return
    terms = [row for row in result.rows if row.term != INTERCEPT]
    yield {
        "overlap": result.value,
        "coefficients": len(terms),
        "lost": sum(row.change == "lost" for row in terms),
        "sign changed": sum("sign" in row.change.split() for row in terms),
        "significance changed": sum("significance" in row.change.split() for row in terms),
        "least overlap of an estimate": min(
            (row.overlap for row in terms if row.after is not None), default=None
        ),
    }


if __name__ == "__main__":
    run_main(main, "evidence")
