"""A frontier: its points as sections, pictures and files, and a page to explore it on."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from markupsafe import Markup

from anonymizer.data.staging import Staging
from anonymizer.frontiers.frontier import Frontier
from anonymizer.frontiers.points import MAX_LAYERS, Point
from anonymizer.report.chart import (
    BAD,
    COLOURS,
    GOOD,
    Axis,
    Drawing,
    draw_axes,
    draw_legend,
    draw_point,
    draw_steps,
    drawing,
    element,
    rule,
    stacked,
    standing_alone,
    words,
)
from anonymizer.report.page import share, whole, write_page
from anonymizer.report.provenance import Provenance, provenance_of_problem
from anonymizer.report.sections import FigureTable, Picture, Section, Toned

THRESHOLD, LAYERS = "threshold", "layers"
AXES = {
    THRESHOLD: "threshold",
    "risk": "risk by this model",
    "prosecutor highest": "highest prosecutor risk",
    "prosecutor average": "average prosecutor risk",
    "uniques": "share of records that are unique",
    "suppressed": "share of records suppressed",
}
"""What the page can put on its risk axis."""
NUMBER_OF_LAYERS = "number of layers"
QUALITY = "quality (1 = untouched)"
WIDTH, LEFT, RIGHT, TOP, BOTTOM = 560, 60, 545, 10, 250
"""The picture of a frontier, in pixels, and its axes."""

Curves = Mapping[str, list[Point]]
"""Points by the name of their curve."""


def stage_frontier(frontier: Frontier, staging: Staging) -> dict[str, str]:
    """Write CSV, JSON, SVG and HTML; return what each file will be called."""
    frontier.to_frame().to_csv(staging.path("frontier.csv"), index=False)
    texts = {
        "json": json.dumps(frontier.describe(), indent=2, ensure_ascii=False) + "\n",
        "html": render_page(frontier, provenance_of_problem(frontier.problem)),
        "svg": standing_alone(draw_all(frontier)),
    }
    for kind, text in texts.items():
        staging.path(f"frontier.{kind}").write_text(text, encoding="utf-8")
    return {kind: str(staging.folder / f"frontier.{kind}") for kind in ("csv", *texts)}


# --- words


def first_analysis(frontier: Frontier) -> str | None:
    """Return the analysis whose figure pictures show in place of quality, if there is one."""
    return next(iter(frontier.figures), None)


def name_utility(frontier: Frontier, analysis: str | None) -> str:
    """Name the axis of what releases are worth."""
    return QUALITY if analysis is None else frontier.figures[analysis]


def name_axis(frontier: Frontier, axis: str) -> str:
    """Name a risk axis."""
    if axis == LAYERS:
        return NUMBER_OF_LAYERS
    return name_threshold(frontier) if axis == THRESHOLD else AXES[axis]


def name_threshold(frontier: Frontier) -> str:
    """Name the axis of thresholds, with its unit; every model has the largest risk that it accepts."""
    parameter = frontier.parameter
    what = frontier.model if parameter.limits_risk else parameter.name
    return f"{what}: {parameter.meaning}" if parameter.meaning else f"{frontier.model}: {what}"


def name_numbers(frontier: Frontier) -> str:
    """Say at which threshold numbers of layers are compared."""
    value = frontier.by_layers[0].value
    return f"Quality over the number of layers, {frontier.parameter.name} = {value:g}"


def name_point(curve: str, point: Point) -> str:
    """Name a point with what it is worth.

    Like this: k-anonymity, threshold 5: quality 0.7219, optimal
    """
    worth = "".join(
        f", {name} {'-' if value is None else f'{value:.4f}'}"
        for name, value in point.figures.items()
    )
    return (
        f"{curve}, threshold {point.value:g}: quality {point.quality:.4f}{worth}, {point.verdict}"
    )


def policy_sentence(frontier: Frontier) -> Iterator[str]:
    """Say which point is the policy's, or that none is."""
    value = frontier.own_value
    if value is None:
        return
    names = f"The policy's own threshold, {frontier.parameter.name} = {value:g},"
    marked = any(point.value == frontier.own_value for point in frontier.points)
    yield f"{names} is marked." if marked else f"{names} is not among these."


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


def page_curves(frontier: Frontier) -> dict[str, list[Point]]:
    """Return the curves by threshold, and that over the number of layers where there is one."""
    by_number = {name_numbers(frontier): [*frontier.by_layers]} if frontier.by_layers else {}
    return curves_of(frontier) | by_number


