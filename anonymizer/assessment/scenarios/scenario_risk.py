"""The risk of a scenario: what an attacker with imperfect knowledge means for each record of a table."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.table import Table, check_present
from anonymizer.errors import AnonymizerWarning, PolicyError, list_cells
from anonymizer.estimators.intervals import Interval
from anonymizer.hierarchy import Hierarchy
from anonymizer.knowledge.attack import Attack, Floats, check_levels
from anonymizer.knowledge.catalogue import find_scenario, load_scenario
from anonymizer.knowledge.exposure import MEASURES, Exposure, combine, expose
from anonymizer.knowledge.scenario import AttributeGroup, Scenario
from anonymizer.knowledge.statement import THRESHOLDS as ACCEPTED
from anonymizer.knowledge.statistics import SLACK, statistic_of
from anonymizer.knowledge.values import Subjects
from anonymizer.policy import Policy

QUARTILES = {"q1": 0.25, "median": 0.5, "q3": 0.75}
THRESHOLDS = tuple(sorted(ACCEPTED.values()))
"""The risks that are usually accepted for sensitive data, and in general."""

Scenarios = Mapping[str, Scenario] | Scenario | str | Path | Iterable[Scenario | str | Path]
"""One or several, each built in code, or given by its file or name."""
OnProgress = Callable[[str, int, int], None]
"""Told what is looked at, and how many steps of how many are done; 0 of 0 where that is not known."""


@dataclass(frozen=True, slots=True, eq=False)
class ScenarioRisk:
    """What a scenario means for the records of a table, and what it is against the worst case."""

    name: str
    exposure: Exposure
    worst: Exposure
    """The same attacker, if all quasi-identifiers of everybody were known."""
    subjects: Subjects
    """The people of the table, by their quasi-identifiers: in the worst case, a group each."""

    @property
    def scenario(self) -> Scenario:
        """The scenario as it was used on the table."""
        return self.exposure.scenario

    @property
    def counts(self) -> NDArray[np.int64]:
        """The records of each distinct tuple."""
        return self.subjects.counts

    @property
    def records(self) -> int:
        """The number of records."""
        return self.subjects.records

    def risks(self, measure: str = "overall") -> Floats:
        """Return the risk of every record, tuple by tuple; for row order see `Subjects.tuple_of_row`."""
        expanded: Floats = np.repeat(self.exposure.measure(measure), self.counts)
        return expanded

    def mean(self, measure: str = "overall") -> float:
        """Return the mean risk of the records; 0 without records."""
        return statistic_of(self.exposure.measure(measure), self.counts, "mean")

    def worst_mean(self, measure: str = "overall") -> float:
        """Return the mean risk of the records in the worst case."""
        return statistic_of(self.worst.measure(measure), self.counts, "mean")

    def interval(self, measure: str = "overall", *, worst: bool = False) -> Interval:
        """Return the interval of the mean risk, at 95 % confidence: what u_S being an estimate means.

        Every u_S is at one end of its own interval. A risk that does not rest on u_S is its own interval.
        """
        exposure = self.worst if worst else self.exposure
        means = {m: statistic_of(exposure.measure(m), self.counts, "mean") for m in MEASURES}
        journalist = exposure.journalist_interval
        if measure == "journalist":
            return journalist
        if measure != "overall":
            return Interval(means[measure], means[measure])
        low, high = (
            float(combine(exposure.scenario, means["prosecutor"], end, means["marketer"]))
            for end in (journalist.low, journalist.high)
        )
        return Interval(low, high)

    def above(self, threshold: float, measure: str = "overall") -> int:
        """Count the records whose risk is above a threshold."""
        return int(self.counts[self.exposure.measure(measure) > threshold + SLACK].sum())

    def reductions(self, measure: str = "overall") -> Floats:
        """Return by how much each record's risk is below the worst case, 0 to 1.

        Records without any risk in the worst case are left out: there is nothing to reduce.
        """
        risks, worst = self.risks(measure), np.repeat(self.worst.measure(measure), self.counts)
        some = worst > 0
        reduced: Floats = np.maximum(0, 1 - risks[some] / worst[some])
        return reduced

    def describe(self) -> dict[str, Any]:
        """Return all figures as JSON."""
        exposure = self.exposure
        return {
            "name": self.name,
            "records": self.records,
            "distinct": int(self.counts.size),
            "coarse": self.subjects.coarse_records,
            "quasi_identifiers": list(self.subjects.attributes),
            "method": exposure.method.value,
            "subsets": exposure.subsets,
            "standard_error": exposure.standard_error,
            "risk": {m: describe_values(self.risks(m)) for m in MEASURES},
            "worst_case": {
                m: describe_values(np.repeat(self.worst.measure(m), self.counts)) for m in MEASURES
            },
            "interval": {m: asdict(self.interval(m)) for m in MEASURES},
            "worst_case_interval": {m: asdict(self.interval(m, worst=True)) for m in MEASURES},
            "reduction": {m: describe_values(self.reductions(m)) for m in MEASURES},
            "above": {f"{threshold:g}": self.above(threshold) for threshold in THRESHOLDS},
            "drivers": [
                {
                    "attributes": list(self.scenario.groups[driver.group].attributes),
                    "probability": driver.probability,
                    "overall_without": driver.overall(self.scenario),
                    "marketer_without": driver.marketer,
                }
                for driver in exposure.drivers
            ],
            "scenario": self.scenario.describe(),
        }


def describe_values(values: Floats) -> dict[str, float | None]:
    """Return mean, quartiles, 95th percentile and maximum; None for each where there is no value.

    >>> describe_values(np.array([0.0, 0.5, 1.0]))["median"]
    0.5
    """
    names = [*QUARTILES, "p95", "maximum"]
    if not values.size:
        return dict.fromkeys(["mean", *names])
    quantiles = np.quantile(values, [*QUARTILES.values(), 0.95, 1.0])
    return {"mean": float(values.mean())} | dict(zip(names, quantiles.tolist(), strict=True))


def assess_scenarios(
    table: Table,
    policy: Policy,
    scenarios: Scenarios,
    workers: int | None = None,
    on_progress: OnProgress | None = None,
    seed: int = 0,
) -> tuple[ScenarioRisk, ...]:
    """Say for each scenario how likely each record is re-identified, and against the worst case."""
    named = name_scenarios(scenarios)
    check_present(table, policy.quasi_identifiers)
    hierarchies = policy.load_hierarchies()
    if on_progress is not None:
        on_progress("reading the table", 0, 1)
    subjects = Subjects.read(table, hierarchies)
    fitted = {name: fit(name, scenario, subjects, hierarchies) for name, scenario in named.items()}
    worst = {
        population: expose(Attack.of(subjects, worst_case(subjects, population)))
        for population in dict.fromkeys(scenario.population for scenario in fitted.values())
    }
    found = []
    for name, scenario in fitted.items():
        step = None if on_progress is None else named_step(on_progress, name)
        attack = Attack.of(subjects, scenario)
        exposure = expose(attack, workers or os.cpu_count() or 1, step, np.random.default_rng(seed))
        baseline = worst[scenario.population].under(scenario)
        found.append(ScenarioRisk(name, exposure, baseline, subjects))
    return tuple(found)


def named_step(on_progress: OnProgress, name: str) -> Callable[[int, int], None]:
    """Tell the steps of one scenario by its name."""
    return lambda done, steps: on_progress(name, done, steps)


def name_scenarios(scenarios: Scenarios) -> dict[str, Scenario]:
    """Load the scenarios that are given by file or name; each must have a name of its own."""
    if isinstance(scenarios, Scenario | str | Path):
        scenarios = [scenarios]
    if isinstance(scenarios, Mapping):
        named = dict(scenarios)
    else:
        named = {}
        for number, given in enumerate(scenarios, 1):
            if isinstance(given, Scenario):
                named[f"scenario {number}"] = given
                continue
            name = find_scenario(given).stem
            if name in named:
                raise PolicyError(f"scenario: two are called '{name}'; rename a file.")
            named[name] = load_scenario(given)
    if not named:
        raise PolicyError("scenario: none is given; name at least one.")
    return named


def fit(
    name: str, scenario: Scenario, subjects: Subjects, hierarchies: Sequence[Hierarchy]
) -> Scenario:
    """Write out "*", and check the scenario against the table."""
    expanded = scenario.expand(list(subjects.attributes))
    faults = check_levels(expanded, {h.name: h.height for h in hierarchies})
    too_few = expanded.check_records(subjects.records)
    if faults := [*faults, *([] if too_few is None else [too_few])]:
        raise PolicyError.defective(f"scenario '{name}'", faults)
    for attribute in dict.fromkeys(group.by for group in expanded.groups if group.by is not None):
        warn_unlisted(name, expanded, attribute, subjects)
    return expanded


def warn_unlisted(name: str, scenario: Scenario, attribute: str, subjects: Subjects) -> None:
    """Warn where the attacker learns nothing of people only because their value is not listed."""
    groups = [group for group in scenario.groups if group.by == attribute]
    if any(group.default for group in groups):
        return
    values = subjects.attributes[attribute]
    listed = {value for group in groups for value in group.probabilities}
    unlisted = [
        at for at in range(len(values.texts)) if not listed.intersection(values.leaves_of(at))
    ]
    met = np.isin(subjects.codes[attribute], unlisted)
    if met.any():
        texts = list_cells([values.texts[at] for at in unlisted])
        warnings.warn(
            f"scenario '{name}': {int(subjects.counts[met].sum())} records count as not found there, "
            f"because it does not list their values of '{attribute}'{texts}; add them, or write the "
            "values as the scenario does.",
            AnonymizerWarning,
            stacklevel=2,
        )


def worst_case(subjects: Subjects, population: int) -> Scenario:
    """Return the attacker who knows everything; each attribute is a group, to see what it adds."""
    groups = tuple(AttributeGroup((name,), 1.0) for name in subjects.attributes)
    return Scenario(groups, population, 1.0, 1.0, 1.0, 1.0)
