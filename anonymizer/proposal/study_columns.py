"""What the columns of linked tables become: by a standard, or by their names and cells."""

from __future__ import annotations

import itertools
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from anonymizer.data.column import MISSING, Column
from anonymizer.data.dates import NO_DAY, Days, first_days, read_moment
from anonymizer.data.table import read_columns
from anonymizer.errors import HierarchyError, PolicyError
from anonymizer.hierarchy import Explicit, parse_spec
from anonymizer.policy import Role
from anonymizer.policy.study import FIRST
from anonymizer.proposal.content import Content
from anonymizer.proposal.decision import ColumnFacts, look_at
from anonymizer.proposal.links import Columns, Linked
from anonymizer.proposal.place import Place
from anonymizer.proposal.proposal import decide_all
from anonymizer.proposal.specs import propose_spec
from anonymizer.proposal.standard import KnownColumn, Standard
from anonymizer.validation import write_comment, write_document, write_keys, write_value

NEST = 336
"""Days of the widest span of elapsed time; a domain is whole ones."""
FEW, MOST_SHARE = 2, 0.5
"""Groups are at least so many, and at most this share of what they group."""
SURE_ROWS = 2
"""Rows for each value from which it is no accident that each has one group."""
DATED = 0.9
"""The share of values that are whole dates from which a column is counted from an index date."""
SPARSE, LONG_NUMBER = 20, 100_000
"""Whole numbers that reach so far, and are so much further apart than many, are codes."""


@dataclass(frozen=True)
class StudyColumn:
    """What a column of a study becomes, and why."""

    role: Role
    reason: str
    spec: str | None = None
    """The TOML text of its hierarchy."""
    since: str | None = None
    known: bool = True
    """Whether it was decided by what is known of it."""

    def keys(self, file: str | None) -> dict[str, Any]:
        """Return its keys in the policy."""
        keys: dict[str, Any] = {"role": self.role.value}
        keys |= {} if self.since is None else {"since": self.since}
        keys |= {} if file is None else {"hierarchy": file}
        keys |= {"reason": write_comment(self.reason)} if self.role is Role.REMOVED else {}
        return keys


def read_all_columns(place: Place) -> dict[str, Column]:
    """Read all columns of a table."""
    table = place.open()
    return read_columns(table, table.columns)


def write_key(name: str) -> str:
    """Write a name as a key."""
    return next(write_keys({name: 1})).partition(" = ")[0]


def decide_columns(
    name: str,
    tables: Mapping[str, Columns],
    linked: Linked,
    known: Standard | None,
    concepts: Mapping[str, tuple[str, str]],
    place: Place,
) -> dict[str, StudyColumn]:
    """Decide what each column of a table becomes."""
    columns = tables[name]
    roles = dict.fromkeys(keys_of(name, linked), Role.IDENTIFYING)
    is_people = name == linked.people
    if known is None:
        person = None if is_people else linked.links[name].column
        made, groups = decide_with_groups(columns, roles, person)
    else:
        made, groups = decide_by_standard(name, columns, known, is_people)
        made |= {c: StudyColumn(role, "it links the tables") for c, role in roles.items()}
    index = None if known is None else find_index(known, tables[linked.people])
    for column, each in made.items():
        if each.role is Role.QUASI and each.since is not None:
            made[column] = replace(each, since=index or FIRST)
        elif each.role is Role.QUASI:
            above = groups.get(column, ())
            spec = grouped_spec(column, above, place.path)
            if place.table is not None:
                spec = written_spec(column, above, columns)
            spec = spec or concept_spec(column, columns[column], concepts)
            made[column] = replace(each, spec=spec or spec_of(column, columns[column]))
    return {column: made[column] for column in columns}


def keys_of(name: str, linked: Linked) -> list[str]:
    """Return the columns of a table that link it."""
    own = linked.links.get(name)
    named = [linked.id if name == linked.people else None, linked.whose.get(name)]
    named += [None if own is None else own.column, linked.key_of(name)]
    return [each for each in dict.fromkeys(named) if each is not None]


def find_index(known: Standard, people: Columns) -> str | None:
    """Return the column of the people table that has the index date of everybody."""
    for name, column in people.items():
        whole = all(read_moment(text) is not None for text in column.texts)
        if name.lower() == known.index and whole:
            return name
    return None


