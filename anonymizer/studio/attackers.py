"""Attackers: how many people are above which risk, of the table and of the release, as figures move."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.attackers.catalogue import fit_scenario, shipped_scenarios
from anonymizer.attackers.cells import KEPT_LABELS, Known, KnownCells, Partitions
from anonymizer.attackers.recent import Recent
from anonymizer.attackers.scenario import Scenario
from anonymizer.attackers.statistics import SLACK
from anonymizer.errors import DataError, quote, quote_some, suggest_name
from anonymizer.risk import RiskModel
from anonymizer.risk.assumption import Unit
from anonymizer.risk.overall import Overall
from anonymizer.risk.remaining import Kept
from anonymizer.solution.solution import Solution
from anonymizer.table.microdata import Microdata

RISKS = tuple(float(f"{risk:.3g}") for risk in np.geomspace(0.0001, 1, 49))
"""The curve is drawn at these, twelve to a power of ten."""
EVERYBODY = "everybody the same"

MEANINGS = {
    "p_m": "that it is disclosed that the person is in the table",
    "p_fm": "that the attacker hears of it",
    "p_c": "that it can be confirmed that a record is the person's",
    "p_cu": "that it can be confirmed that the person is the only one of a kind",
}
"""The four probabilities that every scenario has, in words (Xia et al. 2021, Table 1)."""

Floats = NDArray[np.float64]
Check = Callable[[], None]
"""Raises if the answer is not wanted any more."""


@dataclass(frozen=True, eq=False)
class Watched(Partitions):
    """The cells of a table, for which somebody asks who may lose interest between two of them."""

    checks: list[Check]

    def cells(self, known: Known) -> KnownCells:
        """Return the cells of those who agree on what is known."""
        for check in self.checks:
            check()
        return super().cells(known)


class Sight:
    """A table as attackers see it; cells are kept while sliders move, what else they prepare is not."""

    def __init__(self, microdata: Microdata) -> None:
        self.original, self.microdata = microdata, replace(microdata)
        room = Recent[Known, KnownCells](KEPT_LABELS // microdata.distinct)
        self.partitions = Watched(self.microdata, room, [])

    def prepare(self, model: RiskModel, check: Check) -> None:
        """Prepare the table for an attacker, and forget the one before."""
        self.partitions.checks[:] = [check]
        self.microdata.prepared.clear()
        self.microdata.once(Partitions, lambda: self.partitions)
        model.prepare(self.microdata)


def list_attackers(solution: Solution) -> list[dict[str, Any]]:
    """List the attackers of the policy's models, then those that are shipped, with their figures."""
    own = [
        {
            "key": f"model {number}",
            "name": f"{model} (the policy)",
            **figures_of(model),
            "lacks": [],
        }
        for number, model in enumerate(of_people(solution))
    ]
    others = [describe_shipped(name, solution) for name in shipped_scenarios()]
    return [*own, *sorted(others, key=lambda each: len(each["lacks"]))]


def of_people(solution: Solution) -> list[RiskModel]:
    """Return the models of the policy that know the risk of every single person."""
    return [model for model in solution.problem.models if model.risks is not None]


def figures_of(model: RiskModel) -> dict[str, Any]:
    """Return the probabilities that a model rests on, as sliders."""
    stated = [each for each in model.assumptions() if each.unit is Unit.PROBABILITY]
    return {
        "figures": [
            {"name": each.name, "value": each.value, "meaning": meaning_of(each.name)}
            for each in stated
        ]
    }


def meaning_of(name: str) -> str:
    """Say what a figure is the probability of.

    >>> meaning_of("p_fm"), meaning_of("that * is learned")
    ('that the attacker hears of it', 'that everything is learned')
    """
    return MEANINGS.get(name, name.replace("that * is", "that everything is"))


def describe_shipped(name: str, solution: Solution) -> dict[str, Any]:
    """Describe a shipped scenario, and the attributes that it has and the table does not."""
    scenario, known = shipped(name), solution.problem.microdata.attributes
    lacks = [
        {"attribute": each, "choices": [*known, *constants(scenario, each)]}
        for each in scenario.named
        if each not in known
    ]
    model = Overall(1.0, scenario)
    return {"key": name, "name": name, **figures_of(model), "lacks": lacks}


