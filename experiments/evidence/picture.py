"""Overlap and accuracy of each release, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

COLOURS = ("#2f6f8f", "#b5483a", "#5b8c3a")
GREY = "#9aa5ae"


def draw(regressions: pd.DataFrame, predictions: pd.DataFrame, path: Path) -> None:
    """Draw a row of panels for each table: overlap of intervals, then accuracy."""
    names = list(dict.fromkeys(regressions["data"]))
    figure, panels = plt.subplots(
        len(names), 2, figsize=(10, 3.6 * len(names)), layout="constrained", squeeze=False
    )
    for (left, right), name in zip(panels, names, strict=True):
        draw_overlap(left, regressions[regressions["data"] == name])
        draw_accuracy(right, predictions[predictions["data"] == name])
        left.set_title(f"{name}: overlap of the 95 % intervals")
        right.set_title(f"{name}: accuracy on held-out original records")
    figure.savefig(path, dpi=150)
    plt.close(figure)


def draw_overlap(axes: Any, rows: pd.DataFrame) -> None:
    """Draw the mean overlap of each regression as bars, by risk model."""
    bars(axes, spread(rows, "analysis", "overlap"), COLOURS)
    axes.set_ylim(0, 1.3)  # room for the legend
    axes.set_ylabel("mean overlap (1 = the same)")


def draw_accuracy(axes: Any, rows: pd.DataFrame) -> None:
    """Draw the accuracy of each learner as bars, and what the original gives as lines over them."""
    table = spread(rows, "learner", "accuracy")
    width = bars(axes, table, (GREY, *COLOURS))
    before = spread(rows, "learner", "accuracy on original")
    for number, learner in enumerate(before):
        places = np.arange(len(before)) + (number - (len(before.columns) - 1) / 2) * width
        label = "learned from the original" if number == 0 else None
        axes.hlines(
            before[learner], places - width / 2, places + width / 2, color="black", label=label
        )
    axes.set_ylim(0, 1.45 * float(max(table.max().max(), before.max().max())))
    axes.set_ylabel("accuracy")
    axes.legend(frameon=False, fontsize=8, loc="upper left", ncols=2)


def spread(rows: pd.DataFrame, columns: str, values: str) -> pd.DataFrame:
    """Put one figure of each risk model into a row, all in the order in which they come."""
    table = rows.pivot_table(values, "model", columns, sort=False, dropna=False)
    return table[list(dict.fromkeys(rows[columns]))]


def bars(axes: Any, table: pd.DataFrame, colours: tuple[str, ...]) -> float:
    """Draw the columns of a table as groups of bars; return their width."""
    width = 0.8 / len(table.columns)
    places = np.arange(len(table))
    for number, (name, colour) in enumerate(zip(table.columns, colours, strict=False)):
        shift = (number - (len(table.columns) - 1) / 2) * width
        drawn = axes.bar(places + shift, table[name], width, color=colour, label=name)
        axes.bar_label(drawn, fmt="%.2f", fontsize=7, label_type="center", color="white")
    axes.set_xticks(places, list(table.index))
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8, loc="upper left", ncols=2)
    return width
