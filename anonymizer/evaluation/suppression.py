"""Which classes are suppressed: those that violate a model, then the smallest until the risk passes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from anonymizer.engine.classes import EquivalenceClasses, information_content
from anonymizer.engine.microdata import Microdata
from anonymizer.kernels.partition import mark_least
from anonymizer.risk import Binding, Monotone, Remaining, RiskModel


@dataclass(frozen=True, slots=True, eq=False)
class Suppression:
    """The classes to suppress, and what that says about every finer scheme."""

    suppressed: NDArray[np.bool_]
    binding: Binding


def suppress(
    microdata: Microdata, classes: EquivalenceClasses, models: Sequence[RiskModel]
) -> Suppression:
    """Suppress what violates a model by itself, then the shortest cut that passes them all."""
    violating = np.zeros(classes.sizes.size, np.bool_)
    for model in models:
        violating |= model.violating(classes)
    remaining = Remaining(microdata, classes, violating)
    cut = shortest_cut(remaining, models)
    suppressed = violating | cut_classes(remaining, cut) if cut else violating
    return Suppression(suppressed, combine_bindings(remaining, models))


def combine_bindings(remaining: Remaining, models: Sequence[RiskModel]) -> Binding:
    """Return what must go at every finer scheme, as far as the models know.

    `remaining` is what is left when the classes that violate a model by themselves are suppressed. Those
    that violate one record by record are taken together. Where there are none, one of the models that
    are monotone as a whole speaks for itself, about the whole table.
    """
    together = np.zeros(remaining.suppressed.size, np.bool_)
    whole = remaining
    if remaining.suppressed.any():
        nothing = np.zeros(remaining.suppressed.size, np.bool_)
        whole = Remaining(remaining.microdata, remaining.classes, nothing)
    single: Binding | None = None
    for model in models:
        if model.monotone is Monotone.RECORD:
            binding = model.binding(remaining)
            together |= model.violating(remaining.classes) if binding is None else binding.classes
        elif model.monotone is Monotone.TABLE:
            single = single or model.binding(whole)
    records = remaining.classes.input_records
    least = max((model.least_class(records) for model in models), default=1)
    if together.any() or single is None:
        return Binding(together, least_class=least)
    return replace(single, least_class=least)


def shortest_cut(remaining: Remaining, models: Sequence[RiskModel]) -> int:
    """Return the least number of remaining classes whose suppression passes every model.

    Each model moves the cut to its next passing one until none moves it any more: a cut that was
    passed over fails one of them.
    """
    cut, moved = 0, True
    while moved:
        moved = False
        for model in models:
            start, cut = cut, model.first_cut(remaining, cut)
            moved |= cut > start
    return cut


def cut_classes(remaining: Remaining, cut: int) -> NDArray[np.bool_]:
    """Mark the first classes of the order of suppression.

    Only the classes of the size at which the cut falls need to be ordered: smaller ones all go.
    """
    sizes, left = remaining.classes.sizes, ~remaining.suppressed
    histogram = remaining.histogram
    at = int(np.searchsorted(np.cumsum(histogram.counts), cut))
    boundary = histogram.sizes[at]
    marked: NDArray[np.bool_] = left & (sizes < boundary)
    more = cut - int(np.count_nonzero(marked))
    tied = np.flatnonzero(left & (sizes == boundary))
    if more == tied.size:
        marked[tied] = True
        return marked
    information = information_content(remaining.microdata, remaining.classes, tied)
    limit = np.partition(information, more - 1)[more - 1]
    mark_least(marked, tied, information, limit, more)
    return marked
