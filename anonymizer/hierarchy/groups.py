"""Builders for values that are grouped by hand: an explicit mapping, and ordered grouping."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, ClassVar

from anonymizer.errors import quote_some
from anonymizer.hierarchy import checks
from anonymizer.hierarchy.builders import Builder, Columns
from anonymizer.hierarchy.checks import Faults


@dataclass(frozen=True, slots=True)
class Explicit(Builder):
    """Values grouped by name.

    Exactly one of three: `values` (no groups below the top), `groups` (lists of values by group,
    nested for more levels), `levels` (for each level, lists of what it merges by group).

    >>> list(Explicit(groups={"Europe": {"North": ["NO", "SE"], "South": ["IT"]}}).rows())
    [('NO', 'North', 'Europe', '*'), ('SE', 'North', 'Europe', '*'), ('IT', 'South', 'Europe', '*')]
    >>> list(Explicit(levels=[{"North": ["NO", "SE"]}, {"Europe": ["North"]}]).rows())
    [('NO', 'North', 'Europe', '*'), ('SE', 'North', 'Europe', '*')]
    """

    kind: ClassVar[str] = "mapping"
    values: tuple[Any, ...] = ()
    groups: Mapping[str, Any] | None = None
    levels: tuple[Mapping[str, Any], ...] = ()

    def columns(self) -> Columns:
        """List the values, then the group of each, level by level."""
        if self.values:
            return [checks.expand(self.values)]
        rows = _nested_rows(self.groups) if self.groups else _climb(self.levels)
        return [list(column) for column in zip(*rows, strict=True)]

    def _faults(self) -> Faults:
        if sum(map(bool, (self.values, self.groups, self.levels))) != 1:
            yield "values, groups or levels: give exactly one of them."
        yield from checks.values("values", self.values)
        if self.groups:
            yield from _nested_faults(self.groups)
        if not isinstance(self.levels, tuple):
            yield f"levels: {self.levels!r} is no list; write one [[levels]] table for each level."
        else:
            yield from _level_faults(self.levels)


def _nested_rows(node: Any, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """List leaf, parent, grandparent and so on of every leaf below a node."""
    if isinstance(node, Mapping):
        for label, child in node.items():
            yield from _nested_rows(child, (label, *above))
    else:
        for leaf in checks.expand(node):
            yield (leaf, *above)


def _nested_faults(groups: Any) -> Faults:
    if not isinstance(groups, Mapping):
        yield f"groups: {groups!r} is no table; write each group as name = [ ... ]."
        return
    lists = list(_lists(groups))
    wrong = [fault for path, leaves in lists for fault in _list_faults(path, leaves)]
    yield from wrong
    if wrong:
        return
    depths = {len(path): path for path, _ in lists}
    if len(depths) > 1:
        deep, flat = depths[max(depths)], depths[min(depths)]
        yield (
            f"groups: '{'.'.join(deep)}' lies deeper than '{'.'.join(flat)}'; "
            "nest all lists equally deep."
        )
    yield from checks.unrepeated("groups", (leaf for leaf, *_ in _nested_rows(groups)))
    yield from _homonyms(lists)


def _lists(node: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[Any, Any]]:
    """List the path and the content of everything that is no group of groups."""
    for label, child in node.items():
        if isinstance(child, Mapping) and child:
            yield from _lists(child, (*path, label))
        else:
            yield (*path, label), child


def _list_faults(path: Sequence[str], leaves: object) -> Faults:
    yield from checks.values(f"groups.{'.'.join(path)}", leaves, least=1)


def _homonyms(lists: Sequence[tuple[tuple[str, ...], Any]]) -> Faults:
    parents: dict[tuple[int, str], tuple[str, ...]] = {}
    for path, _ in lists:
        for depth, label in enumerate(path):
            if parents.setdefault((depth, label), path[:depth]) != path[:depth]:
                there = ".".join(parents[depth, label])
                yield (
                    f"groups: '{label}' is in '{'.'.join(path[:depth])}' and in '{there}'; "
                    "give each group a name of its own."
                )


def _climb(levels: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, ...]]:
    """List leaf, parent, grandparent and so on of every leaf of the first level."""
    parents = [_parents(level) for level in levels]
    for leaf in parents[0]:
        row = [leaf]
        for parent in parents:
            row.append(parent[row[-1]])
        yield tuple(row)


def _parents(level: Mapping[str, Any]) -> dict[str, str]:
    return {member: group for group, members in level.items() for member in checks.expand(members)}


def _level_faults(levels: Sequence[Any]) -> Faults:
    wrong = [fault for number, level in enumerate(levels, 1) for fault in _one_level(number, level)]
    yield from wrong
    for number, (fine, coarse) in enumerate(pairwise(levels if not wrong else ()), start=2):
        merged = _parents(coarse)
        orphans = [group for group in fine if group not in merged]
        if orphans:
            yield f"levels: level {number} leaves out {quote_some(orphans)}; add what is missing."
        strangers = [member for member in merged if member not in fine]
        if strangers:
            strange = quote_some(strangers)
            yield f"levels: level {number} merges {strange}, unknown one level below; leave it out."


def _one_level(number: int, level: object) -> Faults:
    if not isinstance(level, Mapping) or not level:
        yield f"levels: level {number} is no table; write each group as name = [ ... ]."
        return
    wrong = [
        fault
        for group, members in level.items()
        for fault in checks.values(f"levels.{group}", members, least=1)
    ]
    yield from wrong
    if not wrong:
        members = [member for group in level.values() for member in checks.expand(group)]
        yield from checks.unrepeated("levels", members)


@dataclass(frozen=True, slots=True)
class Ordered(Builder):
    """Values in an order, of which neighbours are merged, level by level.

    `groups` has one entry for each level: how many of the level below go together, as one number
    (the last group may be smaller) or as a list. `labels` names the groups, a list for each level.

    >>> list(Ordered(values=("S", "M", "L"), groups=(2,)).rows())
    [('S', 'S to M', '*'), ('M', 'S to M', '*'), ('L', 'L', '*')]
    >>> Ordered(values=((1, 5),), groups=((1, 4), 2), labels=[["one", "more"]]).build("n").labels[1]
    ('one', 'more')
    """

    kind: ClassVar[str] = "ordered"
    values: tuple[Any, ...]
    groups: tuple[int | tuple[int, ...], ...] = ()
    labels: tuple[tuple[str, ...], ...] = ()

    def columns(self) -> Columns:
        """List the values, then the group of each, level by level."""
        leaves = checks.expand(self.values)
        columns = [leaves]
        for level, starts in enumerate(self._starts(len(leaves))):
            names = self.labels[level] if level < len(self.labels) else _spans(leaves, starts)
            sizes = [end - start for start, end in pairwise(starts)]
            columns.append(
                [name for name, size in zip(names, sizes, strict=True) for _ in range(size)]
            )
        return columns

    def _starts(self, size: int) -> Iterator[list[int]]:
        """Find for each level where its groups start, and where the last one ends."""
        starts = list(range(size + 1))
        for group in self.groups:
            starts = [starts[index] for index in _cuts(group, len(starts) - 1)]
            yield starts

    def _faults(self) -> Faults:
        wrong = [*checks.values("values", self.values, least=1), *_size_faults(self.groups)]
        wrong += _label_faults(self.labels)
        yield from wrong
        if not wrong:
            yield from self._misfits()

    def _misfits(self) -> Faults:
        count = len(checks.expand(self.values))
        for level, group in enumerate(self.groups, start=1):
            if isinstance(group, tuple) and sum(group) != count:
                yield f"groups: level {level} merges {sum(group)} of {count} values; merge all."
                return
            count = len(_cuts(group, count)) - 1
            if level <= len(self.labels) and len(self.labels[level - 1]) != count:
                found = len(self.labels[level - 1])
                yield f"labels: level {level} has {found} names for {count} groups; name each one."
        if len(self.labels) > len(self.groups):
            yield "labels: there are more lists than levels in groups; leave out the rest."


def _cuts(group: int | tuple[int, ...], count: int) -> list[int]:
    """Find where each group starts, and where the last one ends, in values of the level below.

    >>> _cuts(2, 5), _cuts((1, 4), 5)
    ([0, 2, 4, 5], [0, 1, 5])
    """
    if isinstance(group, int):
        return [*range(0, count, group), count]
    return [0, *accumulate(group)]


def _spans(leaves: Sequence[str], starts: Sequence[int]) -> list[str]:
    pairs = ((leaves[start], leaves[end - 1]) for start, end in pairwise(starts))
    return [first if first == last else f"{first} to {last}" for first, last in pairs]


def _size_faults(groups: object) -> Faults:
    if not isinstance(groups, tuple):
        yield f"groups: {groups!r} is no list; write one entry for each level."
        return
    for group in groups:
        sizes = group if isinstance(group, tuple) else (group,)
        yield from (fault for size in sizes for fault in checks.whole("groups", size, least=1))


def _label_faults(labels: object) -> Faults:
    if not isinstance(labels, tuple) or not all(isinstance(names, tuple) for names in labels):
        yield f"labels: {labels!r} is no list of lists; write one list for each level."
        return
    for names in labels:
        wrong = [fault for name in names for fault in checks.text("labels", name)]
        yield from wrong or checks.unrepeated("labels", names)
