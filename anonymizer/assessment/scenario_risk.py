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

from anonymizer.attackers.attack import AttackedTable, Floats, check_levels
from anonymizer.attackers.catalogue import find_scenario, load_scenario
from anonymizer.attackers.chances import candidates_of, check_cells
from anonymizer.attackers.exposure import MEASURES, Exposure, expose
from anonymizer.attackers.placed import Subjects
from anonymizer.attackers.probability import HIGH, LOW, Chance, end_of
from anonymizer.attackers.scenario import AttributeGroup, Scenario
from anonymizer.attackers.statement import THRESHOLDS as ACCEPTED
from anonymizer.attackers.statistics import SLACK, statistic_of
from anonymizer.data.opening import check_present
from anonymizer.data.table import Table
from anonymizer.errors import AnonymizerWarning, PolicyError, list_cells
from anonymizer.estimators.intervals import Interval
from anonymizer.hierarchy import Hierarchy
from anonymizer.policy import Policy
from anonymizer.table.people import People

QUARTILES = {"q1": 0.25, "median": 0.5, "q3": 0.75}
THRESHOLDS = tuple(sorted(ACCEPTED.values()))
"""The risks that are usually accepted for sensitive data, and in general."""

Scenarios = Mapping[str, Scenario] | Scenario | str | Path | Iterable[Scenario | str | Path]
"""One or several, each built in code, or given by its file or name."""
OnProgress = Callable[[str, int, int], None]
"""Told what is looked at, and how many steps of how many are done; 0 of 0 where that is not known."""


