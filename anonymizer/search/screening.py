"""Screening: the losses of many schemes at a time, where bounds decide too few of them.

A model of a distribution inside a class may let through more, or less, at a finer scheme, so that bounds
say little. But the classes of a scheme, with their histograms, are unions of those of any finer one. All
open schemes are gone through from fine to coarse, and the classes of many are judged in one go. What may
be the best is then evaluated as ever; the other schemes are proven to be worse.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.engine.classes import EquivalenceClasses
from anonymizer.engine.microdata import NO_RECORDS, Microdata
from anonymizer.engine.sensitive import ClassHistograms
from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.evaluation.suppression import violations_of
from anonymizer.kernels.merging import (
    label_masked,
    merge_box,
    merge_classes,
    split_histograms,
    sum_kept,
)
from anonymizer.kernels.partition import sum_covered
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
    """The classes of a scheme while they are merged; see kernels/merging.py."""

    words: NDArray[np.uint64]
    tuples: NDArray[np.int32]
    sizes: NDArray[np.int64]
    class_of: NDArray[np.int32]
    values: NDArray[np.int32]
    counts: NDArray[np.int32]

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """What kernels take."""
        return self.words, self.tuples, self.sizes, self.class_of, self.values, self.counts

    def part(self, chosen: Booleans) -> Classes:
        """Return some of the classes."""
        number = np.cumsum(chosen, dtype=np.int32) - 1
        entries = chosen[self.class_of]
        return Classes(
            np.ascontiguousarray(self.words[:, chosen]),
            self.tuples[chosen],
            self.sizes[chosen],
            number[self.class_of[entries]],
            self.values[entries],
            self.counts[entries],
        )

    @staticmethod
    def of(microdata: Microdata, names: list[str], offsets: NDArray[np.int64]) -> Classes:
        """Take every tuple as a class; the values of several columns are numbered one after the other."""
        columns = [microdata.sensitive[name] for name in names]
        return Classes(
            microdata.words.copy(),
            np.arange(microdata.distinct, dtype=np.int32),
            microdata.counts.astype(np.int64),
            np.concatenate([column.tuple_of_pair for column in columns]),
            np.concatenate(
                [c.value_of_pair + offset for c, offset in zip(columns, offsets, strict=False)]
            ).astype(np.int32),
            np.concatenate([column.records for column in columns]).astype(np.int32),
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
        sized = (m.least_class(people) for m in search.evaluator.models if m.by_class_size)
        self.least = max(sized, default=1)
        """Classes of fewer records are suppressed, and are not judged."""
        low, high = search.lattice.low, search.lattice.high
        # an attribute of many values halves the classes with each level: the sooner, the fewer
        self.order = sorted(
            range(len(low)), key=lambda a: -microdata.columns[a].group_counts[low[a]]
        )
        self.levels = np.array([high[a] - low[a] + 1 for a in self.order])
        self.masks, self.tops = self.masks_in_order()
        self.outer = self.first_inner()
        self.cells = np.zeros((microdata.distinct, int(self.offsets[-1])), np.int32)

    def first_inner(self) -> int:
        """Return from which attribute of the order on all schemes are merged in one go."""
        at, most = len(self.order), self.search.params.screened_together
        while at > 0 and math.prod(self.levels[at - 1 :].tolist()) <= most:
            at -= 1
        return min(at, len(self.order) - 1)

    def masks_in_order(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Return the masks that `merge_box` takes, for all attributes in order."""
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
        wanted = self.wanted()
        found = wanted.copy()
        root = Classes.of(self.microdata, self.names, self.offsets)
        for candidates in self.below(root, (), np.transpose(wanted, self.order)):
            if candidates:
                search.evaluate_now(candidates)
            search.check_time()
        low = search.lattice.low
        screened = {tuple(s) for s in (np.argwhere(found) + np.array(low)).tolist()}
        search.usage.evaluations += len(screened - search.evaluated.known)
        search.evaluated.mark(screened)
        while search.open:
            search.open.pop()
        search.pruned[Pruning.BOUND] += opened - len(screened)
        search.report()

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

    def below(
        self, classes: Classes, digits: tuple[int, ...], wanted: Booleans
    ) -> Iterator[list[Scheme]]:
        """Yield what may be the best, for one box of inner levels after the other."""
        depth = len(digits)
        if depth == self.outer:
            yield self.screen_box(classes, digits, wanted)
            return
        for level in range(int(self.levels[depth])):
            if wanted[level].any():
                merged = merge_classes(
                    *classes.arrays,
                    self.masks[depth, level],
                    self.tops[depth],
                    self.least,
                    self.cells,
                    level > 0,
                    False,
                )
                yield from self.below(Classes(*merged), (*digits, level), wanted[level])

    def screen_box(
        self, classes: Classes, digits: tuple[int, ...], wanted: Booleans
    ) -> list[Scheme]:
        """Return the schemes of a box that may be the best.

        Groups of classes that no scheme of the box joins are gone through in parts: what is found to be
        suppressed in the first ones is often enough.
        """
        inner = self.levels[self.outer :]
        schemes = self.schemes_of(digits)
        left = np.ascontiguousarray(wanted).ravel()
        attributes = len(self.order)
        covered, kept = np.zeros((attributes, left.size), np.int64), np.zeros(left.size, np.int64)
        parts = self.split(classes, digits)
        ahead = [self.all_kept(part, schemes) for part in parts]
        for at, part in enumerate(parts):
            more, records = self.keep(part, schemes, left, inner)
            covered += more
            kept += records
            rest = ahead[at + 1 :]
            terms, gone = self.terms_of(
                covered + sum(each for each, _ in rest), kept + sum(n for _, n in rest)
            )
            left = left & (terms <= self.search.evaluated.cutoff + ROUNDING)
            left &= gone <= self.evaluator.suppression_limit
            if not left.any():
                break
        return [tuple(scheme) for scheme in schemes[left].tolist()]

    def schemes_of(self, digits: tuple[int, ...]) -> NDArray[np.int64]:
        """List the schemes of a box, in the order in which `merge_box` counts."""
        inner = np.indices(self.levels[self.outer :].tolist()).reshape(
            len(self.order) - self.outer, -1
        )
        schemes = np.empty((inner.shape[1], len(self.order)), np.int64)
        low = self.search.lattice.low
        for d, a in enumerate(self.order):
            schemes[:, a] = low[a] + (digits[d] if d < self.outer else inner[d - self.outer])
        return schemes

    def split(self, classes: Classes, digits: tuple[int, ...]) -> list[Classes]:
        """Split classes into parts that no scheme of a box joins, those in small groups first."""
        top = (
            self.tops[self.outer - 1]
            if digits
            else self.tops[0] & self.masks[0, self.levels[0] - 1]
        )
        labels, first = label_masked(classes.words, top)
        sizes = np.bincount(labels, classes.sizes, first.size)
        order = np.argsort(sizes, kind="stable")
        parts = self.search.params.screening_parts
        part_of_group = np.empty(first.size, np.int64)
        before = np.cumsum(sizes[order]) - sizes[order] / 2
        part_of_group[order] = np.minimum(before * parts // max(1, sizes.sum()), parts - 1)
        part_of_class = part_of_group[labels]
        chosen = [part_of_class == part for part in range(parts)]
        return [classes.part(each) for each in chosen if each.any()]

    def all_kept(self, part: Classes, schemes: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
        """Return what classes cover at each scheme if none is suppressed, and their records."""
        domain = self.microdata.domain
        counts = np.zeros(self.microdata.distinct, np.int32)
        counts[part.tuples] = part.sizes
        sums = sum_covered(
            part.tuples, self.microdata.codes, counts, domain.covered, domain.by_cover, domain.offsets,
            schemes.min(axis=0), schemes.max(axis=0), 0, False, NO_RECORDS,
        )[0]  # fmt: skip
        return sums[np.arange(len(self.order))[:, np.newaxis], schemes.T], int(part.sizes.sum())

    def keep(
        self, part: Classes, schemes: NDArray[np.int64], wanted: Booleans, inner: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return what the classes cover that pass, and their records, for each scheme that is wanted."""
        ends, tuples, sizes, *entries = merge_box(
            *part.arrays, self.masks[self.outer :], self.tops[self.outer :], inner, wanted, self.least,
            int(self.offsets[-1]),
        )  # fmt: skip
        judged = self.judged(tuples, sizes, entries)
        violations = violations_of(judged, self.evaluator.models)
        kept = ~np.logical_or.reduce(violations)
        microdata, domain = self.microdata, self.microdata.domain
        found: tuple[NDArray[np.int64], NDArray[np.int64]] = sum_kept(
            ends, tuples, sizes, kept, schemes, microdata.codes, domain.covered, domain.offsets
        )
        return found

    def judged(
        self, tuples: NDArray[np.int32], sizes: NDArray[np.int64], entries: list[NDArray[Any]]
    ) -> EquivalenceClasses:
        """Return the classes of all schemes together, as models judge them."""
        every = np.ones(sizes.size, np.bool_)
        counted = {}
        for at, name in enumerate(self.names):
            own = entries
            if len(self.names) > 1:
                own = list(split_histograms(*entries, self.offsets[at], self.offsets[at + 1]))
            counted[name] = ClassHistograms(own[0], own[1], own[2], sizes, every)
        people = self.microdata.number_of_people
        return EquivalenceClasses(
            (), tuples, tuples, sizes, sizes, people, self.microdata, counted=counted
        )

    def terms_of(
        self, covered: NDArray[np.int64], kept: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the sums of terms of schemes that keep so much, and how many records each suppresses."""
        gone = self.microdata.records - kept
        return self.evaluator.measure.terms_of_covered(self.microdata, covered, gone), gone
