"""Results: how often an attack succeeds, how often it would on people who are not in the release."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from anonymizer.display import Displayed
from anonymizer.errors import percent
from anonymizer.estimators.intervals import Estimate
from anonymizer.estimators.proportions import Rate, difference


@dataclass(frozen=True, slots=True)
class Attack:
    """One attack: what was tried, how often it succeeded, against what baseline."""

    name: str
    question: str
    """What the attacker knows and tries, in one sentence."""
    success: Rate
    baseline: Rate
    baseline_of: str
    """What the baseline is of."""
    details: dict[str, Any] = field(default_factory=dict)
    """Other figures, by name."""
    skipped: str | None = None
    """Why it was not tried; None if it was."""

    @property
    def excess(self) -> Estimate:
        """By how much the success exceeds the baseline, with its interval at 95 % confidence."""
        return difference(self.success, self.baseline)

    @property
    def exceeds(self) -> bool:
        """Whether the excess is above zero beyond chance."""
        return self.skipped is None and self.excess.low > 0

    @property
    def finding(self) -> str:
        """What the attacker gains over the baseline, with its interval, then the two shares.

        >>> found = Attack("membership inference", "?", Rate(1776, 2000), Rate(1660, 2000), "others")
        >>> found.finding.partition(": ")[0]
        'Gain of 5.8 percentage points over the baseline (95 % interval 3.6 to 8.0)'
        """
        if self.skipped is not None:
            return f"Not tried: {self.skipped}"
        excess = self.excess
        return say_gain(
            (excess.value, excess.low, excess.high), share_of(self.success), share_of(self.baseline)
        )

    def describe(self) -> dict[str, Any]:
        """Return all figures as JSON."""
        if self.skipped is not None:
            return {"name": self.name, "question": self.question, "skipped": self.skipped}
        return {
            "name": self.name,
            "finding": self.finding,
            "question": self.question,
            "success": self.success.describe(),
            "baseline": self.baseline.describe(),
            "baseline_of": self.baseline_of,
            "excess": self.excess.describe(),
            "details": self.details,
        }


def skip(name: str, question: str, why: str) -> Attack:
    """Say that an attack was not tried, and why."""
    return Attack(name, question, Rate(0, 0), Rate(0, 0), "", {}, why)


def say_gain(excess: tuple[float, float, float], success: str, baseline: str) -> str:
    """Say what an attacker gains over a baseline, given the excess and the ends of its interval."""
    value, low, high = (percent(each).removesuffix(" %") for each in excess)
    gain = f"Gain of {value} percentage points over the baseline (95 % interval {low} to {high})"
    if math.isnan(excess[0]):
        gain = "Gain over the baseline not known"
    elif excess[1] <= 0 <= excess[2]:
        gain += ", not beyond chance"
    return f"{gain}: it succeeds in {success}, the baseline in {baseline}."


def share_of(rate: Rate) -> str:
    """Write how many of how many attempts succeed.

    >>> share_of(Rate(1, 2000)), share_of(Rate(0, 0))
    ('0.05 % of 2,000 attempts', 'none of 0 attempts')
    """
    share = percent(rate.estimate.value) if rate.trials else "none"
    return f"{share} of {rate.trials:,} attempts"


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
