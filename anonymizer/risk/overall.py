"""Xia's overall risk as a model that drives the search."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

from anonymizer.attackers.catalogue import find_scenario, fit_scenario
from anonymizer.attackers.scenario import PARAMETERS, Scenario, StatedChance, stated_chances
from anonymizer.attackers.statistics import quantile_of
from anonymizer.errors import PolicyError
from anonymizer.risk.assumption import Assumption, Unit
from anonymizer.risk.inputs import HierarchyOf, no_hierarchy, paths_in
from anonymizer.risk.model import Estimates, RiskModel
from anonymizer.risk.parameters import THRESHOLD, Parameter, check_share, check_whole
from anonymizer.risk.scenario_model import ScenarioModel

FITTING = ("names", "constants", "population", *PARAMETERS)
"""The keys that fit a scenario to a table."""


@dataclass(frozen=True)
class Overall(ScenarioModel):
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

    def with_estimates(self, at: Estimates) -> RiskModel:
        """Return the model with u_S = 0 or 1, unless there is none, or it can be counted.

        At least, since an estimate may rise when classes merge, and the rest cannot. At most, since a
        release does not have the records that it is estimated from.
        """
        if not self.scenario.needs_unique or (at is Estimates.MOST and self.scenario.counted):
            return self
        model = AtLeast if at is Estimates.LEAST else AtMost
        return model(self.threshold, self.scenario, self.statistic)


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
