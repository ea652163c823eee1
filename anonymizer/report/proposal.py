"""A proposal for people: on the terminal, and on a page for the steward."""

from __future__ import annotations

from pathlib import Path

from rich.console import Group
from rich.table import Table as Grid
from rich.text import Text

from anonymizer.data.staging import Staging
from anonymizer.data.table import open_table
from anonymizer.errors import percent
from anonymizer.policy import Role
from anonymizer.proposal.decision import Confidence, Decision
from anonymizer.proposal.policy_file import HEADINGS
from anonymizer.proposal.proposal import Proposal
from anonymizer.proposal.ranking import MOST_KNOWN, MOST_QUASI, PAIRED, RELEVANT
from anonymizer.proposal.rules import SINGLES_OUT
from anonymizer.report.page import render
from anonymizer.report.provenance import Provenance, digest_of_original

PAGE = "proposal.html"


def write_proposal(proposal: Proposal, folder: str | Path) -> dict[str, str]:
    """Write policy, hierarchies and a page into a folder; a policy that is there is not overwritten.

    Returns the path of each.
    """
    with Staging(folder, [] if proposal.path is None else [proposal.path]) as staging:
        return stage_proposal(proposal, staging)


def stage_proposal(proposal: Proposal, staging: Staging) -> dict[str, str]:
    """Write policy, hierarchies and page; return what each will be called."""
    files = proposal.stage(staging)
    page = render_page(proposal, provenance_of_proposal(proposal))
    staging.path(PAGE).write_text(page, encoding="utf-8")
    return {**files, "page": str(staging.folder / PAGE)}


def provenance_of_proposal(proposal: Proposal) -> Provenance:
    """Return the provenance of a page about a table in a file; of a dataframe it has no digest."""
    if proposal.path is None:
        return Provenance()
    delimiter, encoding, sheet = map(proposal.stated.get, ("delimiter", "encoding", "sheet"))
    table = open_table(proposal.path, delimiter, encoding, sheet)
    return Provenance(digests=digest_of_original(table))


def render_page(proposal: Proposal, provenance: Provenance | None = None) -> str:
    """Write the page that says of each column what was decided and why."""
    return render(
        "proposal.html",
        proposal=proposal,
        sections=[(HEADINGS[role], rows) for role, rows in by_role(proposal).items()],
        doubtful=[each for each in proposal.decisions if each.confidence is Confidence.LOW],
        most_quasi=MOST_QUASI,
        most_known=MOST_KNOWN,
        paired=PAIRED,
        relevant=RELEVANT,
        singles_out=SINGLES_OUT,
        provenance=provenance or Provenance(),
    )


def by_role(proposal: Proposal) -> dict[Role, list[Decision]]:
    """Group the decisions by role; those that single people out most come first."""
    ordered = sorted(proposal.decisions, key=lambda each: -(each.figures.added or 0))
    groups = {role: [each for each in ordered if each.role is role] for role in HEADINGS}
    return {role: found for role, found in groups.items() if found}


def summarize(proposal: Proposal) -> Group:
    """Show the role of each column and why it has it; no cell is shown."""
    heads = ("column", "role", "values", "unique", "added", "why")
    grid = Grid(*heads, title=str(proposal), title_justify="left")
    for column in grid.columns[2:5]:
        column.justify = "right"
    for found in by_role(proposal).values():
        for each in found:
            grid.add_row(*cells_of(each))
    sentence = (
        f"unique: people with a value that nobody else has. added: people who become unique when the "
        f"column is added to one other.\n{percent(proposal.unique)} of the people are unique by all "
        f"{len(proposal.specs)} quasi-identifiers, {percent(proposal.unique_by_kept)} by what is kept."
    )
    return Group(grid, Text(sentence))


def cells_of(decision: Decision) -> tuple[Text | str, ...]:
    """Write one line of the terminal's table."""
    figures = decision.figures
    return (
        Text(decision.column),
        f"{decision.role.value}, id" if decision.is_id else decision.role.value,
        f"{figures.distinct:,}",
        percent(figures.unique),
        "" if figures.added is None else percent(figures.added),
        Text(decision.reason),
    )
