"""Stated probabilities of a scenario, one by one, and the scenario with another in the place of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from anonymizer.attackers.probability import Chance
from anonymizer.attackers.scenario import PARAMETERS, Scenario


@dataclass(frozen=True, slots=True)
class StatedChance:
    """A probability of a scenario by its name."""

    name: str
    chance: Chance
    changed: Callable[[Chance], Scenario]
    """Takes another probability, and returns the scenario with it."""


def stated_chances(scenario: Scenario) -> Iterator[StatedChance]:
    """Go through the parameters, the causes and what is learned in groups."""
    for name, chance in zip(PARAMETERS, scenario.parameters, strict=True):
        yield StatedChance(name, chance, lambda other, n=name: replace(scenario, **{n: other}))  # type: ignore[misc]
    for name, chance in scenario.causes.items():
        yield StatedChance(
            f"that {name} is found",
            chance,
            lambda other, n=name: replace(scenario, causes={**scenario.causes, n: other}),  # type: ignore[misc]
        )
    for number, group in enumerate(scenario.groups):
        source = "" if group.source is None else f" from {group.source}"
        yield StatedChance(
            f"that {group} is learned{source}",
            group.chance,
            lambda other, n=number: with_group(scenario, n, other),  # type: ignore[misc]
        )


def with_group(scenario: Scenario, number: int, chance: Chance) -> Scenario:
    """Return a scenario in which one group is learned with another probability."""
    groups = scenario.groups
    changed = groups[number].with_chance(chance)
    return replace(scenario, groups=(*groups[:number], changed, *groups[number + 1 :]))
