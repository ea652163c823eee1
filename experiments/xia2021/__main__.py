"""python -m experiments.xia2021: the experiments of Xia et al. 2021 on simulated patients.

Writes results/xia2021/: table_3.csv, table_4.csv, figure_2, releases.csv, frontier and a page that sets
ours beside the paper's. Exit status 1 if one of the paper's results does not hold that should, or one
holds that the page says is not reproduced.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
from rich.console import Console

from anonymizer import Assessment, assess
from anonymizer.attackers.catalogue import load_scenario
from experiments.datasets import RESULTS, data_from
from experiments.running import options_of, run_main
from experiments.xia2021.checks import (
    Check,
    check_agreement,
    check_not_reproduced,
    check_releases,
    check_table_3,
    check_table_4,
)
from experiments.xia2021.heatmaps import draw_heatmaps
from experiments.xia2021.measure import (
    POPULATION,
    Agreement,
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
from experiments.xia2021.patients import RECORDS, Facts, simulate
from experiments.xia2021.printed import printed_table
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
    evaluations: int = 5000
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
    evaluations=300,
    use_adult=False,
)


def main(arguments: Sequence[str] | None = None) -> None:
    options = options_of("xia2021", __doc__, data=True, quick="a small part; needs --out")
    given = options.parse_args(arguments)
    if given.quick and given.out is None:
        options.error("--quick writes nothing to results/; name a folder with --out")
    with data_from(given.data):
        holds = run(QUICK if given.quick else Plan(), given.out or RESULTS / "xia2021")
    if not holds:
        sys.exit(1)


@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """Everything that was measured."""

    table_3: pd.DataFrame
    table_3_us_shares: pd.DataFrame
    table_4: pd.DataFrame
    releases: pd.DataFrame
    sample: Assessment
    agreement: list[Agreement]
    journalist: list[float]
    runs: int
    timing: list[str]

    @property
    def checks(self) -> list[Check]:
        """The paper's qualitative results, as they come out here."""
        return [
            *check_table_3(self.table_3),
            *check_table_4(self.table_4),
            *check_not_reproduced(self.table_4, self.journalist),
            *check_agreement(self.agreement),
            *check_releases(self.releases),
        ]


def run(plan: Plan, folder: Path) -> bool:
    """Measure a plan and write the results; say whether all checks come out as expected."""
    console = Console(stderr=True)
    findings = measure(plan, console)
    write(findings, folder)
    console.print(f"written to {folder}")
    for check in findings.checks:
        console.print(f"{'holds' if check.holds else 'FAILS'}: {check.claim} ({check.detail})")
    return all(check.holds == check.expected for check in findings.checks)


def measure(plan: Plan, console: Console) -> Findings:
    """Measure a plan; the same plan gives the same figures, times apart."""
    started = time.perf_counter()
    facts = Facts.read()
    console.print(f"simulating {plan.records:,} patients")
    patients = simulate(facts, plan.records, SEED)
    elsewhere = simulate(facts, plan.records, SEED, tennessee=None)
    console.print("Tables 3 and 4")
    (people,) = draw_samples(patients, 1000, 1, SEED + 1)
    shipped = scenarios() | {"Worst case": load_scenario("worst-case", population=POPULATION)}
    findings = Findings(
        with_published(table_3(patients, plan.sizes, SEED)),
        with_published(table_3(elsewhere, plan.us_sizes, SEED)),
        table_4(patients, 1000, plan.runs, SEED),
        compare_all(plan, patients, console),
        one_sample(patients, 1000, SEED),
        compare_with_simulation(people, shipped, plan.trials, SEED),
        journalist_of_samples(patients, plan.runs),
        plan.runs,
        [time_one_by_one(patients, plan.one_by_one)],
    )
    minutes = (time.perf_counter() - started) / 60
    findings.timing.append(
        f"The whole experiment: {minutes:.0f} minutes on {os.cpu_count()} cores shared with other work."
    )
    return findings


def write(findings: Findings, folder: Path) -> None:
    """Write tables, pictures and page."""
    from matplotlib import rc_context

    folder.mkdir(parents=True, exist_ok=True)
    for name in ("table_3", "table_3_us_shares", "table_4", "releases"):
        table: pd.DataFrame = getattr(findings, name)
        table.to_csv(folder / f"{name}.csv", index=False, float_format="%.6g")
    printed = printed_table(findings.table_3, findings.table_4)
    printed.to_csv(folder / "printed.csv", index=False, float_format="%.6g")
    pd.DataFrame(findings.checks).to_csv(folder / "checks.csv", index=False)
    with rc_context({"svg.hashsalt": "xia2021"}):
        for name, figure in (
            ("figure_2", draw_heatmaps(findings.sample.scenarios)),
            ("frontier", draw_frontier(findings.releases)),
        ):
            figure.savefig(folder / f"{name}.png", dpi=100)
            figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
    page = write_page(
        findings.checks,
        findings.table_3,
        findings.table_3_us_shares,
        findings.table_4,
        findings.runs,
        findings.journalist,
        findings.releases,
        findings.timing,
    )
    (folder / "README.md").write_text(page, encoding="utf-8")


def journalist_of_samples(patients: pd.DataFrame, runs: int) -> list[float]:
    """Return the worst-case journalist risk of the unique subjects of each sample of 1,000."""
    found = []
    for sample in draw_samples(patients, 1000, runs, SEED):
        (risk,) = assess(
            sample,
            policy_of_patients(),
            {"worst": load_scenario("worst-case", population=POPULATION)},
            workers=2,
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
        f"exact given u_S, in {seconds:.0f} seconds with 2 threads."
    )


def compare_all(plan: Plan, patients: pd.DataFrame, console: Console) -> pd.DataFrame:
    """Find the best releases of ADULT, where it is at hand, and of a sample of the patients."""
    cases = [
        adult() if plan.use_adult else None,
        patients_case(patients, plan.release_records, SEED),
    ]
    return pd.concat(
        [
            compare(case, plan.thresholds, plan.evaluations, console.print)
            for case in cases
            if case is not None
        ],
        ignore_index=True,
    )


if __name__ == "__main__":
    run_main(main, "xia2021")