# --- sections


def sections(frontier: Frontier) -> tuple[Section, ...]:
    """Show the best release at each threshold, and with fewer layers where there are some."""
    thresholds = Section(
        "The best release at each threshold",
        (
            f"{frontier.evaluated:,} of {frontier.schemes:,} schemes evaluated.",
            *policy_sentence(frontier),
        ),
        (points_figures(frontier),),
        (Picture(draw_frontier(frontier)),),
    )
    return (thresholds, numbers_section(frontier)) if frontier.by_layers else (thresholds,)


def numbers_section(frontier: Frontier) -> Section:
    """Compare releases of fewer layers."""
    value = frontier.by_layers[0].value
    title = f"{frontier.parameter.name} = {value:g} with fewer layers, which are easier to analyse"
    pictures = (Picture(draw_numbers(frontier)),)
    return Section(title, (), (numbers_figures(frontier),), pictures)


def points_figures(frontier: Frontier) -> FigureTable:
    """List the points; then the thresholds that were not met, and those that are not known."""
    layered = bool(frontier.by_layers)
    rows = []
    for point in frontier.points:
        changes = "".join(f" ({name} {value:,})" for name, value in point.changes.items())
        mark = ", the policy's" if point.value == frontier.own_value else ""
        rows.append((f"{point.value:g}{changes}{mark}", *point_cells(point, layered)))
    blank = [""] * ((3 if layered else 2) + len(frontier.figures))
    for value, _ in frontier.infeasible:
        rows.append((f"{value:g}", "not met", *blank, "no layers" if layered else "no scheme"))
    for value, _ in frontier.unknown:
        why = "none found" if layered else "stopped before"
        rows.append((f"{value:g}", "not known", *blank, why))
    return FigureTable(points_header(frontier, frontier.parameter.name), tuple(rows))


def numbers_figures(frontier: Frontier) -> FigureTable:
    """List the releases at the policy's threshold for some numbers of layers."""
    rows = tuple(
        (f"{point.changes[MAX_LAYERS]:,}", *point_cells(point, layered=True))
        for point in frontier.by_layers
    )
    return FigureTable(points_header(frontier, MAX_LAYERS), rows)


def points_header(frontier: Frontier, first: str) -> tuple[str, ...]:
    """Name the columns of a table of points."""
    layers = ["layers"] if frontier.by_layers else []
    return first, "quality", *frontier.figures, "risk", "suppressed", *layers, "proof"


def point_cells(point: Point, layered: bool) -> tuple[str, ...]:
    """Write the figures of a point."""
    return (
        f"{point.quality:.4f}" + (" dominated" if point.dominated else ""),
        *("-" if value is None else f"{value:.4f}" for value in point.figures.values()),
        f"{point.risk:.4g}",
        f"{point.evaluation.suppressed_records:,}",
        *([f"{point.number_of_layers:,}"] if layered else []),
        point.verdict,
    )


# --- pictures


def draw_all(frontier: Frontier) -> Drawing:
    """Draw quality over the threshold, and below it over the number of layers where there are some."""
    more = [draw_numbers(frontier)] if frontier.by_layers else []
    return stacked(f"Frontier of {frontier.model}", [draw_frontier(frontier), *more])


def draw_frontier(frontier: Frontier) -> Drawing:
    """Draw quality over the threshold; open points are dominated by another."""
    analysis, logarithmic = first_analysis(frontier), is_logarithmic(frontier)
    return draw_curves(frontier, curves_of(frontier), THRESHOLD, analysis, logarithmic)


def draw_by_analysis(frontier: Frontier) -> list[Drawing]:
    """Draw the figure of each analysis that the points have over the threshold."""
    curves, logarithmic = curves_of(frontier), is_logarithmic(frontier)
    return [
        draw_curves(frontier, curves, THRESHOLD, name, logarithmic) for name in frontier.figures
    ]


