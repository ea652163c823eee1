"""Hierarchies written where they are used: a spec, groups of values, or cut points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from anonymizer.errors import HierarchyError, quote
from anonymizer.hierarchy.builders import Builder
from anonymizer.hierarchy.hierarchy import REDACTED, Hierarchy
from anonymizer.hierarchy.spec import parse_spec

NAME = "inline"
"""What a hierarchy is called until it has its attribute's name."""


def make_inline(value: Mapping[Any, Any] | Sequence[Any]) -> Hierarchy | Builder:
    """Make a hierarchy of a spec, of a table from value to group or groups, or of a list of cut points.

    >>> make_inline({"NO": "Europe", "SE": "Europe", "JP": "Asia"}).labels[1]
    ('Europe', 'Asia')
    >>> make_inline({"NO": ["North", "Europe"], "IT": ["South", "Europe"]}).height
    4
    >>> make_inline({"builder": "intervals", "domain": [0, 9], "widths": [5]}).widths
    (5,)
    """
    if not value:
        raise HierarchyError("this is empty; give groups or cut points.")
    if not isinstance(value, Mapping):
        return parse_spec(cut(value), NAME)
    if "builder" in value:
        return parse_spec(value, NAME)
    return Hierarchy.from_rows(NAME, [grouped_row(leaf, groups) for leaf, groups in value.items()])


def grouped_row(leaf: object, groups: object) -> tuple[str, ...]:
    """Write a value with its group or groups, up to the top."""
    above = groups if isinstance(groups, list | tuple) else [groups]
    if not all(isinstance(group, str | int | float) for group in above):
        raise HierarchyError(
            f"the groups of {quote(leaf)} are not names; write them as 'group' or ['group', 'larger']."
        )
    return (str(leaf), *map(str, above), REDACTED)


def cut(points: Sequence[Any]) -> dict[str, Any]:
    """Write cut points as intervals with open ends: a list for each level, or one for the only level.

    The domain, by which open ends count, reaches as far beyond the points as the widest interval.

    >>> cut([18, 65])
    {'builder': 'intervals', 'domain': [-29, 111], 'bounds': [[18, 65]], 'open': 'both'}
    """
    levels = [list(level) if isinstance(level, list | tuple) else level for level in points]
    if not isinstance(levels[0], list):
        levels = [levels]
    finest = levels[0]
    numbers = [point for point in finest if isinstance(point, int | float)]
    if not finest or len(numbers) < len(finest) or finest != sorted(finest):
        raise HierarchyError("cut points are rising numbers, such as [18, 40, 65]; write them so.")
    widest = max((after - before for before, after in pairwise(finest)), default=1)
    low, high = finest[0] - widest, finest[-1] + widest
    if all(isinstance(point, int) for point in finest):
        domain = [low, high - 1]
    else:
        domain = [float(low), float(high)]  # a decimal point makes the domain continuous
    return {"builder": "intervals", "domain": domain, "bounds": levels, "open": "both"}
