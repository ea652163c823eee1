"""Results: how often an attack succeeds, how often it would on people who are not in the release."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from anonymizer.display import Displayed
from anonymizer.estimators.intervals import Estimate
from anonymizer.estimators.proportions import Rate, difference


@dataclass(frozen=True, slots=True)
class Attack:
    """One attack: what was tried, how often it succeeded, against what baseline."""

    name: str
    question: str
    """What the attacker knows and tries, in one sentence."""
    success: Rate
    baseline: Rate | None
    """None where nothing could be learned without the release."""
    baseline_of: str
    """What the baseline is of."""
    details: dict[str, Any] = field(default_factory=dict)
    """Other figures, by name."""
    skipped: str | None = None
    """Why it was not tried; None if it was."""

    @property
    def excess(self) -> Estimate:
        """By how much the success exceeds the baseline, with its interval at 95 % confidence."""
        if self.baseline is None:
            return self.success.estimate
        return difference(self.success, self.baseline)

    @property
    def exceeds(self) -> bool:
        """Whether the excess is above zero beyond chance."""
        return self.skipped is None and self.excess.low > 0

    def describe(self) -> dict[str, Any]:
        """Return all figures as JSON."""
        if self.skipped is not None:
            return {"name": self.name, "question": self.question, "skipped": self.skipped}
        return {
            "name": self.name,
            "question": self.question,
            "success": self.success.describe(),
            "baseline": None if self.baseline is None else self.baseline.describe(),
            "baseline_of": self.baseline_of,
            "excess": self.excess.describe(),
            "details": self.details,
        }


def skip(name: str, question: str, why: str) -> Attack:
    """Say that an attack was not tried, and why."""
    return Attack(name, question, Rate(0, 0), None, "", {}, why)


@dataclass(frozen=True, slots=True, repr=False)
class Attacks(Displayed):
    """All attacks on a release."""

    results: tuple[Attack, ...]
    records: int
    """Records of the original."""
    released: int
    """Released rows that are not redacted."""
    seed: int

    def __getitem__(self, name: str) -> Attack:
        return next(each for each in self.results if each.name == name)

    @property
    def tried(self) -> tuple[Attack, ...]:
        """The attacks that were not skipped."""
        return tuple(each for each in self.results if each.skipped is None)

    def describe(self) -> dict[str, Any]:
        """Return all figures as JSON."""
        return {
            "records": self.records,
            "released": self.released,
            "seed": self.seed,
            "attacks": [each.describe() for each in self.results],
        }
