"""What a model asks whose risk of a person is the overall risk of a scenario."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from anonymizer.attackers.cuts import Turns, least_suppressed, people_with, shortest_cut
from anonymizer.attackers.overall import ScenarioAttack, check_exact
from anonymizer.attackers.scenario import Scenario
from anonymizer.attackers.statistics import SLACK, mean_limit, passes, quantile_of, statistic_of
from anonymizer.attackers.uniqueness import lower_end, upper_end
from anonymizer.estimators.intervals import Interval
from anonymizer.risk.inputs import Inputs, Population
from anonymizer.risk.model import ModelKind, RiskModel, Violators
from anonymizer.risk.remaining import Kept, Order, Remaining
from anonymizer.table.classes import EquivalenceClasses
from anonymizer.table.microdata import Microdata

Floats = NDArray[np.float64]


class ScenarioModel(RiskModel):
    """A base for models that limit a statistic of the people's overall risk in a scenario.

    A model gives the scenario, a `threshold` and a `statistic`. The maximum is a model of single people:
    what is suppressed is the least that meets it, over all subsets of the records. For the others the
    classes go in the order of their risk at the scheme with nothing suppressed, that of its highest
    record, until the statistic passes.
    """

    unique: ClassVar[float | None] = None
    """What every u_S is; None where each is estimated."""
    threshold: float
    statistic: str | float

    scenario: Any
    """What the attacker may come to know, and do with it: a `Scenario` once it is resolved."""

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
        scenario: Scenario = self.scenario
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
        limit = mean_limit(self.statistic, self.threshold, classes.input_people)
        return mean is not None and mean < limit - SLACK

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
