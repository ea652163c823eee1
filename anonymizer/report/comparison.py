"""A comparison in plain sentences, tables and pictures, for the terminal and as part of a page."""

from __future__ import annotations

from anonymizer.comparison.binning import FEWEST_PEOPLE
from anonymizer.comparison.comparison import (
    NO_ASSOCIATION,
    ComparedColumn,
    ComparedPair,
    ComparedSubgroup,
    Comparison,
)
from anonymizer.report.chart import draw_associations, draw_distribution
from anonymizer.report.page import share, whole
from anonymizer.report.sections import FigureTable, Picture, Section
from anonymizer.report.words import join

SHOWN = 5
"""So many pairs and subgroups are shown at first; a page has the others folded."""
SHOWN_PICTURES = 2
"""So many distributions are shown at first: those that changed most."""
PRIVATE = "These are cells of single people: for the steward's eyes, and in no other output."
COLUMN_HEADER = "column", "values\nbefore", "values\nafter", "changed", "information\nleft"
PAIR_HEADER = "columns", "before", "after", "kept"
SUBGROUP_HEADER = "who", "records", "suppressed", "share"


def comparison_sections(comparison: Comparison) -> tuple[Section, ...]:
    """Say what of the table can still be seen, and who is gone; no cell of a single person is in it."""
    return (
        columns_section(comparison),
        pairs_section(comparison),
        subgroups_section(comparison),
    )


def columns_section(comparison: Comparison) -> Section:
    """Say which columns are still as they were, and show their distributions."""
    columns = sorted(comparison.columns, key=lambda column: -column.distance)
    pictures = [Picture(draw_distribution(column), caption(column)) for column in columns]
    return Section(
        "What is left of each column",
        (
            change_sentence(columns),
            "Changed is the share of the records that would need another value to restore the column's "
            "distribution (total variation); a generalized value counts as spread evenly over what it "
            f"covers. Values of fewer than {FEWEST_PEOPLE} people are counted together. Information left "
            "is the mutual information of the released and the original column over the entropy of the "
            "original, counted in records; a suppressed record has lost all of it.",
            *comparison.weighted,
        ),
        (
            FigureTable(
                COLUMN_HEADER,
                tuple(column_row(column) for column in columns),
                folded=f"All {len(columns)} columns in figures",
            ),
        ),
        tuple(pictures[:SHOWN_PICTURES]),
        tuple(pictures[SHOWN_PICTURES:]),
    )


def change_sentence(columns: list[ComparedColumn]) -> str:
    """Name the columns whose distribution changed most."""
    if not columns or columns[0].distance == 0:
        return "Every column has the distribution that it had."
    most = [
        f"{column.name} ({share(column.distance)})" for column in columns[:3] if column.distance
    ]
    return f"The distribution changed most in {join(most)}."


def column_row(column: ComparedColumn) -> tuple[str, ...]:
    """Write one column as a row."""
    values = whole(column.values_before), whole(column.values_after)
    left = "" if column.retained is None else share(column.retained)
    return column.name, *values, share(column.distance), left


def caption(column: ComparedColumn) -> str:
    """Say what a picture of a distribution shows."""
    return (
        f"{column.name}: {whole(column.values_before)} values before (grey), "
        f"{whole(column.values_after)} after (blue), changed by {share(column.distance)}"
    )


def pairs_section(comparison: Comparison) -> Section:
    """Say which associations of two columns are kept, and which are lost."""
    pairs = [pair for pair in comparison.pairs if pair.kept is not None]
    first, rest = pairs[:SHOWN], pairs[SHOWN:]
    figures = [FigureTable(PAIR_HEADER, tuple(map(pair_row, first)))] if first else []
    if rest:
        figures.append(
            FigureTable(
                PAIR_HEADER, tuple(map(pair_row, rest)), "All other pairs that are associated"
            )
        )
    sentences = [association_sentence(pairs)]
    if comparison.unpaired:
        sentences.append(f"Pairs were not made of {join(comparison.unpaired)}: there are too many.")
    pictures = [Picture(draw_associations(comparison.pairs))] if comparison.pairs else []
    return Section(
        "What is left of the associations", tuple(sentences), tuple(figures), tuple(pictures)
    )


def association_sentence(pairs: list[ComparedPair]) -> str:
    """Say how much of the associations is left."""
    if not pairs:
        return f"No two columns are associated (Cramer's V below {NO_ASSOCIATION:g})."
    kept = sum(pair.after for pair in pairs) / sum(pair.before for pair in pairs)
    lost = min(pairs, key=lambda pair: pair.after - pair.before)
    text = (
        f"Of the association between columns (Cramer's V, 0 to 1, corrected for chance), {share(kept)} "
        f"is left, over {whole(len(pairs))} associated {'pairs' if len(pairs) > 1 else 'pair'}."
    )
    if lost.after < lost.before:
        text += f" {lost.one} and {lost.other} lost most: {lost.before:.2f} before, {lost.after:.2f} now."
    return text


def pair_row(pair: ComparedPair) -> tuple[str, ...]:
    """Write one pair as a row."""
    kept = "-" if pair.kept is None else share(pair.kept)
    return f"{pair.one}, {pair.other}", f"{pair.before:.2f}", f"{pair.after:.2f}", kept


def subgroups_section(comparison: Comparison) -> Section:
    """Say who is suppressed more often than others."""
    title = "Who is missing"
    if comparison.suppressed == 0:
        return Section(title, ("No record is suppressed.",))
    found = comparison.subgroups()
    sentences = (
        f"{whole(comparison.suppressed)} of {whole(comparison.records)} records are suppressed "
        f"({share(comparison.share)}). Listed is who is suppressed more often than that, the most "
        "records too many first: where an analysis must expect a bias.",
    )
    figures = [FigureTable(SUBGROUP_HEADER, tuple(map(subgroup_row, found[:SHOWN])))]
    if found[SHOWN:]:
        rest = tuple(map(subgroup_row, found[SHOWN:]))
        figures.append(
            FigureTable(SUBGROUP_HEADER, rest, "All others who are suppressed more often")
        )
    return Section(title, sentences, tuple(figures))


def subgroup_row(group: ComparedSubgroup) -> tuple[str, ...]:
    """Write one subgroup as a row."""
    counts = whole(group.records), whole(group.suppressed)
    return f"{group.column}: {group.label}", *counts, share(group.share)


def rows_section(comparison: Comparison) -> Section:
    """Show some released rows beside what they were made from, for the steward alone."""
    if not comparison.rows:
        return Section("Some rows before and after", ("No row is released.",))
    header = tuple(comparison.rows[0])
    rows = tuple(tuple(map(cell, row.values())) for row in comparison.rows)
    return Section(
        "Some rows before and after",
        (PRIVATE,),
        (FigureTable(header, rows, f"{len(rows)} released rows beside what they were made from"),),
    )


def cell(pair: tuple[str, str]) -> str:
    """Write a cell before and after; once, where it is the same."""
    before, after = (text or "(missing)" for text in pair)
    return before if before == after else f"{before} → {after}"
