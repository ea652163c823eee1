"""Priority: the least important values are merged first, level by level."""

from __future__ import annotations

from dataclasses import dataclass as plain_dataclass
from itertools import pairwise
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, ValidationInfo, field_validator
from pydantic.dataclasses import dataclass

from anonymizer.hierarchy.builders import Builder, Columns, builder
from anonymizer.hierarchy.fields import SomeValues, check_size, expand
from anonymizer.hierarchy.hierarchy import Growth
from anonymizer.hierarchy.values import Reading, reading_of_values
from anonymizer.validation import CHECKED, ONLY_LISTS, Count, Flag, Text


def check_falling(numbers: tuple[int, ...]) -> tuple[int, ...]:
    """Check that each number is smaller than the one before."""
    for high, low in pairwise(numbers):
        if low >= high:
            raise ValueError(f"{low} comes after {high}; list the numbers from large to small")
    return numbers


@builder
@dataclass(frozen=True, slots=True, config=CHECKED)
class Priority(Builder):
    """Values from the most to the least important, such as by frequency; the last ones merge first.

    `keep` says how many stay themselves at each level; by default half as many each time. The rest is one
    group, called `other` with the number of values in it. (ARX's priority-based builder merges equal
    portions, and calls the rest `*` at every level.)

    >>> list(Priority(values=("flu", "asthma", "gout"), keep=(1,)).rows())
    [('flu', 'flu', '*'), ('asthma', 'other (2 values)', '*'), ('gout', 'other (2 values)', '*')]
    """

    kind: ClassVar[str] = "priority"
    values: SomeValues
    keep: Annotated[tuple[Count, ...], AfterValidator(check_falling), ONLY_LISTS] = ()
    other: Text = "other"
    """What the merged values are called."""
    unlisted: Flag = False
    """Whether values that are not listed are covered, as the least important ones."""

    @field_validator("keep")
    @classmethod
    def check_keep(cls, keep: Any, info: ValidationInfo) -> Any:
        """Check that something is merged, and that there are not too many levels."""
        if "values" in info.data:
            count = len(expand(info.data["values"]))
            check_size(count, len(keep))
            if keep and keep[0] >= count:
                raise ValueError(f"{keep[0]} of {count} values would stay; keep fewer")
        return keep

    @property
    def reading(self) -> Reading:
        """Cells are numbers where every value is written as one."""
        return reading_of_values(self.values)

    def columns(self) -> Columns:
        """List the values, then what each becomes, level by level."""
        values = expand(self.values)
        return [
            values,
            *(
                [*values[:kept], *[self._rest(len(values) - kept)] * (len(values) - kept)]
                for kept in self.keep or halves(len(values))
            ),
        ]

    def _rest(self, count: int) -> str:
        return f"{self.other} ({count} value{'' if count == 1 else 's'})"

    def remedy(self) -> str | None:
        """Say how to cover values that are not listed."""
        return "or write `unlisted = true` there"

    def traits(self) -> dict[str, Any]:
        """Return what knows values that are not listed."""
        if not self.unlisted:
            return {}
        last = tuple(column[-1] for column in self.columns())
        places = {value: float(place) for place, value in enumerate(expand(self.values))}
        return {"growth": Unlisted((*last[1:], self.top), places)}


@plain_dataclass(frozen=True)
class Unlisted(Growth):
    """Values that no list has: what all of them become above level 0."""

    last: tuple[str, ...]
    places: dict[str, float]

    def row_of(self, value: str) -> tuple[str, ...] | None:
        """Return what a value becomes."""
        return (value, *self.last)

    def position(self, value: str) -> float | None:
        """Return the place of a listed value; new ones come last."""
        return self.places.get(value)


def halves(count: int) -> list[int]:
    """Return half as many each time, down to one.

    >>> halves(12), halves(2)
    ([6, 3, 1], [1])
    """
    kept = []
    while count > 1:
        count //= 2
        kept.append(count)
    return kept
