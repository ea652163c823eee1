"""What the user has decided already: the roles of some columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from anonymizer.errors import PolicyError, quote_some, suggest_name
from anonymizer.policy import Role


def given_roles(
    columns: Sequence[str],
    person: str | None,
    quasi: Iterable[str],
    identifying: Iterable[str],
    sensitive: Iterable[str],
    keep: Iterable[str],
) -> dict[str, Role]:
    """Return the roles that are given; a PolicyError names a column that is not there, or has two.

    >>> given_roles(["age", "name"], None, ["age"], ["name"], [], [])
    {'age': <Role.QUASI: 'quasi'>, 'name': <Role.IDENTIFYING: 'identifying'>}
    """
    asked = {
        "quasi": (Role.QUASI, names_in("quasi", quasi)),
        "identifying": (Role.IDENTIFYING, names_in("identifying", identifying)),
        "sensitive": (Role.SENSITIVE, names_in("sensitive", sensitive)),
        "keep": (Role.INSENSITIVE, names_in("keep", keep)),
        "id": (Role.IDENTIFYING, [] if person is None else [person]),
    }
    for option, (_, names) in asked.items():
        for name in names:
            if name not in columns:
                raise PolicyError(
                    f"{option}: there is no column '{name}'; {suggest_name(name, columns)}"
                )
    roles = [(name, role) for role, names in asked.values() for name in names]
    check_single(roles)
    return dict(roles)


def names_in(option: str, names: Iterable[str]) -> list[str]:
    """Take names of columns; one string is a slip, since it is a list of letters to Python."""
    if isinstance(names, str):
        raise PolicyError(f"{option}: '{names}' is not a list; write [{names!r}].")
    return list(names)


def check_single(roles: Iterable[tuple[str, Role]]) -> None:
    """Raise a PolicyError if a column is given two roles."""
    times = Counter(name for name, _ in dict.fromkeys(roles))
    if twice := [name for name, count in times.items() if count > 1]:
        raise PolicyError(f"two roles are given for {quote_some(twice)}; give each column one.")


def check_needed(
    columns: Sequence[str], need: Iterable[str], roles: Mapping[str, Role]
) -> tuple[str, ...]:
    """Take the columns that the analysis needs; a PolicyError names one that is not there, or removed."""
    needed = tuple(names_in("need", need))
    for name in needed:
        if name not in columns:
            raise PolicyError(f"need: there is no column '{name}'; {suggest_name(name, columns)}")
        if name in roles and roles[name].dropped:
            raise PolicyError(f"need: '{name}' is to be removed, by another option; leave out one.")
    return needed


def split_names(given: Iterable[str], columns: Sequence[str]) -> list[str]:
    """Take names as the command line has them: one by one, or with commas between.

    >>> split_names(["a,b", "c, d"], ["a", "b", "c, d"])
    ['a', 'b', 'c, d']
    """
    names: list[str] = []
    for text in given:
        whole = text in columns or "," not in text
        names += [text] if whole else [part.strip() for part in text.split(",") if part.strip()]
    return names
