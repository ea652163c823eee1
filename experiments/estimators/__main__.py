"""python -m experiments.estimators: estimates of population risk against the truth.

Draws repeated samples from the built-in population, where every class size is known, and writes
results/estimators/: uniques.csv, k_map.csv, a picture and a page on what they mean.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from rich.console import Console
from rich.progress import Progress

from anonymizer.demo import population
from experiments.datasets import RESULTS
from experiments.estimators.measure import SETS, QuasiIdentifiers, Truth, draw, measure
from experiments.estimators.page import write_page
from experiments.estimators.plot import plot
from experiments.running import options_of, run_main

SEED = 2024


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured: sampling fractions, samples for each, and sets of quasi-identifiers."""

    people: int = 1_000_000
    fractions: tuple[float, ...] = (0.001, 0.01, 0.1, 0.3)
    repeats: int = 100
    sets: tuple[QuasiIdentifiers, ...] = SETS


QUICK = Plan(people=50_000, repeats=2, sets=(SETS[0], SETS[-1]))


def main(arguments: Sequence[str] | None = None) -> None:
    options = options_of("estimators", __doc__, quick="a small part; writes only to --out")
    given = options.parse_args(arguments)
    plan = QUICK if given.quick else Plan()
    folder = given.out or (None if given.quick else RESULTS / "estimators")
    truths, uniques, k_map = run(plan)
    page = write_page(truths, uniques, k_map)
    if folder is None:
        print(page)
        return
    folder.mkdir(parents=True, exist_ok=True)
    uniques.to_csv(folder / "uniques.csv", index=False, float_format="%.6g")
    k_map.to_csv(folder / "k_map.csv", index=False, float_format="%.6g")
    plot(uniques, folder)
    (folder / "README.md").write_text(page, encoding="utf-8")
    print(f"written to {folder}", file=sys.stderr)


def run(plan: Plan) -> tuple[list[Truth], pd.DataFrame, pd.DataFrame]:
    """Measure a plan; the same plan gives the same figures."""
    console = Console(stderr=True)
    console.print(f"making up {plan.people:,} people")
    people = population(plan.people)
    truths = [Truth.of(people, quasi_identifiers) for quasi_identifiers in plan.sets]
    rng = np.random.default_rng(SEED)
    tables = []
    with Progress(console=console) as progress:
        for fraction in plan.fractions:
            samples = draw(plan.people, fraction, plan.repeats, rng)
            label = f"{plan.repeats} samples of {100 * fraction:g} %"
            watched = progress.track(samples, total=plan.repeats, description=label)
            tables.append(measure(truths, fraction, watched))
    uniques, k_map = (pd.concat(parts, ignore_index=True) for parts in zip(*tables, strict=True))
    return truths, uniques, k_map


if __name__ == "__main__":
    run_main(main, "estimators")
