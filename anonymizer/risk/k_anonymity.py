"""k-anonymity: every record is one of at least k that look the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from anonymizer.engine.classes import EquivalenceClasses
from anonymizer.risk.model import ClassModel, Monotone, RiskModel, Scope
from anonymizer.risk.parameters import K, Parameter, check_k, check_whole


class LeastClass(RiskModel):
    """A base for models that ask for classes of at least k records, whatever else they ask for."""

    by_class_size: ClassVar[bool] = True
    k: int

    def least_class(self, records: int) -> int:  # noqa: ARG002
        """Return k."""
        return self.k

    def check(self, people: int, quasi_identifiers: tuple[str, ...]) -> list[str]:  # noqa: ARG002
        """A table of fewer than k people has no class of k."""
        return check_k(self.k, people)

    def violating(self, classes: EquivalenceClasses) -> NDArray[np.bool_]:
        """Mark the classes with fewer than k records."""
        return classes.sizes < self.k


@dataclass(frozen=True)
class KAnonymity(LeastClass, ClassModel):
    """Every class has at least k records (Samarati and Sweeney 1998).

    >>> print(KAnonymity(3))
    k-anonymity with k = 3
    """

    name: ClassVar[str] = "k-anonymity"
    parameters: ClassVar[tuple[Parameter, ...]] = (K,)
    scope: ClassVar[Scope] = Scope.PEOPLE
    monotone: ClassVar[Monotone] = Monotone.RECORD  # a finer class has no more records

    k: int

    def __post_init__(self) -> None:
        check_whole("k", self.k)

    def __str__(self) -> str:
        return f"{self.name} with k = {self.k}"
