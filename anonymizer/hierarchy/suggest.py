"""Suggest: a first spec for a column, to be read and corrected by someone who knows the data."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from math import ceil
from typing import TYPE_CHECKING, Any, Literal

from anonymizer.data.column import Column
from anonymizer.hierarchy.codes import AsCode, SystemName
from anonymizer.hierarchy.dates import MOST_PERIODS, count_leaves
from anonymizer.hierarchy.hierarchy import MISSING, Hierarchy
from anonymizer.hierarchy.redaction import ALPHABETS, DIGITS, LETTERS
from anonymizer.hierarchy.round_numbers import MANY_GROUPS, propose_intervals
from anonymizer.hierarchy.values import NUMBER, AsDate, Reading, Unit
from anonymizer.validation import write_comment, write_texts, write_value

if TYPE_CHECKING:
    import pandas as pd

FEW_VALUES = 12
"""So many codes or fewer are categories."""
FEW_CATEGORIES = 4
"""So many categories or fewer are left to be grouped by hand."""
FEW_DIGITS = 5
"""Numbers of so many digits or fewer are listed in full."""
MOST_LISTED = 50_000
"""So many codes or fewer are listed; of more, the form is stated."""
SEPARATORS = "-."
"""What may stand between the characters of a code."""

_WHOLE = re.compile(r"-?[1-9]\d*|0")
_CODE = re.compile(r"(?=.*\d)[A-Za-z0-9.-]{3,10}|(?=.*\d)[A-Za-z0-9-]{3,12}")
_ZIP_NAME = re.compile(r"zip|post(al)?[ _-]?code|plz", re.IGNORECASE)

_ICD_NAME = re.compile(r"icd|diagnos|diag\b|\bdx|(?<=_)dx", re.IGNORECASE)
_ATC_NAME = re.compile(r"(?<![a-z])atc", re.IGNORECASE)
_ISCO_NAME = re.compile(r"isco(?![a-z])", re.IGNORECASE)
_NUTS_NAME = re.compile(r"nuts", re.IGNORECASE)
NEARLY_ALL = 0.95
"""At least this share of different values are codes where a column has codes."""
LEAST_CODES = 3
"""Fewer different codes of a classification are categories."""

Counts = Mapping[str, int]
"""How many cells have each value."""


def suggest(column: pd.Series[Any]) -> str:
    """Propose a spec (TOML text) that covers every value of the column, and most that are to come.

    Cells are read as in a run: `34` and `34.0` are one number, a time counts as its day. Bounds are round
    numbers, never somebody's own value; the ends are open.

    >>> import pandas as pd
    >>> print(suggest(pd.Series(range(17, 91), name="age")))
    # Column 'age': 74 whole numbers.
    # The domain counts for the loss; beyond an open end, the first or last interval goes on.
    builder = "intervals"
    domain = [15, 94]
    widths = [5, 10, 20]
    open = "both"
    <BLANKLINE>
    """
    # pandas takes longer to import than all of this package's own modules
    from anonymizer.data.pandas import FrameTable
    from anonymizer.data.table import read_columns

    name = str(column.name)
    return suggest_for(name, read_columns(FrameTable(column.to_frame(name)), [name])[name])


def suggest_for(name: str, column: Column) -> str:
    """Propose a spec for a column of a table."""
    name = write_comment(name)
    counts = dict(zip(column.texts, column.counts.tolist(), strict=True))
    missing = counts.pop(MISSING, 0)
    lines = _nothing(name) if not counts else _propose(name, counts)
    if missing and counts:
        lines.append('missing = "top"  # or the name of a group of level 1')
    return "\n".join(lines) + "\n"


def _propose(name: str, counts: Counts) -> list[str]:
    proposals: tuple[Callable[[str, Counts], list[str] | None], ...]
    proposals = (_dates, _classified, _codes, _numbers)
    for propose in proposals:
        if lines := propose(name, counts):
            return lines
    return _categories(name, counts)


def read_all(counts: Counts, reading: Reading) -> dict[str, int] | None:
    """Count the cells of each value; None if a cell has none. Blank cells are left out."""
    values: dict[str, int] = {}
    for text, times in counts.items():
        value = reading.read(text)
        if value is None:
            return None
        if value != MISSING:
            values[value] = values.get(value, 0) + times
    return values or None


def kind_of_texts(hierarchy: Hierarchy) -> Literal["number", "date"] | None:
    """Return what the many texts of a hierarchy with one flat step are; None where that is a fair choice.

    >>> days = [(f"2024-01-{day}", "*") for day in range(10, 32)]
    >>> kind_of_texts(Hierarchy.from_rows("admitted", days))
    'date'
    """
    flat = hierarchy.height == 2 and hierarchy.size > MANY_GROUPS
    if not flat or hierarchy.reading.kind != "text":
        return None
    counts = {leaf: 1 for leaf in hierarchy.leaves if leaf != MISSING}
    if read_all(counts, NUMBER):
        return "number"
    return "date" if _dates("", counts) else None


def _nothing(name: str) -> list[str]:
    return [
        f"# Column '{name}': no cell has a value, so there is nothing to group.",
        'builder = "mapping"',
        'values = [""]',
    ]


TIMES = ("", " %H:%M", " %H:%M:%S", " %H:%M:%S.%f")
DAY_FIRST, MONTH_FIRST = "%d/%m/%Y", "%m/%d/%Y"
FORMATS = ("%d.%m.%Y", "%d-%m-%Y", MONTH_FIRST, DAY_FIRST)
"""Formats of dates beside ISO's, without the time of day."""
PERIODS: tuple[Unit, ...] = ("day", "month", "quarter", "year", "decade")


