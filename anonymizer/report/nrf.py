"""The risk of re-identification over all attribute subsets: its section, and tables for machines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd

from anonymizer.attackers.nrf import Combination, Reidentification
from anonymizer.report.page import share, whole
from anonymizer.report.sections import FigureTable, Section, answer, quiet

MOST_SHOWN, MOST_LISTED = 15, 1000
"""Combinations on the page, and in the table beside it."""
MOST_CHOICES = 4096
"""Choices of columns in the table beside the page; of more, only the best are listed."""


def disclosure_section(risk: Reidentification) -> Section:
    """Show the risk through disclosures elsewhere, by combination and by person."""
    dangerous = risk.most_dangerous(MOST_SHOWN)
    sentences = (
        quiet(" ".join(framework(risk))),
        answer("What the risk is.", *what_it_is(risk)),
        answer("Why.", why(dangerous)),
        answer("Who.", *verdict(risk)),
    )
    found = (dangerous_figures(dangerous),) if dangerous else ()
    said = (
        "For each number of columns that are not released, the choice that leaves the least risk."
    )
    parts = (
        Section("How likely each attribute is disclosed", (product(risk),), (disclosed(risk),)),
    )
    return Section(
        "What people disclose elsewhere",
        (*sentences, quiet(said)),
        (*found, choice_figures(risk)),
        parts=parts,
        details="How that was found",
        anchor="disclosure",
    )


def framework(risk: Reidentification) -> Iterator[str]:
    """Say what is asked."""
    counts = risk.uniqueness
    yield (
        "After the naive re-identification framework: people tell some of their attributes in other "
        "places, each place and attribute with a rate of its own. Whoever collects that finds somebody "
        "in this table if the attributes told are unique in it."
    )
    yield (
        f"Of {whole(counts.unique.size)} combinations of {len(counts.attributes)} attributes, "
        f"{whole(int(np.count_nonzero(counts.unique)))} tell somebody apart among "
        f"{whole(counts.records)} records."
    )


def what_it_is(risk: Reidentification) -> Iterator[str]:
    """Say the risk of a person and of the table."""
    yield (
        f"A random person is re-identified with a probability of {share(risk.individual_exact)}; that at "
        f"least one person of the table is, with {share(risk.data_set_exact)}."
    )
    if (half := risk.records_until(0.5)) is not None:
        yield (
            f"From {whole(half)} {'person' if half == 1 else 'people'} on, it is more likely than not "
            "that somebody is re-identified."
        )


def why(dangerous: list[Combination]) -> str:
    """Say which combination adds most."""
    if not dangerous:
        return "Nobody is unique by anything that is disclosed."
    first = dangerous[0]
    return (
        f"The combination that adds most is {names_of(first.attributes)}: just that is disclosed about "
        f"{share(first.disclosure_likelihood)} of the people, and {whole(first.unique_records)} records "
        "are unique by it."
    )


def names_of(attributes: tuple[str, ...]) -> str:
    """List attributes, or say that there are none."""
    return ", ".join(attributes) or "nothing"


def dangerous_figures(dangerous: list[Combination]) -> FigureTable:
    """Show the combinations of attributes by which people are most likely re-identified."""
    rows = tuple(
        (
            names_of(each.attributes),
            share(each.disclosure_likelihood),
            whole(each.unique_records),
            share(each.probability),
        )
        for each in dangerous
    )
    return FigureTable(
        ("just these are disclosed", "how likely", "unique records", "re-identified by them"), rows
    )


def choice_figures(risk: Reidentification) -> FigureTable:
    """Show for each number of columns left out the choice with the least risk."""
    rows = tuple(
        (
            names_of(each.left_out),
            *map(share, (each.individual, each.data_set)),
            "" if each.highest is None else share(each.highest),
        )
        for each in risk.best_choices()
    )
    return FigureTable(
        ("left out", "a random person", "at least one person", "the person most at risk"), rows
    )


def product(risk: Reidentification) -> str:
    """Say what the paper's product has, and whether who is unique here is unique outside."""
    if risk.uniqueness.e_uniqueness is None and risk.e_uniqueness is None:
        outside = (
            "Whoever is unique in the table is taken to be unique outside too, so that the risk is an "
            "upper bound."
        )
    else:
        counted = "counted in an external table" if risk.e_uniqueness is None else "given"
        outside = f"How often somebody unique in the table is unique outside too was {counted}."
    return (
        "The paper multiplies over the combinations as if they were independent, and so has "
        f"{share(risk.individual)} and {share(risk.data_set)}, never more than the figures above. "
        f"{outside}"
    )


def disclosed(risk: Reidentification) -> FigureTable:
    """Show how likely each attribute is disclosed in each source, and in any."""
    header = "attribute", *(source.name for source in risk.sources), "somewhere"
    rows = tuple(
        (name, *(share(source.likelihood(name)) for source in risk.sources), share(chance))
        for name, chance in risk.disclosed.items()
    )
    return FigureTable(header, rows)


def verdict(risk: Reidentification) -> Iterator[str]:
    """Say who is most at risk, and whether that is accepted."""
    if risk.highest is None:
        yield "The risk of each person was not computed: there are too many combinations."
        return
    yield f"Risk of the person who is most at risk: {risk.highest:.4g}."
    if risk.threshold is None:
        return
    above = risk.above(risk.threshold)
    if not above:
        yield f"Nobody is above the threshold of {risk.threshold:g}."
        return
    yield f"{above:,} people are above the threshold of {risk.threshold:g}: not accepted."
    fits = [c for c in risk.best_choices() if c.highest is not None and c.highest <= risk.threshold]
    if fits:
        yield f"Nobody would be if {', '.join(fits[0].left_out)} were left out."


def nrf_tables(risk: Reidentification) -> dict[str, pd.DataFrame]:
    """Return the tables that are longer than what the JSON has, by the name of their file."""
    if len(risk.likelihood) <= MOST_CHOICES:
        each = enumerate(risk.over_choices().tolist())
        choices = [risk.choice(subset, chance) for subset, chance in each]
    else:
        choices = risk.best_choices()
    rows: dict[str, list[Any]] = {
        "combinations": risk.most_dangerous(MOST_LISTED),
        "risk_by_columns": choices,
    }
    tables = {name: pd.DataFrame([asdict(row) for row in of]) for name, of in rows.items()}
    for table in tables.values():
        for name in ("attributes", "released", "left_out"):
            if name in table:
                table[name] = table[name].map(", ".join)
    return {name: table for name, table in tables.items() if len(table)}
