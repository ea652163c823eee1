"""Charts as SVG: quality over a threshold, and shares as bars."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from anonymizer.frontiers.frontier import Frontier
from anonymizer.frontiers.points import Point
from anonymizer.report.frontier import (
    COLOURS,
    curves_of,
    first_analysis,
    is_logarithmic,
    name_threshold,
)
from anonymizer.report.page import share
from anonymizer.report.svg import AFTER, ROW, drawing, element, name_at

WIDTH, HEIGHT = 560, 300
LEFT, RIGHT, TOP, BOTTOM = 60, 545, 10, 250
LINE = "#d5dbe0"


@dataclass(frozen=True, slots=True)
class Axis:
    """A range of numbers on a stretch of the picture, by size or by ratio."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False

    @staticmethod
    def over(values: Sequence[float], start: float, end: float, logarithmic: bool = False) -> Axis:
        """Return an axis that has room for all values."""
        low, high = min(values), max(values)
        if low == high:
            low, high = (low / 2, high * 2) if logarithmic else (low - 0.5, high + 0.5)
        return Axis(low, high, start, end, logarithmic)

    def at(self, value: float) -> float:
        """Return where a value stands, with a margin at both ends."""
        low, high, here = map(math.log if self.logarithmic else float, (self.low, self.high, value))
        return self.start + (self.end - self.start) * (0.04 + 0.92 * (here - low) / (high - low))

    def ticks(self) -> list[float]:
        """Return round numbers to label.

        >>> Axis(0.01, 0.5, 0, 1, logarithmic=True).ticks()
        [0.01, 0.02, 0.05, 0.1, 0.2, 0.5]
        >>> Axis(2, 50, 0, 1).ticks()
        [10.0, 20.0, 30.0, 40.0, 50.0]
        """
        return (
            log_ticks(self.low, self.high) if self.logarithmic else even_ticks(self.low, self.high)
        )


def log_ticks(low: float, high: float) -> list[float]:
    """Return 1, 2 and 5 times the powers of ten in a range, or the powers alone if these are many."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1, 2, 5) if len(powers) <= 5 else (1,)
    found = [float(f"{step}e{power}") for power in powers for step in steps]
    return [tick for tick in found if low * 0.999 <= tick <= high * 1.001]


def even_ticks(low: float, high: float) -> list[float]:
    """Return some five multiples of a round step in a range."""
    rough = (high - low) / 5
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * unit for factor in (1, 2, 5, 10) if factor * unit >= rough * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{number * step:.10g}") for number in range(first, last + 1)]


def draw_frontier(frontier: Frontier) -> Markup:
    """Draw quality over the threshold; open points are dominated by another."""
    curves = curves_of(frontier)
    points = [point for curve in curves.values() for point in curve]
    x = Axis.over([p.value for p in points], LEFT, RIGHT, is_logarithmic(frontier))
    analysis = first_analysis(frontier)
    worth = [value for p in points if (value := p.utility(analysis)) is not None]
    y = Axis.over(worth or [0.0], BOTTOM, TOP)
    colours = COLOURS * len(curves)
    drawn = [
        part
        for colour, curve in zip(colours, curves.values(), strict=False)
        for part in draw_curve(curve, x, y, colour, analysis)
    ]
    name = name_threshold(frontier)
    title = f"{(analysis or 'quality').capitalize()} over {name}"
    return drawing(WIDTH, HEIGHT, title, *draw_axes(x, y, name, analysis or "quality"), *drawn)


def draw_axes(x: Axis, y: Axis, name: str, utility: str) -> list[Markup]:
    """Draw the lines and labels of both axes."""
    parts = []
    for tick in y.ticks():
        parts += [
            element("line", x1=LEFT, x2=RIGHT, y1=y.at(tick), y2=y.at(tick), stroke=LINE),
            element("text", f"{tick:g}", x=LEFT - 6, y=y.at(tick) + 4, text_anchor="end",
                    fill="currentColor"),
        ]  # fmt: skip
    for tick in x.ticks():
        parts += [
            element("line", x1=x.at(tick), x2=x.at(tick), y1=TOP, y2=BOTTOM, stroke=LINE),
            element("text", f"{tick:g}", x=x.at(tick), y=BOTTOM + 16, text_anchor="middle",
                    fill="currentColor"),
        ]  # fmt: skip
    middle = (LEFT + RIGHT) / 2
    scale = " (logarithmic)" if x.logarithmic else ""
    words = element("text", name + scale, x=middle, y=BOTTOM + 36, text_anchor="middle",
                    fill="currentColor")  # fmt: skip
    side = element("text", utility, x=14, y=130, transform="rotate(-90 14 130)",
                   text_anchor="middle", fill="currentColor")  # fmt: skip
    return [*parts, words, side]


def draw_curve(
    points: Sequence[Point], x: Axis, y: Axis, colour: str, analysis: str | None
) -> list[Markup]:
    """Draw the points of a curve, each with what it is when pointed at."""
    return [
        element(
            "circle",
            element("title", f"{point.value:g}: quality {point.quality:.4f}, {point.verdict}"),
            cx=f"{x.at(point.value):.1f}", cy=f"{y.at(worth):.1f}", r=4, stroke=colour,
            fill="white" if point.dominated else colour,
        )
        for point in points
        if (worth := point.utility(analysis)) is not None
    ]  # fmt: skip


def draw_shares(bars: Sequence[tuple[str, float]], title: str) -> Markup:
    """Draw shares as bars, the longest of which fills the width."""
    left, width = 136, 260
    longest = max((value for _, value in bars), default=0) or 1
    parts: list[Markup] = []
    for number, (name, value) in enumerate(bars):
        top = number * ROW + 2
        length = width * value / longest
        parts += [
            name_at(left - 6, top + 11, name),
            element("rect", x=left, y=top, width=f"{length:.1f}", height=13, fill=AFTER),
            element("text", share(value), x=left + length + 6, y=top + 11, fill="currentColor"),
        ]
    return drawing(left + width + 76, len(bars) * ROW + 4, title, *parts)
