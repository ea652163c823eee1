"""Figure 2 again: the risk over the number of records, between the bounds that the tables allow."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from anonymizer.report.nrf import COLOURS, new_figure
from anonymizer.report.plot import save
from experiments.nrf.reconstruction import USAGE, Reconstruction


def plot_bounds(paper: Reconstruction, *paths: Path) -> None:
    """Draw a band for each source alone, for the four smaller ones together, and the paper's 0.35."""
    figure, axes = new_figure("NIS 2008: risk that at least one person is re-identified")
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
