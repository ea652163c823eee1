"""The proposed policy as a TOML file with comments, to be edited."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from anonymizer import __version__
from anonymizer.policy import Role
from anonymizer.proposal.decision import Decision
from anonymizer.proposal.kept import possible_ids

FOLDER = "hierarchies"
"""The folder of the specs, beside the policy."""
LONGEST = 60
"""Characters of a column's name that go into a file's name."""
ROWS_ARE_PEOPLE = (
    "rows_are_people = true   # if a column tells whose each row is, name it instead: id = ..."
)
WHOSE = (
    '# id = "..."   # the column that tells whose each row is; without one, each row is a person'
)

HEADINGS = {
    Role.IDENTIFYING: "Removed: they name people, or come too close to it.",
    Role.QUASI: "Generalized: others may know them, or they single people out.",
    Role.SENSITIVE: "Kept as they are: what others would like to know.",
    Role.INSENSITIVE: "Kept as they are: neither known to others nor telling.",
}


def write_policy(
    decisions: Sequence[Decision],
    files: Mapping[str, str],
    data: Mapping[str, str],
    k: int,
    title: str,
) -> str:
    """Write a policy that works at once; `data` has the keys of [data], `files` the specs."""
    lines = [
        f"# Proposed by anonymizer {__version__} for {one_line(title)}.",
        "# Every line can be edited. proposal.html says why each column got its role.",
        "",
        "[data]",
        *(f"{key} = {quoted(value)}" for key, value in data.items()),
        *(() if "id" in data else (WHOSE if possible_ids(decisions) else ROWS_ARE_PEOPLE,)),
        '# default_role = "identifying"   # the role of columns that are not named below',
        "",
        "[attributes]",
        *attribute_lines(decisions, files),
        "[[risk]]",
        'model = "k-anonymity"   # everybody released looks like at least k - 1 others',
        f"k = {k}",
        "",
        "[search]",
        "# suppression_limit = 0.05   # the share of the records that may be dropped",
        "# time_limit = 60.0          # seconds; left out: until the optimum is proven",
    ]
    return "\n".join(lines) + "\n"


def attribute_lines(decisions: Sequence[Decision], files: Mapping[str, str]) -> Iterator[str]:
    """Write the columns by role, each with the reason above it."""
    for role, heading in HEADINGS.items():
        of_role = [decision for decision in decisions if decision.role is role]
        if not of_role:
            continue
        yield f"# --- {heading}"
        for decision in of_role:
            yield f"# {one_line(decision.reason)} ({decision.figures})"
            yield attribute_line(decision, files)
        yield ""


def attribute_line(decision: Decision, files: Mapping[str, str]) -> str:
    """Write the keys of one column."""
    keys = [f'role = "{decision.role.value}"']
    if decision.role is Role.QUASI:
        keys.append(f"hierarchy = {quoted(f'{FOLDER}/{files[decision.column]}')}")
    return f"{key_of(decision.column)} = {{ {', '.join(keys)} }}"


def key_of(name: str) -> str:
    """Write a name as a key; with dots, blanks or letters beyond ASCII it needs quotes.

    >>> key_of("age"), key_of("Wr.Hnd")
    ('age', '"Wr.Hnd"')
    """
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else quoted(name)


def quoted(text: str) -> str:
    """Write a text in TOML's quotes."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", r"\u007f")


def one_line(text: str) -> str:
    """Write a text so that a comment does not run on to a second line."""
    return "".join(char if char.isprintable() else " " for char in text)


def file_names(columns: Iterable[str]) -> dict[str, str]:
    """Name a spec for each column, no two alike on any system.

    >>> file_names(["a/b", "a_b", "Größe (cm)"])
    {'a/b': 'a_b.toml', 'a_b': 'a_b_2.toml', 'Größe (cm)': 'Größe_cm.toml'}
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for column in columns:
        plain = re.sub(r"[^\w-]+", "_", column).strip("_")[:LONGEST] or "column"
        tried = (plain if number == 1 else f"{plain}_{number}" for number in itertools.count(1))
        name = next(name for name in tried if name.casefold() not in taken)
        taken.add(name.casefold())
        names[column] = f"{name}.toml"
    return names