def decide_by_values(
    columns: Columns, roles: Mapping[str, Role], person: str | None
) -> dict[str, StudyColumn]:
    """Decide by names and cells, as for a single table."""
    decided = decide_all(columns, roles, person)
    return {
        name: StudyColumn(each.role, "it links the tables" if name in roles else each.reason)
        for name, each in decided.items()
    }


def as_events(
    made: dict[str, StudyColumn], columns: Columns, keys: Mapping[str, Role]
) -> dict[str, StudyColumn]:
    """Say of a table of events what somebody may know of one: what it is, and when it was."""
    for name, each in [pair for pair in made.items() if pair[0] not in keys]:
        facts = look_at(name, columns[name], None)
        if each.role is Role.SENSITIVE and facts.figures.distinct > 1:
            made[name] = StudyColumn(Role.QUASI, "somebody may know of an event what it was")
        elif is_dated(columns[name]) and each.role in (Role.QUASI, Role.IDENTIFYING):
            reason = "a date, counted from the first event of the person"
            made[name] = StudyColumn(Role.QUASI, reason, since=FIRST)
        elif each.role is Role.IDENTIFYING and names_events(facts):
            made[name] = StudyColumn(Role.QUASI, "somebody may know of an event what it was")
    return made


def names_events(facts: ColumnFacts) -> bool:
    """Whether a column that many have a value of their own in is of terms, which repeat."""
    texts = facts.content in (Content.TEXT, Content.CODE, Content.DIAGNOSIS, Content.WHOLE)
    return (
        texts and facts.meaning is None and facts.figures.distinct * SURE_ROWS <= facts.figures.rows
    )


def is_dated(column: Column) -> bool:
    """Whether nearly all values are whole dates as ISO writes them, and the others are half ones."""
    texts = [text for text in column.texts if text.strip()]
    whole = sum(read_moment(text) is not None for text in texts)
    half = sum(re.fullmatch(r"\d{4}(-\d\d)?", text.strip()) is not None for text in texts)
    return whole > 0 and whole + half == len(texts) and whole >= DATED * len(texts)


def decide_by_standard(
    name: str, columns: Columns, known: Standard, is_people: bool
) -> tuple[dict[str, StudyColumn], dict[str, tuple[str, ...]]]:
    """Decide by what a standard says; also return the columns with the groups of terms."""
    made, groups = dict[str, StudyColumn](), dict[str, tuple[str, ...]]()
    for column, values in columns.items():
        found = known.column(name, column)
        if found is None:
            reason = f"{known.title} does not know it"
            made[column] = StudyColumn(Role.REMOVED, reason, known=False)
            continue
        made[column] = of_known(found, values, known.title, is_people)
        above = [c for each in found.above for c in columns if c.lower() == each]
        if above:
            groups[column] = tuple(above)
    return made, groups


def of_known(found: KnownColumn, values: Column, title: str, is_people: bool) -> StudyColumn:
    """Return what a standard makes of a column; what cannot be generalized is removed."""
    role, reason = Role(found.role), found.reason or f"as {title} has it"
    if role is Role.QUASI and set(values.texts) <= {MISSING}:
        return StudyColumn(Role.REMOVED, "no cell has a value")
    if found.since and (is_people or not is_dated(values)):
        return StudyColumn(
            Role.REMOVED, "not a column of whole dates" if not is_people else "a date"
        )
    return StudyColumn(role, reason, since=FIRST if found.since else None)


def decide_with_groups(
    columns: Columns, roles: Mapping[str, Role], person: str | None
) -> tuple[dict[str, StudyColumn], dict[str, tuple[str, ...]]]:
    """Decide on columns; those with the groups of generalized terms leave, and make their hierarchies."""
    free = {name: column for name, column in columns.items() if name not in roles}
    groups = {name: above for name in free if (above := groups_above(free, name))}
    for above in list(groups.values()):  # groups of groups belong to the finest
        for each in above:
            groups.pop(each, None)
    while True:
        hidden = {each for above in groups.values() for each in above}
        shown = {name: column for name, column in columns.items() if name not in hidden}
        made = decide_by_values(shown, roles, person)
        made = made if person is None else as_events(made, shown, roles)
        kept = {name: above for name, above in groups.items() if made[name].role is Role.QUASI}
        if kept == groups:
            break
        groups = kept
    reason = "a group of another column, which has it as hierarchy"
    return made | {each: StudyColumn(Role.REMOVED, reason) for each in hidden}, groups


