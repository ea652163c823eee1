"""A proposal for people: on the terminal, and on a page for the steward."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.box import SIMPLE
from rich.console import Group
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from anonymizer.data.staging import Staging
from anonymizer.data.table import open_table
from anonymizer.errors import percent, quote_some
from anonymizer.policy import Role
from anonymizer.proposal.decision import Confidence, Decision
from anonymizer.proposal.policy_file import HEADINGS, by_reason
from anonymizer.proposal.proposal import Proposal
from anonymizer.proposal.ranking import MOST_KNOWN, MOST_QUASI, PAIRED, RELEVANT
from anonymizer.proposal.rules import SINGLES_OUT
from anonymizer.proposal.trial import IN_LAYERS, WORDS, Trials
from anonymizer.report.page import render
from anonymizer.report.provenance import Provenance, digest_of_original
from anonymizer.validation import write_comment

PAGE = "proposal.html"
MOST_NAMED = 24
"""So many columns of one reason are named on the terminal; the page has them all."""


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
        derived=[each for each in proposal.decisions if each.derived],
        doubtful=[each for each in proposal.decisions if each.confidence is Confidence.LOW],
        most_quasi=MOST_QUASI,
        most_known=MOST_KNOWN,
        paired=PAIRED,
        relevant=RELEVANT,
        singles_out=SINGLES_OUT,
        words=WORDS,
        in_layers=IN_LAYERS,
        provenance=provenance or Provenance(),
    )


def by_role(proposal: Proposal) -> dict[Role, list[Decision]]:
    """Group the decisions by role; those that single people out most come first."""
    ordered = sorted(proposal.decisions, key=lambda each: -(each.figures.added or 0))
    groups = {role: [each for each in ordered if each.role is role] for role in HEADINGS}
    return {role: found for role, found in groups.items() if found}


def summarize(proposal: Proposal) -> Group:
    """Show the columns by role and reason, and what the policy comes to; no cell is shown."""
    lines: list[Text | Padding] = [
        Text(f"{proposal}, for {proposal.recipient.words}", style="bold")
    ]
    for (role, reason), alike in by_reason(proposal.decisions).items():
        word = f"{role.value}, id" if alike[0].is_id else role.value
        lines.append(Text(f"{word} ({len(alike)}): {write_comment(reason)}", style="bold"))
        lines.append(Padding(Text(names_of(alike, proposal)), (0, 0, 0, 4), expand=False))
    sentence = (
        "In brackets: the people whom a column singles out by itself.\n"
        f"{percent(proposal.unique)} of the people are unique by all {len(proposal.specs)} "
        f"quasi-identifiers, {percent(proposal.unique_by_kept)} by what is kept."
    )
    return Group(*lines, Text(sentence), *show_trials(proposal.trials))


def names_of(decisions: Sequence[Decision], proposal: Proposal) -> str:
    """List columns, those that single out most first, with the people whom they single out."""
    ordered = sorted(decisions, key=lambda each: -each.figures.unique)
    names = []
    for each in ordered[:MOST_NAMED]:
        people = round(each.figures.unique * proposal.people)
        shown = people and each.figures.unique >= RELEVANT
        name = write_comment(each.column)
        names.append(f"{name} ({people:,})" if shown else name)
    more = len(ordered) - MOST_NAMED
    return ", ".join(names) + (f" and {more:,} more" if more > 0 else "")


def show_trials(trials: Trials | None) -> Iterator[Grid | Text]:
    """Show what one scheme and layers come to, and what other limits would give."""
    if trials is None:
        return
    grid = Grid("tried", "quality", "dropped", "one value nearly everywhere in", box=SIMPLE)
    for each in trials.both:
        word = f"{WORDS[each.recoding]}{' (proposed)' if each is trials.proposed else ''}"
        collapsed = quote_some(each.collapsed) if each.collapsed else "-"
        grid.add_row(word, f"{each.quality:.3f}", percent(each.dropped), Text(collapsed))
    yield grid
    yield Text(trials.limits_sentence())
    if trials.proposed.recoding == "layers":
        yield Text(IN_LAYERS)
