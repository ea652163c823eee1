"""Scenario: what an attacker may learn about a person and do with it, after Xia et al. 2021.

A scenario is a frozen value or a TOML file, and is drawn as the Bayesian network of the paper's Figure 1
(network.py). Beyond the paper, groups of attributes may have a
common cause, and a probability may be a range, or depend on the person (see probability.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import BeforeValidator, TypeAdapter, ValidationInfo, WithJsonSchema, field_validator
from pydantic.dataclasses import dataclass

from anonymizer.attackers.probability import (
    CHANCE_KEYS,
    By,
    Chance,
    Default,
    Given,
    Likelihood,
    Tree,
    as_chance,
    parse_likelihood,
    write_amount,
)
from anonymizer.errors import quote, suggest_name
from anonymizer.estimators.uniques import ESTIMATORS
from anonymizer.validation import (
    CHECKED,
    ONLY_LISTS,
    ByName,
    Count,
    Level,
    Names,
    Text,
    check_as_whole,
    explain_dots,
    parse,
    parse_path,
    plain_errors,
    raise_faults,
    read_toml,
    show,
)

PARAMETERS = ("p_m", "p_fm", "p_c", "p_cu")
ALL_OTHERS = "*"
"""Stands for every quasi-identifier that no group names."""

EXAMPLE = """
population = 100_000           # the people among whom the attacker looks; or a table: "people.csv"
estimator = "pitman"           # of how many are unique among them; or "zayatz", "snb", "dankar"

p_m  = 0.5                     # that somebody's presence in the table is disclosed
p_fm = [0.2, 0.8]              # that the attacker hears of it: a range, where you do not know better
p_c  = 0.5                     # that the attacker can confirm that a record picked is the person's
p_cu = { by = "sex", probabilities = { F = 0.4 }, default = 0.5 }       # that a person is unique

[causes]                       # what several groups depend on: without it none of them is learned
account = 0.15                 # a probability like any other: also a range, by a value, from a column

[[learned]]                     # attributes that are learned together, from one source, or not at all
attributes = ["age", "sex"]
source = "the profile of the account"
cause = "account"
probability = 0.8              # once the account is found

[[learned]]
attributes = ["zip"]
source = "places named in posts"
cause = "account"
probability = [0.2, 0.5]
levels = { zip = 1 }           # the level of the hierarchy on which the source knows it; default 0

[[learned]]                     # an attribute may come from several sources: one is enough
attributes = ["age", "sex", "zip"]
source = "the voter list"
by = "zip"                     # the probability depends on the value of an attribute, or of several:
default = 0.6                  # by = ["zip", "sex"], probabilities = { "44101" = { F = 0.66 } }
probabilities = { "44101" = 0.64 }

