"""How much quality does realism about the attacker buy? The best release for each scenario.

A release passes when nobody's overall risk is above a threshold t. In the worst case, where everything is
known, that is k-anonymity with k = p_c / t, rounded up: in a class of a >= 2 records the risk is p_c / a,
and whoever is alone has more than p_c.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from anonymizer import Policy, Solution, anonymize
from anonymizer.attackers.catalogue import load_scenario
from anonymizer.hierarchy import load_hierarchy
from anonymizer.risk import KAnonymity, Overall, Scenario
from experiments.datasets import describe_absent, path_of, spec_of
from experiments.xia2021.measure import POPULATION, draw_samples, policy_of_patients

THRESHOLDS = (0.25, 0.1, 0.05, 0.025, 0.01, 0.005, 0.002)
WORST = "worst case"
ADULT_ATTRIBUTES = (
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
)


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A table, its policy but for the risk, and what the scenarios are for it."""

    name: str
    frame: pd.DataFrame
    policy: Callable[..., Policy]
    scenarios: Mapping[str, Scenario]


def adult() -> Case | None:
    """Return ADULT, or None where it is not at hand; everybody counts as living in Tennessee [A]."""
    path = path_of("adult")
    if path is None:
        print(describe_absent("adult", "the releases of ADULT"), file=sys.stderr)
        return None
    attributes = {
        name: {"role": "quasi", "hierarchy": load_hierarchy(spec_of("adult", name), name)}
        for name in ADULT_ATTRIBUTES
    }

    def policy(**keys: object) -> Policy:
        return Policy(attributes=attributes, **keys)

    frame = pd.read_csv(path, sep=";", dtype=str)[list(ADULT_ATTRIBUTES)]
    fit = {"columns": {"year_of_birth": "age"}, "constants": {"state": "TN"}}
    return Case(
        "ADULT",
        frame,
        policy,
        {
            "voter registration": load_scenario("voter-registration", **fit),
            "social media": load_scenario("social-media", **fit),
            WORST: load_scenario("worst-case", population=POPULATION),
        },
    )


def patients_case(patients: pd.DataFrame, size: int, seed: int) -> Case:
    """Return a sample of the simulated patients."""
    (sample,) = draw_samples(patients, size, 1, seed)
    return Case(
        "simulated patients",
        sample.astype(str),
        policy_of_patients,
        {
            "voter registration": load_scenario("voter-registration"),
            "social media": load_scenario("social-media"),
            WORST: load_scenario("worst-case", population=POPULATION),
        },
    )


def k_for(threshold: float, scenario: Scenario) -> int:
    """Return the k whose k-anonymity keeps everybody's risk within a threshold in the worst case.

    >>> k_for(0.1, load_scenario("worst-case", population=POPULATION))
    5
    """
    return max(2, math.ceil(scenario.p_c / threshold - 1e-9))


def compare(
    case: Case,
    thresholds: tuple[float, ...],
    evaluations: int,
    on_step: Callable[[str], None] = lambda _: None,
) -> pd.DataFrame:
    """Find the best release for each threshold and scenario, and the one that k-anonymity needs.

    The limit is a number of schemes, not of seconds, so that the result is the same on any machine.
    """
    rows = []
    for threshold in thresholds:
        k = k_for(threshold, case.scenarios[WORST])
        models = {f"{WORST}, as k-anonymity": KAnonymity(k)} | {
            name: Overall(threshold, scenario, "maximum")
            for name, scenario in case.scenarios.items()
            if name != WORST
        }
        for name, model in models.items():
            on_step(f"{case.name}, risk at most {threshold:g}, {name}")
            policy = case.policy(risk=[model])
            solution = anonymize(case.frame, policy, workers=2, evaluations=evaluations)
            rows.append(describe(case, threshold, k, name, solution))
    return pd.DataFrame(rows)


def describe(
    case: Case, threshold: float, k: int, name: str, solution: Solution
) -> dict[str, object]:
    """Return a row of releases.csv."""
    untouched = [name for name, level in solution.scheme.items() if level == 0]
    return {
        "data": case.name,
        "records": len(case.frame),
        "threshold": threshold,
        "k": k,
        "scenario": name,
        "quality": solution.quality,
        "status": solution.status.value,
        "gap": solution.gap,
        "suppressed": solution.suppressed,
        "suppressed_share": solution.suppressed / solution.records,
        "untouched_attributes": len(untouched),
        "evaluated": None if solution.proof is None else solution.proof.evaluated,
        "scheme": " ".join(str(level) for level in solution.scheme.values()),
    }


def draw_frontier(table: pd.DataFrame) -> Any:
    """Draw the quality of the best release against the risk that is accepted."""
    from anonymizer.report.plot import import_matplotlib

    names = list(dict.fromkeys(table["data"]))
    figure = import_matplotlib().Figure(figsize=(5.4 * len(names), 4.6), layout="constrained")
    grid = figure.subplots(1, len(names), squeeze=False)[0]
    colours = {WORST: "#b5483a", "voter registration": "#2f6f8f", "social media": "#6a9f58"}
    for axes, name in zip(grid, names, strict=True):
        mine = table[table["data"] == name]
        for scenario in dict.fromkeys(mine["scenario"]):
            line = mine[mine["scenario"] == scenario].sort_values("threshold")
            colour = colours[scenario.split(",")[0]]
            axes.plot(line["threshold"], line["quality"], "o-", color=colour, label=scenario)
            gaps = [np.zeros(len(line)), line["gap"].fillna(0.0).clip(lower=0.0)]
            axes.errorbar(
                line["threshold"],
                line["quality"],
                gaps,
                fmt="none",
                ecolor=colour,
                capsize=4,
                alpha=0.7,
            )
        axes.set_xscale("log")
        ticks = sorted(set(mine["threshold"]))
        axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks], rotation=45)
        axes.minorticks_off()
        axes.set_ylim(0, 1.02)
        axes.set_xlabel("nobody's overall risk is above")
        axes.set_ylabel("quality (1 = untouched)")
        axes.set_title(f"{name}, {int(np.max(mine['records'])):,} records")
        axes.grid(alpha=0.3)
        axes.legend(fontsize=9, loc="lower right")
    return figure
