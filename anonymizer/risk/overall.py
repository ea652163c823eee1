"""Xia's overall risk as a model that drives the search."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from anonymizer.engine.classes import EquivalenceClasses
from anonymizer.engine.microdata import Microdata
from anonymizer.estimators.intervals import Interval
from anonymizer.knowledge.cuts import Turns, least_suppressed, people_with, shortest_cut
from anonymizer.knowledge.exposure import check_exact
from anonymizer.knowledge.scenario import Scenario
from anonymizer.knowledge.scenario_attack import ScenarioAttack
from anonymizer.knowledge.statistics import SLACK, passes, quantile_of, statistic_of
from anonymizer.knowledge.uniqueness import lower_end, upper_end
from anonymizer.risk.model import Monotone, Need, Population, RiskModel, Scope
from anonymizer.risk.parameters import THRESHOLD, Parameter, check_share
from anonymizer.risk.remaining import Binding, Kept, Order, Remaining

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Overall(RiskModel):
    """A statistic of the people's overall risk is at most the threshold (Xia et al. 2021).

    The scenario, or the path of its TOML file, says what the attacker may come to know. The statistic
    is "mean", "maximum" or a percentile such as "p95". Whoever has several records counts once, with the
    highest of their risks. The u_S of a scheme is estimated from the table before anything is suppressed.

    The maximum is a model of single people: what is suppressed is the least that meets it, over all
    subsets of the records. For the others the classes go in the order of their risk at the scheme with
    nothing suppressed, that of its highest record, until the statistic passes.
    """

    name: ClassVar[str] = "overall"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        replace(THRESHOLD, usual=(0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)),
    )
    by_class_size: ClassVar[bool] = False  # what else is suppressed does not come first

    threshold: float
    scenario: Any
    statistic: str | float = "mean"

    def __post_init__(self) -> None:
        check_share("threshold", self.threshold)
        quantile_of(self.statistic)
        if isinstance(self.scenario, str):
            object.__setattr__(self, "scenario", Path(self.scenario))
        if not isinstance(self.scenario, Scenario | Path):
            raise ValueError(
                f"scenario must be a Scenario or the path of one, got {self.scenario!r}"
            )

    def __str__(self) -> str:
        return f"{self.name} risk ({self.statistic}) of at most {self.threshold:g}"

    def files(self) -> tuple[Path, ...]:
        """Return the scenario, if it is a file."""
        return (self.scenario,) if isinstance(self.scenario, Path) else ()

    def resolve(self, folder: Path) -> Self:
        """Read the scenario, if it is a file, relative to a folder."""
        files = self.files()
        return replace(self, scenario=Scenario.read(folder / files[0])) if files else self

    def describe(self) -> dict[str, Any]:
        """Return the parameters as JSON; a scenario that is not a file is described in full."""
        described = super().describe()
        return described if self.files() else {**described, "scenario": self.scenario.describe()}

    @property
    def sampled_from(self) -> Population:
        """The scenario's population."""
        return Population(int(self.scenario.population))

    @property
    def needs(self) -> frozenset[Need]:
        """The original values too, where what the attacker learns, or how well, depends on one."""
        needs = {Need.CLASS_SIZES}
        if any(group.by is not None or group.levels for group in self.scenario.groups):
            needs.add(Need.ORIGINAL_VALUES)
        return frozenset(needs)

    def check(self, records: int, quasi_identifiers: tuple[str, ...]) -> list[str]:
        """Check the scenario against the table."""
        check_exact(self.scenario)
        too_few = self.scenario.check_records(records)
        faults = self.scenario.check_attributes(quasi_identifiers)
        return [*faults, *([] if too_few is None else [too_few])]

    @property
    def limits_everybody(self) -> bool:
        """Whether the statistic is the maximum."""
        return quantile_of(self.statistic) == 1

    @property
    def scope(self) -> Scope:
        """Single people for the maximum."""
        return Scope.PEOPLE if self.limits_everybody else Scope.TABLE

    @property
    def local(self) -> bool:
        """Whoever is suppressed no longer hides others."""
        return not self.limits_everybody

    @property
    def monotone(self) -> Monotone:
        """With u_S = 0 nobody's risk falls when a scheme is made finer."""
        return Monotone.RECORD if self.limits_everybody else Monotone.TABLE

    def attack(self, microdata: Microdata) -> ScenarioAttack:
        """Return the scenario against a table, prepared once for it."""
        return ScenarioAttack.of(self.scenario, microdata)

    @property
    def unique(self) -> float | None:
        """What every u_S is; None where each is estimated."""
        return None

    def risks(self, kept: Kept) -> NDArray[np.float64]:
        """Return the overall risk of each tuple among those kept."""
        attack = self.attack(kept.microdata)
        return attack.risks(kept.scheme, attack.tuples, kept.tuples, self.unique)

    def violators(self, kept: Kept) -> NDArray[np.bool_]:
        """Mark the tuples above the threshold."""
        return self.risks(kept) > self.threshold + SLACK

    def relaxed(self) -> RiskModel:
        """Return the model with u_S = 0: an estimate may rise when classes merge, the rest cannot."""
        if self.scenario.p_cu == 0:
            return self
        return WithoutEstimate(self.threshold, self.scenario, self.statistic)

    def at_worst(self) -> RiskModel:
        """Return the model with u_S = 1: a release does not have the records it is estimated from."""
        if self.scenario.p_cu == 0:
            return self
        return AtWorst(self.threshold, self.scenario, self.statistic)

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
        if self.scenario.p_cu == 0 or self.unique is not None:
            return None  # no u_S is estimated
        attack = self.attack(remaining.microdata)
        low, high = (
            self.risk_by(attack.estimated_by(end), remaining) for end in (lower_end, upper_end)
        )
        return Interval(low, high)

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
        if whole and self.surely_passes(remaining, self.unique):
            return start
        attack = self.attack(remaining.microdata)
        turns = Turns.of(attack, remaining.classes, remaining.order, self.unique)
        return shortest_cut(turns, self.statistic, self.threshold, start)

    def surely_passes(self, remaining: Remaining, unique: float | None) -> bool:
        """Whether the mean of the whole table passes, rounding aside; False where that takes long."""
        if quantile_of(self.statistic) is not None:
            return False
        mean = self.attack(remaining.microdata).mean(remaining.classes.scheme, unique)
        return mean is not None and mean < self.threshold - SLACK

    def binding(self, remaining: Remaining) -> Binding | None:
        """Return how many records, whichever they are, must go at every finer scheme, for a statistic.

        With u_S = 0 and nothing suppressed, nobody's risk here is above what it is at a finer scheme,
        whatever is suppressed there: fewer people match, and u_S is not negative. So what is kept there
        passes with the risks of here too. Of all sets of m people the m with the highest risks leave the
        least mean of the others, and the fewest above a threshold: fewer than it takes of these are not
        enough. Where people have several records, suppressing one of them may leave a person with a
        lower risk; so they stay in the statistic, without a risk, and one record of each must go.
        """
        gone = 0 if self.surely_passes(remaining, 0.0) else self.least_suppressed(remaining)
        some = np.full(remaining.suppressed.size, gone > 0)
        return Binding(some, remaining.microdata.records - gone if gone else 0)

    def least_suppressed(self, remaining: Remaining) -> int:
        """Return how many records must go at every finer scheme."""
        attack, scheme = self.attack(remaining.microdata), remaining.classes.scheme
        rows = attack.rows(remaining.classes)
        everybody = np.ones(rows.counts.size, np.bool_)
        people = people_with(attack, rows, attack.risks(scheme, rows, everybody, 0.0), everybody)
        whole = remaining.microdata.people is None
        return least_suppressed(*people, self.statistic, self.threshold, whole=whole)


@dataclass(frozen=True)
class WithoutEstimate(Overall):
    """The model with every u_S 0: at no finer scheme is anybody's risk lower."""

    unique: ClassVar[float] = 0.0

    def relaxed(self) -> RiskModel:
        """Return the model itself."""
        return self


@dataclass(frozen=True)
class AtWorst(Overall):
    """The model with every u_S 1: whatever the estimate is, nobody's risk is higher."""

    unique: ClassVar[float] = 1.0
