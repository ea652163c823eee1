"""The child tables of a study in a policy, and what goes together with them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import ValidationInfo, field_validator

from anonymizer.errors import quote_some, suggest_name
from anonymizer.policy.parts import (
    Attribute,
    Located,
    Release,
    Role,
    with_default,
)
from anonymizer.validation import Text, explain_dots, raise_faults

MODEL = "study"
"""The one model that counts people over several tables."""
NAME = re.compile(r"\w[\w-]*")
"""What a table may be called: a file is, and levels begin with it."""
FIRST = "first"
"""What `since` says where no column has an index date: the first event of the person."""


class ChildTable(Located):
    """A table of events: where it is, whose its rows are, and what its columns are."""

    id: Text
    """The column that names the person of each row; with a parent, the one with its key."""
    parent: Text | None = None
    """The other child that its rows belong to; left out: the people table."""
    key: Text | None = None
    """The column that names each row, where other tables belong to this one."""
    attributes: Annotated[dict[Text, Attribute], explain_dots(Attribute.model_fields)]
    """Its columns, as [attributes] has those of the people table."""

    @field_validator("attributes")
    @classmethod
    def check_attributes(
        cls, attributes: dict[str, Attribute], info: ValidationInfo
    ) -> dict[str, Attribute]:
        """Check that keys are columns that are replaced, and that each cell has a rule of its own."""
        keys = {key: info.data.get(key) for key in ("id", "key")}
        faults = [
            fault
            for key, name in keys.items()
            if name is not None
            and (fault := why_no_key(key, name, attributes, info.data.get("default_role")))
        ]
        faults += [
            f"{name} has microaggregation, which linked tables do not have; leave it out"
            for name, each in attributes.items()
            if each.microaggregation is not None
        ]
        raise_faults(faults)
        return attributes

    def with_columns(self, columns: tuple[str, ...]) -> ChildTable:
        """Return the table with its default role, if it has one, for columns that it does not name."""
        attributes = with_default(self.attributes, self.default_role, columns)
        return self.model_copy(update={"attributes": attributes})

    def describe(self) -> dict[str, Any]:
        """Return what decides a release, as JSON: no paths."""
        role = None if self.default_role is None else self.default_role.value
        keys = {"id": self.id, "parent": self.parent, "key": self.key, "default_role": role}
        return {
            **{key: value for key, value in keys.items() if value is not None},
            "attributes": {name: each.describe() for name, each in self.attributes.items()},
        }


def why_no_key(
    key: str, name: str, attributes: Mapping[str, Attribute], default: Role | None
) -> str | None:
    """Say why a column cannot be an id or a key; None where it can."""
    role = attributes[name].role if name in attributes else default
    if role is None:
        return f"{key} names '{name}', which is not a column; {suggest_name(name, attributes)}"
    if role is not Role.IDENTIFYING:
        return (
            f"{key} names '{name}', which is {role.value}, and is replaced by random keys; give it the "
            "role 'identifying'"
        )
    return None


def faults_of_study(tables: Mapping[str, ChildTable], others: Mapping[str, Any]) -> Iterator[str]:
    """Say what is wrong with the tables of a study together, and with the rest of the policy."""
    if not tables:
        return
    yield from faults_of_names(tables)
    yield from faults_of_parents(tables)
    yield from faults_of_data(others)
    yield from faults_of_since(tables, others)
    yield from faults_of_reveals(tables, others.get("attributes", {}))
    yield from faults_of_risk(others.get("risk", ()), tables)
    yield from faults_of_release(others.get("release", Release()))
    if others.get("keep"):
        yield "[[keep]] counts the records of one table; leave it out"
    if others.get("analysis"):
        yield "an [[analysis]] looks at one table; leave it out, and analyze the released tables"


def faults_of_names(tables: Mapping[str, ChildTable]) -> Iterator[str]:
    """Say which names no file and no level can have."""
    if strange := [name for name in tables if NAME.fullmatch(name) is None]:
        yield f"{quote_some(strange)}: a name has letters, digits, _ and - alone; rename the table"
    times = Counter(name.lower() for name in tables)
    if twice := [name for name in tables if times[name.lower()] > 1]:
        yield f"{quote_some(twice)}: files of these names would be the same; rename one"


def faults_of_parents(tables: Mapping[str, ChildTable]) -> Iterator[str]:
    """Say which tables belong to none, or to themselves in the end, or refer to no key."""
    unknown = {
        name: each.parent for name, each in tables.items() if each.parent not in (None, *tables)
    }
    for name, parent in unknown.items():
        known = suggest_name(parent, [other for other in tables if other != name])
        yield f"{name}.parent is '{parent}', which is no table of [tables]; {known}"
    circle = [name for name in tables if is_its_own_ancestor(name, tables)]
    if circle:
        yield (
            f"{circle[0]}.parent leads back to '{circle[0]}'; name one that leads to the people table"
        )
    parents = {child.parent for child in tables.values()}
    for name, child in tables.items():
        if name in parents and child.key is None:
            yield f"{name}.key is missing, and other tables belong to it; name its column with their key"
        if name not in parents and child.key is not None and not unknown:
            yield f"{name}.key is stated, and no table names '{name}' as its parent; leave it out"


def is_its_own_ancestor(name: str, tables: Mapping[str, ChildTable]) -> bool:
    """Whether the parents of a table lead back to it."""
    above, seen = tables[name].parent, set[str]()
    while above is not None and above in tables and above not in seen:
        if above == name:
            return True
        seen.add(above)
        above = tables[above].parent
    return False


def faults_of_data(others: Mapping[str, Any]) -> Iterator[str]:
    """Say what the people table must have, and what it cannot have."""
    data, attributes = others.get("data"), others.get("attributes", {})
    if data is not None and data.id is None:
        yield "data.id is missing; name the column of the people table that the others refer to"
    if data is not None and data.sample < 1:
        yield "data.sample draws rows of one table; leave it out, and draw people beforehand"
    if data is not None and data.weight is not None:
        yield "data.weight counts in 'k-map', which looks at one table; leave it out"
    for name, each in attributes.items():
        if each.microaggregation is not None:
            yield f"attributes.{name} has microaggregation, which linked tables do not have; leave it out"


def faults_of_since(tables: Mapping[str, ChildTable], others: Mapping[str, Any]) -> Iterator[str]:
    """Say which index dates are no column of the people table, or are released as they are."""
    data, people = others.get("data"), others.get("attributes", {})
    for name, child in tables.items():
        for column, each in child.attributes.items():
            if each.since in (None, FIRST):
                continue
            role = people[each.since].role if each.since in people else None
            if role is None and data is not None:
                role = data.default_role
            where = f"{name}.attributes.{column}.since names '{each.since}'"
            if role is None:
                known = suggest_name(each.since, [*people, FIRST])
                yield f"{where}, which is no column of the people table; {known}"
            elif role in (Role.SENSITIVE, Role.INSENSITIVE):
                yield (
                    f"{where}, which is released as it is and would tell every date; generalize it, or "
                    "remove it"
                )


def faults_of_reveals(
    tables: Mapping[str, ChildTable], people: Mapping[str, Attribute]
) -> Iterator[str]:
    """Say which columns are said to reveal what no table has as a quasi-identifier."""
    columns = {"": people, **{f"{name}.": child.attributes for name, child in tables.items()}}
    labels = [
        start + name
        for start, some in columns.items()
        for name, each in some.items()
        if each.role is Role.QUASI
    ]
    for table, child in tables.items():
        own = [name for name, each in child.attributes.items() if each.role is Role.QUASI]
        for name, each in child.attributes.items():
            for other in each.reveals:
                if other not in (*own, *labels):
                    known = suggest_name(other, [*own, *labels])
                    yield (
                        f"{table}.attributes.{name} reveals '{other}', which is not a quasi-identifier; "
                        f"{known}"
                    )


def faults_of_risk(models: tuple[Any, ...], tables: Mapping[str, ChildTable]) -> Iterator[str]:
    """Say which models count nothing over several tables, and which powers are of no table."""
    if other := [model.name for model in models if model.name != MODEL]:
        yield (
            f"the risk model {quote_some(other)} looks at one table; use one [[risk]] with model = "
            "'study', or release the table by a policy of its own"
        )
    own = [model for model in models if model.name == MODEL]
    if len(own) > 1:
        yield "the model 'study' is stated twice; keep the one with the greater power and k"
    for name in own[0].powers if own else ():
        if name not in tables:
            known = suggest_name(name, tables)
            yield f"the model 'study' has a power for '{name}', which is no table of events; {known}"


def faults_of_release(release: Release) -> Iterator[str]:
    """Say which releases linked tables do not have."""
    if release.in_layers:
        yield "release.layers: linked tables have one scheme for all; leave it out"
    if release.suppressed != "drop":
        yield 'release.suppressed: people are dropped with all their rows; write "drop"'
    if not release.shuffle:
        yield "release.shuffle: the rows of linked tables are always shuffled; leave it out"
    if release.table is not None:
        yield "release.table: linked tables are released as files; leave it out, or name a kind of file"
    if release.strict:
        yield "release.strict looks at one table; leave it out, and read what the run says is left out"
