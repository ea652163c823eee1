"""anonymize: from a table and a policy to the best scheme and its release."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from anonymizer.data.table import Table, check_columns, open_table
from anonymizer.engine.classes import EquivalenceClasses, partition
from anonymizer.engine.microdata import Microdata, encode
from anonymizer.errors import DataError, InfeasibleError, PolicyError, quote_some
from anonymizer.evaluation.evaluate import Evaluation, Evaluator
from anonymizer.evaluation.suppression import suppress
from anonymizer.policy import Policy
from anonymizer.risk import PopulationModel, RiskProfile, profile
from anonymizer.search import Checkpoint, Limits, Proof, SearchResult, Status, StopReason, search
from anonymizer.search.branch_and_bound import OnProgress
from anonymizer.solution.release import Release

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

Source: TypeAlias = "str | Path | pd.DataFrame | pa.Table | Table | None"
"""A path, a dataframe or a table of any kind; None where the policy names the path."""


@dataclass(frozen=True, eq=False)
class Solution:
    """A scheme that meets the risk models, what it costs, and what is proven about it."""

    status: Status
    stopped: StopReason
    scheme: dict[str, int]
    """The level of each quasi-identifier."""
    loss: float
    attribute_loss: dict[str, float]
    """Empty where the measure looks at classes, not at attributes."""
    suppressed: int
    records: int
    before: RiskProfile
    after: RiskProfile
    proof: Proof | None
    """None where the scheme was given, not searched for."""
    seconds: dict[str, float]
    release: Release = field(repr=False)
    checkpoint: Checkpoint | None = field(default=None, repr=False)
    """What another search needs to go on, where this one was stopped."""

    @property
    def quality(self) -> float:
        """One minus the loss."""
        return 1 - self.loss

    @property
    def bound(self) -> float | None:
        """The proven lower bound on the loss of any scheme."""
        return None if self.proof is None else self.proof.bound

    @property
    def gap(self) -> float | None:
        """How much lower than this loss the optimum could still be."""
        return None if self.proof is None else max(0.0, self.loss - self.proof.bound)

    def to_frame(self, seed: int | None = None) -> Any:
        """Make the released dataframe: of the kind that was given, of pandas for a file.

        Rows are shuffled by the system's randomness unless seeded.
        """
        return self.release.to_frame(np.random.default_rng(seed))

    def describe(self) -> dict[str, Any]:
        """Return all figures as JSON."""
        proof = self.proof
        by_attribute = {"attribute_loss": self.attribute_loss} if self.attribute_loss else {}
        return {
            "status": self.status.value,
            "stopped": self.stopped.value,
            "quality": self.quality,
            "loss": self.loss,
            "bound": self.bound,
            "gap": self.gap,
            "scheme": self.scheme,
            **by_attribute,
            "records": self.records,
            "suppressed": self.suppressed,
            "schemes": None if proof is None else proof.schemes,
            "evaluated": None if proof is None else proof.evaluated,
            "partitions": None if proof is None else proof.partitions,
            "pruned": {} if proof is None else {k.value: n for k, n in proof.pruned.items()},
            "risk": {"before": asdict(self.before), "after": asdict(self.after)},
        }


def anonymize(
    data: Source,
    policy: Policy | str | Path,
    on_progress: OnProgress | None = None,
    resume: Checkpoint | None = None,
) -> Solution:
    """Find the best scheme that the policy allows.

    `data` is a dataframe or a path, or None where the policy says where the data is. With the
    checkpoint of a solution that was stopped, the search goes on from there. Raises an InfeasibleError
    if no scheme meets the risk models within the suppression limit.
    """
    policy = load_policy(policy)
    seconds: dict[str, float] = {}
    with timed(seconds, "read"):
        table, microdata = read(data, policy)
        evaluator = make_evaluator(microdata, policy)
    with timed(seconds, "search"):
        found = search(
            evaluator,
            policy.lattice(tuple(column.hierarchy for column in microdata.columns)),
            limits_of(policy),
            policy.search.workers,
            on_progress,
            resume=resume,
        )
        if found.best is None and found.status is Status.UNKNOWN:
            raise InfeasibleError(
                f"no scheme that meets the policy was found before the search stopped "
                f"({found.stopped.value}); there may be one: raise the limit."
            )
        if found.best is None:
            raise infeasible(evaluator, policy)
    return make_solution(table, policy, evaluator, found.best, found, seconds)


def apply(data: Source, policy: Policy | str | Path, scheme: Mapping[str, int]) -> Solution:
    """Apply a scheme found before to a table, with its risks checked again.

    Classes that break a risk model are suppressed; an InfeasibleError says if that is more than the
    suppression limit.
    """
    policy = load_policy(policy)
    seconds: dict[str, float] = {}
    with timed(seconds, "read"):
        table, microdata = read(data, policy)
        evaluator = make_evaluator(microdata, policy)
    with timed(seconds, "search"):
        levels = check_scheme(scheme, policy, microdata)
        evaluation = evaluator.evaluate(levels)
        if not evaluation.feasible:
            raise too_many_suppressed("this scheme", evaluation, policy, microdata)
    return make_solution(table, policy, evaluator, evaluation, None, seconds)


def limits_of(policy: Policy) -> Limits:
    """Return when the search stops, and the bytes its open boxes may take."""
    given = policy.search
    return Limits(given.time_limit, given.evaluation_limit, int(given.memory_limit * 2**30))


def load_policy(policy: Policy | str | Path) -> Policy:
    """Take a policy or read it from its file."""
    return policy if isinstance(policy, Policy) else Policy.read(policy)


@contextmanager
def timed(seconds: dict[str, float], phase: str) -> Iterator[None]:
    """Note how long a phase takes."""
    started = time.perf_counter()
    yield
    seconds[phase] = time.perf_counter() - started


def read(data: Source, policy: Policy) -> tuple[Table, Microdata]:
    """Open the table, check it against the policy and aggregate it."""
    table = open_data(data, policy)
    check_columns(table, tuple(policy.attributes))
    hierarchies = policy.hierarchies()
    policy.lattice(hierarchies)  # a level out of range is better known before the table is read
    return table, encode(table, hierarchies, open_population(policy))


def open_data(data: Source, policy: Policy) -> Table:
    """Open the table that is given, or else the policy's."""
    if data is None:
        data = policy.data_path
    if data is None:
        raise PolicyError("policy: data.path is missing, and no data was given; name the table.")
    return open_table(data, policy.data.delimiter)


