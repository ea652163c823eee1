"""A policy by HIPAA's Safe Harbor: what 45 CFR 164.514(b)(2) names goes, and nothing else.

It is a list of what to do, and no limit on any risk: what stays may single people out. The page of a
run says how many it does.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from anonymizer.data.opening import open_table
from anonymizer.data.staging import Staging
from anonymizer.data.table import read_columns
from anonymizer.errors import PolicyError
from anonymizer.hierarchy import Hierarchy, write_arx
from anonymizer.policy import Role
from anonymizer.proposal.content import Content
from anonymizer.proposal.decision import ColumnFacts, look_at
from anonymizer.proposal.names import Meaning, words_of
from anonymizer.proposal.policy_file import FOLDER, file_names
from anonymizer.proposal.proposal import POLICY, check_new
from anonymizer.validation import write_comment, write_keys

NAME = "safe-harbor"
OLDEST = 89
DIGITS = 3
SMALL_AREAS = (
    "036", "059", "063", "102", "203", "556", "692", "790", "821", "823", "830", "831", "878", "879",
    "884", "890", "893",
)  # fmt: skip
"""The first digits of ZIP codes under which fewer than 20,000 people lived in 2000 (HHS 2012)."""
FEWEST = 20_000
AGES, ZIPS = {"age", "ages", "alter"}, {"zip", "zipcode", "postal", "postcode"}
PLACES = {"street", "address", "city", "town", "village", "municipality", "county", "precinct"}
WHOLE, ZIP = re.compile(r"\d{1,3}"), re.compile(r"\d{5}(-?\d{4})?")

IDENTIFIERS = (
    "names",
    "geographic subdivisions smaller than a state, but for the first three digits of a ZIP code",
    "dates but for the year, and ages above 89",
    "telephone numbers",
    "fax numbers",
    "e-mail addresses",
    "social security numbers",
    "medical record numbers",
    "health plan beneficiary numbers",
    "account numbers",
    "certificate and license numbers",
    "vehicle identifiers and license plates",
    "device identifiers and serial numbers",
    "web addresses",
    "IP addresses",
    "biometric identifiers",
    "full-face photographs",
    "any other unique identifying number, characteristic or code",
)
"""The eighteen, in the order of the rule."""


@dataclass(frozen=True, slots=True)
class Ruled:
    """What the rule asks of one column."""

    column: str
    role: Role
    reason: str
    values: tuple[tuple[str, str], ...] = ()
    """Each value with what it becomes; nothing where the column goes, or stays."""


def top_code(age: str) -> str:
    """Put the ages above 89 together.

    >>> top_code("89"), top_code("90")
    ('89', '90 or older')
    """
    return age if int(age) <= OLDEST else f"{OLDEST + 1} or older"


def first_digits(zip_code: str, small: Sequence[str] = SMALL_AREAS) -> str:
    """Keep three digits, or 000 where few people live.

    >>> first_digits("91326"), first_digits("03601")
    ('913**', '000**')
    """
    first = zip_code[:DIGITS]
    return f"{'0' * DIGITS if first in small else first}{'*' * (len(zip_code) - DIGITS)}"


def small_areas(path: Path) -> tuple[str, ...]:
    """Return the first digits of ZIP codes under which fewer than 20,000 people live, from a table.

    Its first column is the ZIP code, or its first digits; the second is the number of people.
    """
    table = open_table(path)
    if len(table.columns) < 2:
        raise PolicyError(f"{path}: it needs a column of ZIP codes and one of people.")
    zips, numbers = read_columns(table, table.columns[:2]).values()
    people: dict[str, int] = {}
    for code, number in zip(zips.codes.tolist(), numbers.codes.tolist(), strict=True):
        first, text = zips.texts[code][:DIGITS], numbers.texts[number]
        if not text.isdigit():
            raise PolicyError(
                f"{path}: '{text}' is not a number of people; write it without marks."
            )
        people[first] = people.get(first, 0) + int(text)
    return tuple(sorted(first for first, number in people.items() if number < FEWEST))


def rule_on(column: ColumnFacts, texts: Sequence[str], small: Sequence[str]) -> Ruled:
    """Say what the rule asks of a column, by its name and its cells."""
    words, there = set(words_of(column.name)), [text for text in texts if text]
    if words & AGES and there and all(WHOLE.fullmatch(text) for text in there):
        return generalized(column.name, "ages above 89 become one value", there, top_code)
    if words & ZIPS and there and all(ZIP.fullmatch(text) for text in there):
        reason = f"the first {DIGITS} digits stay, 000 where fewer than {FEWEST:,} people live"
        return generalized(column.name, reason, there, lambda text: first_digits(text, small))
    if column.content is Content.DATE:
        return generalized(column.name, "of a date the year stays", there, year_of)
    direct = column.meaning in (Meaning.PERSON, Meaning.IDENTIFIER, Meaning.NAME)
    if direct or column.content.identifies:
        return Ruled(column.name, Role.IDENTIFYING, "it names people, or numbers them")
    if words & (PLACES | ZIPS):
        return Ruled(column.name, Role.IDENTIFYING, "a place smaller than a state")
    if column.content is Content.FREE:
        return Ruled(column.name, Role.IDENTIFYING, "free text, which may hold any of the eighteen")
    return Ruled(column.name, Role.INSENSITIVE, "the rule does not name it: it stays as it is")


def generalized(
    column: str, reason: str, texts: Sequence[str], change: Callable[[str], str]
) -> Ruled:
    """Return a quasi-identifier whose values become what the rule asks for."""
    return Ruled(column, Role.QUASI, reason, tuple((text, change(text)) for text in sorted(texts)))


def year_of(text: str) -> str:
    """Return the year of a date.

    >>> year_of("2024-05-06"), year_of("06.05.2024")
    ('2024', '2024')
    """
    try:
        return str(date.fromisoformat(text[:10]).year)
    except ValueError:
        found = re.search(r"(?<!\d)\d{4}(?!\d)", text)
    if found is None:
        raise PolicyError(f"'{text}' has no year of four digits; write dates as 2024-12-31.")
    return found[0]


def stage_safe_harbor(path: Path, staging: Staging, populations: Path | None) -> list[Ruled]:
    """Write the policy for a table, with a hierarchy for each column that is generalized."""
    table = open_table(path)
    small = SMALL_AREAS if populations is None else small_areas(populations)
    columns = read_columns(table, table.columns)
    ruled = [
        rule_on(look_at(name, column, None), column.texts, small)
        for name, column in columns.items()
    ]
    if not any(each.role is Role.QUASI for each in ruled):
        raise PolicyError(
            f"{path}: no column is an age, a ZIP code or a date, so that Safe Harbor only removes "
            "columns; drop them, or name columns as age, zip or date."
        )
    specs = [each.column for each in ruled if each.values]
    files = {name: file.replace(".toml", ".csv") for name, file in file_names(specs).items()}
    check_new(staging.folder)
    staging.path(FOLDER).mkdir()
    for each in ruled:
        if each.values:
            rows = [(value, becomes, "*") for value, becomes in each.values]
            hierarchy = Hierarchy.from_rows(each.column, rows)
            write_arx(hierarchy, staging.path(f"{FOLDER}/{files[each.column]}"))
    text = "\n".join(policy_lines(path, staging.folder, ruled, files)) + "\n"
    staging.path(POLICY).write_text(text, encoding="utf-8")
    return ruled


def policy_lines(
    path: Path, folder: Path, ruled: Sequence[Ruled], files: Mapping[str, str]
) -> Iterator[str]:
    """Write the policy; the eighteen stand above it, so that nobody has to look them up."""
    yield f"# HIPAA's Safe Harbor, 45 CFR 164.514(b)(2), for {write_comment(path.name)}."
    yield "# It limits no risk, and suppresses nobody."
    yield "# The columns were found by their names and cells: read every line."
    yield from (f"#  {number:2}. {what}" for number, what in enumerate(IDENTIFIERS, 1))
    yield "# A date that tells the age of somebody above 89, such as a birth, has to go as well."
    yield ""
    yield "[data]"
    yield from write_keys(
        {"path": Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()}
    )
    yield "rows_are_people = true   # nothing is counted"
    yield ""
    yield "[attributes]"
    for each in ruled:
        keys: dict[str, str | int] = {"role": each.role.value}
        if each.values:
            keys |= {"hierarchy": f"{FOLDER}/{files[each.column]}", "min_level": 1, "max_level": 1}
        yield f"{''.join(write_keys({each.column: keys}))}   # {each.reason}"
    yield ""
    yield "[[risk]]"
    yield 'model = "k-anonymity"'
    yield "k = 1                # whatever the risk is: a higher k makes it a limit"
    yield ""
    yield "[release]"
    yield "suppression_limit = 0.0"
