"""Figure 2 again: the risk of people against their worst case, as heat maps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anonymizer.assessment.scenario_risk import ScenarioRisk
from anonymizer.report.plot import import_matplotlib
from anonymizer.report.scenarios import units

PANELS = ("journalist", "prosecutor", "marketer", "overall")
BINS = 25


def draw_heatmaps(risks: Sequence[ScenarioRisk]) -> Any:
    """Draw the risk of the people against their worst case, a row for each scenario (Figure 2)."""
    from matplotlib.colors import LogNorm

    height = 0.8 + 2.6 * len(risks)
    figure = import_matplotlib().Figure(figsize=(11, height), layout="constrained")
    grid = figure.subplots(len(risks), len(PANELS), squeeze=False)
    edges = np.linspace(0, 1, BINS + 1)
    for row, risk in zip(grid, risks, strict=True):
        for axes, measure in zip(row, PANELS, strict=True):
            worst = risk.worst_risks(measure)
            share, _, _ = np.histogram2d(worst, risk.risks(measure), [edges, edges])
            share = 100 * share / max(1, risk.number_of_people)
            mesh = axes.pcolormesh(
                edges,
                edges,
                np.ma.masked_equal(share.T, 0),
                norm=LogNorm(0.01, 100),
                cmap="YlOrRd",
                rasterized=True,
            )
            axes.plot([0, 1], [0, 1], "--", color="#888888", linewidth=1)
            axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
            axes.set_title(measure)
            axes.set_xlabel("risk in the worst case")
        row[0].set_ylabel(f"risk,\n{risk.name}")
    figure.colorbar(mesh, ax=grid, label=f"{units(risks[0])[0]} (%)", format="%g")
    return figure
