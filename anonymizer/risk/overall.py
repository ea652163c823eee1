"""Xia's overall risk as a model that drives the search."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from anonymizer.attackers.catalogue import find_scenario, fit_scenario
from anonymizer.attackers.cuts import Turns, least_suppressed, people_with, shortest_cut
from anonymizer.attackers.overall import ScenarioAttack, check_exact
from anonymizer.attackers.scenario import PARAMETERS, Scenario, StatedChance, stated_chances
from anonymizer.attackers.statistics import SLACK, passes, quantile_of, statistic_of
from anonymizer.attackers.uniqueness import lower_end, upper_end
from anonymizer.errors import PolicyError
from anonymizer.estimators.intervals import Interval
from anonymizer.risk.assumption import Assumption, Unit
from anonymizer.risk.inputs import HierarchyOf, Inputs, Population, no_hierarchy, paths_in
from anonymizer.risk.model import Estimates, ModelKind, RiskModel, Violators
from anonymizer.risk.parameters import THRESHOLD, Parameter, check_share, check_whole
from anonymizer.risk.remaining import Kept, Order, Remaining
from anonymizer.table.classes import EquivalenceClasses
from anonymizer.table.microdata import Microdata

Floats = NDArray[np.float64]
FITTING = ("names", "constants", "population", *PARAMETERS)
"""The keys that fit a scenario to a table."""


@dataclass(frozen=True)
class Overall(RiskModel):
    """A statistic of the people's overall risk is at most the threshold (Xia et al. 2021).

    The scenario, the path of its TOML file or the name of one that is shipped, says what the attacker
    may come to know; `names`, `constants`, `population` and the parameters fit it to the table. Where
    it has ranges, the upper end of each counts. The statistic is "mean", "maximum" or a percentile such
    as "p95". Whoever has several records counts once, with the highest of their risks. The u_S of a
    scheme is estimated from the table before anything is suppressed, unless it is counted.

    The maximum is a model of single people: what is suppressed is the least that meets it, over all
    subsets of the records. For the others the classes go in the order of their risk at the scheme with
    nothing suppressed, that of its highest record, until the statistic passes.
    """

    name: ClassVar[str] = "overall"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        replace(THRESHOLD, usual=(0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)),
    )

    unique: ClassVar[float | None] = None
    """What every u_S is; None where each is estimated."""

    threshold: float
    scenario: Any
    statistic: str | float = "mean"
    names: Mapping[str, str] | None = field(default=None, hash=False)
    constants: Mapping[str, str] | None = field(default=None, hash=False)
    population: int | None = None
    p_m: Any = field(default=None, hash=False)
    p_fm: Any = field(default=None, hash=False)
    p_c: Any = field(default=None, hash=False)
    p_cu: Any = field(default=None, hash=False)

    def __post_init__(self) -> None:
        check_share("threshold", self.threshold)
        quantile_of(self.statistic)
        if isinstance(self.scenario, str):
            object.__setattr__(self, "scenario", Path(self.scenario))
        if not isinstance(self.scenario, Scenario | Path):
            raise ValueError(
                f"scenario must be a Scenario, the path or the name of one, got {self.scenario!r}"
            )
        check_fitting(self.names, self.constants, self.population)
        if isinstance(self.scenario, Scenario) and self.is_fitted:
            fitted = fit_scenario(self.scenario, *self.fitting)
            for name, value in {"scenario": fitted, **dict.fromkeys(FITTING)}.items():
                object.__setattr__(self, name, value)

    @property
    def is_fitted(self) -> bool:
        """Whether anything fits the scenario to the table."""
        return any(getattr(self, key) is not None for key in FITTING)

    @property
    def fitting(self) -> tuple[Any, ...]:
        """What fits the scenario to the table: names, constants, population, and parameters."""
        stated = {key: getattr(self, key) for key in PARAMETERS}
        given = {key: value for key, value in stated.items() if value is not None}
        return self.names, self.constants, self.population, given

    def __str__(self) -> str:
        return f"{self.name} risk ({self.statistic}) of at most {self.threshold:g}"

    def files(self, folder: Path) -> list[Path]:
        """Return the scenario's file, also a shipped one, and its population table, if it has one.

        A scenario with faults is left to `resolve`.
        """
        named = paths_in(self.scenario)
        try:
            own = [find_scenario(path, folder) for path in named]
            scenario = self.resolve(folder).scenario
        except PolicyError:
            return [folder / path for path in named]
        return [*own, scenario.population] if scenario.counted else own

    def resolve(self, folder: Path, hierarchy_of: HierarchyOf = no_hierarchy) -> Self:  # noqa: ARG002
        """Read the scenario by name, or from a file relative to a folder, and fit it to the table."""
        if isinstance(self.scenario, Scenario):
            return self
        read = Scenario.read(find_scenario(self.scenario, folder))
        scenario = fit_scenario(read, *self.fitting)
        nothing: dict[str, Any] = dict.fromkeys(FITTING)
        return replace(self, scenario=scenario, **nothing)

    def describe(self) -> dict[str, Any]:
        """Return the parameters as JSON; a scenario built in code is described in full."""
        described = super().describe()
        if isinstance(self.scenario, Scenario):
            return {**described, "scenario": self.scenario.describe()}
        return described

    @property
    def inputs(self) -> Inputs:
        """What probabilities depend on, and the scenario's population.

        The original values too, where what the attacker learns, or how well, depends on one.
        """
        scenario: Scenario = self.scenario
        columns, population = scenario.beside(()), scenario.population
        return Inputs(
            columns=columns,
            original_values=bool(columns) or any(group.levels for group in scenario.learned),
            single_columns=True,
            population=Population(table=population)
            if scenario.counted
            else Population(scenario.size or None),
        )

    def assumptions(self) -> tuple[Assumption, ...]:
        """Return the size of the population and every probability of the scenario."""
        scenario: Scenario = self.scenario
        found = [
            Assumption(each.name, each.chance.largest, Unit.PROBABILITY, self.resting_on(each))
            for each in stated_chances(scenario)
            if each.chance.largest is not None
        ]
        if scenario.needs_unique and scenario.is_stated and not scenario.counted:
            found.append(Assumption.of_population(int(scenario.population), self.drawn_from))
        return tuple(found)

    def resting_on(self, stated: StatedChance) -> Callable[[float], Overall]:
        """Return what makes the model of another value of a probability."""
        return lambda value: replace(
            self, scenario=stated.changed(stated.chance.with_largest(value))
        )

    def drawn_from(self, people: int) -> Overall:
        """Return the model for a population of another size."""
        return replace(self, scenario=replace(self.scenario, population=people))

    def check(self, people: int, quasi_identifiers: tuple[str, ...]) -> list[str]:
        """Check the scenario against the table."""
        check_exact(self.scenario)
        too_few = self.scenario.check_people(people)
        faults = self.scenario.check_attributes(quasi_identifiers)
        if not self.scenario.is_stated:
            too_few = (
                "population: nobody stated it; give the number of people that the table is drawn from, "
                "as in population = 100_000."
            )
        return [*faults, *([] if too_few is None else [too_few])]

    @property
    def limits_everybody(self) -> bool:
        """Whether the statistic is the maximum."""
        return quantile_of(self.statistic) == 1

    @property
    def kind(self) -> ModelKind:
        """Single people for the maximum: with u_S = 0 no finer scheme lowers anybody's risk."""
        return ModelKind.PEOPLE if self.limits_everybody else ModelKind.TABLE

    @property
    def violators(self) -> Violators | None:
        """Whoever is suppressed no longer hides others, which the maximum is sensitive to."""
        return self.above if self.limits_everybody else None

    def attack(self, microdata: Microdata) -> ScenarioAttack:
        """Return the scenario against a table, prepared once for it."""
        return ScenarioAttack.of(self.scenario, microdata)

    def risks(self, kept: Kept) -> NDArray[np.float64]:
        """Return the overall risk of each tuple among those kept."""
        attack = self.attack(kept.microdata)
        return attack.risks(kept.scheme, attack.tuples, kept.tuples, self.unique)

    def above(self, kept: Kept) -> NDArray[np.bool_]:
        """Mark the tuples above the threshold."""
        return self.risks(kept) > self.threshold + SLACK

    def with_estimates(self, at: Estimates) -> RiskModel:
        """Return the model with u_S = 0 or 1, unless there is none, or it can be counted.

        At least, since an estimate may rise when classes merge, and the rest cannot. At most, since a
        release does not have the records that it is estimated from.
        """
        if not self.scenario.needs_unique or (at is Estimates.MOST and self.scenario.counted):
            return self
        model = AtLeast if at is Estimates.LEAST else AtMost
        return model(self.threshold, self.scenario, self.statistic)

    @property
    def order(self) -> Order | None:
        """The class with the highest risk first."""
        return None if self.limits_everybody else self.class_risks

    def class_risks(self, microdata: Microdata, classes: EquivalenceClasses) -> Floats:
        """Return the highest risk in each class with nothing suppressed, rounded for equal ones."""
        attack = self.attack(microdata)
        rows = attack.rows(classes)
        everybody = np.ones(rows.counts.size, np.bool_)
        highest = np.zeros(classes.sizes.size)
        risks = attack.risks(classes.scheme, rows, everybody, self.unique)
        np.maximum.at(highest, rows.of_tuple(classes.label_of_tuple), risks)
        return np.round(highest, 12)

    def risk(self, remaining: Remaining, cut: int = 0) -> float:
        """Return the statistic over the people who are left; 0 without records."""
        return self.risk_by(self.attack(remaining.microdata), remaining, cut)

    def risk_interval(self, remaining: Remaining) -> Interval | None:
        """Return the risk with every u_S at the lower, and at the upper end of its interval."""
        scenario = self.scenario
        if not scenario.needs_unique or scenario.counted or self.unique is not None:
            return None  # no u_S is estimated
        attack = self.attack(remaining.microdata)
        low, high = (
            self.risk_by(attack.estimated_by(end), remaining) for end in (lower_end, upper_end)
        )
        risk = self.risk(remaining)  # by another estimator it may lie outside
        return Interval(min(low, risk), max(high, risk))

    def risk_by(self, attack: ScenarioAttack, remaining: Remaining, cut: int = 0) -> float:
        """Return the statistic over the people who are left after a cut."""
        classes = remaining.classes
        rows = attack.rows(classes)
        there = np.zeros(classes.sizes.size, np.bool_)
        there[remaining.after(cut)] = True
        kept = there[rows.of_tuple(classes.label_of_tuple)]
        risks = attack.risks(classes.scheme, rows, kept, self.unique)
        return statistic_of(*people_with(attack, rows, risks, kept), self.statistic)

    def passes(self, remaining: Remaining, cut: int = 0) -> bool:
        """Whether the statistic is within the threshold."""
        return passes(self.risk(remaining, cut), self.threshold)

    def first_cut(self, remaining: Remaining, start: int) -> int:
        """Find the least cut that passes; for the maximum none is needed."""
        if self.limits_everybody:
            return start
        whole = start == 0 and not remaining.suppressed.any()
        if whole and self.surely_passes(remaining.classes, self.unique):
            return start
        attack = self.attack(remaining.microdata)
        turns = Turns.of(attack, remaining.classes, remaining.order, self.unique)
        return shortest_cut(turns, self.statistic, self.threshold, start)

    def surely_passes(self, classes: EquivalenceClasses, unique: float | None) -> bool:
        """Whether the mean of the whole table passes, rounding aside; False where that takes long."""
        if quantile_of(self.statistic) is not None:
            return False
        mean = self.attack(classes.microdata).mean(classes.scheme, unique)
        return mean is not None and mean < self.threshold - SLACK

    def most_kept(self, classes: EquivalenceClasses, violating: NDArray[np.bool_]) -> int:  # noqa: ARG002
        """Return how many records, whichever they are, can be kept at finer schemes, by a statistic.

        With u_S = 0 and nothing suppressed, nobody's risk here is above what it is at a finer scheme,
        whatever is suppressed there: fewer people match, and u_S is not negative. So what is kept there
        passes with the risks of here too. Of all sets of m people the m with the highest risks leave the
        least mean of the others, and the fewest above a threshold: fewer than it takes of these are not
        enough. Where people have several records, suppressing one of them may leave a person with a
        lower risk; so they stay in the statistic, without a risk, and one record of each must go.
        """
        records = classes.microdata.records
        if self.surely_passes(classes, 0.0):
            return records
        return records - self.least_suppressed(classes)

    def least_suppressed(self, classes: EquivalenceClasses) -> int:
        """Return how many records must go at every finer scheme."""
        attack, rows = self.attack(classes.microdata), self.attack(classes.microdata).rows(classes)
        everybody = np.ones(rows.counts.size, np.bool_)
        risks = attack.risks(classes.scheme, rows, everybody, 0.0)
        people = people_with(attack, rows, risks, everybody)
        whole = classes.microdata.people is None
        return least_suppressed(*people, self.statistic, self.threshold, whole=whole)


def check_fitting(names: object, constants: object, population: object) -> None:
    """Raise a ValueError unless what fits a scenario to a table is of the right kind."""
    for name, table in {"names": names, "constants": constants}.items():
        sound = isinstance(table, Mapping) and all(isinstance(v, str) for v in table.values())
        if table is not None and not sound:
            raise ValueError(f"{name} must be a table of texts, got {table!r}")
    if population is not None:
        check_whole("population", population)  # type: ignore[arg-type]


class AtLeast(Overall):
    """The model with every u_S 0: at no finer scheme is anybody's risk lower."""

    unique: ClassVar[float] = 0.0


class AtMost(Overall):
    """The model with every u_S 1: whatever the estimate is, nobody's risk is higher."""

    unique: ClassVar[float] = 1.0
