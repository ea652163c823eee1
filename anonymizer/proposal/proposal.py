"""propose: a role for each column of a table, hierarchies, and the policy made of them."""

from __future__ import annotations

import os
import tomllib
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from anonymizer.data.column import Column, check_whose
from anonymizer.data.opening import check_present, open_table
from anonymizer.data.staging import Staging
from anonymizer.data.table import Table, check_rows, read_columns
from anonymizer.display import Displayed
from anonymizer.errors import AnonymizerWarning, PolicyError
from anonymizer.hierarchy import parse_spec
from anonymizer.policy import Policy, Role
from anonymizer.problem import Source
from anonymizer.proposal.choices import check_needed, given_roles
from anonymizer.proposal.content import check_header
from anonymizer.proposal.criteria import (
    Recipient,
    is_knowable,
    parse_recipient,
    stays,
    why_it_stays,
)
from anonymizer.proposal.decision import ColumnFacts, Confidence, Decision, decide, look_at
from anonymizer.proposal.derived import settle_derived
from anonymizer.proposal.figures import unique_share
from anonymizer.proposal.kept import KEPT, find_warnings
from anonymizer.proposal.names import Meaning
from anonymizer.proposal.person import Whose, find_whose
from anonymizer.proposal.policy_file import (
    FOLDER,
    LAYERS_SECONDS,
    NEEDED_WEIGHT,
    file_names,
    write_policy,
)
from anonymizer.proposal.ranking import choose, count_pairs
from anonymizer.proposal.rules import SINGLES_OUT, decide_alone
from anonymizer.proposal.specs import propose_specs
from anonymizer.proposal.trial import PROPOSED_LIMIT, Trial, Trials, try_both
from anonymizer.risk import KAnonymity

POLICY = "policy.toml"
MAY_TELL = "it may tell whose each row is"


