"""The risk of re-identification over all attribute subsets, for the terminal and as curves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Group
from rich.table import Table as Grid
from rich.text import Text

from anonymizer.attack.nrf import Reidentification, combine
from anonymizer.files import Staging
from anonymizer.report.plot import import_matplotlib

COLOURS = ("#2f6f8f", "#b5483a", "#5b8c3a", "#8c6bb1", "#c98a1b", "#222222")
SIZE = (8, 4.8)
MOST_CURVES = 10
FEW_SOURCES = 16
"""So many combinations of sources have room in one picture."""


def summarize(risk: Reidentification, most: int = 20) -> Group:
    """Show the risk and the most dangerous combinations."""
    return Group(danger_grid(risk, most), headline(risk))


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
    if half is not None:
        lines.append(f"From {half:,} people on that risk is one half or more.")
    return Text("\n".join(lines) + "\n")


def stage_curves(risk: Reidentification, staging: Staging) -> dict[str, str]:
    """Write the three curves as PNG and SVG; return where they will be."""
    files = {}
    for name, draw in DRAWINGS.items():
        for kind in ("png", "svg"):
            save(draw(risk), staging.path(f"{name}.{kind}"))
            files[f"{name}_{kind}"] = str(staging.folder / f"{name}.{kind}")
    return files


def save(figure: Any, path: Path) -> None:
    """Write a figure so that the same figure makes the same file."""
    from matplotlib import rc_context

    with rc_context({"svg.hashsalt": path.stem}):
        kind = {"metadata": {"Date": None}} if path.suffix == ".svg" else {"dpi": 120}
        figure.savefig(path, **kind)


def draw_records(risk: Reidentification) -> Any:
    """Draw the risk of the data set over its number of people: each source alone, and growing ones."""
    figure, axes = new_figure("Risk that at least one person is re-identified")
    n = np.linspace(0, risk.uniqueness.records, 401)
    for place, those in enumerate(curves_of(risk)):
        label = " + ".join(source.name for source in those)
        style = "-" if len(those) == 1 else "--"
        colour = COLOURS[place % len(COLOURS)]
        curve = risk.with_sources(those).over_records(n)
        axes.plot(n, curve, style, color=colour, label=label, linewidth=1.8)
    axes.set_xlabel("people in the table, n")
    axes.set_ylabel("risk of the data set")
    axes.set_ylim(-0.02, 1.02)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.legend(fontsize=8, loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
    return figure


def curves_of(risk: Reidentification) -> list[Any]:
    """Choose the combinations to draw: each source alone, then the first two, three, and so on."""
    growing = [risk.sources[:size] for size in range(2, len(risk.sources) + 1)]
    return [*((source,) for source in risk.sources), *growing][:MOST_CURVES]


def draw_sources(risk: Reidentification) -> Any:
    """Draw the risk of a person for each combination of sources, the highest on top."""
    figure, axes = new_figure("Risk of a random person by the sources that are combined")
    rows = sorted(risk.over_sources(), key=lambda row: row.individual)
    rows = rows if len(rows) <= FEW_SOURCES else [*rows[:5], *rows[-FEW_SOURCES + 5 :]]
    names = [" + ".join(row.sources) for row in rows]
    axes.barh(names, [row.individual for row in rows], color=COLOURS[0])
    if any(row.individual > 0 for row in rows):
        axes.set_xscale("log")
    axes.tick_params(axis="y", labelsize=8)
    axes.set_xlabel("risk of a random person (logarithmic)")
    if len(combine(risk.sources)) > len(rows):
        axes.set_ylabel("lowest five and highest combinations")
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
        shown = np.where(values > 0, values, np.nan)  # 0 has no place on a logarithmic axis
        axes.plot(sizes, shown, marker=mark, color=colour, label=label, markersize=7)
    axes.set_yscale("log")
    axes.set_xticks(sizes)
    axes.set_xlabel("attributes in the subset")
    axes.set_ylabel("mean probability over all subsets of a size")
    axes.legend(fontsize=9, frameon=False)
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
