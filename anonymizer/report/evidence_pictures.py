"""Pictures of evidence as SVG: intervals of coefficients, survival curves, accuracies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from markupsafe import Markup

from anonymizer.analyses.overlap import Coefficient
from anonymizer.analyses.prediction import Accuracy
from anonymizer.analyses.result import Curve, Result
from anonymizer.report.chart import LINE, Axis
from anonymizer.report.page import share
from anonymizer.report.svg import AFTER, BEFORE, drawing, element, name_at

Drawn = tuple[Markup, str]
"""A picture and its caption."""
ROW, LABELS, PLOT = 24, 126, 196
FARTHEST = 6.0
"""Standard errors to either side that the picture of intervals has room for."""
WIDTH, HEIGHT, LEFT, BOTTOM = 270, 180, 34, 150


def pictures_of(result: Result) -> Iterator[Drawn]:
    """Draw what a kind of analysis has pictures for."""
    if result.analysis.kind in DRAWN:
        yield from DRAWN[result.analysis.kind](result)


def draw_intervals(result: Result) -> Iterator[Drawn]:
    """Draw the 95 % intervals of all coefficients, in standard errors of the original."""
    rows = [row for row in result.rows if row.before_error > 0]
    parts = [*scale(len(rows))]
    for number, row in enumerate(rows):
        parts += interval_row(row, number * ROW + 16)
    title = "95 % intervals of the coefficients on the original and on the release"
    caption = (
        "95 % intervals: the original grey, the release blue, in standard errors from the original's "
        "estimate. An arrow points at what lies beyond; a coefficient without blue is lost."
    )
    yield drawing(LABELS + PLOT + 44, len(rows) * ROW + 36, title, *parts), caption


def scale(rows: int) -> Iterator[Markup]:
    """Draw lines at whole standard errors."""
    end = rows * ROW + 14
    for errors in range(-6, 7, 2):
        x = place(float(errors))
        yield element("line", x1=x, x2=x, y1=8, y2=end, stroke=LINE)
        yield element("text", f"{errors:+d}" if errors else "0", x=x, y=end + 14,
                      text_anchor="middle", fill="currentColor")  # fmt: skip


def place(errors: float) -> float:
    """Return where so many standard errors stand."""
    inside = max(-FARTHEST, min(FARTHEST, errors))
    return round(LABELS + PLOT * (inside + FARTHEST) / (2 * FARTHEST), 1)


def interval_row(row: Coefficient, top: float) -> Iterator[Markup]:
    """Draw the two intervals of a coefficient, with their overlap."""
    yield name_at(LABELS - 6, top + 4, row.term)
    yield from interval((row.before_low, row.before, row.before_high), row, top - 4, BEFORE)
    if row.after is not None and row.after_low is not None and row.after_high is not None:
        yield from interval((row.after_low, row.after, row.after_high), row, top + 4, AFTER)
    overlap = "lost" if row.after is None else f"{row.overlap:.2f}"
    yield element("text", overlap, x=LABELS + PLOT + 8, y=top + 4, fill="currentColor")


def interval(
    ends: tuple[float, float, float], row: Coefficient, y: float, colour: str
) -> Iterator[Markup]:
    """Draw an interval with its estimate; arrows where it goes beyond the picture."""
    low, middle, high = ((end - row.before) / row.before_error for end in ends)
    yield element("line", x1=place(low), x2=place(high), y1=y, y2=y, stroke=colour, stroke_width=3)
    if -FARTHEST <= middle <= FARTHEST:
        yield element("circle", cx=place(middle), cy=y, r=3.5, fill=colour)
    for beyond, at, sign in ((low < -FARTHEST, -FARTHEST, -1), (high > FARTHEST, FARTHEST, 1)):
        if beyond:
            x = place(at)
            tip = f"{x},{y - 4} {x + 6 * sign},{y} {x},{y + 4}"
            yield element("polygon", points=tip, fill=colour)


def draw_accuracies(result: Result) -> Iterator[Drawn]:
    """Draw the accuracy of each model, learned from the original and from the release."""
    parts: list[Markup] = []
    for number, row in enumerate(result.rows):
        parts += accuracy_row(row, number * 34 + 4)
    title = "Accuracy on held-out records, learned from the original and from the release"
    caption = "Accuracy on held-out records: learned from the original grey, from the release blue."
    yield drawing(LABELS + PLOT + 64, len(result.rows) * 34 + 6, title, *parts), caption


def accuracy_row(row: Accuracy, top: float) -> Iterator[Markup]:
    """Draw two bars of a model."""
    yield name_at(LABELS - 6, top + 18, row.model)
    for value, colour, y in ((row.before, BEFORE, top), (row.after, AFTER, top + 14)):
        if value is None:
            continue
        width = round(PLOT * value, 1)
        yield element("rect", x=LABELS, y=y, width=width, height=12, fill=colour)
        yield element("text", share(value), x=LABELS + width + 6, y=y + 10, fill="currentColor")


def draw_curves(result: Result) -> Iterator[Drawn]:
    """Draw the two survival curves of each group."""
    for curve in result.curves:
        yield draw_curve(curve), f"{curve.group}: the original grey, the release blue"


def draw_curve(curve: Curve) -> Markup:
    """Draw the share to whom the event has not happened, over time."""
    x = Axis.over(curve.times, LEFT, WIDTH - 6)
    y = Axis.over((0.0, 1.0), BOTTOM, 6)
    parts: list[Markup] = []
    for tick in y.ticks():
        parts += [
            element("line", x1=LEFT, x2=WIDTH - 6, y1=y.at(tick), y2=y.at(tick), stroke=LINE),
            element("text", f"{tick:g}", x=LEFT - 6, y=y.at(tick) + 4, text_anchor="end",
                    fill="currentColor"),
        ]  # fmt: skip
    for tick in x.ticks():
        parts.append(
            element("text", f"{tick:g}", x=x.at(tick), y=BOTTOM + 18, text_anchor="middle",
                    fill="currentColor")
        )  # fmt: skip
    sides = ((curve.before, BEFORE, 4), (curve.after, AFTER, 2))
    parts += [
        element("polyline", points=steps(curve.times, shares, x, y), fill="none", stroke=colour,
                stroke_width=width)
        for shares, colour, width in sides
        if shares is not None
    ]  # fmt: skip
    title = f"{curve.group}: the share to whom the event has not happened, over time"
    return drawing(WIDTH, HEIGHT, title, *parts)


def steps(times: Sequence[float], shares: Sequence[float], x: Axis, y: Axis) -> str:
    """Return the corners of a curve that falls in steps."""
    corners, last = [], shares[0]
    for time, value in zip(times, shares, strict=True):
        corners += [f"{x.at(time):.1f},{y.at(last):.1f}", f"{x.at(time):.1f},{y.at(value):.1f}"]
        last = value
    return " ".join(corners)


DRAWN: dict[str, Callable[[Result], Iterator[Drawn]]] = {
    "linear": draw_intervals,
    "logistic": draw_intervals,
    "cox": draw_intervals,
    "prediction": draw_accuracies,
    "survival": draw_curves,
}
"""What draws each kind of analysis that has pictures."""