def groups_above(columns: Columns, name: str) -> tuple[str, ...]:
    """Return the columns that say in which groups the terms of a column are, fine to coarse."""
    own = columns[name]
    if not is_text(own) or len(own.texts) * SURE_ROWS > own.codes.size:
        return ()
    above, fine = list[str](), own
    others = [c for c, each in columns.items() if c != name and is_text(each)]
    for other in sorted(others, key=lambda each: -len(columns[each].texts)):
        coarse = columns[other]
        few = FEW <= len(coarse.texts) <= MOST_SHARE * len(fine.texts)
        if few and MISSING not in coarse.texts and follows(fine, coarse):
            above.append(other)
            fine = coarse
    return tuple(above)


def is_text(column: Column) -> bool:
    """Whether a column has texts with letters, not numbers or dates."""
    return (
        sum(any(char.isalpha() for char in text) for text in column.texts) > len(column.texts) / 2
    )


def follows(fine: Column, coarse: Column) -> bool:
    """Whether each value of a column stands beside one value of another."""
    pairs = fine.codes.astype(np.int64) * len(coarse.texts) + coarse.codes
    return bool(np.unique(pairs).size == len(fine.texts))


def grouped_spec(name: str, above: Sequence[str], path: Path) -> str | None:
    """Write a hierarchy whose groups are other columns; None where a value has two groups or none."""
    for keep in (above, above[-1:]):
        if not keep:
            continue
        where = path.resolve()
        try:
            Explicit(path=where, value=name, above=tuple(keep)).build(name)
        except (HierarchyError, PolicyError):
            continue
        return "".join(
            f"{line}\n"
            for line in (
                f"# Column '{write_comment(name)}': the groups are other columns of its table.",
                'builder = "mapping"',
                *write_keys({"path": where.as_posix(), "value": name, "above": list(keep)}),
                'missing = "top"',
            )
        )
    return None


def written_spec(name: str, above: Sequence[str], columns: Columns) -> str | None:
    """Write a hierarchy with groups in it, as no file has them; None where a value has two or none."""
    for keep in (above, above[-1:]):
        fine, *coarse = (columns[each] for each in (name, *keep))
        if not coarse or any(MISSING in each.texts for each in coarse):
            continue
        rows = np.unique(fine.codes, return_index=True)[1]
        if not all(follows(one, two) for one, two in itertools.pairwise((fine, *coarse))):
            continue
        groups: dict[str, Any] = {}
        for row in rows.tolist():
            *path, last = (each.texts[each.codes[row]] for each in reversed(coarse))
            inside = groups
            for each in path:
                inside = inside.setdefault(each, {})
            inside.setdefault(last, []).append(fine.texts[fine.codes[row]])
        spec = write_document({"builder": "mapping", "missing": "top", "groups": groups})
        try:
            parse_spec(tomllib.loads(spec), name).build(name)
        except (HierarchyError, PolicyError):
            continue
        return spec
    return None


def read_concepts(
    named: Mapping[str, Place], known: Standard | None
) -> Mapping[str, tuple[str, str]]:
    """Return class and domain of each concept, where OMOP's table of concepts is there."""
    if known is None or known.index is not None:
        return {}
    found = [place for name, place in named.items() if name.lower() == "concept"]
    if not found:
        return {}
    columns = {name.lower(): column for name, column in read_all_columns(found[0]).items()}
    names = ("concept_id", "concept_class_id", "domain_id")
    if not set(names) <= columns.keys():
        return {}
    texts = [columns[n].cells() for n in names]
    return {concept: (kind, domain) for concept, kind, domain in zip(*texts, strict=True)}


