"""A frontier as files: table, figures, pictures, and a page to explore it on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from anonymizer.data.staging import Staging
from anonymizer.frontiers.frontier import Frontier
from anonymizer.frontiers.points import MAX_LAYERS, Point
from anonymizer.report.page import render, share
from anonymizer.report.plot import import_matplotlib
from anonymizer.report.provenance import Provenance, provenance_of_problem
from anonymizer.report.svg import COLOURS, Axis, draw_axes, draw_point, drawing
from anonymizer.report.text import numbers_figures, points_figures

AXES = {
    "threshold": "threshold",
    "risk": "risk by this model",
    "prosecutor highest": "highest prosecutor risk",
    "prosecutor average": "average prosecutor risk",
    "uniques": "share of records that are unique",
    "suppressed": "share of records suppressed",
}
"""What the page can put on its risk axis."""


NUMBER_OF_LAYERS = "number of layers"


QUALITY = "quality (1 = untouched)"


def first_analysis(frontier: Frontier) -> str | None:
    """Return the analysis whose figure pictures show in place of quality, if there is one."""
    return next(iter(frontier.figures), None)


def name_utility(frontier: Frontier) -> str:
    """Name the axis of what releases are worth."""
    analysis = first_analysis(frontier)
    return QUALITY if analysis is None else frontier.figures[analysis]


def stage_frontier(frontier: Frontier, staging: Staging) -> dict[str, str]:
    """Write CSV, JSON, PNG, SVG and HTML; return what each file will be called."""
    frontier.to_frame().to_csv(staging.path("frontier.csv"), index=False)
    text = json.dumps(frontier.describe(), indent=2, ensure_ascii=False) + "\n"
    staging.path("frontier.json").write_text(text, encoding="utf-8")
    staging.path("frontier.html").write_text(
        render_page(frontier, provenance_of_problem(frontier.problem)), encoding="utf-8"
    )
    plot_frontier(frontier, [staging.path("frontier.png"), staging.path("frontier.svg")])
    kinds = ("csv", "json", "html", "png", "svg")
    return {kind: str(staging.folder / f"frontier.{kind}") for kind in kinds}


def name_threshold(frontier: Frontier) -> str:
    """Name the axis of thresholds, with its unit; every model has the largest risk that it accepts."""
    parameter = frontier.parameter
    what = frontier.model if parameter.limits_risk else parameter.name
    return f"{what}: {parameter.meaning}" if parameter.meaning else f"{frontier.model}: {what}"


def is_logarithmic(frontier: Frontier) -> bool:
    """Whether thresholds are read best by their ratios: shares are, counts are not."""
    return not frontier.parameter.whole and all(point.value > 0 for point in frontier.points)


def curves_of(frontier: Frontier) -> dict[str, list[Point]]:
    """Group the points by population, with a name for each curve."""
    curves: dict[str, list[Point]] = {}
    for point in frontier.points:
        population = point.changes.get("population")
        name = frontier.model if population is None else f"population {population:,}"
        curves.setdefault(name, []).append(point)
    return curves


WIDTH, HEIGHT = 560, 300
LEFT, RIGHT, TOP, BOTTOM = 60, 545, 10, 250
"""The picture of a frontier, in pixels, and its axes."""


def draw_frontier(frontier: Frontier) -> Markup:
    """Draw quality over the threshold; open points are dominated by another."""
    curves = curves_of(frontier)
    points = [point for curve in curves.values() for point in curve]
    x = Axis.over([p.value for p in points], LEFT, RIGHT, is_logarithmic(frontier))
    analysis = first_analysis(frontier)
    worth = [value for p in points if (value := p.utility(analysis)) is not None]
    y = Axis.over(worth or [0.0], BOTTOM, TOP)
    marks = [
        draw_point(
            x.at(point.value),
            y.at(height),
            colour,
            f"{point.value:g}: quality {point.quality:.4f}, {point.verdict}",
            hollow=point.dominated,
        )
        for colour, curve in zip(COLOURS * len(curves), curves.values(), strict=False)
        for point in curve
        if (height := point.utility(analysis)) is not None
    ]
    name, what = name_threshold(frontier), analysis or "quality"
    title = f"{what.capitalize()} over {name}"
    return drawing(WIDTH, HEIGHT, title, *draw_axes(x, y, name, what), *marks)


def plot_frontier(frontier: Frontier, paths: list[Path]) -> None:
    """Draw quality over the threshold, and over the number of layers where there are some."""
    module = import_matplotlib()
    from matplotlib import rc_context

    with rc_context({"font.size": 10, "svg.hashsalt": "frontier"}):
        panels = 2 if frontier.by_layers else 1
        figure = module.Figure(figsize=(8, 4.8 * panels), layout="constrained")
        first, *others = np.atleast_1d(figure.subplots(panels)).tolist()
        draw_thresholds(first, frontier)
        for panel in others:
            draw_numbers(panel, frontier)
        for path in paths:
            metadata = {"Date": None} if path.suffix == ".svg" else {}
            figure.savefig(path, dpi=100, metadata=metadata)


def draw_thresholds(panel: Any, frontier: Frontier) -> None:
    """Draw quality over the threshold."""
    colours = COLOURS * len(frontier.points)
    for colour, (name, points) in zip(colours, curves_of(frontier).items(), strict=False):
        draw_curve(panel, points, name, colour, first_analysis(frontier))
    if is_logarithmic(frontier):
        panel.set_xscale("log")
    panel.set_xlabel(name_threshold(frontier))
    found = "best release found" if frontier.by_layers else "best release"
    panel.set_ylabel(name_utility(frontier))
    panel.set_title(
        f"The {found} at each of {len(frontier.points)} thresholds, "
        f"{frontier.evaluated:,} of {frontier.schemes:,} schemes evaluated"
    )
    finish(panel)


def draw_numbers(panel: Any, frontier: Frontier) -> None:
    """Draw quality over the number of layers, with the bound above it."""
    points = frontier.by_layers
    numbers = [point.changes[MAX_LAYERS] for point in points]
    panel.plot(numbers, [point.quality for point in points], "o-", color=COLOURS[0], label="found")
    bounds = [1 - point.proof.bound for point in points]
    panel.plot(numbers, bounds, "--", color=COLOURS[1], label="no release in layers is above")
    panel.set_xscale("log")
    panel.set_xticks(numbers, [f"{number:,}" for number in numbers], minor=False)
    panel.set_xticks([], minor=True)
    panel.set_xlabel(NUMBER_OF_LAYERS)
    panel.set_ylabel(QUALITY)
    panel.set_title(name_numbers(frontier))
    finish(panel)


def finish(panel: Any) -> None:
    """Draw what all panels have."""
    panel.grid(color="#e5e5e5")
    panel.legend(frameon=False)


def name_numbers(frontier: Frontier) -> str:
    """Say at which threshold numbers of layers are compared."""
    value = frontier.by_layers[0].value
    return f"Quality over the number of layers, {frontier.parameter.name} = {value:g}"


def draw_curve(
    panel: Any, points: list[Point], name: str, colour: str, analysis: str | None = None
) -> None:
    """Draw one curve; points that another dominates are open, gaps are bars.

    Points come loosest first. Between two, the line is at the tighter's quality: never more than the
    optimum there. The figure of an analysis has no line: nothing is known of what lies between.
    """
    if analysis is not None:
        known = [p for p in points if p.figures[analysis] is not None]
        figures = [p.figures[analysis] for p in known]
        panel.scatter([p.value for p in known], figures, s=26, color=colour, label=name, zorder=3)
        return
    values = [point.value for point in points]
    qualities = [point.quality for point in points]
    gaps = [point.gap for point in points]
    panel.step(values, qualities, where="pre", color=colour, alpha=0.35, linewidth=1)
    if any(gaps):
        bars = [[0.0] * len(gaps), gaps]
        panel.errorbar(values, qualities, bars, fmt="none", ecolor=colour, elinewidth=1)
    non_dominated = [(p.value, p.quality) for p in points if not p.dominated]
    dominated = [(p.value, p.quality) for p in points if p.dominated]
    panel.scatter(*zip(*non_dominated, strict=True), s=26, color=colour, label=name, zorder=3)
    if dominated:
        panel.scatter(
            *zip(*dominated, strict=True), s=26, facecolor="white", edgecolor=colour, zorder=3,
            label=f"{name}: another is as good in both",
        )  # fmt: skip


def render_page(frontier: Frontier, provenance: Provenance | None = None) -> str:
    """Return a page on which to look at points, switch the risk axis and see each scheme."""
    return render(
        "frontier.html",
        frontier=frontier,
        heading=f"Risk and quality: {frontier.model}",
        axes={**AXES, "layers": NUMBER_OF_LAYERS} if frontier.by_layers else AXES,
        utilities={"": QUALITY, **frontier.figures},
        first=first_analysis(frontier) or "",
        threshold_name=name_threshold(frontier),
        numbers_title=name_numbers(frontier) if frontier.by_layers else "",
        points_table=points_figures(frontier),
        numbers_table=numbers_figures(frontier) if frontier.by_layers else None,
        logarithmic=is_logarithmic(frontier),
        points=[
            page_point(frontier, curve, point)
            for curve, points in page_curves(frontier).items()
            for point in points
        ],
        colours=COLOURS,
        provenance=provenance or Provenance(),
    )


def page_curves(frontier: Frontier) -> dict[str, list[Point]]:
    """Return the curves by threshold, and that over the number of layers where there is one."""
    by_number = {name_numbers(frontier): [*frontier.by_layers]} if frontier.by_layers else {}
    return curves_of(frontier) | by_number


def page_point(frontier: Frontier, curve: str, point: Point) -> dict[str, Any]:
    """Return what the page shows of a point."""
    profile, suppressed = point.profile, point.evaluation.suppressed_records
    return {
        "curve": curve,
        "quality": point.quality,
        "utility": {"": point.quality, **point.figures},
        "gap": point.gap,
        "verdict": point.verdict,
        "dominated": point.dominated,
        "suppressed_records": suppressed,
        "scheme": point.scheme,
        "left": {name: share(each.retained) for name, each in frontier.columns_left(point).items()},
        "axes": {
            "threshold": point.value,
            "risk": point.risk,
            "prosecutor highest": profile.prosecutor.highest,
            "prosecutor average": profile.prosecutor.average,
            "uniques": profile.sample_uniques / max(profile.records, 1),
            "suppressed": suppressed / frontier.records,
            **({} if point.layers is None else {"layers": point.number_of_layers}),
        },
    }
