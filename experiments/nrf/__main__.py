"""python -m experiments.nrf: the paper's tables again, and every subset of eight million records.

Writes results/nrf/: Tables 7 and 8 and the curves of Figures 2 and 3 recomputed from what the paper
prints, the risk of synthetic discharges of the same shape with the time it took, and a page on both.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from anonymizer.attackers.nrf import Reidentification
from anonymizer.attackers.unique_subsets import Uniqueness
from anonymizer.data.staging import Staging
from experiments.benchmark.__main__ import machine
from experiments.datasets import RESULTS
from experiments.nrf.discharges import draw_discharges, with_areas
from experiments.nrf.page import write_page
from experiments.nrf.plot import plot_bounds, stage_curves
from experiments.nrf.printed import printed_table
from experiments.nrf.reconstruction import (
    Reconstruction,
    figure_2,
    figure_3,
    read_reconstruction,
    table_7,
    table_8,
)
from experiments.nrf.timing import measure
from experiments.running import options_of, run_main

THREADS = (2, 1)
QUICK_RECORDS = 50_000


def main(arguments: Sequence[str] | None = None) -> None:
    options = options_of("nrf", __doc__, quick="fewer records; needs --out")
    given = options.parse_args(arguments)
    if given.quick and given.out is None:
        options.error("--quick writes only where --out says")
    paper = read_reconstruction()
    folder = given.out or RESULTS / "nrf"
    tables = recompute(paper)
    timing, uniqueness = count(paper, QUICK_RECORDS if given.quick else paper.records)
    risk = Reidentification(uniqueness, paper.sources)
    tables |= {"timing": timing, "machine": [machine()], "synthetic_top20": compare(paper, risk)}
    with Staging(folder) as staging:
        for name, rows in tables.items():
            frame = pd.DataFrame(rows)
            frame.to_csv(staging.path(f"{name}.csv"), index=False, float_format="%.6g")
        compared = (pd.DataFrame(tables[name]) for name in ("table_7", "table_8", "figure_2"))
        printed_table(*compared).to_csv(staging.path("printed.csv"), index=False)
        plot_bounds(paper, staging.path("figure_2.png"), staging.path("figure_2.svg"))
        stage_curves(risk, staging)
        page = write_page(paper, tables, risk)
        staging.path("README.md").write_text(page, encoding="utf-8")
    print(f"written to {folder}", file=sys.stderr)


def recompute(paper: Reconstruction) -> dict[str, list[dict[str, Any]]]:
    """Recompute what the paper prints."""
    return {
        "table_7": table_7(paper),
        "table_8": table_8(paper),
        "figure_2": figure_2(paper),
        "figure_3": figure_3(paper),
    }


def count(paper: Reconstruction, records: int) -> tuple[list[dict[str, Any]], Uniqueness]:
    """Draw discharges, and count the unique ones on every subset with two threads and with one.

    Then once more with small areas in place of states: with nearly all tuples distinct it is hard.
    """
    print(f"drawing {records:,} discharges", file=sys.stderr)
    rows, counts = [], []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "discharges.csv"
        discharges = draw_discharges(records)
        discharges.write(path)
        for threads in THREADS:
            print(f"counting with {threads} threads", file=sys.stderr)
            row, uniqueness = measure("by state", path, paper.attributes, threads)
            rows.append(row)
            counts.append(uniqueness)
        with_areas(discharges).write(path)
        print("counting with small areas", file=sys.stderr)
        rows.append(measure("by small area", path, paper.attributes, THREADS[0])[0])
    if not np.array_equal(counts[0].unique, counts[1].unique):
        sys.exit("the number of threads changed a count; nothing is written")
    return rows, counts[0]


def compare(paper: Reconstruction, risk: Reidentification) -> list[dict[str, Any]]:
    """Set the most dangerous combinations of the synthetic records beside the counts of the paper."""
    return [
        {
            "combination": " ".join(each.attributes),
            "size": len(each.attributes),
            "unique records": each.unique_records,
            "disclosure likelihood": each.disclosure_likelihood,
            "probability": each.probability,
            "unique in the NIS (recovered)": paper.counts.get(frozenset(each.attributes)),
        }
        for each in risk.most_dangerous(20)
    ]


if __name__ == "__main__":
    run_main(main, "nrf")