[[learned]]
attributes = ["*"]             # every quasi-identifier that no group names
source = "a relative"
column = "known_to_staff"      # each row has its own: a column of numbers from 0 to 1
"""
"""A scenario with every key there is."""


def parse_cause(value: object) -> object:
    """Take the probability of a cause, or a table that gives it by person."""
    return as_chance(parse_likelihood(value))


Causes = Annotated[
    dict[Text, Annotated[Chance, BeforeValidator(parse_cause)]], explain_dots(CHANCE_KEYS)
]


COUNT: TypeAdapter[int] = TypeAdapter(Count)


THE_TABLE = "the table"
"""A population that nobody stated: whoever is alone in the table is taken to be alone altogether."""


def parse_population(value: object) -> object:
    """Take the size of the population, the path of a table of it, or that it is the table itself."""
    if value == THE_TABLE:
        return value
    if isinstance(value, str | Path):
        return Path(str(parse_path(value)))
    return COUNT.validate_python(value)


def parse_estimator(value: object) -> object:
    """Take the name of an estimator of population uniques."""
    if isinstance(value, str) and value in ESTIMATORS:
        return value
    raise ValueError(f"{show(value)} is not an estimator; {suggest_name(value, ESTIMATORS)}")


@plain_errors()
@dataclass(frozen=True, slots=True, config=CHECKED)
class AttributeGroup:
    """Attributes that the attacker learns together, from one source, or not at all.

    How likely is said as in a `Chance`; where the group has a `cause`, once that is found. Where a source
    has an attribute coarsely, it has the value of a level of its hierarchy (`levels`). The attribute "*"
    stands for every quasi-identifier that no group names.

    >>> voters = AttributeGroup(("age", "sex"), by="state", probabilities={"TN": 0.643}, default=0.6)
    >>> voters.chance.of(["TN"]), voters.chance.of(["OH"])
    (0.643, 0.6)
    """

    attributes: Names
    probability: Given = None
    column: Text | None = None
    by: By = None
    probabilities: Tree = field(default_factory=dict, hash=False)
    default: Default = None
    cause: Text | None = None
    """What must be found first, one of `causes`."""
    levels: ByName[Level] = field(default_factory=dict, hash=False)
    source: Text | None = None
    """Where the attacker learns it from, in words."""

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

    @property
    def chance(self) -> Chance:
        """How likely the group is learned, once its cause is found."""
        return Chance(**{key: getattr(self, key) for key in CHANCE_KEYS})

    def with_chance(self, chance: Chance) -> AttributeGroup:
        """Return the group learned with another probability."""
        return replace(self, **{key: getattr(chance, key) for key in CHANCE_KEYS})

    def describe(self) -> dict[str, Any]:
        """Return the keys that are set, as TOML has them."""
        keys = {"source": self.source, "cause": self.cause, "levels": self.levels or None}
        given = {key: value for key, value in keys.items() if value is not None}
        return {"attributes": list(self.attributes), **self.chance.describe(), **given}


def check_groups(value: object) -> Iterator[str]:
    """Check that there are groups."""
    if isinstance(value, list | tuple) and not value:
        yield "no group is given; add a [[learned]] table"


@plain_errors()
@dataclass(frozen=True, slots=True, config=CHECKED)
class Scenario:
    """What the attacker learns, how likely each step of an attack is, and the size of the population.

    The four probabilities have the names of the paper's Table 1.

    >>> Scenario((AttributeGroup(("age", "sex"), 0.64),), 10_000, 0.5, 0.2, 0.5, 0.2).attributes
    ('age', 'sex')
    """

    learned: Annotated[tuple[AttributeGroup, ...], ONLY_LISTS, check_as_whole(check_groups)]
    population: Annotated[
        Any,
        BeforeValidator(parse_population),
        WithJsonSchema({"type": ["integer", "string"]}),
    ]
    """The people among whom the attacker looks for the subject: how many, the path of a table of them,
    or "the table" where nobody knows."""
    p_m: Likelihood
    """That the subject's presence in the table is disclosed."""
    p_fm: Likelihood
    """That the attacker finds out about a disclosed presence."""
    p_c: Likelihood
    """That the attacker can confirm that a record, picked among those that match, is the subject's."""
    p_cu: Likelihood
    """That the attacker can confirm that a subject who is unique in the population is so."""
    causes: Causes = field(default_factory=dict, hash=False)
    """What several groups depend on, such as one account, and how likely it is found."""
    estimator: Annotated[str, BeforeValidator(parse_estimator)] = "pitman"
    """How it is estimated whether somebody who is unique in the table is so in the population."""

    @field_validator("causes")
    @classmethod
    def check_causes(cls, causes: dict[str, Chance], info: ValidationInfo) -> dict[str, Chance]:
        """Check that groups name causes that there are, and that each cause has a group."""
        groups = info.data.get("learned")
        if groups is None:
            return causes
        named = dict.fromkeys(group.cause for group in groups if group.cause is not None)
        absent = (name for name in named if name not in causes)
        idle = (name for name in causes if name not in named)
        raise_faults(
            [
                *(f"{quote(name)}, the cause of a group, is unknown; " + hint(name, causes)
                  for name in absent),
                *(f"{quote(name)} is the cause of no group; name it in one, or remove it"
                  for name in idle),
            ]
        )  # fmt: skip
        return causes

    @property
    def attributes(self) -> tuple[str, ...]:
        """All attributes that the attacker may learn."""
        names = (attribute for group in self.learned for attribute in group.attributes)
        return tuple(dict.fromkeys(names))

    @property
    def named(self) -> tuple[str, ...]:
        """All attributes that must be in the table: to be learned, or to say how likely that is."""
        other = (name for chance in self.chances for name in chance.names)
        return tuple(
            name for name in dict.fromkeys([*self.attributes, *other]) if name != ALL_OTHERS
        )

    @property
    def parameters(self) -> tuple[Chance, ...]:
        """The four probabilities, in their order."""
        return tuple(as_chance(value) for value in (self.p_m, self.p_fm, self.p_c, self.p_cu))

    @property
    def chances(self) -> tuple[Chance, ...]:
        """All probabilities: of groups, causes and parameters."""
        groups = (group.chance for group in self.learned)
        return (*groups, *self.causes.values(), *self.parameters)

    @property
    def counted(self) -> bool:
        """Whether it is counted in a population table who is unique, not estimated."""
        return isinstance(self.population, Path)

    @property
    def is_stated(self) -> bool:
        """Whether somebody stated a population."""
        return bool(self.population != THE_TABLE)

    @property
    def size(self) -> int:
        """The people of the population; 0 where it is the table, which has more."""
        return int(self.population) if self.is_stated else 0

    @property
    def needs_unique(self) -> bool:
        """Whether it matters who is unique in the population."""
        return bool(self.p_cu != 0)

    def change(self, change: Callable[[Chance], Chance]) -> Scenario:
        """Return the scenario with every probability changed."""
        parameters: dict[str, Any] = dict(
            zip(PARAMETERS, map(change, self.parameters), strict=True)
        )
        groups = tuple(group.with_chance(change(group.chance)) for group in self.learned)
        causes = {name: change(chance) for name, chance in self.causes.items()}
        return replace(self, learned=groups, causes=causes, **parameters)

    @property
    def has_ranges(self) -> bool:
        """Whether a probability is a range."""
        return any(chance.has_range for chance in self.chances)

    @property
    def has_learned_ranges(self) -> bool:
        """Whether it is a range how likely something is learned."""
        learned = [group.chance for group in self.learned] + list(self.causes.values())
        return any(chance.has_range for chance in learned)

    def at(self, end: int) -> Scenario:
        """Return the scenario with one end of every range; at the upper ends nobody's risk is lower."""
        return self.change(lambda chance: chance.at(end)) if self.has_ranges else self

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
        for group in self.learned:
            names = [[name] if name != ALL_OTHERS else others for name in group.attributes]
            if expanded := tuple(name for part in names for name in part):
                groups.append(replace(group, attributes=expanded))
        return replace(self, learned=tuple(groups))

    def check_attributes(self, quasi_identifiers: Sequence[str]) -> list[str]:
        """Say which attributes of the scenario are not quasi-identifiers of the table."""
        return [
            f"learned: '{name}' is not a quasi-identifier; {suggest_name(name, quasi_identifiers)}"
            for name in self.attributes
            if name not in (*quasi_identifiers, ALL_OTHERS)
        ]

    def beside(self, quasi_identifiers: Sequence[str]) -> tuple[str, ...]:
        """List the columns that are needed beside the quasi-identifiers."""
        return tuple(
            name
            for name in dict.fromkeys(name for chance in self.chances for name in chance.names)
            if name not in quasi_identifiers
        )

    def check_people(self, people: int) -> str | None:
        """Say why a table of so many people cannot come from the population, or return None."""
        if self.counted or not self.is_stated or people <= self.population:
            return None
        return (
            f"population: {self.population} people are fewer than the table's {people}; "
            "give the size of the population that the table is drawn from."
        )

    @staticmethod
    def read(path: str | Path) -> Scenario:
        """Read a scenario from a TOML file, or say everything that is wrong with it."""
        keys = read_toml(path, "scenario")
        scenario = Scenario.parse(keys, str(path))
        if not scenario.counted:
            return scenario
        return replace(scenario, population=Path(path).parent / scenario.population)

    @staticmethod
    def parse(keys: Mapping[str, Any], where: str = "scenario") -> Scenario:
        """Make a scenario of the keys of a TOML file; all faults are shown together.

        >>> Scenario.parse({"learned": [], "population": 0, "p_m": 2, "p_fm": 1, "p_c": 1, "p_cu": 1})
        Traceback (most recent call last):
        anonymizer.errors.PolicyError: scenario has 3 defects:
          - learned: no group is given; add a [[learned]] table.
          - population: 0 is too small; use 1 or more.
          - p_m: 2 is not a probability; use a number from 0 to 1.
        """
        return parse(Scenario, dict(keys), where)

    def describe(self) -> dict[str, Any]:
        """Return the scenario as JSON or TOML has it; `parse` reads it back."""
        population = str(self.population) if self.counted else self.population
        described: dict[str, Any] = {"population": population}
        described |= {key: describe_likelihood(getattr(self, key)) for key in PARAMETERS}
        if self.estimator != "pitman":
            described["estimator"] = self.estimator
        if self.causes:
            described["causes"] = {name: c.describe() for name, c in self.causes.items()}
        return described | {"learned": [group.describe() for group in self.learned]}