def _dates(name: str, counts: Counts) -> list[str] | None:
    if read_all(counts, AsDate()):
        return _date_lines(name, counts, AsDate(), PERIODS)
    if read_all(counts, AsDate(unit="month")):
        return _date_lines(name, counts, AsDate(unit="month"), PERIODS[1:])
    fitting = [
        form for form in FORMATS if read_all(counts, AsDate(tuple(form + time for time in TIMES)))
    ]
    if not fitting:
        return None
    formats = tuple(
        form
        for form in (fitting[0] + time for time in TIMES)
        if any(AsDate((form,)).moment(text.strip()) for text in counts)
    )
    if len(fitting) == 1:
        return _date_lines(name, counts, AsDate(formats), PERIODS)
    return _date_lines(name, counts, AsDate(formats, "year"), PERIODS[3:])


def _date_lines(name: str, counts: Counts, reading: AsDate, levels: Sequence[Unit]) -> list[str]:
    years = sorted(value[:4] for value in read_all(counts, reading) or ())
    lines = [f"# Column '{name}': dates. Whole years are covered; the ends are open."]
    span = date(int(years[0]), 1, 1), date(int(years[-1]), 12, 31)
    if count_leaves(*span, levels[0]) > MOST_PERIODS:
        lines.append("# There are too many days for a list; shorten the span, then put day first.")
        levels = levels[1:]
    if reading.unit == "year":
        lines += [
            "# Day and month cannot be told apart: every cell can be read as month/day and as day/month.",
            "# Years are right in either case. Set `format`, then put day, month, quarter before year.",
        ]
    elif any(":" in text for text in counts):
        lines.append('# Times count as their day; put "hour" first to tell hours apart.')
    if reading.formats:
        lines.append(f"format = {write_texts(reading.formats)}")
    return [
        *lines,
        'builder = "dates"',
        f"from = {years[0]}-01-01",
        f"to = {years[-1]}-12-31",
        f"periods = {write_texts(levels)}",
        'open = "both"',
    ]


