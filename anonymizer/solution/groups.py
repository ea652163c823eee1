"""What a release keeps of the groups that its policy wants kept, and what goes in any case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from anonymizer.errors import InfeasibleError, percent
from anonymizer.evaluation.evaluate import Outcome, most_kept_of
from anonymizer.evaluation.suppression import suppress
from anonymizer.problem import Problem
from anonymizer.table.classes import partition


@dataclass(frozen=True, slots=True)
class KeptGroup:
    """How many of a group a release keeps."""

    where: str
    """The condition that tells it."""
    at_least: float
    """The share that must stay."""
    size: int
    least: int
    """How many that is."""
    kept: int
    gone_anyway: int
    """How many go at every scheme that the policy allows, at least."""
    counted: str
    """What is counted: records, or people where the policy names an id."""

    @property
    def share(self) -> float:
        """The share that is kept; all of nothing."""
        return self.kept / self.size if self.size else 1.0

    @property
    def is_kept(self) -> bool:
        """Whether that is enough."""
        return self.kept >= self.least

    @property
    def reachable(self) -> float:
        """The share that no scheme keeps more than."""
        return 1 - self.gone_anyway / self.size if self.size else 1.0

    def describe(self) -> dict[str, Any]:
        """Return it as JSON."""
        return asdict(self)


def kept_groups(problem: Problem, outcome: Outcome) -> tuple[KeptGroup, ...]:
    """Count what a scheme keeps of each group.

    What must go at the coarsest scheme and at every finer one goes at all of them.
    """
    if not problem.groups:
        return ()
    kept = ~outcome.suppressed[outcome.classes.label_of_tuple]
    most = reachable(problem)
    return tuple(
        KeptGroup(
            group.where,
            group.at_least,
            group.size,
            group.least,
            group.kept(kept),
            group.size - best,
            "records" if group.people is None else "people",
        )
        for group, best in zip(problem.groups, most, strict=True)
    )


def reachable(problem: Problem) -> list[int]:
    """Return how many of each group any scheme can keep, at most."""
    microdata = problem.microdata
    coarsest = suppress(microdata, partition(microdata, problem.lattice.high), problem.models)
    return [most_kept_of(group, coarsest) for group in problem.groups]


def too_few_kept(which: str, problem: Problem, outcome: Outcome) -> InfeasibleError | None:
    """Say of which groups a scheme keeps too little, and how much is within reach; None of none."""
    short = [group for group in kept_groups(problem, outcome) if not group.is_kept]
    if not short:
        return None
    models = " and ".join(str(model) for model in problem.models)
    said = "; ".join(map(say_short, short))
    return InfeasibleError(
        f"{models} cannot be met with the groups of [[keep]]: {which} keeps {said}; lower at_least, "
        "raise max_level, or loosen the models."
    )


def say_short(group: KeptGroup) -> str:
    """Say how much of a group is kept, beside what was asked and what is within reach."""
    return (
        f"{group.kept:,} of {group.size:,} {group.counted} with {group.where} ({percent(group.share)}), "
        f"below the {percent(group.at_least)} of at_least, and no scheme keeps more than "
        f"{percent(group.reachable)}"
    )


def describe_groups(groups: Sequence[KeptGroup]) -> dict[str, Any]:
    """Return the groups as JSON; nothing where there are none."""
    return {"keep": [group.describe() for group in groups]} if groups else {}
