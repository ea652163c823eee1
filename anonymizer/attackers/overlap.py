"""Overlap of a table with an external source that is not at hand (Simon et al. 2020, 3.5 to 3.7).

Of the source's people in a cell, the share p is in the table; of the table's, the share q is in the
source. A record in a cell of k is then re-identified with probability p * q / k.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, TypeAdapter
from pydantic.dataclasses import dataclass

from anonymizer.hierarchy import MISSING, REDACTED
from anonymizer.validation import CHECKED, ByValue, Part, Share, Text, plain_errors


class Pattern(StrEnum):
    """How the people of a cell in the table and in the source overlap."""

    COMPLETE = "complete overlap"
    SUBSET = "protected data is subset"
    SUPERSET = "protected data is superset"
    PARTIAL = "partial overlap"


class AttackKind(StrEnum):
    """What the source is, which decides how a probability is put into words."""

    SYSTEMATIC = "systematic"
    """A file of identified people."""
    IDIOSYNCRATIC = "idiosyncratic"
    """What somebody knows of an event in the life of one person."""


@plain_errors()
@dataclass(frozen=True, slots=True, config=CHECKED)
class Overlap:
    """The overlap in one cell.

    >>> vital = Overlap(p=0.12)
    >>> vital.pattern.value, vital.probability(1), vital.probability(2), round(vital.matches(3), 9)
    ('protected data is subset', 0.12, 0.06, 25.0)
    """

    p: Share = 1.0
    q: Share = 1.0

    @property
    def pattern(self) -> Pattern:
        """Which of the four patterns this is."""
        if self.p == 1:
            return Pattern.COMPLETE if self.q == 1 else Pattern.SUPERSET
        return Pattern.SUBSET if self.q == 1 else Pattern.PARTIAL

    def probability(self, k: int) -> float:
        """Return the probability that a record in a cell of k is re-identified."""
        return self.p * self.q / k

    def matches(self, k: int) -> float:
        """Return how many records of the source are expected to fit somebody in a cell of k who is in it.

        For partial overlap the paper prints k / (p q). By its own reasoning it is k / p: that the person
        may not be in the source at all is said by q, and q / (k / p) is the probability p q / k.
        """
        return k / self.p if self.p else math.inf

    def sentence(self, k: int, attack: AttackKind = AttackKind.SYSTEMATIC) -> str:
        """Say in plain language what the overlap means for a person in a cell of k (section 3.7).

        >>> Overlap(p=0.12).sentence(3, AttackKind.IDIOSYNCRATIC)
        'This person in the protected dataset could be linked to an estimated 25 events that might be \
known to a potential adversary.'
        """
        if self.p == 0 or self.q == 0:
            return "No person of the protected dataset is in the external data resource."
        estimated = "" if self.p == 1 else "an estimated "
        number = f"{estimated}{write_number(self.matches(k))}"
        one = round(self.matches(k), 6) == 1
        if attack is AttackKind.SYSTEMATIC:
            return self.systematic(number, "record" if one else "records")
        return self.idiosyncratic(number, "event" if one else "events")

    def systematic(self, number: str, records: str) -> str:
        """Word the sentence for a file of identified people."""
        link = (
            f"could be linked to {number} identified or identifiable {records} available to a "
            "potential adversary."
        )
        if self.q == 1:
            return f"This person in the protected dataset {link}"
        return (
            f"This person in the protected dataset has a {self.q:.3g} probability of appearing in the "
            f"external data resource and, if they do appear, {link}"
        )

    def idiosyncratic(self, number: str, events: str) -> str:
        """Word the sentence for events that somebody may know of."""
        if self.q == 1:
            return (
                f"This person in the protected dataset could be linked to {number} {events} that might "
                "be known to a potential adversary."
            )
        return (
            f"This person in the protected dataset has a {self.q:.3g} probability of having experienced "
            "an event known to a potential adversary. If so, this person could be linked to "
            f"{number} such {events}."
        )


def write_number(value: float) -> str:
    """Write an expected number as people would say it: whole, or below ten with one decimal.

    >>> write_number(3 / 0.12), write_number(1 / 0.12), write_number(12345.6), write_number(2)
    ('25', '8.3', '12,346', '2')
    """
    text = f"{value:.1f}" if value < 9.95 else f"{value:,.0f}"
    return text.removesuffix(".0")


def in_proportion(largest: float, other: float) -> Callable[[float], float]:
    """Return what changes probabilities in proportion, of which the largest becomes another, up to 1.

    Where all are 0, there is no proportion: all become the other.
    """
    return lambda value: min(1.0, other if largest == 0 else value / largest * other)


@plain_errors()
@dataclass(frozen=True, slots=True, config=CHECKED)
class Proportion:
    """p or q: one for all, or by the value of a key, with a default for values not listed.

    >>> share = Proportion(0.12, by="race", probabilities={"Asian": 0.3})
    >>> share.of(["White", "Asian"]).tolist()
    [0.12, 0.3]
    """

    default: Share = 1.0
    by: Text | None = None
    probabilities: ByValue[Share] = field(default_factory=dict, hash=False)

    @property
    def largest(self) -> float:
        """The proportion where it is highest."""
        return max([self.default, *self.probabilities.values()])

    def with_largest(self, largest: float) -> Proportion:
        """Return it with another largest value, and the others in proportion, none above 1.

        >>> Proportion(0.1, by="race", probabilities={"Asian": 0.2}).with_largest(0.4)
        Proportion(default=0.2, by='race', probabilities={'Asian': 0.4})
        """
        change = in_proportion(self.largest, largest)
        changed = {value: change(share) for value, share in self.probabilities.items()}
        return Proportion(change(self.default), self.by, changed)

    def of(self, labels: Sequence[str]) -> NDArray[np.float64]:
        """Return the proportion for each of the values of the key `by`.

        A missing or redacted cell may be any value: it has the largest, unless it is listed.
        """
        others = {MISSING: self.largest, REDACTED: self.largest}
        known = {**others, **self.probabilities}
        return np.array([known.get(label, self.default) for label in labels])

    def read_as(self, read: Callable[[Sequence[str]], list[str]]) -> Proportion:
        """Return the proportion with its values as a hierarchy writes them."""
        keys = read(list(self.probabilities))
        return Proportion(
            self.default, self.by, dict(zip(keys, self.probabilities.values(), strict=True))
        )

    def describe(self) -> Any:
        """Return the proportion as TOML or JSON has it."""
        if self.by is None:
            return self.default
        return {"by": self.by, "probabilities": dict(self.probabilities), "default": self.default}


class ShareByValue(Part):
    """A proportion as it is written where it depends on the value of a key."""

    by: Text
    probabilities: ByValue[Share]
    default: Share


def parse_proportion(value: object) -> Proportion:
    """Take a number, or a table with `by`, `probabilities` and `default`."""
    if isinstance(value, Proportion):
        return value
    if not isinstance(value, Mapping):
        return Proportion(TypeAdapter(Share).validate_python(value))
    table = TypeAdapter(ShareByValue).validate_python(dict(value))
    return Proportion(table.default, table.by, table.probabilities)


PeopleShare = Annotated[Proportion, BeforeValidator(parse_proportion)]
"""A share of people as a statement writes it."""
