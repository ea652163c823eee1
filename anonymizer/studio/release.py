"""Release: what to look at before, the files, and every claim about them verified at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from anonymizer.analyses.evidence import evidence_of
from anonymizer.comparison.comparison import compare
from anonymizer.data.coded import LoadedTable
from anonymizer.data.staging import Staging
from anonymizer.decision.context import Context
from anonymizer.decision.decision import decide
from anonymizer.errors import AnonymizerError
from anonymizer.explanation.explanation import explain
from anonymizer.policy import Policy, Role
from anonymizer.proposal.decision import Decision
from anonymizer.proposal.figures import unique_share
from anonymizer.proposal.kept import KEPT, find_warnings
from anonymizer.report.decision import QUESTIONS, render_decision
from anonymizer.report.explanation import render_page
from anonymizer.report.page import share
from anonymizer.report.provenance import provenance_of
from anonymizer.report.words import join
from anonymizer.search import Status
from anonymizer.solution.manifest import stage_release
from anonymizer.solution.solution import Solution
from anonymizer.studio.folder import CONTEXT, Folder
from anonymizer.verification.verification import verify

EXPLANATION, DECISION = "explanation.html", "decision.html"
PAGES = {EXPLANATION, DECISION}
"""What is written beside a release and can be read in the browser."""


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


def checklist(
    solution: Solution,
    table: LoadedTable,
    decisions: Mapping[str, Decision],
    notes: list[str],
    folder: Folder,
) -> list[dict[str, Any]]:
    """List the conditions: met, not met, or for the steward to settle (None)."""
    found = [*claims(solution, table, decisions, notes), stated_context(folder)]
    return [{"claim": claim, "holds": holds, "detail": detail} for claim, holds, detail in found]


def context_of(folder: Folder) -> Context:
    """Read what the steward states for the decision page; nothing is stated where there is no file."""
    return Context.read(folder.context) if folder.context.is_file() else Context()


def stated_context(folder: Folder) -> tuple[str, bool | None, str]:
    """Say whether the context of the decision page is complete."""
    claim = "The decision page says who releases what to whom and why"
    try:
        missing = [QUESTIONS[key].lower() for key in context_of(folder).missing()]
    except AnonymizerError as error:
        return claim, False, str(error)
    if not missing:
        return claim, True, f"as {CONTEXT} states it"
    how = f"write {CONTEXT} into the folder; `anonymizer decision --example` shows one"
    return claim, None, f"not stated: {join(missing)}; {how}"


def claims(
    solution: Solution, table: LoadedTable, decisions: Mapping[str, Decision], notes: list[str]
) -> Iterator[tuple[str, bool | None, str]]:
    """List what a steward should look at before a release."""
    policy, records = solution.problem.policy, solution.records
    for model in solution.problem.models:
        yield f"The release meets {model}", True, "the engine found it so; verified after writing"
    for found in solution.references:
        readers = f"Readers of the release alone find the same of '{found.attribute}'"
        yield readers, found.met_by_release or None, found.warning or str(found)
    proven = solution.status is Status.OPTIMAL
    gap = "" if solution.gap is None else f"the optimum may be better by up to {solution.gap:.4f}"
    yield "No other scheme is better", proven or None, "proven" if proven else gap
    gone, limit = solution.suppressed / records, policy.release.suppression_limit
    yield (
        f"Few records are suppressed: {solution.suppressed:,} of {records:,} ({share(gone)})",
        True if limit < 1 else None,
        f"the limit is {share(limit)}" if limit < 1 else "the policy sets no limit",
    )
    settled = policy.data.id is not None or policy.data.rows_are_people
    whose = f"'{policy.data.id}' tells" if policy.data.id else "each row counts as one"
    yield "It is said who is a person", settled or None, whose
    unique, warned = kept_columns(table, policy, decisions)
    kept = len(policy.with_role(Role.SENSITIVE)) + len(policy.with_role(Role.INSENSITIVE))
    yield (
        f"What is kept as it is ({kept} columns) singles nobody out",
        None if warned or unique else True,
        " ".join(warned) or f"{share(unique)} of the people are unique by these columns together",
    )
    yield "There are no warnings", None if notes else True, " ".join(notes)


def write(solution: Solution, folder: Folder, say: Callable[[str], None]) -> dict[str, Any]:
    """Write release, manifest and pages for whoever decides; read them back and verify every claim."""
    release, policy = solution.release, solution.problem.policy
    say("releasing")
    inputs = [Path(release.table.name), folder.policy, *policy.files]
    with Staging(folder.release, inputs) as staging:
        files = stage_release(solution, staging)
        explanation, comparison = explain(solution), compare(solution)
        released = staging.path(Path(files["release"]).name)
        made_of = provenance_of(policy, release.table, released)
        page = render_page(explanation, comparison, made_of)
        staging.path(EXPLANATION).write_text(page, encoding="utf-8")
        files["explanation"] = str(staging.folder / EXPLANATION)
        staging.remove(DECISION)  # that of an older release
    say("verifying")
    # from the files alone: nothing of what made the release is used
    found = verify(files["release"], folder.policy, against=policy.data_path)
    say("deciding")
    files["decision"] = str(write_decision(Path(files["release"]), solution, folder))
    return {
        "files": files,
        "passed": found.passed,
        "checks": [
            {"claim": check.claim, "holds": check.passed, "detail": check.detail}
            for check in found.checks
        ],
    }


def repeated(solution: Solution) -> dict[str, Any] | None:
    """Make the analyses that the policy states; None where there are none, or they cannot be made."""
    if not solution.problem.policy.analysis:
        return None
    try:
        return evidence_of(solution).describe()
    except AnonymizerError:  # the decision page says that no analysis was repeated
        return None


def write_decision(released: Path, solution: Solution, folder: Folder) -> Path:
    """Write the page for whoever answers for a release beside it; the release is read from its file."""
    policy = solution.problem.policy
    made = decide(
        released, policy, policy.data_path, context=context_of(folder), evidence=repeated(solution)
    )
    page = render_decision(made, provenance_of(policy, solution.release.table, released))
    with Staging(folder.release, [released, folder.policy, *policy.files]) as staging:
        staging.path(DECISION).write_text(page, encoding="utf-8")
    return folder.release / DECISION