def open_population(policy: Policy) -> Table | None:
    """Open the population table that a model counts people in, if one does."""
    tables = [
        table
        for model in policy.models
        if (table := getattr(model, "population_table", None)) is not None
    ]
    if not tables:
        return None
    paths = {str(table) if isinstance(table, str | Path) else id(table) for table in tables}
    if len(paths) > 1:
        raise PolicyError("policy: two population tables are given; name one for all models.")
    table = open_table(tables[0], policy.data.delimiter)
    if absent := [name for name in policy.quasi_identifiers if name not in table.columns]:
        raise DataError(
            f"{table.name}: the population table has no column {quote_some(absent)}; it needs every "
            "quasi-identifier."
        )
    return table


def make_evaluator(microdata: Microdata, policy: Policy) -> Evaluator:
    """Put the policy's models and measure to work on the data."""
    faults = [
        fault
        for model in policy.models
        for fault in model.check(microdata.records, microdata.attributes)
    ]
    if microdata.population is not None:
        people = int(microdata.population.counts.sum())
        if people < microdata.records:
            faults.append(
                f"the population table has {people} people, fewer than the {microdata.records} records; "
                "it must hold the whole population."
            )
    if faults:
        raise PolicyError.defective("policy", faults)
    # a product such as 0.29 * 100 may fall just short of the whole number that is meant
    limit = int(policy.search.suppression_limit * microdata.records + 1e-9)
    return Evaluator(microdata, policy.models, policy.measure, limit)


