"""ARX beside us: k-anonymity on the benchmark data, beside the figures of the reference."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import pandas as pd

from anonymizer import InfeasibleError, Policy, Problem, anonymize
from anonymizer.errors import AnonymizerError
from experiments.benchmark.arx import (
    AGGREGATES,
    ALGORITHMS,
    VARIABLE,
    ArxError,
    Settings,
    find_jar,
    header,
    measure,
)
from experiments.datasets import figures_of, path_of, spec_of

DATASETS = ["adult", "cup", "fars"]
FIGURES = {"loss": "loss", "suppressed": "suppressed", "evaluated": "arx_evaluated"}
"""Our names and the reference's."""


def main(arguments: list[str] | None = None) -> None:
    options = argparse.ArgumentParser(
        prog="python -m experiments.benchmark.arx", description=__doc__
    )
    options.add_argument("--arx", type=Path, help=f"libarx-*.jar; left out: ${VARIABLE}")
    options.add_argument("--only", nargs="+", default=DATASETS, help="data sets; left out: all")
    options.add_argument("--k", type=int, nargs="+", default=[2, 5, 10])
    options.add_argument("--attributes", nargs="+", help="left out: every column")
    options.add_argument("--weight", nargs="+", default=[], metavar="ATTRIBUTE=NUMBER")
    options.add_argument("--aggregate", choices=AGGREGATES, default="geometric")
    options.add_argument("--suppression-limit", type=float, default=1.0)
    options.add_argument("--algorithm", choices=ALGORITHMS, default="optimal")
    options.add_argument("--time-limit", type=float, help="seconds for each search, ours as well")
    chosen = options.parse_args(arguments)
    try:
        jar = find_jar(chosen.arx)
        if jar is None:
            raise ArxError(f"no ARX is given; name libarx-*.jar with --arx or {VARIABLE}.")
        settings = settings_of(chosen)
        for name in chosen.only:
            for k in chosen.k:
                risk = {"model": "k-anonymity", "k": k}
                (row,) = measure(jar, name, [risk], settings)
                expected = reference(name, k) if settings == Settings() else {}
                print(compare(row, search_ourselves(name, risk, settings), expected), flush=True)
    except AnonymizerError as error:
        options.exit(2, f"{error}\n")


def settings_of(chosen: argparse.Namespace) -> Settings:
    """Return how to search; heuristics use up their time, so they run once."""
    heuristic = chosen.algorithm != "optimal"
    return Settings(
        algorithm=chosen.algorithm,
        aggregate=chosen.aggregate,
        suppression_limit=chosen.suppression_limit,
        attributes=tuple(chosen.attributes) if chosen.attributes else None,
        weights=dict(map(weight, chosen.weight)) or None,
        time_limit=chosen.time_limit or (60.0 if heuristic else None),
        warmups=0 if heuristic else 2,
        repeats=1 if heuristic else 5,
    )


def weight(text: str) -> tuple[str, float]:
    """Read ATTRIBUTE=NUMBER."""
    attribute, _, number = text.rpartition("=")
    try:
        return attribute, float(number)
    except ValueError:
        raise ArxError(f"--weight {text}: write ATTRIBUTE=NUMBER, as in age=0.5.") from None


def search_ourselves(name: str, risk: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """Search the same with anonymizer, warm, one worker: loss, evaluated schemes and seconds."""
    path = path_of(name)
    assert path is not None
    attributes, weights = settings.attributes or tuple(header(path)), settings.weights or {}
    quasi = {
        a: {"role": "quasi", "hierarchy": spec_of(name, a), "weight": weights.get(a, 1.0)}
        for a in attributes
    }
    policy = Policy(
        data={"path": path, "delimiter": ";", "default_role": "identifying"},
        attributes=quasi,
        risk=[risk],
        utility={"aggregate": settings.aggregate},
        search={"time_limit": settings.time_limit},
        release={"suppression_limit": settings.suppression_limit},
    )
    problem = Problem.read(path, policy, warn=False)
    try:
        anonymize(problem)
    except InfeasibleError:
        return {"status": "no solution"}
    started, worked = time.perf_counter(), time.process_time()
    found = anonymize(problem)
    return {
        "loss": found.loss,
        "gap": found.gap,
        "evaluated": found.proof.evaluated,
        "search_seconds": round(time.perf_counter() - started, 3),
        "cpu_seconds": round(time.process_time() - worked, 3),
    }


def compare(row: dict[str, Any], ours: dict[str, Any], expected: dict[str, Any]) -> str:
    """Say in one line what ARX found, what the reference says it finds, and what we find."""
    figures = [
        f"{name} {row.get(name)}{known(expected, theirs)}" for name, theirs in FIGURES.items()
    ]
    begin = f"{row['data']} k={row['k']}, ARX {row['arx']}: {row['status']}"
    times = f"{row.get('search_seconds')} s, CPU {row.get('cpu_seconds')} s"
    mine = ", ".join(f"{name} {value}" for name, value in ours.items())
    said = f"{begin}, {', '.join(figures)}, {times}; ours: {mine}"
    both = "loss" in row and "loss" in ours
    return f"{said}, loss ours - ARX {ours['loss'] - row['loss']:+.2e}" if both else said


def known(expected: dict[str, Any], figure: str) -> str:
    """Return a figure of the reference in brackets; nothing where there is none."""
    return f" (reference {expected[figure]})" if figure in expected else ""


def reference(name: str, k: int) -> dict[str, Any]:
    """Look up what ARX is known to find; nothing where that is not known."""
    path = figures_of("reference", "arx_optima.csv")
    if not path.is_file():
        return {}
    optima = pd.read_csv(path).query(
        "dataset == @name and model == 'k-anonymity' and parameters == @parameters "
        "and measure == 'loss geometric' and suppression_limit == 1",
        local_dict={"name": name, "parameters": f"k={k}"},
    )
    return next(iter(optima.to_dict("records")), {})


if __name__ == "__main__":
    main()