@dataclass(frozen=True, repr=False)
class Proposal(Displayed):
    """What each column of a table should be, why, and the hierarchies of the quasi-identifiers."""

    name: str
    """How messages call the table."""
    decisions: tuple[Decision, ...]
    """One for each column, in the order of the table."""
    specs: Mapping[str, str]
    """The TOML text of the hierarchy of each quasi-identifier."""
    k: int
    records: int
    people: int
    """As many as records where no column tells whose a row is."""
    unique: float
    """The share of the people who are unique by the quasi-identifiers."""
    unique_by_kept: float
    """The share of the people who are unique by the columns that are kept as they are."""
    warnings: tuple[str, ...] = ()
    """What is kept and yet singles people out, and what else may be wrong."""
    path: Path | None = None
    """The file of the table."""
    stated: Mapping[str, str] = field(default_factory=dict)
    """What was said of how the file is read: keys of [data]."""
    whose: Whose = field(default_factory=Whose)
    """Who is a person, and what must be asked of it."""
    recipient: Recipient = Recipient.PUBLIC
    """For whom the release is."""
    trials: Trials | None = None
    """What one scheme and layers come to; None before they were tried."""

    @property
    def proposed(self) -> Trial | None:
        """What the policy comes to, as a short search found it."""
        return None if self.trials is None else self.trials.proposed

    def with_role(self, role: Role) -> tuple[str, ...]:
        """List the columns that are given a role."""
        return tuple(each.column for each in self.decisions if each.role is role)

    @property
    def id(self) -> str | None:
        """The column that tells whose each row is."""
        return next((each.column for each in self.decisions if each.is_id), None)

    @property
    def policy(self) -> Policy:
        """The policy that is proposed, with its hierarchies in it."""
        return Policy(
            data={"id": self.id, "rows_are_people": self.whose.rows_are_people, **self.stated},
            attributes={each.column: self.attribute(each) for each in self.decisions},
            risk=[{"model": "k-anonymity", "k": self.k}],
            search={"time_limit": LAYERS_SECONDS} if self.in_layers else {},
            release={
                "suppression_limit": self.suppression_limit,
                **({} if self.proposed is None else {"layers": self.in_layers}),
            },
        )

    @property
    def in_layers(self) -> bool:
        """Whether layers are proposed."""
        return self.proposed is not None and self.proposed.recoding == "layers"

    @property
    def suppression_limit(self) -> float:
        """The share of the records that may be dropped."""
        return PROPOSED_LIMIT if self.proposed is None else self.proposed.limit

    def attribute(self, decision: Decision) -> dict[str, Any]:
        """Return the keys of one column in the policy."""
        if decision.role is not Role.QUASI:
            why = {"reason": decision.reason} if decision.role is Role.REMOVED else {}
            return {"role": decision.role, **why}
        spec = parse_spec(tomllib.loads(self.specs[decision.column]), decision.column)
        weight = {"weight": NEEDED_WEIGHT} if decision.needed else {}
        return {"role": decision.role, "hierarchy": spec, **weight}

    def stage(self, staging: Staging) -> dict[str, str]:
        """Write the policy and its hierarchies; return what each will be called."""
        files = file_names(self.specs)
        check_new(staging.folder, [POLICY, *(f"{FOLDER}/{file}" for file in files.values())])
        staging.path(FOLDER).mkdir()
        for column, spec in self.specs.items():
            staging.path(f"{FOLDER}/{files[column]}").write_text(spec, encoding="utf-8")
        keys = self.data_keys(staging.folder)
        text = write_policy(self.decisions, files, keys, self.k, str(self), self.whose, self.trials)
        staging.path(POLICY).write_text(text, encoding="utf-8")
        return {"policy": str(staging.folder / POLICY), "hierarchies": str(staging.folder / FOLDER)}

    def data_keys(self, folder: Path) -> dict[str, str]:
        """Return the keys of [data]; the path is relative to the folder of the policy."""
        keys = {}
        if self.path is not None:
            keys["path"] = Path(os.path.relpath(self.path.resolve(), folder.resolve())).as_posix()
        keys.update(self.stated)
        return keys if self.id is None else {**keys, "id": self.id}

    def __str__(self) -> str:
        whose = "" if self.id is None else f" of {self.people:,} people"
        return (
            f"{Path(self.name).name}: {self.records:,} rows{whose}, {len(self.decisions):,} columns"
        )

    def describe(self) -> dict[str, Any]:
        """Return the proposal as JSON; it holds no cell."""
        return {
            "table": Path(self.name).name,
            "records": self.records,
            "people": self.people,
            "k": self.k,
            "id": self.id,
            "recipient": self.recipient.value,
            "rows_are_people": self.whose.rows_are_people,
            "person_candidates": list(self.whose.doubtful),
            "columns": [decision.describe() for decision in self.decisions],
            "unique": self.unique,
            "unique_by_kept": self.unique_by_kept,
            "suppression_limit": self.suppression_limit,
            "recoding": None if self.trials is None else self.trials.describe(),
            "warnings": list(self.warnings),
        }


def check_new(folder: Path, names: Sequence[str] = (POLICY,)) -> None:
    """Raise a PolicyError if one of some files is there: somebody may have edited it."""
    if there := [folder / name for name in names if (folder / name).exists()]:
        raise PolicyError(
            f"{there[0]} is there already, and may have been edited; remove it, or choose another "
            "folder with --out."
        )


