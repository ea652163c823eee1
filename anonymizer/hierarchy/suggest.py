"""Suggest: a first spec for a column, to be read and corrected by someone who knows the data."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from math import ceil
from typing import TYPE_CHECKING, Any

from anonymizer.errors import HierarchyError
from anonymizer.hierarchy.hierarchy import MISSING

if TYPE_CHECKING:
    import pandas as pd

FEW_VALUES = 12
"""So many numbers or fewer are listed one by one; intervals would mostly hold nothing."""
MANY_GROUPS = 20
"""The first level above the values should have about so many groups at most."""
MOST_NUMBERS = 1_000_000
"""A domain with more whole numbers than this would make a tree too large to be of use."""
EXACT = 2.0**53
"""Below this, a float that has no fraction stands for one whole number."""

_WHOLE = re.compile(r"-?[1-9]\d*|0")
_DECIMAL = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?")
_CODE = re.compile(r"(?=.*\d)[A-Za-z0-9-]{3,12}")
_ZIP_NAME = re.compile(r"zip|post(al)?[ _-]?code|plz", re.IGNORECASE)


def suggest(column: pd.Series[Any]) -> str:
    """Propose a spec (TOML text) that covers every value of the column, missing cells aside.

    Whole numbers stored as floats, as pandas does where cells are missing, count as 34, not 34.0.

    >>> import pandas as pd
    >>> print(suggest(pd.Series(range(17, 91), name="age")))
    # Column 'age': 74 whole numbers from 17 to 90.
    # The domain may well be larger than what this table has; all of it counts for the loss.
    builder = "intervals"
    domain = [15, 94]
    widths = [5, 10, 20]
    <BLANKLINE>
    """
    # a comment must not run on to a second line, whatever the column is called
    name = "".join(char if char.isprintable() else " " for char in str(column.name))
    values = distinct_texts(column)
    if not values:
        raise HierarchyError(f"column '{name}': no cell has a value; there is nothing to group.")
    proposals: tuple[Callable[[str, list[str]], str | None], ...]
    proposals = (_dates, _codes, _few_numbers, _intervals, _decimals)
    for propose in proposals:
        if spec := propose(name, values):
            return spec
    return _categories(name, values, alone=len(values) == int(column.count()))


def distinct_texts(column: pd.Series[Any]) -> list[str]:
    """List the values of a column as texts, in order of first appearance, missing cells aside.

    >>> import pandas as pd
    >>> distinct_texts(pd.Series([34.0, None, 35.0]))
    ['34', '35']
    """
    cells = column.dropna().drop_duplicates()
    if cells.dtype.kind == "f" and ((cells % 1 == 0) & (cells.abs() < EXACT)).all():
        cells = cells.astype("int64")
    elif cells.dtype.kind == "M" and (cells == cells.dt.normalize()).all():
        cells = cells.dt.strftime("%Y-%m-%d")
    return [text for text in dict.fromkeys(map(str, cells)) if text != MISSING]


def _dates(name: str, values: list[str]) -> str | None:
    for form, levels in (
        ("%Y-%m-%d", ("day", "month", "quarter", "year", "decade")),
        ("%Y-%m", ("month", "quarter", "year", "decade")),
    ):
        if all(_is_date(value, form) for value in values):
            first, last = min(values), max(values)
            return _lines(
                f"# Column '{name}': dates from {first} to {last}.",
                "# Whole years are covered; each level names a longer period.",
                'builder = "dates"',
                f"from = {first[:4]}-01-01",
                f"to = {last[:4]}-12-31",
                f"levels = {_array(levels)}",
            )
    return None


def _is_date(value: str, form: str) -> bool:
    whole = value if form == "%Y-%m-%d" else f"{value}-01"
    try:
        return date.fromisoformat(whole).strftime(form) == value
    except ValueError:
        return False


def _codes(name: str, values: list[str]) -> str | None:
    alike = len(set(map(len, values))) == 1 and all(map(_CODE.fullmatch, values))
    if not alike or len(values) <= FEW_VALUES:
        return None
    if all(map(_WHOLE.fullmatch, values)) and not _ZIP_NAME.search(name):
        return None
    digits = len(values[0])
    every = all(value.isdecimal() for value in values) and digits <= 5
    return _lines(
        f"# Column '{name}': {len(values):,} codes of {digits} characters.",
        '# Each level hides one character more from the right; side = "left" starts on the left.',
        'builder = "redaction"',
        f"digits = {digits}" if every else f"values = {_array(sorted(values))}",
    )


def _few_numbers(name: str, values: list[str]) -> str | None:
    if len(values) > FEW_VALUES and _span(values) <= MOST_NUMBERS:
        return None
    return _decimals(name, values) if all(map(_WHOLE.fullmatch, values)) else None


def _span(values: Iterable[str]) -> int:
    """Count the whole numbers from the lowest to the highest; 0 if some are none."""
    values = list(values)
    if not all(map(_WHOLE.fullmatch, values)):
        return 0
    numbers = list(map(int, values))
    return max(numbers) - min(numbers) + 1


def _intervals(name: str, values: list[str]) -> str | None:
    span = _span(values)
    if not span:
        return None
    low, high = min(map(int, values)), max(map(int, values))
    widths = [_first_width(span)]
    while widths[-1] * 4 <= span:
        widths.append(widths[-1] * 2)
    start, end = low // widths[0] * widths[0], high // widths[0] * widths[0] + widths[0] - 1
    return _lines(
        f"# Column '{name}': {len(values):,} whole numbers from {low} to {high}.",
        "# The domain may well be larger than what this table has; all of it counts for the loss.",
        'builder = "intervals"',
        f"domain = [{start}, {end}]",
        f"widths = {widths}",
    )


def _first_width(span: int) -> int:
    """Find a round width that makes about twenty intervals.

    >>> [_first_width(span) for span in (10, 74, 450, 5676)]
    [2, 5, 50, 500]
    """
    width, factors = 1, (2, 5, 10)
    while True:
        for factor in factors:
            if width * factor * MANY_GROUPS >= span:
                return width * factor
        width *= 10


def _decimals(name: str, values: list[str]) -> str | None:
    if not all(map(_DECIMAL.fullmatch, values)):
        return None
    ordered = sorted(values, key=float)
    return _lines(
        f"# Column '{name}': {len(values):,} numbers from {ordered[0]} to {ordered[-1]}.",
        "# Neighbours are merged, first so many values, then so many groups of the level below.",
        'builder = "ordered"',
        f"values = {_array(ordered)}",
        f"groups = {_group_sizes(len(values))}",
    )


def _group_sizes(count: int) -> list[int]:
    """Choose how many neighbours to merge at each level, until two groups are left.

    >>> _group_sizes(7), _group_sizes(300)
    ([2, 2], [15, 2, 2, 2, 2])
    """
    sizes: list[int] = []
    while count > 2:
        sizes.append(2 if sizes else max(2, ceil(count / MANY_GROUPS)))
        count = ceil(count / sizes[-1])
    return sizes


def _categories(name: str, values: list[str], alone: bool) -> str:
    ordered = sorted(values)
    example = _array(ordered[:2], width=10_000)
    warning = ["# Every cell differs: is this column a direct identifier?"] if alone else []
    return _lines(
        f"# Column '{name}': {len(values):,} categories.",
        *(warning if len(values) > FEW_VALUES else []),
        "# Each is kept or goes to the top. To merge some, put groups in place of `values`:",
        "#   [groups]",
        f'#   "name of the group" = {example}',
        'builder = "mapping"',
        f"values = {_array(ordered)}",
    )


def _lines(*lines: str) -> str:
    return "\n".join(lines) + "\n"


def _array(texts: Sequence[str], width: int = 96) -> str:
    """Write texts as a TOML array, over several lines if they need more than one.

    >>> _array(["a", 'b"c'])
    '["a", "b\\\\"c"]'
    """
    quoted = [json.dumps(text, ensure_ascii=False).replace("\x7f", r"\u007f") for text in texts]
    line = f"[{', '.join(quoted)}]"
    if len(line) <= width:
        return line
    lines = [""]
    for item in quoted:
        if lines[-1] and len(lines[-1]) + len(item) + 2 > width:
            lines.append("")
        lines[-1] += f"{' ' if lines[-1] else '  '}{item},"
    return "\n".join(["[", *lines, "]"])
