"""ARX alone: k-anonymity on the benchmark data, beside the figures of the reference."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pandas as pd

from experiments.benchmark.arx import VARIABLE, ArxError, find_jar, measure
from experiments.datasets import REFERENCE

DATASETS = ["adult", "cup", "fars"]
FIGURES = {"loss": "loss", "suppressed": "suppressed", "evaluated": "arx_evaluated"}
"""Our names and the reference's."""


def main(arguments: list[str] | None = None) -> None:
    options = argparse.ArgumentParser(
        prog="python -m experiments.benchmark.arx", description=__doc__
    )
    options.add_argument("--arx", type=Path, help=f"libarx-*.jar; left out: ${VARIABLE}")
    options.add_argument("--data", nargs="+", default=DATASETS, help="left out: all")
    options.add_argument("--k", type=int, nargs="+", default=[2, 5, 10])
    chosen = options.parse_args(arguments)
    try:
        jar = find_jar(chosen.arx)
        if jar is None:
            raise ArxError(f"no ARX is given; name libarx-*.jar with --arx or {VARIABLE}.")
        for name in chosen.data:
            for k in chosen.k:
                (row,) = measure(jar, name, [{"model": "k-anonymity", "k": k}])
                print(compare(row), flush=True)
    except ArxError as error:
        options.exit(2, f"{error}\n")


def compare(row: dict[str, Any]) -> str:
    """Say in one line what ARX found, and what the reference says it finds."""
    expected = reference(row["data"], row["k"])
    figures = [f"{ours} {row[ours]} ({expected.get(theirs)})" for ours, theirs in FIGURES.items()]
    found = f"{', '.join(figures)}, search {row['search_seconds']} s"
    return f"{row['data']} k={row['k']}, ARX {row['arx']} (reference): {found}"


def reference(name: str, k: int) -> dict[str, Any]:
    """Look up what ARX is known to find; nothing where that is not known."""
    path = REFERENCE / "arx_optima.csv"
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
