"""Scenario: what an attacker may learn about a person and do with it, after Xia et al. 2021.

A scenario is a frozen value, a TOML file or the Bayesian network of the paper's Figure 1; each can be
turned into the others (for the network see network.py).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.errors import PolicyError, quote_some, suggest_name
from anonymizer.hierarchy.checks import Faults, text, unrepeated, whole
from anonymizer.validation import read_toml

PARAMETERS = ("p_m", "p_fm", "p_c", "p_cu")
KEYS = ("population", *PARAMETERS, "groups")
GROUP_KEYS = ("attributes", "probability", "by", "probabilities", "default", "levels", "source")
ALL_OTHERS = "*"
"""Stands for every quasi-identifier that no group names."""


@dataclass(frozen=True, slots=True)
class AttributeGroup:
    """Attributes that the attacker learns together, from one source, or not at all.

    The `probability` is the same for everyone, or it depends on the person's value of the attribute
    `by`, as it was before generalization: `probabilities` lists values, `default` is for all others.
    A source that tells an attribute coarsely tells the value of a level of its hierarchy (`levels`).
    The attribute "*" stands for every quasi-identifier that no group names.

    >>> voters = AttributeGroup(("age", "sex"), by="state", probabilities={"TN": 0.643}, default=0.6)
    >>> voters.probability_of(["TN", "OH"]).tolist()
    [0.643, 0.6]
    """

    attributes: tuple[str, ...]
    probability: float | None = None
    by: str | None = None
    probabilities: Mapping[str, float] = field(default_factory=dict, hash=False)
    default: float | None = None
    levels: Mapping[str, int] = field(default_factory=dict, hash=False)
    source: str | None = None
    """Where the attacker learns it from, in words."""

    def __post_init__(self) -> None:
        if faults := list(group_faults(self.describe())):
            raise PolicyError.defective("attribute group", faults)
        object.__setattr__(self, "levels", dict(self.levels))
        plain = {value: float(number) for value, number in self.probabilities.items()}
        object.__setattr__(self, "attributes", tuple(self.attributes))
        object.__setattr__(self, "probabilities", plain)
        for key in ("probability", "default"):
            if getattr(self, key) is not None:
                object.__setattr__(self, key, float(getattr(self, key)))

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
        keys: dict[str, Any] = {"attributes": self.attributes}
        if isinstance(self.attributes, tuple):
            keys["attributes"] = list(self.attributes)
        keys |= {key: getattr(self, key) for key in ("source", "probability", "by", "default")}
        keys["probabilities"] = self.probabilities or None
        keys["levels"] = self.levels or None
        return {key: value for key, value in keys.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Scenario:
    """What the attacker learns, how likely each step of an attack is, and the size of the population.

    The four probabilities have the names of the paper's Table 1.

    >>> Scenario((AttributeGroup(("age", "sex"), 0.64),), 10_000, 0.5, 0.2, 0.5, 0.2).attributes
    ('age', 'sex')
    """

    groups: tuple[AttributeGroup, ...]
    population: int
    """The people among whom the attacker looks for the subject."""
    p_m: float
    """That the subject's presence in the table is disclosed."""
    p_fm: float
    """That the attacker finds out about a disclosed presence."""
    p_c: float
    """That the attacker can confirm that a record, picked among those that match, is the subject's."""
    p_cu: float
    """That the attacker can confirm that a subject who is unique in the population is so."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "groups", tuple(self.groups))
        parameters = {key: getattr(self, key) for key in KEYS[:-1]}
        if faults := [*parameter_faults(parameters), *overlap_faults(self.groups)]:
            raise PolicyError.defective("scenario", faults)
        for key in PARAMETERS:
            object.__setattr__(self, key, float(getattr(self, key)))

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
        """Say which attributes of the scenario are no quasi-identifiers of the table."""
        unknown = [name for name in self.named if name not in quasi_identifiers]
        return [
            f"groups: '{name}' is no quasi-identifier; {suggest_name(name, quasi_identifiers)}"
            for name in unknown
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

        >>> Scenario.parse({"population": 0, "p_m": 2, "p_fm": 1, "p_c": 1, "p_cu": 1})
        Traceback (most recent call last):
        anonymizer.errors.PolicyError: scenario has 3 defects:
          - population: 0 is too small; use 1 or more.
          - p_m: 2 is no probability; use a number from 0 to 1.
          - groups: no group is given; add a [[groups]] table.
        """
        faults = [*unknown_keys(keys, KEYS), *parameter_faults(keys), *groups_faults(keys)]
        if faults:
            raise PolicyError.defective(where, faults)
        groups = tuple(AttributeGroup(**table) for table in keys["groups"])
        return Scenario(groups, **{key: keys[key] for key in KEYS[:-1]})

    def describe(self) -> dict[str, Any]:
        """Return the scenario as JSON or TOML has it; `parse` reads it back."""
        parameters = {key: getattr(self, key) for key in KEYS[:-1]}
        return parameters | {"groups": [group.describe() for group in self.groups]}

    def to_toml(self) -> str:
        """Write the scenario as the text of a TOML file; `read` reads it back."""
        lines = [f"{key} = {getattr(self, key)!r}" for key in KEYS[:-1]]
        for group in self.groups:
            lines += ["", "[[groups]]", *group_lines(group.describe())]
        return "\n".join(lines) + "\n"