def draw_numbers(frontier: Frontier) -> Drawing:
    """Draw quality over the number of layers, with the bound on every release in layers above it."""
    points = frontier.by_layers
    bounds = [1 - point.proof.bound for point in points]
    numbers = [float(point.changes[MAX_LAYERS]) for point in points]
    x = Axis.over(numbers, LEFT, RIGHT, logarithmic=True)
    y = Axis.over([*bounds, *(point.quality for point in points)], BOTTOM, TOP)
    marks = [
        draw_point(x.at(number), y.at(point.quality), GOOD, name_point("found", point))
        for number, point in zip(numbers, points, strict=True)
    ]
    bound = draw_steps(list(zip(numbers, bounds, strict=True)), x, y, BAD, stroke_dasharray="5 3")
    axes = draw_axes(x, y, NUMBER_OF_LAYERS, QUALITY)
    legend = draw_legend([("found", GOOD), ("no release in layers is above", BAD)], LEFT, 296)
    return drawing(WIDTH, 336, name_numbers(frontier), *axes, bound, *marks, *legend)


def draw_curves(
    frontier: Frontier, curves: Curves, axis: str, analysis: str | None, logarithmic: bool
) -> Drawing:
    """Draw what releases are worth over one of the risk axes."""
    shown = [point for curve in curves.values() for point in curve]
    x = Axis.over([place_of(point, axis, frontier) for point in shown], LEFT, RIGHT, logarithmic)
    worth = [value for point in shown if (value := point.utility(analysis)) is not None]
    y = Axis.over(worth or [0.0], BOTTOM, TOP)
    marks: list[Markup] = []
    for colour, (name, points) in zip(COLOURS * len(curves), curves.items(), strict=False):
        if axis == THRESHOLD and analysis is None:
            marks += draw_between(points, x, y, colour)
        for point in points:
            if (value := point.utility(analysis)) is not None:
                at = x.at(place_of(point, axis, frontier)), y.at(value)
                if axis != LAYERS and point.value == frontier.own_value:
                    marks += mark_policy(*at)
                says, hollow = name_point(name, point), point.dominated
                marks.append(draw_point(*at, colour, says, hollow, data_point=shown.index(point)))
    names = list(zip(curves, COLOURS * len(curves), strict=False)) if len(curves) > 1 else []
    across, upwards = name_axis(frontier, axis), name_utility(frontier, analysis)
    axes, legend = draw_axes(x, y, across, upwards), draw_legend(names, LEFT, 296)
    title = f"{upwards.capitalize()} over {across}"
    return drawing(WIDTH, 300 + 18 * len(names), title, *axes, *marks, *legend)


def mark_policy(x: float, y: float) -> Iterator[Markup]:
    """Mark the policy's own point: a line down to the axis, a frame, and what it is."""
    yield rule(x, y, x, BOTTOM, stroke=BAD, stroke_dasharray="2 3")
    box = {"x": f"{x - 7:.1f}", "y": f"{y - 7:.1f}", "width": 14, "height": 14}
    yield element("rect", **box, fill="none", stroke=BAD)
    middle = (LEFT + RIGHT) / 2
    anchor, aside = ("end", -8) if x > middle else ("start", 8)
    yield words(x + aside, BOTTOM - 6, "the policy", anchor=anchor)


def draw_between(points: list[Point], x: Axis, y: Axis, colour: str) -> Iterator[Markup]:
    """Draw what is known between points, and how much better each may be.

    Points come loosest first. Between two, the line is at the tighter's quality: never more than the
    optimum there. The figure of an analysis has no line: nothing is known of what lies between.
    """
    tightest_first = [(point.value, point.quality) for point in reversed(points)]
    yield draw_steps(tightest_first, x, y, colour, stroke_opacity=0.35)
    for point in points:
        if point.gap > 0:
            at, best = x.at(point.value), min(y.high, point.quality + point.gap)
            yield rule(at, y.at(point.quality), at, y.at(best), colour)


def place_of(point: Point, axis: str, frontier: Frontier) -> float:
    """Return where a point stands on a risk axis."""
    profile, suppressed = point.profile, point.evaluation.suppressed_records
    places = {
        THRESHOLD: point.value,
        "risk": point.risk,
        "prosecutor highest": profile.prosecutor.highest,
        "prosecutor average": profile.prosecutor.average,
        "uniques": profile.sample_uniques / max(profile.records, 1),
        "suppressed": suppressed / frontier.records,
        LAYERS: point.number_of_layers,
    }
    return float(places[axis])


# --- the page


