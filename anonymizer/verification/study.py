"""verify for linked tables: every claim recomputed from the tables, the policy and the manifest."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.column import Column, same_text
from anonymizer.data.opening import TableLike
from anonymizer.data.table import Table, read_columns
from anonymizer.errors import ReleaseError, quote_some
from anonymizer.hierarchy import Hierarchy
from anonymizer.policy import Attribute, Policy, Role
from anonymizer.risk import packages_of, profile
from anonymizer.risk.study import StudyAnonymity
from anonymizer.solution.manifest import FILE_NAME, read_manifest
from anonymizer.solution.study import KEY_LETTERS, LETTERS
from anonymizer.solution.study_manifest import check_study_manifest
from anonymizer.utility import make_measure
from anonymizer.utility.loss import attribute_loss
from anonymizer.verification.attackers import PEOPLE, Attackers, PlainStudy, PlainTable
from anonymizer.verification.claims import (
    Check,
    Verification,
    check_digest,
    check_figures,
    check_packages,
)
from anonymizer.verification.declared import (
    check_hierarchies,
    check_policy,
    check_proof,
    check_released_columns,
    check_schemes,
    hierarchies_used,
)
from anonymizer.verification.kept import check_kept
from anonymizer.verification.layers import check_values
from anonymizer.verification.order import IMPROBABLE, chance_of, correlate
from anonymizer.verification.reading import ReadRelease, read_release
from anonymizer.verification.study_original import check_against

PROMISE = "everybody shares all that somebody may know with k people"
SIGMAS, LEAST = 6.0, 12.0
"""So many more rows than by chance stand beside another of their person before it is said."""


@dataclass(frozen=True, eq=False)
class ReleasedTable:
    """One released table, what its part of the policy says, and what the manifest says of it."""

    name: str
    table: Table
    policy: Policy
    """The policy as if the table were alone."""
    keys: Mapping[str, str]
    """The columns that have random keys, and the table whose rows these name."""
    manifest: Mapping[str, Any]
    """The manifest as if the table were alone."""

    @cached_property
    def with_keys(self) -> Policy:
        """The policy by which keys are columns like others."""
        own = {name: Attribute(role=Role.INSENSITIVE) for name in self.keys}
        return self.policy.model_copy(update={"attributes": {**self.policy.attributes, **own}})

    @cached_property
    def hierarchies(self) -> tuple[Hierarchy, ...]:
        """The hierarchies of its quasi-identifiers, as they were used."""
        return hierarchies_used(self.policy, self.manifest)

    @cached_property
    def reading(self) -> ReadRelease | None:
        """Its quasi-identifiers as they are read back; None where it has none."""
        if not self.hierarchies:
            return None
        return read_release(self.table, self.policy, self.hierarchies, self.manifest)

    @cached_property
    def linked(self) -> dict[str, list[str]]:
        """The keys in each of its columns of keys, row by row."""
        columns = read_columns(self.table, list(self.keys))
        return {name: texts_of(column) for name, column in columns.items()}

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(next(iter(self.linked.values())))

    def own_keys(self) -> list[str] | None:
        """Return the keys that name its own rows; None where nothing refers to them."""
        return next((self.linked[c] for c, table in self.keys.items() if table == self.name), None)

    def above(self) -> tuple[str, list[str]] | None:
        """Return the table that its rows belong to, and the keys of the rows there."""
        found = ((t, self.linked[c]) for c, t in self.keys.items() if t != self.name)
        return next(found, None)

    def generalized(self) -> list[tuple[str, ...]]:
        """Return the quasi-identifiers of each row, as labels of the hierarchies."""
        if self.reading is None:
            return [()] * self.rows
        columns = [texts_of(self.reading.columns[h.name]) for h in self.hierarchies]
        return list(zip(*columns, strict=True))

    def kept(self) -> list[tuple[str, ...]]:
        """Return what is released as it was in each row."""
        quasi = self.policy.quasi_identifiers
        names = [
            n for n, a in self.policy.attributes.items() if not a.role.dropped and n not in quasi
        ]
        if not names:
            return [()] * self.rows
        columns = read_columns(self.table, names)
        return list(zip(*(map(same_text, texts_of(columns[n])) for n in names), strict=True))


def texts_of(column: Column) -> list[str]:
    """Return the text of each cell."""
    return [column.texts[code] for code in column.codes.tolist()]


def verify_study(
    released: Any,
    policy: Policy,
    manifest: Mapping[str, Any] | str | Path | None,
    against: Any,
    keys: str | Path | None,
    started: float,
) -> Verification:
    """Check released tables against a policy, their manifest and, if given, the original tables."""
    manifest, given = find_study(released, manifest)
    tables = open_released(given, policy, manifest)
    checks = [*check_declared(tables, policy, manifest)]
    if any(check.passed is False for check in checks):
        return Verification(tuple(checks))
    checks += check_links(tables, manifest)
    if any(check.passed is False for check in checks):
        return Verification(tuple(checks))
    checks += check_contents(tables, policy, manifest)
    if against is None:
        for each in tables:
            found = check_kept(each.table, each.policy, each.hierarchies)
            checks += [of_table(check, each.name) for check in found]
    else:
        histories = histories_of(tables, whole=True)
        named = {each.name: own for each in tables if (own := each.own_keys()) is not None}
        checks += check_against(histories, named, policy, manifest, against, keys, started)
    return Verification(tuple(checks))


def of_table(check: Check, name: str) -> Check:
    """Say of which table a check is."""
    return replace(check, claim=f"{name}: {check.claim}")


def find_study(released: Any, manifest: Any) -> tuple[dict[str, Any], Mapping[str, TableLike]]:
    """Return the manifest and the released tables by name."""
    if isinstance(released, Mapping):
        if manifest is None:
            raise ReleaseError("verify needs the manifest of dataframes; pass it as `manifest`.")
        return read_study(manifest), released
    if not isinstance(released, str | Path):
        raise ReleaseError(
            "the release: the policy has linked tables; give their folder, or dataframes by name."
        )
    path = Path(released)
    folder = path if path.is_dir() else path.parent
    read = read_study(folder / FILE_NAME if manifest is None else manifest)
    names = {name: folder / Path(output["name"]).name for name, output in read["output"].items()}
    return read, names


def read_study(manifest: Any) -> dict[str, Any]:
    """Take a manifest, or read it from its file."""
    if isinstance(manifest, str | Path):
        return read_manifest(manifest, check_study_manifest)
    check_study_manifest(manifest, "the manifest")
    return dict(manifest)


def open_released(
    given: Mapping[str, TableLike], policy: Policy, manifest: Mapping[str, Any]
) -> list[ReleasedTable]:
    """Open the tables that the policy has, parents first; a ReleaseError names one that is not there."""
    people = [name for name in manifest["tables"] if name not in policy.tables]
    names = [*people, *policy.tables]
    known = all(set(names) == set(manifest[key]) for key in ("tables", "input", "output", "keys"))
    if len(people) != 1 or not known or set(given) != set(names):
        raise ReleaseError(
            f"the release: the policy has the tables {quote_some(policy.tables)} and that of the people, "
            f"the manifest {quote_some(manifest['tables'])}, and given are {quote_some(given)}; all must "
            "have the same."
        )
    order = people
    while len(order) < len(names):  # as a study has them; a policy's tables have no circle
        left = [name for name in policy.tables if name not in order]
        order.append(next(n for n in left if (policy.tables[n].parent or people[0]) in order))
    return [open_one(name, people[0], given[name], policy, manifest) for name in order]


def open_one(
    name: str, people: str, given: TableLike, policy: Policy, manifest: Mapping[str, Any]
) -> ReleasedTable:
    """Open a released table, with what policy and manifest say of it alone."""
    own = policy if name == people else policy.of_table(name)
    declared = manifest["policy"]
    if name != people:
        declared = as_table(as_table(declared.get("tables")).get(name))
    table = own.data.open_release(given)
    own = own.with_columns([*table.columns, *as_table(declared.get("attributes"))])
    start = "" if name == people else f"{name}."
    alone = {
        key: {n: manifest[key].get(f"{start}{n}") for n in own.quasi_identifiers}
        for key in ("hierarchies", "scheme")
    }
    child = policy.tables.get(name)
    keys = {policy.data.id or "": people}
    if child is not None:
        keys = {child.id: child.parent or people}
        keys |= {} if child.key is None else {child.key: name}
    return ReleasedTable(name, table, own, keys, {**alone, "suppressed": 0})


def as_table(value: object) -> Mapping[str, Any]:
    """Return a table of a manifest; an empty one where something else stands there."""
    return value if isinstance(value, Mapping) else {}


def check_declared(
    tables: list[ReleasedTable], policy: Policy, manifest: Mapping[str, Any]
) -> Iterator[Check]:
    """Check digests, policy, hierarchies, scheme and columns."""
    people, *children = tables
    expanded = policy.with_columns(people.policy.attributes)
    parts = {
        t.name: policy.tables[t.name].with_columns(tuple(t.policy.attributes)) for t in children
    }
    parts = {name: parts[name] for name in policy.tables}
    yield check_policy(expanded.model_copy(update={"tables": parts}), manifest)
    yield check_packages(packages_of(policy.risk), manifest.get("packages"))
    for each in tables:
        claim = "the file is the one released"
        found = [
            check_digest(claim, each.table, manifest["output"][each.name]),
            check_hierarchies(each.hierarchies, each.manifest),
            check_schemes(each.policy, each.hierarchies, each.manifest),
            check_released_columns(each.table, each.with_keys),
        ]
        yield from (of_table(check, each.name) for check in found)
    declared = {each.name: dict(each.keys) for each in tables}
    yield check_figures("the columns of keys are as declared", declared, manifest["keys"])
    strange = set(manifest["scheme"]) - {
        name for each in tables for name in labels(each, people.name)
    }
    detail = f"{quote_some(sorted(strange))} are of no table" if strange else "each is of a table"
    yield Check("the scheme has no level but those of the tables", not strange, detail)


def labels(table: ReleasedTable, people: str) -> list[str]:
    """Name the quasi-identifiers of a table as schemes do."""
    start = "" if table.name == people else f"{table.name}."
    return [f"{start}{name}" for name in table.policy.quasi_identifiers]


def check_links(tables: list[ReleasedTable], manifest: Mapping[str, Any]) -> Iterator[Check]:
    """Check that every key is random by its looks, names one row, and leads to one; and the counts."""
    known: dict[str, set[str]] = {}
    for each in tables:
        own = each.own_keys()
        faults = []
        if own is not None:
            known[each.name] = set(own)
            if twice := len(own) - len(known[each.name]):
                faults.append(f"{twice:,} rows have the key of another")
            if odd := sum(not is_key(key) for key in known[each.name]):
                faults.append(f"{odd:,} keys are not {KEY_LETTERS} random letters")
        if above := each.above():
            parent, keys = above
            if orphans := sum(key not in known[parent] for key in keys):
                faults.append(f"{orphans:,} rows belong to no row of '{parent}'")
        detail = "; ".join(faults) or "every key names one row, and leads to one"
        yield Check(f"{each.name}: its rows are linked by new keys", not faults, detail)
    yield check_counts(tables, manifest)


def is_key(text: str) -> bool:
    """Whether a text is one that a key may be: so many letters of those they are written in."""
    return len(text) == KEY_LETTERS and set(text) <= set(LETTERS)


def check_counts(tables: list[ReleasedTable], manifest: Mapping[str, Any]) -> Check:
    """Check that released rows and dropped people are those declared."""
    claim, declared = "the counts agree", manifest["tables"]
    faults = [
        f"'{each.name}' has {each.rows:,} rows, declared are {declared[each.name]['released']:,}"
        for each in tables
        if each.rows != declared[each.name]["released"]
    ]
    faults += [
        f"'{name}' had {figures['rows']:,} rows, fewer than are released"
        for name, figures in declared.items()
        if figures["rows"] < figures["released"]
    ]
    people, records = declared[tables[PEOPLE].name], manifest["records"]
    dropped = people["rows"] - people["released"]
    if (people["rows"], dropped, manifest["people"]) != (records, manifest["suppressed"], records):
        faults.append(
            f"{people['rows']:,} people of whom {dropped:,} are dropped are not those declared"
        )
    limit = tables[PEOPLE].policy.search.suppression_limit
    if dropped > limit * records + 1e-9:
        faults.append(f"{dropped:,} people are dropped, above the limit of {limit:g}")
    most = limit_of_events(tables[PEOPLE].policy)
    faults += [
        f"more than {most:g} of the rows of '{name}' are dropped"
        for name, figures in declared.items()
        if name != tables[PEOPLE].name
        and figures["rows"] - figures["released"] > most * figures["rows"] + 1e-9
    ]
    rows = ", ".join(f"{each.rows:,} rows in '{each.name}'" for each in tables)
    return Check(claim, not faults, "; ".join(faults) or f"{rows}; {dropped:,} people dropped")


def limit_of_events(policy: Policy) -> float:
    """Return the largest share of the rows of a table of events that may be dropped."""
    [model] = policy.risk
    assert isinstance(model, StudyAnonymity)
    return model.event_limit


def check_contents(
    tables: list[ReleasedTable], policy: Policy, manifest: Mapping[str, Any]
) -> Iterator[Check]:
    """Check the levels of all cells, the promise, the figures, and that no order is left."""
    of_values = [
        of_table(check, each.name)
        for each in tables
        if each.reading is not None
        for check in check_values(each.reading, each.manifest)
    ]
    yield from of_values
    if not all(check.passed for check in of_values):
        return
    histories = histories_of(tables)
    yield check_promise(histories, policy)
    mine = asdict(profile(np.array([*Counter(histories.tables[PEOPLE].values).values()], np.int64)))
    claim = "the risk by the people table alone is the one reported"
    yield check_figures(claim, mine, as_table(manifest["risk"].get("after")))
    yield check_loss(tables, policy, manifest)
    yield check_proof(manifest)
    yield check_left_out(histories, tables, manifest)
    yield check_order(histories)


def histories_of(tables: list[ReleasedTable], whole: bool = False) -> PlainStudy:
    """Put the released rows together, by person; `whole` ones have columns that are kept, too."""
    places = {each.name: place for place, each in enumerate(tables)}
    row_of_key = {
        each.name: {key: row for row, key in enumerate(own)}
        for each in tables
        if (own := each.own_keys()) is not None
    }
    made = []
    for each in tables:
        values: list[Hashable] = [*each.generalized()]
        if whole:
            values = [*zip(values, each.kept(), strict=True)]
        if above := each.above():
            parent, keys = above
            rows = [row_of_key[parent][key] for key in keys]
            made.append(PlainTable(each.name, values, places[parent], rows))
        else:
            made.append(PlainTable(each.name, values))
    return PlainStudy(tuple(made))


def check_promise(histories: PlainStudy, policy: Policy) -> Check:
    """Count, for every person and all that somebody may know of them, who matches."""
    [model] = policy.risk
    attackers = Attackers(histories, model)
    if not histories.people:
        return Check(PROMISE, True, "nobody is released", about_risk=True)
    fewest = attackers.fewest
    alone, over = sum(least < model.k for least in fewest), attackers.over_cap()
    detail = (
        f"{histories.people:,} people; at least {min(fewest):,} match whatever is known ({model})"
    )
    if over:
        detail = f"{over:,} people have more than {model.most_events:,} events"
    if alone:
        detail = f"{alone:,} people have something that fewer than {model.k} match ({model})"
    return Check(PROMISE, not alone and not over, detail, about_risk=True)


def check_loss(tables: list[ReleasedTable], policy: Policy, manifest: Mapping[str, Any]) -> Check:
    """Recompute the loss: a row that is not released covers everything."""
    losses: dict[str, float] = {}
    for each in tables:
        if each.reading is None:
            continue
        rows = manifest["tables"][each.name]["rows"]
        leaves = np.array([h.extent for h in each.hierarchies])
        least = np.array([h.least_cover for h in each.hierarchies])
        covered = each.reading.covered_by_layer().sum(axis=0) + (rows - each.rows) * leaves
        found = attribute_loss(covered, rows, leaves, least).tolist()
        losses |= dict(zip(labels(each, tables[PEOPLE].name), found, strict=True))
    utility = policy.utility
    weights = tuple(weight for each in tables for weight in each.policy.weights)
    measure = make_measure(
        utility.measure, aggregate=utility.own_aggregate, weights=weights, factor=utility.factor
    ).cover
    claim = "the quality is the one reported"
    if measure is None:
        return Check(claim, False, f"'{utility.measure}' is no measure of linked tables")
    loss, _ = measure.combine(np.array(list(losses.values())))
    figures = {"loss": loss, "quality": 1 - loss, "attribute_loss": losses}
    return check_figures(claim, figures, manifest)


def check_left_out(
    histories: PlainStudy, tables: list[ReleasedTable], manifest: Mapping[str, Any]
) -> Check:
    """Count again who is alone by what the promise does not cover."""
    everybody = range(histories.people)
    rows = histories.tables[PEOPLE].values
    numbers = [histories.number(person) for person in everybody]
    whole = [(rows[p], histories.written(histories.events[p])) for p in everybody]
    people = tables[PEOPLE].name
    names = [
        name if each.name == people else f"{each.name}.{name}"
        for each in tables
        for name in each.table.columns
        if name not in {*each.keys, *each.policy.quasi_identifiers}
    ]
    mine = {
        "alone_by_number": {
            table.name: alone([(rows[p], numbers[p][place]) for p in everybody])
            for place, table in enumerate(histories.tables[1:])
        },
        "alone_by_profile": alone(whole),
        "without_events": sum(not events for events in histories.events),
        "dropped": manifest["suppressed"],
        "kept_columns": sorted(names),
    }
    theirs = dict(manifest["left_out"])
    if isinstance(theirs.get("kept_columns"), list):
        theirs["kept_columns"] = sorted(map(str, theirs["kept_columns"]))
    return check_figures("what the promise leaves out is as reported", mine, theirs)


def alone(values: list[Any]) -> int:
    """Count the values that nobody else has."""
    return sum(times == 1 for times in Counter(values).values())


def check_order(histories: PlainStudy) -> Check:
    """Check that the rows of a person neither stand together, nor as the people do."""
    claim, found = "the order of rows tells nothing", []
    for place, table in enumerate(histories.tables[1:], start=1):
        whose = np.array([histories.person((place, row)) for row in range(len(table.values))])
        if detail := find_together(whose):
            found.append(f"'{table.name}': {detail}")
    return Check(claim, not found, "; ".join(found) or "the rows of a person do not stand together")


def find_together(whose: NDArray[np.int64]) -> str | None:
    """Say what the order of rows tells of whose they are; None if no more than chance does.

    >>> find_together(np.repeat(np.arange(40), 3))
    '80 rows stand beside another of the same person, where chance has 2'
    """
    if whose.size < 3:
        return None
    counts = np.bincount(whose)
    expected = float((counts * (counts - 1)).sum()) / whose.size
    together = int(np.count_nonzero(whose[1:] == whose[:-1]))
    if together > expected + SIGMAS * math.sqrt(expected) + LEAST:
        chance = f"where chance has {expected:.0f}"
        return f"{together:,} rows stand beside another of the same person, {chance}"
    correlation = correlate(whose.astype(np.float64))
    if whose.size > 10 and chance_of(correlation, whose.size) < IMPROBABLE:
        return f"rows stand much as the people do (rank correlation {correlation:.2f})"
    return None
