"""Draw: a hierarchy as a tree for the terminal, with what is too much left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from anonymizer.errors import counted, percent
from anonymizer.hierarchy.hierarchy import MISSING, Hierarchy

if TYPE_CHECKING:
    from rich.tree import Tree

OPEN_BELOW = 200
"""With more values than this in all levels, only the first of several siblings is opened."""


def draw(hierarchy: Hierarchy, most: int = 10) -> Tree:
    """Draw the levels and the tree, with at most so many children of each value.

    >>> from rich import print
    >>> rows = [("S", "small", "*"), ("M", "large", "*"), ("L", "large", "*")]
    >>> print(draw(Hierarchy.from_rows("size", rows)))
    size: 3 leaves, 3 levels
    level 0: 3 values, such as S
    level 1: 2 values, such as small
    level 2: 1 value, *
    └── * (3 leaves)
        ├── small (1 leaf)
        │   └── S
        └── large (2 leaves)
            ├── M
            └── L
    """
    # rich takes longer to import than all of this package's own modules
    from rich.text import Text
    from rich.tree import Tree

    tree = Tree(Text("\n".join(_summary(hierarchy))))
    open_all = sum(map(len, hierarchy.labels)) <= OPEN_BELOW
    _grow(tree, hierarchy, hierarchy.height - 1, np.arange(hierarchy.size), most, open_all)
    return tree


def _summary(hierarchy: Hierarchy) -> list[str]:
    levels = counted(hierarchy.height, "level")
    many = "numbers" if hierarchy.reading.kind == "number" else "codes"
    leaves = many if hierarchy.continuous else counted(hierarchy.extent, "leaf", "leaves")
    lines = [f"{hierarchy.name}: {leaves}, {levels}"]
    if hierarchy.continuous:
        lines.append(f"level 0: {many} as they are")
    for level, labels in enumerate(hierarchy.labels):
        if hierarchy.continuous and level == 0:
            continue
        example = f"{'' if len(labels) == 1 else 'such as '}{_name(labels[0])}"
        if hierarchy.has_examples and len(labels) > 1:
            lines.append(f"level {level}: {example}")
            continue
        lines.append(f"level {level}: {counted(len(labels), 'value')}, {example}")
    return lines


def _grow(
    branch: Tree,
    hierarchy: Hierarchy,
    level: int,
    leaves: NDArray[np.int64],
    most: int,
    open_all: bool,
) -> None:
    """Add the values that some leaves have at a level, and below them what they stand for."""
    from rich.text import Text

    if hierarchy.continuous and level == 0:
        return
    groups = hierarchy.codes[level, leaves]
    codes = np.unique(groups)
    for position, code in enumerate(codes[:most]):
        label, size = _name(hierarchy.labels[level][code]), int(hierarchy.cover(level)[code])
        covered = counted(size, "leaf", "leaves")
        if hierarchy.continuous:
            covered = f"{percent(size / hierarchy.extent)} of the domain"
        child = branch.add(Text(f"{label} ({covered})" if level else label))
        if level and (open_all or position == 0):
            _grow(child, hierarchy, level - 1, leaves[groups == code], most, open_all)
    if len(codes) > most:
        branch.add(Text(f"… {len(codes) - most:,} more"))


def _name(label: str) -> str:
    return "(missing)" if label == MISSING else label
