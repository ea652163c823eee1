"""python -m experiments.prasser2016: Tables 1 to 3 and Figure 6 on the data at hand.

Reads NAME/data.csv of adult, cup, fars, atus and ihis where they are, and writes results/prasser2016/:
the tables beside the paper's and by other measures, Safe Harbor, the curves beside ARX's, and a page that
says what differs and why. Exit status 1 if something differs from the paper or falls behind ARX for no
known reason.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from rich.console import Console

from anonymizer.data.staging import Staging
from anonymizer.errors import AnonymizerError, DataError
from anonymizer.report.plot import import_matplotlib
from experiments.datasets import RESULTS
from experiments.prasser2016 import paper
from experiments.prasser2016.findings import Findings
from experiments.prasser2016.frontier import figure_6
from experiments.prasser2016.measures import measure_table
from experiments.prasser2016.page import summarize, write_page
from experiments.prasser2016.plot import plot
from experiments.prasser2016.releases import FOLDERS, Dataset, columns_of, find_path, load
from experiments.prasser2016.safe_harbor import safe_harbor_table
from experiments.prasser2016.tables import OnStep, attacker_table, quality_tables
from experiments.prasser2016.writing import listed


def main(arguments: Sequence[str] | None = None) -> None:
    options = argparse.ArgumentParser(prog="python -m experiments.prasser2016", description=__doc__)
    options.add_argument(
        "--data", type=Path, action="append", help="folder with NAME/data.csv; may be repeated"
    )
    options.add_argument("--only", nargs="+", choices=list(paper.RECORDS), help="data sets to run")
    options.add_argument("--out", type=Path, help="folder to write to")
    given = options.parse_args(arguments)
    out = given.out or RESULTS / "prasser2016"
    findings = reproduce(given.data or FOLDERS, out, given.only or list(paper.RECORDS))
    print("\n".join(summarize(findings)))
    print(f"written to {out}", file=sys.stderr)
    if findings.faults:
        sys.exit("\n".join(findings.faults))


def reproduce(folders: Sequence[Path], out: Path, names: Sequence[str]) -> Findings:
    """Run everything on the data sets that the folders have, and write the results."""
    import_matplotlib()  # before anything long begins
    console = Console(stderr=True)
    absent = [name for name in names if find_path(name, folders) is None]
    for name in absent:
        console.print(describe_absent(name, folders), highlight=False, soft_wrap=True)
    if len(absent) == len(names):
        raise DataError(
            f"none of the data sets asked for is in {listed(map(str, folders), 'or')}; give their folder "
            "with --data, or let `make reproduce` fetch ADULT."
        )
    with Staging(out) as staging:
        with console.status("reading") as status:
            datasets = [load(n, path) for n in names if (path := find_path(n, folders))]
            findings = measure(datasets, absent, status.update)
        write(findings, staging)
    return findings


def describe_absent(name: str, folders: Sequence[Path]) -> str:
    """Say what was not run and what would be needed."""
    columns = ", ".join(columns_of(name))
    return (
        f"not run: {name.upper()}, for want of {name}/data.csv in {listed(map(str, folders), 'or')} "
        f"({paper.RECORDS[name]:,} records separated by ';' with the columns {columns})."
    )


def measure(datasets: Sequence[Dataset], absent: Sequence[str], on_step: OnStep) -> Findings:
    """Measure the tables and the figure."""
    quality = quality_tables(datasets, on_step)
    measures = measure_table(datasets, on_step)
    safe_harbor = safe_harbor_table(datasets, on_step)
    attackers = attacker_table(datasets, on_step)
    curves, lines = figure_6(datasets, on_step)
    records = {dataset.name: dataset.records for dataset in datasets}
    return Findings(
        records, tuple(absent), quality, measures, safe_harbor, attackers, curves, lines
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
    }
    for name, table in tables.items():
        pd.DataFrame(table).to_csv(staging.path(name), index=False, float_format="%.10g")
    plot(findings.curves, findings.lines, staging.staged)
    staging.path("README.md").write_text(write_page(findings), encoding="utf-8")


if __name__ == "__main__":
    try:
        main()
    except AnonymizerError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
