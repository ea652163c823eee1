"""A published table with its indicators, coloured, as an HTML page and for the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from anonymizer.errors import percent
from anonymizer.published.indicators import Indicator, Indicators
from anonymizer.published.partition import Answer, Partition
from anonymizer.published.sentences import say_attacks
from anonymizer.published.verdict import Breach, Published
from anonymizer.report.page import render
from anonymizer.report.provenance import Provenance
from anonymizer.report.sections import FigureTable, Section, bad

BAD, GOOD = (222, 110, 95), (255, 255, 255)  # dark letters stay readable on both
FULL = 0.25
"""An advantage of so much has the full colour under PDP and PFDPTC."""
WHO_GUESSES = {
    "pdp": "a patient who knows their answer guesses their arm (the blinding is broken)",
    "pfdoc": "the family of a participant guesses whether they have the characteristic",
    "pfdptc": "the family has found out the arm, and guesses better than before",
}


def published_page(table: Published, title: str, provenance: Provenance | None = None) -> str:
    """Write the coloured table as a page that stands alone."""
    return render(
        "published.html",
        heading=title,
        arms=list(zip(table.arms.names, table.arms.sizes, strict=True)),
        people=table.arms.total,
        allocation=table.allocation_guess,
        allocation_l=2**table.allocation_entropy,
        limits=limits_figures(table),
        advantage=(table.kept.advantage, table.limits.advantage),
        asked=any(asked is not None for asked in asdict(table.limits).values()),
        broken=[
            {"name": label, "breaches": list(map(str, breaches))}
            for label, breaches in table.broken.items()
        ],
        answers=[answer.value for answer in answers_of(table)],
        rows=list(page_rows(table)),
        provenance=provenance or Provenance(),
    )


def limits_figures(table: Published) -> FigureTable:
    """Set the l of each attack side by side: the paper's, what is kept, what is asked for."""
    paper, kept, limits = map(asdict, (table.paper, table.kept, table.limits))
    rows = tuple(
        (
            attack.upper(),
            who,
            write_l(paper[attack]),
            write_l(kept[attack]),
            asked_of(attack, limits),
        )
        for attack, who in WHO_GUESSES.items()
    )
    header = "attack", "who guesses what", "l of the paper", "l that all\nrows keep", "l asked for"
    return FigureTable(header, rows)


def asked_of(attack: str, limits: dict[str, float | None]) -> str:
    """Write the l that was asked for."""
    asked = limits[attack]
    return (
        "none" if asked is None else f"at {'most' if attack == 'pfdptc' else 'least'} {asked:.3f}"
    )


def write_l(value: float | None) -> str:
    """Write an l, or that every l is kept."""
    return "any" if value is None else f"{value:.3f}"


def answers_of(table: Published) -> list[Answer]:
    """Return whose PDP is shown: who has it, who does not, and who was not measured if there are any."""
    kinds = [Answer.HAS, Answer.LACKS, Answer.MISSING]
    return [kind for kind in kinds if any(row.partition.group(kind) for row in table.rows)]


def with_headings(table: Published) -> Iterator[tuple[str, Indicators]]:
    """Return each row with the heading that stands above it; empty where it is that of the row before."""
    above = ""
    for row in table.rows:
        heading = row.partition.rows[0].heading
        yield heading if heading != above else "", row
        above = heading


def short_name(part: Partition) -> str:
    """Name a row without its heading."""
    name = part.rows[0].name if len(part.rows) == 1 else "all categories"
    return f"{name}, of those measured" if part.measured_only else name


def write_counts(part: Partition) -> list[str]:
    """Write how many people of each arm have it, with totals that are the row's own."""
    counts = [sum(row.counts[arm] for row in part.rows) for arm in range(len(part.sizes))]
    totals = part.rows[0].totals
    if totals is None:
        return [f"{count:,}" for count in counts]
    return [f"{count:,}/{total:,}" for count, total in zip(counts, totals, strict=True)]


def write_bits(attack: Indicator) -> str:
    """Write an indicator."""
    return f"{attack.bits:.4f}"


def write_guess(attack: Indicator) -> str:
    """Write the guess with its probability, and the baseline in brackets."""
    guess = attack.guess
    if guess is None:
        return "nobody"
    return f"{guess.answer} {percent(guess.probability)} ({percent(guess.baseline)})"


def attacks_on(row: Indicators, table: Published) -> Iterator[tuple[str, str, Indicator | None]]:
    """List the attacks on a row in the order of the columns: which, of whom, and what it learns."""
    for group, attack in shown_pdp(row, table):
        yield "pdp", group or "", attack
    yield "pfdoc", "", row.pfdoc
    for arm, attack in zip(table.arms.names, row.pfdptc, strict=True):
        yield "pfdptc", arm, attack


