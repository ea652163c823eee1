"""Problem: a policy put to a table, resolved once; every question a user asks starts from it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.coded import read_once
from anonymizer.data.opening import check_columns
from anonymizer.data.selection import whole_of
from anonymizer.data.table import Table
from anonymizer.display import Displayed
from anonymizer.errors import DataError, PolicyError
from anonymizer.evaluation.evaluate import Evaluation, Evaluator, Outcome
from anonymizer.hierarchy import Hierarchy
from anonymizer.lattice import Lattice, Scheme
from anonymizer.policy import Policy, PolicyLike, Role
from anonymizer.problem.checks import (
    check_microaggregation,
    check_models,
    check_revealed,
    repeated_identifier,
    warn_of_flat_texts,
    warn_of_kept_weight,
    warn_of_repeated_people,
)
from anonymizer.problem.date_shift import check_shift, moved_columns, say_shift
from anonymizer.problem.keep import columns_of_groups, find_groups
from anonymizer.problem.person import Candidates, ask_who, look_for_people
from anonymizer.problem.register import person_and_beside, read_earlier, warn_of_strangers
from anonymizer.problem.tables import (
    Source,
    columns_beside,
    columns_counted,
    columns_described,
    columns_of_subsets,
    open_data,
    open_population,
    part_released,
    populations,
)
from anonymizer.register.earlier import Earlier
from anonymizer.register.evaluator import RegisterEvaluator
from anonymizer.register.folder import Register
from anonymizer.risk import PopulationModel, RiskModel, RiskProfile, profile
from anonymizer.risk.profile import everyone_in
from anonymizer.risk.sensitive_profile import describe_sensitive
from anonymizer.search import Limits
from anonymizer.table.classes import EquivalenceClasses, partition
from anonymizer.table.groups import Group
from anonymizer.table.microdata import Microdata, encode
from anonymizer.utility import Measure


@dataclass(frozen=True, eq=False, repr=False)
class Problem(Displayed):
    """A table in integers, the schemes that the policy allows, the risk models and the measure.

    It can be kept and asked again with other models, levels or weights; the table is read once. It is
    passed to `anonymize`, `apply` and `frontier` in place of the data.
    """

    policy: Policy
    table: Table
    microdata: Microdata
    lattice: Lattice
    """The schemes that the level ranges of the policy allow."""
    models: tuple[RiskModel, ...]
    """The policy's risk models, with the files they name."""
    measure: Measure
    suppression_limit: int
    """The largest number of records that may be suppressed."""
    candidates: Candidates = ()
    """Columns that may tell whose each row is, where rows are counted all the same."""
    earlier: Earlier | None = None
    """The releases before, where the policy names a register: the next one is safe beside them."""
    groups: tuple[Group, ...] = ()
    """The groups of which the policy wants a share kept."""

    @staticmethod
    def read(
        data: Source,
        policy: PolicyLike,
        warn: bool | Collection[str] = True,
        register: Register | None = None,
    ) -> Problem:
        """Load what the policy names, check the table against it, and aggregate the table.

        `data` is a dataframe or a path, or None where the policy says where the data is. Where the policy
        does not say who is a person and a column may tell, a PolicyError asks. Unless told not to, warn
        where rows that count as people seem to belong to fewer, by any identifying column or by those
        that `warn` names. Columns that are kept and give a quasi-identifier away are then refused.
        `register` is the policy's as it was before some release.
        """
        policy = load_policy(policy)
        table = whole_of(open_data(data, policy))
        policy = policy.with_columns(table.columns)
        check_columns(table, tuple(policy.attributes))
        hierarchies = policy.load_hierarchies()
        policy.lattice(hierarchies)  # a level out of range is better known before the table is read
        models = policy.load_models()
        table = part_released(table, models, policy)
        population = open_population(models, policy, whole_of(table))
        beside = columns_beside(models, policy)
        sensitive = columns_described(table, models, policy)
        of_groups = columns_of_groups(policy)
        # a column that risk models look at is kept out of the release, but tells nobody's identity
        looked_at = policy.with_role(Role.IDENTIFYING) if warn is True else warn or ()
        known = (*beside, *columns_of_subsets(models))
        candidates: Candidates = ()
        read = table
        if warn is not False and policy.data.id is None:
            candidates, read = look_for_people(table, tuple(policy.attributes), known)
        if candidates and not policy.data.rows_are_people:
            raise PolicyError(f"{table.name}: {ask_who(candidates)}")
        looked_through = read
        settled = policy.data.id is not None or policy.data.rows_are_people
        asked = [] if settled else [name for name in looked_at if name not in known]
        repeated = repeated_identifier(read, asked)
        if repeated is not None and read is table:
            read = read_once(
                table, [*policy.quasi_identifiers, *beside, *sensitive, *of_groups, repeated]
            )
        person, apart = person_and_beside(policy)
        microdata = encode(
            read, hierarchies, population, person, (*beside, *apart), sensitive, of_groups
        )
        if repeated is not None:
            warn_of_repeated_people(read, repeated)
        if warn:
            warn_of_flat_texts(hierarchies)
            warn_of_kept_weight(policy)
        if warn is not False:
            check_revealed(looked_through, policy, hierarchies)
        check_shift(table, policy, hierarchies)
        earlier = read_earlier(policy, microdata, table.name, register)
        if earlier is not None and warn is not False:
            warn_of_strangers(earlier)
        found = Problem.of(policy, table, microdata, models)
        return replace(found, candidates=candidates, earlier=earlier)

    @staticmethod
    def of(
        policy: Policy,
        table: Table,
        microdata: Microdata,
        models: Sequence[RiskModel] | None = None,
    ) -> Problem:
        """Put a policy to an aggregated table; raise a PolicyError where it does not fit."""
        models = policy.load_models() if models is None else tuple(models)
        check_models(models, microdata)
        check_microaggregation(policy, hierarchies_of(microdata), models)
        return Problem(
            policy,
            table,
            microdata,
            policy.lattice(hierarchies_of(microdata)),
            tuple(models),
            policy.measure,
            # a product such as 0.29 * 100 may fall just short of the whole number that is meant
            int(policy.release.suppression_limit * microdata.records + 1e-9),
            groups=find_groups(policy.keep, microdata),
        )

    @property
    def evaluator(self) -> Evaluator:
        """What evaluates a scheme of a single release; a PolicyError where there are earlier ones."""
        if self.earlier is not None:
            raise PolicyError(
                "policy: release.register: this looks at one release alone, not beside earlier ones; use "
                "run, apply and verify, or leave out the register to ask it of one release."
            )
        return self.alone

    @cached_property
    def alone(self) -> Evaluator:
        """What evaluates a scheme as if nothing had been released before."""
        return Evaluator(
            self.microdata, self.models, self.measure, self.suppression_limit, self.groups
        )

    @cached_property
    def searched(self) -> Evaluator | RegisterEvaluator:
        """What evaluates a scheme for the best release: beside the earlier ones, if there are any."""
        if self.earlier is None:
            return self.alone
        found = RegisterEvaluator(self.alone, self.earlier.past)
        self.earlier.check(found.k, self.policy.release.accept_leavers or 0)
        return found

    @property
    def hierarchies(self) -> tuple[Hierarchy, ...]:
        """The hierarchies of the quasi-identifiers, with a leaf for missing cells where there are any."""
        return hierarchies_of(self.microdata)

    @property
    def said_of_dates(self) -> list[str]:
        """Say what moves, and what that does not hide."""
        return say_shift(moved_columns(self.policy), self.policy.release.date_shift)

    @property
    def limits(self) -> Limits:
        """When a search stops, and the bytes its open boxes may take."""
        machine = self.policy.machine
        return Limits(self.policy.search.time_limit, machine.evaluations, machine.open_bytes)

    def evaluate(self, scheme: Scheme) -> Evaluation:
        """Return what a scheme loses once the models' suppression is applied."""
        return self.searched.evaluate(scheme)

    def outcome(self, scheme: Scheme) -> Outcome:
        """Return the classes of a scheme, what is suppressed of them, and what is lost."""
        return self.searched.outcome(scheme)

    @cached_property
    def profile_before(self) -> RiskProfile:
        """The risks of the table as it is."""
        untouched = partition(self.microdata, (0,) * len(self.microdata.attributes))
        return self.profile(untouched, np.ones(untouched.sizes.size, np.bool_))

    def profile(self, classes: EquivalenceClasses, kept: NDArray[np.bool_]) -> RiskProfile:
        """Return the risks of the classes that are kept."""
        return describe_risk(self.microdata, self.models, classes, kept)

    def named(self, scheme: Scheme) -> dict[str, int]:
        """Return the level of each quasi-identifier by its name."""
        return dict(zip(self.microdata.attributes, scheme, strict=True))

    def scheme_of(self, levels: Mapping[str, int]) -> Scheme:
        """Return the scheme with these levels; a DataError lists those the policy does not allow."""
        attributes, lattice = self.microdata.attributes, self.lattice
        faults = [f"no level for '{name}'." for name in attributes if name not in levels]
        faults += [
            f"'{name}' is not a quasi-identifier of the policy."
            for name in levels
            if name not in attributes
        ]
        faults += [
            f"'{name}' has level {levels[name]!r}, but the policy allows {low} to {high}."
            for name, low, high in zip(attributes, lattice.low, lattice.high, strict=True)
            if name in levels and levels[name] not in range(low, high + 1)
        ]
        if faults:
            raise DataError.defective("scheme", faults)
        return tuple(int(levels[name]) for name in attributes)  # 1.0 is a level, but no index

    def with_policy(self, policy: Policy) -> Problem:
        """Put another policy to the same table; columns, roles and hierarchies must be the same."""
        policy = policy.with_columns(self.table.columns)
        if policy.table_keys() != self.policy.table_keys():
            raise PolicyError(
                "policy: columns, roles or hierarchies differ from those the table was read with; "
                "start again with Problem.read."
            )
        return self.with_resolved(policy, policy.load_models())

    def with_resolved(self, policy: Policy, models: Sequence[RiskModel]) -> Problem:
        """Put a policy to the same table; read that again only for another population or more columns."""
        same = populations(models).keys() == populations(self.models).keys()
        more = set(columns_beside(models, policy)) - self.microdata.beside.keys()
        more |= set(columns_counted(models, policy)) - self.microdata.sensitive.keys()
        more |= set(columns_of_groups(policy)) - self.microdata.counted_columns.keys()
        other = policy.register_path != self.policy.register_path
        if not same or more or other:
            found = Problem.read(self.table, policy, warn=False)
        else:
            found = replace(
                Problem.of(policy, self.table, self.microdata, models), earlier=self.earlier
            )
        return replace(found, candidates=self.candidates)

    def with_models(self, *models: RiskModel) -> Problem:
        """Ask with other risk models, or the same at other thresholds."""
        policy = self.policy.model_copy(update={"risk": models})
        return self.with_resolved(policy, policy.resolve_models(models))

    def with_levels(
        self, low: Mapping[str, int] | None = None, high: Mapping[str, int] | None = None
    ) -> Problem:
        """Ask with other least or highest levels of some quasi-identifiers."""
        changes = {name: {"min_level": level} for name, level in (low or {}).items()}
        for name, level in (high or {}).items():
            changes[name] = {**changes.get(name, {}), "max_level": level}
        return self.with_resolved(self.policy.with_attributes(changes), self.models)

    def with_weights(self, weights: Mapping[str, float]) -> Problem:
        """Ask with other weights of some quasi-identifiers."""
        changes = {name: {"weight": weight} for name, weight in weights.items()}
        return self.with_resolved(self.policy.with_attributes(changes), self.models)

    def on(self, **machine: Any) -> Problem:
        """Ask with other `workers`, `memory` or `evaluations`; what is given as None stays."""
        return replace(self, policy=self.policy.on(**machine))

    def with_suppression_limit(self, records: int) -> Problem:
        """Ask with another number of records that may be suppressed."""
        return replace(self, suppression_limit=records)


