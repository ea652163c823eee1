"""Attackers of the optima of the reference's studies: who finds whom, by what they know."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from anonymizer.attacks.setting import AttackPlan
from anonymizer.attacks.study import StudySetting, attackers, by_power
from anonymizer.lattice import Scheme
from anonymizer.risk.study import StudyAnonymity
from anonymizer.search import search
from anonymizer.study.study import Study
from anonymizer.verification.attackers import PlainStudy, PlainTable
from experiments.studies.reading import evaluator_of, read_study

FIGURES = ("alone", "in fewer than k")


def measure(row: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Release an optimum of the reference, and attack it by each power."""
    power = row["power"] if row["power"] == "profile" else int(row["power"])
    study = read_study(row["study"])
    model = StudyAnonymity(int(row["k"]), power)  # type: ignore[arg-type]
    evaluator = evaluator_of(study, model)
    best = search(evaluator, study.lattice).best
    assert best is not None
    whole = histories_of(study, best.scheme)
    released = part_of(whole, study, evaluator.kept(best.scheme)[0])
    setting = StudySetting(released, whole, model, AttackPlan())
    for name, attacker in attackers(model):
        found = by_power(setting, name, attacker)
        shares = {key: found.details[key]["value"] for key in FIGURES}
        right = {"match is right": found.success.estimate.value, "low": found.success.estimate.low}
        right["high"] = found.success.estimate.high
        beside = {"at random": found.baseline.estimate.value, "people": found.success.trials}
        of = {"study": row["study"], "promised": row["power"], "attacker": name}
        yield {**of, **shares, **right, **beside}


def histories_of(study: Study, scheme: Scheme) -> PlainStudy:
    """Write a study at a scheme, with numbers for values."""
    made = []
    for table, levels in zip(study.tables, study.split(scheme), strict=True):
        values = table.labels(levels)[table.microdata.tuple_of_row].tolist()
        above = [] if table.parent_row is None else table.parent_row.tolist()
        made.append(PlainTable(table.name, values, table.parent, above))
    return PlainStudy(tuple(made))


def part_of(whole: PlainStudy, study: Study, kept: NDArray[np.bool_]) -> PlainStudy:
    """Return the rows of the people who are kept."""
    tables, numbers = [], list[NDArray[np.integer]]()
    for rows, person in zip(whole.tables, study.person_of_row, strict=True):
        there = kept[person].tolist()
        number = np.cumsum(kept[person]) - 1
        numbers.append(number)
        values = list(itertools.compress(rows.values, there))
        rows_above = [] if rows.parent is None else numbers[rows.parent][list(rows.parent_row)]
        above = list(itertools.compress(rows_above, there))
        tables.append(replace(rows, values=values, parent_row=above))
    return PlainStudy(tuple(tables))


def describe(table: pd.DataFrame) -> list[str]:
    """Show how many each attacker finds."""
    lines = [
        "",
        "## Attackers of these releases",
        "",
        "Up to 2,000 people of the original are looked for in the optimum for k = 5, by their row and so "
        "many of their events, drawn at random. The last column is the share whose match is right, where "
        "the attacker points at one of those who match.",
        "",
        "| study | promised | attacker | alone | in fewer than k | right (95 % interval) |",
        "|---|---|---|---|---|---|",
    ]
    for row in table.to_dict("records"):
        lines.append(
            f"| {row['study']} | {row['promised']} | {row['attacker'].split(',')[0]} | "
            f"{100 * row['alone']:.1f} % | {100 * row['in fewer than k']:.1f} % | "
            f"{100 * row['match is right']:.1f} % ({100 * row['low']:.1f} to {100 * row['high']:.1f}) |"
        )
    return lines
