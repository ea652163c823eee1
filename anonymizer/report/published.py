"""A published table with its indicators: what it keeps, and what each row gives away."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from anonymizer.errors import percent
from anonymizer.published.indicators import Indicator, Indicators
from anonymizer.published.partition import Answer, Partition
from anonymizer.published.sentences import say_attacks, say_values
from anonymizer.published.summaries import AttackedSummary, ValueAttack
from anonymizer.published.verdict import Breach, Published
from anonymizer.report.page import write_page
from anonymizer.report.provenance import Provenance
from anonymizer.report.sections import FigureTable, Section, Shaded, Toned, bad, good, quiet
from anonymizer.report.words import join

RED, WHITE = (222, 110, 95), (255, 255, 255)  # dark letters stay readable on both
INDENT = "\u00a0\u00a0"
HOW_COUNTED = (
    "For PDP and PFDOC, 1 is no protection at all, and the best is the number of arms or answers; for "
    "PFDPTC, 1 is the best. The paper counts who has a characteristic in each printed row. What all rows "
    "keep also counts who does not have it, who was not measured and the categories of one "
    "characteristic together; it leaves out what nobody has, and what the sizes of the arms give away "
    "already."
)
REDDER = (
    "The redder a cell, the more the attack adds to its baseline; a frame marks what breaks a chosen "
    "limit. Point at a cell to read what the attack says. PFDOC and PFDPTC are the same for having it "
    "and for not having it."
)
BASELINE = (
    "The baseline is the share of the arm in the trial (PDP), equal chances (PFDOC), or the share of all "
    "people (PFDPTC)."
)
FULL = 0.25
"""An advantage of so much has the full colour under PDP, PFDPTC and a guess of a value."""
FEW = 0.05
"""Figures that tell a value to a smaller share of guesses are passed over with a note."""
FIGURES = (
    "Medians, quartiles, ranges and means are figures of people's values. Of few people they are "
    "somebody's value, or tell those who know their own that of another; where several are equal, they "
    "are the value of all between them. Programs compute quartiles in different ways; the one that gives "
    "most away counts. Nothing is known of the values without the table, so the whole probability counts."
)
WHO_GUESSES = {
    "pdp": "a patient who knows their answer guesses their arm (the blinding is broken)",
    "pfdoc": "the family of a participant guesses whether they have the characteristic",
    "pfdptc": "the family has found out the arm, and guesses better than before",
}


def published_page(table: Published, title: str, provenance: Provenance | None = None) -> str:
    """Write the coloured table as a page that stands alone."""
    arms = join([f"{size:,} in the {name} arm" for name, size in
                 zip(table.arms.names, table.arms.sizes, strict=True)])  # fmt: skip
    about = f"the {table.arms.total:,} people in the trial: {arms}."
    lead = [Toned(f"What this published table gives away about {about}", "lead")]
    return write_page(title, lead, tuple(sections(table)), provenance)


def sections(table: Published) -> Iterator[Section]:
    """Show the kept columns, the knowledge without the table, and the disclosure by each row."""
    yield Section(
        "What the table keeps", (kept_sentence(table), quiet(HOW_COUNTED)), (limits_figures(table),)
    )
    yield Section("What is known without the table", tuple(known_without(table)))
    if any(asked is not None for asked in asdict(table.limits).values()):
        yield broken_section(table)
    if table.rows:
        yield from rows_sections(table)
    if table.summaries:
        yield values_section(table)


def kept_sentence(table: Published) -> str:
    """Say what l the table keeps under each attack."""
    kept = table.kept
    if not table.rows:
        return "The table has figures of values alone, and no counts that the three attacks read."
    return (
        f"All rows keep l = {write_l(kept.pdp)} under PDP (a patient who knows their answer guesses "
        f"their arm), l = {write_l(kept.pfdoc)} under PFDOC (the family guesses what a participant "
        f"has) and l = {write_l(kept.pfdptc)} under PFDPTC (the family knows the arm too; lower is "
        "safer)."
    )


def known_without(table: Published) -> Iterator[str]:
    """Say what the sizes of the arms give away, and how much the table adds at most."""
    guess, asked = table.allocation_guess, table.limits.advantage
    allowed = "" if asked is None else f" (allowed: {asked:.3f})"
    yield (
        f"By the sizes of the arms alone a patient is in the {guess.answer} arm with probability "
        f"{percent(guess.probability)}, which keeps l = {2**table.allocation_entropy:.3f} under PDP; "
        f"only what the table adds counts against it. {attackers(table)} raise a probability by at most "
        f"{table.kept.advantage:.3f} above its baseline{allowed}."
    )
    if unreachable(table):
        chosen = f"{table.limits.pdp:g}"
        yield f"The chosen l = {chosen} for PDP is more than the sizes of the arms alone keep."


def attackers(table: Published) -> str:
    """Name the attacks that raise a probability above a baseline."""
    return "PDP, PFDPTC and guesses of a value" if table.summaries else "PDP and PFDPTC"


def broken_section(table: Published) -> Section:
    """List the rows that break a chosen limit, and by which attacks."""
    rows = len(table.rows) + len(table.summaries)
    said = f"{len(table.broken)} of {rows} rows break a chosen limit."
    listed = (f"{label}: {', '.join(map(str, found))}" for label, found in table.broken.items())
    mark = bad if table.broken else good
    return Section("Rows that break a chosen limit", (mark(said), *listed))


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


# --- row by row ---


def rows_sections(table: Published) -> Iterator[Section]:
    """Show indicators and guesses; the redder a cell, the more the attack adds to its baseline."""
    counts, shown = table.arms.names, [f"PDP {answer}" for answer in answers_of(table)]
    shown += ["PFDOC", *(f"PFDPTC {arm}" for arm in table.arms.names)]
    bits, guesses = [], []
    for heading, row in with_headings(table):
        if heading:
            bits.append((heading, *[""] * (len(counts) + len(shown))))
            guesses.append((heading, *[""] * len(shown)))
        name = f"{INDENT if row.partition.rows[0].heading else ''}{short_name(row.partition)}"
        bits.append((name, *write_counts(row.partition), *cells_of(row, table, "l")))
        guesses.append((name, *cells_of(row, table, "advantage")))
    header = FigureTable(("characteristic", *counts, *shown), tuple(bits))
    yield Section("Indicators in bits", (quiet(REDDER),), (header,))
    raised = FigureTable(("characteristic", *shown), tuple(guesses))
    yield Section(
        "What rises most above its baseline, which is in brackets", (quiet(BASELINE),), (raised,)
    )


def cells_of(row: Indicators, table: Published, limit: str) -> Iterator[str]:
    """Write what a table shows of each attack on a row: the bits held against l, or the guess."""
    broken, says = table.breaches(row), say_attacks(row, table.arms)
    write = write_bits if limit == "l" else write_guess
    for attack, of, found in attacks_on(row, table):
        if found is None:
            yield ""
            continue
        sentence = says["pfdoc"] if attack == "pfdoc" else says[attack].get(of, "")
        full = 1 - 1 / len(row.partition.groups) if attack == "pfdoc" else FULL
        breaks = Breach(attack, of, limit) in broken
        yield Shaded.of(write(found), colour(found.advantage / full), sentence, breaks)


# --- medians, quartiles and means ---


def values_section(table: Published) -> Section:
    """Say whose values the figures give away; those of many people are passed over with a note."""
    told = [each for each in table.summaries if each.advantage >= FEW]
    impossible = [(each, attack) for each in table.summaries for attack in each.attacks
                  if not attack.fits]  # fmt: skip
    said: list[str] = []
    said += [bad(f"{each.row.label}: {say_values(attack)}") for each, attack in impossible]
    said += [f"{each.row.label}: {note}" for each in table.summaries for note in each.row.unread]
    rest = [each for each in table.summaries if each.advantage < FEW]
    if rest:
        said.append(passed_over(rest))
    rows = tuple(values_row(each, attack, table) for each in told for attack in each.attacks)
    header = "characteristic", "arm", "people", "printed", "guessed right", "what it gives away"
    figures = (FigureTable(header, rows),) if rows else ()
    return Section("Medians, quartiles and means", (*said, quiet(FIGURES)), figures)


def passed_over(rest: list[AttackedSummary]) -> str:
    """Say which figures are passed over, and how often the best guess from them is right."""
    most = max(each.advantage for each in rest)
    how = f"at most {percent(most)} of guesses" if most else "no guess"
    names = join([each.row.label for each in rest])
    return f"Passed over, since from these figures {how} of somebody's value is right: {names}."


def values_row(each: AttackedSummary, attack: ValueAttack, table: Published) -> tuple[str, ...]:
    """Show what the figures of one arm give away."""
    breaks = any(found.of == attack.arm for found in table.broken_by_values(each))
    said = say_values(attack)
    share = percent(attack.advantage) if attack.advantage else "none"
    shaded = Shaded.of(share, colour(attack.advantage / FULL), said, breaks)
    return each.row.label, attack.arm, f"{attack.cell.people:,}", attack.cell.text, shaded, said


def colour(danger: float) -> str:
    """Mix a colour between white and red.

    >>> colour(0.0), colour(1.0)
    ('#ffffff', '#de6e5f')
    """
    part = min(max(danger, 0.0), 1.0)
    mixed = (round(good + part * (bad - good)) for good, bad in zip(WHITE, RED, strict=True))
    return "#" + "".join(f"{channel:02x}" for channel in mixed)


def unreachable(table: Published) -> bool:
    """Check whether the l asked for under PDP is above that of the allocation."""
    asked = table.limits.pdp
    return asked is not None and asked > 2**table.allocation_entropy
