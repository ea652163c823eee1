"""find_layers: layers with a small loss, no more than asked for, and a bound on all others."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeAlias

import numpy as np

from anonymizer.hierarchy import REDACTED
from anonymizer.kernels.compilation import working_seconds
from anonymizer.lattice import Lattice, Scheme
from anonymizer.layers.bound import Bounding, Prices, bound_of, bounding_of
from anonymizer.layers.construction import construct, construct_by_scheme
from anonymizer.layers.costs import (
    Candidates,
    Costs,
    climb,
    find_candidates,
    mean_costs,
    order_candidates,
)
from anonymizer.layers.layering import Layering
from anonymizer.risk import RiskModel
from anonymizer.risk.model import asked_by
from anonymizer.search import Status, StopReason
from anonymizer.search.limits import Clock
from anonymizer.search.result import TIE
from anonymizer.table.microdata import Microdata
from anonymizer.utility import Aggregate
from anonymizer.utility.loss import attribute_loss
from anonymizer.utility.measure import AttributeMeasure

EVALUATIONS = 200
"""So many schemes for all records are evaluated to see whether one is better than layers."""
FEW_SCHEMES = 64
"""So many, of all costs, show what layers would keep."""
OF_OTHERS = 0.75
"""So much effort, beside that for the bound on all losses, is for how evenly attributes bear them."""
WITH_TIME = 10.0
"""So many times the effort may be made where a time limit says how long that may take."""
MOST_COMPARED = 150
"""So many schemes, those that release most records, are tried for each of a few layers."""


OneScheme: TypeAlias = Callable[[int | None], Scheme | None]
"""Finds the best scheme for all records, with a limit on evaluations."""


@dataclass(frozen=True, slots=True, eq=False)
class LayersTask:
    """What layers are to be found for."""

    microdata: Microdata
    models: Sequence[RiskModel]
    measure: AttributeMeasure
    lattice: Lattice
    suppression_limit: int
    max_layers: int | None = None
    redacts: bool = False
    """Whether suppressed records stay, without a value: no layer beside others may look like them."""
    most_candidates: int | None = None
    """So many schemes are tried as layers, of all costs; None for all that there are."""

    def looks_suppressed(self, scheme: Scheme) -> bool:
        """Whether a scheme leaves a record as if it were suppressed and still there."""
        columns = zip(self.microdata.columns, scheme, strict=True)
        return self.redacts and all(REDACTED in c.hierarchy.labels[level] for c, level in columns)


@dataclass(frozen=True, slots=True, eq=False)
class Layers:
    """Layers with what they lose and what is proven of others."""

    layering: Layering
    loss: float
    attribute_loss: tuple[float, ...]
    bound: float | None
    """What every release in layers loses at least; None where the layers were given."""
    evaluated: int
    """The schemes that were looked at."""
    feasible: bool
    """Whether the suppressed records are within the suppression limit."""
    stopped: StopReason = StopReason.COMPLETE

    @property
    def rank(self) -> tuple[bool, float, int]:
        """What decides between layers: the least is best."""
        return not self.feasible, self.loss, self.layering.suppressed_records

    @property
    def status(self) -> Status:
        """Whether nothing better is possible; the bound must be known."""
        assert self.bound is not None
        return Status.OPTIMAL if self.loss - self.bound <= TIE else Status.FEASIBLE


@dataclass(eq=False)
class Watch:
    """Says when to stop, and passes on how far the bound is."""

    seconds: float | None
    on_bound: Callable[[Layers, float], None] = lambda _, __: None
    """Called with what was found and the bound so far."""
    stopped: StopReason = StopReason.COMPLETE
    clock: Clock = working_seconds
    """Stands still while kernels are compiled."""

    def __post_init__(self) -> None:
        self.started = self.clock()

    @property
    def elapsed(self) -> float:
        """The seconds since the beginning."""
        return self.clock() - self.started

    def due(self, share: float = 1.0) -> bool:
        """Whether the time, or a share of it, is up."""
        up = self.seconds is not None and self.elapsed > self.seconds * share
        if up:
            self.stopped = StopReason.TIME
        return up or self.stopped is StopReason.INTERRUPTED


def find_layers(task: LayersTask, one_scheme: OneScheme, watch: Watch | None = None) -> Layers:
    """Find layers that lose little, and bound what any lose.

    `one_scheme` gives the best scheme for all records that so many evaluations find: the first of a few
    layers. The construction and the search for a bound end when the watch, or Ctrl-C, says so.
    """
    watch = watch or Watch(None)
    costs = Costs.of(task.microdata, task.measure.weights)
    least = asked_by(task.models, task.microdata.number_of_people).least_class
    candidates = find_candidates(task.microdata, costs, task.lattice, least)
    usable = distinguishable(task, costs, candidates.thinned(task.most_candidates))
    free = weigh(task, construct_in_time(task, costs, usable, watch))
    found = within_limit(task, costs, free, one_scheme)
    if task.max_layers is not None and len(found.layering.schemes) > task.max_layers:
        found = choose_few(task, costs, found, one_scheme(None), lambda: watch.due(0.75))
    found = or_one_scheme(task, costs, found, one_scheme)
    bounding = bounding_of(task.microdata, task.models, costs, task.lattice, candidates)
    bound = run_bounding(task, bounding, free, found, watch)
    if found.loss - bound <= TIE:
        bound = found.loss
    return replace(found, bound=bound, evaluated=len(candidates.schemes), stopped=watch.stopped)


def place_by_scheme(task: LayersTask) -> Layers:
    """Place every record by the first of a few schemes that the models let take it."""
    costs = Costs.of(task.microdata, task.measure.weights)
    least = asked_by(task.models, task.microdata.number_of_people).least_class
    listed = find_candidates(task.microdata, costs, task.lattice, least)
    few = distinguishable(task, costs, listed.thinned(FEW_SCHEMES))
    numbers = construct_by_scheme(task.microdata, task.models, few)
    schemes: list[Scheme] = [tuple(scheme) for scheme in few.schemes.tolist()]
    return weigh(task, Layering.of_numbers(task.microdata, schemes, numbers).by_values())


def run_bounding(
    task: LayersTask, bounding: Bounding, free: Layers, found: Layers, watch: Watch
) -> float:
    """Bound the loss of every release in layers, for as long as there is time.

    It starts from what layers lose free of all limits, so that no limit changes the bound it comes to.
    """
    measure = task.measure
    arithmetic = float(np.mean(np.array(measure.weights) * np.array(free.attribute_loss)))
    others = list[Prices]()
    if isinstance(bounding, Prices) and measure.aggregate is not Aggregate.ARITHMETIC:
        others = [bounding.without(at, measure.weights) for at in range(len(measure.weights))]

    def so_far() -> float:
        return bound_of(measure, bounding.bound, [each.bound for each in others])

    def stop() -> bool:
        watch.on_bound(found, so_far())
        return watch.due()

    try:
        for effort in (1.0,) if watch.seconds is None else (1.0, WITH_TIME):
            of_one = effort * OF_OTHERS / max(1, len(others))
            bounding.run(arithmetic, stop, effort if others else effort * (1 + OF_OTHERS))
            for each in others:
                each.run(arithmetic, stop, of_one)
    except KeyboardInterrupt:
        watch.stopped = StopReason.INTERRUPTED
    return so_far()


def construct_in_time(
    task: LayersTask, costs: Costs, candidates: Candidates, watch: Watch
) -> Layering:
    """Place every record in a class of one of the candidates; of a few of them after half of the time.

    The other half is for the bound. Those few are the schemes in use by then, and those on a climb,
    which have a class for most records.
    """
    try:
        found = construct(task.microdata, task.models, costs, candidates, lambda: watch.due(0.5))
    except KeyboardInterrupt:
        found, watch.stopped = one_layer_of_nobody(task), StopReason.INTERRUPTED
    if watch.stopped is StopReason.COMPLETE:
        return found
    least = asked_by(task.models, task.microdata.number_of_people).least_class
    few = [*found.schemes, *climb(task.microdata, costs, task.lattice, least, width=1)]
    ordered = order_candidates(task.microdata, costs, few)
    return construct_from(task, costs, distinguishable(task, costs, ordered))


def one_layer_of_nobody(task: LayersTask) -> Layering:
    """Return a layering in which nobody is placed."""
    return Layering(task.microdata, (), np.full(task.microdata.distinct, -1, np.int32))


def distinguishable(task: LayersTask, costs: Costs, candidates: Candidates) -> Candidates:
    """Leave out the schemes whose records look as if they were suppressed."""
    looks = [task.looks_suppressed(tuple(scheme)) for scheme in candidates.schemes.tolist()]
    if not any(looks):
        return candidates
    return Candidates.of(task.microdata, costs, candidates.schemes[~np.array(looks)])


def apply_layers(task: LayersTask, schemes: Sequence[Scheme]) -> Layers:
    """Make the layers of some schemes, in their order, with the models asked again.

    A scheme whose records look as if they were suppressed is left out, unless it is the only one.
    """
    costs = Costs.of(task.microdata, task.measure.weights)
    usable = [scheme for scheme in schemes if not task.looks_suppressed(scheme)]
    return weigh(task, rebuild(task, costs, usable or schemes))


def construct_from(task: LayersTask, costs: Costs, candidates: Candidates) -> Layering:
    """Place every record in a class of one of the candidates."""
    return construct(task.microdata, task.models, costs, candidates)


def rebuild(task: LayersTask, costs: Costs, schemes: Sequence[Scheme]) -> Layering:
    """Place every record in a class of one of a few schemes."""
    width = len(task.microdata.attributes)
    listed = np.array(schemes, np.int64).reshape(-1, width)
    return construct_from(task, costs, Candidates.of(task.microdata, costs, listed))


def weigh(task: LayersTask, layering: Layering) -> Layers:
    """Return layers with what they lose."""
    domain, records = task.microdata.domain, task.microdata.records
    losses = attribute_loss(layering.covered(), records, domain.sizes, domain.least)
    loss, of_attribute = task.measure.combine(losses)
    feasible = layering.suppressed_records <= task.suppression_limit
    return Layers(layering, loss, of_attribute, None, 0, feasible)


def within_limit(task: LayersTask, costs: Costs, found: Layers, one_scheme: OneScheme) -> Layers:
    """Take out the coarsest layers, one by one, while too many records are left over for the limit.

    Their records are free again, and those left over join them in a class of the coarsest scheme. Where
    that one would look suppressed, the best scheme for all records takes its place. If that one does too,
    it is the only layer: where nothing is suppressed, it looks like nothing else.
    """
    if found.feasible and found.layering.schemes:
        return found
    last: Scheme | None = task.lattice.high
    if task.looks_suppressed(task.lattice.high):
        last = one_scheme(None)
    if last is None:
        return found
    others = [scheme for scheme in found.layering.schemes if scheme != last]
    if task.looks_suppressed(last):
        others = []
    for number in range(len(others), -1, -1):
        found = weigh(task, rebuild(task, costs, [*others[:number], last]))
        if found.feasible:
            break
    return found


def or_one_scheme(task: LayersTask, costs: Costs, found: Layers, one_scheme: OneScheme) -> Layers:
    """Return one scheme for all records if it loses less, which happens in small tables."""
    scheme = one_scheme(EVALUATIONS)
    if scheme is None or task.looks_suppressed(scheme):
        return found
    alone = weigh(task, rebuild(task, costs, [scheme]))
    return min(found, alone, key=lambda layers: layers.rank)


def choose_few(
    task: LayersTask, costs: Costs, many: Layers, first: Scheme | None, stop: Callable[[], bool]
) -> Layers:
    """Choose a few of many layers, one by one, until the time is up."""
    assert task.max_layers is not None
    *_, few = islice(grow_layers(task, costs, many, first, stop), task.max_layers)
    return few


def grow_layers(
    task: LayersTask, costs: Costs, many: Layers, first: Scheme | None, stop: Callable[[], bool]
) -> Iterator[Layers]:
    """Yield the best that was found with one layer, with up to two, and so on.

    Each next one is a scheme of many layers that lowers the loss most, or raises it least: a finer layer
    may leave a few records over that only the coarser layer after it takes in.
    """
    order = np.argsort(-many.layering.records, kind="stable")[:MOST_COMPARED]
    gains = {many.layering.schemes[number]: math.inf for number in sorted(order.tolist())}
    start = task.lattice.high if first is None else first
    chosen = [] if task.looks_suppressed(start) else [start]
    best, now = (weigh(task, rebuild(task, costs, schemes)) for schemes in ([start], chosen))
    if chosen:
        yield best
    while left := {scheme: gain for scheme, gain in gains.items() if scheme not in chosen}:
        now, scheme, gains = next_layer(task, costs, chosen, now, left, stop)
        best, chosen = min(best, now, key=lambda layers: layers.rank), [*chosen, scheme]
        yield best
        if stop():
            return


def next_layer(
    task: LayersTask,
    costs: Costs,
    chosen: Sequence[Scheme],
    now: Layers,
    gains: Mapping[Scheme, float],
    stop: Callable[[], bool],
) -> tuple[Layers, Scheme, dict[Scheme, float]]:
    """Return the layers with one more scheme, that scheme, and what each scheme gained when last tried.

    A scheme seldom gains more after others were taken in than before. So schemes are tried by their last
    gain, the highest first, until one still gains as much as the next one did (Minoux 1978), or time is
    up.
    """
    gained, best = dict(gains), None
    best_scheme: Scheme = ()
    for scheme in sorted(gains, key=lambda each: -gains[each]):
        if best is not None and now.feasible and now.loss - best.loss >= gains[scheme]:
            break
        found = weigh(task, rebuild(task, costs, in_order(task, costs, [*chosen, scheme])))
        gained[scheme] = now.loss - found.loss
        if best is None or (found.rank, scheme) < (best.rank, best_scheme):
            best, best_scheme = found, scheme
        if stop():
            break
    assert best is not None  # there is one to try
    return best, best_scheme, gained


def layers_by_number(
    task: LayersTask,
    one_scheme: OneScheme,
    numbers: Collection[int],
    watch: Watch | None = None,
) -> Iterator[tuple[int, Layers]]:
    """Yield the layers found for some numbers of layers, the fewest first, in one run.

    Where the task has no most, the last are as many as help. The bound is that on all releases in
    layers, whatever their number. Numbers that bring nothing more, or that exceed the suppression limit,
    are left out. The watch's time is that of the bound; the choice of a few layers has as much again.
    """
    watch = watch or Watch(None)
    many = find_layers(replace(task, max_layers=None), one_scheme, watch)
    all_of_them, most = len(many.layering.schemes), max(numbers, default=0)
    costs = Costs.of(task.microdata, task.measure.weights)
    choice, last = Watch(watch.seconds), None
    several = all_of_them > 1 and most
    few = grow_layers(task, costs, many, one_scheme(None), choice.due) if several else ()
    for number, found in enumerate(few, 1):
        if number in numbers and found.feasible and found is not last and number < all_of_them:
            yield number, proven(found, many)
            last = found
        interrupted = watch.stopped is StopReason.INTERRUPTED
        if number >= min(most, all_of_them - 1) or interrupted or choice.due():
            break
    if task.max_layers is None or all_of_them <= task.max_layers:
        yield max(1, all_of_them), many  # where nothing is released, one layer at most will do


def proven(few: Layers, many: Layers) -> Layers:
    """Return a few layers with what is proven of any number of them."""
    assert many.bound is not None
    bound = few.loss if few.loss - many.bound <= TIE else many.bound
    return replace(few, bound=bound, evaluated=many.evaluated, stopped=many.stopped)


def in_order(task: LayersTask, costs: Costs, schemes: Sequence[Scheme]) -> list[Scheme]:
    """Order schemes by what they lose of all records, as candidates are."""
    lost = np.round(mean_costs(task.microdata, costs, np.array(schemes, np.int64)), 12)
    return [scheme for _, scheme in sorted(zip(lost.tolist(), schemes, strict=True))]