def shipped(name: str) -> Scenario:
    """Read a shipped scenario."""
    files = shipped_scenarios()
    if name not in files:
        raise DataError(f"there is no attacker {quote(name)}; {suggest_name(name, files)}")
    return Scenario.read(files[name])


def constants(scenario: Scenario, attribute: str) -> list[str]:
    """List what everybody may be in an attribute for which the table has no column."""
    hanging = [each for each in scenario.chances if attribute in each.by_names]
    listed = dict.fromkeys(value for each in hanging for value in each.listed(attribute))
    return [f"{EVERYBODY}: {value}" for value in listed] if hanging else [EVERYBODY]


def attacker_of(
    solution: Solution, key: str, figures: Mapping[str, Any], columns: Mapping[str, Any]
) -> RiskModel:
    """Return the model of an attacker with the figures that sliders have."""
    own = {f"model {number}": model for number, model in enumerate(of_people(solution))}
    model = own.get(key) or Overall(1.0, fitted(solution, shipped(key), columns))
    for name, value in figures.items():
        stated = {each.name: each for each in model.assumptions()}
        if name in stated and isinstance(value, int | float) and 0 <= value <= 1:
            model = stated[name].changed(float(value))
    microdata = solution.problem.microdata
    if faults := model.check(microdata.number_of_people, microdata.attributes):
        raise DataError(" ".join(faults))
    return model


def fitted(solution: Solution, scenario: Scenario, columns: Mapping[str, Any]) -> Scenario:
    """Fit a scenario to the table: what its attributes are called there, or are for everybody."""
    known = solution.problem.microdata.attributes
    lacks = [name for name in scenario.named if name not in known]
    if absent := [name for name in lacks if not columns.get(name)]:
        raise DataError(
            f"the attacker knows {quote_some(absent)}; say which column that is, or what all have."
        )
    chosen = {name: str(columns[name]) for name in lacks}
    renamed = {name: column for name, column in chosen.items() if column in known}
    fixed = {
        name: column.removeprefix(EVERYBODY).removeprefix(": ")
        for name, column in chosen.items()
        if name not in renamed
    }
    people = None if scenario.is_stated else solution.problem.microdata.number_of_people
    return fit_scenario(scenario, renamed, fixed, people)


def attack(solution: Solution, model: RiskModel, sight: Sight) -> dict[str, Any]:
    """Return the share of the people above each risk, before and after, with mean and highest."""
    outcome, microdata = solution.outcome, sight.microdata
    untouched = (0,) * len(microdata.attributes)
    everybody = np.ones(microdata.distinct, np.bool_)
    kept = ~outcome.suppressed[outcome.classes.label_of_tuple]
    found, risks_of = {}, model.risks
    assert risks_of is not None  # attackers are models that know the risk of every person
    for when, scheme, tuples in (
        ("before", untouched, everybody),
        ("after", outcome.classes.scheme, kept),
    ):
        risks = risks_of(Kept(microdata, scheme, tuples))
        found[when] = describe_risks(microdata, risks, tuples)
    return {"risks": RISKS, **found}


def describe_risks(microdata: Microdata, risks: Floats, kept: NDArray[np.bool_]) -> dict[str, Any]:
    """Return mean and highest risk of the people kept, and the share of them above each risk.

    Whoever has several records counts once, with the highest of their risks.
    """
    values, people = risks, microdata.counts.astype(np.int64)
    number = int(people[kept].sum())
    if microdata.people is not None:
        values, people = microdata.people.highest(risks)
        number = microdata.people.present(kept)
    if not number:
        return {"people": 0, "mean": 0.0, "highest": 0.0, "above": [0.0] * len(RISKS)}
    return {
        "people": number,
        "mean": float(values @ people) / number,
        "highest": float(values[people > 0].max()),
        "above": [float(people[values > risk + SLACK].sum()) / number for risk in RISKS],
    }
