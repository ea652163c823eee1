"""Layers for a problem: the checks that they need, and what they come to as an outcome."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from anonymizer.errors import HierarchyError, PolicyError, quote_some
from anonymizer.evaluation.evaluate import Evaluation, Outcome
from anonymizer.hierarchy import Hierarchy
from anonymizer.lattice import Scheme
from anonymizer.layers.optimize import (
    Layers,
    LayersTask,
    Watch,
    apply_layers,
    find_layers,
    layers_by_number,
    place_by_scheme,
)
from anonymizer.problem import Problem
from anonymizer.risk import ModelKind
from anonymizer.search import Limits, Progress, Proof, search
from anonymizer.search.state import OnProgress
from anonymizer.utility.loss import attribute_loss


@dataclass(frozen=True, slots=True)
class Layer:
    """One scheme of a release in layers: the records it has, and what they lose in the mean, 0 to 1."""

    scheme: dict[str, int]
    records: int
    loss: float

    def describe(self) -> dict[str, Any]:
        """Return the layer as JSON."""
        return {"scheme": self.scheme, "records": self.records, "loss": self.loss}


def in_layers(problem: Problem) -> bool:
    """Whether the policy asks for layers."""
    return problem.policy.release.in_layers


def search_layers(problem: Problem, on_progress: OnProgress | None = None) -> Layers:
    """Find the layers of a problem and their bound, and say how far it is."""
    watch = watch_of(problem, on_progress)
    return find_layers(task_of(problem), partial(one_scheme, problem), watch)


def sketch_layers(problem: Problem) -> Layers:
    """Make layers of a few schemes, without a bound: a search keeps as much, in far more time."""
    return place_by_scheme(task_of(problem))


def search_by_number(
    problem: Problem, numbers: Collection[int], on_progress: OnProgress | None = None
) -> Iterator[tuple[int, Layers]]:
    """Find layers for some numbers of layers up to the policy's most, the fewest first."""
    task, watch = task_of(problem), watch_of(problem, on_progress)
    if task.max_layers is not None:
        numbers = {*(n for n in numbers if n < task.max_layers), task.max_layers}
    return layers_by_number(task, partial(one_scheme, problem), numbers, watch)


def search_again(
    problem: Problem, seconds: float | None = None, enough: float = math.inf
) -> Layers:
    """Find as many layers as help, and their bound, in the time there is: it bounds fewer layers too.

    A bound that is high enough ends it.
    """
    task, watch = replace(task_of(problem), max_layers=None), Watch(seconds)

    def note(_: Layers, bound: float) -> None:
        if bound >= enough:
            watch.seconds = 0.0

    watch.on_bound = note
    return find_layers(task, partial(one_scheme, problem), watch)


def watch_of(problem: Problem, on_progress: OnProgress | None) -> Watch:
    """Return what says when to stop, and how far a bound is."""
    watch = Watch(problem.limits.seconds)

    def note(found: Layers, bound: float) -> None:
        if on_progress is not None:
            proof = Proof(min(bound, found.loss), problem.lattice.size, 0)
            on_progress(Progress(proof, evaluation_of(found), watch.elapsed))

    watch.on_bound = note
    return watch


def with_max_layers(problem: Problem, number: int) -> Problem:
    """Ask with another number of layers at most."""
    policy = problem.policy
    release = policy.release.model_copy(update={"layers": number})
    return problem.with_resolved(policy.model_copy(update={"release": release}), problem.models)


def one_scheme(problem: Problem, evaluations: int | None = None) -> Scheme | None:
    """Return the best scheme for all records that is found within the limits, if one is."""
    limits = Limits(problem.limits.seconds, evaluations or problem.limits.evaluations)
    found = search(problem.evaluator, problem.lattice, limits, problem.policy.machine.workers)
    return None if found.best is None else found.best.scheme


def given_layers(problem: Problem, layers: Sequence[Mapping[str, int]]) -> Layers:
    """Make the layers of schemes that are given, with the risk models asked again."""
    return apply_layers(task_of(problem), [problem.scheme_of(levels) for levels in layers])


