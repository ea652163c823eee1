"""python -m experiments.prasser2016: Tables 1 to 3 and Figure 6 on the data at hand.

Reads NAME/data.csv of adult, cup, fars, atus and ihis where they are, and writes results/prasser2016/:
the tables beside the paper's and by other measures, Safe Harbor, the curves beside ARX's, how many people
who are released are expected to be unique in the population, every printed number, and a page that says
what differs and why. Exit status 1 if something differs from the paper or falls behind ARX for no known
reason.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from rich.console import Console

from anonymizer.data.staging import Staging
from anonymizer.report.plot import import_matplotlib
from experiments.datasets import RESULTS, at_hand, data_from, path_of
from experiments.prasser2016 import paper
from experiments.prasser2016.expected import expected_table
from experiments.prasser2016.findings import Findings
from experiments.prasser2016.frontier import figure_6
from experiments.prasser2016.measures import measure_table
from experiments.prasser2016.order import order_table
from experiments.prasser2016.page import summarize, write_page
from experiments.prasser2016.plot import plot
from experiments.prasser2016.printed import printed_table
from experiments.prasser2016.releases import Dataset, columns_of, load
from experiments.prasser2016.safe_harbor import safe_harbor_table
from experiments.prasser2016.tables import OnStep, attacker_table, quality_tables
from experiments.running import options_of, run_main


def main(arguments: Sequence[str] | None = None) -> None:
    options = options_of("prasser2016", __doc__, data=True)
    options.add_argument("--only", nargs="+", choices=list(paper.RECORDS), help="data sets to run")
    given = options.parse_args(arguments)
    out = given.out or RESULTS / "prasser2016"
    with data_from(given.data):
        findings = reproduce(out, given.only or list(paper.RECORDS))
    print("\n".join(summarize(findings)))
    print(f"written to {out}", file=sys.stderr)
    if findings.faults:
        sys.exit("\n".join(findings.faults))


def reproduce(out: Path, names: Sequence[str]) -> Findings:
    """Run everything on the data sets that are at hand, and write the results."""
    import_matplotlib()  # before anything long begins
    console = Console(stderr=True)
    found = at_hand(names, needs)
    absent = [name for name in names if name not in found]
    with Staging(out) as staging:
        with console.status("reading") as status:
            datasets = [load(name, path) for name in found if (path := path_of(name))]
            findings = measure(datasets, absent, status.update)
        write(findings, staging)
    return findings


def needs(name: str) -> str:
    """Say what the file of a data set has."""
    return (
        f"{paper.RECORDS[name]:,} records separated by ';' with the columns "
        f"{', '.join(columns_of(name))}"
    )


def measure(datasets: Sequence[Dataset], absent: Sequence[str], on_step: OnStep) -> Findings:
    """Measure the tables and the figure."""
    quality = quality_tables(datasets, on_step)
    measures = measure_table(datasets, on_step)
    safe_harbor = safe_harbor_table(datasets, on_step)
    attackers = attacker_table(datasets, on_step)
    curves, lines = figure_6(datasets, on_step)
    expected = expected_table(datasets, on_step)
    orders = order_table(datasets, on_step)
    records = {dataset.name: dataset.records for dataset in datasets}
    return Findings(
        records,
        tuple(absent),
        quality,
        measures,
        safe_harbor,
        attackers,
        curves,
        lines,
        expected,
        orders,
    )


def write(findings: Findings, staging: Staging) -> None:
    """Write the tables, the pictures and the page."""
    tables = {
        "tables_2_and_3.csv": findings.quality,
        "tables_2_and_3_measures.csv": findings.measures,
        "safe_harbor.csv": findings.safe_harbor,
        "table_1.csv": findings.attackers,
        "figure_6.csv": findings.curves,
        "figure_6_lines.csv": findings.lines,
        "expected_uniques.csv": findings.expected,
        "order.csv": findings.orders,
        "printed.csv": printed_table(findings),
    }
    for name, table in tables.items():
        pd.DataFrame(table).to_csv(staging.path(name), index=False, float_format="%.10g")
    plot(findings.curves, findings.lines, staging.staged)
    staging.path("README.md").write_text(write_page(findings), encoding="utf-8")


if __name__ == "__main__":
    run_main(main, "prasser2016")
