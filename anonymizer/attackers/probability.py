"""Chance: a probability as a scenario states it.

It is one for everybody, or it depends on the values of attributes, or each row of the table has its own
in a column. Wherever a number stands, a range may stand as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import cache
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, TypeAdapter, ValidationInfo, WithJsonSchema
from pydantic.dataclasses import dataclass

from anonymizer.attackers.overlap import in_proportion
from anonymizer.errors import suggest_name
from anonymizer.validation import (
    CHECKED,
    NOT_EMPTY,
    ByValue,
    CellText,
    Probability,
    Text,
    check_unrepeated,
    plain_errors,
    show,
)

LOW, HIGH = 0, 1
"""The ends of a range."""


# an adapter is made once: that takes far longer than to use it
PROBABILITY: TypeAdapter[float] = TypeAdapter(Probability)
TEXT: TypeAdapter[str] = TypeAdapter(Text)
TEXTS: TypeAdapter[tuple[str, ...]] = TypeAdapter(
    Annotated[tuple[Text, ...], NOT_EMPTY, AfterValidator(check_unrepeated)]
)


def parse_amount(value: object) -> object:
    """Take a probability, or a range of two."""
    if not isinstance(value, list | tuple):
        return PROBABILITY.validate_python(value)
    if len(value) != 2:
        raise ValueError(f"{show(value)} is not a range; give two probabilities, the lower first")
    low, high = (PROBABILITY.validate_python(end) for end in value)
    if low > high:
        raise ValueError(f"{show([low, high])} is upside down; write the lower number first")
    return low, high


NUMBER_OR_RANGE = WithJsonSchema({"type": ["number", "array"]})
Amount = Annotated[Any, BeforeValidator(parse_amount), NUMBER_OR_RANGE]
"""A probability or a range."""


def parse_names(value: object) -> object:
    """Take one name, or a list of different ones."""
    if not isinstance(value, list | tuple):
        return TEXT.validate_python(value)
    names: tuple[str, ...] = TEXTS.validate_python(value)
    return names if len(names) > 1 else names[0]


def check_either(by: Any, info: ValidationInfo) -> Any:
    """Check that there is one probability, or a column of them, or one for each value of attributes."""
    given = [info.data.get("probability", by), info.data.get("column", by), by]
    sound = {"probability", "column"} <= info.data.keys()
    if sound and sum(each is not None for each in given) != 1:
        raise ValueError(
            "give one of `probability`, `column`, or this with `probabilities` and `default`"
        )
    return by


def check_dependent(value: Any, info: ValidationInfo) -> Any:
    """Check that the keys that depend on `by` stand beside it, and only there."""
    by = info.data.get("by", value)
    if value not in (None, {}) and by is None:
        raise ValueError("this key needs `by`, the attribute that the probability depends on")
    if value is None and by is not None:
        raise ValueError("this key is missing; give the probability for all values not listed")
    return value


def parse_tree(value: object, info: ValidationInfo) -> object:
    """Take a table by the values of an attribute; of several, a table in a table."""
    return tree_of(max(1, len(names_of(info.data.get("by"))))).validate_python(value)


@cache
def tree_of(depth: int) -> TypeAdapter[Any]:
    """Return the type of a table by the values of so many attributes."""
    if depth == 1:
        return TypeAdapter(ByValue[Amount])

    def parse_branch(value: object) -> object:
        if isinstance(value, Mapping):
            return tree_of(depth - 1).validate_python(value)
        return parse_amount(value)

    return TypeAdapter(dict[CellText, Annotated[Any, BeforeValidator(parse_branch)]])


By = Annotated[
    Any | None,
    BeforeValidator(lambda value: None if value is None else parse_names(value)),
    AfterValidator(check_either),
    WithJsonSchema({"type": ["string", "array"]}),
]
Tree = Annotated[dict[str, Any], BeforeValidator(parse_tree), AfterValidator(check_dependent)]
"""Probabilities by the values of one attribute, or tables of them by those of the next."""
Default = Annotated[
    Any | None,
    BeforeValidator(lambda value: None if value is None else parse_amount(value)),
    AfterValidator(check_dependent),
    NUMBER_OR_RANGE,
]
Given = Annotated[
    Any | None,
    BeforeValidator(lambda value: None if value is None else parse_amount(value)),
    NUMBER_OR_RANGE,
]


@plain_errors()
@dataclass(frozen=True, slots=True, config=CHECKED)
class Chance:
    """A probability, the same for everyone, or of each person.

    With `by` it depends on the person's values of attributes as they were before generalization:
    `probabilities` lists values, in nested tables where there are several attributes, and `default` is
    for all others. With `column` each row has its own, a number from 0 to 1.

    >>> voters = Chance(by=("state", "sex"), probabilities={"TN": {"F": 0.66}, "OH": 0.7}, default=0.6)
    >>> voters.of(["TN", "F"]), voters.of(["OH", "F"]), voters.of(["TN", "M"])
    (0.66, 0.7, 0.6)
    """

    probability: Given = None
    column: Text | None = None
    by: By = None
    probabilities: Tree = field(default_factory=dict, hash=False)
    default: Default = None

    @property
    def by_names(self) -> tuple[str, ...]:
        """The attributes that it depends on."""
        return names_of(self.by)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the table that it depends on."""
        return self.by_names if self.column is None else (self.column,)

    def of(self, values: Sequence[str]) -> Any:
        """Return the number or range for values of the attributes `by`; for all, where there are none."""
        if self.by is None:
            return self.probability
        found: Any = self.probabilities
        for value in values:
            found = found.get(value, self.default)
            if not isinstance(found, Mapping):
                return found
        return found

    def listed(self, attribute: str) -> list[str]:
        """List the values of an attribute that have a probability of their own."""
        tables: list[Any] = [self.probabilities]
        for name in self.by_names:
            if name == attribute:
                return list(dict.fromkeys(value for table in tables for value in table))
            tables = [t for table in tables for t in table.values() if isinstance(t, Mapping)]
        return []

    def change(self, change: Callable[[Any], Any]) -> Chance:
        """Return it with every number or range changed."""
        return replace(
            self,
            probability=None if self.probability is None else change(self.probability),
            probabilities=change_tree(self.probabilities, change),
            default=None if self.default is None else change(self.default),
        )

    def at(self, end: int) -> Chance:
        """Return it with one end of every range in place of the range."""
        return self.change(lambda amount: end_of(amount, end)) if self.has_range else self

    @property
    def amounts(self) -> list[Any]:
        """All numbers and ranges; none where each row has its own."""
        found = [self.probability, self.default, *leaves_of(self.probabilities)]
        return [amount for amount in found if amount is not None]

    @property
    def has_range(self) -> bool:
        """Whether a range stands anywhere."""
        return any(isinstance(amount, tuple) for amount in self.amounts)

    @property
    def largest(self) -> float | None:
        """The highest that it may be for anybody; None where each row has its own."""
        return max((end_of(amount, HIGH) for amount in self.amounts), default=None)

    def with_largest(self, largest: float) -> Chance:
        """Return it at the upper ends, with another largest value, and the others in proportion."""
        change = in_proportion(self.largest or 0.0, largest)
        return self.change(lambda amount: change(end_of(amount, HIGH)))

    @property
    def impossible(self) -> bool:
        """Whether it is 0 for everybody, whatever the table."""
        return self.probability == 0

    def rename(self, columns: Mapping[str, str]) -> Chance:
        """Call attributes and columns as the table does."""
        by = tuple(columns.get(name, name) for name in self.by_names)
        column = None if self.column is None else columns.get(self.column, self.column)
        return replace(self, column=column, by=by or None)

    def fix(self, attribute: str, value: str) -> Chance:
        """Return it for people who all have one value of an attribute."""
        if attribute == self.column:
            return Chance(read_probability(attribute, value))
        if attribute not in self.by_names:
            return self
        at = self.by_names.index(attribute)
        tree = fix_tree(self.probabilities, at, value, self.default)
        rest = tuple(name for name in self.by_names if name != attribute)
        if not isinstance(tree, Mapping) or not rest:
            return Chance(tree)
        return replace(self, by=rest, probabilities=dict(tree))

    def describe(self) -> dict[str, Any]:
        """Return the keys that are set, as TOML has them."""
        keys = {
            "probability": self.probability,
            "column": self.column,
            "by": self.by,
            "default": self.default,
        }
        written = {key: write_amount(value) for key, value in keys.items() if value is not None}
        if self.probabilities:
            written["probabilities"] = change_tree(self.probabilities, write_amount)
        return written


