"""python -m experiments.xia2021: the experiments of Xia et al. 2021 on simulated patients.

Writes results/xia2021/: table_3.csv, table_4.csv, figure_2, releases.csv, frontier and a page that sets
ours beside the paper's. Exit status 1 if one of the paper's qualitative results does not hold.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
from rich.console import Console

from anonymizer.attack import load_scenario
from anonymizer.report.assessment import draw_heatmaps
from experiments.datasets import RESULTS
from experiments.xia2021.checks import (
    check_agreement,
    check_releases,
    check_table_3,
    check_table_4,
)
from experiments.xia2021.measure import (
    compare_with_simulation,
    draw_samples,
    one_by_one,
    one_sample,
    policy_of_patients,
    scenarios,
    table_3,
    table_4,
    with_published,
)
from experiments.xia2021.page import write_page
from experiments.xia2021.patients import FACTS, RECORDS, Facts, simulate
from experiments.xia2021.releases import THRESHOLDS, adult, compare, draw_frontier, patients_case

SEED = 2021


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured."""

    records: int = RECORDS
    sizes: Mapping[int, int] = field(
        default_factory=lambda: {1000: 10, 4000: 10, 7000: 10, 20_000: 10, 40_000: 10}
    )
    us_sizes: Mapping[int, int] = field(
        default_factory=lambda: {1000: 10, 4000: 4, 7000: 4, 20_000: 2, 40_000: 2}
    )
    runs: int = 10
    trials: int = 2000
    one_by_one: int = 40_000
    release_records: int = 10_000
    thresholds: tuple[float, ...] = THRESHOLDS
    evaluation_limit: int = 5000
    use_adult: bool = True


QUICK = Plan(
    records=60_000,
    sizes={1000: 3, 4000: 2},
    us_sizes={1000: 1},
    runs=3,
    trials=200,
    one_by_one=2000,
    release_records=2000,
    thresholds=(0.25, 0.1),
    evaluation_limit=300,
    use_adult=False,
)


def main(arguments: Sequence[str] | None = None) -> None:
    options = argparse.ArgumentParser(prog="python -m experiments.xia2021", description=__doc__)
    options.add_argument("--quick", action="store_true", help="a small part; needs --out")
    options.add_argument("--out", type=Path, help="folder to write to")
    given = options.parse_args(arguments)
    if given.quick and given.out is None:
        options.error("--quick writes nothing to results/; name a folder with --out")
    if not FACTS.is_dir():
        options.exit(2, f"the reference figures are not here: {FACTS}\n")
    holds = run(QUICK if given.quick else Plan(), given.out or RESULTS / "xia2021")
    if not holds:
        sys.exit(1)


def run(plan: Plan, folder: Path) -> bool:
    """Measure a plan and write the results; say whether every check holds."""
    console = Console(stderr=True)
    started = time.perf_counter()
    facts = Facts.read()
    console.print(f"simulating {plan.records:,} patients")
    patients = simulate(facts, plan.records, SEED)
    console.print("Table 3")
    first = with_published(table_3(patients, plan.sizes, SEED))
    elsewhere = simulate(facts, plan.records, SEED, tennessee=None)
    by_us_shares = with_published(table_3(elsewhere, plan.us_sizes, SEED))
    console.print("Table 4")
    second = table_4(patients, 1000, plan.runs, SEED)
    console.print("Figure 2, and exact against simulated")
    sample = one_sample(patients, 1000, SEED)
    (people,) = draw_samples(patients, 1000, 1, SEED + 1)
    shipped = scenarios() | {"Worst case": load_scenario("worst-case")}
    agreement = compare_with_simulation(people, shipped, plan.trials, SEED)
    timing = [time_one_by_one(patients, plan.one_by_one)]
    releases = compare_all(plan, patients, console)
    checks = [
        *check_table_3(first),
        *check_table_4(second),
        *check_agreement(agreement),
        *check_releases(releases),
    ]
    minutes = (time.perf_counter() - started) / 60
    timing.append(f"The whole experiment: {minutes:.0f} minutes on {os.cpu_count()} cores.")
    journalist = journalist_of_samples(patients, plan.runs)
    page = write_page(checks, first, by_us_shares, second, plan.runs, journalist, releases, timing)
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in (
        ("table_3", first),
        ("table_3_us_shares", by_us_shares),
        ("table_4", second),
        ("releases", releases),
    ):
        table.to_csv(folder / f"{name}.csv", index=False, float_format="%.6g")
    pd.DataFrame(checks).to_csv(folder / "checks.csv", index=False)
    for name, figure in (
        ("figure_2", draw_heatmaps(sample.scenarios)),
        ("frontier", draw_frontier(releases)),
    ):
        figure.savefig(folder / f"{name}.png", dpi=100)
        figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
    (folder / "README.md").write_text(page, encoding="utf-8")
    console.print(f"written to {folder}")
    for check in checks:
        console.print(f"{'holds' if check.holds else 'FAILS'}: {check.claim} ({check.detail})")
    return all(check.holds for check in checks)


def journalist_of_samples(patients: pd.DataFrame, runs: int) -> list[float]:
    """Return the worst-case journalist risk of the unique subjects of each sample of 1,000."""
    from anonymizer import assess

    found = []
    for sample in draw_samples(patients, 1000, runs, SEED):
        (risk,) = assess(
            sample, policy_of_patients(), {"worst": load_scenario("worst-case")}, workers=2
        ).scenarios
        found.append(float(risk.worst.journalist.max()))
    return found


def time_one_by_one(patients: pd.DataFrame, size: int) -> str:
    """Say how long it takes to look at all sets of twelve attributes."""
    started = time.perf_counter()
    (risk,) = one_by_one(patients, size, SEED, workers=2).scenarios
    seconds = time.perf_counter() - started
    return (
        f"{size:,} records, 12 attributes learned one by one: all {risk.exposure.subsets:,} sets, "
        f"exactly, in {seconds:.0f} seconds with 2 threads."
    )


def compare_all(plan: Plan, patients: pd.DataFrame, console: Console) -> pd.DataFrame:
    """Find the best releases of ADULT, where it is at hand, and of a sample of the patients."""
    cases = [
        adult() if plan.use_adult else None,
        patients_case(patients, plan.release_records, SEED),
    ]
    return pd.concat(
        [
            compare(case, plan.thresholds, plan.evaluation_limit, console.print)
            for case in cases
            if case is not None
        ],
        ignore_index=True,
    )


if __name__ == "__main__":
    main()
