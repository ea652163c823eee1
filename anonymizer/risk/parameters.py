"""Parameters of risk models: those that can be tightened, and checks that all of them share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any


class Direction(StrEnum):
    """Which values of a parameter are tighter."""

    UP = "up"
    DOWN = "down"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter that can be tightened: at no scheme does a tighter value suppress fewer records.

    A frontier varies the first one that a model declares, and an explanation tightens each of them. Both
    rely on the direction; a frontier that sees it violated is an error.

    >>> K.loosest_first([5, 2, 3.0])
    [2, 3.0, 5]
    >>> THRESHOLD.loosest_first([0.1, 0.5])
    [0.5, 0.1]
    """

    name: str
    """The field of the model."""
    tightens: Direction
    usual: tuple[float, ...] = ()
    """The values that a frontier takes where the user names none."""
    whole: bool = False
    """Whether it is a whole number."""
    limits_risk: bool = False
    """Whether it is the largest value of the model's own `risk` that passes."""
    meaning: str = ""
    """What its values are, for the axis of a plot."""

    def __post_init__(self) -> None:
        if self.limits_risk and self.tightens is Direction.UP:
            raise ValueError(f"{self.name} limits the risk, so that it tightens down, not up")

    def loosest_first(self, values: Iterable[float]) -> list[float]:
        """Order values without repeats."""
        return sorted(set(values), reverse=self.tightens is Direction.DOWN)

    def value_of(self, model: Any) -> float:
        """Return the value that a model has."""
        value: float = getattr(model, self.name)
        return value

    def at(self, model: Any, value: float) -> Any:
        """Return the model with another value; a ValueError or TypeError says why it has no such one."""
        if self.whole and value == math.floor(value):
            value = int(value)
        return replace(model, **{self.name: value})


K = Parameter(
    "k", Direction.UP, tuple(range(2, 51)), whole=True, meaning="records that look alike, at least"
)
THRESHOLD = Parameter(
    "threshold",
    Direction.DOWN,
    tuple(round(0.01 * step, 2) for step in range(50, 0, -1)),
    limits_risk=True,
    meaning="largest risk accepted",
)


def check_k(k: int, people: int, name: str = "k") -> list[str]:
    """Say that a table of so many people has no class of k, or nothing."""
    if k <= people:
        return []
    return [f"{name} = {k} is larger than the table, which has {people} people; lower k."]


def check_sample(people: int, population: int) -> list[str]:
    """Say that a table of so many people is larger than the population, or nothing."""
    if people <= population:
        return []
    return [
        f"the population of {population} is smaller than the table, which has {people} people; "
        "correct it."
    ]


def check_share(name: str, value: float) -> None:
    """Raise a ValueError unless the value is a number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError(f"{name} must be a number from 0 to 1, got {value!r}")


def check_whole(name: str, value: int, least: int = 1) -> None:
    """Raise a ValueError unless the value is a whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{name} must be a whole number, got {value!r}")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {value}")


def describe_value(value: object) -> object:
    """Write a parameter as JSON has it: a file by its name without the folder, a table by its kind.

    >>> describe_value(Path("data/people.csv")), describe_value((0.1, "mean"))
    ('people.csv', [0.1, 'mean'])
    """
    if isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [describe_value(item) for item in value]
    if isinstance(value, Mapping):
        return {key: describe_value(item) for key, item in value.items()}
    return value.name if isinstance(value, Path) else type(value).__name__