def group_lines(keys: dict[str, Any]) -> Iterator[str]:
    """Write a group as lines of TOML."""
    tables = {key: keys.pop(key) for key in ("probabilities", "levels") if key in keys}
    keys["attributes"] = "[" + ", ".join(map(quote, keys["attributes"])) + "]"
    keys |= {key: quote(keys[key]) for key in ("by", "source") if key in keys}
    yield from (f"{key} = {value}" for key, value in keys.items())
    for name, table in tables.items():
        yield f"[groups.{name}]"
        yield from (f"{quote(value)} = {number!r}" for value, number in table.items())


def quote(value: str) -> str:
    """Write a text as TOML does."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", r"\u007f")


def unknown_keys(keys: Mapping[str, Any], known: Sequence[str]) -> Faults:
    """Check that every key is known."""
    for key in keys:
        if key not in known:
            yield f"{key}: this key is unknown; {suggest_name(key, known)}"


def probability(key: str, value: object) -> Faults:
    """Check that the value is a probability."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not (number and 0 <= value <= 1):  # type: ignore[operator]  # it is a number
        yield f"{key}: {value!r} is no probability; use a number from 0 to 1."


def parameter_faults(keys: Mapping[str, Any]) -> Faults:
    """Check the population and the four probabilities."""
    for key in KEYS[:-1]:
        if key not in keys:
            yield f"{key}: this key is missing; add it."
        elif key == "population":
            yield from whole(key, keys[key], least=1)
        else:
            yield from probability(key, keys[key])


def groups_faults(keys: Mapping[str, Any]) -> Faults:
    """Check the tables of all groups, and that no attribute is in two."""
    tables = keys.get("groups", [])
    if not isinstance(tables, list | tuple) or not all(isinstance(t, Mapping) for t in tables):
        yield f"groups: {tables!r} is no list of tables; write each group as a [[groups]] table."
        return
    sound = []
    for number, table in enumerate(tables, 1):
        faults = [*unknown_keys(table, GROUP_KEYS), *group_faults(table)]
        yield from (f"group {number}: {fault}" for fault in faults)
        if not faults:
            sound.append(AttributeGroup(**table))
    if sound or not tables:
        yield from overlap_faults(sound)


def overlap_faults(groups: Sequence[AttributeGroup]) -> Faults:
    """Check that there are groups, and that no attribute is in two of them."""
    if not groups:
        yield "groups: no group is given; add a [[groups]] table."
    for one, other in combinations(groups, 2):
        shared = [name for name in one.attributes if name in other.attributes]
        if shared and not one.excludes(other):
            names = quote_some(shared)
            yield f"groups: {names} is in two groups; an attribute is learned with one group only."


def group_faults(table: Mapping[str, Any]) -> Faults:
    """Check the keys of one group."""
    yield from attribute_faults(table.get("attributes", ()))
    yield from level_faults(table)
    if "source" in table:
        yield from text("source", table["source"])
    if ("probability" in table) == ("by" in table):
        yield "probability: give either this, or `by` with `probabilities` and `default`."
    elif "by" in table:
        yield from by_faults(table)
    else:
        yield from probability("probability", table["probability"])
        for key in ("probabilities", "default"):
            if key in table:
                yield f"{key}: this key needs `by`, the attribute that the probability depends on."


def attribute_faults(attributes: Any) -> Faults:
    """Check that the attributes of a group are a list of different names."""
    if not isinstance(attributes, list | tuple):
        yield f"attributes: {attributes!r} is no list; write it as [ ... ]."
        return
    if not attributes:
        yield "attributes: the group is empty; name at least one attribute."
    wrong = [fault for name in attributes for fault in text("attributes", name)]
    yield from wrong or unrepeated("attributes", attributes)


def level_faults(table: Mapping[str, Any]) -> Faults:
    """Check the levels at which the source tells some of the group's attributes."""
    levels = table.get("levels", {})
    if not isinstance(levels, Mapping):
        yield f"levels: {levels!r} is no table; write the level of each attribute."
        return
    for name, level in levels.items():
        if name not in table.get("attributes", ()):
            yield f"levels.{name}: the group has no such attribute; name one of the group's."
        yield from whole(f"levels.{name}", level, least=0)


def by_faults(table: Mapping[str, Any]) -> Faults:
    """Check the probabilities by the value of an attribute."""
    yield from text("by", table["by"])
    values = table.get("probabilities", {})
    if not isinstance(values, Mapping):
        yield f"probabilities: {values!r} is no table; write a probability for each value."
        return
    for value, its_probability in values.items():
        yield from text("probabilities", value)
        yield from probability(f"probabilities.{value}", its_probability)
    if "default" in table:
        yield from probability("default", table["default"])
    else:
        yield "default: this key is missing; give the probability for all values not listed."
