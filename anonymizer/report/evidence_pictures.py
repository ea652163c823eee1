"""Pictures of evidence: intervals of coefficients, survival curves, accuracies."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from markupsafe import Markup

from anonymizer.analyses.overlap import Coefficient
from anonymizer.analyses.result import Curve, Result
from anonymizer.report.chart import (
    AFTER,
    BEFORE,
    Axis,
    Ends,
    IntervalRow,
    before_and_after,
    draw_axes,
    draw_bars,
    draw_intervals,
    draw_steps,
    drawing,
)

Drawn = tuple[Markup, str]
"""A picture and its caption."""
FARTHEST = 6
"""Standard errors to either side that the picture of intervals has room for."""
WIDTH, HEIGHT, LEFT, BOTTOM = 270, 180, 34, 150
"""The picture of a survival curve, in pixels, and its axes."""


def pictures_of(result: Result) -> Iterator[Drawn]:
    """Draw what a kind of analysis has pictures for."""
    if result.analysis.kind in DRAWN:
        yield from DRAWN[result.analysis.kind](result)


def draw_coefficients(result: Result) -> Iterator[Drawn]:
    """Draw the 95 % intervals of all coefficients, in standard errors of the original."""
    rows = [intervals_of(row) for row in result.rows if row.before_error > 0]
    ticks = [(e, f"{e:+d}" if e else "0") for e in range(-FARTHEST, FARTHEST + 1, 2)]
    title = "95 % intervals of the coefficients on the original and on the release"
    caption = (
        "95 % intervals: the original grey, the release blue, in standard errors from the original's "
        "estimate. An arrow points at what lies beyond; a coefficient without blue is lost."
    )
    yield draw_intervals(rows, title, ticks), caption


def intervals_of(row: Coefficient) -> IntervalRow:
    """Return the two intervals of a coefficient, with their overlap."""

    def errors(low: float, value: float, high: float) -> Ends:
        return Ends(*((end - row.before) / row.before_error for end in (low, value, high)))

    before = errors(row.before_low, row.before, row.before_high)
    if row.after is None:
        return IntervalRow(row.term, before, None, "lost")
    low, high = (math.nan if end is None else end for end in (row.after_low, row.after_high))
    after = None if math.isnan(low) else errors(low, row.after, high)
    return IntervalRow(row.term, before, after, f"{row.overlap:.2f}")


def draw_accuracies(result: Result) -> Iterator[Drawn]:
    """Draw the accuracy of each model, learned from the original and from the release."""
    rows = [before_and_after(row.model, row.before, row.after) for row in result.rows]
    title = "Accuracy on held-out records, learned from the original and from the release"
    caption = "Accuracy on held-out records: learned from the original grey, from the release blue."
    yield draw_bars(rows, title, most=1.0), caption


def draw_curves(result: Result) -> Iterator[Drawn]:
    """Draw the two survival curves of each group."""
    for curve in result.curves:
        yield draw_curve(curve), f"{curve.group}: the original grey, the release blue"


def draw_curve(curve: Curve) -> Markup:
    """Draw the share to whom the event has not happened, over time."""
    x, y = Axis.over(curve.times, LEFT, WIDTH - 6), Axis(0.0, 1.0, BOTTOM, 6)
    lines = [
        draw_steps(list(zip(curve.times, shares, strict=True)), x, y, colour, stroke_width=width)
        for shares, colour, width in ((curve.before, BEFORE, 4), (curve.after, AFTER, 2))
        if shares is not None
    ]
    title = f"{curve.group}: the share to whom the event has not happened, over time"
    return drawing(WIDTH, HEIGHT, title, *draw_axes(x, y), *lines)


DRAWN: dict[str, Callable[[Result], Iterator[Drawn]]] = {
    "linear": draw_coefficients,
    "logistic": draw_coefficients,
    "cox": draw_coefficients,
    "prediction": draw_accuracies,
    "survival": draw_curves,
}
"""What draws each kind of analysis that has pictures."""