def describe_likelihood(value: Any) -> Any:
    """Write a probability, a range, or what it depends on as TOML has it."""
    return value.describe() if isinstance(value, Chance) else write_amount(value)


def hint(name: str, causes: Mapping[str, Chance]) -> str:
    """Say which cause may be meant."""
    return suggest_name(name, causes) if causes else "describe it in [causes]"


# --- one probability in the place of another


class StatedChance(NamedTuple):
    """A probability of a scenario by its name."""

    name: str
    chance: Chance
    changed: Callable[[Chance], Scenario]
    """Takes another probability, and returns the scenario with it."""


def stated_chances(scenario: Scenario) -> Iterator[StatedChance]:
    """Go through the parameters, the causes and what is learned in groups."""
    for name, chance in zip(PARAMETERS, scenario.parameters, strict=True):
        yield StatedChance(name, chance, lambda other, n=name: replace(scenario, **{n: other}))  # type: ignore[misc]
    for name, chance in scenario.causes.items():
        yield StatedChance(
            f"that {name} is found",
            chance,
            lambda other, n=name: replace(scenario, causes={**scenario.causes, n: other}),  # type: ignore[misc]
        )
    for number, group in enumerate(scenario.learned):
        source = "" if group.source is None else f" from {group.source}"
        yield StatedChance(
            f"that {group} is learned{source}",
            group.chance,
            lambda other, n=number: with_group(scenario, n, other),  # type: ignore[misc]
        )


def with_group(scenario: Scenario, number: int, chance: Chance) -> Scenario:
    """Return a scenario in which one group is learned with another probability."""
    groups = scenario.learned
    changed = groups[number].with_chance(chance)
    return replace(scenario, learned=(*groups[:number], changed, *groups[number + 1 :]))
