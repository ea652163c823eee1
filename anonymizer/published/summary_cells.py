"""Reading medians, quartiles and means as they are printed: `62.5 (53-72.5)`, `54.2 ± 10.1`, `1:50`.

What the figures are is said by the row's name, or by its heading: median or mean, then IQR, range or SD.
Without such words a figure with an interval is read as a median with its quartiles, one with ± as a mean
with its standard deviation. `n = 3` in a cell says of how many people it is; else it is of the arm.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from anonymizer.published.summaries import RANGE, Statistic, Summary, SummaryCell
from anonymizer.published.table import Arms

MEDIAN = re.compile(r"\bmedian", re.IGNORECASE)
MEAN = re.compile(r"\b(?:mean|average)\b", re.IGNORECASE)
SPREAD = re.compile(
    r"\b(?:IQR|interquartile|quartiles?|range|SD|s\.d\.|standard dev)|±", re.IGNORECASE
)
EXTREMES = re.compile(r"(?<!interquartile )\brange\b|\bmin\b", re.IGNORECASE)
UNUSED = re.compile(r"\b(?:CI|SE|SEM|confidence|standard error)\b")
"""What an interval or a bracket may be that says nothing of single people."""
COUNTS = re.compile(r"\b(?:no\.?|n|number)\s*\(\s*%\s*\)", re.IGNORECASE)
ABSENT = re.compile(r"[-\u2013\u2014]?|n/?a|n\.a\.|nr|nd", re.IGNORECASE)

FIGURE = r"[-\u2212+]?(?:1[:/])?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
TO = r"\s*(?:-|\u2013|\u2014|\u2212|to|,|;)\s*"
CELL = re.compile(
    rf"(?P<main>{FIGURE})"
    rf"(?:\s*[(\[]\s*(?P<low>{FIGURE}){TO}(?P<high>{FIGURE})\s*[)\]]"
    rf"|\s*±\s*(?P<plus>{FIGURE})"
    rf"|\s*[(\[]\s*±?\s*(?P<bracket>{FIGURE})\s*[)\]])?"
    r"(?:\s*[,;]?\s*[(\[]?\s*[Nn]\s*=\s*(?P<people>[\d,]+)\s*[)\]]?)?"
)


def is_summary(name: str, heading: str, texts: Sequence[str], counts: bool) -> bool:
    """Say whether a row has figures of values; `counts`: all cells can be counts with their percentages.

    A name with a measure and its spread settles it. Otherwise what can be a count with its percentage is
    one, and what cannot is a figure if a word or the form says so.
    """
    if COUNTS.search(name):
        return False
    if measure_of(name) and SPREAD.search(name):
        return True
    if counts:
        return False
    return bool(measure_of(name) or measure_of(heading)) or has_form(texts)


def has_form(texts: Sequence[str]) -> bool:
    """Say whether all cells have an interval or a ±, which no count has."""
    found = [CELL.fullmatch(text) for text in texts if not ABSENT.fullmatch(text)]
    return bool(found) and all(each and (each["low"] or each["plus"]) for each in found)


def measure_of(text: str) -> str:
    """Find the measure that a name states: a median, a mean, or none."""
    return "median" if MEDIAN.search(text) else "mean" if MEAN.search(text) else ""


def read_summary(
    name: str, heading: str, texts: Sequence[str], arms: Arms
) -> tuple[Summary, list[str]]:
    """Read a row of figures, with a note on each cell that cannot be read; return what is wrong."""
    said = name if measure_of(name) else f"{name} {heading}"
    cells: list[SummaryCell | None] = []
    faults: list[str] = []
    notes: list[str] = []
    for arm, size, text in zip(arms.names, arms.sizes, texts, strict=True):
        cell = None if ABSENT.fullmatch(text) else read_cell(text, said, size)
        cells.append(cell)
        if cell is None and not ABSENT.fullmatch(text):
            notes.append(f"{text!r} in the {arm} arm is not a figure that can be read.")
        elif cell is not None:
            faults += [f"'{name}' {wrong} in the {arm} arm of {size}; fix the cell, or its name."
                       for wrong in wrong_figures(cell, size)]  # fmt: skip
    return Summary(name, tuple(cells), unread=tuple(notes)), faults


def read_cell(text: str, said: str, people: int) -> SummaryCell | None:
    """Read the figures of one arm; None if they cannot be read.

    >>> read_cell("62.5 (53-72.5)", "Median age (IQR)", 228).statistics["q3"].value
    Fraction(145, 2)
    """
    match = CELL.fullmatch(text)
    if match is None:
        return None
    form = "mean" if match["plus"] else "median"
    measure = measure_of(said) or form
    found = {measure: match["main"]}
    if UNUSED.search(said) is None:
        if match["low"]:
            ends = ("least", "most") if EXTREMES.search(said) else ("q1", "q3")
            found |= dict(zip(ends, (match["low"], match["high"]), strict=True))
        deviation = match["plus"] or match["bracket"]
        if measure == "mean" and deviation:
            found["sd"] = deviation
    stated = match["people"]
    people = people if stated is None else int(stated.replace(",", ""))
    return SummaryCell(text, people, {name: statistic(each) for name, each in found.items()})


def statistic(text: str) -> Statistic:
    """Read a figure with the unit of its last digit; a titre is the number that was diluted to.

    >>> statistic("1:1600"), statistic("62.5").unit
    (Statistic(value=Fraction(1600, 1), unit=Fraction(1, 1)), Fraction(1, 10))
    """
    plain = re.sub(r"^1[:/]", "", text.replace(",", "").replace("\u2212", "-"))
    return Statistic(Fraction(plain), Fraction(1, 10 ** len(plain.partition(".")[2])))


def wrong_figures(cell: SummaryCell, size: int) -> list[str]:
    """Say what figures cannot be: of more people than there are, or out of order."""
    wrong = []
    if not 1 <= cell.people <= size:
        wrong.append(f"is of {cell.people} people")
    placed = [cell.statistics[name].value for name in RANGE if name in cell.statistics]
    if placed != sorted(placed):
        wrong.append(f"has {cell.text!r}, which is out of order,")
    return wrong