def propose(
    data: Source,
    k: int = 5,
    quasi: Iterable[str] = (),
    id: str | None = None,  # noqa: A002 - the policy's word
    identifying: Iterable[str] = (),
    sensitive: Iterable[str] = (),
    keep: Iterable[str] = (),
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    rows_are_people: bool = False,
    *,
    recipient: str = "public",
    need: Iterable[str] = (),
) -> Proposal:
    """Look at a table and propose what each column is, and how it may be generalized.

    `quasi`, `id`, `identifying`, `sensitive` and `keep` name columns whose role is decided already.
    `rows_are_people` says that no column tells whose a row is; it is never taken for granted.
    Delimiter, encoding and sheet are found where they are not stated. For a `recipient` who is bound by
    an "agreement" or works in an "enclave", what nobody outside can know stays as it is; for the "public"
    it leaves where it singles people out. Columns that the analysis will `need` are kept, and the loss is
    spent on others. The policy is tried on the table before it is handed over, with one scheme and with
    layers. Warns of columns that are kept as they are and yet single people out.
    """
    if data is None:
        raise PolicyError("there is no table to look at; give a dataframe or the path of a file.")
    check_k(k)
    table = open_table(data, delimiter, encoding, sheet)
    check_present(table, table.columns)
    who = parse_recipient(recipient)
    roles = given_roles(table.columns, id, quasi, identifying, sensitive, keep)
    needed = check_needed(table.columns, need, roles)
    columns = read_columns(table, table.columns)
    check_rows(table, next(iter(columns.values())).codes.size if columns else 0)
    check_header(table, columns)
    whose = say_whose(table, columns, id, rows_are_people, roles)
    check_enough(table, columns, whose.person, k)
    decisions = decide_all(columns, roles, whose.person, whose.doubtful, who, needed)
    given = {"delimiter": delimiter, "encoding": encoding, "sheet": sheet}
    stated = {key: value for key, value in given.items() if value is not None}
    found = replace(assemble(table, columns, decisions, k, whose, stated), recipient=who)
    found = tried(found, columns)
    for sentence in found.warnings:
        warnings.warn(f"{table.name}: {sentence}", AnonymizerWarning, stacklevel=2)
    return found


def check_k(k: int) -> None:
    """Raise a PolicyError unless k is one that k-anonymity takes."""
    try:
        KAnonymity(k)
    except ValueError as error:
        raise PolicyError(f"{error}.") from None


def check_enough(table: Table, columns: Mapping[str, Column], person: str | None, k: int) -> None:
    """Raise a PolicyError if there are fewer people than k."""
    one = next(iter(columns.values()))
    people = one.codes.size if person is None else len(columns[person].texts)
    if k > people:
        raise PolicyError(
            f"{table.name}: k = {k} is larger than the number of people, {people:,}; lower k."
        )


def say_whose(
    table: Table,
    columns: Mapping[str, Column],
    given: str | None,
    rows_are_people: bool,
    roles: Mapping[str, Role],
) -> Whose:
    """Say who is a person: as it was said, or as the table shows."""
    if given is not None and rows_are_people:
        raise PolicyError(f"rows cannot be people where '{given}' tells whose they are; say one.")
    if given is not None:
        check_whose(columns[given], table.name, given)
    if given is not None or rows_are_people:
        return Whose(given, rows_are_people)
    free = [name for name in columns if roles.get(name, Role.IDENTIFYING) is Role.IDENTIFYING]
    return find_whose(columns, free)


def tried(proposal: Proposal, columns: Mapping[str, Column]) -> Proposal:
    """Try the policy on its table, and take what does best; a PolicyError says if nothing does."""
    trials = try_both(proposal.policy, columns, proposal.id)
    if not trials.both and not trials.limits:
        raise PolicyError(
            f"{proposal.name}: no release meets k = {proposal.k} whatever is dropped; lower k, or name "
            "fewer columns with --quasi."
        )
    said = (*proposal.warnings, *trials.find_warnings())
    return replace(proposal, trials=trials, warnings=said)


def decide_all(
    columns: Mapping[str, Column],
    roles: Mapping[str, Role],
    person: str | None,
    doubtful: Sequence[str] = (),
    recipient: Recipient = Recipient.PUBLIC,
    needed: Sequence[str] = (),
) -> dict[str, Decision]:
    """Decide on every column, in the order of the table; `doubtful` ones may tell whose each row is."""
    whose = None if person is None else columns[person]
    described = [look_at(name, coded, whose) for name, coded in columns.items()]
    decided = {}
    for column in described:
        found = decide_at_once(column, roles, person, doubtful)
        if column.name in needed:
            may_tell = column.name == person or column.name in doubtful
            found = decide_needed(column, found, recipient, may_tell)
        elif found is None and stays(column, recipient):
            found = stay(column, why_it_stays(column))
        if found is not None:
            decided[column.name] = found
    candidates = [column for column in described if column.name not in decided]
    counted = count_pairs(candidates, columns, whose)
    given = [
        column
        for column in described
        if column.name in decided and decided[column.name].role is Role.QUASI
    ]
    kept = [
        column
        for column in described
        if column.name in decided and decided[column.name].role in KEPT
    ]

    def unique_by(some: Sequence[ColumnFacts]) -> float:
        return unique_share([columns[column.name] for column in some], whose)

    decided |= {each.column: each for each in choose(counted, given, kept, unique_by)}
    return settle_derived({name: decided[name] for name in columns}, columns, whose)


