"""Hierarchy: the values of one attribute and what they become, level by level."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from anonymizer.errors import HierarchyError, quote_some
from anonymizer.hierarchy.levels import MISSING as MISSING
from anonymizer.hierarchy.levels import REDACTED as REDACTED
from anonymizer.hierarchy.levels import Levels
from anonymizer.hierarchy.lint import Defect, find_errors, find_level_errors
from anonymizer.hierarchy.values import TEXT, Kind, Reading


class Growth(Protocol):
    """What knows the rows of values that a hierarchy does not list: decimals, codes, late dates."""

    def row_of(self, value: str) -> tuple[str, ...] | None:
        """Return what a value becomes, level by level; None where nothing covers it."""

    def position(self, value: str) -> float | None:  # noqa: ARG002 - of any value
        """Return what listed values and new ones are sorted by; None where a value has no place."""
        return None

    def cover_of(self, level: int, label: str) -> int:
        """Return what a label that is not listed covers of the extent; most rules make no new labels."""
        raise AssertionError(f"level {level}: no new label {label!r} was to be expected")

    def leaf_of(self, level: int, label: str) -> str | None:  # noqa: ARG002 - of any label
        """Return a value that becomes a label that is not listed; None where there are no such labels."""
        return None


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
    reading: Reading = TEXT
    """How the cells of the attribute are read; level 0 has their values as this writes them."""
    covers: tuple[NDArray[np.int64], ...] | None = None
    """covers[level][label] = what it covers of `extent`; None where that is the number of its leaves."""
    whole: int | None = None
    """The width of the domain, in the unit of `covers`."""
    continuous: bool = False
    """Whether there are values without end, so that one of them covers nothing of the domain."""
    growth: Growth | None = None
    """What knows the rows of values that are not listed; None where all are."""
    span: str | None = None
    """The domain in words, where it has a beginning and an end."""
    declared: Hierarchy | None = None
    """The hierarchy without the values of a table that were taken in; None where none were."""
    ordered: bool = False
    """Whether the leaves are in an order that their groups keep, as numbers and dates are."""
    universe: bool = False
    """Whether the leaves are all texts of a form, most of which need not exist."""
    remedy: str | None = None
    """What to do about a value that has no leaf, beside adding it."""

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
        return cls(name, levels.labels, levels.codes, source, ordered=ordered)

    @property
    def height(self) -> int:
        """The number of levels, counting level 0."""
        return len(self.labels)

    @property
    def size(self) -> int:
        """The number of leaves that are listed, whether or not they occur in the data."""
        return len(self.labels[0])

    @property
    def extent(self) -> int:
        """D in the formulas: the number of leaves, or the width of a domain in units of `cover`."""
        return self.size if self.whole is None else self.whole

    @property
    def has_examples(self) -> bool:
        """Whether the leaves are only examples of the texts of a form."""
        return self.reading.kind == "text" and self.size < self.extent

    @property
    def least_cover(self) -> int:
        """What a single value covers of the extent: 1, or 0 where there are values without end."""
        return 0 if self.continuous else 1

    def cover(self, level: int) -> NDArray[np.int64]:
        """Return what each value of a level covers of the extent."""
        if self.covers is None:
            return np.bincount(self.codes[level], minlength=len(self.labels[level]))
        return self.covers[level]

    @property
    def leaves(self) -> tuple[str, ...]:
        """The values of level 0."""
        return self.labels[0]

    def shares(self) -> NDArray[np.float64]:
        """Return share(level, leaf): what the leaf's value of that level covers, over D.

        >>> Hierarchy.from_rows("sex", [("Male", "*"), ("Female", "*")]).shares().tolist()
        [[0.5, 0.5], [1.0, 1.0]]
        """
        covered = [self.cover(level)[codes] for level, codes in enumerate(self.codes)]
        return np.stack(covered) / self.extent

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
        declared = None if self.declared is None else self.declared.with_missing()
        return replace(self._with_leaf(tuple(self._missing_row())), declared=declared)

    def _with_leaf(self, row: tuple[str, ...]) -> Hierarchy:
        """Append a leaf, which covers as much as any other."""
        labels, codes, covers = [], [], []
        for level, label in enumerate(row):
            known, cover = self.labels[level], self.cover(level)
            at = known.index(label) if label in known else len(known)
            labels.append(known if at < len(known) else (*known, label))
            codes.append(np.append(self.codes[level], at))
            cover = cover.copy() if at < len(known) else np.append(cover, 0)
            cover[at] += self.least_cover
            covers.append(cover)
        if self.covers is None:
            return replace(self, labels=tuple(labels), codes=np.array(codes, np.int32))
        return replace(
            self,
            labels=tuple(labels),
            codes=np.array(codes, np.int32),
            covers=tuple(covers),
            whole=self.extent + self.least_cover,
        )

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

    def with_values(self, texts: Iterable[str]) -> Hierarchy:
        """Take in the values of cells that are not listed, as far as a rule covers them.

        What a value of a level covers stays as it is: a domain does not grow with the data.
        """
        if self.growth is None:
            return self
        known, rows = set(self.leaves), dict[str, tuple[str, ...]]()
        for text in texts:
            value = None if text in known else self.reading.read(text)
            if value and value not in known and value not in rows:
                row = self.growth.row_of(value)
                if row is not None:
                    rows[value] = row
        return self._grown(dict(sorted(rows.items())), self.growth) if rows else self

    def with_labels(self, texts: Iterable[str], level: int) -> Hierarchy:
        """Take in cells of one level that are not listed, as far as a rule covers them."""
        if level == 0 or self.growth is None:
            return self.with_values(texts)
        known = set(self.labels[level])
        leaves = (self.growth.leaf_of(level, text) for text in texts if text not in known)
        return self.with_values(leaf for leaf in leaves if leaf is not None)

    def _grown(self, rows: dict[str, tuple[str, ...]], growth: Growth) -> Hierarchy:
        """Put new values where they belong among the listed ones; others stay last, in their order."""
        leaves = [*self.leaves, *rows]
        positions = np.array([growth.position(leaf) for leaf in leaves], np.float64)
        order = np.argsort(positions, kind="stable")  # what has no place is NaN, and comes last
        labels = [tuple(leaves[at] for at in order.tolist())]
        codes = [np.arange(len(leaves))]
        covers = [np.full(len(leaves), self.least_cover, np.int64)]
        for level in range(1, self.height):
            number = {label: code for code, label in enumerate(self.labels[level])}
            new = [number.setdefault(row[level], len(number)) for row in rows.values()]
            labels.append(tuple(number))
            codes.append(np.append(self.codes[level], new)[order])
            added = labels[level][len(self.labels[level]) :]
            wider = np.array([growth.cover_of(level, label) for label in added], np.int64)
            covers.append(np.append(self.cover(level), wider))
        return replace(
            self,
            labels=tuple(labels),
            codes=np.array(codes, np.int32),
            covers=tuple(covers),
            whole=self.extent,
            declared=self.declared or self,
        )

    def read_as(self, kind: Kind | None, form: str | None) -> Hierarchy:
        """Read cells as a kind of value, dates by a format too; what a leaf is written as follows.

        Raises a ValueError where the hierarchy is of another kind.
        """
        reading = self.reading.stated(kind, form)
        if reading == self.reading:
            return self
        if self.span is not None and reading.kind != self.reading.kind:
            raise ValueError(
                f"its hierarchy is of {self.reading.kind}s; leave out `type` and `format`"
            )
        leaves = [leaf if (value := reading.read(leaf)) is None else value for leaf in self.leaves]
        if twice := [leaf for leaf, times in Counter(leaves).items() if times > 1]:
            raise ValueError(
                f"as a {reading.kind}, {quote_some(twice)} has several rows in its hierarchy; keep one"
            )
        return replace(self, labels=(tuple(leaves), *self.labels[1:]), reading=reading)

    def read_texts(self, texts: Sequence[str], levels: Iterable[int] = (0,)) -> list[str]:
        """Write cells of some levels as the labels that they stand for; what is none stays as it is."""
        numbers = list(levels)
        known = {label for level in numbers for label in self.labels[level]}
        if 0 not in numbers:
            return list(texts)
        values = [text if text in known else self.reading.read(text) for text in texts]
        return [text if value is None else value for text, value in zip(texts, values, strict=True)]

    def fit(self, texts: Sequence[str]) -> tuple[Hierarchy, list[str]]:
        """Take in the values of cells of any level, and return the labels that they stand for."""
        known = {label for labels in self.labels for label in labels}
        new = [text for text in texts if text not in known]
        grown = self.with_values(new)
        for level in range(1, self.height) if new else ():
            grown = grown.with_labels(new, level)
        return grown, grown.read_texts(texts, range(self.height))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Hierarchy):
            return NotImplemented
        mine, theirs = (
            (h.name, h.labels, h.reading, h.extent, h.continuous) for h in (self, other)
        )
        return (
            mine == theirs
            and np.array_equal(self.codes, other.codes)
            and all(
                np.array_equal(self.cover(level), other.cover(level))
                for level in range(self.height)
            )
        )

    def __hash__(self) -> int:
        return hash((self.name, self.labels))


def refuse_defects(errors: Sequence[Defect], name: str, source: str | None) -> None:
    """Raise a HierarchyError that lists all defects, if there are any."""
    if errors:
        where = source or f"hierarchy '{name}'"
        raise HierarchyError.defective(where, [error.message for error in errors])
