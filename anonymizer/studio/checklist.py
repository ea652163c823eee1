"""What a steward settles before a release: what must be fixed, what to decide, and what is fine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

from anonymizer.attacks.result import Attacks
from anonymizer.data.coded import LoadedTable
from anonymizer.errors import AnonymizerError
from anonymizer.policy import Policy, Role
from anonymizer.proposal.decision import Decision
from anonymizer.proposal.figures import unique_share
from anonymizer.proposal.kept import KEPT, find_warnings
from anonymizer.report.attacks import verdict
from anonymizer.report.decision import missing_from
from anonymizer.report.page import share
from anonymizer.report.words import join
from anonymizer.search import Status
from anonymizer.solution.solution import Solution
from anonymizer.studio.folder import CONTEXT, Folder


class State(StrEnum):
    """What is left to do about a condition."""

    FIX = "fix"
    """No release before this is settled."""
    DECIDE = "decide"
    """The steward looks at it, and may leave it as it is."""
    FINE = "fine"


@dataclass(frozen=True, slots=True)
class Check:
    """A condition of a release, and the panel of the page on which it is settled."""

    state: State
    said: str
    """What is the case, not what would be good: it stands beside its state."""
    detail: str
    panel: str


def checklist_of(
    solution: Solution,
    table: LoadedTable,
    decisions: Mapping[str, Decision],
    notes: list[str],
    folder: Folder,
    attacks: Attacks | None = None,
) -> list[dict[str, Any]]:
    """List the conditions, what must be fixed first."""
    found = [
        person_check(solution.problem.policy),
        *warning_checks(notes),
        kept_check(solution.problem.policy, table, decisions),
        *solution_checks(solution),
        attack_check(attacks),
        context_check(folder),
    ]
    return [asdict(each) for each in sorted(found, key=lambda each: [*State].index(each.state))]


def person_check(policy: Policy) -> Check:
    """Say who is a person; until somebody did, every figure may count the wrong people."""
    if policy.data.id is not None:
        return Check(State.FINE, f"'{policy.data.id}' tells whose each row is", "", "start")
    if policy.data.rows_are_people:
        return Check(State.FINE, "Each row is a person", "", "start")
    why = "until then each row counts as one, and somebody with several rows looks like several people"
    return Check(State.FIX, "Nobody has said yet who is a person", why, "start")


def warning_checks(notes: list[str]) -> Iterator[Check]:
    """Repeat the warnings that came with the table and the policy."""
    for note in notes:
        yield Check(State.DECIDE, note, "", "start")


def kept_check(policy: Policy, table: LoadedTable, decisions: Mapping[str, Decision]) -> Check:
    """Say whether columns that are kept as they are single people out."""
    unique, warned = kept_columns(table, policy, decisions)
    kept = len(policy.with_role(Role.SENSITIVE)) + len(policy.with_role(Role.INSENSITIVE))
    columns = "1 column is" if kept == 1 else f"{kept:,} columns are"
    said = f"{columns} kept as in the table; {share(unique)} of the people are unique by that"
    state = State.DECIDE if warned or unique else State.FINE
    return Check(state, said, " ".join(warned), "risk")


def kept_columns(
    table: LoadedTable, policy: Policy, decisions: Mapping[str, Decision]
) -> tuple[float, list[str]]:
    """Return the share of people who are unique by kept columns, and the columns behind it."""
    policy = policy.with_columns(table.columns)
    decided = [
        replace(each, role=policy.attributes[name].role, is_id=name == policy.data.id)
        for name, each in decisions.items()
        if name in policy.attributes
    ]
    kept = [table.coded[each.column] for each in decided if each.role in KEPT]
    whose = None if policy.data.id is None else table.coded[policy.data.id]
    unique = unique_share(kept, whose)
    return unique, list(find_warnings(decided, unique))


def solution_checks(solution: Solution) -> Iterator[Check]:
    """Say what the release reaches, whether it is the best, and what it costs."""
    for model in solution.problem.models:
        how = "the engine found it so; it is verified from the files after writing"
        yield Check(State.FINE, f"The release meets {model}", how, "explore")
    for found in solution.references:
        readers, name = "Readers of the release alone find", found.attribute
        if found.met_by_release:
            yield Check(State.FINE, f"{readers} the same of '{name}'", str(found), "risk")
        else:
            said = f"{readers} more of '{name}' than is promised"
            yield Check(State.DECIDE, said, found.warning or "", "risk")
    yield proof_check(solution)
    gone, limit = (
        solution.suppressed / solution.records,
        solution.problem.policy.release.suppression_limit,
    )
    yield Check(
        State.FINE if limit < 1 else State.DECIDE,
        f"{solution.suppressed:,} of {solution.records:,} records are suppressed ({share(gone)})",
        f"the limit is {share(limit)}" if limit < 1 else "the policy sets no limit",
        "explore",
    )
    if collapsed := solution.collapsed:
        said = f"Nearly all released records say the same of {join(map(repr, collapsed))}"
        yield Check(State.DECIDE, said, "analyses of that find nothing any more", "explore")


def proof_check(solution: Solution) -> Check:
    """Say whether a better scheme may exist."""
    if solution.status is Status.OPTIMAL:
        return Check(State.FINE, "No other scheme is better", "proven", "explore")
    gap = "" if solution.gap is None else f"by up to {solution.gap:.4f} of quality"
    return Check(State.DECIDE, "A better release may exist", gap, "explore")


def attack_check(attacks: Attacks | None) -> Check:
    """Say whether attacks were tried on this release, and whether any succeeds."""
    if attacks is None:
        return Check(State.DECIDE, "No attack has been tried on this release", "", "risk")
    said = verdict(attacks)
    ahead = any(each.exceeds for each in attacks.tried)
    return Check(State.DECIDE if ahead else State.FINE, f"{said[0].upper()}{said[1:]}", "", "risk")


def context_check(folder: Folder) -> Check:
    """Say whether the context of the decision page is complete."""
    try:
        missing = missing_from(folder.stated())
    except AnonymizerError as error:
        said = f"{CONTEXT} cannot be read, so that no decision page can be written"
        return Check(State.FIX, said, str(error), "release")
    if missing:
        said = "The decision page does not say all of who releases what to whom and why"
        return Check(State.DECIDE, said, f"not stated: {join(missing)}", "release")
    said = "The decision page says who releases what to whom and why"
    return Check(State.FINE, said, "", "release")
