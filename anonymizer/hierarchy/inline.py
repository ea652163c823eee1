"""Hierarchies written where they are used: a spec, groups of values, or cut points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from anonymizer.errors import HierarchyError
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
        return parse_spec({"builder": "intervals", "cuts": list(value)}, NAME)
    if "builder" in value:
        return parse_spec(value, NAME)
    return Hierarchy.from_rows(NAME, [grouped_row(leaf, groups) for leaf, groups in value.items()])


def grouped_row(leaf: object, groups: object) -> tuple[str, ...]:
    """Write a value with its group or groups, up to the top."""
    above = groups if isinstance(groups, list | tuple) else [groups]
    return (str(leaf), *map(str, above), REDACTED)