def shown_pdp(row: Indicators, table: Published) -> list[tuple[str | None, Indicator | None]]:
    """Return the group and its PDP for each column; None where PDP is not asked of such a group."""
    shown: list[tuple[str | None, Indicator | None]] = []
    for answer in answers_of(table):
        group = row.partition.group(answer)
        asked = group is not None and group.attacks
        shown.append((group.name, row.pdp_of(answer)) if group and asked else (None, None))
    return shown


# --- the page ---


def page_rows(table: Published) -> Iterator[dict[str, Any]]:
    """Prepare the rows of the page."""
    for heading, row in with_headings(table):
        yield {
            "heading": heading,
            "name": short_name(row.partition),
            "headed": bool(row.partition.rows[0].heading),
            "counts": write_counts(row.partition),
            "cells": page_cells(row, table),
        }


def page_cells(row: Indicators, table: Published) -> list[dict[str, Any] | None]:
    """Prepare each indicator with its guess, its colour and what it says; None where there is none."""
    says = say_attacks(row, table.arms)
    broken = {(breach.attack, breach.of) for breach in table.breaches(row)}
    cells: list[dict[str, Any] | None] = []
    for attack, of, found in attacks_on(row, table):
        sentence = says["pfdoc"] if attack == "pfdoc" else says[attack].get(of)
        full = 1 - 1 / len(row.partition.groups) if attack == "pfdoc" else FULL
        cells.append(cell(found, full, sentence, (attack, of) in broken) if found else None)
    return cells


def cell(attack: Indicator, full: float, says: str, broken: bool) -> dict[str, Any]:
    """Prepare one cell; an advantage of `full` has the full colour."""
    return {
        "value": write_bits(attack),
        "guess": write_guess(attack),
        "colour": colour(attack.advantage / full),
        "says": says,
        "broken": broken,
    }


def colour(danger: float) -> str:
    """Mix a colour between white and red.

    >>> colour(0.0), colour(1.0)
    ('#ffffff', '#de6e5f')
    """
    part = min(max(danger, 0.0), 1.0)
    mixed = (round(good + part * (bad - good)) for good, bad in zip(GOOD, BAD, strict=True))
    return "#" + "".join(f"{channel:02x}" for channel in mixed)


# --- the terminal ---


def sections(table: Published) -> tuple[Section, ...]:
    """Show indicators and guesses on the terminal; what breaks a chosen limit is red."""
    counts = len(table.arms.names)
    shown = [f"PDP {answer}" for answer in answers_of(table)]
    shown += ["PFDOC", *(f"PFDPTC {arm}" for arm in table.arms.names)]
    bits, guesses = [], []
    for heading, row in with_headings(table):
        if heading:
            bits.append((heading, *[""] * (counts + len(shown))))
            guesses.append((heading, *[""] * len(shown)))
        name = f"{'  ' if row.partition.rows[0].heading else ''}{short_name(row.partition)}"
        bits.append((name, *write_counts(row.partition), *cells_of(row, table, "l")))
        guesses.append((name, *cells_of(row, table, "advantage")))
    header = "characteristic", *table.arms.names, *shown
    raised = "What rises most above its baseline, which is in brackets"
    return (
        Section("Indicators in bits", (), (FigureTable(header, tuple(bits)),)),
        Section(raised, (), (FigureTable(("characteristic", *shown), tuple(guesses)),)),
    )


def cells_of(row: Indicators, table: Published, limit: str) -> Iterator[str]:
    """Write what a table shows of each attack on a row: the bits held against l, or the guess."""
    broken = table.breaches(row)
    write = write_bits if limit == "l" else write_guess
    for attack, of, found in attacks_on(row, table):
        text = write(found) if found else ""
        yield bad(f"{text}!") if Breach(attack, of, limit) in broken else text


def verdict(table: Published) -> str:
    """Say what l the table keeps, and how many rows break a chosen limit."""
    kept, guess = table.kept, table.allocation_guess
    lines = [
        f"All rows keep l = {write_l(kept.pdp)} under PDP (a patient who knows their answer guesses "
        f"their arm), l = {write_l(kept.pfdoc)} under PFDOC (the family guesses what a participant "
        f"has) and l = {write_l(kept.pfdptc)} under PFDPTC (the family knows the arm too; lower is "
        "safer).",
        f"By the sizes of the arms alone a patient is in the {guess.answer} arm with probability "
        f"{percent(guess.probability)}, which keeps l = {2**table.allocation_entropy:.3f}; PDP and "
        f"PFDPTC raise a probability by at most {kept.advantage:.3f} above its baseline.",
    ]
    if unreachable(table):
        lines.append(
            f"The chosen l = {table.limits.pdp:g} for PDP is more than the sizes of the arms alone keep."
        )
    if table.broken:
        lines.append(f"{len(table.broken)} of {len(table.rows)} rows break a chosen limit.")
    return "\n".join(lines)


def unreachable(table: Published) -> bool:
    """Check whether the l asked for under PDP is above that of the allocation."""
    asked = table.limits.pdp
    return asked is not None and asked > 2**table.allocation_entropy
