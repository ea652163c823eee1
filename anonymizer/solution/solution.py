"""anonymize: from a table and a policy to the best scheme and its release."""

from __future__ import annotations

import secrets
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, overload

import numpy as np

from anonymizer.data.opening import TableLike, open_table
from anonymizer.data.secret import describe_input
from anonymizer.display import Plotted, shown
from anonymizer.errors import (
    AnonymizerWarning,
    InfeasibleError,
    PolicyError,
    ReleaseError,
    percent,
)
from anonymizer.evaluation.evaluate import Evaluation, Outcome
from anonymizer.kernels.compilation import timed
from anonymizer.layers.layering import one_layer
from anonymizer.layers.narrowing import Narrowed, count_narrowed
from anonymizer.layers.optimize import Layers
from anonymizer.layers.retained import ColumnLeft, columns_left, losses_over_existing
from anonymizer.policy import PolicyLike, Role
from anonymizer.problem import Problem, Source, as_problem, load_policy
from anonymizer.proof.format import Proof as ProofFile
from anonymizer.proof.format import ProofError
from anonymizer.proof.writer import check_agreement, prove
from anonymizer.risk import Remaining, RiskProfile
from anonymizer.risk.reference import ReferenceDistances
from anonymizer.search import Checkpoint, Proof, SearchResult, Status, StopReason, search
from anonymizer.search.state import OnProgress
from anonymizer.solution.date_shift import describe_shift
from anonymizer.solution.findings import Findings, Looked, check_strict, find, warn_of_flat
from anonymizer.solution.groups import KeptGroup, describe_groups, kept_groups, too_few_kept
from anonymizer.solution.layered import (
    Layer,
    describe_layers,
    given_layers,
    in_layers,
    outcome_of,
    proof_of,
    search_layers,
)
from anonymizer.solution.over_time import OverTime, Way, over_time
from anonymizer.solution.release import Release
from anonymizer.solution.study import StudySolution, anonymize_study


