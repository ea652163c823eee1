"""Every optimum that ARX found, found again: results/reference/.

Reads arx_optima.csv and arx_uniqueness.csv and searches with the same data, model and measure. Where the
models are the same down to the order of suppression (k-anonymity, k-map, strict-average at its k) the
optima agree; where classes are suppressed until a risk passes, our order keeps more information.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from anonymizer import Policy
from anonymizer.data.opening import open_table
from anonymizer.data.staging import Staging
from anonymizer.data.table import Table
from anonymizer.estimators.pitman import fit_pitman
from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.evaluation.suppression import cut_classes
from anonymizer.lattice import Scheme
from anonymizer.problem import Problem
from anonymizer.risk import PUniqueness, Remaining
from anonymizer.risk.parsing import parse_model
from anonymizer.search import search
from anonymizer.table.classes import partition
from anonymizer.table.microdata import Microdata, encode
from experiments.datasets import (
    RESULTS,
    at_hand,
    data_from,
    figures_of,
    path_of,
    spec_of,
)
from experiments.running import options_of, run_main

DATASETS = ("adult", "cup", "fars")
MEASURES = {"loss geometric": "geometric", "loss arithmetic": "arithmetic"}


def main(arguments: Sequence[str] | None = None) -> None:
    options = options_of("reference", __doc__, data=True)
    options.add_argument("--only", nargs="+", choices=DATASETS, help="data sets to run")
    given = options.parse_args(arguments)
    with data_from(given.data):
        data = at_hand(given.only or DATASETS)
        optima = pd.DataFrame(compare(row) for row in optima_rows(data))
        uniqueness = pd.DataFrame(compare(row) for row in uniqueness_rows(data))
    with Staging(given.out or RESULTS / "reference") as staging:
        optima.to_csv(staging.path("optima.csv"), index=False)
        uniqueness.to_csv(staging.path("uniqueness.csv"), index=False)
        page = describe(optima, uniqueness)
        staging.path("README.md").write_text(page, encoding="utf-8")


def optima_rows(data: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Read the optima for which we have data and measure."""
    for row in pd.read_csv(figures_of("reference", "arx_optima.csv")).to_dict("records"):
        if row["dataset"] in data and row["measure"] in MEASURES and path_of(row["dataset"]):
            parameters = dict(item.split("=", 1) for item in row["parameters"].split())
            quasi = parameters.pop("qi", None)
            numbers = {k: v if k == "estimator" else json.loads(v) for k, v in parameters.items()}
            yield {
                **row,
                "risk": {"model": row["model"], **numbers},
                "quasi": list(json.loads(row["levels"])) if quasi else None,
            }


