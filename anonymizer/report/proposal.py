"""A proposal for people: on the terminal, and on a page for the steward."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Group
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from anonymizer.data.opening import open_table
from anonymizer.data.staging import Staging
from anonymizer.errors import percent
from anonymizer.policy import Role
from anonymizer.proposal.decision import Confidence, Decision
from anonymizer.proposal.policy_file import HEADINGS, by_reason
from anonymizer.proposal.proposal import Proposal
from anonymizer.proposal.ranking import MOST_KNOWN, MOST_QUASI, PAIRED, RELEVANT
from anonymizer.proposal.rules import SINGLES_OUT
from anonymizer.proposal.trial import IN_LAYERS, WORDS, Trials
from anonymizer.report.page import share, whole, write_page
from anonymizer.report.provenance import Provenance, digest_of_original
from anonymizer.report.sections import FigureTable, Section, Toned, answer, bad, grid
from anonymizer.validation import write_comment

PAGE = "proposal.html"
LOW = Confidence.LOW
DECISION_HEADER = (
    *("column", "why", "how sure", "cells", "different\nvalues", "missing"),
    *("unique\nalone", "added to\none other"),
)
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
    people = f"{share(proposal.unique)} of the people are unique by the {len(proposal.specs)}"
    lead: list[str] = [
        Toned(
            f"{proposal}. For {proposal.recipient.words}. {people} quasi-identifiers that are proposed.",
            "lead",
        ),
        bad(
            "This page is for whoever decides on the release: the hierarchies below hold values of the "
            "table."
        ),
        *map(bad, proposal.warnings),
    ]
    if doubtful := [each.column for each in proposal.decisions if each.confidence is LOW]:
        lead.append(answer("Look first at:", f"{', '.join(doubtful)}."))
    lead.append(
        "No program knows what others know about the people in this table. Read every line, and edit "
        "policy.toml where it is wrong; then run `anonymizer run policy.toml --out release`."
    )
    heading = f"What each column should be: {proposal.name}"
    return write_page(heading, lead, tuple(sections(proposal)), provenance)


def sections(proposal: Proposal) -> Iterator[Section]:
    """Show the role of each column with its reason, the outcome, and how it was decided."""
    for role, decisions in by_role(proposal).items():
        rows = tuple(map(decision_row, decisions))
        title = role.value.capitalize()
        yield Section(title, (f"{HEADINGS[role]}",), (FigureTable(DECISION_HEADER, rows),))
    if derived := [each for each in proposal.decisions if each.derived]:
        told = (
            "Of columns that tell one another, one is generalized. The others leave with it: kept beside "
            "it, they would give it away."
        )
        lines = (f"{each.column}: {each.reason}." for each in derived)
        yield Section("Which follows from which", (told, *lines))
    if proposal.trials is not None:
        yield trials_section(proposal.trials)
    specs = tuple(
        Section("", (), parts=(Section("", (Toned(spec, "file"),)),), details=column)
        for column, spec in proposal.specs.items()
    )
    yield Section("Hierarchies", (), parts=specs)
    yield Section("How it was decided", tuple(how_decided(proposal)))


def decision_row(each: Decision) -> tuple[str, ...]:
    """Write what was decided on a column as a row."""
    figures = each.figures
    return (
        each.column,
        f"{each.reason} (id)" if each.is_id else each.reason,
        each.confidence.value,
        each.content.value,
        whole(figures.distinct),
        whole(figures.missing),
        share(figures.unique),
        "" if figures.added is None else share(figures.added),
    )


def trials_section(trials: Trials) -> Section:
    """Say what one scheme and layers come to, and what is left of each column."""
    names = tuple(WORDS[each.recoding] for each in trials.both)
    left = tuple(
        (column, *(share(each.left[column].retained) for each in trials.both))
        for column in trials.proposed.left
    )
    said = f"{IN_LAYERS} {trials.limits_sentence()} These are short searches: `run` may find better ones."
    kept = FigureTable(("what is left, as the share of its information", *names), left)
    return Section("One scheme or layers", (said,), (trial_figures(trials), kept))


def trial_figures(trials: Trials) -> FigureTable:
    """Set what was tried side by side."""
    rows = tuple(
        (
            f"{WORDS[each.recoding]}{' (proposed)' if each is trials.proposed else ''}",
            f"{each.quality:.3f}",
            share(each.dropped),
            ", ".join(map(write_comment, each.collapsed)) or "-",
        )
        for each in trials.both
    )
    return FigureTable(("tried", "quality", "dropped", "one value nearly everywhere in"), rows)


def how_decided(proposal: Proposal) -> Iterator[str]:
    """Say by which rules columns were decided on."""
    yield answer(
        "Unique alone:",
        "the share of the people who have a value that nobody else has.",
        "Added to one other: the share of the people who become unique when the column is added to one "
        f"other, on average over the {PAIRED} columns, at most, that were counted in pairs.",
    )
    yield (
        "Names, contents (addresses, numbers of accounts, free text) and texts that single out many are "
        "removed."
    )
    yield (
        "A column is a quasi-identifier where it distinguishes people, stays true of them, and can be "
        "known to outsiders. The first is measured. The other two are proposed by the kind of column: "
        "dates of events, places and demographics can be known; measurements, scores and amounts cannot, "
        "and change. Answer otherwise with --quasi or --keep. For an agreement or an enclave, what "
        "nobody outside can know stays as it is; for the public it leaves where it singles people out."
    )
    yield (
        "Columns that others may know by their names are quasi-identifiers, up to "
        f"{MOST_KNOWN}. Others are where they single out at least {share(RELEVANT)} of the people, "
        f"alone, added to one other or beside all, as long as there are no more than {MOST_QUASI} in all."
    )
    yield (
        "Of the rest, what tells least is kept as it is, as long as the kept columns single out less "
        f"than {share(SINGLES_OUT)} more of the people, alone or together. All others are removed. A "
        f"warning above says so. {share(proposal.unique_by_kept)} of the people are unique by all kept "
        "columns together."
    )
    yield (
        f"Everybody released looks like at least {proposal.k - 1} others (k-anonymity with k = "
        f"{proposal.k}) as far as the quasi-identifiers go."
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
    yield grid(trial_figures(trials))
    yield Text(trials.limits_sentence())
    if trials.proposed.recoding == "layers":
        yield Text(IN_LAYERS)