def _classified(name: str, counts: Counts) -> list[str] | None:
    system = system_in(name, list(counts))
    if system is None:
        return None
    reading = AsCode(system)
    codes = sorted({code for code in map(reading.read, counts) if code})
    others = [value for value in counts if reading.read(value) is None]
    lines = [
        f"# Column '{name}': {len(codes):,} {TITLES[system]} codes. Each level is a larger group.",
        "# The codes of the table count for the loss; others are covered too. To show what the groups",
        '# mean, name a table of codes and labels with `labels = "FILE.csv"`.',
        'builder = "codes"',
        f'system = "{system}"',
    ]
    if system == "postal":
        lines.append(f"prefixes = {_prefixes(codes)}")
    lines += [f"values = {write_texts(codes)}", "unlisted = true"]
    return [*lines, f"others = {write_texts(sorted(others))}"] if others else lines


def system_in(name: str, values: Sequence[str]) -> SystemName | None:
    """Return the classification whose codes nearly all values of a column are; None where there is none.

    ICD-10, ATC and NUTS are known by their form, and in doubt by the name of the column too; the others
    are not known without it.

    >>> system_in("x", ["E11.9", "I10", "J45.0"]), system_in("x", ["A12", "B07", "C11"])
    ('icd-10', None)
    >>> system_in("postcode", ["SW1A 1AA", "M1 1AE", "EH1 2NG"]), system_in("ISCO", ["110", "2211", "51"])
    ('postal', 'isco-08')
    """
    for system, (named, form) in SIGNS.items():
        codes = [value for value in values if AsCode(system).read(value)]
        if len(codes) < max(LEAST_CODES, NEARLY_ALL * len(values)):
            continue
        typical = sum(form.search(code) is not None for code in codes)
        if named.search(name) or 2 * typical >= len(codes):
            return system
    lengths = set(map(len, values))
    postal = _ZIP_NAME.search(name) and len(lengths) > 1 and all(map(_POSTAL.fullmatch, values))
    return "postal" if postal and len(values) >= LEAST_CODES else None


_POSTAL = re.compile(r"(?=.*\d)(?!\d+(\.\d*)?$)[A-Za-z\d]+(?:[ -][A-Za-z\d]+)*")
"""Postal codes that are not numbers: of those, zeros may be lost."""
TITLES: dict[SystemName, str] = {
    "icd-10": "ICD-10",
    "atc": "ATC",
    "isco-08": "ISCO-08",
    "nuts": "NUTS",
    "postal": "postal",
}
SIGNS: dict[SystemName, tuple[re.Pattern[str], re.Pattern[str]]] = {
    "icd-10": (_ICD_NAME, re.compile(r"\.[0-9A-Z]")),
    "atc": (_ATC_NAME, re.compile(r"^[A-Z]\d\d[A-Z]{2}\d\d$")),
    "nuts": (_NUTS_NAME, re.compile(r"^[A-Z]{2,}\d")),
    "isco-08": (_ISCO_NAME, re.compile(r"(?!)")),
}
"""For each classification, names of columns, and how half of its codes look where no name tells it."""


def _prefixes(codes: Sequence[str]) -> list[int]:
    """Choose how many characters are kept at each level, so that each merges some codes and not all.

    Of codes with two halves, the first one is kept at most.

    >>> _prefixes(["EH1 2NG", "EH1 2AB", "EC1A 1AA", "SW1A 1AA"]), _prefixes(["00-950", "00-951"])
    ([4, 1], [1])
    """
    counts, before = [], len(codes)
    halves = [code.partition(" ")[0] if " " in code else code[:-1] for code in codes]
    for kept in range(max(map(len, halves)), 0, -1):
        groups = len({code[:kept].rstrip() for code in codes})
        if 1 < groups < before:
            counts.append(kept)
            before = groups
    return counts or [1]


