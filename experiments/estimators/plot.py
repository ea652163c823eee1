"""The picture of the estimators: estimate over truth by sampling fraction."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

STYLES = {
    "pitman": ("o", "#2f6f8f"),
    "pitman exact": ("D", "#7fb3c8"),
    "zayatz": ("s", "#b5483a"),
    "snb": ("^", "#5b8c3a"),
    "dankar": ("x", "#222222"),
}
LEGEND = (
    "mark: median of the samples\nbar: 5 % to 95 % of them\n"
    "(those with an estimate)\nband: factor of two"
)
SPREAD = 0.15  # between the marks of one sampling fraction


def plot(uniques: pd.DataFrame, folder: Path) -> None:
    """Draw a panel for each set of quasi-identifiers, as PNG and SVG."""
    from matplotlib import figure, rc_context

    sets = uniques["set"].unique()
    rows = -(-(len(sets) + 1) // 3)  # one more for the legend
    with rc_context({"font.size": 9, "svg.hashsalt": "estimators"}):
        picture = figure.Figure(figsize=(8, 0.6 + 2.8 * rows), layout="constrained")
        panels = picture.subplots(rows, 3, squeeze=False).flatten()
        for panel, name in zip(panels, sets, strict=False):
            draw_set(panel, uniques[uniques["set"] == name])
        for panel in panels[len(sets) :]:
            panel.axis("off")
        draw_legend(panels[len(sets)], panels[0])
        picture.suptitle("Population uniques: the estimate from a sample against the truth")
        picture.savefig(folder / "uniques.png", dpi=200)
        picture.savefig(folder / "uniques.svg", metadata={"Date": None})


def draw_set(panel: Any, cells: pd.DataFrame) -> None:
    """Draw medians and 5 % to 95 % of the estimates, relative to the truth unless that is 0."""
    truth = int(cells["true_uniques"].iloc[0])
    fractions = sorted(cells["fraction"].unique())
    for place, (name, (mark, colour)) in enumerate(STYLES.items()):
        mine = cells[cells["estimator"] == name].sort_values("fraction")
        low, middle, high = (
            mine[column].to_numpy() / max(truth, 1)
            for column in ("quantile_05", "median", "quantile_95")
        )
        at = np.arange(len(mine)) + (place - (len(STYLES) - 1) / 2) * SPREAD
        panel.errorbar(
            at, middle, (middle - low, high - middle), label=name, color=colour, marker=mark,
            markersize=5, linestyle="none", elinewidth=1.5, zorder=3,
        )  # fmt: skip
    panel.set_xticks(range(len(fractions)), [f"{100 * fraction:g} %" for fraction in fractions])
    panel.set_xlabel("sample, share of the population")
    draw_scale(panel, cells["set"].iloc[0], truth)


def draw_scale(panel: Any, name: str, truth: int) -> None:
    """Draw the truth, and the band of a factor of two around it."""
    from matplotlib.ticker import LogLocator, NullFormatter

    if truth:
        panel.set_yscale("log")
        panel.axhspan(0.5, 2, color="#eeeeee", zorder=0)
        panel.axhline(1, color="#888888", linewidth=1, zorder=1)
        low, high = panel.get_ylim()
        panel.set_ylim(min(low, 0.25), max(high, 4))
        panel.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        panel.set_ylabel("estimate / truth")
    else:
        panel.set_yscale("symlog", linthresh=1)
        panel.axhline(0, color="#888888", linewidth=1, zorder=1)
        panel.set_ylim(-0.3, None)
        panel.set_ylabel("estimate, people (truth: 0)")
    panel.yaxis.set_major_formatter("{x:g}")
    panel.yaxis.set_minor_formatter(NullFormatter())
    panel.set_title(f"{name}: {truth:,} uniques", fontsize=9)


def draw_legend(panel: Any, source: Any) -> None:
    """Say what the marks, the bars and the band are."""
    handles, names = source.get_legend_handles_labels()
    panel.legend(
        handles,
        names,
        loc="center left",
        frameon=False,
        title=LEGEND,
        alignment="left",
    )
