"""Pictures of a solution; matplotlib is loaded only when one is drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from anonymizer.classes import partition
from anonymizer.errors import ReleaseError
from anonymizer.solution import Solution

SIZE_EDGES = (1, 2, 3, 5, 10, 20, 50, 100, 1000)


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
    release = solution.release
    microdata = release.microdata
    classes = partition(microdata, tuple(solution.scheme.values()))
    kept = ~release.suppressed
    after = np.unique(classes.label_of_tuple[kept])
    names = [bin_name(i) for i in range(len(SIZE_EDGES))]
    places = np.arange(len(names))
    axes.bar(places - 0.2, records_by_size(microdata.counts), 0.4, label="before", color="#b5483a")
    axes.bar(
        places + 0.2, records_by_size(classes.sizes[after]), 0.4, label="after", color="#2f6f8f"
    )
    axes.set_xticks(places, names, rotation=45, ha="right")
    axes.set_xlabel("records in the same class")
    axes.set_ylabel("records")
    axes.set_title("How many people look alike")
    axes.legend()


def records_by_size(class_sizes: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Sum the records in classes of each range of sizes."""
    ranges = np.searchsorted(SIZE_EDGES, class_sizes, side="right") - 1
    return np.bincount(ranges, weights=class_sizes, minlength=len(SIZE_EDGES))


def bin_name(number: int) -> str:
    """Name a range of class sizes.

    >>> bin_name(0), bin_name(2), bin_name(8)
    ('1', '3-4', '1000+')
    """
    low = SIZE_EDGES[number]
    if number + 1 == len(SIZE_EDGES):
        return f"{low}+"
    high = SIZE_EDGES[number + 1] - 1
    return str(low) if low == high else f"{low}-{high}"


def draw_losses(axes: Any, solution: Solution) -> None:
    """Draw the loss of each attribute with the level it was generalized to."""
    heights = {c.hierarchy.name: c.hierarchy.height for c in solution.release.microdata.columns}
    names = list(solution.attribute_loss)[::-1]
    values = [solution.attribute_loss[name] for name in names]
    axes.barh(names, values, color="#2f6f8f")
    for place, (name, value) in enumerate(zip(names, values, strict=True)):
        level = f" level {solution.scheme[name]} of {heights[name] - 1}"
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
    axes.set_xlabel("loss (0 = untouched, 1 = nothing left)")
    axes.set_title("What each attribute lost")
