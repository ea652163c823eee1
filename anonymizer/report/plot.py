"""Pictures for papers: a frontier or a solution on axes of matplotlib, loaded when one is drawn."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np

from anonymizer.errors import ReleaseError, import_extra
from anonymizer.frontiers.frontier import Frontier
from anonymizer.frontiers.points import MAX_LAYERS, Point
from anonymizer.report.chart import BAD, COLOURS, GOOD
from anonymizer.report.frontier import (
    NUMBER_OF_LAYERS,
    QUALITY,
    curves_of,
    first_analysis,
    is_logarithmic,
    name_numbers,
    name_threshold,
    name_utility,
)
from anonymizer.report.solution import levels_of, losses_of
from anonymizer.solution.solution import Solution


@singledispatch
def plot(value: object, ax: Any = None, show: str | None = None) -> Any:
    """Draw a value on axes of matplotlib, new ones without `ax`; return the axes."""
    raise NotImplementedError(f"register {type(value).__name__} in anonymizer.report.plot")


def new_axes() -> Any:
    """Return the axes of a new figure, or say how to install matplotlib."""
    figure = import_matplotlib().Figure(figsize=(8, 4.8), layout="constrained")
    return figure.add_subplot()


def import_matplotlib() -> Any:
    """Return matplotlib's figure module, or say how to install it."""
    return import_extra("matplotlib.figure", "the picture", "plot", ReleaseError)


# --- solutions


@plot.register
def plot_solution(solution: Solution, ax: Any = None, show: str | None = None) -> Any:
    """Draw how many records look alike before and after; with `losses`, what each attribute lost."""
    axes = new_axes() if ax is None else ax
    {None: plot_sizes, "sizes": plot_sizes, "losses": plot_losses}[show](axes, solution)
    return axes


def plot_sizes(axes: Any, solution: Solution) -> None:
    """Draw how many records share their class with how many others."""
    before, after = solution.before.class_sizes, solution.after.class_sizes
    places = np.arange(len(before))
    axes.bar(places - 0.2, list(before.values()), 0.4, label="before", color=BAD)
    axes.bar(places + 0.2, list(after.values()), 0.4, label="after", color=GOOD)
    axes.set_xticks(places, list(before), rotation=45, ha="right")
    axes.set_xlabel("records in the same class")
    axes.set_ylabel("records")
    axes.legend()


def plot_losses(axes: Any, solution: Solution) -> None:
    """Draw the loss of each attribute with the level it was generalized to."""
    meaning, losses = losses_of(solution)
    names = list(losses)[::-1]
    bars = axes.barh(names, [losses[name] for name in names], color=GOOD)
    axes.bar_label(bars, [f"level {levels_of(solution, name)}" for name in names], padding=4)
    axes.set_xlim(0, 1)
    axes.set_xlabel(meaning)


# --- frontiers


@plot.register
def plot_frontier(frontier: Frontier, ax: Any = None, show: str | None = None) -> Any:
    """Draw quality over the threshold; with `layers`, over the number of layers."""
    axes = new_axes() if ax is None else ax
    {None: plot_thresholds, "layers": plot_numbers}[show](axes, frontier)
    axes.grid(color="#e5e5e5")
    axes.legend(frameon=False)
    return axes


def plot_thresholds(axes: Any, frontier: Frontier) -> None:
    """Draw quality over the threshold."""
    colours, analysis = COLOURS * len(frontier.points), first_analysis(frontier)
    for colour, (name, points) in zip(colours, curves_of(frontier).items(), strict=False):
        plot_curve(axes, points, name, colour, analysis)
    if is_logarithmic(frontier):
        axes.set_xscale("log")
    axes.set_xlabel(name_threshold(frontier))
    axes.set_ylabel(name_utility(frontier, analysis))


def plot_numbers(axes: Any, frontier: Frontier) -> None:
    """Draw quality over the number of layers, with the bound above it."""
    points = frontier.by_layers
    numbers = [point.changes[MAX_LAYERS] for point in points]
    axes.plot(numbers, [point.quality for point in points], "o-", color=COLOURS[0], label="found")
    bounds = [1 - point.proof.bound for point in points]
    axes.plot(numbers, bounds, "--", color=COLOURS[1], label="no release in layers is above")
    axes.set_xscale("log")
    axes.set_xticks(numbers, [f"{number:,}" for number in numbers], minor=False)
    axes.set_xticks([], minor=True)
    axes.set_xlabel(NUMBER_OF_LAYERS)
    axes.set_ylabel(QUALITY)
    axes.set_title(name_numbers(frontier))


def plot_curve(
    axes: Any, points: list[Point], name: str, colour: str, analysis: str | None
) -> None:
    """Draw one curve; points that another dominates are open, gaps are bars, as in our own pictures."""
    known = [point for point in points if point.utility(analysis) is not None]
    values, worth = [p.value for p in known], [p.utility(analysis) for p in known]
    fill = ["white" if point.dominated else colour for point in known]
    axes.scatter(values, worth, s=26, c=fill, edgecolors=colour, label=name, zorder=3)
    if analysis is None:
        axes.step(values, worth, where="pre", color=colour, alpha=0.35, linewidth=1)
        gaps = [[0.0] * len(known), [point.gap for point in known]]
        axes.errorbar(values, worth, gaps, fmt="none", ecolor=colour, elinewidth=1)
