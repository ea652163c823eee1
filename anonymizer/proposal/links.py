"""Links between tables, found by the values of columns and not by their names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from anonymizer.data.column import MISSING, Column
from anonymizer.errors import PolicyError, quote_some

Columns = Mapping[str, Column]
"""The columns of one table by name."""
LEAST_SHARE = 0.02
"""A column that refers to fewer of the rows of another table has small numbers by chance."""


@dataclass(frozen=True, slots=True)
class Link:
    """A column all of whose values are in a column of another table, in which no two are equal."""

    column: str
    parent: str
    key: str
    """That column of the parent."""
    share: float
    """The share of the parent's rows that some row belongs to."""
    same_name: bool


@dataclass(frozen=True, slots=True)
class Linked:
    """Which table is that of the people, and what each other one belongs to."""

    people: str
    id: str
    links: Mapping[str, Link]
    """By table: what its rows belong to, the people or another table."""
    alone: tuple[str, ...]
    """The tables that nothing links to the people."""
    whose: Mapping[str, str]
    """By table: its column with the person's id, where it has one."""

    def key_of(self, table: str) -> str | None:
        """Return the column of a table that others refer to."""
        return next((link.key for link in self.links.values() if link.parent == table), None)


def find_links(tables: Mapping[str, Columns]) -> Linked:
    """Find the people table, the one that nothing is above of, and what leads to it.

    Raises a PolicyError if no column of a table has its values in a key of another one.
    """
    found = [(name, link) for name in tables for link in links_of(name, tables)]
    keys = dict.fromkeys((link.parent, link.key) for _, link in found)
    if not keys:
        raise PolicyError(
            f"{quote_some(tables)}: no column of one has all its values in a column of another that is "
            "different in each row; write a policy with the keys of [tables] yourself."
        )
    people, id_ = max(keys, key=lambda key: strength(found, tables, *key))
    direct = {
        name: max(to_people, key=rank)
        for name in tables
        if name != people and (to_people := list(leading(found, name, people, id_)))
    }
    links = dict(direct)
    for name in tables:
        others = [link for n, link in found if n == name and link.parent in direct]
        for link in sorted(others, key=rank, reverse=True):
            above = direct[link.parent]
            person = direct[name].column if name in direct else None
            circle = links.get(link.parent, above).parent == name
            if not circle and (person is None or agree(tables, name, person, link, above.column)):
                links[name] = link
                break
    alone = tuple(name for name in tables if name != people and name not in links)
    return Linked(people, id_, links, alone, {n: link.column for n, link in direct.items()})


def links_of(name: str, tables: Mapping[str, Columns]) -> Iterator[Link]:
    """Yield each column of a table all of whose values are in a key of another table."""
    for column, own in tables[name].items():
        if MISSING in own.texts or not own.texts:
            continue
        values = set(own.texts)
        for parent, others in tables.items():
            for key, theirs in others.items() if parent != name else ():
                share = len(values) / len(theirs.texts) if theirs.texts else 0.0
                if is_key(theirs) and LEAST_SHARE <= share <= 1 and values <= set(theirs.texts):
                    yield Link(column, parent, key, share, column.lower() == key.lower())


def is_key(column: Column) -> bool:
    """Whether no cell is missing and no two are equal."""
    return len(column.texts) == column.codes.size > 1 and MISSING not in column.texts


def leading(found: Iterable[tuple[str, Link]], name: str, people: str, id_: str) -> Iterator[Link]:
    """Yield the links of a table to a key."""
    return (link for n, link in found if (n, link.parent, link.key) == (name, people, id_))


def rank(link: Link) -> tuple[bool, float]:
    """Return what decides between links to one table: a name that says so, then how much it covers."""
    return link.same_name, link.share


def strength(
    found: list[tuple[str, Link]], tables: Mapping[str, Columns], people: str, id_: str
) -> tuple[int, int, float, int]:
    """Return how well a key fits as that of the people: how many tables lead to it, and how surely."""
    children = {name: list(leading(found, name, people, id_)) for name in tables}
    best = [max(links, key=rank) for links in children.values() if links]
    reached = {name for name, links in children.items() if links}
    reached |= {name for name, link in found if link.parent in reached and name != people}
    own = [tables[name][max(links, key=rank).column] for name, links in children.items() if links]
    repeated = sum(len(column.texts) < column.codes.size for column in own)
    named = sum(link.same_name for link in best)
    return len(reached), repeated + named, sum(link.share for link in best), len(tables[people])


def agree(tables: Mapping[str, Columns], name: str, person: str, link: Link, above: str) -> bool:
    """Whether each row of a table is of the person whose the row is that it would belong to."""
    parent = tables[link.parent]
    person_of = dict(zip(parent[link.key].cells(), parent[above].cells(), strict=True))
    own, refers = tables[name][person].cells(), tables[name][link.column].cells()
    return link.column != person and own == [person_of[text] for text in refers]
