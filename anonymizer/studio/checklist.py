"""What a steward settles before a release: what must be fixed, what to decide, and what is fine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

from anonymizer.attacks.result import Attacks
from anonymizer.data.coded import LoadedTable
from anonymizer.errors import AnonymizerError, quote_some
from anonymizer.policy import Policy, Role
from anonymizer.proposal.decision import Decision
from anonymizer.proposal.figures import unique_share
from anonymizer.proposal.kept import KEPT, find_warnings
from anonymizer.report.attacks import verdict
from anonymizer.report.decision import small
from anonymizer.report.page import share
from anonymizer.report.words import join
from anonymizer.search import Status
from anonymizer.solution.solution import Solution
from anonymizer.studio.context import ASKED
from anonymizer.studio.folder import CONTEXT, Folder


class Urgency(StrEnum):
    """What is left to do about a condition."""

    FIX = "fix"
    """No release before this is settled."""
    DECIDE = "decide"
    """The steward looks at it, and may leave it as it is."""
    FINE = "fine"


@dataclass(frozen=True, slots=True)
class ChecklistItem:
    """A condition of a release, and the panel of the page on which it is settled."""

    state: Urgency
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
    return [asdict(each) for each in sorted(found, key=lambda each: [*Urgency].index(each.state))]


def person_check(policy: Policy) -> ChecklistItem:
    """Say who is a person; until somebody did, every figure may count the wrong people."""
    if policy.data.id is not None:
        return ChecklistItem(
            Urgency.FINE, f"'{policy.data.id}' tells whose each row is", "", "start"
        )
    if policy.data.rows_are_people:
        return ChecklistItem(Urgency.FINE, "Each row is a person", "", "start")
    why = "until then each row counts as one, and somebody with several rows looks like several people"
    return ChecklistItem(Urgency.FIX, "Nobody has said yet who is a person", why, "start")


def warning_checks(notes: list[str]) -> Iterator[ChecklistItem]:
    """Repeat the warnings that came with the table and the policy."""
    for note in notes:
        yield ChecklistItem(Urgency.DECIDE, note, "", "start")


def kept_check(
    policy: Policy, table: LoadedTable, decisions: Mapping[str, Decision]
) -> ChecklistItem:
    """Say whether columns that are kept as they are single people out."""
    unique, warned = kept_columns(table, policy, decisions)
    kept = len(policy.with_role(Role.SENSITIVE)) + len(policy.with_role(Role.INSENSITIVE))
    columns = "1 column is" if kept == 1 else f"{kept:,} columns are"
    said = f"{columns} kept as in the table; {share(unique)} of the people are unique by that"
    state = Urgency.DECIDE if warned or unique else Urgency.FINE
    return ChecklistItem(state, said, " ".join(warned), "risk")


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


def solution_checks(solution: Solution) -> Iterator[ChecklistItem]:
    """Say what the release reaches, whether it is the best, and what it costs."""
    for model in solution.problem.models:
        how = "the engine found it so; it is verified from the files after writing"
        yield ChecklistItem(Urgency.FINE, f"The release meets {model}", how, "explore")
    for found in solution.references:
        readers, name = "Readers of the release alone find", found.attribute
        if found.met_by_release:
            yield ChecklistItem(Urgency.FINE, f"{readers} the same of '{name}'", str(found), "risk")
        else:
            said = f"{readers} more of '{name}' than is promised"
            yield ChecklistItem(Urgency.DECIDE, said, found.warning or "", "risk")
    yield proof_check(solution)
    gone, limit = (
        solution.suppressed / solution.records,
        solution.problem.policy.release.suppression_limit,
    )
    yield ChecklistItem(
        Urgency.FINE if limit < 1 else Urgency.DECIDE,
        f"{solution.suppressed:,} of {solution.records:,} records are suppressed ({share(gone)})",
        f"the limit is {share(limit)}" if limit < 1 else "the policy sets no limit",
        "explore",
    )
    if collapsed := solution.collapsed:
        said = f"Nearly all released records say the same of {quote_some(collapsed)}"
        yield ChecklistItem(
            Urgency.DECIDE, said, "analyses of that find nothing any more", "explore"
        )


def proof_check(solution: Solution) -> ChecklistItem:
    """Say whether a better scheme may exist."""
    if solution.status is Status.OPTIMAL:
        return ChecklistItem(Urgency.FINE, "No other scheme is better", "proven", "explore")
    gap = "" if solution.gap is None else f"by up to {solution.gap:.4f} of quality"
    return ChecklistItem(Urgency.DECIDE, "A better release may exist", gap, "explore")


def attack_check(attacks: Attacks | None) -> ChecklistItem:
    """Say whether attacks were tried on this release, and whether any succeeds."""
    if attacks is None:
        return ChecklistItem(Urgency.DECIDE, "No attack has been tried on this release", "", "risk")
    said = verdict(attacks)
    ahead = any(each.exceeds for each in attacks.tried)
    return ChecklistItem(
        Urgency.DECIDE if ahead else Urgency.FINE, f"{said[0].upper()}{said[1:]}", "", "risk"
    )


def context_check(folder: Folder) -> ChecklistItem:
    """Say whether the context of the decision page is complete."""
    try:
        missing = [small(ASKED[key]) for key in folder.stated().missing()]
    except AnonymizerError as error:
        said = f"{CONTEXT} cannot be read, so that no decision page can be written"
        return ChecklistItem(Urgency.FIX, said, str(error), "release")
    if missing:
        said = "The decision page does not say all of who releases what to whom and why"
        return ChecklistItem(Urgency.DECIDE, said, f"not stated: {join(missing)}", "release")
    said = "The decision page says who releases what to whom and why"
    return ChecklistItem(Urgency.FINE, said, "", "release")
