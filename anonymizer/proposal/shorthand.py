"""A policy made of a few names: what `anonymize(frame, quasi=[...], k=5)` means.

A column that is named nowhere is removed, unless a default role is stated. A release can be made again
with another column in it, but it cannot be called back; so nothing is published that nobody spoke of.
"""

from __future__ import annotations

import tomllib
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anonymizer.data.column import Column
from anonymizer.data.opening import check_present
from anonymizer.data.table import Table, read_columns
from anonymizer.errors import AnonymizerWarning, PolicyError, percent, quote_some, suggest_name
from anonymizer.hierarchy import parse_spec
from anonymizer.policy import Policy, Role
from anonymizer.proposal.choices import given_roles
from anonymizer.proposal.content import Content, content_of
from anonymizer.proposal.decision import ColumnFacts, look_at
from anonymizer.proposal.person import find_whose
from anonymizer.proposal.rules import SINGLES_OUT, decide_alone
from anonymizer.proposal.specs import propose_specs

DEFAULT_K = 5
MOST_NAMED = 20
"""So many columns are named in one sentence."""


@dataclass(frozen=True, slots=True)
class Shorthand:
    """What a user says of a table in a few names."""

    quasi: Iterable[str] | Mapping[str, Any]
    """The quasi-identifiers; or the hierarchy of each, None for one that is proposed."""
    k: int | None = None
    id: str | None = None
    identifying: Iterable[str] = ()
    sensitive: Iterable[str] = ()
    keep: Iterable[str] = ()
    default_role: Role | str | None = None
    """The role of columns that are named nowhere."""
    rows_are_people: bool = False
    layers: bool | int | None = None
    suppression_limit: float | None = None

    @property
    def release(self) -> dict[str, Any]:
        """The keys of [release] that are stated; what is not has the policy's own default."""
        keys = {"layers": self.layers, "suppression_limit": self.suppression_limit}
        return {key: value for key, value in keys.items() if value is not None}

    def roles(self, columns: Sequence[str]) -> dict[str, Role]:
        """Return the roles of the columns that are named."""
        given = (self.quasi, self.identifying, self.sensitive, self.keep)
        return given_roles(columns, self.id, *given)

    def hierarchies(self, columns: Mapping[str, Column]) -> dict[str, Any]:
        """Return the hierarchies of the quasi-identifiers, those that are proposed included."""
        quasi = self.quasi
        given = dict(quasi) if isinstance(quasi, Mapping) else dict.fromkeys(quasi)
        for name, hierarchy in given.items():
            if content_of(columns[name].texts) is Content.DECIMAL:
                given[name] = as_decimals(hierarchy)
        specs = propose_specs({name: columns[name] for name in self.proposed()})
        built = {name: parse_spec(tomllib.loads(spec), name) for name, spec in specs.items()}
        return {**given, **built}

    def proposed(self) -> list[str]:
        """List the quasi-identifiers whose hierarchies are proposed."""
        quasi = self.quasi
        if isinstance(quasi, Mapping):
            return [name for name, hierarchy in quasi.items() if hierarchy is None]
        return list(quasi)


@dataclass(frozen=True, slots=True)
class Expanded:
    """The policy that a shorthand stands for, and what was decided though nobody said it."""

    policy: Policy
    defaults: tuple[str, ...]
    """One sentence for each such decision."""
    named: tuple[str, ...]
    """The columns that the user named as identifying."""


