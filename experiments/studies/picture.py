"""Quality over what somebody knows of a person's events, a panel for each study."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

COLOURS = {2: "#7fbf7b", 5: "#1b7837", 10: "#00441b"}


def draw(table: pd.DataFrame, path: Path) -> None:
    """Draw a panel for each study: quality over power, a line for each k."""
    studies, powers = list(table["study"].unique()), list(table["power"].astype(str).unique())
    figure, panels = plt.subplots(
        1, len(studies), figsize=(2.5 * len(studies), 3.4), sharey=True, layout="constrained"
    )
    for axes, study in zip(panels, studies, strict=True):
        own = table[table["study"] == study]
        for k, rows in own.groupby("k"):
            axes.plot(range(len(powers)), rows["quality"], "o-", color=COLOURS[k], label=f"k = {k}")
        axes.set_xticks(range(len(powers)), powers)
        axes.set_title(study)
        axes.grid(axis="y", color="#e0e0e0")
        axes.set_axisbelow(True)
    panels[0].set_ylabel("best quality (proven)")
    panels[0].set_ylim(0, 1.02)
    panels[-1].legend(loc="upper right", frameon=False)
    figure.supxlabel("events of a person that somebody knows")
    figure.savefig(path, dpi=150)
    plt.close(figure)
