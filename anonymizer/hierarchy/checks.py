"""What a key of a builder may hold: each check yields one sentence for each fault it finds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import date, datetime
from itertools import pairwise
from typing import Any

from anonymizer.errors import quote_some

MOST_LEAVES = 5_000_000
"""More than this is a slip of the pen, and would fill the memory before anyone noticed."""

Faults = Iterator[str]


def freeze(value: Any) -> Any:
    """Turn lists into tuples, all the way down.

    >>> freeze([1, [2, 3]])
    (1, (2, 3))
    """
    if isinstance(value, list | tuple):
        return tuple(map(freeze, value))
    if isinstance(value, Mapping):
        return {str(key): freeze(item) for key, item in value.items()}
    return value


def is_whole(value: object) -> bool:
    """Tell whether the value is a whole number; true and false are not."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_value(value: object) -> bool:
    """Tell whether the value can be a leaf: text, a number or a date."""
    return isinstance(value, str | int | float | date) and not isinstance(value, bool)


def is_range(value: object) -> bool:
    """Tell whether the value is a pair such as [2, 4], short for 2, 3, 4."""
    return isinstance(value, tuple) and len(value) == 2 and all(map(is_whole, value))


def expand(values: Iterable[Any]) -> list[str]:
    """Write values as text and ranges in full.

    >>> expand(["a", (2, 4), 99])
    ['a', '2', '3', '4', '99']
    """
    texts: list[str] = []
    for value in values:
        texts.extend(map(str, range(value[0], value[1] + 1)) if is_range(value) else [str(value)])
    return texts


def text(key: str, value: object) -> Faults:
    """Check that the value is a text."""
    if not isinstance(value, str):
        yield f"{key}: {value!r} is no text; put it in quotes."


def choice(key: str, value: Any, choices: Collection[str]) -> Faults:
    """Check that the value is one of a few."""
    if value not in choices:
        yield f"{key}: {value!r} is unknown; use one of {quote_some(choices, most=9)}."


def whole(key: str, value: Any, least: int | None = None, most: int | None = None) -> Faults:
    """Check that the value is a whole number within bounds."""
    if not is_whole(value):
        yield f"{key}: {value!r} is no whole number; write one without quotes or a decimal point."
    elif least is not None and value < least:
        yield f"{key}: {value} is too small; use {least} or more."
    elif most is not None and value > most:
        yield f"{key}: {value} is too large; use {most} or less."


def rising(key: str, values: object, least: int | None = None) -> Faults:
    """Check that the value is a list of whole numbers, each larger than the one before."""
    if not isinstance(values, tuple):
        yield f"{key}: {values!r} is no list; write it as [ ... ]."
        return
    wrong = [fault for value in values for fault in whole(key, value, least)]
    yield from wrong
    for low, high in pairwise(values if not wrong else ()):
        if low >= high:
            yield f"{key}: {high} comes after {low}; list the numbers from small to large."


def span(key: str, value: Any) -> Faults:
    """Check that the value is a range of whole numbers that is not empty and not endless."""
    if not is_range(value):
        yield f"{key}: {value!r} is no range; write it as [lowest, highest] in whole numbers."
        return
    low, high = value
    if low > high:
        yield f"{key}: {low} is above {high}; write it as [lowest, highest]."
    elif high - low >= MOST_LEAVES:
        yield f"{key}: {high - low + 1:,} values are too many; use at most {MOST_LEAVES:,}."


def values(key: str, items: object, least: int = 0) -> Faults:
    """Check that the value is a list of leaves, ranges among them, without repetition."""
    if not isinstance(items, tuple):
        yield f"{key}: {items!r} is no list; write it as [ ... ]."
        return
    wrong = [fault for item in items for fault in _leaf_faults(key, item)]
    yield from wrong
    if len(items) < least:
        yield f"{key}: the list is empty; write the values the column can take."
    if not wrong:
        yield from unrepeated(key, expand(items))


def _leaf_faults(key: str, item: object) -> Faults:
    if isinstance(item, tuple):
        yield from span(key, item)
    elif not is_value(item):
        yield f"{key}: {item!r} is no value; write text in quotes, a number or a range [2, 4]."


def unrepeated(key: str, texts: Iterable[str]) -> Faults:
    """Check that no text comes twice."""
    twice = [value for value, times in Counter(texts).items() if times > 1]
    if twice:
        yield f"{key}: listed more than once: {quote_some(twice)}; keep one of each."


def day(key: str, value: object) -> Faults:
    """Check that the value is a date, as TOML or ISO writes it."""
    try:
        as_day(value)
    except ValueError:
        yield f"{key}: {str(value)!r} is no date; write it as 2024-12-31."


def as_day(value: object) -> date:
    """Return the date a value stands for.

    >>> as_day("2024-12-31")
    datetime.date(2024, 12, 31)
    """
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    return date.fromisoformat(str(value))
