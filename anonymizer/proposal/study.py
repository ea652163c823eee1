"""propose_study: from several raw tables to a policy that links them and works at once."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from anonymizer import __version__
from anonymizer.data.staging import Staging
from anonymizer.display import Displayed
from anonymizer.errors import PolicyError, percent, quote_some
from anonymizer.hierarchy import parse_spec
from anonymizer.policy import Policy, Role
from anonymizer.problem.across import find_told
from anonymizer.problem.study import StudyProblem, link_tables
from anonymizer.proposal.links import Columns, Linked, find_links
from anonymizer.proposal.place import Place, find_tables
from anonymizer.proposal.policy_file import FOLDER, HEADINGS, file_names
from anonymizer.proposal.proposal import POLICY, check_new
from anonymizer.proposal.standard import Standard
from anonymizer.proposal.study_columns import (
    StudyColumn,
    decide_columns,
    read_all_columns,
    read_concepts,
    with_spans,
    write_key,
)
from anonymizer.validation import write_comment, write_keys

LIMITS = (0.05, 0.1, 0.2, 0.5)
"""The shares of people that a proposed policy may drop; the first that the coarsest scheme keeps to."""
SECONDS = 60.0


@dataclass(frozen=True)
class ProposedTable:
    """One table of a study: where it is, what it belongs to, and its columns."""

    name: str
    place: Place
    rows: int
    columns: Mapping[str, StudyColumn]
    id: str
    parent: str | None = None
    key: str | None = None

    def files(self) -> dict[str, str]:
        """Return the file of each hierarchy, beside the policy."""
        specs = [name for name, each in self.columns.items() if each.spec is not None]
        return {c: f"{FOLDER}/{self.name}/{file}" for c, file in file_names(specs).items()}


@dataclass(frozen=True, repr=False)
class StudyProposal(Displayed):
    """A policy for linked tables, and what was decided on the way."""

    tables: tuple[ProposedTable, ...]
    """The people table first."""
    k: int
    power: int
    left_out: Mapping[str, str]
    """Tables that are left out, and why."""
    title: str | None = None
    """The standard that the tables follow."""
    limit: float = LIMITS[0]

    def without(self, told: Collection[tuple[str, str]]) -> StudyProposal:
        """Remove columns, each by its table, that tell what other tables hide."""
        reason = "it tells what another table hides"
        tables = tuple(
            replace(
                table,
                columns={
                    name: StudyColumn(Role.REMOVED, reason) if (table.name, name) in told else each
                    for name, each in table.columns.items()
                },
            )
            for table in self.tables
        )
        return replace(self, tables=tables)

    def stage(self, staging: Staging) -> dict[str, str]:
        """Write the policy and its hierarchies; return what each will be called."""
        check_new(staging.folder, [POLICY])
        staging.path(FOLDER).mkdir(exist_ok=True)
        for table in self.tables:
            for column, file in table.files().items():
                path = staging.path(FOLDER) / table.name
                path.mkdir(exist_ok=True)
                spec = table.columns[column].spec or ""
                (path / Path(file).name).write_text(spec, encoding="utf-8")
        staging.path(POLICY).write_text(self.text(staging.folder), encoding="utf-8")
        return {"policy": str(staging.folder / POLICY), "hierarchies": str(staging.folder / FOLDER)}

    def text(self, folder: Path) -> str:
        """Write the policy."""
        return "\n".join([*self.lines(folder)]) + "\n"

    def lines(self, folder: Path) -> Iterator[str]:
        """Write the policy line by line; paths are relative to its folder."""
        people, *children = self.tables
        yield f"# Proposed by anonymizer {__version__} for {write_comment(self.headline)}."
        yield "# Every line can be edited."
        yield from (f"# Left out: {write_comment(n)}, {why}." for n, why in self.left_out.items())
        yield from ("", "[data]")
        yield from write_keys({**people.place.keys(folder), "id": people.id})
        yield from ("", "[attributes]")
        yield from attribute_lines(people)
        for each in children:
            yield f"[tables.{write_key(each.name)}]"
            keys = {**each.place.keys(folder), "id": each.id}
            keys |= {} if each.parent is None else {"parent": each.parent}
            yield from write_keys(keys | ({} if each.key is None else {"key": each.key}))
            yield from ("", f"[tables.{write_key(each.name)}.attributes]")
            yield from attribute_lines(each)
        yield "[[risk]]"
        yield 'model = "study"   # everybody shares their row, and what is known of their events, with k'
        yield f"k = {self.k}"
        yield f"power = {self.power}   # how many events of a person somebody knows; more is safer"
        yield from ("", "[release]")
        yield f"suppression_limit = {self.limit}   # at most {percent(self.limit, 0)} of the people"
        yield from ("", "[search]")
        yield f"time_limit = {SECONDS}   # seconds; left out: until the optimum is proven"

    @property
    def headline(self) -> str:
        """The tables in a few words."""
        rows = ", ".join(f"{each.name} ({each.rows:,} rows)" for each in self.tables)
        return f"{self.title or 'linked tables'}: {rows}"

    def sentences(self) -> Iterator[str]:
        """Say what was decided, table by table."""
        people, *children = self.tables
        yield f"'{people.name}' is the people table: each row is a person, named by '{people.id}'."
        for each in children:
            yield f"'{each.name}' belongs to '{each.parent or people.name}' by '{each.id}'."
        for table in self.tables:
            yield from sentences_of(table)
        for name, why in self.left_out.items():
            yield f"Left out: '{name}', {why}."
        yield (
            f"Promise: k = {self.k} for whoever knows a person's row and {self.power} of their events; "
            f"at most {percent(self.limit, 0)} of the people may be dropped."
        )

    def describe(self) -> dict[str, Any]:
        """Return the proposal as JSON; it holds no cell."""
        return {
            "standard": self.title,
            "people": self.tables[0].name,
            "k": self.k,
            "power": self.power,
            "suppression_limit": self.limit,
            "left_out": dict(self.left_out),
            "tables": {
                each.name: {
                    "id": each.id,
                    "parent": each.parent,
                    "key": each.key,
                    "rows": each.rows,
                    "columns": {
                        name: {"role": c.role.value, "reason": c.reason, "known": c.known}
                        for name, c in each.columns.items()
                    },
                }
                for each in self.tables
            },
        }


def attribute_lines(table: ProposedTable) -> Iterator[str]:
    """Write the columns of a table by role."""
    files = table.files()
    for role in HEADINGS:
        some = {name: each for name, each in table.columns.items() if each.role is role}
        if some:
            yield f"# --- {HEADINGS[role]}"
        for name, each in some.items():
            line = "".join(write_keys({name: each.keys(files.get(name))}))
            yield line if role is Role.REMOVED else f"{line}   # {write_comment(each.reason)}"
    yield ""


def sentences_of(table: ProposedTable) -> Iterator[str]:
    """Say what becomes of the columns of one table."""
    for role, words in (
        (Role.QUASI, "generalized"),
        (Role.SENSITIVE, "kept as they are, outside the promise"),
        (Role.INSENSITIVE, "kept as they are, outside the promise"),
        (Role.REMOVED, "removed"),
    ):
        names = [n for n, c in table.columns.items() if c.role is role and c.known]
        if names:
            yield f"{table.name}, {words}: {quote_some(names, len(names))}."
    if texts := [n for n, c in table.columns.items() if "free text" in c.reason]:
        which = quote_some(texts, len(texts))
        yield f"{table.name}: free text leaves, since it may name people: {which}."
    if strange := [name for name, each in table.columns.items() if not each.known]:
        yield (
            f"{table.name}: not known to the standard, and removed unless you give them a role: "
            f"{quote_some(strange, len(strange))}."
        )


def propose_study(
    paths: Sequence[Path], k: int = 5, power: int = 1, standard: str | None = None
) -> StudyProposal:
    """Look at linked tables and propose what each column is, and how they belong together.

    Keys are found by their values: a column all of whose values are in a column of another table that is
    different in each row. The people table is the one that nothing is above of.
    """
    known = None if standard is None else Standard.read(standard)
    named, left_out = find_tables(paths), dict[str, str]()
    concepts = read_concepts(named, known)
    if known is not None:
        left_out = {n: f"which {known.title} does not know" for n in named if not known.has(n)}
        named = {name: place for name, place in named.items() if name not in left_out}
    tables = {name: read_all_columns(place) for name, place in named.items()}
    linked = link(tables, known)
    left_out |= dict.fromkeys(linked.alone, "whose rows no column links to the people")
    order = [linked.people, *(n for n in tables if n in linked.links)]
    decided = {n: decide_columns(n, tables, linked, known, concepts, named[n]) for n in order}
    decided = with_spans(decided, tables, linked)
    made = [describe_table(name, named[name], tables, linked, decided[name]) for name in order]
    if not any(each.role is Role.QUASI for each in made[0].columns.values()):
        raise PolicyError(
            f"{named[linked.people]}: no column of the people table looks as if it could be generalized; "
            "write a policy with one."
        )
    proposal = StudyProposal(
        tuple(made), k, power, left_out, None if known is None else known.title
    )
    return tried(proposal)


def describe_table(
    name: str,
    place: Place,
    tables: Mapping[str, Columns],
    linked: Linked,
    columns: Mapping[str, StudyColumn],
) -> ProposedTable:
    """Put together what was decided of one table."""
    rows, own = next(iter(tables[name].values())).codes.size, linked.links.get(name)
    if own is None:
        return ProposedTable(name, place, rows, columns, linked.id)
    parent = None if own.parent == linked.people else own.parent
    return ProposedTable(name, place, rows, columns, own.column, parent, linked.key_of(name))


def link(tables: Mapping[str, Columns], known: Standard | None) -> Linked:
    """Find what links tables: of a standard, among the columns that are keys there."""
    if known is None:
        return find_links(tables)
    people = [name for name in tables if name.lower() == known.people]
    if not people:
        raise PolicyError(
            f"there is no table '{known.people}', in which {known.title} has the people; check the "
            "folder."
        )
    if len(tables) == 1:
        raise PolicyError(
            f"there is no table of {known.title} beside '{people[0]}'; check what the files are called, "
            "or leave out --study."
        )
    keys = {
        name: {
            column: values
            for column, values in columns.items()
            if (found := known.column(name, column)) is not None and found.role == "identifying"
        }
        for name, columns in tables.items()
    }
    linked = find_links({name: columns for name, columns in keys.items() if columns})
    if linked.people.lower() != known.people:
        raise PolicyError(
            f"'{known.people}' has not one row for each '{known.id}', or others have ids that are not in "
            "it; correct the tables."
        )
    return replace(
        linked, alone=tuple(n for n in tables if n not in {linked.people, *linked.links})
    )


def tried(proposal: StudyProposal) -> StudyProposal:
    """Put the policy to its tables, and say how many people it may drop at least.

    What tells ids, or what another table generalizes, leaves first.
    """
    policy, parts, study = link_tables(None, policy_of(proposal))
    if told := find_told(parts, study):
        return tried(proposal.without({(each.table, each.column) for each in told}))
    problem = StudyProblem.of(policy, parts, study)
    coarsest = problem.evaluator.evaluate(problem.lattice.high)
    share = coarsest.suppressed_records / problem.study.people
    if share == 1:
        raise PolicyError(
            f"no release meets k = {proposal.k} with power {proposal.power}, whoever is dropped; lower "
            "--k or --power."
        )
    limit = next((each for each in LIMITS if share <= each), 1.0)
    return replace(proposal, limit=limit)


def hierarchy_of(name: str, spec: str | None) -> dict[str, Any]:
    """Return the hierarchy of a column as a key of it; nothing where it has none."""
    return {} if spec is None else {"hierarchy": parse_spec(tomllib.loads(spec), name)}


def located(place: Place) -> dict[str, str]:
    """Return where a table is, wherever the policy is."""
    return {**place.keys(Path()), "path": str(place.path.resolve())}


def policy_of(proposal: StudyProposal) -> Policy:
    """Return the policy with its hierarchies in it."""

    def attributes(table: ProposedTable) -> dict[str, Any]:
        return {
            name: {
                **each.keys(None),
                **hierarchy_of(name, each.spec),
            }
            for name, each in table.columns.items()
        }

    people, *children = proposal.tables
    tables = {}
    for each in children:
        keys = {
            **located(each.place),
            "id": each.id,
            "parent": each.parent,
            "key": each.key,
        }
        tables[each.name] = {
            **{key: value for key, value in keys.items() if value is not None},
            "attributes": attributes(each),
        }
    return Policy.of(
        {
            "data": {**located(people.place), "id": people.id},
            "attributes": attributes(people),
            "tables": tables,
            "risk": [{"model": "study", "k": proposal.k, "power": proposal.power}],
        }
    )
