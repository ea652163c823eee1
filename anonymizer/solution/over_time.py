"""Over time: what it costs to be safe beside earlier releases, and how a register learns of a release."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from anonymizer.data.files import digest_of_file
from anonymizer.errors import AnonymizerError, ReleaseError
from anonymizer.evaluation.evaluate import Outcome
from anonymizer.problem import Problem
from anonymizer.problem.register import ids_of
from anonymizer.proof.format import digest_of_policy
from anonymizer.register.earlier import Earlier
from anonymizer.risk.k_anonymity import KAnonymity
from anonymizer.search import search

DIGITS = 4
"""Of the quality of releases that are not made: nobody finds a cell by trying."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way to release a table: its quality, and how many are suppressed."""

    quality: float
    suppressed: int
    scheme: dict[str, int]

    def describe(self) -> dict[str, Any]:
        """Return it as JSON."""
        quality = round(self.quality, DIGITS)
        return {"quality": quality, "suppressed": self.suppressed, "scheme": self.scheme}


@dataclass(frozen=True, slots=True)
class OverTime:
    """A release beside the earlier ones, and other ways to make it."""

    name: str
    """That of the register."""
    releases: int
    """How many there were before."""
    compared: int
    """How many of them are not forgotten."""
    previous: str
    """The digest of the last of them."""
    k: int
    people: int
    """How many people were in any."""
    accepted: int
    """How many people of earlier releases are among fewer than k, which the policy accepts."""
    made: Way
    again: Way | None
    """The same with the scheme of the release before; None where that cannot be used."""
    alone: Way | None
    """The best if nothing had been released before, which would not be safe."""

    def describe(self) -> dict[str, Any]:
        """Return what a manifest says of it."""
        ways = {"again": self.again, "alone": self.alone}
        return {
            "name": self.name,
            "releases": self.releases,
            "compared": self.compared,
            "previous": self.previous,
            "people": self.people,
            "accepted": self.accepted,
            **{key: None if way is None else way.describe() for key, way in ways.items()},
        }

    def sentences(self) -> Iterator[str]:
        """Say what it costs to be safe beside earlier releases, and by which scheme."""
        if not self.releases:
            yield "This is the first release of its register."
            return
        several = "release" if self.compared == 1 else "releases"
        yield (
            f"Beside {self.compared:,} earlier {several} of {self.people:,} people: whoever was ever "
            f"released is one of at least {self.k} by all releases together{self.but()}."
        )
        if self.alone is not None:
            yield (
                f"That costs {max(0.0, self.alone.quality - self.made.quality):.4f} of quality and "
                f"{self.made.suppressed - self.alone.suppressed:+,} suppressed records: alone, the best "
                f"release has {self.alone.quality:.4f} with {self.alone.suppressed:,} suppressed."
            )
        if self.again is not None and self.again.scheme == self.made.scheme:
            yield "Its scheme is that of the release before."
        elif self.again is not None:
            yield (
                f"With the scheme of the release before it would be {self.again.quality:.4f}, "
                f"{self.again.suppressed:,} suppressed (`anonymizer apply` with its manifest)."
            )

    def but(self) -> str:
        """Name whom the promise does not hold for."""
        return f", but for {self.accepted:,} who were accepted" if self.accepted else ""


def over_time(problem: Problem, made: Way) -> OverTime | None:
    """Weigh the ways to release a table beside earlier releases; None where there is no register."""
    earlier = problem.earlier
    if earlier is None:
        return None
    return OverTime(
        earlier.register.index.id,
        earlier.releases,
        len(earlier.register.known),
        earlier.register.head,
        k_of(problem),
        earlier.people,
        accepted_leavers(problem, earlier),
        made,
        way_again(problem, earlier),
        way_alone(problem),
    )


def k_of(problem: Problem) -> int:
    """Return how many people share a history, by the one model that a register allows."""
    (model,) = problem.models
    assert isinstance(model, KAnonymity)
    return model.k


def accepted_leavers(problem: Problem, earlier: Earlier) -> int:
    """Count the people of earlier releases who are among fewer than k, now or since one of these."""
    lost = earlier.lost(k_of(problem))
    return int((lost | earlier.accepted()).sum())


def way_again(problem: Problem, earlier: Earlier) -> Way | None:
    """Apply the scheme of the last release, if it is one of this policy's."""
    last = earlier.last
    if last is None:
        return None
    try:
        scheme = problem.scheme_of(last.scheme)
    except AnonymizerError:
        return None
    found = problem.evaluate(scheme)
    return Way(found.quality, found.suppressed_records, last.scheme) if found.feasible else None


def way_alone(problem: Problem) -> Way | None:
    """Find the best release as if there were no earlier ones, within the same limits."""
    found = search(
        problem.alone, problem.lattice, problem.limits, problem.policy.machine.workers
    ).best
    if found is None:
        return None
    return Way(found.quality, found.suppressed_records, problem.named(found.scheme))


def enter(
    problem: Problem, outcome: Outcome, manifest: Mapping[str, Any], file: Path
) -> Callable[[], None] | None:
    """Enter a release in its register before it appears; return what takes that back.

    A release that the register does not know would be seen by nobody who makes the next one. One that it
    knows and that was not made costs a little quality.
    """
    earlier = problem.earlier
    if earlier is None:
        return None
    kept = ~outcome.suppressed[outcome.classes.label_of_tuple]
    ids = ids_of(problem.policy, problem.microdata, problem.table.name)
    proof = manifest.get("proof_file")
    described = {
        "date": date.today().isoformat(),
        "k": k_of(problem),
        "policy": digest_of_policy(problem.policy.describe()),
        "scheme": problem.named(outcome.evaluation.scheme),
        "manifest": digest_of_file(file),
        "output": manifest["output"]["sha256"],
        "proof": None if proof is None else proof["sha256"],
        "accepted": manifest["earlier"]["accepted"],
    }
    chosen = [each for each, there in zip(ids, kept.tolist(), strict=True) if there]
    return earlier.register.add(chosen, outcome.classes.label_of_tuple[kept], described)


def check_register(earlier: Earlier | None, older: Mapping[str, Any], folder: Path) -> None:
    """Raise a ReleaseError if the release that stands where this one will go is not in the register."""
    declared = older.get("earlier") or {}
    if earlier is None or declared.get("name") != earlier.register.index.id:
        return
    if declared["releases"] >= earlier.releases:
        raise ReleaseError(
            f"{earlier.register.path}: the register lacks the release in {folder}, which is its release "
            f"{declared['releases'] + 1}; put back a copy of the register that has it."
        )
