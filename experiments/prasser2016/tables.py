"""Tables 1 to 3: quality under each model, and what each release leaves to which attacker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd

from anonymizer.estimators.derived_k import derived_k
from anonymizer.estimators.uniques import histogram, pitman
from anonymizer.risk.parsing import parse_model
from experiments.prasser2016 import paper
from experiments.prasser2016.releases import Dataset, Released, release, untouched

OnStep = Callable[[str], None]


def quality_tables(datasets: Sequence[Dataset], on_step: OnStep) -> pd.DataFrame:
    """Return every cell of Tables 2 and 3, ours beside the paper's."""
    cells = []
    for dataset in datasets:
        for row in paper.ROWS:
            on_step(f"{dataset.name.upper()}: Table {row.table}, {row.label}")
            cells.append(quality_cell(dataset, row))
    return pd.DataFrame(cells)


def quality_cell(dataset: Dataset, row: paper.Row) -> dict[str, Any]:
    """Measure one cell; it agrees if it is the paper's to the printed digit."""
    found = release(dataset, parse_model(row.risk))
    printed, percent = row.printed[dataset.name], 100 * found.quality
    return {
        "table": row.table,
        "data": dataset.name,
        "model": row.label,
        "quality": percent,
        "paper": printed,
        "agrees": f"{percent:.1f}" == f"{printed:.1f}",
        "highest prosecutor risk": 1 / max(found.smallest, 1),
        "suppressed": found.suppressed,
        "scheme": " ".join(f"{name}={level}" for name, level in found.scheme.items()),
    }


def contradictions(cells: pd.DataFrame) -> dict[int, list[str]]:
    """For each cell that differs, list where the paper prints our figure for the very same release.

    An estimated k-map is k'-anonymity, so its release may be that of a strict average at k'.
    """
    same = ["data", "scheme", "suppressed"]
    agreeing = cells[cells["agrees"]]
    found = {}
    for number, cell in cells[~cells["agrees"]].iterrows():
        others = agreeing[(agreeing[same] == cell[same]).all(axis=1)]
        found[int(str(number))] = [
            f"{other['model']} in Table {other['table']}" for _, other in others.iterrows()
        ]
    return found


# --- Table 1 ---

MODELS: tuple[tuple[str, str, Callable[[int], dict[str, Any]]], ...] = (
    ("k-anonymity", "k = 5", lambda _: paper.k_anonymity(5)),
    ("k-map", "k = 5, of each population", lambda n: paper.k_map(5, city_of(n))),
    ("strict-average", "k' = 2, average 20 %", lambda _: paper.strict_average(2, 0.2)),
    ("p-uniqueness", "1 % of each population", lambda n: paper.p_uniqueness(0.01, n)),
    ("p-uniqueness", "0", lambda n: paper.p_uniqueness(0.0, n)),
)
"""The models with typical parameters at a risk of 20 %, for a population."""


def city_of(population: int) -> str:
    return next(name for name, people in paper.POPULATIONS.items() if people == population)


def attacker_table(datasets: Sequence[Dataset], on_step: OnStep) -> pd.DataFrame:
    """Measure what the attackers can do with each release, and with the data as they are."""
    rows = []
    for dataset in datasets:
        for population in paper.POPULATIONS.values():
            where = {"data": dataset.name, "population": population}
            before = measure_attackers(untouched(dataset), population)
            rows.append({"model": "none", "parameters": "untouched", **where, **before})
            for name, parameters, risk in MODELS:
                on_step(f"{dataset.name.upper()}: Table 1, {name}, {city_of(population)}")
                found = release(dataset, parse_model(risk(population)))
                after = measure_attackers(found, population)
                rows.append({"model": name, "parameters": parameters, **where, **after})
    return pd.DataFrame(rows)


def measure_attackers(released: Released, population: int) -> dict[str, float]:
    """Return the risks of a release from its profile; shares from 0 to 1."""
    risks = released.profile(population)
    assert risks.journalist is not None
    uniques = pitman(
        *histogram(released.class_sizes), population
    )  # Hoshino's form, as in the paper
    people = supported_people(released.smallest, released.input_people, population)
    return {
        "quality": 100 * released.quality,
        "prosecutor": risks.prosecutor.highest,
        "journalist": 1 / people,
        "journalist expected": risks.journalist.highest,
        "marketer": risks.marketer,
        "marketer in sample": risks.prosecutor.average,
        "sample uniques": risks.sample_uniques,
        "population uniques": uniques / population,
    }


def supported_people(records: int, input_people: int, population: int) -> int:
    """Return the largest k that a class of so many records passes k-map with, at the significance.

    >>> supported_people(1, 30_162, 2_200_000), supported_people(2, 30_162, 2_200_000)
    (1, 15)
    """

    def passes(k: int) -> bool:
        return derived_k(k, paper.SIGNIFICANCE, input_people, population) <= records

    low, high = 1, 2
    while high <= population and passes(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if passes(middle) else (low, middle)
    return low


ATTACKERS = ("prosecutor", "journalist", "marketer")


def protection(attackers: pd.DataFrame) -> pd.DataFrame:
    """Grade each model by the worst of its releases, as Table 1 does."""
    rows = []
    printed = {row.model: row for row in paper.TABLE_1}
    for (model, parameters), releases in attackers.groupby(["model", "parameters"], sort=False):
        row: dict[str, Any] = {"model": model, "parameters": parameters}
        for attacker in ATTACKERS:
            worst = releases[attacker].max()
            row[attacker] = worst
            row[f"{attacker} protection"] = grade(worst)
            row[f"{attacker} paper"] = getattr(printed.get(str(model)), attacker, "")
        rows.append(row)
    return pd.DataFrame(rows)


def grade(risk: float) -> str:
    """High within the threshold of 20 %, low if nobody is alone.

    >>> grade(0.2), grade(0.5), grade(1.0)
    ('high', 'low', '-')
    """
    if risk <= paper.TARGET[2] + 1e-12:
        return "high"
    return "low" if risk <= paper.WEAK + 1e-12 else "-"
