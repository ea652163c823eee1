"""k-anonymity: every record is one of at least k that look the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from anonymizer.risk.model import ClassModel, ModelKind, RiskModel
from anonymizer.risk.parameters import K, Parameter, check_k, check_whole
from anonymizer.risk.sizes import Sizes


class LeastClass(RiskModel):
    """A base for models that ask for classes of at least k people, whatever else they ask for."""

    k: int

    def check(self, people: int, quasi_identifiers: tuple[str, ...]) -> list[str]:  # noqa: ARG002
        """A table of fewer than k people has no class of k."""
        return check_k(self.k, people)


@dataclass(frozen=True)
class KAnonymity(LeastClass, ClassModel):
    """Every class has at least k records (Samarati and Sweeney 1998).

    >>> print(KAnonymity(3))
    k-anonymity with k = 3
    """

    name: ClassVar[str] = "k-anonymity"
    parameters: ClassVar[tuple[Parameter, ...]] = (K,)
    kind: ClassVar[ModelKind] = ModelKind.PEOPLE  # a finer class has no more records

    k: int

    def __post_init__(self) -> None:
        check_whole("k", self.k)

    def __str__(self) -> str:
        return f"{self.name} with k = {self.k}"

    def asks(self, people: int) -> Sizes:  # noqa: ARG002
        """Ask for classes of k, and nothing else."""
        return Sizes(self.k, only=True)
