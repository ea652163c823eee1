"""Where an adversary may learn attributes of a person, and how likely he learns each.

A source is a social network, a register, a newspaper: the share of people who are in it (usage), and for
each attribute the share of these who disclose it there. Sources and attributes are taken as independent
(equations 4 and 5 of the naive re-identification framework).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.table import Table, guess_delimiter
from anonymizer.errors import PolicyError, quote_some, suggest_name
from anonymizer.hierarchy.checks import Faults, text
from anonymizer.knowledge.scenario import probability, unknown_keys
from anonymizer.validation import read_toml

EXAMPLE = """
disclosure = { age = 0.216, gender = 0.7629 }    # the share of users who tell it, in every source

[[sources]]
name = "Twitter"
usage = 0.19                                     # the share of people who are in it

[[sources]]
name = "Facebook"
usage = 0.58
disclosure = { location = 0.193 }                # and here also this
"""
"""Sources with every key there is."""

KEYS = ("sources", "disclosure")
SOURCE_KEYS = ("name", "usage", "disclosure")

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Source:
    """A place where people disclose attributes, with the probabilities that they do.

    >>> Source("Twitter", 0.19, {"age": 0.216}).likelihood("age")
    0.04104
    """

    name: str
    usage: float
    """The share of people who are in it."""
    disclosure: Mapping[str, float] = field(hash=False)
    """The share of these who disclose an attribute; one that is not named is never disclosed."""

    def __post_init__(self) -> None:
        keys = {"name": self.name, "usage": self.usage, "disclosure": self.disclosure}
        if faults := list(source_faults(keys)):
            raise PolicyError.defective("source", faults)

    def likelihood(self, attribute: str) -> float:
        """Return the probability that a random person's attribute is disclosed here."""
        return self.usage * self.disclosure.get(attribute, 0.0)

    def describe(self) -> dict[str, Any]:
        """Return the source as TOML has it."""
        return {"name": self.name, "usage": self.usage, "disclosure": dict(self.disclosure)}


def disclosure_likelihood(sources: Sequence[Source], attributes: Sequence[str]) -> Floats:
    """Return for each attribute the probability that it is disclosed in at least one source.

    >>> twice = [Source("one", 0.5, {"age": 0.5}), Source("other", 0.5, {"age": 1.0})]
    >>> disclosure_likelihood(twice, ["age", "sex"]).tolist()
    [0.625, 0.0]
    """
    return np.array([likelihood_of(sources, attribute) for attribute in attributes])


def likelihood_of(sources: Sequence[Source], attribute: str) -> float:
    """Return the probability that an attribute is disclosed in at least one source."""
    each = [source.likelihood(attribute) for source in sources]
    if max(each, default=0.0) >= 1:
        return 1.0
    return 0.0 - math.expm1(math.fsum(math.log1p(-one) for one in each))


def subset_likelihood(likelihoods: Floats) -> Floats:
    """Return for each subset the probability that just its attributes are disclosed.

    Bit i of a subset's number stands for attribute i.

    >>> subset_likelihood(np.array([0.5, 0.25])).tolist()  # nothing, the first, the second, both
    [0.375, 0.375, 0.125, 0.125]
    """
    exactly = np.ones(1)
    for likelihood in likelihoods:
        exactly = np.concatenate([exactly * (1 - likelihood), exactly * likelihood])
    return exactly


def named_attributes(sources: Sequence[Source]) -> tuple[str, ...]:
    """List the attributes that the sources disclose, each once."""
    return tuple(dict.fromkeys(name for source in sources for name in source.disclosure))


def read_sources(path: str | Path) -> tuple[Source, ...]:
    """Read sources from a TOML file, or say everything that is wrong with it."""
    return parse_sources(read_toml(path, "sources"), str(path))


def parse_sources(keys: Mapping[str, Any], where: str = "sources") -> tuple[Source, ...]:
    """Make sources of the keys of a TOML file; `disclosure` beside them holds for all sources.

    >>> sources = [{"name": "Twitter", "usage": 0.19, "disclosure": {"sex": 0.7}}]
    >>> parse_sources({"disclosure": {"age": 0.2}, "sources": sources})[0].disclosure
    {'age': 0.2, 'sex': 0.7}
    """
    if faults := list(faults_of(keys)):
        raise PolicyError.defective(where, faults)
    common = keys.get("disclosure", {})
    return tuple(
        Source(table["name"], table["usage"], {**common, **table.get("disclosure", {})})
        for table in keys["sources"]
    )


def faults_of(keys: Mapping[str, Any]) -> Iterator[str]:
    """Check all keys of a file of sources."""
    yield from unknown_keys(keys, KEYS)
    common = keys.get("disclosure", {})
    yield from rate_faults(common)
    tables = keys.get("sources", [])
    if not isinstance(tables, list) or not all(isinstance(table, Mapping) for table in tables):
        yield f"sources: {tables!r} is no list of tables; write each source as [[sources]]."
        return
    if not tables:
        yield "sources: no source is given; add a [[sources]] table."
    for number, table in enumerate(tables, 1):
        yield from (f"source {number}: {fault}" for fault in unknown_keys(table, SOURCE_KEYS))
        yield from (f"source {number}: {fault}" for fault in source_faults(table, common))
    yield from repeated([table.get("name") for table in tables])


def source_faults(table: Mapping[str, Any], common: object = None) -> Faults:
    """Check the keys of one source; it discloses something, if only what all do."""
    for key in ("name", "usage"):
        if key not in table:
            yield f"{key}: this key is missing; add it."
    if "name" in table:
        yield from text("name", table["name"])
    if "usage" in table:
        yield from probability("usage", table["usage"])
    own = table.get("disclosure", {})
    yield from rate_faults(own)
    if not own and not common:
        yield "disclosure: no attribute is named; write a rate for each that is disclosed."


def rate_faults(rates: object) -> Faults:
    """Check the disclosure rates by attribute."""
    if not isinstance(rates, Mapping):
        yield f"disclosure: {rates!r} is no table; write `attribute = rate` for each attribute."
        return
    for attribute, rate in rates.items():
        yield from probability(f"disclosure.{attribute}", rate)


def repeated(names: Sequence[object]) -> Faults:
    """Check that no two sources have one name."""
    for name in dict.fromkeys(name for name in names if name is not None and names.count(name) > 1):
        yield f"sources: the name {name!r} is given twice; each source has its own."


def check_named(sources: Sequence[Source], table: Table) -> None:
    """Raise a PolicyError unless there are sources, and the table has all that they disclose."""
    if not sources:
        raise PolicyError("no source is given; without one the risk cannot be told.")
    faults = [
        f"disclosure: {table.name} has no column '{name}'; {propose(name, table)}"
        for name in named_attributes(sources)
        if name not in table.columns
    ]
    if faults:
        raise PolicyError.defective("sources", faults)


def propose(name: str, table: Table) -> str:
    """Propose the column that was meant, or list them."""
    if delimiter := guess_delimiter(table):
        return f"its columns are {quote_some(table.columns, most=20)}{delimiter}"
    return suggest_name(name, table.columns, most=20)
