"""Scenario: what an attacker may learn about a person and do with it, after Xia et al. 2021.

A scenario is a frozen value, a TOML file or the Bayesian network of the paper's Figure 1; each can be
turned into the others (for the network see network.py).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, fields, replace
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError, ValidationInfo, field_validator
from pydantic.dataclasses import dataclass

from anonymizer.errors import quote, quote_some, suggest_name
from anonymizer.validation import (
    CHECKED,
    ONLY_LISTS,
    ByName,
    ByValue,
    Count,
    Level,
    Names,
    Probability,
    Text,
    check_as_whole,
    parse,
    plain_errors,
    raise_faults,
    read_toml,
)

PARAMETERS = ("population", "p_m", "p_fm", "p_c", "p_cu")
ALL_OTHERS = "*"
"""Stands for every quasi-identifier that no group names."""


@plain_errors()
@dataclass(frozen=True, slots=True, config=CHECKED)
class AttributeGroup:
    """Attributes that the attacker learns together, from one source, or not at all.

    The `probability` is the same for everyone, or it depends on the person's value of the attribute
    `by`, as it was before generalization: `probabilities` lists values, `default` is for all others.
    Where a source has an attribute coarsely, it has the value of a level of its hierarchy (`levels`).
    The attribute "*" stands for every quasi-identifier that no group names.

    >>> voters = AttributeGroup(("age", "sex"), by="state", probabilities={"TN": 0.643}, default=0.6)
    >>> voters.probability_of(["TN", "OH"]).tolist()
    [0.643, 0.6]
    """

    attributes: Names
    probability: Probability | None = None
    by: Text | None = None
    probabilities: ByValue[Probability] = field(default_factory=dict, hash=False)
    default: Probability | None = None
    levels: ByName[Level] = field(default_factory=dict, hash=False)
    source: Text | None = None
    """Where the attacker learns it from, in words."""

    @field_validator("by")
    @classmethod
    def check_either(cls, by: str | None, info: ValidationInfo) -> str | None:
        """Check that there is one probability, or one for each value of an attribute."""
        if "probability" in info.data and (info.data["probability"] is None) == (by is None):
            raise ValueError(
                "give either `probability`, or this with `probabilities` and `default`"
            )
        return by

    @field_validator("probabilities", "default")
    @classmethod
    def check_dependent(cls, value: Any, info: ValidationInfo) -> Any:
        """Check that what depends on an attribute is given where the attribute is, and only there."""
        by = info.data.get("by", value)
        if value not in (None, {}) and by is None:
            raise ValueError("this key needs `by`, the attribute that the probability depends on")
        if value is None and by is not None:
            raise ValueError("this key is missing; give the probability for all values not listed")
        return value

    @field_validator("levels")
    @classmethod
    def check_levels(cls, levels: dict[str, int], info: ValidationInfo) -> dict[str, int]:
        """Check that the levels are those of attributes of the group."""
        names = info.data.get("attributes", levels)
        raise_faults(
            f"the group has no attribute {quote(name)}; {suggest_name(name, names)}"
            for name in levels
            if name not in names
        )
        return levels

    def __str__(self) -> str:
        return ", ".join(self.attributes)

    def probability_of(self, values: Sequence[str]) -> NDArray[np.float64]:
        """Return the probability that the group is learned, for values of the attribute `by`."""
        if self.by is None:
            return np.full(len(values), self.probability, np.float64)
        return np.array([self.probabilities.get(value, self.default) for value in values], float)

    def excludes(self, other: AttributeGroup) -> bool:
        """Whether nobody can be met by both groups, as nobody is on the voter lists of two states."""
        if self.by is None or self.by != other.by:
            return False
        pairs = [
            (group.probabilities.get(value, group.default) for group in (self, other))
            for value in [*self.probabilities, *other.probabilities]
        ]
        pairs.append(group.default for group in (self, other))
        return all(0 in pair for pair in pairs)

    def describe(self) -> dict[str, Any]:
        """Return the keys that are set, as TOML has them."""
        keys = {key: getattr(self, key) for key in ("source", "probability", "by", "default")}
        keys |= {"probabilities": self.probabilities or None, "levels": self.levels or None}
        given = {key: value for key, value in keys.items() if value is not None}
        return {"attributes": list(self.attributes), **given}


GROUP_KEYS = tuple(each.name for each in fields(AttributeGroup))


def check_groups(value: object) -> Iterator[str]:
    """Check that there are groups, and that no attribute is in two of those that are sound."""
    if not isinstance(value, list | tuple):
        return
    if not value:
        yield "no group is given; add a [[groups]] table"
    for one, other in combinations(sound_groups(value), 2):
        shared = [name for name in one.attributes if name in other.attributes]
        if shared and not one.excludes(other):
            yield f"{quote_some(shared)} is in two groups; an attribute is learned with one group only"


def sound_groups(tables: Sequence[object]) -> Iterator[AttributeGroup]:
    """List the groups that have no faults of their own."""
    for table in tables:
        try:
            yield TypeAdapter(AttributeGroup).validate_python(table)
        except ValidationError:
            continue


@plain_errors()
@dataclass(frozen=True, slots=True, config=CHECKED)
class Scenario:
    """What the attacker learns, how likely each step of an attack is, and the size of the population.

    The four probabilities have the names of the paper's Table 1.

    >>> Scenario((AttributeGroup(("age", "sex"), 0.64),), 10_000, 0.5, 0.2, 0.5, 0.2).attributes
    ('age', 'sex')
    """

    groups: Annotated[tuple[AttributeGroup, ...], ONLY_LISTS, check_as_whole(check_groups)]
    population: Count
    """The people among whom the attacker looks for the subject."""
    p_m: Probability
    """That the subject's presence in the table is disclosed."""
    p_fm: Probability
    """That the attacker finds out about a disclosed presence."""
    p_c: Probability
    """That the attacker can confirm that a record, picked among those that match, is the subject's."""
    p_cu: Probability
    """That the attacker can confirm that a subject who is unique in the population is so."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """All attributes that the attacker may learn."""
        names = (attribute for group in self.groups for attribute in group.attributes)
        return tuple(dict.fromkeys(names))

    @property
    def named(self) -> tuple[str, ...]:
        """All attributes that must be in the table: to be learned, or to say how likely that is."""
        by = [group.by for group in self.groups if group.by is not None]
        return tuple(name for name in dict.fromkeys([*self.attributes, *by]) if name != ALL_OTHERS)

    def expand(self, quasi_identifiers: Sequence[str]) -> Scenario:
        """Write out "*" as the quasi-identifiers that no group names; a group left empty goes.

        >>> everything = Scenario((AttributeGroup(("*",), 1.0),), 10_000, 0.5, 0.2, 0.5, 0.2)
        >>> everything.expand(["age", "sex"]).attributes
        ('age', 'sex')
        """
        if ALL_OTHERS not in self.attributes:
            return self
        others = [name for name in quasi_identifiers if name not in self.attributes]
        groups = []
        for group in self.groups:
            names = [[name] if name != ALL_OTHERS else others for name in group.attributes]
            if expanded := tuple(name for part in names for name in part):
                groups.append(replace(group, attributes=expanded))
        return replace(self, groups=tuple(groups))

    def check_attributes(self, quasi_identifiers: Sequence[str]) -> list[str]:
        """Say which attributes of the scenario are not quasi-identifiers of the table."""
        return [
            f"groups: '{name}' is not a quasi-identifier; {suggest_name(name, quasi_identifiers)}"
            for name in self.named
            if name not in quasi_identifiers
        ]

    def check_records(self, records: int) -> str | None:
        """Say why a table of so many records cannot come from the population, or return None."""
        if records <= self.population:
            return None
        return (
            f"population: {self.population} people are fewer than the table's {records} records; "
            "give the size of the population that the table is drawn from."
        )

    @staticmethod
    def read(path: str | Path) -> Scenario:
        """Read a scenario from a TOML file, or say everything that is wrong with it."""
        keys = read_toml(path, "scenario")
        return Scenario.parse(keys, str(path))

    @staticmethod
    def parse(keys: Mapping[str, Any], where: str = "scenario") -> Scenario:
        """Make a scenario of the keys of a TOML file; all faults are shown together.

        >>> Scenario.parse({"groups": [], "population": 0, "p_m": 2, "p_fm": 1, "p_c": 1, "p_cu": 1})
        Traceback (most recent call last):
        anonymizer.errors.PolicyError: scenario has 3 defects:
          - groups: no group is given; add a [[groups]] table.
          - population: 0 is too small; use 1 or more.
          - p_m: 2 is not a probability; use a number from 0 to 1.
        """
        return parse(Scenario, dict(keys), where)

    def describe(self) -> dict[str, Any]:
        """Return the scenario as JSON or TOML has it; `parse` reads it back."""
        parameters = {key: getattr(self, key) for key in PARAMETERS}
        return parameters | {"groups": [group.describe() for group in self.groups]}

    def to_toml(self) -> str:
        """Write the scenario as the text of a TOML file; `read` reads it back."""
        lines = [f"{key} = {getattr(self, key)!r}" for key in PARAMETERS]
        for group in self.groups:
            lines += ["", "[[groups]]", *group_lines(group.describe())]
        return "\n".join(lines) + "\n"


def group_lines(keys: dict[str, Any]) -> Iterator[str]:
    """Write a group as lines of TOML."""
    tables = {key: keys.pop(key) for key in ("probabilities", "levels") if key in keys}
    keys["attributes"] = "[" + ", ".join(map(toml_text, keys["attributes"])) + "]"
    keys |= {key: toml_text(keys[key]) for key in ("by", "source") if key in keys}
    yield from (f"{key} = {value}" for key, value in keys.items())
    for name, table in tables.items():
        yield f"[groups.{name}]"
        yield from (f"{toml_text(value)} = {number!r}" for value, number in table.items())


def toml_text(value: str) -> str:
    """Write a text as TOML does."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", r"\u007f")