def expand(table: Table, given: Shorthand) -> Expanded:
    """Make a policy for a table; warn of columns that are named nowhere and removed, or telling."""
    check_present(table, table.columns)
    named, default = given.roles(table.columns), parse_default(given.default_role)
    roles = {name: named.get(name, default or Role.IDENTIFYING) for name in table.columns}
    columns = read_columns(table, table.columns)
    free = with_role(roles, Role.IDENTIFYING)
    said = given.id is not None or given.rows_are_people
    person = given.id if said else find_whose(columns, free).person
    hierarchies = given.hierarchies(columns)
    policy = Policy(
        data={"id": person, "rows_are_people": given.rows_are_people},
        attributes={name: attribute(role, hierarchies.get(name)) for name, role in roles.items()},
        risk=[{"model": "k-anonymity", "k": DEFAULT_K if given.k is None else given.k}],
        release=given.release,
    )
    unnamed = [name for name in columns if name not in named and name != person]
    for sentence in find_warnings(columns, unnamed, default, person):
        warnings.warn(f"{table.name}: {sentence}", AnonymizerWarning, stacklevel=4)
    defaults = tuple(find_defaults(given, columns, unnamed, default, person))
    return Expanded(policy, defaults, tuple(with_role(named, Role.IDENTIFYING)))


def as_decimals(points: Any) -> Any:
    """Write cut points with a decimal point, so that they cut a continuous domain."""
    if isinstance(points, list | tuple):
        return [as_decimals(point) for point in points]
    return float(points) if isinstance(points, int) else points


def parse_default(role: Role | str | None) -> Role | None:
    """Take a default role; a PolicyError says which there are."""
    allowed = [each.value for each in Role if each is not Role.QUASI]
    if role is None or role in allowed:
        return None if role is None else Role(role)
    raise PolicyError(
        f"default_role: '{role}' is not such a role; {suggest_name(str(role), allowed)}"
    )


def with_role(roles: Mapping[str, Role], role: Role) -> list[str]:
    """List the columns that have a role."""
    return [name for name, given in roles.items() if given is role]


def attribute(role: Role, hierarchy: object) -> dict[str, Any]:
    """Return the keys of a column in the policy."""
    return {"role": role, "hierarchy": hierarchy} if role is Role.QUASI else {"role": role}


def find_warnings(
    columns: Mapping[str, Column], unnamed: Sequence[str], default: Role | None, person: str | None
) -> Iterator[str]:
    """Say which columns that nobody named are removed, and which are kept and single people out."""
    if unnamed and default is None:
        yield (
            f"removed, because named nowhere: {quote_some(unnamed, MOST_NAMED)}. Name them in `keep` or "
            "`sensitive` to release them as they are, or in `quasi` to generalize them; "
            "`default_role` settles all of them at once."
        )
    if default in (Role.SENSITIVE, Role.INSENSITIVE):
        whose = None if person is None else columns[person]
        found = {name: why_not_kept(look_at(name, columns[name], whose)) for name in unnamed}
        for why in dict.fromkeys(reason for reason in found.values() if reason):
            names = [name for name, reason in found.items() if reason == why]
            yield (
                f"kept by default, though {why}: {quote_some(names, MOST_NAMED)}. Name them in "
                "`quasi` or `identifying`, or in `keep` if you mean it."
            )


def why_not_kept(column: ColumnFacts) -> str | None:
    """Say why a column should not be kept as it is; None where nothing speaks against it."""
    found = decide_alone(column)
    if found is not None and found.role is Role.IDENTIFYING and column.figures.distinct:
        return "it looks like a direct identifier"
    if column.figures.unique >= SINGLES_OUT:
        return f"at least {percent(SINGLES_OUT, 0)} of the people are unique by it"
    return "others may know it" if column.known else None


def find_defaults(
    given: Shorthand,
    columns: Mapping[str, Column],
    unnamed: Sequence[str],
    default: Role | None,
    person: str | None,
) -> Iterator[str]:
    """Say what was decided though nobody said it."""
    if given.k is None:
        yield f"k is {DEFAULT_K}."
    if proposed := given.proposed():
        yield f"Proposed hierarchies: {quote_some(proposed, MOST_NAMED)}."
    if person is not None and given.id is None:
        yield f"'{person}' tells whose each row is: {len(columns[person].texts):,} people."
    if unnamed:
        kept = default in (Role.SENSITIVE, Role.INSENSITIVE)
        what = "Kept as they are" if kept else "Removed"
        yield f"{what}, because named nowhere: {quote_some(unnamed, MOST_NAMED)}."
