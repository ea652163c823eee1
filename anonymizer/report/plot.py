"""Pictures of a solution; matplotlib is loaded only when one is drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from anonymizer.errors import ReleaseError
from anonymizer.report.svg import BAD, GOOD
from anonymizer.report.text import levels_of
from anonymizer.solution.solution import Solution


def import_matplotlib() -> Any:
    """Return matplotlib's figure module, or say how to install it."""
    try:
        from matplotlib import figure
    except ImportError:
        raise ReleaseError(
            "the picture needs matplotlib; install it with `pip install anonymizer[plot]`."
        ) from None
    return figure


def plot_solution(solution: Solution, path: Path) -> None:
    """Draw where the records stand before and after, and what each attribute lost."""
    figure = import_matplotlib().Figure(figsize=(10, 4.2), layout="constrained")
    sizes, losses = figure.subplots(1, 2)
    draw_class_sizes(sizes, solution)
    draw_losses(losses, solution)
    figure.suptitle(
        f"Quality {solution.quality:.3f} ({solution.status.value}), "
        f"{solution.suppressed:,} of {solution.records:,} records suppressed"
    )
    figure.savefig(path, dpi=100)


def draw_class_sizes(axes: Any, solution: Solution) -> None:
    """Draw how many records share their class with how many others."""
    before, after = solution.before.class_sizes, solution.after.class_sizes
    places = np.arange(len(before))
    axes.bar(places - 0.2, list(before.values()), 0.4, label="before", color=BAD)
    axes.bar(places + 0.2, list(after.values()), 0.4, label="after", color=GOOD)
    axes.set_xticks(places, list(before), rotation=45, ha="right")
    axes.set_xlabel("records in the same class")
    axes.set_ylabel("records")
    axes.set_title("How many people look alike")
    axes.legend()


def draw_losses(axes: Any, solution: Solution) -> None:
    """Draw the loss of each attribute with the level it was generalized to.

    Where the measure has no loss for each attribute, the bars are the levels, 1 being the highest.
    """
    heights = {c.hierarchy.name: c.hierarchy.height for c in solution.release.microdata.columns}
    names = list(solution.scheme)[::-1]
    losses = solution.attribute_loss or {
        name: level / max(1, heights[name] - 1) for name, level in solution.scheme.items()
    }
    values = [losses[name] for name in names]
    axes.barh(names, values, color=GOOD)
    for place, (name, value) in enumerate(zip(names, values, strict=True)):
        level = f" level {levels_of(solution, name)} of {heights[name] - 1}"
        inside = value > 0.75
        axes.text(
            value,
            place,
            level + " " if inside else level,
            va="center",
            ha="right" if inside else "left",
            color="white" if inside else "black",
            fontsize=9,
        )
    axes.set_xlim(0, 1)
    if solution.attribute_loss:
        axes.set_xlabel("loss (0 = untouched, 1 = nothing left)")
        axes.set_title("What each attribute lost")
    else:
        axes.set_xlabel("level (0 = untouched, 1 = the highest)")
        axes.set_title("How far each attribute was generalized")
