"""StudyProblem: a policy put to linked tables, resolved once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.coded import NamedTable, fetch
from anonymizer.data.opening import TableLike, check_columns
from anonymizer.data.table import Table
from anonymizer.display import Displayed
from anonymizer.errors import DataError, PolicyError, quote_some
from anonymizer.hierarchy import Hierarchy
from anonymizer.lattice import Lattice, Scheme
from anonymizer.policy import Policy, PolicyLike
from anonymizer.problem.across import check_across, warn_of_dates
from anonymizer.problem.checks import check_revealed, warn_of_flat_texts
from anonymizer.problem.date_shift import check_shift, moved_columns, say_shift
from anonymizer.problem.elapsed import with_elapsed
from anonymizer.problem.part import StudyPart
from anonymizer.problem.problem import hierarchies_of
from anonymizer.risk import RiskProfile, profile
from anonymizer.risk.parameters import check_k
from anonymizer.risk.study import StudyAnonymity
from anonymizer.search import Limits
from anonymizer.study.encoding import KeyedTable, encode_study
from anonymizer.study.evaluator import StudyEvaluator
from anonymizer.study.study import PEOPLE, Study
from anonymizer.table.microdata import Microdata
from anonymizer.utility import make_measure

PEOPLE_NAME = "people"
"""What the people table is called where neither a file nor a dict names it."""
TablesLike = Mapping[str, TableLike] | None
"""Tables by name, as paths or dataframes; those that are left out are where the policy says."""


@dataclass(frozen=True, eq=False, repr=False)
class StudyProblem(Displayed):
    """Linked tables in integers, the schemes that the policy allows, the model and the measure."""

    policy: Policy
    parts: tuple[StudyPart, ...]
    """The tables in the order of the study, the people table first."""
    study: Study
    lattice: Lattice
    """The schemes that the level ranges of the policy allow."""
    evaluator: StudyEvaluator

    @staticmethod
    def read(data: TablesLike, policy: PolicyLike) -> StudyProblem:
        """Open the tables, check each against its part of the policy, and link them."""
        return StudyProblem.of(*link_tables(data, policy))

    @staticmethod
    def of(policy: Policy, parts: tuple[StudyPart, ...], study: Study) -> StudyProblem:
        """Put a policy to tables that are linked; raise a PolicyError where it does not fit."""
        (model,) = policy.risk
        if faults := check_k(model.k, study.people):
            raise PolicyError.defective("policy", faults)
        low, high = list[int](), list[int]()
        for part, table in zip(parts, study.tables, strict=True):
            hierarchies = hierarchies_of(table.microdata)
            warn_of_flat_texts(hierarchies)
            if hierarchies:
                check_revealed(part.table, part.policy, hierarchies)
            check_shift(part.table, part.policy, hierarchies)
            allowed = part.policy.lattice(hierarchies)
            low += allowed.low
            high += allowed.high
        check_across(parts, study)
        warn_of_dates(parts)
        utility = policy.utility
        weights = tuple(weight for part in parts for weight in part.policy.weights)
        measure = make_measure(
            utility.measure,
            aggregate=utility.own_aggregate,
            weights=weights,
            factor=utility.factor,
        )
        # a product such as 0.29 * 100 may fall just short of the whole number that is meant
        most = int(policy.release.suppression_limit * study.people + 1e-9)
        evaluator = StudyEvaluator(study, model, measure, most)
        return StudyProblem(policy, parts, study, Lattice(tuple(low), tuple(high)), evaluator)

    @property
    def model(self) -> StudyAnonymity:
        """The one risk model."""
        return self.evaluator.model

    @property
    def limits(self) -> Limits:
        """When a search stops, and the bytes its open boxes may take."""
        machine = self.policy.machine
        return Limits(self.policy.search.time_limit, machine.evaluations, machine.open_bytes)

    @cached_property
    def hierarchies(self) -> dict[str, Hierarchy]:
        """The hierarchies of all quasi-identifiers, with a leaf for missing cells where there are any."""
        found = [h for table in self.study.tables for h in hierarchies_of(table.microdata)]
        return dict(zip(self.study.attributes, found, strict=True))

    @property
    def kept_columns(self) -> tuple[str, ...]:
        """The columns of all tables that are released as they are."""
        people = self.parts[PEOPLE].name
        return tuple(part.label(name, people) for part in self.parts for name in part.kept)

    @property
    def said_of_dates(self) -> list[str]:
        """Say what moves, and what that does not hide."""
        people = self.parts[PEOPLE].name
        moved = [p.label(name, people) for p in self.parts for name in moved_columns(p.policy)]
        return say_shift(moved, self.policy.release.date_shift)

    def named(self, scheme: Scheme) -> dict[str, int]:
        """Return the level of each quasi-identifier by its name."""
        return dict(zip(self.study.attributes, scheme, strict=True))

    def profile(self, scheme: Scheme, kept: NDArray[np.bool_]) -> RiskProfile:
        """Return the risks of the people kept from whoever knows their rows of the people table alone."""
        people = self.study.tables[PEOPLE]
        labels = people.labels(self.study.split(scheme)[PEOPLE])[people.microdata.tuple_of_row]
        sizes = np.bincount(labels[kept])
        return profile(sizes[sizes > 0])

    @property
    def profile_before(self) -> RiskProfile:
        """The same of all people, as the table is."""
        untouched = (0,) * len(self.study.attributes)
        return self.profile(untouched, np.ones(self.study.people, np.bool_))

    def microdata(self, place: int) -> Microdata:
        """Return one of the tables in integers."""
        return self.study.tables[place].microdata


def link_tables(
    data: TablesLike, policy: PolicyLike
) -> tuple[Policy, tuple[StudyPart, ...], Study]:
    """Open the tables of a policy and link them; return the policy with a role for each column."""
    policy = Policy.of(policy)
    opened = open_tables(data, policy)
    people, *children = opened
    tables = {name: policy.tables[name].with_columns(opened[name].columns) for name in children}
    policy = policy.with_columns(opened[people].columns).model_copy(update={"tables": tables})
    for name, table in opened.items():
        child = policy.tables.get(name)
        check_columns(table, tuple((policy if child is None else child).attributes))
    opened = with_elapsed(opened, policy)
    made = {name: make_part(name, people, table, policy) for name, table in opened.items()}
    study = encode_study([part.linked for part in made.values()])
    return policy, tuple(made[table.name] for table in study.tables), study


def open_tables(data: Any, policy: Policy) -> dict[str, Table]:
    """Open all tables of a study, the people table first, by name."""
    given = tables_given(data, policy)
    unknown = [name for name in given if name not in policy.tables]
    if len(unknown) > 1:
        raise DataError(
            f"the data: {quote_some(unknown)} are no tables of [tables], and one alone can be that of "
            "the people; give the others the names that the policy has."
        )
    people = next(iter(unknown), None)
    source = policy.data_source if people is None else given[people]
    name = name_of_people(policy) if people is None else people
    if not name or Path(name).name != name:
        raise DataError(
            f"the data: '{name}' cannot be the name of a file; give the people another."
        )
    if name.lower() in {child.lower() for child in policy.tables}:
        raise PolicyError(
            f"policy: '{name}' is the people table by its file, and a table of [tables]; rename one."
        )
    opened = {name: open_one(source, policy, "data")}
    for child in policy.tables:
        part = policy.of_table(child)
        opened[child] = open_one(given.get(child, part.data_source), part, f"tables.{child}")
    frames = {each for each in given if not isinstance(given[each], str | Path)}
    return {
        each: NamedTable(table, f"table '{each}'") if each in frames else table
        for each, table in opened.items()
    }


def tables_given(data: Any, policy: Policy) -> Mapping[str, Any]:
    """Return what is given beside the policy, by name."""
    if data is None:
        return {}
    if not isinstance(data, Mapping) or not all(isinstance(name, str) for name in data):
        names = quote_some(policy.tables)
        raise DataError(
            f"the data: the policy has linked tables; give them by name, such as {names} and that of the "
            "people, or None where the policy says where they are."
        )
    return data


def name_of_people(policy: Policy) -> str:
    """Call the people table as its file or its table of a database is called."""
    if policy.data.path is not None and policy.data.table is None:
        return Path(policy.data.path).name.partition(".")[0] or PEOPLE_NAME
    return policy.data.table or PEOPLE_NAME


def open_one(source: Any, policy: Policy, where: str) -> Table:
    """Open one table as its part of the policy says."""
    if source is None:
        raise PolicyError(
            f"policy: {where}.path is missing, and no data was given; name the table."
        )
    return fetch(policy.data.open(source, policy.machine.memory))


def make_part(name: str, people: str, table: Table, policy: Policy) -> StudyPart:
    """Load the hierarchies of a table, and say what links it to the others."""
    child = policy.tables.get(name)
    own = policy if child is None else policy.of_table(name)
    hierarchies = own.load_hierarchies()
    own.lattice(hierarchies)  # a level out of range is better known before the table is read
    if child is None:
        assert policy.data.id is not None  # faults_of_data
        linked = KeyedTable(name, table, hierarchies, policy.data.id)
        return StudyPart(linked, own, {policy.data.id: name})
    linked = KeyedTable(name, table, hierarchies, child.id, child.parent, child.key)
    keys = {child.id: child.parent or people}
    return StudyPart(linked, own, keys if child.key is None else {**keys, child.key: name})


def tables_at(path: Path, policy: Policy, people: str) -> dict[str, Path]:
    """Return where tables are: all in a folder, or the people's, and the others as the policy says."""
    if not path.is_dir():
        return {people: path}
    named = {people: policy.data.path}
    named |= {name: child.path for name, child in policy.tables.items()}
    return {name: path / Path(file).name for name, file in named.items() if file is not None}
