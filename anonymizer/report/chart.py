"""Charts as SVG inside a page, of five marks: bars, lines, points, intervals and squares.

They need no scripts, no fonts and nothing from elsewhere; all text is escaped.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from anonymizer.comparison.comparison import ComparedColumn, ComparedPair
from anonymizer.errors import percent

GOOD, BAD, QUIET = "#2f6f8f", "#b5483a", "#9aa5ae"
"""The colours of all pictures and pages: what is safe, what is not, and what is beside the point."""
BEFORE, AFTER, LINE = QUIET, GOOD, "#d5dbe0"
"""Grey is the original, blue the release, in every picture; lines behind them are light."""
COLOURS = (GOOD, BAD, "#5b8c3a", "#7a5c99", "#c28a2c")
"""One for each line or curve."""
ROW, LABELS, BARS, WORDS = 18, 136, 140, 120
"""Widths and heights, in pixels: a row, its name, the longest bar, what is written beside it."""
STYLE = "max-width:100%;height:auto;font:11px system-ui,sans-serif"
"""How a picture looks on a page that knows nothing of it."""
LONGEST = 20
"""Longer names are cut; the whole one is shown when pointed at."""
LETTER = 6.2
"""About so wide is a letter, in pixels."""


def element(name: str, *content: str, **attributes: object) -> Markup:
    """Make an element; texts are escaped, and `_` in the name of an attribute is written `-`.

    >>> str(element("text", "<b>", text_anchor="end"))
    '<text text-anchor="end">&lt;b&gt;</text>'
    """
    given = Markup("").join(
        Markup(' {}="{}"').format(key.rstrip("_").replace("_", "-"), value)
        for key, value in attributes.items()
    )
    inside = Markup("").join(escape(part) for part in content)
    return Markup("<{0}{1}>{2}</{0}>").format(Markup(name), given, inside)


class Drawing(Markup):
    """A picture that knows its title, its size, and what is in it."""

    heading: str
    size: tuple[float, float]
    content: Markup


def drawing(width: float, height: float, title: str, *content: str) -> Drawing:
    """Make a picture of a size that shrinks with the page, with words for who cannot see it."""
    inside = Markup("").join((element("title", title), *content))
    box = f"0 0 {width:g} {height:g}"
    made = Drawing(element("svg", inside, viewBox=box, width=f"{width:g}", role="img", style=STYLE))
    made.heading, made.size, made.content = title, (width, height), inside
    return made


def stacked(title: str, pictures: Sequence[Drawing]) -> Drawing:
    """Put pictures below each other, each with its title above it."""
    parts, top = [], 0.0
    for picture in pictures:
        parts.append(words(4, top + 14, picture.heading, font_weight="bold"))
        parts.append(element("g", picture.content, transform=f"translate(0 {top + ROW + 4:g})"))
        top += picture.size[1] + 2 * ROW
    width = max(picture.size[0] for picture in pictures)
    return drawing(width, top - ROW, title, *parts)


def standing_alone(picture: Markup) -> str:
    """Return a picture as the content of a file of its own."""
    named = str(picture).replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
    return named.replace('style="', 'style="background:white;', 1)  # it may be shown on black


def words(x: float, y: float, *content: str, anchor: str = "start", **more: object) -> Markup:
    """Write a text."""
    return element("text", *content, x=x, y=y, text_anchor=anchor, fill="currentColor", **more)


def rule(x1: float, y1: float, x2: float, y2: float, stroke: str = LINE, **more: object) -> Markup:
    """Draw a straight line."""
    return element("line", x1=x1, x2=x2, y1=y1, y2=y2, stroke=stroke, **more)


def short(label: str, longest: int = LONGEST) -> str:
    """Cut a long name.

    >>> short("Professional degree or more")
    'Professional degree…'
    """
    return label if len(label) <= longest else label[: longest - 1].rstrip() + "…"


def name_at(x: float, y: float, label: str, longest: int = LONGEST) -> Markup:
    """Write a name that ends there, cut if it is long."""
    shown = short(label, longest)
    whole = [element("title", label)] if shown != label else []
    return words(x, y, *whole, shown, anchor="end")


# --- bars


@dataclass(frozen=True, slots=True)
class BarRow:
    """A row of a picture: its name, a bar for each value, and what is written beside them."""

    name: str
    values: tuple[float, ...]
    words: str
    colours: tuple[str, ...] = (AFTER,)


def draw_bars(
    rows: Sequence[BarRow],
    title: str,
    most: float | None = None,
    names: int = LONGEST,
    width: float = BARS,
) -> Drawing:
    """Draw rows of bars, of which the longest, or `most`, fills the width."""
    full = most or max((value for row in rows for value in row.values), default=0) or 1
    left = max(LABELS, names * LETTER)
    parts: list[Markup] = []
    for number, row in enumerate(rows):
        top, height = number * ROW + 2, 13 / len(row.values)
        parts.append(name_at(left - 6, top + 11, row.name, names))
        parts += [
            element(
                "rect", x=left, y=top + at * height, width=f"{width * value / full:.1f}",
                height=f"{height - (len(row.values) > 1):g}", fill=colour,
            )
            for at, (value, colour) in enumerate(zip(row.values, row.colours, strict=True))
        ]  # fmt: skip
        end = left + width * max(row.values) / full if len(row.values) == 1 else left + width
        parts.append(words(end + 6, top + 11, row.words, font_size=10))
    return drawing(left + width + WORDS + 6, len(rows) * ROW + 4, title, *parts)


def draw_shares(bars: Sequence[tuple[str, float]], title: str) -> Drawing:
    """Draw shares as bars, the longest of which fills the width."""
    rows = [BarRow(name, (value,), percent(value)) for name, value in bars]
    return draw_bars(rows, title, width=2 * BARS)


def before_and_after(name: str, before: float, after: float | None) -> BarRow:
    """Set two shares side by side; the second is missing where there is none."""
    if after is None:
        return BarRow(name, (before,), percent(before), (BEFORE,))
    return BarRow(name, (before, after), f"{percent(before)} → {percent(after)}", (BEFORE, AFTER))


def draw_distribution(column: ComparedColumn) -> Drawing:
    """Draw the share of each bin before and after, one bar below the other."""
    frequencies = [part.frequencies for part in column.bins]
    all_before = sum(before for before, _ in frequencies) or 1
    all_after = sum(after for _, after in frequencies) or 1
    rows = [
        before_and_after(part.label, before / all_before, after / all_after)
        for part, (before, after) in zip(column.bins, frequencies, strict=True)
    ]
    title = f"{column.name}: the share of the records with each value, before and after"
    return draw_bars(rows, title)


# --- axes, lines and points


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
        place = self.start + (self.end - self.start) * (0.04 + 0.92 * (here - low) / (high - low))
        return round(place, 1)

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
    steps = (1, 2, 5) if len(powers) <= 4 else (1,)
    found = [float(f"{step}e{power}") for power in powers for step in steps]
    return [tick for tick in found if low * 0.999 <= tick <= high * 1.001]


def even_ticks(low: float, high: float) -> list[float]:
    """Return some five multiples of a round step in a range."""
    rough = (high - low) / 5
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * unit for factor in (1, 2, 5, 10) if factor * unit >= rough * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{number * step:.10g}") for number in range(first, last + 1)]


def draw_axes(x: Axis, y: Axis, across: str = "", upwards: str = "") -> Iterator[Markup]:
    """Draw the lines and labels of two axes, whose picture starts at 0 and has y upwards."""
    for tick in y.ticks():
        yield rule(x.start, y.at(tick), x.end, y.at(tick))
        yield words(x.start - 6, y.at(tick) + 4, f"{tick:g}", anchor="end")
    for tick in x.ticks():
        yield rule(x.at(tick), y.end, x.at(tick), y.start)
        yield words(x.at(tick), y.start + 16, f"{tick:g}", anchor="middle", class_="tick")
    if across:
        scale = " (logarithmic)" if x.logarithmic else ""
        middle = (x.start + x.end) / 2
        yield words(middle, y.start + 36, across + scale, anchor="middle")
    if upwards:
        middle = (y.start + y.end) / 2
        turned = f"rotate(-90 14 {middle:g})"
        yield words(14, middle, upwards, anchor="middle", transform=turned)


def draw_steps(
    points: Sequence[tuple[float, float]], x: Axis, y: Axis, colour: str, **more: object
) -> Markup:
    """Draw a line that goes along first, then up or down."""
    corners, last = [], points[0][1]
    for here, value in points:
        corners += [f"{x.at(here):.1f},{y.at(last):.1f}", f"{x.at(here):.1f},{y.at(value):.1f}"]
        last = value
    return element("polyline", points=" ".join(corners), fill="none", stroke=colour, **more)


def draw_point(
    x: float, y: float, colour: str, says: str, hollow: bool = False, **more: object
) -> Markup:
    """Draw a point that says what it is when pointed at."""
    kind, fill = ("point hollow", "white") if hollow else ("point", colour)
    place = {"cx": f"{x:.1f}", "cy": f"{y:.1f}", "r": 4, "stroke": colour, "fill": fill}
    return element("circle", element("title", says), **place, class_=kind, **more)


def draw_legend(names: Sequence[tuple[str, str]], x: float, y: float) -> Iterator[Markup]:
    """Name each colour, one below the other."""
    for number, (name, colour) in enumerate(names):
        yield element("rect", x=x, y=y + number * ROW, width=10, height=10, fill=colour)
        yield words(x + 16, y + number * ROW + 9, name)


# --- intervals


@dataclass(frozen=True, slots=True)
class Ends:
    """An interval: where it starts, its estimate (NaN: none) and where it ends."""

    low: float
    value: float
    high: float


@dataclass(frozen=True, slots=True)
class IntervalRow:
    """A row of a picture: its name, an interval before and after, and what is written beside them."""

    name: str
    before: Ends
    after: Ends | None
    words: str = ""


def draw_intervals(
    rows: Sequence[IntervalRow],
    title: str,
    ticks: Sequence[tuple[float, str]],
    names: int = LONGEST,
) -> Drawing:
    """Draw the intervals of each row between the first and the last tick; arrows point beyond."""
    left, line = max(LABELS, names * LETTER), 24
    x = Axis(ticks[0][0], ticks[-1][0], left, left + 2 * BARS)
    bottom = len(rows) * line + 14
    parts: list[Markup] = []
    for value, label in ticks:
        parts.append(rule(x.at(value), 8, x.at(value), bottom))
        parts.append(words(x.at(value), bottom + 14, label, anchor="middle"))
    for number, row in enumerate(rows):
        y = number * line + 16
        parts.append(name_at(left - 6, y + 4, row.name, names))
        parts += draw_interval(row.before, x, y - 4, BEFORE)
        if row.after is not None:
            parts += draw_interval(row.after, x, y + 4, AFTER)
        parts.append(words(x.end + 8, y + 4, row.words))
    return drawing(x.end + 44, bottom + 22, title, *parts)


def draw_interval(ends: Ends, x: Axis, y: float, colour: str) -> Iterator[Markup]:
    """Draw an interval as a line with its estimate as a dot."""
    low, high = (min(max(end, x.low), x.high) for end in (ends.low, ends.high))
    yield rule(x.at(low), y, x.at(high), y, colour, stroke_width=3)
    if x.low <= ends.value <= x.high:
        yield element("circle", cx=x.at(ends.value), cy=y, r=3.5, fill=colour)
    for beyond, end, sign in ((ends.low < x.low, x.low, -1), (ends.high > x.high, x.high, 1)):
        if beyond:
            tip = x.at(end)
            corners = f"{tip},{y - 4} {tip + 6 * sign},{y} {tip},{y + 4}"
            yield element("polygon", points=corners, fill=colour)


# --- squares


def draw_associations(pairs: Sequence[ComparedPair]) -> Drawing:
    """Draw a square for every two columns: above the diagonal the association before, below it after."""
    names = list(dict.fromkeys(name for pair in pairs for name in (pair.one, pair.other)))
    place = {name: number for number, name in enumerate(names)}
    side, top = 24, 8
    squares = []
    for pair in pairs:
        low, high = sorted((place[pair.one], place[pair.other]))
        for column, row, value, when, fill in (
            (high, low, pair.before, "before", BEFORE),
            (low, high, pair.after, "after", AFTER),
        ):
            says = f"{pair.one} and {pair.other}: {value:.2f} {when}"
            x, y = LABELS + column * side, top + row * side
            squares.append(draw_square(x, y, side, value, fill, says))
    labels = [name_at(LABELS - 8, top + n * side + 15, name) for name, n in place.items()]
    below = top + len(names) * side + 14
    legend = (
        words(LABELS, below, "above the diagonal: before,"),
        words(LABELS, below + 14, "below: after (0 none, 1 complete)"),
    )
    width = LABELS + max(len(names) * side, 260)
    title = "How strongly every two columns are associated, before and after"
    return drawing(width, below + 20, title, *squares, *labels, *legend)


def draw_square(x: float, y: float, side: int, value: float, fill: str, says: str) -> Markup:
    """Draw a square, the fuller the nearer its value is to 1."""
    size, middle = side - 2, x + side / 2 - 1
    ink = "white" if value > 0.6 else "currentColor"
    text = f"{value:.1f}"[1:] if value < 0.95 else "1"
    return element(
        "g",
        element("title", says),
        element(
            "rect", x=x, y=y, width=size, height=size, fill=fill,
            fill_opacity=f"{max(value, 0.04):.2f}",
        ),
        element("text", text, x=middle, y=y + 15, text_anchor="middle", fill=ink, font_size=9),
    )  # fmt: skip