def task_of(problem: Problem) -> LayersTask:
    """Return what layers are to be found for; raise an error where they have no meaning."""
    cover = problem.measure.cover
    if cover is None and problem.measure.name == "loss":
        raise PolicyError(
            "policy: layers are weighed by a mean of the attributes' losses with the factor 0.5; set "
            'utility.aggregate = "geometric" or "arithmetic" and leave out utility.factor, or leave out '
            "release.layers."
        )
    if cover is None:
        raise PolicyError(
            f"policy: layers are weighed by the measure 'loss', not by '{problem.measure.name}'; set "
            'utility.measure = "loss", or leave out release.layers.'
        )
    # what is dropped counts for a model that is not exact: it is of the whole table too
    if whole := [m.name for m in problem.models if m.kind is ModelKind.TABLE or not m.exact]:
        raise PolicyError(
            f"policy: {quote_some(whole)} limits a risk of the whole table under one scheme, and layers "
            "have several; name a model of single people, such as k-anonymity, or leave out "
            "release.layers."
        )
    check_labels(problem.hierarchies)
    policy = problem.policy.release
    return LayersTask(
        problem.microdata,
        problem.models,
        cover,
        problem.lattice,
        problem.suppression_limit,
        policy.most_layers,
        redacts=policy.suppressed == "redact",
    )


def check_labels(hierarchies: Sequence[Hierarchy]) -> None:
    """Check that a released value tells what it covers, whichever layer it is in.

    The same text at two levels must cover the same leaves.
    """
    faults = [
        f"'{hierarchy.name}': {quote_some(texts)} covers different values at different levels; rename it "
        "at one of them, as layers put both into one column."
        for hierarchy in hierarchies
        if (texts := ambiguous_labels(hierarchy))
    ]
    if faults:
        raise HierarchyError.defective("hierarchies", faults)


def ambiguous_labels(hierarchy: Hierarchy) -> list[str]:
    """List the labels that cover other leaves at another level.

    >>> rows = [("1", "1"), ("2", "1")]
    >>> ambiguous_labels(Hierarchy.from_rows("size", rows))
    ['1']
    """
    leaves_of: dict[str, set[bytes]] = {}
    for labels, codes in zip(hierarchy.labels, hierarchy.codes, strict=True):
        order = np.argsort(codes, kind="stable")
        ends = np.cumsum(np.bincount(codes, minlength=len(labels)))
        for label, leaves in zip(labels, np.split(order, ends[:-1]), strict=True):
            leaves_of.setdefault(label, set()).add(leaves.tobytes())
    return [label for label, covered in leaves_of.items() if len(covered) > 1]


def outcome_of(problem: Problem, found: Layers) -> Outcome:
    """Return the classes of all layers, and what is suppressed of them."""
    classes, suppressed = found.layering.classes()
    evaluation = evaluation_of(found)
    if not found.layering.schemes:  # nothing is released: the lowest scheme suppresses all as well
        low = problem.lattice.low
        classes, evaluation = replace(classes, scheme=low), replace(evaluation, scheme=low)
    return Outcome(classes, suppressed, evaluation)


def evaluation_of(found: Layers) -> Evaluation:
    """Return what layers lose, as a search has it of a scheme; it says nothing of finer ones."""
    return Evaluation(
        found.layering.coarsest,
        found.layering.suppressed_records,
        found.loss,
        feasible=found.feasible,
        binding_records=0,
        finer_infeasible=False,
        terms=np.zeros((0, 0)),
    )


def proof_of(problem: Problem, found: Layers) -> Proof:
    """Return what is proven of all releases in layers."""
    assert found.bound is not None
    return Proof(found.bound, problem.lattice.size, found.evaluated)


def describe_layers(problem: Problem, found: Layers) -> tuple[Layer, ...]:
    """Return each layer with its records and what these lose by themselves."""
    layering, cover = found.layering, problem.measure.cover
    assert cover is not None
    domain = problem.microdata.domain
    return tuple(
        Layer(
            problem.named(scheme),
            int(records),
            cover.combine(attribute_loss(covered, int(records), domain.sizes, domain.least))[0],
        )
        for scheme, records, covered in zip(
            layering.schemes, layering.records, layering.covered_by_layer(), strict=True
        )
    )
