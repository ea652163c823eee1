"""python -m experiments.simon2020: the steward's procedure on synthetic visits, beside the paper.

Writes results/simon2020/: a page, the tables behind it, and the report that a committee would get.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from anonymizer import Assessment
from anonymizer.report.assessment import make_page
from anonymizer.report.provenance import Provenance
from experiments.datasets import RESULTS, data_from
from experiments.running import options_of, run_main
from experiments.simon2020 import paper
from experiments.simon2020.measure import (
    OnStep,
    assess_visits,
    compare_counts,
    compare_kept,
    compare_people,
    compare_plans,
    compare_sdcmicro,
    compare_told,
)
from experiments.simon2020.page import write_page

SEED = 2020


@dataclass(frozen=True, slots=True)
class Plan:
    """How many visits are drawn, and how many people for the table with several visits each."""

    records: int = paper.RECORDS
    people: int = 100_000


QUICK = Plan(records=30_000, people=2_000)


def main(arguments: Sequence[str] | None = None) -> None:
    options = options_of(
        "simon2020", __doc__, data=True, quick="a small part; writes only to --out"
    )
    given = options.parse_args(arguments)
    folder = given.out or (None if given.quick else RESULTS / "simon2020")
    with data_from(given.data), Console(stderr=True).status("starting") as status:
        write(QUICK if given.quick else Plan(), folder, status.update)


def write(plan: Plan, folder: Path | None, step: OnStep) -> None:
    """Measure a plan and write what came out; the same plan gives the same files."""
    findings = assess_visits(plan.records, SEED, step)
    counts = compare_counts(findings)
    people = compare_people(plan.people, SEED, step)
    reference = compare_sdcmicro(step)
    plans, kept = compare_plans(findings, step), compare_kept(findings, step)
    told = compare_told(findings, step)
    page = write_page(findings, counts, people, reference, plans, kept, told)
    if folder is None:
        print(page)
        return
    folder.mkdir(parents=True, exist_ok=True)
    counts.to_csv(folder / "counts.csv", index=False)
    people.to_csv(folder / "people.csv", index=False)
    plans.to_csv(folder / "plans.csv", index=False, float_format="%.9g")
    told.to_csv(folder / "told.csv", index=False, float_format="%.9g")
    kept.to_csv(folder / "kept.csv", index=False, float_format="%.9g")
    if reference is not None:
        reference.to_csv(folder / "sdcmicro.csv", index=False, float_format="%.10g")
    (folder / "README.md").write_text(page, encoding="utf-8")
    assessment = Assessment("synthetic visits", findings)
    (folder / "assessment.html").write_text(
        make_page(assessment, provenance=Provenance(made=None)), encoding="utf-8"
    )
    figures = json.dumps(assessment.describe(), indent=1)
    (folder / "assessment.json").write_text(figures + "\n", encoding="utf-8")
    print(f"written to {folder}", file=sys.stderr)


if __name__ == "__main__":
    run_main(main, "simon2020")