@dataclass(frozen=True, eq=False, repr=False)
class Solution(Plotted):
    """A scheme that meets the risk models, with its cost and its proof."""

    status: Status
    stopped: StopReason
    scheme: dict[str, int]
    """The level of each quasi-identifier; of layers, the highest that any of them has."""
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
    problem: Problem
    outcome: Outcome
    """The classes of the scheme, and what is suppressed of them."""
    release: Release
    checkpoint: Checkpoint | None = None
    """What another search needs to go on, where this one was stopped."""
    layers: tuple[Layer, ...] = ()
    """The schemes of a release in layers; nothing where all records have one."""
    narrowed: Narrowed | None = None
    """What layers give away; None where all records have one scheme, or where it is not known."""
    defaults: tuple[str, ...] = ()
    """What was decided for a short call though nobody said it, one sentence each."""
    order: int = field(default_factory=lambda: secrets.randbits(128))
    """What shuffles the rows unless a seed is given; whoever knows it can undo that."""

    @property
    def quality(self) -> float:
        """One minus the loss."""
        return 1 - self.loss

    @property
    def schemes(self) -> list[dict[str, int]]:
        """The scheme of all records, or those of the layers."""
        return [layer.scheme for layer in self.layers] or [self.scheme]

    @property
    def bound(self) -> float | None:
        """The proven lower bound on the loss of any scheme."""
        return None if self.proof is None else self.proof.bound

    @property
    def gap(self) -> float | None:
        """How much lower than this loss the optimum could still be."""
        return None if self.proof is None else max(0.0, self.loss - self.proof.bound)

    @cached_property
    def described_input(self) -> dict[str, str | None]:
        """The original by its name and keyed digest, as manifest and proof file have it."""
        return describe_input(self.release.table)

    def proof_file(self, seconds: float | None = None) -> ProofFile | None:
        """Prove what is claimed by one plain pass over the lattice, for a program that checks it.

        Of a search that was stopped, its bound is proven. Returns None where that would take more than
        `seconds`. Raises a ProofError where the checker has no rule for the policy, or where the scheme
        was given and not searched for. See `anonymizer.proof`.
        """
        if self.proof is None:
            raise ProofError("the scheme was given, not searched for: there is nothing to prove.")
        bound = None if self.status is Status.OPTIMAL else min(self.proof.bound, self.loss)
        scheme = tuple(self.scheme[name] for name in self.problem.microdata.attributes)
        with timed(self.seconds, "prove"):
            proof = prove(self.problem, scheme, bound, self.described_input, seconds)
        if proof is not None:
            check_agreement(proof, self.loss, self.suppressed)
        return proof

    @cached_property
    def references(self) -> tuple[ReferenceDistances, ...]:
        """How far the farthest class is from input and release, for each model that compares with one."""
        remaining = Remaining(self.problem.microdata, self.outcome.classes, self.outcome.suppressed)
        found = (model.reference_distances(remaining) for model in self.problem.models)
        return tuple(each for each in found if each is not None)

    @cached_property
    def groups(self) -> tuple[KeptGroup, ...]:
        """What is kept of the groups that the policy wants kept."""
        return kept_groups(self.problem, self.outcome)

    @cached_property
    def columns_left(self) -> dict[str, ColumnLeft]:
        """What is left of each quasi-identifier, counted in records."""
        return columns_left(self.release)

    @cached_property
    def findings(self) -> Findings:
        """What should be said of the release beside its figures; the columns it keeps are read for it."""
        searched = None if self.proof is None else self.seconds.get("search", 0.0)
        of_solution = (self.problem, self.release, self.outcome, self.after)
        return find(Looked(*of_solution, tuple(self.collapsed), searched))

    @cached_property
    def over_time(self) -> OverTime | None:
        """The release beside earlier ones, and other ways to make it; None without a register."""
        return over_time(self.problem, Way(self.quality, self.suppressed, self.scheme))

    @property
    def loss_over_existing(self) -> dict[str, float]:
        """The loss over the codes that occur, where a hierarchy counts all codes of a form instead."""
        return losses_over_existing(self.release) if self.attribute_loss else {}

    @property
    def retained(self) -> dict[str, float]:
        """The share of its information that is left of each quasi-identifier: see `retained_share`."""
        return {name: left.retained for name, left in self.columns_left.items()}

    @property
    def collapsed(self) -> list[str]:
        """The quasi-identifiers with one value in nearly all released records that had none before."""
        return [name for name, left in self.columns_left.items() if left.collapsed]

    def to_frame(self, seed: int | None = None) -> Any:
        """Make the released dataframe: of the kind that was given, of pandas for a file.

        Rows are shuffled by the system's randomness unless seeded; called again, they are the same.
        """
        if self.problem.earlier is not None:
            raise ReleaseError(
                "policy: release.register: a dataframe alone would be a release that the register does "
                "not know; use write_release, which enters it."
            )
        if self.problem.policy.release.strict:
            check_strict(self.findings)
        return self.release.to_frame(self.random(seed))

    def random(self, seed: int | None = None) -> np.random.Generator:
        """Return the randomness that shuffles the rows."""
        return np.random.default_rng(self.order if seed is None else seed)

    def describe(self) -> dict[str, Any]:
        """Return all figures as JSON."""
        proof = self.proof
        by_attribute = {"attribute_loss": self.attribute_loss} if self.attribute_loss else {}
        of_layers = self.describe_layers() if self.layers else {}
        return {
            "status": self.status.value,
            "stopped": self.stopped.value,
            "quality": self.quality,
            "loss": self.loss,
            "bound": self.bound,
            "gap": self.gap,
            "scheme": self.scheme,
            **of_layers,
            **by_attribute,
            **describe_shift(self.problem.said_of_dates),
            "retained": self.retained,
            "collapsed": self.collapsed,
            "records": self.records,
            "people": self.problem.microdata.number_of_people,
            "suppressed": self.suppressed,
            **describe_groups(self.groups),
            "schemes": None if proof is None else proof.schemes,
            "evaluated": None if proof is None else proof.evaluated,
            "partitions": None if proof is None else proof.partitions,
            "pruned": {} if proof is None else {k.value: n for k, n in proof.pruned.items()},
            "risk": {"before": asdict(self.before), "after": asdict(self.after)},
            "references": [asdict(each) for each in self.references],
            **({} if self.over_time is None else {"earlier": self.over_time.describe()}),
        }

    def describe_layers(self) -> dict[str, Any]:
        """Return what only a release in layers has as JSON."""
        return {
            "layers": [layer.describe() for layer in self.layers],
            "narrowed": None if self.narrowed is None else self.narrowed.describe(),
        }


@overload
def anonymize(
    data: Source | Problem,
    policy: PolicyLike | None = None,
    on_progress: OnProgress | None = None,
    resume: Checkpoint | None = None,
    *,
    quasi: Iterable[str] | Mapping[str, Any] | None = None,
    k: int | None = None,
    id: str | None = None,
    identifying: Iterable[str] = (),
    sensitive: Iterable[str] = (),
    keep: Iterable[str] = (),
    default_role: Role | str | None = None,
    rows_are_people: bool = False,
    layers: bool | int | None = None,
    suppression_limit: float | None = None,
    workers: int | None = None,
    memory: str | None = None,
    evaluations: int | None = None,
) -> Solution: ...


@overload
def anonymize(
    data: Mapping[str, TableLike],
    policy: PolicyLike,
    on_progress: OnProgress | None = None,
    *,
    workers: int | None = None,
    memory: str | None = None,
    evaluations: int | None = None,
) -> StudySolution: ...


