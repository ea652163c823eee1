"""Builders that group listed values: by name, or by their order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, BeforeValidator, ValidationInfo, field_validator
from pydantic.dataclasses import dataclass
from pydantic_core import PydanticKnownError

from anonymizer.errors import quote
from anonymizer.hierarchy.builders import Builder, Columns, builder
from anonymizer.hierarchy.fields import SomeValues, Values, check_size, expand, freeze
from anonymizer.hierarchy.lookup import read_groups
from anonymizer.hierarchy.priority import Unlisted
from anonymizer.hierarchy.values import Reading, reading_of_values
from anonymizer.validation import (
    CHECKED,
    ONLY_LISTS,
    Count,
    FilePath,
    Flag,
    Place,
    Text,
    check_unrepeated,
    raise_faults,
    validate_each,
)

MOST_LEVELS = 100
"""Groups nested more deeply are a slip of the pen, and would exhaust the stack."""


def nested_rows(node: Any, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """List leaf, parent, grandparent and so on of every leaf below a node."""
    if isinstance(node, Mapping):
        for label, child in node.items():
            yield from nested_rows(child, (label, *above))
    else:
        for leaf in expand(node):
            yield (leaf, *above)


def lists_of(node: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[Place, Any]]:
    """List the path and the content of everything that is not a group of groups."""
    if len(path) > MOST_LEVELS:
        raise ValueError(f"the groups are nested more than {MOST_LEVELS} deep; flatten them")
    for label, child in node.items():
        if isinstance(child, Mapping) and child:
            yield from lists_of(child, (*path, str(label)))
        else:
            yield (*path, str(label)), child


def parse_groups(groups: object) -> object:
    """Take lists of values by group, nested equally deep."""
    if groups is None:
        return None
    if not isinstance(groups, Mapping):
        raise PydanticKnownError("dict_type")
    paths = list(validate_each(SomeValues, lists_of(groups)))
    depths = {len(path): path for path in paths}
    faults = list(homonyms(paths))
    if len(depths) > 1:
        deep, flat = (".".join(map(str, depths[end(depths)])) for end in (max, min))
        faults.append(f"{quote(deep)} lies deeper than {quote(flat)}; nest all lists equally deep")
    raise_faults(faults)
    check_unrepeated([leaf for leaf, *_ in nested_rows(groups)])
    return freeze(groups)


def quote_path(path: Sequence[int | str]) -> str:
    """Name a group with the groups above it."""
    return quote(".".join(map(str, path)))


def homonyms(paths: Sequence[Place]) -> Iterator[str]:
    """Say which groups of one depth have the same name."""
    parents: dict[tuple[int, int | str], Place] = {}
    for path in paths:
        for depth, label in enumerate(path):
            first = parents.setdefault((depth, label), path[:depth])
            if first != path[:depth]:
                here, there = quote_path(path[:depth]), quote_path(first)
                name = quote_path([label])
                yield f"{name} is in {here} and in {there}; give each group a name of its own"


Labels = Annotated[tuple[Text, ...], AfterValidator(check_unrepeated), ONLY_LISTS]


@builder
@dataclass(frozen=True, slots=True, config=CHECKED)
class Explicit(Builder):
    """Values grouped by name.

    Exactly one of three: `values` (no groups below the top), `groups` (lists of values by group, nested
    for more levels), `path` (a table that has the values in the column `value`, and their groups in the
    columns `above`, fine to coarse).

    >>> list(Explicit(groups={"Europe": {"North": ["NO", "SE"], "South": ["IT"]}}).rows())
    [('NO', 'North', 'Europe', '*'), ('SE', 'North', 'Europe', '*'), ('IT', 'South', 'Europe', '*')]
    """

    kind: ClassVar[str] = "mapping"
    values: Values = ()
    groups: Annotated[dict[str, Any] | None, BeforeValidator(parse_groups)] = None
    path: FilePath | None = None
    unlisted: Flag = False
    """Whether values that are not listed are covered, where there are no groups below the top."""
    value: Text | None = None
    """The column of `path` that has the values."""
    above: Labels = ()
    """The columns of `path` that have their groups, level by level."""

    @field_validator("path")
    @classmethod
    def check_one(cls, path: Any, info: ValidationInfo) -> Any:
        """Check that the values are given in one way only."""
        others = ("values", "groups")
        given = [path, *(info.data[key] for key in others if key in info.data)]
        if len(given) == 3 and sum(map(bool, given)) != 1:
            raise ValueError("give exactly one of `values`, `groups` and `path`")
        return path

    @field_validator("unlisted")
    @classmethod
    def check_unlisted(cls, unlisted: bool, info: ValidationInfo) -> bool:
        """Check that a value that is not listed needs no group."""
        if unlisted and any(info.data.get(key) for key in ("groups", "path")):
            raise ValueError(
                "nothing says which group they belong to; remove it, and list all values"
            )
        return unlisted

    @field_validator("value", "above")
    @classmethod
    def check_column(cls, names: Any, info: ValidationInfo) -> Any:
        """Check that columns are named where there is a file, and only there."""
        if "path" in info.data and bool(names) != bool(info.data["path"]):
            fault = (
                "goes with `path`; leave it out" if names else "`path` needs it; name the column"
            )
            raise ValueError(fault)
        return names

    @property
    def files(self) -> tuple[Path, ...]:
        """The table that the groups come from."""
        return () if self.path is None else (self.path,)

    def resolve(self, folder: Path) -> Builder:
        """Return the builder with the groups that the file has."""
        if self.path is None or self.value is None:
            return self
        groups = read_groups(folder / self.path, self.value, self.above)
        return replace(self, path=None, value=None, above=(), groups=groups)

    def remedy(self) -> str | None:
        """Say how to cover values that are not listed."""
        if self.values:
            return "or cover what is not listed with `unlisted = true`"
        return 'or cover what is not listed with builder = "priority" and `unlisted = true`'

    @property
    def reading(self) -> Reading:
        """Cells are numbers where every value is written as one."""
        if self.values:
            return reading_of_values(self.values)
        lists = lists_of(self.groups or {})
        return reading_of_values([value for _, values in lists for value in values])

    def columns(self) -> Columns:
        """List the values, then the group of each, level by level."""
        if self.values:
            return [expand(self.values)]
        return [list(column) for column in zip(*nested_rows(self.groups), strict=True)]

    def traits(self) -> dict[str, Any]:
        """Return what knows values that are not listed."""
        if not self.unlisted:
            return {}
        places = {value: float(place) for place, value in enumerate(expand(self.values))}
        return {"growth": Unlisted((self.top,), places)}


def cuts(group: int | tuple[int, ...], count: int) -> list[int]:
    """Find where each group starts, and where the last one ends, in values of the level below.

    >>> cuts(3, 10), cuts((1, 4), 5)
    ([0, 3, 6, 8, 10], [0, 1, 5])
    """
    if isinstance(group, int):
        # groups are of one size, give or take one: the last is not left alone
        small, larger = divmod(count, -(-count // group))
        sizes = [small + (number < larger) for number in range(-(-count // group))]
        return [0, *accumulate(sizes)]
    return [0, *accumulate(group)]


def spans(leaves: Sequence[str], starts: Sequence[int]) -> list[str]:
    """Name groups of neighbours by their first and last."""
    pairs = ((leaves[start], leaves[end - 1]) for start, end in pairwise(starts))
    return [first if first == last else f"{first} to {last}" for first, last in pairs]


def group_counts(groups: Sequence[int | tuple[int, ...]], count: int) -> Iterator[int]:
    """Count the groups of each level; a ValueError says which level does not merge all."""
    for level, group in enumerate(groups, start=1):
        if isinstance(group, tuple) and sum(group) != count:
            raise ValueError(f"level {level} merges {sum(group)} of {count} values; merge all")
        count = len(cuts(group, count)) - 1
        yield count


def label_faults(labels: Sequence[Sequence[str]], counts: Sequence[int]) -> Iterator[str]:
    """Say where names and groups are not equally many."""
    for level, (names, count) in enumerate(zip(labels, counts, strict=False), start=1):
        if len(names) != count:
            yield f"level {level} has {len(names)} names for {count} groups; name each one"
    if len(labels) > len(counts):
        yield "there are more lists than levels in `sizes`; leave out the rest"


def parse_sizes(value: object) -> object:
    """Take how many neighbours go together: one number, or one for each group."""
    kind = tuple[Count, ...] if isinstance(value, list | tuple) else Count
    return validate_each(kind, [((), value)])[()]


GroupSizes = Annotated[Any, BeforeValidator(parse_sizes)]


@builder
@dataclass(frozen=True, slots=True, config=CHECKED)
class Ordered(Builder):
    """Values in an order, of which neighbours are merged, level by level.

    `sizes` has one entry for each level: how many of the level below go together, as one number (at
    most: the groups are as equal as can be) or as a list. `labels` names the groups, level by level.

    >>> list(Ordered(values=("S", "M", "L"), sizes=(2,)).rows())
    [('S', 'S to M', '*'), ('M', 'S to M', '*'), ('L', 'L', '*')]
    >>> Ordered(values=((1, 5),), sizes=((1, 4), 2), labels=[["one", "more"]]).build("n").labels[1]
    ('one', 'more')
    """

    kind: ClassVar[str] = "ordered"
    ordered: ClassVar[bool] = True
    values: SomeValues
    sizes: Annotated[tuple[GroupSizes, ...], ONLY_LISTS] = ()
    labels: Annotated[tuple[Labels, ...], ONLY_LISTS] = ()

    @field_validator("sizes")
    @classmethod
    def check_sizes(cls, sizes: Any, info: ValidationInfo) -> Any:
        """Check that all values of a level are merged into groups of the next."""
        if "values" in info.data:
            leaves = len(expand(info.data["values"]))
            check_size(leaves, len(sizes))
            list(group_counts(sizes, leaves))
        return sizes

    @field_validator("labels")
    @classmethod
    def check_labels(cls, labels: Any, info: ValidationInfo) -> Any:
        """Check that each group of a level has a name, or none has."""
        if "values" in info.data and "sizes" in info.data:
            counts = list(group_counts(info.data["sizes"], len(expand(info.data["values"]))))
            raise_faults(label_faults(labels, counts))
        return labels

    @property
    def reading(self) -> Reading:
        """Cells are numbers where every value is written as one."""
        return reading_of_values(self.values)

    def columns(self) -> Columns:
        """List the values, then the group of each, level by level."""
        leaves = expand(self.values)
        columns = [leaves]
        for level, starts in enumerate(self._starts(len(leaves))):
            names = self.labels[level] if level < len(self.labels) else spans(leaves, starts)
            sizes = [end - start for start, end in pairwise(starts)]
            columns.append(
                [name for name, size in zip(names, sizes, strict=True) for _ in range(size)]
            )
        return columns

    def _starts(self, size: int) -> Iterator[list[int]]:
        """Find for each level where its groups start, and where the last one ends."""
        starts = list(range(size + 1))
        for group in self.sizes:
            starts = [starts[index] for index in cuts(group, len(starts) - 1)]
            yield starts
