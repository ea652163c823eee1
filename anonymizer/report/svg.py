"""Pictures as SVG inside a page: no scripts, no fonts, nothing from elsewhere; all text is escaped."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup, escape

from anonymizer.comparison.comparison import ComparedColumn, ComparedPair
from anonymizer.report.page import share

BEFORE, AFTER = "#9aa5ae", "#2f6f8f"
"""Grey is the original, blue the release, in every picture."""
ROW, LABELS, BARS, FIGURES = 18, 130, 140, 120
"""Widths and heights, in pixels: a bin, its name, the longest bar, the shares beside it."""
STYLE = "max-width:100%;height:auto;font:11px system-ui,sans-serif"
"""How a picture looks on a page that knows nothing of it."""
LONGEST = 20
"""Longer names are cut; the whole one is shown when pointed at."""


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


def drawing(width: float, height: float, title: str, *content: str) -> Markup:
    """Make a picture of a size that shrinks with the page, with words for who cannot see it."""
    return element(
        "svg",
        element("title", title),
        *content,
        viewBox=f"0 0 {width:g} {height:g}",
        width=f"{width:g}",
        role="img",
        style=STYLE,
    )


def short(label: str, longest: int = LONGEST) -> str:
    """Cut a long name.

    >>> short("Professional degree or more")
    'Professional degree…'
    """
    return label if len(label) <= longest else label[: longest - 1].rstrip() + "…"


def name_at(x: float, y: float, label: str, anchor: str = "end", longest: int = LONGEST) -> Markup:
    """Write a name, cut if it is long."""
    shown = short(label, longest)
    whole = [element("title", label)] if shown != label else []
    return element("text", *whole, shown, x=x, y=y, text_anchor=anchor, fill="currentColor")


def draw_distribution(column: ComparedColumn) -> Markup:
    """Draw the share of each bin before and after, one bar below the other."""
    all_before = sum(part.before for part in column.bins) or 1
    all_after = sum(part.after for part in column.bins) or 1
    shares = [(part.before / all_before, part.after / all_after) for part in column.bins]
    longest = max((max(pair) for pair in shares), default=1) or 1
    parts: list[Markup] = []
    for number, (part, (before, after)) in enumerate(zip(column.bins, shares, strict=True)):
        top = number * ROW + 2
        bars = ((before, BEFORE, top), (after, AFTER, top + 7))
        parts.append(name_at(LABELS - 6, top + 11, part.label))
        parts += [
            element(
                "rect", x=LABELS, y=y, width=f"{BARS * value / longest:.1f}", height=6, fill=fill
            )
            for value, fill, y in bars
        ]
        text = f"{share(before)} → {share(after)}"
        parts.append(
            element(
                "text", text, x=LABELS + BARS + 6, y=top + 11, fill="currentColor", font_size=10
            )
        )
    title = f"{column.name}: the share of the records with each value, before and after"
    return drawing(LABELS + BARS + FIGURES + 6, len(shares) * ROW + 4, title, *parts)


def draw_associations(pairs: Sequence[ComparedPair]) -> Markup:
    """Draw a square for every two columns: above the diagonal the association before, below it after."""
    names = list(dict.fromkeys(name for pair in pairs for name in (pair.one, pair.other)))
    place = {name: number for number, name in enumerate(names)}
    side, left, top = 24, 136, 8
    squares = []
    for pair in pairs:
        low, high = sorted((place[pair.one], place[pair.other]))
        for column, row, value, when, fill in (
            (high, low, pair.before, "before", BEFORE),
            (low, high, pair.after, "after", AFTER),
        ):
            words = f"{pair.one} and {pair.other}: {value:.2f} {when}"
            squares.append(
                element(
                    "g",
                    element("title", words),
                    element(
                        "rect", x=left + column * side, y=top + row * side, width=side - 2,
                        height=side - 2, fill=fill, fill_opacity=f"{max(value, 0.04):.2f}",
                    ),
                    element(
                        "text", f"{value:.1f}"[1:] if value < 0.95 else "1",
                        x=left + column * side + side / 2 - 1, y=top + row * side + 15,
                        text_anchor="middle", fill="white" if value > 0.6 else "currentColor",
                        font_size=9,
                    ),
                )
            )  # fmt: skip
    labels = [name_at(left - 8, top + number * side + 15, name) for name, number in place.items()]
    below = top + len(names) * side + 14
    legend = [
        element("text", "above the diagonal: before,", x=left, y=below, fill="currentColor"),
        element("text", "below: after (0 none, 1 complete)", x=left, y=below + 14,
                fill="currentColor"),
    ]  # fmt: skip
    width = left + max(len(names) * side, 260)
    title = "How strongly every two columns are associated, before and after"
    return drawing(width, below + 20, title, *squares, *labels, *legend)