def concept_spec(name: str, column: Column, concepts: Mapping[str, tuple[str, str]]) -> str | None:
    """Write a hierarchy of concepts by their class and domain; None where some are unknown."""
    codes = [text for text in column.texts if text != MISSING]
    if not concepts or not name.lower().endswith("_concept_id"):
        return None
    groups: dict[str, dict[str, list[str]]] = {}
    classes = dict(concepts.values())
    for code in codes:
        kind, domain = concepts.get(code, ("unknown", "unknown"))
        kind = kind if classes.get(kind, domain) == domain else f"{kind} ({domain})"
        groups.setdefault(domain, {}).setdefault(kind, []).append(code)
    lines = [
        f"# Column '{write_comment(name)}': concepts by class and domain.",
        'builder = "mapping"',
    ]
    lines += ['missing = "top"', ""]
    for domain, kinds in groups.items():
        lines += [f"[groups.{write_key(domain)}]", *write_keys(kinds), ""]
    spec = "\n".join(lines) + "\n"
    try:
        parse_spec(tomllib.loads(spec), name).build(name)
    except HierarchyError:
        return None
    return spec


def spec_of(name: str, column: Column) -> str:
    """Propose a hierarchy; codes without an order are merged from rare to frequent."""
    numbers = [text for text in column.texts if text.isdigit()]
    far = max(map(int, numbers), default=0)
    if len(numbers) >= len(column.texts) - 1 and far > max(LONG_NUMBER, SPARSE * len(numbers)):
        return frequency_spec(name, column)
    return propose_spec(name, column)


def frequency_spec(name: str, column: Column) -> str:
    """Write a hierarchy of codes from the most to the least frequent."""
    counts = np.bincount(column.codes, minlength=len(column.texts))
    texts = [column.texts[n] for n in np.argsort(-counts, kind="stable").tolist()]
    values = [text for text in texts if text != MISSING]
    keep = [n for n in (len(values) // 2, len(values) // 4, len(values) // 10) if n > 0]
    lines = [
        f"# Column '{write_comment(name)}': codes whose numbers have no order, from frequent to rare.",
        'builder = "priority"',
        f"values = {write_value(values)}",
        f"keep = {write_value(list(dict.fromkeys(keep)))}",
        "unlisted = true",
        'missing = "top"',
    ]
    return "\n".join(lines) + "\n"


def with_spans(
    made: Mapping[str, dict[str, StudyColumn]], tables: Mapping[str, Columns], linked: Linked
) -> dict[str, dict[str, StudyColumn]]:
    """Give each date that is counted from an index date a hierarchy over the days that events have."""
    people = tables[linked.people]
    row_of = {text: row for row, text in enumerate(people[linked.id].cells())}
    dated = [
        (name, column, str(each.since), rows_in(tables[name], linked.whose.get(name), row_of))
        for name, columns in made.items()
        for column, each in columns.items()
        if each.since is not None
    ]
    days = {(name, column): days_of(tables[name][column]) for name, column, *_ in dated}
    first = [(whose, days[name, column]) for name, column, since, whose in dated if since == FIRST]
    index = {FIRST: first_days(len(row_of), first)}
    specs: dict[str, dict[str, StudyColumn]] = {
        name: dict(columns) for name, columns in made.items()
    }
    for name, column, since, whose in dated:
        start = index.get(since)
        start = (days_of(people[since]) if start is None else start)[whose]
        there = (days[name, column] != NO_DAY) & (start != NO_DAY) & (whose >= 0)
        spec = elapsed_spec(column, (days[name, column] - start)[there])
        specs[name][column] = replace(made[name][column], spec=spec)
    return specs


def rows_in(columns: Columns, id_: str | None, row_of: Mapping[str, int]) -> Days:
    """Return the row of the people table of each row; -1 where it is not known at first sight."""
    if id_ is None:
        return np.full(next(iter(columns.values())).codes.size, -1)
    column = columns[id_]
    return np.array([row_of[text] for text in column.texts], np.int64)[column.codes]


def elapsed_spec(column: str, days: Days) -> str:
    """Write a hierarchy of the time since an index date, over the days of nearly all events."""
    least, most = np.quantile(days, [0.01, 0.99]) if days.size else (0, 5 * NEST - 1)
    low, high = int(least // NEST) * NEST, (int(most // NEST) + 1) * NEST - 1
    return (
        f"# Column '{write_comment(column)}': days since the index date; a span is whole shorter ones.\n"
        f'builder = "elapsed"\ndomain = [{low}, {high}]\n'
        'periods = ["week", "4 weeks", "12 weeks", "48 weeks"]\n'
    )


def days_of(column: Column) -> Days:
    """Return the day of each cell."""
    moments = [read_moment(text) for text in column.texts]
    days = np.array([NO_DAY if m is None else m.day for m in moments], np.int64)
    return days[column.codes]
