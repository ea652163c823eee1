"""python -m experiments.attacks: what attackers can do, against the truth and against what was promised.

Releases a register that was drawn from the built-in population under every kind of model, tries every
attack, and writes results/attacks/: attacks.csv, promises.csv, composition.csv, downcoding.csv,
attacks.json, a picture and a page. `--quick` takes a small population and writes only to `--out`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
from rich.console import Console

from experiments.attacks.composition import compose, flat, narrow
from experiments.attacks.page import write_page
from experiments.attacks.people import QUICK, STATEMENT, People, Plan
from experiments.attacks.plot import plot
from experiments.attacks.promises import check_promises
from experiments.attacks.releases import OnStep, attack_all, make_releases
from experiments.datasets import RESULTS
from experiments.running import options_of, run_main


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """All that was measured."""

    releases: pd.DataFrame
    attacks: pd.DataFrame
    promises: pd.DataFrame
    composition: pd.DataFrame
    downcoding: pd.DataFrame


def main(arguments: Sequence[str] | None = None) -> None:
    options = options_of("attacks", __doc__, quick="a small part; writes only to --out")
    given = options.parse_args(arguments)
    plan = QUICK if given.quick else Plan()
    folder = given.out or (None if given.quick else RESULTS / "attacks")
    console = Console(stderr=True)
    tables = run(plan, console.print)
    page = write_page(
        plan,
        tables.releases,
        tables.attacks,
        tables.promises,
        tables.composition,
        tables.downcoding,
    )
    if folder is None:
        print(page)
        return
    write(tables, page, folder)
    print(f"written to {folder}", file=sys.stderr)


def run(plan: Plan, on_step: OnStep) -> Tables:
    """Measure a plan; the same plan gives the same figures."""
    on_step(f"making up {plan.people:,} people")
    people = People.of(plan)
    described, tried, promised = [], [], []
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "statement.toml").write_text(STATEMENT, encoding="utf-8")
        for release in make_releases(people, folder, on_step):
            on_step(f"attacking {release.name}")
            attacks = attack_all(release, people, plan)
            solution = release.solution
            described.append(
                {
                    "release": release.name,
                    "quality": solution.quality,
                    "suppressed": solution.suppressed,
                    "scheme": ", ".join(f"{a} {level}" for a, level in solution.scheme.items()),
                }
            )
            tried += [{"release": release.name, **flat(each)} for each in attacks.tried]
            promised += [each.row() for each in check_promises(release, people, attacks, on_step)]
        composed = compose(people, folder, on_step)
        narrowed = narrow(people, folder, plan, on_step)
    found = described, tried, promised, composed, narrowed
    return Tables(*(pd.DataFrame(each) for each in found))


def write(tables: Tables, page: str, folder: Path) -> None:
    """Write tables, figures, picture and page."""
    folder.mkdir(parents=True, exist_ok=True)
    named = {
        "attacks": tables.attacks.drop(columns="skipped"),
        "promises": tables.promises,
        "composition": tables.composition.drop(columns="skipped"),
        "downcoding": tables.downcoding,
        "releases": tables.releases,
    }
    for name, table in named.items():
        table.to_csv(folder / f"{name}.csv", index=False, float_format="%.6g")
    figures = {name: json.loads(table.to_json(orient="records")) for name, table in named.items()}
    (folder / "attacks.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    plot(tables.attacks, folder)
    (folder / "README.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    run_main(main, "attacks")
