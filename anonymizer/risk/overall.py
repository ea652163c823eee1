"""Xia's overall risk as a model that drives the search."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Self

from anonymizer.knowledge.attack import Attack, attack_on
from anonymizer.knowledge.cuts import shortest_cut
from anonymizer.knowledge.exposure import check_exact, overall_risk
from anonymizer.knowledge.labels import Labels
from anonymizer.knowledge.scenario import Scenario
from anonymizer.knowledge.statistics import passes, quantile_of
from anonymizer.risk.model import Need, Population, RiskModel, Scope
from anonymizer.risk.parameters import THRESHOLD, Parameter, check_share
from anonymizer.risk.remaining import Remaining


@dataclass(frozen=True)
class Overall(RiskModel):
    """A statistic of the records' overall risk is at most the threshold (Xia et al. 2021).

    The scenario, or the path of its TOML file, says what the attacker may come to know. The statistic
    is "mean", "maximum" or a percentile such as "p95".
    """

    name: ClassVar[str] = "overall"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        replace(THRESHOLD, usual=(0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)),
    )
    scope: ClassVar[Scope] = Scope.TABLE
    exact: ClassVar[bool] = False  # of many cuts, some are bisected
    # not monotone: u_S may rise when classes merge

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

    def attack(self, remaining: Remaining, cut: int = 0, apart: Labels | None = None) -> Attack:
        """Return the scenario against what is left when the first `cut` classes are suppressed."""
        suppressed = remaining.suppressed.copy()
        suppressed[remaining.order[:cut]] = True
        classes = remaining.classes
        kept = ~suppressed[classes.label_of_tuple]
        return attack_on(remaining.microdata, classes.scheme, self.scenario, kept, apart)

    def risk(self, remaining: Remaining, cut: int = 0) -> float:
        """Return the statistic over the records that are left; 0 without records."""
        return overall_risk(self.attack(remaining, cut), self.statistic)

    def passes(self, remaining: Remaining, cut: int = 0) -> bool:
        """Whether the statistic is within the threshold."""
        return passes(self.risk(remaining, cut), self.threshold)

    def first_cut(self, remaining: Remaining, start: int) -> int:
        """Find the least cut that passes; see `shortest_cut` for when that is exact."""
        classes = remaining.classes
        attack = self.attack(remaining, start, Labels(classes.label_of_tuple, classes.sizes.size))
        order = remaining.order[start:]
        cut = shortest_cut(attack, classes.label_of_tuple, order, self.statistic, self.threshold)
        return start + cut
