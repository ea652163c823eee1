"""Findings: what the steward's procedure found out, in figures that name nobody."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from anonymizer.assessment.homogeneity import Homogeneity
from anonymizer.assessment.keys import ValueCount, WhatIf
from anonymizer.assessment.mitigation import Access, Option
from anonymizer.assessment.plan import MitigationPlan
from anonymizer.assessment.source_risk import Linkage


@dataclass(frozen=True, slots=True)
class Special:
    """What makes people unique, in figures that name nobody; a reason where it was not looked for."""

    people: int = 0
    by_smallest_set: tuple[int, ...] = ()
    """How many of the cells with one person are unique by 1, 2, ... keys, but not by fewer."""
    sets: tuple[int, ...] = ()
    """How many minimal sets of 1, 2, ... keys there are."""
    contributions: tuple[tuple[str, float], ...] = ()
    """For each key, the share of all scores that is due to sets with it; the largest first."""
    highest_score: float = 0.0
    highest_dis: float | None = None
    """The largest DIS-SUDA score, where p says what share of the population the table is."""
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class OverlapReading:
    """What the overlap means for the people in cells of one size."""

    size: int
    people: int
    probability: float
    sentence: str


@dataclass(frozen=True, slots=True)
class Rarity:
    """Who is rare by the keys of a source, and what makes them so."""

    cells: int
    smallest_cell: int
    violations: dict[int, int]
    by_history: dict[int, int] | None
    """The same for an attacker who knows all rows of a person; None where everyone has one."""
    people_by_cell_size: dict[str, int]
    key_values: tuple[ValueCount, ...]
    """The values with the largest shares of their people in cells of fewer than 5, of each key."""
    what_if: tuple[WhatIf, ...]


@dataclass(frozen=True, slots=True)
class Probabilities:
    """With what probability people are re-identified; without p and q where the source was linked."""

    p: Any
    q: Any
    pattern: str | None
    without: dict[str, Any]
    """p and q once a key is left out, for the keys that they hang on."""
    readings: tuple[OverlapReading, ...]
    threshold: float
    needed_size: int | None
    """How many people make a cell acceptable."""
    highest: float
    average: float
    above: int
    """The people above the threshold."""
    key_values: tuple[ValueCount, ...]
    """The values that would lose the largest shares of their people if all above were dropped."""


@dataclass(frozen=True, slots=True)
class SourceFindings:
    """All that was found about one source."""

    name: str
    attack: str
    keys: tuple[str, ...]
    levels: dict[str, int]
    """The level on which keys are compared, where it is not the value itself."""
    linkage: Linkage | None
    """None where the source is not at hand."""
    rarity: Rarity
    special: Special
    probabilities: Probabilities
    homogeneity: tuple[Homogeneity, ...]
    options: tuple[Option, ...]
    access: tuple[Access, ...]
    new: tuple[str, ...] = ()
    """The sensitive columns that whoever uses the source does not know yet."""

    @property
    def passes(self) -> bool:
        """Whether nobody is above the threshold, and no small cell gives away too much."""
        return self.probabilities.above == 0 and not self.given_away

    @property
    def given_away(self) -> int:
        """The people of whom a small cell tells a sensitive value; of several values, the most people."""
        return max((found.given_away for found in self.homogeneity), default=0)


@dataclass(frozen=True, slots=True)
class ProcedureFindings:
    """All that was found about a table."""

    rows: int
    people: int
    by_id: bool
    sources: tuple[SourceFindings, ...]
    most: float = 1.0
    """The share of a small cell's people from which on it gives a sensitive value away."""
    plan: MitigationPlan | None = None
    """What to do about all sources together; None where nobody is above a threshold."""

    @property
    def passes(self) -> bool:
        """Whether every source is acceptable."""
        return all(source.passes for source in self.sources)

    def describe(self) -> dict[str, Any]:
        """Return all figures as JSON; no values of single records are among them."""
        sources = [
            {**asdict(s), "given_away": s.given_away, "passes": s.passes} for s in self.sources
        ]
        return {
            "passes": self.passes,
            "rows": self.rows,
            "people": self.people,
            "by_id": self.by_id,
            "most": self.most,
            "sources": sources,
            "plan": None if self.plan is None else self.plan.describe(),
        }
