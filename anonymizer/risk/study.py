"""study: who knows a person's row and some of their events finds at least k people who match."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from anonymizer.errors import PolicyError
from anonymizer.risk.k_anonymity import LeastClass
from anonymizer.risk.model import ClassModel, ModelKind
from anonymizer.risk.parameters import K, Parameter, check_share, check_whole
from anonymizer.risk.sizes import Sizes
from anonymizer.table.classes import EquivalenceClasses

PROFILE = "profile"
FLAT = (
    "the model 'study' asks for the events of linked tables, and this is a flat table; ask for power 0, "
    "or name the tables"
)


@dataclass(frozen=True)
class StudyAnonymity(LeastClass, ClassModel):
    """Everybody shares their row, and every set of so many of their events, with k people.

    A set is matched as a forest: by different events of equal tuples in the same tables, whose parents
    have equal tuples too, and are the same where they were the same and different where they were not.

    >>> print(StudyAnonymity(5, power=2, powers={"cm": 0}))
    study with k = 5, power 2, power 0 for cm
    """

    name: ClassVar[str] = "study"
    parameters: ClassVar[tuple[Parameter, ...]] = (K,)
    kind: ClassVar[ModelKind] = (
        ModelKind.PEOPLE
    )  # fewer match at a finer scheme, or with fewer people

    k: int
    power: int | Literal["profile"]
    """How many events of a person somebody knows, over all tables without a power of their own;
    "profile": all of them, and that there are no others."""
    powers: Mapping[str, int] = field(default_factory=dict)
    """How many events of single tables somebody knows beside these; 0 leaves a table out."""
    share: float = 0.0
    """Somebody knows this share of a person's events, rounded up, where that is more than the power."""
    most_events: int | None = None
    """Whoever has more events in the tables that are not left out is dropped."""
    counts: Literal["unknown", "known"] = "unknown"
    """Whether somebody knows how many events a person has in each table."""
    suppress: Literal["people", "events"] = "people"
    """Whether people go with all their rows, or single events of theirs too."""
    event_limit: float = 1.0
    """The largest share of the rows of each table of events that may go, with people or alone."""

    def __post_init__(self) -> None:
        check_whole("k", self.k)
        if self.power != PROFILE:
            if isinstance(self.power, str):
                raise ValueError(f'power must be a whole number or "profile", got {self.power!r}')
            check_whole("power", self.power, 0)
        for table, power in self.powers.items():
            check_whole(f"powers.{table}", power, 0)
        check_share("share", self.share)
        if self.most_events is not None:
            check_whole("most_events", self.most_events, 0)
        if self.counts not in ("unknown", "known"):
            raise ValueError(f'counts must be "unknown" or "known", got {self.counts!r}')
        if self.power == PROFILE and (self.share or any(self.powers.values())):
            raise ValueError('with power = "profile", a share or powers above 0 say nothing more')
        if self.suppress not in ("people", "events"):
            raise ValueError(f'suppress must be "people" or "events", got {self.suppress!r}')
        check_share("event_limit", self.event_limit)
        self.check_events()

    def check_events(self) -> None:
        """Raise a ValueError where single events cannot go, or a limit for them says nothing."""
        if self.suppress == "people":
            if self.event_limit < 1:
                raise ValueError(
                    'event_limit is for suppress = "events"; state that, or leave the limit out'
                )
        elif self.power == PROFILE or self.counts == "known":
            known = 'power = "profile"' if self.power == PROFILE else 'counts = "known"'
            raise ValueError(
                f"with {known}, whoever drops an event of a person changes what is known of them; write "
                'suppress = "people"'
            )

    def __hash__(self) -> int:
        return hash((self.k, self.power, tuple(sorted(self.powers.items())), self.share))

    def __str__(self) -> str:
        parts = [f"{self.name} with k = {self.k}", f"power {self.power}"]
        parts += [f"power {power} for {table}" for table, power in self.powers.items()]
        parts += [f"or {100 * self.share:g} % of the events"] if self.share else []
        parts += [] if self.most_events is None else [f"at most {self.most_events} events"]
        parts += ["counts known"] if self.counts == "known" else []
        parts += ["single events dropped"] if self.suppress == "events" else []
        return ", ".join(parts)

    @property
    def of_rows_alone(self) -> bool:
        """Whether nothing of anybody's events is known, so that it is k-anonymity of the people table."""
        return not (self.power or any(self.powers.values()) or self.share or self.counts == "known")

    def own_powers(self, events: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many events of each person somebody knows, given how many there are."""
        assert isinstance(self.power, int)
        known = np.ceil(np.round(self.share * events, 9)).astype(np.int64)
        return np.maximum(self.power, known)

    def asks(self, people: int) -> Sizes:  # noqa: ARG002
        """Ask for classes of k in the people table; of a flat table that is all, with power 0."""
        return Sizes(self.k, only=self.of_rows_alone)

    def violating(self, classes: EquivalenceClasses) -> NDArray[np.bool_]:
        """Mark the classes that are too small; a flat table has no events to ask for."""
        if not self.of_rows_alone:
            raise PolicyError(f"policy: {FLAT}.")
        return ClassModel.violating(self, classes)

    def check(self, people: int, quasi_identifiers: tuple[str, ...]) -> list[str]:
        """A flat table has no events; and of fewer than k people there are no k."""
        flat = [] if self.of_rows_alone else [f"{FLAT}."]
        return [*flat, *LeastClass.check(self, people, quasi_identifiers)]