def as_problem(data: Source | Problem, policy: PolicyLike | None) -> Problem:
    """Return the problem that is given, or put the policy to the data."""
    if isinstance(data, Problem):
        return data if policy is None else data.with_policy(load_policy(policy))
    if policy is None:
        raise PolicyError("no policy is given; pass one beside the data, or pass a Problem.")
    return Problem.read(data, policy)


def load_policy(policy: PolicyLike) -> Policy:
    """Take a policy, make one of its keys, or read it from its file."""
    return Policy.of(policy)


def hierarchies_of(microdata: Microdata) -> tuple[Hierarchy, ...]:
    """Return the hierarchies of the quasi-identifiers."""
    return tuple(column.hierarchy for column in microdata.columns)


def describe_risk(
    microdata: Microdata,
    models: Sequence[RiskModel],
    classes: EquivalenceClasses,
    kept: NDArray[np.bool_],
) -> RiskProfile:
    """Return the risk profile of the classes that are kept, with the population that the models know."""
    population = population_model(models, classes, kept)
    everyone = everyone_in(microdata, classes, kept)
    records, sensitive = int(classes.records[kept].sum()), describe_sensitive(models, classes, kept)
    return profile(classes.sizes[kept], population, everyone, records, sensitive)


def population_model(
    models: Sequence[RiskModel], classes: EquivalenceClasses, kept: NDArray[np.bool_]
) -> PopulationModel | None:
    """Return what the models know of the population."""
    if classes.population_sizes is not None:
        return PopulationModel(class_sizes=classes.population_sizes[kept])
    sizes = [model.inputs.population.size for model in models]
    # of several, the smallest: there the risks are highest, in whatever order the models stand
    size = min((size for size in sizes if size is not None), default=None)
    return None if size is None else PopulationModel(size, classes.input_people)
