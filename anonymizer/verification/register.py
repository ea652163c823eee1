"""Claims about a release beside earlier ones, checked where the steward's register and key are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.errors import AnonymizerError, ReleaseError
from anonymizer.policy import Policy
from anonymizer.problem.register import ids_of
from anonymizer.register.earlier import Earlier
from anonymizer.register.folder import Register, RegisterEntry
from anonymizer.register.promise import ABSENT
from anonymizer.solution.over_time import k_of
from anonymizer.solution.solution import Solution
from anonymizer.verification.claims import Check

PLACE = "the register has this release, and the ones before it"
PROMISE = "whoever was ever released is one of k by this and the earlier releases"
CLASSES = "the register has the class of everybody in this release"


def check_register(policy: Policy, manifest: Mapping[str, Any]) -> Iterator[Check]:
    """Recompute from the register alone how many people share what they were in."""
    if policy.register_path is None:
        return
    try:
        register = Register.read(policy.register_path)
        entry = entry_of(register, manifest)
    except NotThereError as error:
        yield Check(PLACE, False, str(error), about_risk=True)
        return
    except ReleaseError as error:
        yield Check(PROMISE, None, f"not computed: {error}", about_risk=True)
        return
    yield Check(PLACE, True, f"release {entry.number}; digests agree")
    found = Earlier.of(register.upto(entry.number), [], str(register.path))
    below, accepted = int(found.accepted().sum()), newly_accepted(register, entry)
    said = manifest["earlier"]["accepted"]
    faults = []
    if below > entry.accepted or entry.accepted != said:
        faults.append(f"{below:,} are not, and {said:,} are said to be accepted")
    if accepted > (policy.release.accept_leavers or 0):
        faults.append(f"{accepted:,} are not, and the policy does not accept them")
    if entry.k < least_class(policy):
        faults.append(f"the register was promised {entry.k} people, and the policy asks for more")
    kept = f"{found.people:,} people, of whom {below:,} are accepted not to be"
    yield Check(PROMISE, not faults, "; ".join(faults) or kept, about_risk=True)


def newly_accepted(register: Register, entry: RegisterEntry) -> int:
    """Count who was accepted with a release and not with the one before."""
    before = register.releases[entry.number - 2].accepted if entry.number > 1 else 0
    return entry.accepted - before


class NotThereError(ReleaseError):
    """A register that has no such release."""


def least_class(policy: Policy) -> int:
    """Return the k of the policy."""
    (model,) = policy.risk
    return int(model.describe()["k"])


def entry_of(register: Register, manifest: Mapping[str, Any]) -> RegisterEntry:
    """Return the release that a manifest is of, or say why it is not in the register."""
    declared = manifest.get("earlier")
    if declared is None:
        raise NotThereError(
            "the manifest names no register, and the policy does; release again by `run`"
        )
    number = int(declared["releases"]) + 1
    if declared["name"] != register.index.id:
        raise NotThereError(f"{register.path} is another register than that of the manifest")
    if number > len(register.releases):
        raise NotThereError(
            f"{register.path} has {len(register.releases)} releases, and this is number {number}: its "
            "last ones are lost, and nothing more should be released before a whole copy is put back"
        )
    entry = register.releases[number - 1]
    if (entry.output, entry.previous) != (manifest["output"]["sha256"], declared["previous"]):
        raise NotThereError(f"release {number} of {register.path} is another one")
    return entry


def register_before(policy: Policy, manifest: Mapping[str, Any]) -> Register | None:
    """Return the register as it was before a release; None where the policy has none.

    A ReleaseError says why it cannot be had.
    """
    if policy.register_path is None:
        return None
    entry = entry_of(register := Register.read(policy.register_path), manifest)
    before = register.upto(entry.number - 1)
    if len(before.known) != manifest["earlier"]["compared"]:
        raise ReleaseError(
            f"{register.path}: an earlier release was forgotten since this one was made, so that it "
            "cannot be made again."
        )
    return before


def check_classes(solution: Solution, manifest: Mapping[str, Any]) -> Iterator[Check]:
    """Check that the register has the classes that the scheme gives the people of the original."""
    problem = solution.problem
    if problem.earlier is None or problem.policy.register_path is None:
        return
    try:
        register = Register.read(problem.policy.register_path)
        entry = entry_of(register, manifest)
    except AnonymizerError as error:
        yield Check(CLASSES, False, str(error), about_risk=True)
        return
    if entry.forgotten is not None:
        yield Check(CLASSES, None, f"the release was forgotten on {entry.forgotten}")
        return
    people, mine, theirs = register.people(entry), *classes_of(solution, register, entry)
    pairs = np.unique(np.column_stack([mine, theirs]), axis=0)
    same = len(pairs) == np.unique(mine).size == np.unique(theirs).size
    same &= np.array_equal(mine == ABSENT, theirs == ABSENT)
    same &= np.count_nonzero(theirs != ABSENT) == people.size and k_of(problem) == entry.k
    yield Check(
        CLASSES, same, f"{people.size:,} people" if same else "other people or other classes"
    )


def classes_of(
    solution: Solution, register: Register, entry: RegisterEntry
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the class of each person of the original, by the scheme and by the register."""
    problem, outcome = solution.problem, solution.outcome
    label = outcome.classes.label_of_tuple
    mine = np.where(outcome.suppressed[label], ABSENT, label).astype(np.int64)
    people = register.people(entry)
    if not people.size:
        return mine, np.full(mine.size, ABSENT)
    persons = register.persons(ids_of(problem.policy, problem.microdata, problem.table.name))
    at = np.minimum(np.searchsorted(people["person"], persons), people.size - 1)
    return mine, np.where(people["person"][at] == persons, people["class"][at], ABSENT)