def anonymize(
    data: Any,
    policy: PolicyLike | None = None,
    on_progress: OnProgress | None = None,
    resume: Checkpoint | None = None,
    *,
    quasi: Iterable[str] | Mapping[str, Any] | None = None,
    k: int | None = None,
    id: str | None = None,  # noqa: A002 - the policy's word
    identifying: Iterable[str] = (),
    sensitive: Iterable[str] = (),
    keep: Iterable[str] = (),
    default_role: Role | str | None = None,
    rows_are_people: bool = False,
    layers: bool | int | None = None,
    suppression_limit: float | None = None,
    workers: int | None = None,
    memory: str | None = None,
    evaluations: int | None = None,
) -> Solution | StudySolution:
    """Find the best scheme that the policy allows.

    `data` is a dataframe or a path, or None where the policy says where the data is; or a Problem, which
    has its policy already. Where the policy links several tables, `data` has them by name, and what is
    returned is a StudySolution. With the checkpoint of a solution that was stopped, the search goes on
    from there. Raises an InfeasibleError if no scheme meets the risk models within the suppression limit.

    In place of a policy, `quasi` names the quasi-identifiers, or has a hierarchy for each. That is a
    Hierarchy, a builder, a path, a table from value to group, a list of cut points, or None for one that
    is proposed.
    `k` is that of k-anonymity; `identifying`, `sensitive` and `keep` name other columns. Those named
    nowhere get the `default_role`, or are removed with a warning. `layers` and `suppression_limit` are
    the policy's keys. What was decided by default is in `defaults` of the solution.

    `workers` are threads of the search; `memory`, such as "2GB", is what DuckDB may take and the search
    may leave open; `evaluations` are the most schemes that are evaluated.

    `id` is the column with each row's person, and `rows_are_people` says that there is none; beside a
    policy too, they answer what it does not say. A PolicyError asks where a column may tell.
    """
    seconds: dict[str, float] = {}
    with timed(seconds, "read"):
        machine = {"workers": workers, "memory": memory, "evaluations": evaluations}
        if policy is not None and quasi is None:
            policy = load_policy(policy).with_people(id, rows_are_people).on(**machine)
            if policy.tables:
                return anonymize_study(data, policy, on_progress, resume)
            id, rows_are_people = None, False  # noqa: A001 - said in the policy
        named = (k, id, identifying, sensitive, keep, default_role, rows_are_people)
        short = (*named, layers, suppression_limit)
        problem, defaults = as_problem_of(data, policy, quasi, *short)
        problem = problem.on(**machine)
        warn_of_flat(problem)
    with shown(on_progress) as told:
        found = replace(solve(problem, told, resume, seconds), defaults=defaults)
    warn_of_references(found)
    return found


def warn_of_references(solution: Solution) -> None:
    """Warn where a model holds against the input, and not against what readers of the release have."""
    for found in solution.references:
        if found.warning is not None:
            warnings.warn(found.warning, AnonymizerWarning, stacklevel=3)


def as_problem_of(
    data: Source | Problem,
    policy: PolicyLike | None,
    quasi: Iterable[str] | Mapping[str, Any] | None,
    *short: Any,
) -> tuple[Problem, tuple[str, ...]]:
    """Put a policy, or what names stand for, to a table; return also what was decided by default."""
    if quasi is None:
        if any(each is not None and each is not False and each != () for each in short):
            raise PolicyError(
                "anonymize: names of columns, k or limits are given without `quasi`; name the "
                "quasi-identifiers, or put all of it into the policy."
            )
        return as_problem(data, policy), ()
    if policy is not None or isinstance(data, Problem) or data is None:
        raise PolicyError(
            "anonymize: `quasi` stands for a policy; give a table and `quasi`, or a policy alone."
        )
    from anonymizer.proposal.shorthand import Shorthand, expand

    table = open_table(data)
    expanded = expand(table, Shorthand(quasi, *short))
    return Problem.read(table, expanded.policy, expanded.named), expanded.defaults


def solve(
    problem: Problem,
    on_progress: OnProgress | None,
    resume: Checkpoint | None,
    seconds: dict[str, float],
) -> Solution:
    """Search for the best scheme, or for layers."""
    if in_layers(problem):
        if resume is not None:
            raise PolicyError(
                "policy: a release in layers cannot be resumed; leave out --resume, or the checkpoint."
            )
        return anonymize_in_layers(problem, seconds, on_progress)
    with timed(seconds, "search"):
        found = search(
            problem.searched,
            problem.lattice,
            problem.limits,
            problem.policy.machine.workers,
            on_progress,
            resume=resume,
        )
        if found.best is None and found.status is Status.UNKNOWN:
            raise InfeasibleError(
                f"no scheme that meets the policy was found before the search stopped "
                f"({found.stopped.value}); there may be one: raise the limit."
            )
        if found.best is None:
            raise infeasible(problem)
        outcome = problem.outcome(found.best.scheme)
    return make_solution(problem, outcome, found, seconds)


