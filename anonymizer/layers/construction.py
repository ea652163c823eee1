"""Construction: classes are taken in the order of their cost, until no record can be placed any more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from anonymizer.evaluation.suppression import greatest_kept
from anonymizer.kernels.layers import queue_schemes, take_classes
from anonymizer.lattice import Scheme
from anonymizer.layers.costs import Candidates, Costs
from anonymizer.layers.layering import SUPPRESSED, Layering
from anonymizer.risk import RiskModel
from anonymizer.risk.model import asked_by
from anonymizer.table.classes import partition
from anonymizer.table.microdata import Microdata

MOST_AT_ONCE = 20_000_000
"""After looking at so many tuples, some tenths of a second, it is asked whether to stop."""
STEP = 0.001
"""Classes whose costs differ by less are taken in the order of their schemes."""


def least_size(microdata: Microdata, models: Sequence[RiskModel]) -> int | None:
    """Return the size of class that is all the models ask for, each record a person; else None."""
    if microdata.people is not None or not asked_by(models, microdata.number_of_people).only:
        return None
    return asked_by(models, microdata.number_of_people).least_class


def never() -> bool:
    """Nobody asks to stop."""
    return False


def construct(
    microdata: Microdata,
    models: Sequence[RiskModel],
    costs: Costs,
    candidates: Candidates,
    stop: Callable[[], bool] = never,
) -> Layering:
    """Place every record in a class that meets the models, at the least cost first.

    Where the models ask for a size alone, single classes are taken, the cheapest first: `take_classes`.
    Else the schemes follow one another, and each takes what the models let through of the records that
    are still free: every layer meets the models by itself, whatever the others hold. When it is stopped,
    what is not placed yet is suppressed.

    The layers are those that whoever reads the release finds. A layer that is empty then is taken out,
    and the others are made again: so given the schemes that are used, in the same order, the same
    layers come of it.
    """
    least = least_size(microdata, models)
    if least is not None:
        numbers = construct_by_size(microdata, costs, candidates, least, stop)
    else:
        numbers = construct_by_scheme(microdata, models, candidates, stop)
    schemes: list[Scheme] = [tuple(scheme) for scheme in candidates.schemes.tolist()]
    placed = Layering.of_numbers(microdata, schemes, numbers)
    found = placed.by_values()
    if least is None and (found.layer_of_tuple != placed.layer_of_tuple).any():
        found = without_violators(found, models)
    if found.records.all():
        return found
    occupied = np.array(found.schemes, np.int64)[found.records > 0].reshape(
        -1, len(microdata.columns)
    )
    return construct(microdata, models, costs, Candidates.of(microdata, costs, occupied))


def without_violators(layering: Layering, models: Sequence[RiskModel]) -> Layering:
    """Suppress whom the models do not let through in their layer by itself."""
    microdata, layers = layering.microdata, layering.layer_of_tuple.copy()
    for number, scheme in enumerate(layering.schemes):
        here = layering.layer_of_tuple == number
        gone = greatest_kept(microdata, partition(microdata, scheme), models, ~here)
        layers[here & gone] = SUPPRESSED
    return replace(layering, layer_of_tuple=layers)


def construct_by_size(
    microdata: Microdata,
    costs: Costs,
    candidates: Candidates,
    least: int,
    stop: Callable[[], bool] = never,
) -> NDArray[np.int32]:
    """Return the number of the scheme that takes each tuple; -1 where none does."""
    width = STEP * max(1.0, costs.whole)
    steps, schemes = int(costs.whole / width) + 2, len(candidates.schemes)
    first, last = np.full(steps, -1, np.int32), np.full(steps, -1, np.int32)
    following, looked_at = np.full(schemes, -1, np.int32), np.zeros(schemes)
    queue_schemes(candidates.least_cost, width, first, last, following)
    scheme_of_tuple = np.full(microdata.distinct, -1, np.int32)
    free, step, number = np.arange(microdata.distinct, dtype=np.int32), 0, microdata.distinct
    while step < steps and number > 0 and not stop():
        step, number = take_classes(
            microdata.words, microdata.counts, microdata.codes, costs.offsets, costs.table,
            candidates.schemes, candidates.masks, width, least, MOST_AT_ONCE,
            first, last, following, looked_at, free, scheme_of_tuple, step, number,
        )  # fmt: skip
    return scheme_of_tuple


def construct_by_scheme(
    microdata: Microdata,
    models: Sequence[RiskModel],
    candidates: Candidates,
    stop: Callable[[], bool] = never,
) -> NDArray[np.int32]:
    """Return the number of the first scheme that the models let take each tuple; -1 where none does."""
    scheme_of_tuple = np.full(microdata.distinct, -1, np.int32)
    for number in range(len(candidates.schemes)):
        taken = scheme_of_tuple >= 0
        if taken.all() or stop():
            break
        classes = partition(microdata, candidates.scheme(number))
        scheme_of_tuple[~greatest_kept(microdata, classes, models, taken)] = number
    return scheme_of_tuple
