"""The naive re-identification framework as a model that drives the search."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

from anonymizer.attackers.disclosure import (
    Disclosing,
    Source,
    likelihood_of,
    named_attributes,
    read_disclosing,
)
from anonymizer.attackers.overall import EXACT_LIMIT
from anonymizer.attackers.scenario import AttributeGroup, Scenario
from anonymizer.attackers.statistics import quantile_of
from anonymizer.errors import PolicyError
from anonymizer.risk.assumption import Assumption, Unit
from anonymizer.risk.inputs import HierarchyOf, Inputs, no_hierarchy, paths_in
from anonymizer.risk.model import Estimates, RiskModel
from anonymizer.risk.parameters import THRESHOLD, Parameter, check_share
from anonymizer.risk.scenario_model import ScenarioModel

MANY = 10**15
"""More people than any table has: nothing is asked of the population."""


@dataclass(frozen=True)
class NRF(ScenarioModel):
    """The risk that people are found through what they disclose elsewhere is at most the threshold.

    `sources`, or the path of their TOML file, say where people disclose what. A person is found if they
    are alone in the table on all that they disclose, and, where the sources name an external table, if
    nobody else in it matches that either: D-uniqueness and E-uniqueness, person by person. That is the
    overall risk with one group for each attribute and p_m = p_fm = 1, or p_cu = 1 with a table.

    The statistic is "maximum" (of the people's risks), "mean", a percentile, or "data-set": r*, that at
    least one person is found. With `common_causes`, what somebody discloses in one source depends on
    their being in it; without, attributes are independent, as in the paper.
    """

    name: ClassVar[str] = "nrf"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        replace(THRESHOLD, usual=(0.5, 0.2, 0.1, 0.09, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)),
    )

    threshold: float
    sources: Any = field(hash=False)
    statistic: str | float = "maximum"
    common_causes: bool = False

    def __post_init__(self) -> None:
        check_share("threshold", self.threshold)
        quantile_of(self.statistic)
        if not isinstance(self.common_causes, bool):
            raise ValueError(f"common_causes must be true or false, got {self.common_causes!r}")
        if isinstance(self.sources, str):
            object.__setattr__(self, "sources", Path(self.sources))
        if not isinstance(self.sources, Disclosing | Path):
            raise ValueError(f"sources must be the path of a file of sources, got {self.sources!r}")

    def __str__(self) -> str:
        return f"{self.name} risk ({self.statistic}) of at most {self.threshold:g}"

    def files(self, folder: Path) -> list[Path]:
        """Return the file of the sources and the external table; one with faults is left to `resolve`."""
        own = [folder / path for path in paths_in(self.sources)]
        try:
            return [*own, *self.resolve(folder).sources.files]
        except PolicyError:
            return own

    def resolve(self, folder: Path, hierarchy_of: HierarchyOf = no_hierarchy) -> Self:  # noqa: ARG002
        """Read the sources, if they are a path, relative to a folder."""
        if isinstance(self.sources, Disclosing):
            return self
        read = read_disclosing(folder / self.sources)
        if read.external is not None and (read.external.names or read.external.id):
            key = "names" if read.external.names else "id"
            raise PolicyError(
                f"{self.sources}: a risk model counts the rows of an external table by the policy's own "
                f"columns, and external.{key} is for `assess`; give it a table without, or leave it out."
            )
        return replace(self, sources=read)

    def describe(self) -> dict[str, Any]:
        """Return the parameters as JSON; sources that were read are described in full."""
        described = super().describe()
        if isinstance(self.sources, Disclosing):
            described["sources"] = [source.describe() for source in self.sources.sources]
        return described

    @cached_property
    def scenario(self) -> Scenario:
        """The same as a scenario: who is alone in the table is found, or who is so outside as well."""
        read: Disclosing = self.sources
        groups = together(read.sources) if self.common_causes else one_by_one(read.sources)
        if len(groups) > EXACT_LIMIT:
            raise PolicyError(
                f"nrf: {len(groups)} attributes that sources disclose are more than the {EXACT_LIMIT} "
                "whose subsets can all be looked at; name fewer, or leave out common_causes."
            )
        causes = {source.name: source.usage for source in read.sources if self.common_causes}
        outside = read.external is not None
        return Scenario.parse(
            {
                "learned": [group.describe() for group in groups],
                "population": str(read.files[0].absolute()) if outside else MANY,
                "p_m": 0.0 if outside else 1.0,
                "p_fm": 0.0 if outside else 1.0,
                "p_cu": 1.0 if outside else 0.0,
                "p_c": 0.0,
                "causes": causes,
            },
            "sources",
        )

    @property
    def inputs(self) -> Inputs:
        """The external table, where there is one; subsets of the quasi-identifiers are looked at."""
        return super().inputs if self.scenario.counted else Inputs(single_columns=True)

    def with_estimates(self, at: Estimates) -> RiskModel:  # noqa: ARG002
        """Return the model: nothing is estimated, and a finer scheme has nobody match more people."""
        return self

    def assumptions(self) -> tuple[Assumption, ...]:
        """Return how many people are in each source, and how many of these disclose what there."""
        read: Disclosing = self.sources
        return tuple(
            assumption
            for number, source in enumerate(read.sources)
            for assumption in self.stated(number, source)
        )

    def stated(self, number: int, source: Source) -> Iterator[Assumption]:
        """Go through the probabilities of one source."""

        def resting_on(other: Source) -> NRF:
            sources = self.sources.sources
            changed = (*sources[:number], other, *sources[number + 1 :])
            return replace(self, sources=replace(self.sources, sources=changed))

        yield Assumption(
            f"that a person is in {source.name}",
            source.usage,
            Unit.PROBABILITY,
            lambda value: resting_on(replace(source, usage=value)),
        )
        for name, rate in source.disclosure.items():
            yield Assumption(
                f"that {name} is disclosed in {source.name}",
                rate,
                Unit.PROBABILITY,
                lambda value, n=name: resting_on(  # type: ignore[misc]
                    replace(source, disclosure={**source.disclosure, n: value})
                ),
            )


def one_by_one(sources: Sequence[Source]) -> list[AttributeGroup]:
    """Return a group for each attribute, learned if any source discloses it."""
    return [
        AttributeGroup((name,), likelihood_of(sources, name)) for name in named_attributes(sources)
    ]


def together(sources: Sequence[Source]) -> list[AttributeGroup]:
    """Return a group for each attribute of each source, which depends on being in the source."""
    return [
        AttributeGroup((name,), rate, cause=source.name, source=source.name)
        for source in sources
        for name, rate in source.disclosure.items()
    ]
