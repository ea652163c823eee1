"""Hierarchy: the values of one attribute and what they become, level by level."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from anonymizer.errors import HierarchyError
from anonymizer.hierarchy.levels import MISSING as MISSING
from anonymizer.hierarchy.levels import REDACTED as REDACTED
from anonymizer.hierarchy.levels import Levels
from anonymizer.hierarchy.lint import Defect, find_errors, find_level_errors


@dataclass(frozen=True, slots=True, eq=False)
class Hierarchy:
    """A tree of generalizations: level 0 is the value itself, each level a coarsening of the last.

    Two leaves are in one group of a level exactly if their values there are the same string.

    >>> rows = [("S", "small", "*"), ("M", "large", "*"), ("L", "large", "*")]
    >>> sizes = Hierarchy.from_rows("size", rows)
    >>> sizes.height, sizes.size, sizes.labels[1]
    (3, 3, ('small', 'large'))
    >>> sizes.codes.tolist()
    [[0, 1, 2], [0, 1, 1], [0, 0, 0]]
    """

    name: str
    labels: tuple[tuple[str, ...], ...]
    """labels[level] = the distinct values of that level, in order of first appearance."""
    codes: NDArray[np.int32]
    """codes[level, leaf] = index into labels[level]; read-only, and codes[0] counts up from 0."""
    source: str | None = None
    """The file it came from, for messages."""
    ordered: bool = False
    """Whether the leaves are in an order that their groups keep, as numbers and dates are."""

    def __post_init__(self) -> None:
        codes = np.array(self.codes, np.int32)
        codes.flags.writeable = False
        object.__setattr__(self, "codes", codes)

    @classmethod
    def from_rows(
        cls, name: str, rows: Iterable[Sequence[str]], source: str | None = None
    ) -> Hierarchy:
        """Build the tree from one row for each leaf, or say all that is wrong with the rows."""
        table = list(rows)
        levels = Levels.of(table)
        refuse_defects(find_errors(table, levels, name), name, source)
        return cls(name, levels.labels, levels.codes, source)

    @classmethod
    def from_levels(
        cls, name: str, levels: Levels, source: str | None = None, ordered: bool = False
    ) -> Hierarchy:
        """Build the tree from levels that are encoded already, or say all that is wrong with them."""
        refuse_defects(find_level_errors(levels, name), name, source)
        return cls(name, levels.labels, levels.codes, source, ordered)

    @property
    def height(self) -> int:
        """The number of levels, counting level 0."""
        return len(self.labels)

    @property
    def size(self) -> int:
        """The number of leaves, D in the formulas, whether or not they occur in the data."""
        return len(self.labels[0])

    @property
    def leaves(self) -> tuple[str, ...]:
        """The values of level 0."""
        return self.labels[0]

    def shares(self) -> NDArray[np.float64]:
        """Return share(level, leaf): the leaves under the leaf's value of that level, over D.

        >>> Hierarchy.from_rows("sex", [("Male", "*"), ("Female", "*")]).shares().tolist()
        [[0.5, 0.5], [1.0, 1.0]]
        """
        return np.stack([np.bincount(codes)[codes] / self.size for codes in self.codes])

    def rows(self) -> Iterator[tuple[str, ...]]:
        """Go back to rows, one for each leaf, from the value itself to the top."""
        columns = (
            map(labels.__getitem__, codes.tolist())
            for labels, codes in zip(self.labels, self.codes, strict=True)
        )
        return zip(*columns, strict=True)

    def with_missing(self) -> Hierarchy:
        """Give missing cells a leaf of their own, which joins the others only in a single top.

        >>> list(Hierarchy.from_rows("size", [("S", "small", "*")]).with_missing().rows())
        [('S', 'small', '*'), ('', '', '*')]
        """
        if MISSING in self.leaves:
            return self
        levels = Levels.of([*self.rows(), tuple(self._missing_row())])
        return replace(self, labels=levels.labels, codes=levels.codes)

    def _missing_row(self) -> Iterator[str]:
        """Name the values of a missing cell; a group that is already called so takes it in."""
        group: int | None = None
        for level, labels in enumerate(self.labels):
            if group is not None:
                below = self.codes[level - 1].tolist().index(group)
                group = int(self.codes[level, below])
            elif MISSING in labels:
                group = labels.index(MISSING)
            elif 0 < level == self.height - 1 and len(labels) == 1:
                group = 0
            yield MISSING if group is None else labels[group]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Hierarchy):
            return NotImplemented
        same_labels = self.name == other.name and self.labels == other.labels
        return same_labels and np.array_equal(self.codes, other.codes)

    def __hash__(self) -> int:
        return hash((self.name, self.labels))


def refuse_defects(errors: Sequence[Defect], name: str, source: str | None) -> None:
    """Raise a HierarchyError that lists all defects, if there are any."""
    if errors:
        where = source or f"hierarchy '{name}'"
        raise HierarchyError.defective(where, [error.message for error in errors])