def anonymize_in_layers(
    problem: Problem, seconds: dict[str, float], on_progress: OnProgress | None
) -> Solution:
    """Find layers, the scheme of each record among them, and what is proven of others."""
    with timed(seconds, "search"):
        found = search_layers(problem, on_progress)
    if not found.feasible:
        which = "no layers were found that do: they"
        raise too_many_suppressed(which, outcome_of(problem, found).evaluation, problem)
    return layered_solution(problem, found, seconds)


def layered_solution(problem: Problem, found: Layers, seconds: dict[str, float]) -> Solution:
    """Describe layers that were searched for."""
    solution = make_solution(problem, outcome_of(problem, found), None, seconds, found)
    return replace(
        solution, status=found.status, stopped=found.stopped, proof=proof_of(problem, found)
    )


def apply(
    data: Source | Problem,
    policy: PolicyLike | None,
    scheme: Mapping[str, int] | Sequence[Mapping[str, int]],
) -> Solution:
    """Apply a scheme found before, or the schemes of layers, to a table, with its risks checked again.

    Classes that break a risk model are suppressed; an InfeasibleError says if that is more than the
    suppression limit. A release in layers is made of the same layers, in the same order.
    """
    seconds: dict[str, float] = {}
    with timed(seconds, "read"):
        problem = as_problem(data, policy)
    layers = None
    with timed(seconds, "search"):
        if isinstance(scheme, Mapping):
            outcome = problem.outcome(problem.scheme_of(scheme))
        else:
            layers = given_layers(problem, scheme)
            outcome = outcome_of(problem, layers)
        if not outcome.evaluation.feasible:
            which = "this scheme" if layers is None else "these layers"
            raise not_met(which, outcome, problem)
    found = make_solution(problem, outcome, None, seconds, layers)
    warn_of_references(found)
    return found


def infeasible(problem: Problem) -> InfeasibleError:
    """Say why there is no solution, and what would help."""
    coarsest = problem.outcome(problem.lattice.high)
    return not_met("the coarsest scheme the policy allows", coarsest, problem)


def not_met(which: str, outcome: Outcome, problem: Problem) -> InfeasibleError:
    """Say that a scheme suppresses too much, or keeps too few of a group."""
    if outcome.evaluation.suppressed_records > problem.suppression_limit:
        return too_many_suppressed(which, outcome.evaluation, problem)
    short = too_few_kept(which, problem, outcome)
    return short or too_many_suppressed(which, outcome.evaluation, problem)


def too_many_suppressed(which: str, evaluation: Evaluation, problem: Problem) -> InfeasibleError:
    """Say that a scheme suppresses more than the limit."""
    models = " and ".join(str(model) for model in problem.models)
    records = problem.microdata.records
    share = evaluation.suppressed_records / records
    return InfeasibleError(
        f"{models} cannot be met: {which} would suppress {evaluation.suppressed_records} of "
        f"{records} records ({percent(share)}), above the suppression limit of "
        f"{percent(problem.policy.release.suppression_limit)}; raise suppression_limit or max_level."
    )


def make_solution(
    problem: Problem,
    outcome: Outcome,
    found: SearchResult | None,
    seconds: dict[str, float],
    layers: Layers | None = None,
) -> Solution:
    """Describe a scheme, or layers, by the risks before and after, and make the release ready."""
    microdata, best = problem.microdata, outcome.evaluation
    classes, suppressed = outcome.classes, outcome.suppressed
    scheme = problem.named(best.scheme)
    narrowed = None
    if layers is None:
        losses = problem.alone.attribute_losses(classes, suppressed)
        layering = one_layer(microdata, best.scheme, suppressed[classes.label_of_tuple])
    else:
        losses, layering = layers.attribute_loss, layers.layering
        narrowed = count_narrowed(layering, classes, suppressed, problem.models)
    return Solution(
        status=Status.APPLIED if found is None else found.status,
        stopped=StopReason.COMPLETE if found is None else found.stopped,
        scheme=scheme,
        loss=best.loss,
        attribute_loss=dict(zip(microdata.attributes, losses, strict=bool(losses))),
        suppressed=best.suppressed_records,
        records=microdata.records,
        before=problem.profile_before,
        after=problem.profile(classes, ~suppressed),
        proof=None if found is None else found.proof,
        seconds=seconds,
        problem=problem,
        outcome=outcome,
        release=Release(problem.table, problem.policy, layering),
        checkpoint=None if found is None else found.checkpoint,
        layers=() if layers is None else describe_layers(problem, layers),
        narrowed=narrowed,
    )