CHANCE_KEYS = ("probability", "column", "by", "probabilities", "default")


def names_of(by: Any) -> tuple[str, ...]:
    """Return the names that `by` gives, one or several."""
    if by is None:
        return ()
    return tuple(by) if isinstance(by, list | tuple) else (by,)


def change_tree(tree: Mapping[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    """Change every number or range of nested tables."""
    return {
        value: change_tree(below, change) if isinstance(below, Mapping) else change(below)
        for value, below in tree.items()
    }


def fix_tree(tree: Any, at: int, value: str, default: Any) -> Any:
    """Take one attribute out of nested tables: the one at a depth, which has one value."""
    if not isinstance(tree, Mapping):
        return tree
    if at == 0:
        return tree.get(value, default)
    return {key: fix_tree(below, at - 1, value, default) for key, below in tree.items()}


def leaves_of(tree: Mapping[str, Any]) -> Iterable[Any]:
    """Yield every number or range of nested tables."""
    for below in tree.values():
        if isinstance(below, Mapping):
            yield from leaves_of(below)
        else:
            yield below


def end_of(amount: Any, end: int) -> float:
    """Return one end of a range; a number is both."""
    return float(amount[end] if isinstance(amount, tuple) else amount)


def write_amount(amount: Any) -> Any:
    """Write a range, or names, as a list."""
    return list(amount) if isinstance(amount, tuple) else amount


def read_probability(column: str, text: str) -> float:
    """Read a cell that holds a probability, or raise a ValueError that says it does not.

    >>> read_probability("consent", "0.25")
    0.25
    """
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise ValueError(
            f"column '{column}': {show(text)} is not a probability; use a number from 0 to 1"
        )
    return number


adapter_of = cache(TypeAdapter)


def parse_likelihood(value: object) -> object:
    """Take a probability, a range, or a table that gives it by person."""
    if isinstance(value, Chance):
        return value if value.probability is None else value.probability
    if not isinstance(value, Mapping):
        return parse_amount(value)
    if unknown := [key for key in value if key not in CHANCE_KEYS]:
        raise ValueError(
            f"the key {show(unknown[0])} is unknown; {suggest_name(str(unknown[0]), CHANCE_KEYS)}"
        )
    chance: Chance = adapter_of(Chance).validate_python(value)
    return chance if chance.probability is None else chance.probability


Likelihood = Annotated[
    Any,
    BeforeValidator(parse_likelihood),
    WithJsonSchema({"type": ["number", "array", "object"]}),
]
"""A probability, a range, or a chance that depends on the person."""


def as_chance(likelihood: Any) -> Chance:
    """Return a likelihood as a chance."""
    return likelihood if isinstance(likelihood, Chance) else Chance(likelihood)
