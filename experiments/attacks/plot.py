"""The picture: success, baseline and intervals of every attack on every release."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

BEFORE, AFTER, ALARM = "#9aa5ae", "#2f6f8f", "#b5483a"


def plot(attacks: pd.DataFrame, folder: Path) -> None:
    """Draw a panel for each attack, a line for each release, as PNG and SVG."""
    from matplotlib import figure, rc_context

    names = list(attacks["attack"].unique())
    columns = 4
    rows = -(-len(names) // columns)
    with rc_context({"font.size": 9, "svg.hashsalt": "attacks"}):
        picture = figure.Figure(figsize=(11, 0.8 + 2.7 * rows), layout="constrained")
        panels = picture.subplots(rows, columns, squeeze=False, sharey=True).flatten()
        for panel, name in zip(panels, names, strict=False):
            draw_attack(panel, name, attacks[attacks["attack"] == name])
        for panel in panels[len(names) :]:
            panel.axis("off")
        if len(panels) > len(names):
            draw_legend(panels[len(names)])
        picture.suptitle(
            "Attacks on releases of a register from a population that is known in full"
        )
        picture.savefig(folder / "attacks.png", dpi=160)
        picture.savefig(folder / "attacks.svg", metadata={"Date": None})


def draw_attack(panel: Any, name: str, rows: pd.DataFrame) -> None:
    """Draw success and baseline of one attack on every release."""
    places = range(len(rows))[::-1]
    for place, row in zip(places, rows.to_dict("records"), strict=True):
        colour = ALARM if "tampered" in row["release"] else AFTER
        errors = [[row["success"] - row["success_low"]], [row["success_high"] - row["success"]]]
        panel.errorbar(
            row["success"], place + 0.12, xerr=errors, fmt="o", color=colour, markersize=4,
            elinewidth=1.5,
        )  # fmt: skip
        panel.plot(row["baseline"], place - 0.18, marker="|", color=BEFORE, markersize=9, mew=2)
    panel.set_yticks(list(places), list(rows["release"]))
    panel.set_title(name, fontsize=9)
    high = max(rows["success_high"].max(), rows["baseline"].max())
    panel.set_xlim(-0.03 * high, high * 1.08 if high else 1)
    panel.xaxis.set_major_formatter(lambda value, _: f"{100 * value:.3g} %")
    panel.grid(axis="x", color="#d5dbe0", linewidth=0.6)
    panel.tick_params(length=2)


def draw_legend(panel: Any) -> None:
    """Say what the marks are."""
    panel.errorbar([], [], xerr=[], fmt="o", color=AFTER, label="success, 95 % interval")
    panel.errorbar([], [], xerr=[], fmt="o", color=ALARM, label="the same, tampered release")
    panel.plot([], [], "|", color=BEFORE, markersize=9, mew=2, label="baseline")
    panel.legend(
        *panel.get_legend_handles_labels(), loc="center", frameon=False,
        title="Each panel has its own scale", alignment="left",
    )  # fmt: skip
