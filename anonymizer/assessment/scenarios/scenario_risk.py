"""The risk of a scenario: what an attacker with imperfect knowledge means for each record of a table."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.table import Table, check_present, open_table
from anonymizer.errors import AnonymizerWarning, PolicyError, list_cells
from anonymizer.estimators.intervals import Interval
from anonymizer.hierarchy import Hierarchy
from anonymizer.knowledge.attack import Attack, Floats, check_levels
from anonymizer.knowledge.catalogue import find_scenario, load_scenario
from anonymizer.knowledge.chance import HIGH, LOW, Chance, end_of
from anonymizer.knowledge.chances import check_cells
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
    scenario: Scenario
    """The scenario as it was used on the table."""
    exposure: Exposure
    """The risks; where the scenario has ranges, with the upper end of each."""
    worst: Exposure
    """The same attacker, if all quasi-identifiers of everybody were known."""
    subjects: Subjects
    """The people of the table, by their quasi-identifiers: in the worst case, a group each."""
    lowest: Exposure | None = None
    """The risks with the lower end of each range, where the scenario has ranges."""

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

    def lowest_mean(self, measure: str = "overall") -> float | None:
        """Return the mean risk with the lower end of each range; None without ranges."""
        if self.lowest is None:
            return None
        return statistic_of(self.lowest.measure(measure), self.counts, "mean")

    def worst_mean(self, measure: str = "overall") -> float:
        """Return the mean risk of the records in the worst case."""
        return statistic_of(self.worst.measure(measure), self.counts, "mean")

    def interval(self, measure: str = "overall", *, worst: bool = False) -> Interval:
        """Return the interval of the mean risk, at 95 % confidence: what u_S being an estimate means.

        Every u_S is at one end of its own interval. A risk that does not rest on u_S is its own interval.
        Where parameters depend on the person, whoever is alone is taken to be unique as likely as others.
        """
        exposure = self.worst if worst else self.exposure
        means = {m: statistic_of(exposure.measure(m), self.counts, "mean") for m in MEASURES}
        journalist = exposure.journalist_interval
        if measure == "journalist":
            return journalist
        if measure != "overall":
            return Interval(means[measure], means[measure])
        low, high = (
            statistic_of(
                combine(
                    exposure.parameters,
                    exposure.prosecutor,
                    exposure.prosecutor * (end / max(means["prosecutor"], SLACK)),
                    exposure.marketer,
                ),
                self.counts,
                "mean",
            )
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
            "distinct": int(np.count_nonzero(self.counts)),
            "coarse": self.subjects.coarse_records,
            "quasi_identifiers": list(self.subjects.attributes),
            "method": exposure.method.value,
            "subsets": exposure.subsets,
            "standard_error": exposure.standard_error,
            "risk": {m: describe_values(self.risks(m)) for m in MEASURES},
            "lowest_risk": None if self.lowest is None else self.describe_lowest(self.lowest),
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
                    "overall_without": driver.overall,
                    "marketer_without": driver.marketer,
                }
                for driver in exposure.drivers
            ],
            "scenario": self.scenario.describe(),
        }

    def describe_lowest(self, lowest: Exposure) -> dict[str, Any]:
        """Return the figures of the risks with the lower end of each range."""
        return {m: describe_values(np.repeat(lowest.measure(m), self.counts)) for m in MEASURES}


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
    reader = Reader(table, policy, hierarchies)
    found = []
    for name, given in named.items():
        subjects = reader.read(given)
        scenario = fit(name, given, subjects, hierarchies)
        step = None if on_progress is None else named_step(on_progress, name)
        threads, generator = workers or os.cpu_count() or 1, np.random.default_rng(seed)
        exposure = expose(Attack.of(subjects, scenario), threads, step, generator)
        lowest = None
        if scenario.has_ranges:
            at_least = Attack.of(subjects, scenario, end=LOW)
            lowest = expose(at_least, threads, step, np.random.default_rng(seed))
        worst = reader.worst(subjects, scenario).under(scenario, exposure.parameters)
        found.append(ScenarioRisk(name, scenario, exposure, worst, subjects, lowest))
    return tuple(found)


@dataclass(frozen=True, slots=True, eq=False)
class Reader:
    """The people of a table, read once for all scenarios that look at the same columns."""

    table: Table
    policy: Policy
    hierarchies: Sequence[Hierarchy]
    found: dict[tuple[tuple[str, ...], Path | None], Subjects] = field(default_factory=dict)
    exposures: dict[tuple[int, Any, str], Exposure] = field(default_factory=dict)

    def read(self, scenario: Scenario) -> Subjects:
        """Read the columns that a scenario needs, and its population table, if it has one."""
        beside = scenario.beside(self.policy.quasi_identifiers)
        check_present(self.table, [*self.policy.quasi_identifiers, *beside])
        path = scenario.population if scenario.counted else None
        if (beside, path) not in self.found:
            population = None if path is None else self.open_population(path)
            stated = self.policy.data.id
            person = stated if stated in self.table.columns else None
            self.found[beside, path] = Subjects.read(
                self.table, self.hierarchies, beside, population, person
            )
        return self.found[beside, path]

    def open_population(self, path: Path) -> Table:
        """Open a population table, which must have all quasi-identifiers."""
        table = open_table(path, self.policy.data.delimiter)
        check_present(table, self.policy.quasi_identifiers)
        return table

    def worst(self, subjects: Subjects, scenario: Scenario) -> Exposure:
        """Return what an attacker could do who knows everything."""
        key = id(subjects), scenario.population, scenario.estimator
        if key not in self.exposures:
            self.exposures[key] = expose(Attack.of(subjects, worst_case(subjects, scenario)))
        return self.exposures[key]


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
    too_few = expanded.check_records(subjects.number_of_people)
    if faults := [*faults, *([] if too_few is None else [too_few])]:
        raise PolicyError.defective(f"scenario '{name}'", faults)
    check_cells(expanded, subjects.values, subjects.codes, subjects.tuple_of_row)
    learned = [*(group.chance for group in expanded.groups), *expanded.causes.values()]
    for by in dict.fromkeys(chance.by_names for chance in learned if chance.by is not None):
        warn_unlisted(name, [chance for chance in learned if chance.by_names == by], subjects)
    return expanded


def warn_unlisted(name: str, chances: Sequence[Chance], subjects: Subjects) -> None:
    """Warn where the attacker learns nothing of people only because their value is not listed.

    The chances depend on the same attributes; what is said of several of these is about the first.
    """
    if any(end_of(chance.default, HIGH) for chance in chances):
        return
    attribute = chances[0].by_names[0]
    values = subjects.values[attribute]
    listed = {value for chance in chances for value in chance.listed(attribute)}
    unlisted = [
        at for at in range(len(values.texts)) if not listed.intersection(values.leaves_of(at))
    ]
    met = np.isin(subjects.codes[attribute], unlisted) & (subjects.counts > 0)
    if met.any():
        texts = list_cells([values.texts[at] for at in unlisted])
        warnings.warn(
            f"scenario '{name}': {int(subjects.counts[met].sum())} records count as not found there, "
            f"because it does not list their values of '{attribute}'{texts}; add them, or write the "
            "values as the scenario does.",
            AnonymizerWarning,
            stacklevel=2,
        )


def worst_case(subjects: Subjects, scenario: Scenario) -> Scenario:
    """Return the attacker who knows everything; each attribute is a group, to see what it adds."""
    groups = tuple(AttributeGroup((name,), 1.0) for name in subjects.attributes)
    return Scenario(groups, scenario.population, 1.0, 1.0, 1.0, 1.0, estimator=scenario.estimator)