def render_page(frontier: Frontier, provenance: Provenance | None = None) -> str:
    """Return a page on which to look at points, switch the risk axis and see each scheme."""
    axes = {each: name_axis(frontier, each) for each in page_axes(frontier)}
    return write_page(
        f"Risk and quality: {frontier.model}",
        tuple(lead_of(frontier)),
        tuple(page_sections(frontier)),
        provenance,
        template="frontier.html",
        axes=axes,
        utilities={"": QUALITY, **frontier.figures},
        first=first_analysis(frontier) or "",
        logarithmic=is_logarithmic(frontier),
        drawn=tuple(page_pictures(frontier)),
        left=LEFT,
        bottom=BOTTOM,
        points=tuple(
            point_section(frontier, name, point)
            for name, points in page_curves(frontier).items()
            for point in points
        ),
    )


def page_axes(frontier: Frontier) -> tuple[str, ...]:
    """Return the risk axes of the page."""
    return (*AXES, LAYERS) if frontier.by_layers else tuple(AXES)


def page_pictures(frontier: Frontier) -> Iterator[tuple[str, str, str, Markup]]:
    """Draw the points over each risk axis, for each utility; by ratio too, where none of them is 0."""
    curves = page_curves(frontier)
    points = [point for curve in curves.values() for point in curve]
    for axis in page_axes(frontier):
        positive = all(place_of(point, axis, frontier) > 0 for point in points)
        for analysis in (None, *frontier.figures):
            for scale in ("even", "log") if positive else ("even",):
                drawn = draw_curves(frontier, curves, axis, analysis, scale == "log")
                yield axis, analysis or "", scale, drawn


def lead_of(frontier: Frontier) -> Iterator[str]:
    """Say what the points are, and how to look at one."""
    if frontier.by_layers:
        found = (
            "Each point is the best release in layers that was found at its threshold, of "
            f"{whole(frontier.records)} records: each record has one of several generalization schemes. "
            "The gap says how far a better one could be."
        )
    else:
        found = (
            "Each point is the release of the highest quality at its threshold, found among "
            f"{whole(frontier.schemes)} generalization schemes of {whole(frontier.records)} records."
        )
    how = (
        "Point at one to see what it is, click it to keep it; or reach the points with Tab, go on with "
        "the arrow keys, keep with Enter."
    )
    yield Toned(f"{found} {how}", "lead")


def page_sections(frontier: Frontier) -> Iterator[Section]:
    """List all points, those that are not there, and the numbers of layers."""
    missing = {
        "Not met within the suppression limit": frontier.infeasible,
        "Not known, because the search was stopped before": frontier.unknown,
    }
    said = (
        f"{why}: {', '.join(f'{value:g}' for value, _ in values)}."
        for why, values in missing.items()
        if values
    )
    figures = points_figures(frontier)
    folded = FigureTable(
        figures.header, figures.rows, folded=f"All {len(frontier.points)} points in a table"
    )
    yield Section("", (*policy_sentence(frontier), *said), (folded,))
    if frontier.by_layers:
        few = (
            "Few layers are easier to analyse. The bound is that on every release in layers, whatever "
            "their number."
        )
        yield Section(
            name_numbers(frontier),
            (few,),
            (numbers_figures(frontier),),
            (Picture(draw_numbers(frontier)),),
        )


def point_section(frontier: Frontier, curve: str, point: Point) -> Section:
    """Say all about a point: its risks, what is proven of it, and what is left of each attribute."""
    prosecutor, layered = point.profile.prosecutor, point.layers is not None
    said = [
        f"Risk by this model {point.risk:.3g}, highest prosecutor risk {prosecutor.highest:.3g}, average "
        f"{prosecutor.average:.3g}; {whole(point.evaluation.suppressed_records)} records suppressed; "
        + (f"{whole(point.number_of_layers)} layers; " if layered else "")
        + proven_of(point)
    ]
    if point.dominated:
        said.append("Another point has no more risk and no less quality.")
    left = frontier.columns_left(point)
    rows = tuple(
        (name, str(level), share(left[name].retained)) for name, level in point.scheme.items()
    )
    header = "attribute", "highest level" if layered else "level", "what is left"
    return Section(name_point(curve, point), tuple(said), (FigureTable(header, rows),))


def proven_of(point: Point) -> str:
    """Say how much better the optimum could be."""
    if point.gap > 0:
        return f"the optimum is at most {point.gap:.4f} better."
    optimal = point.verdict == "optimal"
    return "proven optimal." if optimal else "not proven optimal: a shorter cut may pass."
