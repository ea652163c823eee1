"""Screening: the losses of many schemes at a time, where bounds decide too few of them.

A model of a distribution inside a class may let through more, or less, at a finer scheme, so that bounds
say little. But the classes of a scheme, with their histograms, are unions of those of any finer one. All
open schemes are gone through from fine to coarse, and the classes of many are judged in one go. What may
be the best is then evaluated as ever; the other schemes are proven to be worse.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.engine.classes import EquivalenceClasses
from anonymizer.engine.microdata import Microdata
from anonymizer.engine.sensitive import ClassHistograms
from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.evaluation.suppression import most_kept, violations_of
from anonymizer.kernels.merging import (
    close_blocks,
    group_classes,
    list_entries,
    raise_levels,
    sum_kept,
    sum_most_kept,
)
from anonymizer.lattice import Scheme
from anonymizer.risk import Monotone
from anonymizer.risk.model import Need, Scope
from anonymizer.search.branch_and_bound import BranchAndBound
from anonymizer.search.proof import Pruning

Booleans = NDArray[np.bool_]
JUDGED_BY = {Need.CLASS_SIZES, Need.SENSITIVE_VALUES, Need.OVERALL_SHARES}
ROUNDING = 1e-9
"""Sums of terms that are no farther above the cutoff are looked at again."""


def can_screen(search: BranchAndBound) -> bool:
    """Whether the models judge each class by its size and its histograms, and bounds may be loose."""
    evaluator, params = search.evaluator, search.params
    microdata, models = evaluator.microdata, evaluator.models
    values = sum(len(microdata.sensitive[name].texts) for name in sensitive_columns(evaluator))
    return (
        any(model.monotone is not Monotone.RECORD for model in models)
        and all(model.local and model.scope is not Scope.TABLE for model in models)
        and all(model.needs <= JUDGED_BY for model in models)
        and evaluator.measure.from_covered
        and microdata.people is None
        and 0 < values * microdata.distinct <= params.max_screened_cells
        and search.lattice.size <= params.max_screened_schemes
        and search.usage.limits.evaluations is None
    )


def sensitive_columns(evaluator: Evaluator) -> list[str]:
    """List the columns that the models look at, each once."""
    return list(dict.fromkeys(name for model in evaluator.models for name in model.sensitive))


def explore(search: BranchAndBound) -> None:
    """Explore the open boxes; screen them once evaluations decide too few schemes each."""
    if not can_screen(search):
        search.explore()
        return
    params = search.params
    while search.open:
        before, evaluations = open_schemes(search), search.usage.evaluations
        search.explore(params.screening_batches)
        spent = search.usage.evaluations - evaluations
        if before - open_schemes(search) < params.least_decided * spent:
            Screening(search).run()


def open_schemes(search: BranchAndBound) -> int:
    """Count the schemes that are neither evaluated nor pruned."""
    return sum(box.unevaluated for box in search.open.boxes)


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """The classes of some schemes while they are merged; see kernels/merging.py."""

    digits: NDArray[np.int64]
    """The levels of each scheme above the lowest, of the attributes that are set so far, in order."""
    words: NDArray[np.uint64]
    tuples: NDArray[np.int32]
    sizes: NDArray[np.int64]
    rows: NDArray[np.int32]
    starts: NDArray[np.int64]

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """What kernels take."""
        return self.words, self.tuples, self.sizes, self.rows, self.starts

    @property
    def without_rows(self) -> tuple[NDArray[Any], ...]:
        """Where those of each scheme begin, a tuple of each class, and its records."""
        return self.starts, self.tuples, self.sizes

    @staticmethod
    def of(
        microdata: Microdata,
        names: list[str],
        offsets: NDArray[np.int64],
        mask: NDArray[np.uint64],
    ) -> Classes:
        """Merge the tuples that agree under a mask, those of the lowest scheme.

        The values of several columns are numbered one after the other.
        """
        rows = np.zeros((microdata.distinct, int(offsets[-1])), np.int32)
        for name, offset in zip(names, offsets, strict=False):
            column = microdata.sensitive[name]
            rows[column.tuple_of_pair, column.value_of_pair + offset] = column.records
        every = np.ones(microdata.distinct, np.bool_)
        merged = raise_levels(
            np.ascontiguousarray(microdata.words.T),
            np.arange(microdata.distinct, dtype=np.int32),
            microdata.counts.astype(np.int64),
            rows,
            np.array([0, microdata.distinct]),
            every,
            np.array([mask, mask]),
            np.array([[False, True]]),
        )
        return Classes(np.zeros((1, 0), np.int64), *merged)

    def batches(self, chosen: Booleans, most: int) -> Iterator[slice]:
        """Split the schemes into batches of at most so many chosen classes, the last ones first."""
        before = np.concatenate([[0], np.cumsum(chosen)])[self.starts]
        end = len(self.digits)
        while end > 0:
            begin = min(int(np.searchsorted(before, before[end] - most)), end - 1)
            yield slice(begin, end)
            end = begin

    def range_of(self, schemes: slice) -> slice:
        """Return where the classes of some schemes in a row are."""
        return slice(int(self.starts[schemes.start]), int(self.starts[schemes.stop]))

    def part(self, schemes: slice) -> Classes:
        """Return the classes of some schemes in a row."""
        starts = self.starts[schemes.start : schemes.stop + 1]
        of = self.range_of(schemes)
        return Classes(
            self.digits[schemes],
            self.words[of],
            self.tuples[of],
            self.sizes[of],
            self.rows[of],
            starts - starts[0],
        )


class Screening:
    """One pass over the open schemes."""

    def __init__(self, search: BranchAndBound) -> None:
        self.search, self.evaluator = search, search.evaluator
        microdata = self.microdata = search.evaluator.microdata
        self.names = sensitive_columns(search.evaluator)
        texts = [len(microdata.sensitive[name].texts) for name in self.names]
        self.offsets = np.cumsum([0, *texts])
        people = microdata.number_of_people
        self.least = max((m.least_class(people) for m in search.evaluator.models), default=1)
        """Classes of fewer records are suppressed, and are not judged."""
        low, high = search.lattice.low, search.lattice.high
        # an attribute of many values halves the classes with each level: the sooner, the fewer
        self.order = sorted(
            range(len(low)), key=lambda a: -microdata.columns[a].group_counts[low[a]]
        )
        self.levels = np.array([high[a] - low[a] + 1 for a in self.order])
        self.masks, self.tops = self.masks_in_order()
        places = microdata.codes.T + microdata.domain.offsets[:-1]
        self.places = np.ascontiguousarray(places, np.int32)
        """Where to look up what each value of a tuple covers."""
        self.open = np.ascontiguousarray(np.transpose(self.wanted(), self.order))

    def masks_in_order(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Return masks of the levels of each attribute, and of all schemes with some attributes set.

        The first leave the bits of a level, and all of the other attributes; the others those of the
        attributes up to one, and of the highest levels of the rest.
        """
        masks, lattice = self.microdata.domain.paths.masks, self.search.lattice
        full = np.bitwise_or.reduce(masks[:, 0], axis=0)
        found = np.zeros((len(self.order), int(self.levels.max()), full.size), np.uint64)
        tops = np.zeros((len(self.order), full.size), np.uint64)
        for d, a in enumerate(self.order):
            for level in range(self.levels[d]):
                found[d, level] = full & ~masks[a, 0] | masks[a, lattice.low[a] + level]
        top = full
        for d in reversed(range(len(self.order))):
            tops[d] = top
            top = top & found[d, self.levels[d] - 1]
        return found, tops

    def run(self) -> None:
        """Screen all open schemes, and close every box."""
        search, opened = self.search, open_schemes(self.search)
        lowest = self.microdata.domain.paths.mask(search.lattice.low)
        root = Classes.of(self.microdata, self.names, self.offsets, lowest)
        for candidates in self.below(root, np.ones(root.sizes.size, np.bool_)):
            if candidates:
                search.evaluate_now(candidates)
            search.check_time()
        screened = set(map(tuple, self.schemes_of(np.argwhere(self.open)).tolist()))
        search.usage.evaluations += len(screened - search.evaluated.known)
        search.evaluated.mark(screened)
        while search.open:
            search.open.pop()
        search.pruned[Pruning.BOUND] += opened - len(screened)
        search.report()

    def schemes_of(self, digits: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the schemes whose first attributes, in order, have so many levels above the lowest."""
        schemes = np.tile(np.array(self.search.lattice.low), (len(digits), 1))
        schemes[:, self.order[: digits.shape[1]]] += digits
        return schemes

    def wanted(self) -> Booleans:
        """Mark the schemes of the open boxes whose bound is no higher than the best loss."""
        search, lattice = self.search, self.search.lattice
        wanted = np.zeros(np.array(lattice.high) - np.array(lattice.low) + 1, np.bool_)
        for box in map(search.evaluated.tighten, search.open.boxes):
            if box.bound > search.evaluated.cutoff:
                continue
            low, high = np.array(box.schemes.low), np.array(box.schemes.high)
            sums = np.zeros(high - low + 1)
            if box.bounding is not None:
                for a, terms in enumerate(box.bounding.terms):
                    shape = np.ones(low.size, np.int64)
                    shape[a] = -1
                    sums = sums + terms[low[a] : high[a] + 1].reshape(shape)
            first = low - np.array(lattice.low)
            region = tuple(map(slice, first, first + sums.shape))
            wanted[region] |= sums <= search.evaluated.cutoff
        for scheme in search.evaluated.known:
            wanted[tuple(map(operator.sub, scheme, lattice.low))] = False
        return wanted

    def below(self, classes: Classes, chosen: Booleans) -> Iterator[list[Scheme]]:
        """Yield what may be the best, for one batch of schemes after the other, from the chosen classes.

        Coarse schemes come first: they have few classes, and the best is often among them.
        """
        depth = classes.digits.shape[1]
        # beside its counts, a class has a few other numbers
        most = self.search.params.screened_cells // int((self.offsets[-1] + 4) * self.levels[depth])
        for batch in classes.batches(chosen, most):
            merged = self.raised(classes.part(batch), chosen[classes.range_of(batch)], depth)
            if not len(merged.digits):
                continue
            if depth == len(self.order) - 1:
                yield self.candidates(merged)
            else:
                yield from self.below(merged, self.hopeful(merged, depth))

    def raised(self, classes: Classes, chosen: Booleans, depth: int) -> Classes:
        """Merge classes into those of the next attribute's levels, as far as schemes are open."""
        of_node = self.open[tuple(classes.digits.T)]
        wanted = of_node.reshape(len(classes.digits), self.levels[depth], -1).any(axis=2)
        merged = raise_levels(*classes.arrays, chosen, self.masks[depth], wanted)
        at, level = np.nonzero(wanted)
        return Classes(np.column_stack([classes.digits[at], level]), *merged)

    def hopeful(self, classes: Classes, depth: int) -> Booleans:
        """Mark the classes that may be kept at a scheme with the attributes set so far.

        Those that agree at the highest levels of the others are parts of one class there, a group. As
        models say how many records of it are kept at any finer scheme, at most, they bound the losses of
        all these schemes; and where none is, none of the parts is kept.
        """
        if math.prod(self.levels[depth + 1 :].tolist()) < self.search.params.least_bounded:
            return np.ones(classes.sizes.size, np.bool_)
        *merged, group = group_classes(*classes.arrays, self.tops[depth])
        groups = Classes(classes.digits, *merged)
        large = np.flatnonzero(groups.sizes >= self.least)
        kept = np.zeros(groups.sizes.size, np.int64)
        kept[large] = most_kept(self.judged(groups, large), self.evaluator.models)
        self.close(classes, group, groups, kept)
        hopeful: Booleans = (kept > 0)[group]
        return hopeful

    def close(
        self, classes: Classes, group: NDArray[np.int32], groups: Classes, kept: NDArray[np.int64]
    ) -> None:
        """Close the schemes that lose more than the best, given how much of each group is kept at most.

        What is not in a group is suppressed. A record that is kept covers no less at a higher level, and
        one that is suppressed covers all: so the sums with the most records kept, and of those that need
        not be the ones that cover least, are no more than those of any scheme.
        """
        microdata, domain = self.microdata, self.microdata.domain
        set_so_far = self.order[: classes.digits.shape[1]]
        low = self.schemes_of(classes.digits)
        high = np.tile(np.array(self.search.lattice.high), (len(low), 1))
        high[:, set_so_far] = low[:, set_so_far]
        covered, records = sum_most_kept(
            *classes.without_rows, group, *groups.without_rows, kept, low, high,
            self.places, domain.covered, domain.by_cover, domain.offsets,
        )  # fmt: skip
        gone = microdata.records - records
        terms = self.evaluator.measure.terms_of_covered(microdata, covered, gone[:, np.newaxis])
        shape = self.open.shape[: len(set_so_far)]
        close_blocks(
            self.open.reshape(math.prod(shape), -1),
            np.ravel_multi_index(tuple(classes.digits.T), shape),
            gone <= self.evaluator.suppression_limit,
            terms[self.order],
            low[:, self.order],
            self.levels,
            len(shape),
            self.search.evaluated.cutoff + ROUNDING,
        )

    def candidates(self, classes: Classes) -> list[Scheme]:
        """Return the schemes that may be the best."""
        large = np.flatnonzero(classes.sizes >= self.least)
        judged = self.judged(classes, large)
        kept = np.zeros(classes.sizes.size, np.bool_)
        kept[large] = ~np.logical_or.reduce(violations_of(judged, self.evaluator.models))
        microdata = self.microdata
        schemes = self.schemes_of(classes.digits)
        covered, records = sum_kept(
            *classes.without_rows, kept, schemes, self.places, microdata.domain.covered
        )
        gone = microdata.records - records
        terms = self.evaluator.measure.terms_of_covered(microdata, covered, gone).sum(axis=0)
        left = terms <= self.search.evaluated.cutoff + ROUNDING
        left &= gone <= self.evaluator.suppression_limit
        return [tuple(scheme) for scheme in schemes[left].tolist()]

    def judged(self, classes: Classes, chosen: NDArray[np.int64]) -> EquivalenceClasses:
        """Return the chosen classes of all schemes together, as models judge them."""
        tuples, sizes = classes.tuples[chosen], classes.sizes[chosen]
        every = np.ones(sizes.size, np.bool_)
        counted = {}
        for name, (low, high) in zip(self.names, itertools.pairwise(self.offsets), strict=True):
            starts, values, counts = list_entries(classes.rows, chosen, low, high)
            counted[name] = ClassHistograms(starts, values, counts, sizes, every)
        people = self.microdata.number_of_people
        return EquivalenceClasses(
            (), tuples, tuples, sizes, sizes, people, self.microdata, counted=counted
        )