def population_model(
    policy: Policy, classes: EquivalenceClasses, kept: NDArray[np.bool_]
) -> PopulationModel | None:
    """Return what the policy's models know of the population, for the risk profile."""
    if classes.population_sizes is not None:
        return PopulationModel(class_sizes=classes.population_sizes[kept])
    sizes = [getattr(model, "population", None) for model in policy.models]
    size = next((size for size in sizes if size is not None), None)
    return None if size is None else PopulationModel(size, classes.input_records)


def check_scheme(
    scheme: Mapping[str, int], policy: Policy, microdata: Microdata
) -> tuple[int, ...]:
    """Check that a scheme has a level the policy allows for each quasi-identifier, and order it."""
    lattice = policy.lattice(tuple(column.hierarchy for column in microdata.columns))
    faults = [f"no level for '{name}'." for name in microdata.attributes if name not in scheme]
    faults += [
        f"'{name}' is not a quasi-identifier of the policy."
        for name in scheme
        if name not in microdata.attributes
    ]
    for name, low, high in zip(microdata.attributes, lattice.low, lattice.high, strict=True):
        if name in scheme and scheme[name] not in range(low, high + 1):
            faults.append(
                f"'{name}' has level {scheme[name]}, but the policy allows {low} to {high}."
            )
    if faults:
        raise DataError.defective("scheme", faults)
    return tuple(scheme[name] for name in microdata.attributes)


def infeasible(evaluator: Evaluator, policy: Policy) -> InfeasibleError:
    """Say why there is no solution, and what would help."""
    columns = evaluator.microdata.columns
    top = policy.lattice(tuple(column.hierarchy for column in columns)).high
    coarsest = evaluator.evaluate(top)
    return too_many_suppressed(
        "the coarsest scheme the policy allows", coarsest, policy, evaluator.microdata
    )


def too_many_suppressed(
    which: str, evaluation: Evaluation, policy: Policy, microdata: Microdata
) -> InfeasibleError:
    """Say that a scheme suppresses more than the limit."""
    models = " and ".join(str(model) for model in policy.models)
    share = evaluation.suppressed_records / microdata.records
    return InfeasibleError(
        f"{models} cannot be met: {which} would suppress {evaluation.suppressed_records} of "
        f"{microdata.records} records ({share:.1%}), above the suppression limit of "
        f"{policy.search.suppression_limit:.1%}; raise suppression_limit or max_level."
    )


def describe_risk(
    policy: Policy, classes: EquivalenceClasses, kept: NDArray[np.bool_]
) -> RiskProfile:
    """Return the risk profile of the classes that are kept."""
    return profile(classes.sizes[kept], population_model(policy, classes, kept))


def make_solution(
    table: Table,
    policy: Policy,
    evaluator: Evaluator,
    best: Evaluation,
    found: SearchResult | None,
    seconds: dict[str, float],
) -> Solution:
    """Describe a scheme by its risks before and after, and make its release ready."""
    microdata = evaluator.microdata
    classes = partition(microdata, best.scheme)
    suppressed = suppress(microdata, classes, evaluator.models).suppressed
    untouched = partition(microdata, (0,) * len(best.scheme))
    scheme = dict(zip(microdata.attributes, best.scheme, strict=True))
    losses = evaluator.attribute_losses(classes, suppressed)
    return Solution(
        status=Status.APPLIED if found is None else found.status,
        stopped=StopReason.COMPLETE if found is None else found.stopped,
        scheme=scheme,
        loss=best.loss,
        attribute_loss=dict(zip(microdata.attributes, losses, strict=bool(losses))),
        suppressed=best.suppressed_records,
        records=microdata.records,
        before=describe_risk(policy, untouched, np.ones(untouched.sizes.size, np.bool_)),
        after=describe_risk(policy, classes, ~suppressed),
        proof=None if found is None else found.proof,
        seconds=seconds,
        release=Release(table, policy, microdata, scheme, suppressed[classes.label_of_tuple]),
        checkpoint=None if found is None else found.checkpoint,
    )