def uniqueness_rows(data: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Read the optima with p-uniqueness."""
    for row in pd.read_csv(figures_of("reference", "arx_uniqueness.csv")).to_dict("records"):
        if row["dataset"] in data and path_of(row["dataset"]):
            threshold, population = float(row["threshold"]), int(row["population"])
            risk = {"model": "p-uniqueness", "threshold": threshold, "population": population}
            yield {
                **row,
                "model": "p-uniqueness",
                "parameters": f"threshold={threshold:g} population={population}",
                "measure": "loss geometric",
                "suppression_limit": 1.0,
                "risk": risk,
                "quasi": None,
            }


@cache
def table_of(name: str, path: Path, quasi: tuple[str, ...] | None) -> tuple[Table, Microdata]:
    """Encode a data set once, with some of its columns or all."""
    table = open_table(path, ";")
    columns = [c for c in table.columns if quasi is None or c in quasi]
    policy = policy_of(name, columns, {"model": "k-anonymity", "k": 1})
    return table, encode(table, policy.load_hierarchies())


def policy_of(
    name: str, columns: list[str] | tuple[str, ...], risk: dict[str, Any], **more: Any
) -> Policy:
    """Write down what is searched for."""
    return Policy(
        attributes={c: {"role": "quasi", "hierarchy": spec_of(name, c)} for c in columns},
        risk=[risk],
        **more,
    )


def problem_of(row: dict[str, Any]) -> Problem:
    """Put a row's model to work on its data."""
    quasi = None if row["quasi"] is None else tuple(row["quasi"])
    path = path_of(row["dataset"])
    assert path is not None
    table, microdata = table_of(row["dataset"], path, quasi)
    policy = policy_of(
        row["dataset"],
        microdata.attributes,
        row["risk"],
        utility={"aggregate": MEASURES[row["measure"]]},
        release={"suppression_limit": float(row["suppression_limit"])},
    )
    return Problem.of(policy, table, microdata)


def compare(row: dict[str, Any]) -> dict[str, Any]:
    """Search, and set the optimum beside ARX's."""
    print(f"{row['dataset']} {row['model']} {row['parameters']}", file=sys.stderr, flush=True)
    problem = problem_of(row)
    evaluator, microdata = problem.evaluator, problem.microdata
    started = time.perf_counter()
    found = search(evaluator, problem.lattice)
    seconds = time.perf_counter() - started
    best = found.best
    assert best is not None
    levels = dict(zip(microdata.attributes, best.scheme, strict=True))
    theirs = json.loads(row["levels"])
    return {
        "data": row["dataset"],
        "model": row["model"],
        "parameters": row["parameters"],
        "measure": row["measure"],
        "suppression limit": row["suppression_limit"],
        "loss": best.loss,
        "ARX loss": row["loss"],
        "gain": row["loss"] - best.loss,
        "suppressed": best.suppressed_records,
        "ARX suppressed": row["suppressed"],
        "same levels": levels == theirs,
        "why": explain(evaluator, best.loss, row, tuple(theirs[a] for a in microdata.attributes)),
        "evaluated": found.proof.evaluated,
        "ARX evaluated": row["arx_evaluated"],
        "seconds": round(seconds, 2),
    }


def explain(evaluator: Evaluator, loss: float, row: dict[str, Any], scheme: Scheme) -> str:
    """Say where a difference to ARX comes from."""
    if abs(loss - row["loss"]) <= 1e-9:
        return "the same"
    if loss < row["loss"]:
        mine = evaluator.evaluate(scheme)
        if mine.suppressed_records == row["suppressed"]:
            return "as many records suppressed at ARX's scheme, the least informative first"
        return f"at ARX's scheme {mine.suppressed_records} records are enough"
    return explain_loss(evaluator, row, scheme)


def explain_loss(evaluator: Evaluator, row: dict[str, Any], scheme: Scheme) -> str:
    """Say what our model holds against the solution of ARX."""
    model = parse_model(row["risk"])
    classes = partition(evaluator.microdata, scheme)
    remaining = Remaining(evaluator.microdata, classes, classes.sizes < 0)
    cut = int(row["suppressed"])  # uniques go first, each with one record
    risk = evaluator.models[0].risk(remaining, cut)
    if not isinstance(model, PUniqueness):
        return f"ARX's solution has risk {risk:.3g}"
    gone = cut_classes(remaining, cut) if cut else classes.sizes < 0
    left = Remaining(evaluator.microdata, classes, gone).histogram
    fitted = fit_pitman(left.sizes, left.counts)
    where = (
        "no maximum"
        if fitted is None
        else f"alpha = {fitted.alpha:.4g}, theta = {fitted.theta:.6g}"
    )
    boundary = "; the likelihood is greatest on the boundary" if fitted and fitted.boundary else ""
    return f"ARX's solution has risk {risk:.3g} > {model.threshold:g} ({where}{boundary})"


def describe(optima: pd.DataFrame, uniqueness: pd.DataFrame) -> str:
    """Write the page that says what came out."""
    both = pd.concat([optima, uniqueness])
    lines = [
        "# Optima beside ARX's",
        "",
        "Written by `python -m experiments.reference`. `gain` is ARX's loss minus ours.",
        "",
        "| model | rows | the same (1e-9) | better | worse | largest gain | largest loss |",
        "|---|---|---|---|---|---|---|",
    ]
    for model, rows in both.groupby("model", sort=False):
        gain = rows["gain"]
        lines.append(
            f"| {model} | {len(rows)} | {(gain.abs() <= 1e-9).sum()} | {(gain > 1e-9).sum()} | "
            f"{(gain < -1e-9).sum()} | {max(gain.max(), 0):.2e} | {max(-gain.min(), 0):.2e} |"
        )
    lines += ["", "## Where they differ", ""]
    lines += ["| data | model | parameters | loss | ARX loss | why |", "|---|---|---|---|---|---|"]
    lines += [
        f"| {r['data']} | {r['model']} | {r['parameters']} | {r['loss']:.8f} | "
        f"{r['ARX loss']:.8f} | {r['why']} |"
        for r in both.to_dict("records")
        if r["why"] != "the same"
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    run_main(main, "reference")
