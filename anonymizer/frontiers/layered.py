"""A frontier of releases in layers: over the thresholds, and for one over the number of layers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.frontiers.points import MAX_LAYERS, OnStage, Point, Stage, Tracked
from anonymizer.frontiers.sweep import Sweep
from anonymizer.lattice import Scheme
from anonymizer.layers.layering import Layering
from anonymizer.layers.optimize import Layers
from anonymizer.problem import Problem
from anonymizer.risk import ModelKind, Remaining, RiskModel
from anonymizer.search import Progress, StopReason
from anonymizer.solution.layered import outcome_of, proof_of, search_by_number, search_layers
from anonymizer.table.classes import EquivalenceClasses, partition

NUMBERS = (1, 2, 3, 5, 10, 20)
"""The numbers of layers that are compared, beside as many as help."""


class LayeredTracker(Tracked):
    """Finds layers at one threshold after the other."""

    evaluated: frozenset[Scheme] = frozenset()
    """No scheme is kept from one threshold to the next."""

    def run(self) -> None:
        """Find layers at every threshold, until Ctrl-C; what was not looked at then is not known."""
        interrupted = False
        for place, value in enumerate(self.sweep.thresholds):
            if interrupted:
                self.unknown.append(value)
                continue
            at = self.problem.with_models(*self.sweep.models[place])
            found = search_layers(at, self.tell(place))
            interrupted = found.stopped is StopReason.INTERRUPTED
            if found.feasible:
                varied = at.models[0]
                self.points.append(layered_point(at, varied, value, self.changes, found))
            elif is_infeasible(at):
                self.infeasible.append(value)
            else:
                self.unknown.append(value)


def is_infeasible(problem: Problem) -> bool:
    """Whether no layers can be within the suppression limit.

    With models of single people, whatever layers release is also kept at the coarsest scheme.
    """
    people = ModelKind.of(problem.models) is ModelKind.PEOPLE
    return people and not problem.evaluate(problem.lattice.high).feasible


def points_by_number(problem: Problem, sweep: Sweep, on_stage: OnStage | None) -> Iterator[Point]:
    """Yield the release at the policy's own threshold with one layer, two and so on."""
    varied = problem.models[0]
    value = sweep.parameter.value_of(varied)

    def on_progress(progress: Progress) -> None:
        if on_stage is not None:
            on_stage(Stage(value, len(sweep) - 1, len(sweep), progress))

    for number, found in search_by_number(problem, NUMBERS, on_progress):
        if found.feasible:
            yield layered_point(problem, varied, value, {MAX_LAYERS: number}, found)


def layered_point(
    problem: Problem, varied: RiskModel, value: float, changes: dict[str, Any], found: Layers
) -> Point:
    """Describe the layers found at one threshold."""
    outcome = outcome_of(problem, found)
    classes, suppressed = outcome.classes, outcome.suppressed
    return Point(
        value,
        changes,
        residual_risk(varied, found.layering, classes, suppressed),
        outcome.evaluation,
        problem.named(classes.scheme),
        problem.profile(classes, ~suppressed),
        found.status,
        found.stopped,
        proof_of(problem, found),
        layers=found,
    )


def residual_risk(
    model: RiskModel, layering: Layering, classes: EquivalenceClasses, suppressed: NDArray[np.bool_]
) -> float:
    """Return the risk of a release in layers by a model.

    A model that looks at more than single classes is asked for each layer by itself, as if the others
    were suppressed. That is the safe side: it then counts fewer people who look alike.
    """
    if model.violators is None:
        return model.residual_risk(Remaining(layering.microdata, classes, suppressed))
    return max(
        (layer_risk(model, layering, number) for number in range(len(layering.schemes))),
        default=0.0,
    )


def layer_risk(model: RiskModel, layering: Layering, number: int) -> float:
    """Return the risk of one layer, with all other records suppressed."""
    microdata, others = layering.microdata, layering.layer_of_tuple != number
    parts = partition(microdata, layering.schemes[number]).split(microdata, others, 2)
    marked = np.zeros(parts.sizes.size, np.bool_)
    marked[parts.label_of_tuple[others]] = True
    return model.residual_risk(Remaining(microdata, parts, marked))
