"""Assumptions: figures that somebody stated and a model rests on; they may be wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Unit(StrEnum):
    """What a stated figure is."""

    PROBABILITY = "probability"
    """From 0 to 1; no model passes more easily with a higher one."""
    PEOPLE = "people"
    """The size of a population; a model may fail with a larger one, and with a smaller one."""


@dataclass(frozen=True, slots=True)
class Assumption:
    """A stated figure, and the model that another figure in its place would make.

    Where a probability differs between people, `value` is the largest, and the others change in
    proportion.
    """

    name: str
    value: float
    unit: Unit
    changed: Callable[[float], Any]
    """Takes another value, and returns the risk model that rests on it."""

    @staticmethod
    def of_population(size: int, changed: Callable[[int], Any]) -> Assumption:
        """The size of the population, with what makes the model for another."""
        return Assumption("population", size, Unit.PEOPLE, lambda people: changed(round(people)))
