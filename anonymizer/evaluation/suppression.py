"""Which classes are suppressed: those that violate a model, then one by one until the risk passes."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from anonymizer.attackers.cuts import least_suppressed
from anonymizer.kernels.partition import mark_least
from anonymizer.risk import Binding, ModelKind, Remaining, RiskModel
from anonymizer.risk.model import Estimates, asked_by, binds_records, judges_by_size
from anonymizer.risk.remaining import Kept, Order
from anonymizer.risk.sizes import NO_LIMIT, Sizes
from anonymizer.table.classes import EquivalenceClasses, information_content
from anonymizer.table.microdata import Microdata

Tuples = NDArray[np.bool_]
"""A mark for each distinct tuple."""
Hopeless = Callable[[EquivalenceClasses, Binding], bool]
"""Whether what must be suppressed at every finer scheme, and so here, is too much already."""


@dataclass(frozen=True, slots=True, eq=False)
class Suppression:
    """The classes of a scheme, those to suppress, and what that says about every finer scheme.

    Where only some of a class's records are suppressed, its parts are classes here.
    """

    classes: EquivalenceClasses
    suppressed: NDArray[np.bool_]
    binding: Binding
    complete: bool = True
    """Whether all is there that must go; not where what is binding was seen to be too much already."""

    @property
    def tuples(self) -> Tuples:
        """Which distinct tuples are suppressed."""
        marked: Tuples = self.suppressed[self.classes.label_of_tuple]
        return marked


def suppress(
    microdata: Microdata,
    classes: EquivalenceClasses,
    models: Sequence[RiskModel],
    hopeless: Hopeless | None = None,
) -> Suppression:
    """Suppress what violates a model by itself, then the shortest cut that passes them all.

    Where it is `hopeless`, that is not looked for.
    """
    if not all(model.violators is None for model in models):
        return suppress_together(microdata, classes, models, hopeless)
    violations = violations_of(classes, models)
    violating = np.logical_or.reduce(violations) if models else no_class(classes)
    remaining = Remaining(microdata, classes, violating, order_of(models))
    binding = combine_bindings(remaining, models, violations)
    # without a risk of the whole table no cut is looked for
    cuts = any(model.kind is ModelKind.TABLE for model in models)
    if cuts and hopeless is not None and hopeless(classes, binding):
        return Suppression(classes, violating, binding, complete=False)
    cut = shortest_cut(remaining, models)
    suppressed = violating | cut_classes(remaining, cut) if cut else violating
    return Suppression(classes, suppressed, binding)


def order_of(models: Sequence[RiskModel]) -> Order | None:
    """Return what comes before size in the order of suppression: the first that a model asks for."""
    return next((model.order for model in models if model.order is not None), None)


def violating_classes(
    classes: EquivalenceClasses, models: Sequence[RiskModel]
) -> NDArray[np.bool_]:
    """Mark the classes that violate a model by themselves."""
    local = [model for model in models if model.violators is None]
    violating = no_class(classes)
    for found in violations_of(classes, local):
        violating |= found
    return violating


def violations_of(
    classes: EquivalenceClasses, models: Sequence[RiskModel]
) -> list[NDArray[np.bool_]]:
    """Mark for each model the classes that violate it, and none that is asked before.

    What binds record by record is asked first, and sizes before all else: it says most for least time.
    """
    if len(models) == 1:
        return [models[0].violating(classes)]
    found = [no_class(classes) for _ in models]
    left = ~found[0] if models else no_class(classes)
    for at in sorted(range(len(models)), key=lambda at: precedence(models[at])):
        found[at] = models[at].violating(classes.among(left)) & left
        left = left & ~found[at]
    return found


def precedence(model: RiskModel) -> tuple[bool, bool]:
    """Return what decides which model is asked first: the least."""
    return not binds_records(model), not judges_by_size(model)


def no_class(classes: EquivalenceClasses) -> NDArray[np.bool_]:
    """Mark no class."""
    return np.zeros(classes.sizes.size, np.bool_)


def suppress_together(
    microdata: Microdata,
    classes: EquivalenceClasses,
    models: Sequence[RiskModel],
    hopeless: Hopeless | None = None,
) -> Suppression:
    """Suppress records until nobody is above a limit, where what is suppressed counts for others.

    After a cut for a model of the whole table somebody may be above a limit again: both steps are
    repeated until neither finds anything.
    """
    binding = bind_together(microdata, classes, models)
    people = classes.input_people
    least = asked_by(models, people).least_class
    if hopeless is not None and not binds_all(models):
        parts = classes.split(microdata, binding, 2)
        gone_parts = binding[parts.first_tuple]
        bound = Binding(gone_parts, least_class=least)
        if hopeless(parts, bound):
            return Suppression(parts, gone_parts, bound, complete=False)
    gone = binding if binds_all(models) else greatest_kept(microdata, classes, models, binding)
    while True:
        parts = classes.split(microdata, gone, 2)
        marked = np.zeros(parts.sizes.size, np.bool_)
        marked[parts.label_of_tuple[gone]] = True
        remaining = Remaining(microdata, parts, marked, order_of(models))
        cut = shortest_cut(remaining, models)
        if not cut:
            break
        marked[remaining.order[:cut]] = True
        gone = greatest_kept(microdata, classes, models, marked[parts.label_of_tuple])
    parts = classes.split(microdata, gone + 2 * binding, 4)
    of_part = parts.first_tuple
    return Suppression(parts, gone[of_part], Binding(binding[of_part], least_class=least))


def bind_together(
    microdata: Microdata,
    classes: EquivalenceClasses,
    models: Sequence[RiskModel],
) -> Tuples:
    """Mark the tuples that must be suppressed at every finer scheme too, and here.

    Take the models that limit the risk of single people and whose risk never falls where a scheme is made
    finer. All that is kept at a finer scheme meets these models here too. It is therefore part of the
    greatest set that meets them; the rest is suppressed there.
    """
    monotone = relaxed_people(models)
    nothing = np.zeros(microdata.distinct, np.bool_)
    return greatest_kept(microdata, classes, monotone, nothing) if monotone else nothing


def relaxed_people(models: Sequence[RiskModel]) -> list[RiskModel]:
    """Return what of the models binds finer schemes person by person."""
    return [model.with_estimates(Estimates.LEAST) for model in models if binds_records(model)]


def binds_all(models: Sequence[RiskModel]) -> bool:
    """Whether the models bind finer schemes person by person, and with all they ask for."""
    monotone = relaxed_people(models)
    return len(monotone) == len(models) and all(map(operator.is_, monotone, models))


def greatest_kept(
    microdata: Microdata,
    classes: EquivalenceClasses,
    models: Sequence[RiskModel],
    gone: Tuples,
) -> Tuples:
    """Suppress more tuples until what is kept meets all models of single people; return all gone.

    What violates a model is suppressed in any release that contains no more, so the order of the models
    plays no part.
    """
    together = [model.violators for model in models if model.violators is not None]
    while True:
        more = np.zeros(gone.size, np.bool_)
        if len(together) < len(models):
            parts = classes.split(microdata, gone, 2) if gone.any() else classes
            more = violating_classes(parts, models)[parts.label_of_tuple] & ~gone
        for violators in together:
            more |= violators(Kept(microdata, classes.scheme, ~gone))
        if not (more & ~gone).any():
            return gone
        gone = gone | more


def combine_bindings(
    remaining: Remaining, models: Sequence[RiskModel], violations: Sequence[NDArray[np.bool_]]
) -> Binding:
    """Return what must go at every finer scheme, as far as the models know.

    `violations` has, for each model, the classes that violate it by themselves; `remaining` is the table
    without them. Those that violate one record by record are taken together with those of which no more
    than some records can be kept. Where there are none, the first model of the whole table that knows
    something speaks for itself.
    """
    classes = remaining.classes
    least = asked_by(models, classes.input_people).least_class
    together = bound_records(classes, models, violations)
    partly = bind_partly(classes, models, violations, together, least)
    if partly.classes.any():
        return partly
    whole = remaining
    if remaining.suppressed.any():
        whole = Remaining(remaining.microdata, classes, no_class(classes))
    of_table = (bind_table(whole, model) for model in models if model.kind is ModelKind.TABLE)
    single = next((binding for binding in of_table if binding is not None), partly)
    return replace(single, least_class=least)


def bound_records(
    classes: EquivalenceClasses,
    models: Sequence[RiskModel],
    violations: Sequence[NDArray[np.bool_]],
) -> NDArray[np.bool_]:
    """Mark the classes all of whose records violate some model at every finer scheme too."""
    found = no_class(classes)
    for model, violating in zip(models, violations, strict=True):
        if binds_records(model):
            found |= violating
    return found


def bind_table(whole: Remaining, model: RiskModel) -> Binding | None:
    """Return what a model of the whole table, with nothing suppressed, says of finer schemes."""
    if model.most_kept is None:
        return bind_sizes(whole, model.asks(whole.classes.input_people))
    most = model.most_kept(whole.classes, no_class(whole.classes))
    return bind_any(whole.classes, whole.microdata.records - int(most))


def bind_sizes(whole: Remaining, asked: Sizes) -> Binding | None:
    """Return what limits on the sizes of all classes say of finer schemes; None for nothing.

    Whatever is kept at a finer scheme is within the limits here too. Where people are in several classes,
    how many records those have who may stay is not known, and classes are smaller than they look.
    """
    classes = whole.classes
    if asked.average < 1:
        return bind_any(classes, least_over_average(whole, asked.average))
    if whole.microdata.people is not None:
        return None
    uniques = classes.sizes == 1
    if asked.uniques < NO_LIMIT:  # they are unique at every finer scheme
        return Binding(uniques, asked.uniques)
    if asked.classes < NO_LIMIT:  # all uniques go, or a record of each class that is too many
        alone = int(np.count_nonzero(uniques))
        return bind_any(classes, max(0, min(alone, uniques.size - asked.classes)))
    return None


def least_over_average(whole: Remaining, average: float) -> int:
    """Return how many records must go, here and at finer schemes, for so many classes to each person.

    Suppress the same records here as there: what is left has no more classes here. Where that takes only
    a part of a class, put the part back: as many classes, more records. So here fewer records are enough,
    and smallest first takes the fewest of all.

    Where people are in several classes, nobody all of whose records are kept at a finer scheme has a
    lower risk there than here with nothing suppressed. Everybody else has lost a record; at best they
    count with no risk at all.
    """
    if whole.microdata.people is not None:
        sizes, people = whole.smallest_classes
        return least_suppressed(1 / sizes, people, "mean", average, whole=False)
    every = whole.histogram
    return every.memberships - every.after(every.cut_to(average)).memberships


def bind_any(classes: EquivalenceClasses, gone: int) -> Binding:
    """Return that so many records must go, whichever they are."""
    some = np.full(classes.sizes.size, gone > 0)
    return Binding(some, classes.microdata.records - gone if gone else 0)


def bind_partly(
    classes: EquivalenceClasses,
    models: Sequence[RiskModel],
    violations: Sequence[NDArray[np.bool_]],
    together: NDArray[np.bool_],
    least: int,
) -> Binding:
    """Add, to classes of which nothing can be kept, those of which no more than some records can.

    Of fewer records than the least class has people, nothing can be kept either.
    """
    kept = most_kept_partly(classes, models, violations, together, least)
    if kept is None:
        return Binding(together, least_class=least)
    marked = together | (kept < classes.records)
    return Binding(marked, int(kept[marked & ~together].sum()), least)


def most_kept_partly(
    classes: EquivalenceClasses,
    models: Sequence[RiskModel],
    violations: Sequence[NDArray[np.bool_]],
    together: NDArray[np.bool_],
    least: int,
) -> NDArray[np.int64] | None:
    """Return how many records of each other class can be kept at a finer scheme; None for all of them."""
    kept: NDArray[np.int64] | None = None
    for model, violating in zip(models, violations, strict=True):
        asked = violating & ~together
        if model.kind is ModelKind.CLASSES and model.most_kept is not None and asked.any():
            most = np.asarray(model.most_kept(classes, asked), np.int64)
            kept = most if kept is None else np.minimum(kept, most)
    return None if kept is None else np.where(kept < least, 0, kept)


def most_kept(classes: EquivalenceClasses, models: Sequence[RiskModel]) -> NDArray[np.int64]:
    """Return how many records of each class can be kept, here or at a finer scheme, by local models."""
    violations = violations_of(classes, models)
    together = bound_records(classes, models, violations)
    least = asked_by(models, classes.input_people).least_class
    kept = most_kept_partly(classes, models, violations, together, least)
    return np.where(together, 0, classes.records if kept is None else kept)


def shortest_cut(remaining: Remaining, models: Sequence[RiskModel]) -> int:
    """Return the least number of remaining classes whose suppression passes every model.

    Each model in turn moves the cut to its next passing one, until it passes all of them: a cut that was
    passed over fails one.
    """
    cut, at, agreed = 0, 0, 0
    while agreed < len(models):
        start, cut = cut, models[at].first_cut(remaining, cut)
        agreed = agreed + 1 if cut == start else 1  # a model that moved the cut passes it there
        at = (at + 1) % len(models)
    return cut


def cut_classes(remaining: Remaining, cut: int) -> NDArray[np.bool_]:
    """Mark the first classes of the order of suppression.

    Smallest first, only the classes of the size at which the cut falls need to be ordered: smaller ones
    all go.
    """
    if remaining.ranked is not None:
        first: NDArray[np.bool_] = np.zeros(remaining.suppressed.size, np.bool_)
        first[remaining.order[:cut]] = True
        return first
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
    limit = np.sort(information)[more - 1]  # few distinct values: faster than a partition
    mark_least(marked, tied, information, limit, more)
    return marked
