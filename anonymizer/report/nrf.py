"""The risk of re-identification over all attribute subsets, for the terminal and as curves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Group
from rich.table import Table as Grid
from rich.text import Text

from anonymizer.assessment.disclosure.choices import Choice
from anonymizer.assessment.disclosure.nrf import Reidentification
from anonymizer.assessment.disclosure.sources import Source
from anonymizer.report.page import picture
from anonymizer.report.plot import BAD, GOOD, import_matplotlib

COLOURS = (GOOD, BAD, "#5b8c3a", "#8c6bb1", "#c98a1b", "#222222")
SIZE = (8, 4.8)
MOST_SHOWN, MOST_LISTED = 15, 1000
"""Combinations on the page, and in the table beside it."""
MOST_CHOICES = 4096
"""Choices of columns in the table beside the page; of more, only the best are listed."""
MOST_CURVES = 6
"""So many sources alone, and as many combinations, have room in one picture."""
SMALLEST = 1e-16
"""Means below this are not drawn: they would press all that matters to the edge."""


def summarize_disclosure(risk: Reidentification, most: int = MOST_SHOWN) -> Group:
    """Show the risk and the most dangerous combinations."""
    return Group(danger_grid(risk, most), choice_grid(risk.best_choices()), headline(risk))


def choice_grid(choices: Sequence[Choice]) -> Grid:
    """Show for each number of columns left out the choice with the least risk."""
    grid = Grid(title="Which columns to leave out", title_justify="left")
    grid.add_column("left out")
    for name in ("random person", "at least one", "highest"):
        grid.add_column(name, justify="right")
    for each in choices:
        highest = "" if each.highest is None else f"{each.highest:.3g}"
        numbers = f"{each.individual:.3g}", f"{each.data_set:.3g}", highest
        grid.add_row(", ".join(each.left_out) or "(none)", *numbers)
    return grid


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


def danger_grid(risk: Reidentification, most: int) -> Grid:
    """Show the combinations of attributes by which people are most likely re-identified."""
    grid = Grid(title="Most dangerous combinations", title_justify="left")
    grid.add_column("attributes")
    for name in ("unique records", "disclosed", "re-identified"):
        grid.add_column(name, justify="right")
    for each in risk.most_dangerous(most):
        numbers = f"{each.disclosure_likelihood:.3g}", f"{each.probability:.3g}"
        grid.add_row(", ".join(each.attributes) or "(none)", f"{each.unique_records:,}", *numbers)
    return grid


def headline(risk: Reidentification) -> Text:
    """Say the risk of a person and of the table in sentences."""
    counts = risk.uniqueness
    half = risk.records_until(0.5)
    some = int(np.count_nonzero(counts.unique))
    lines = [
        f"{some:,} of {counts.unique.size:,} subsets of {len(counts.attributes)} attributes tell "
        f"somebody apart among {counts.records:,} records.",
        f"Risk of a random person: {risk.individual:.4g}.",
        f"Risk that at least one person of the table is re-identified: {risk.data_set:.4g}.",
    ]
    if risk.individual_exact > 1.01 * risk.individual:
        lines.append(
            "These follow the paper's product over subsets. Just one subset is what is disclosed, so "
            f"that they are more: {risk.individual_exact:.4g} and {risk.data_set_exact:.4g}."
        )
    if half is not None:
        lines.append(f"From {half:,} people on that risk is one half or more.")
    lines += verdict(risk)
    return Text("\n".join(lines) + "\n")


def nrf_tables(risk: Reidentification) -> dict[str, pd.DataFrame]:
    """Return all tables by the name of their file."""
    rows: dict[str, Sequence[Any]] = {
        "combinations": risk.most_dangerous(MOST_LISTED),
        "risk_by_size": risk.by_size(),
        "risk_by_sources": risk.over_sources(),
    }
    if len(risk.likelihood) <= MOST_CHOICES:
        each = enumerate(risk.over_choices().tolist())
        rows["risk_by_columns"] = [risk.choice(subset, chance) for subset, chance in each]
    else:
        rows["risk_by_columns"] = risk.best_choices()
    tables = {name: pd.DataFrame([asdict(row) for row in of]) for name, of in rows.items()}
    for table in tables.values():
        for name in ("attributes", "sources", "released", "left_out"):
            if name in table:
                table[name] = table[name].map(", ".join)
    return {name: table for name, table in tables.items() if len(table)}


def nrf_figures(risk: Reidentification) -> dict[str, Any]:
    """Draw the curves, by name."""
    return {name: draw(risk) for name, draw in DRAWINGS.items()}


def nrf_context(risk: Reidentification, figures: dict[str, Any]) -> dict[str, Any]:
    """Return what the page says of disclosure."""
    return {
        "disclosure": risk,
        "dangerous": risk.most_dangerous(MOST_SHOWN),
        "half": risk.records_until(0.5),
        "who": list(verdict(risk)),
        "choices": risk.best_choices(),
        "subsets_with_uniques": int(np.count_nonzero(risk.uniqueness.unique)),
        "curves": {name: picture(figures[name]) for name in DRAWINGS},
    }


def draw_records(risk: Reidentification) -> Any:
    """Draw the risk of the data set over its number of people: each source alone, then together."""
    figure, axes = new_figure("Risk that at least one person is re-identified")
    n = np.geomspace(1, max(risk.uniqueness.records, 10), 401)
    for place, those in enumerate(chosen_sources(risk)):
        alone = len(those) == 1
        colour = COLOURS[place % len(COLOURS)] if alone else grey(len(those), len(risk.sources))
        curve = risk.with_sources(those).over_records(n)
        style = "-" if alone else "--"
        axes.plot(n, curve, style, color=colour, label=label_of(those), linewidth=1.8)
    axes.set_xscale("log")
    axes.set_xlabel("people in the table, n (logarithmic)")
    axes.set_ylabel("risk of the data set")
    axes.set_ylim(-0.02, 1.02)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.legend(fontsize=9, loc="upper left")
    return figure


def grey(number: int, most: int) -> str:
    """Return a grey for some sources together, the darker the more."""
    return str(round(0.65 * (most - number) / max(most - 1, 1), 3))


def label_of(those: Sequence[Source]) -> str:
    """Name some sources that are combined, in few words."""
    names = [source.name for source in those]
    return (
        " + ".join(names)
        if len(names) <= 2
        else f"{names[0]} to {names[-1]}, {len(names)} together"
    )


def chosen_sources(risk: Reidentification) -> list[Sequence[Source]]:
    """Choose what to draw: each source alone, then the first two, three, and so on together."""
    growing = [risk.sources[:size] for size in range(2, len(risk.sources) + 1)]
    alone = [(source,) for source in risk.sources]
    return [*alone[:MOST_CURVES], *growing[:MOST_CURVES], *growing[MOST_CURVES:][-1:]]


def draw_sources(risk: Reidentification) -> Any:
    """Draw the risk of a random person through each source alone, and through several together."""
    figure, axes = new_figure("Risk of a random person, by source")
    chosen = chosen_sources(risk)[::-1]
    values = [risk.with_sources(those).individual for those in chosen]
    colours = [COLOURS[0] if len(those) == 1 else COLOURS[1] for those in chosen]
    axes.barh([label_of(those) for those in chosen], values, color=colours)
    if any(values):
        axes.set_xscale("log")
        axes.set_xlim(min(value for value in values if value) / 3, None)
    axes.set_xlabel("risk of a random person (logarithmic)")
    return figure


def draw_sizes(risk: Reidentification) -> Any:
    """Draw the means over the subsets of each size: uniqueness, likelihood, re-identification."""
    figure, axes = new_figure("The more attributes, the more unique, and the less disclosed")
    means = risk.by_size()
    sizes = [mean.size for mean in means]
    for label, name, mark, colour in (
        ("unique in the table (D-uniqueness)", "d_uniqueness", "*", COLOURS[0]),
        ("just these disclosed (disclosure likelihood)", "disclosure_likelihood", "+", COLOURS[2]),
        ("re-identified", "probability", "^", COLOURS[1]),
    ):
        values = np.array([getattr(mean, name) for mean in means])
        shown = np.where(values >= SMALLEST, values, np.nan)  # nor has 0 a place
        axes.plot(sizes, shown, marker=mark, color=colour, label=label, markersize=7)
    axes.set_yscale("log")
    axes.set_xticks(sizes)
    axes.set_xlabel("attributes in the subset")
    axes.set_ylabel(f"mean over all subsets of a size (from {SMALLEST:g} on)")
    axes.legend(fontsize=9)
    return figure


def new_figure(title: str) -> tuple[Any, Any]:
    """Return an empty figure with a title and its axes."""
    figure = import_matplotlib().Figure(figsize=SIZE, layout="constrained")
    axes = figure.subplots()
    axes.set_title(title)
    axes.grid(color="#e5e5e5")
    axes.set_axisbelow(True)
    return figure, axes


DRAWINGS = {
    "risk_by_records": draw_records,
    "risk_by_sources": draw_sources,
    "risk_by_size": draw_sizes,
}
