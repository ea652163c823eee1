"""Figure 2 again, between the bounds that the tables allow; and the curves of the risk of a table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from anonymizer.attackers.disclosure import Source
from anonymizer.attackers.nrf import Reidentification
from anonymizer.data.staging import Staging
from anonymizer.report.chart import BAD, GOOD
from anonymizer.report.plot import import_matplotlib
from experiments.nrf.reconstruction import USAGE, Reconstruction
from experiments.nrf.sizes import means_by_size

COLOURS = (GOOD, BAD, "#5b8c3a", "#8c6bb1", "#c98a1b", "#222222")
SIZE = (8, 4.8)
MOST_CURVES = 6
"""So many sources alone, and as many combinations, have room in one picture."""
SMALLEST = 1e-16
"""Means below this are not drawn: they would press all that matters to the edge."""


def plot_bounds(paper: Reconstruction, *paths: Path) -> None:
    """Draw a band for each source alone, for the four smaller ones together, and the paper's 0.35."""
    figure, axes = new_figure("NIS 2008, recovered: risk that at least one person is re-identified")
    n = np.linspace(0, 8_000_000, 401)
    initials = [name[0].lower() for name in USAGE]
    curves = {name: name[0].lower() for name in USAGE} | {
        "the first four together": "".join(initials[:4])
    }
    for (label, chosen), colour in zip(curves.items(), COLOURS, strict=True):
        low, high = (risk.over_records(n) for risk in paper.bounds(paper.chosen(chosen)))
        axes.fill_between(n / 1e6, low, high, color=colour, alpha=0.35, linewidth=0)
        axes.plot(n / 1e6, low, color=colour, linewidth=1.2, label=label)
    axes.plot([4], [0.35], "x", color="black", markersize=9, label="Twitter in the paper's text")
    axes.set_xlabel("records n, million")
    axes.set_ylabel("risk of the data set (least to greatest)")
    axes.set_ylim(-0.02, 1.04)
    axes.legend(fontsize=9, loc="lower right")
    for path in paths:
        save(figure, path)


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
    means = means_by_size(risk)
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


def stage_curves(risk: Reidentification, staging: Staging) -> None:
    """Write every curve as PNG and SVG."""
    for name, draw in DRAWINGS.items():
        figure = draw(risk)
        for kind in ("png", "svg"):
            save(figure, staging.path(f"{name}.{kind}"))


def save(figure: Any, path: Path) -> None:
    """Write a figure so that the same figure makes the same file."""
    from matplotlib import rc_context

    with rc_context({"svg.hashsalt": path.stem}):
        kind = {"metadata": {"Date": None}} if path.suffix == ".svg" else {"dpi": 120}
        figure.savefig(path, **kind)
