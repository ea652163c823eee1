"""A proof file for every reference optimum: results/proofs/.

Searches for each optimum of arx_optima.csv and arx_sensitive.csv, of arx_uniqueness.csv on ADULT, and
for two of models of single people that ARX does not have; writes its proof file and lets the checker
check it. The time of the check stands beside those of the search and of the writer. Processor time, so
that others on the machine play a smaller part. Rows that the file has already are left as they are.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd

from anonymizer.attackers.scenario import Scenario
from anonymizer.attackers.statement import Statement
from anonymizer.problem import Problem
from anonymizer.proof.case import case_of
from anonymizer.proof.checker import check
from anonymizer.proof.table import Unsupported
from anonymizer.proof.writer import fast, write_proof
from anonymizer.risk import Overall, Sources
from anonymizer.search import search
from experiments.benchmark.sensitive import Tables, reference_rows
from experiments.datasets import RESULTS, at_hand, data_from
from experiments.reference.__main__ import DATASETS, optima_rows, problem_of, uniqueness_rows
from experiments.running import options_of, run_main

Found = TypeVar("Found")
KEYS = ("data", "model", "parameters", "measure", "limit")
SOURCES = Statement(
    source=[
        {"name": "register", "keys": ["sex", "age", "race", "marital-status"], "p": 0.5},
        {"name": "newspapers", "keys": ["age", "occupation", "native-country"], "p": 0.3},
    ]
)
SCENARIO = Scenario.parse(
    {
        "population": 30_000_000, "p_m": 0.1, "p_fm": 0.5, "p_c": 0.5, "p_cu": 0.5,
        "learned": [
            {"attributes": ["sex", "age", "race"], "probability": 0.64},
            {"attributes": ["occupation", "workclass"], "probability": 0.3},
            {"attributes": ["*"], "probability": 0.05},
        ],
    }
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    options = options_of("proofs", __doc__, data=True)
    options.add_argument("--only", nargs="+", choices=DATASETS, help="data sets to run")
    given = options.parse_args(arguments)
    with data_from(given.data):
        make(at_hand(given.only or DATASETS), given.out or RESULTS / "proofs")


def make(data: Sequence[str], folder: Path) -> None:
    """Measure every row that the folder does not have yet, and write each as it comes."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = known_rows(folder / "proofs.csv")
    known = [tuple(str(row[key]) for key in KEYS) for row in rows]
    for name, problem in problems(data):
        if tuple(str(name[key]) for key in KEYS) in known:
            continue
        print(name["data"], name["model"], name["parameters"], file=sys.stderr, flush=True)
        rows.append({**name, **measure(problem())})
        table = pd.DataFrame(rows)
        table.to_csv(folder / "proofs.csv", index=False)
        (folder / "README.md").write_text(describe(table), encoding="utf-8")


def known_rows(path: Path) -> list[dict[str, Any]]:
    """Return the rows that were measured before; remove the file to measure them again."""
    return pd.read_csv(path).to_dict("records") if path.is_file() else []  # type: ignore[return-value]


def problems(data: Sequence[str]) -> Iterator[tuple[dict[str, Any], Callable[[], Problem]]]:
    """Yield every row by what is asked, and what puts it to its data."""
    for row in optima_rows(data):
        yield named(row), lambda row=row: problem_of(row)  # type: ignore[misc]
    if "adult" in data:
        first = next(optima_rows(["adult"]))
        name = {"data": "adult", "measure": "loss geometric", "limit": 1.0}
        for model in (Sources(SOURCES), Overall(0.1, SCENARIO, "maximum")):
            asked = {**name, "model": model.name, "parameters": str(model)}
            yield asked, lambda model=model: problem_of(first).with_models(model)  # type: ignore[misc]
    for row in uniqueness_rows([name for name in data if name == "adult"]):
        if row["threshold"] < 0.1:  # from there on, nothing is proven of it
            yield named(row), lambda row=row: problem_of(row)  # type: ignore[misc]
    tables = Tables()
    rows = [row for row in reference_rows() if row["dataset"] in data]
    # the quick ones first: the others look at nearly every scheme
    for row in sorted(rows, key=lambda row: row["model"].startswith(("beta", "delta-d"))):
        yield named(row), lambda row=row: tables.problem(row)  # type: ignore[misc]


def named(row: dict[str, Any]) -> dict[str, Any]:
    """Name a row by what is asked."""
    return {
        "data": row["dataset"],
        "model": row["model"],
        "parameters": row["parameters"],
        "measure": row["measure"],
        "limit": row["suppression_limit"],
    }


def measure(problem: Problem) -> dict[str, Any]:
    """Search, write the proof, check it."""
    search(problem.evaluator, problem.lattice)  # compiles
    searching, found = timed(lambda: search(problem.evaluator, problem.lattice))
    best = found.best
    assert best is not None
    try:
        case = case_of(problem)
    except Unsupported as error:
        return {"accepted": f"no proof file: {error}", "seconds to search": searching}
    writing, proof = timed(lambda: write_proof(fast(case, problem.microdata), best.scheme))
    assert proof is not None
    checking, checked = timed(lambda: check(proof, case))
    reasons = Counter(closed.reason for _, _, closed in proof.boxes())
    return {
        "accepted": "yes",
        "schemes": checked.schemes,
        "loss": proof.claim.loss,
        "suppressed": proof.claim.suppressed,
        "closed boxes": checked.boxes,
        "evaluated": reasons["evaluated"],
        "witnesses": checked.witnesses,
        "bytes": len(proof.to_bytes()),
        "seconds to write": writing,
        "seconds to check": checking,
        "seconds to search": searching,
        "on trust": "; ".join(checked.trusted),
    }


def timed(work: Callable[[], Found]) -> tuple[float, Found]:
    """Return the processor time that something takes, and what it gives."""
    started = time.process_time()
    found = work()
    return round(time.process_time() - started, 3), found


def describe(table: pd.DataFrame) -> str:
    """Write the page that says what came out."""
    accepted = table[table["accepted"] == "yes"]
    lines = [
        "# Proof files of the reference optima",
        "",
        "Written by `python -m experiments.proofs`: seconds are of processor time, medians.",
        f"{len(accepted)} of {len(table)} rows have a proof file, and the checker accepts each of them.",
        "",
        "| data | model | rows | closed boxes | witnesses | kB | write | check | search |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for (data, model), rows in accepted.groupby(["data", "model"], sort=False):
        middle = rows.median(numeric_only=True)
        lines.append(
            f"| {data} | {model} | {len(rows)} | {middle['closed boxes']:.0f} | "
            f"{middle['witnesses']:.0f} | {middle['bytes'] / 1000:.0f} | "
            f"{middle['seconds to write']:.2f} | {middle['seconds to check']:.2f} | "
            f"{middle['seconds to search']:.2f} |"
        )
    without = table[table["accepted"] != "yes"]
    lines += ["", *(f"- {r['data']} {r['model']}: {r['accepted']}" for _, r in without.iterrows())]
    trusted = sorted(
        {line for text in accepted["on trust"].dropna() for line in text.split("; ") if line}
    )
    lines += ["", "Taken on trust:", "", *(f"- {line}" for line in trusted)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    run_main(main, "proofs")