@dataclass(frozen=True, slots=True, eq=False)
class ScenarioRisk:
    """What a scenario means for the people of a table, and what it is against the worst case."""

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
    people: People | None = None
    """Whose the tuples are, where people have several records; each counts with the highest risk."""

    @property
    def counts(self) -> NDArray[np.int64]:
        """The records of each distinct tuple."""
        return self.subjects.counts

    @property
    def records(self) -> int:
        """The number of records."""
        return self.subjects.records

    @property
    def number_of_people(self) -> int:
        """The number of different people; that of the records, where each has one."""
        return self.subjects.number_of_people

    def of_people(self, risks: Floats) -> tuple[Floats, NDArray[np.int64]]:
        """Return, of the risks of all tuples, the highest of each person, with how many have it."""
        return (risks, self.counts) if self.people is None else self.people.highest(risks)

    def in_classes(
        self, risks: Floats, labels: NDArray[np.integer]
    ) -> tuple[NDArray[np.integer], Floats, NDArray[np.int64]]:
        """Return the highest risk of each person in each class of tuples, with how many have it."""
        if self.people is None:
            return labels, risks, self.counts
        return self.people.highest_in_classes(risks, labels)

    def mean_of(self, risks: Floats) -> float:
        """Return the mean over the people of the risks of all tuples; 0 without people."""
        return statistic_of(*self.of_people(risks), "mean")

    def risks(self, measure: str = "overall") -> Floats:
        """Return the risk of every person, one after the other; for rows see `Subjects.tuple_of_row`."""
        expanded: Floats = np.repeat(*self.of_people(self.exposure.measure(measure)))
        return expanded

    def worst_risks(self, measure: str = "overall") -> Floats:
        """Return the risk of every person in the worst case, in the order of `risks`."""
        expanded: Floats = np.repeat(*self.of_people(self.worst.measure(measure)))
        return expanded

    def mean(self, measure: str = "overall") -> float:
        """Return the mean risk of the people; 0 without people."""
        return self.mean_of(self.exposure.measure(measure))

    def lowest_mean(self) -> float | None:
        """Return the mean risk with the lower end of each range; None without ranges."""
        if self.lowest is None:
            return None
        return self.mean_of(self.lowest.measure("overall"))

    def worst_mean(self, measure: str = "overall") -> float:
        """Return the mean risk of the people in the worst case."""
        return self.mean_of(self.worst.measure(measure))

    def interval(self, measure: str = "overall", *, worst: bool = False) -> Interval:
        """Return the interval of the mean risk, at 95 % confidence: what u_S being an estimate means.

        Every u_S is at one end of its own interval. A risk that does not rest on u_S is its own interval.
        Where parameters depend on the person, whoever is alone is taken to be unique as likely as others.
        """
        exposure = self.worst if worst else self.exposure
        mean = self.mean_of(exposure.measure(measure))
        if measure in ("prosecutor", "marketer") or self.scenario.counted:
            return Interval(mean, mean)
        ends = exposure.journalist_interval
        low, high = (
            self.mean_of(exposure.with_unique(end / max(exposure.alone, SLACK)).measure(measure))
            for end in (ends.low, ends.high)
        )
        return Interval(min(low, mean), max(high, mean))

    def above(self, threshold: float, measure: str = "overall") -> int:
        """Count the people whose risk is above a threshold."""
        risks, people = self.of_people(self.exposure.measure(measure))
        return int(people[risks > threshold + SLACK].sum())

    def reductions(self, measure: str = "overall") -> Floats:
        """Return by how much each person's risk is below the worst case, 0 to 1.

        People without any risk in the worst case are left out: there is nothing to reduce.
        """
        risks, worst = self.risks(measure), self.worst_risks(measure)
        some = worst > 0
        reduced: Floats = np.maximum(0, 1 - risks[some] / worst[some])
        return reduced

    def distributions(self, measure: str) -> dict[str, dict[str, float | None]]:
        """Describe one measure of the people: the risk, the worst case, and the reduction."""
        return {
            "risk": describe_values(self.risks(measure)),
            "worst_case": describe_values(self.worst_risks(measure)),
            "reduction": describe_values(self.reductions(measure)),
        }

    def describe(self) -> dict[str, Any]:
        """Return all figures as JSON."""
        exposure = self.exposure
        found = {measure: self.distributions(measure) for measure in MEASURES}
        return {
            "name": self.name,
            "records": self.records,
            "people": self.number_of_people,
            "distinct": int(np.count_nonzero(self.counts)),
            "coarse": self.subjects.coarse_records,
            "quasi_identifiers": list(self.subjects.attributes),
            "method": exposure.method.value,
            "subsets": exposure.subsets,
            "standard_error": exposure.standard_error,
            "risk": {m: found[m]["risk"] for m in MEASURES},
            "lowest_risk": None if self.lowest is None else self.describe_lowest(self.lowest),
            "worst_case": {m: found[m]["worst_case"] for m in MEASURES},
            "interval": {m: asdict(self.interval(m)) for m in MEASURES},
            "worst_case_interval": {m: asdict(self.interval(m, worst=True)) for m in MEASURES},
            "reduction": {m: found[m]["reduction"] for m in MEASURES},
            "above": {f"{threshold:g}": self.above(threshold) for threshold in THRESHOLDS},
            "drivers": [
                {
                    "attributes": list(self.scenario.learned[driver.group].attributes),
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
        return {m: describe_values(np.repeat(*self.of_people(lowest.measure(m)))) for m in MEASURES}


def describe_values(values: Floats) -> dict[str, float | None]:
    """Return mean, quartiles, 95th percentile and maximum; None for each where there is no value.

    The percentile is that of the risk model: at least 95 % of the values are at most that.

    >>> describe_values(np.array([0.0, 0.5, 1.0]))["median"]
    0.5
    """
    names = [*QUARTILES, "p95", "maximum"]
    if not values.size:
        return dict.fromkeys(["mean", *names])
    p95 = statistic_of(values, np.ones(values.size, np.int64), "p95")
    found = [*np.quantile(values, [*QUARTILES.values()]).tolist(), p95, float(values.max())]
    return {"mean": float(values.mean())} | dict(zip(names, found, strict=True))


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
    reader = SubjectReader(table, policy, hierarchies)
    found = []
    for name, given in named.items():
        subjects = reader.read(given)
        people = subjects.people()
        scenario = fit(name, given, subjects, hierarchies)
        step = None if on_progress is None else named_step(on_progress, name)
        threads, generator = workers or os.cpu_count() or 1, np.random.default_rng(seed)
        exposure = expose(AttackedTable.of(subjects, scenario), threads, step, generator)
        lowest = None
        if scenario.has_ranges:
            at_least = AttackedTable.of(subjects, scenario, end=LOW)
            lowest = expose(at_least, threads, step, np.random.default_rng(seed))
        worst = reader.worst(subjects, scenario).under(scenario, exposure.parameters)
        found.append(ScenarioRisk(name, scenario, exposure, worst, subjects, lowest, people))
    return tuple(found)


@dataclass(frozen=True, slots=True, eq=False)
class SubjectReader:
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
            self.found[beside, path] = Subjects.read(
                self.table, self.hierarchies, beside, population, self.person
            )
        return self.found[beside, path]

    @property
    def person(self) -> str | None:
        """The policy's id column, if the table has it."""
        person = self.policy.data.id
        return person if person in self.table.columns else None

    def open_population(self, path: Path) -> Table:
        """Open a population table, which must have all quasi-identifiers."""
        table = self.policy.data.open_beside(path)
        check_present(table, self.policy.quasi_identifiers)
        return table

    def worst(self, subjects: Subjects, scenario: Scenario) -> Exposure:
        """Return what an attacker could do who knows everything."""
        key = id(subjects), scenario.population, scenario.estimator
        if key not in self.exposures:
            self.exposures[key] = expose(AttackedTable.of(subjects, worst_case(subjects, scenario)))
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
    too_few = expanded.check_people(subjects.number_of_people)
    if faults := [*faults, *([] if too_few is None else [too_few])]:
        raise PolicyError.defective(f"scenario '{name}'", faults)
    check_cells(expanded, subjects.values, subjects.codes, subjects.tuple_of_row)
    learned = [*(group.chance for group in expanded.learned), *expanded.causes.values()]
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
    listed = list(dict.fromkeys(v for chance in chances for v in chance.listed(attribute)))
    may_be = candidates_of(values, listed)
    unlisted = [at for at, candidates in enumerate(may_be) if not {*listed} & {*candidates}]
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