def _codes(name: str, counts: Counts) -> list[str] | None:
    values = list(counts)
    alike = len(set(map(len, values))) == 1 and all(map(_CODE.fullmatch, values))
    postal = _ZIP_NAME.search(name) is not None
    if not alike or (len(values) <= FEW_VALUES and not postal):
        return None
    if all(map(_WHOLE.fullmatch, values)) and not postal:
        return None
    if any("." in value for value in values) and read_all(counts, NUMBER):
        return None
    length = len(values[0])
    lines = [f"# Column '{name}': codes of {length} characters."]
    if len(values) > MOST_LISTED:
        return [
            *lines,
            "# All codes of this form count for the loss, whether or not they exist: the table has too",
            "# many to list them. Each level hides one character more from the right.",
            'builder = "redaction"',
            *_form(length, set("".join(values))),
        ]
    return [
        *lines,
        "# Each level hides more characters from the right. The codes of the table count for the loss;",
        "# list all codes that exist if you know them. Others of the same form are covered too.",
        'builder = "redaction"',
        f"redact = {_hidden(values)}",
        f"values = {write_texts(sorted(values))}",
        "unlisted = true",
    ]


def _hidden(codes: Sequence[str]) -> list[int]:
    """Choose how many characters are hidden at each level, so that each merges some codes and not all.

    >>> _hidden(["00101", "00102", "00211", "00305", "01999"])
    [1, 3]
    """
    counts, before = [], len(codes)
    for hidden in range(1, len(codes[0])):
        groups = len({code[:-hidden] for code in codes})
        if 1 < groups < before:
            counts.append(hidden)
            before = groups
    return counts or [1]


def _form(length: int, used: set[str]) -> list[str]:
    """State the length of codes and the smallest alphabet that has all characters in use.

    >>> _form(4, set("A1"))
    ['length = 4', 'alphabet = "alphanumeric"']
    >>> _form(3, set("a-1"))
    ['length = 3', 'alphabet = "0123456789abcdefghijklmnopqrstuvwxyz-"']
    """
    if used <= set(DIGITS) and length <= FEW_DIGITS:
        return [f"digits = {length}"]
    for alphabet, characters in ALPHABETS.items():
        if used <= set(characters):
            return [f"length = {length}", f'alphabet = "{alphabet}"']
    kinds = (DIGITS, LETTERS, LETTERS.lower(), *SEPARATORS)
    characters = "".join(kind for kind in kinds if used & set(kind))
    return [f"length = {length}", f'alphabet = "{characters}"']


def _numbers(name: str, counts: Counts) -> list[str] | None:
    values = read_all(counts, NUMBER)
    return None if values is None else propose_intervals(name, values)


def _categories(name: str, counts: Counts) -> list[str]:
    ordered = sorted(counts)
    example = write_value(ordered[:2])
    alone = len(counts) > FEW_VALUES and max(counts.values()) == 1
    lines = [f"# Column '{name}': {len(counts):,} categories."]
    if alone:
        lines.append("# Every cell differs: is this column a direct identifier?")
    if alone or len(counts) <= FEW_CATEGORIES:
        return [
            *lines,
            "# One flat step: each is kept or goes to the top. To merge some, write groups in place",
            "# of the last lines:",
            "#   [groups]",
            f'#   "name of the group" = {example}',
            'builder = "mapping"',
            f"values = {write_texts(ordered)}",
            "unlisted = true",
        ]
    frequent = sorted(ordered, key=lambda value: -counts[value])
    return [
        *lines,
        "# From frequent to rare: at each level fewer stay themselves, the rest is one group.",
        '# To merge by meaning instead, write builder = "mapping", and groups for `values`:',
        "#   [groups]",
        f'#   "name of the group" = {example}',
        'builder = "priority"',
        f"values = {write_texts(frequent)}",
        f"keep = {_kept(len(counts))}",
        "unlisted = true",
    ]


def _kept(count: int) -> list[int]:
    """Choose how many categories stay at each level.

    >>> _kept(5), _kept(100)
    ([3, 1], [20, 10, 5, 2])
    """
    kept = [min(20, ceil(count / 2))]
    while kept[-1] > 2:
        kept.append(kept[-1] // 2)
    return kept
