"""Figure 6: quality against the threshold of p-uniqueness, a panel for each data set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from experiments.prasser2016 import paper

STYLES = {"Houston": ("s", "#b5483a"), "Texas": ("^", "#5b8c3a"), "USA": ("o", "#2f6f8f")}


def plot(curves: pd.DataFrame, lines: pd.DataFrame, folder: Path) -> None:
    """Draw the curves as PNG and SVG."""
    from matplotlib import figure, rc_context

    names = list(curves["data"].unique())
    columns = min(2, len(names) + 1)
    rows = -(-(len(names) + 1) // columns)  # one more for the legend
    with rc_context({"font.size": 10, "svg.hashsalt": "prasser2016"}):
        picture = figure.Figure(figsize=(8, 0.5 + 3.3 * rows), layout="constrained")
        panels = picture.subplots(rows, columns, squeeze=False).flatten()
        for panel, name in zip(panels, names, strict=False):
            draw(panel, curves[curves["data"] == name], lines[lines["data"] == name])
            panel.set_title(name.upper(), fontsize=10)
        for panel in panels[len(names) :]:
            panel.axis("off")
        draw_legend(panels[len(names)], panels[0])
        picture.suptitle("Quality against the share of the population that may be unique")
        picture.savefig(folder / "figure_6.png", dpi=100)
        picture.savefig(folder / "figure_6.svg", metadata={"Date": None})


def draw(panel: Any, curves: pd.DataFrame, lines: pd.DataFrame) -> None:
    """Draw a data set's curves, the baseline, and where population uniques reach zero."""
    zero = lines.set_index("population")["threshold"]
    for city, (mark, colour) in STYLES.items():
        points = curves[curves["population"] == city].sort_values("threshold")
        label = f"{city}, {paper.POPULATIONS[city] / 1e6:g} million"
        panel.plot(
            points["threshold"], points["quality"], marker=mark, markersize=5, color=colour,
            label=label, zorder=3,
        )  # fmt: skip
        panel.axvline(zero[city], color=colour, linestyle=":", linewidth=1.3, zorder=1)
        draw_arx(panel, points, mark, colour)
    panel.axhline(curves["2-anonymity"].iloc[0], color="#222222", linestyle="--", linewidth=1)
    draw_scale(panel, curves)


def draw_arx(panel: Any, points: pd.DataFrame, mark: str, colour: str) -> None:
    """Draw ARX's points as hollow marks where one could tell them from ours."""
    visible = points[(points["quality"] - points["ARX quality"]).abs() > 0.2]
    panel.plot(
        visible["threshold"], visible["ARX quality"], linestyle="none", marker=mark, markersize=8,
        markerfacecolor="none", markeredgecolor=colour, zorder=2,
    )  # fmt: skip


def draw_scale(panel: Any, curves: pd.DataFrame) -> None:
    from matplotlib.ticker import FixedLocator, NullLocator

    panel.set_xscale("log")
    panel.xaxis.set_major_locator(FixedLocator(sorted(curves["threshold"].unique())))
    panel.xaxis.set_minor_locator(NullLocator())
    panel.set_xlabel("threshold, share of the population")
    panel.set_ylabel("quality, %")
    panel.grid(color="#eeeeee", zorder=0)
    panel.set_axisbelow(True)


def draw_legend(panel: Any, source: Any) -> None:
    """Say what the lines and the marks are."""
    from matplotlib.lines import Line2D

    handles, names = source.get_legend_handles_labels()
    extra = {
        "2-anonymity": Line2D([], [], color="#222222", linestyle="--", linewidth=1),
        "from here to the left no unique is\nleft (colour: population)": Line2D(
            [], [], color="#666666", linestyle=":", linewidth=1.3
        ),
        "ARX 3.9, more than 0.2 points away\n(above: its release breaks the model)": Line2D(
            [], [], color="#666666", marker="o", markersize=8, markerfacecolor="none", linestyle=""
        ),
    }
    panel.legend(
        [*handles, *extra.values()],
        [*names, *extra],
        loc="center",
        frameon=False,
        title="p-uniqueness (Pitman/Hoshino)",
        alignment="left",
        labelspacing=0.8,
    )