def decide_needed(
    column: ColumnFacts, found: Decision | None, recipient: Recipient, may_tell: bool
) -> Decision:
    """Decide on a column that the analysis needs: kept where that is safe, else generalized least.

    One that `may_tell` whose each row is is refused, and so is one that names people.
    """
    if found is not None and found.confidence is Confidence.GIVEN:
        return replace(found, needed=True)
    names = found is not None and found.role is Role.IDENTIFYING and not column.content.in_order
    if found is not None and (names or may_tell):
        raise PolicyError(
            f"need: '{column.name}' would be removed, because {found.reason}; leave it out, or name it "
            "with --quasi or --keep."
        )
    knowable, telling = is_knowable(column), column.figures.unique >= SINGLES_OUT
    if stays(column, recipient) or not (knowable or telling):
        why = why_it_stays(column) if telling else "it hardly singles anybody out"
        return replace(stay(column, f"the analysis needs it, and {why}"), needed=True)
    why = "others may know it" if knowable else "it singles people out"
    reason = f"the analysis needs it, and {why}: generalized last"
    return replace(decide(column, Role.QUASI, Confidence.MEDIUM, reason), needed=True)


def stay(column: ColumnFacts, reason: str) -> Decision:
    """Keep a column as it is."""
    role = Role.SENSITIVE if column.meaning is Meaning.SENSITIVE else Role.INSENSITIVE
    return replace(decide(column, role, Confidence.MEDIUM, reason), unknowable=True)


def decide_at_once(
    column: ColumnFacts, roles: Mapping[str, Role], person: str | None, doubtful: Sequence[str]
) -> Decision | None:
    """Decide on a column that needs no comparison with others."""
    if column.name == person:
        confidence = Confidence.GIVEN if column.name in roles else Confidence.HIGH
        return decide(
            column, Role.IDENTIFYING, confidence, "it tells whose each row is", is_id=True
        )
    if column.name in roles:
        return decide(column, roles[column.name], Confidence.GIVEN, "you said so")
    if column.name in doubtful:
        return decide(column, Role.IDENTIFYING, Confidence.MEDIUM, MAY_TELL)
    return decide_alone(column)


def assemble(
    table: Table,
    columns: Mapping[str, Column],
    decisions: Mapping[str, Decision],
    k: int,
    who: Whose,
    stated: Mapping[str, str],
) -> Proposal:
    """Make the hierarchies, and count what the columns give away together."""
    whose = None if who.person is None else columns[who.person]
    quasi = [columns[name] for name, each in decisions.items() if each.role is Role.QUASI]
    if not quasi:
        raise PolicyError(
            f"{table.name}: no column looks as if it could be generalized; name one with --quasi."
        )
    kept = {name: columns[name] for name, each in decisions.items() if each.role in KEPT}
    by_kept = unique_share(list(kept.values()), whose)
    path = Path(table.name)
    return Proposal(
        table.name,
        tuple(decisions.values()),
        propose_specs({n: columns[n] for n, each in decisions.items() if each.role is Role.QUASI}),
        k,
        quasi[0].codes.size,
        quasi[0].codes.size if whose is None else len(whose.texts),
        unique_share(quasi, whose),
        by_kept,
        tuple(find_warnings(list(decisions.values()), by_kept, who)),
        path if path.is_file() else None,
        stated,
        who,
    )
