"""Threshold: how likely a person may be found once somebody tries, given how likely it is that one tries.

What is acceptable for a person is a probability of the whole: that somebody tries, and then finds them.
Three things may lead to a try (El Emam 2013, Guide to the de-identification of personal health
information): a recipient wants to, a recipient meets somebody they know, or the data get lost. Of each,

    probability of the whole = probability of the try * highest risk of anybody, given the try

So the highest risk may be what is acceptable, divided by the largest probability of a try. Who may have a
public release is anybody: a try is certain. What is not stated of another release counts as certain, too.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from anonymizer.decision.context import Context

TRIES = "attempt", "acquaintance", "breach"
"""The keys of a context that say how likely each try is."""
SLACK = 1e-12


@dataclass(frozen=True, slots=True)
class Try:
    """What may lead to a try."""

    name: str
    """Its key in a context."""
    stated: float | None
    probability: float
    """1 where it is certain, or not stated."""
    whole: float
    """The probability that somebody tries and finds the person who is easiest to find."""
    within: bool | None
    """Whether that is acceptable; None where nobody said what is."""


@dataclass(frozen=True, slots=True)
class ThresholdDerivation:
    """The threshold that follows from the context, and whether the release keeps it."""

    acceptable: float | None
    public: bool
    highest: float
    tries: tuple[Try, ...]
    threshold: float | None
    """The highest risk that may be left; None where nobody said what is acceptable."""

    @property
    def met(self) -> bool | None:
        """Whether the highest risk is within the threshold; None where there is none."""
        return None if self.threshold is None else self.highest <= self.threshold + SLACK

    def describe(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {**asdict(self), "met": self.met}


def derive_threshold(context: Context, highest: float) -> ThresholdDerivation:
    """Derive the threshold from what a context states.

    >>> tries = {"attempt": 0.2, "acquaintance": 0.1, "breach": 0.25}
    >>> derived = derive_threshold(Context(release_model="agreement", acceptable=0.05, **tries), 0.2)
    >>> derived.threshold, derived.met
    (0.2, True)
    """
    stated = {key: getattr(context, key) for key in TRIES}
    certain = dict.fromkeys(TRIES, 1.0) if context.public else stated
    likely = {key: 1.0 if value is None else value for key, value in certain.items()}
    most, limit = max(likely.values()), context.acceptable
    threshold = None if limit is None else 1.0 if most <= limit else limit / most
    tries = tuple(
        Try(
            key,
            stated[key],
            chance,
            chance * highest,
            None if limit is None else chance * highest <= limit + SLACK,
        )
        for key, chance in likely.items()
    )
    return ThresholdDerivation(limit, context.public, highest, tries, threshold)
