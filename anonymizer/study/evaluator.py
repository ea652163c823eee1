"""StudyEvaluator: what a scheme of a study costs, in people and in the values of all its tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.errors import PolicyError
from anonymizer.evaluation.evaluate import Evaluation
from anonymizer.kernels.multisets import count_gone
from anonymizer.lattice import Lattice, Scheme
from anonymizer.risk.study import StudyAnonymity
from anonymizer.study.events import SingleEvents, check_flat
from anonymizer.study.study import PEOPLE, Mask, Rows, Study, StudyTable
from anonymizer.study.supports import Supports
from anonymizer.utility.loss import GoneCover, loss_without
from anonymizer.utility.measure import AttributeMeasure, Measure, sum_left_to_right

Lost = NDArray[np.int64]
"""For each person, how many events go of each table that may be known, and in all."""
MET = 1e-9
"""A loss and a bound so close are equal: integer programs are solved to about as much."""


@dataclass(frozen=True, eq=False)
class StudyEvaluator:
    """Everything needed to evaluate a scheme of a study; suppressed records are people here.

    Whoever goes at a scheme goes at every finer one, with all rows. So the loss of what is gone bounds
    that of finer schemes, as for any model of single people.

    Whole people go, or single events too. Where several events of a person are known, the release with
    the least loss is between the one that is found and a bound: that of the evaluation.
    """

    study: Study
    model: StudyAnonymity
    measure: Measure
    suppression_limit: int
    """The largest number of people that may be dropped."""
    best: dict[Scheme, tuple[float, Rows]] = field(default_factory=dict, init=False, repr=False)
    """The best scheme so far whose events were searched for, so that they need not be again."""

    def __post_init__(self) -> None:
        if self.measure.cover is None:
            raise PolicyError(
                f"policy: the measure '{self.measure.name}' is not one for linked tables; use 'loss' "
                "with a mean of the attributes and the factor 0.5."
            )
        if len(self.cover.weights) != len(self.study.attributes):
            raise ValueError("one weight for each quasi-identifier of each table")
        if self.model.suppress == "events":
            check_flat(self.study)

    @property
    def cover(self) -> AttributeMeasure:
        """The measure, as losses of attributes and what these add to a sum of terms."""
        assert self.measure.cover is not None
        return self.measure.cover

    @property
    def models(self) -> Sequence[StudyAnonymity]:
        """The one model."""
        return (self.model,)

    @property
    def microdata(self) -> None:
        """No single table: what works on the tuples of one does without studies."""
        return

    @property
    def groups(self) -> tuple[()]:
        """None that must be kept."""
        return ()

    @property
    def suppressible(self) -> int:
        """How many people there are."""
        return self.study.people

    @property
    def people(self) -> int:
        """How many people there are."""
        return self.study.people

    @property
    def basis(self) -> list[Any]:
        """All that decides what is found."""
        tables = [
            [table.name, table.microdata, table.parent, table.parent_row]
            for table in self.study.tables
        ]
        return [self.model, self.measure, self.suppression_limit, tables]

    @cached_property
    def supports(self) -> Supports:
        """The study with what the model says that somebody knows."""
        return Supports(self.study, self.model)

    def greatest(self, scheme: Scheme) -> Rows:
        """Return the rows that no release of a scheme goes beyond: all that are kept, or for power 1."""
        if self.model.suppress == "people":
            return self.kept(scheme)
        events = SingleEvents.greatest(self.supports, scheme)
        return events.rows(events.chosen)

    def kept(self, scheme: Scheme) -> Rows:
        """Return which rows of each table are kept at a scheme, those of the people first."""
        if self.model.suppress == "events":
            if known := self.best.get(scheme):
                return known[1]
            events = SingleEvents.greatest(self.supports, scheme)
            if events.exact:
                return events.rows(events.chosen)
            rows, _ = self.settle(events, math.inf)
            assert rows is not None
            return rows
        return self.study.rows_of(self.supports.kept(scheme))

    def evaluate(self, scheme: Scheme, cutoff: float = math.inf) -> Evaluation:
        """Drop who or what must go, and sum up what is lost.

        Where what is lost with those who go for a smaller power already costs more than the cutoff, a sum
        of terms, the rest is not looked for.
        """
        if self.model.suppress == "events":
            return self.evaluate_events(SingleEvents.greatest(self.supports, scheme), cutoff)
        for kept, last in self.supports.narrow(scheme):
            if last or cutoff < math.inf:
                found = self.score(scheme, self.study.rows_of(kept), complete=last)
                if last or sum_at(found.terms, scheme) > cutoff:
                    return found
        raise AssertionError("the last step says that it is the last")

    def evaluate_events(self, events: SingleEvents, cutoff: float) -> Evaluation:
        """Drop single events: bound what is lost by what goes from any release, and find one."""
        scheme = events.scheme
        greatest = events.rows(events.chosen)
        found = self.score(scheme, greatest)
        if events.exact or found.finer_infeasible:
            return found
        if sum_at(found.terms, scheme) <= cutoff:
            found = self.score(scheme, greatest, lost=events.lost)
        if found.finer_infeasible or sum_at(found.terms, scheme) > cutoff:
            return found if found.finer_infeasible else replace(found, complete=False)
        rows, least = self.settle(events, cutoff)
        bound = max(found.loss, self.measure.aggregate.of_terms(least))
        if rows is None:
            return replace(found, loss=bound, complete=False)
        made = self.score(scheme, rows)
        if made.feasible and all(made.loss < loss for loss, _ in list(self.best.values())):
            self.best.clear()
            self.best[scheme] = made.loss, rows
        proven = made.feasible and made.loss - bound <= MET
        return replace(
            found,
            loss=made.loss,
            feasible=made.feasible,
            bound=None if proven else min(bound, made.loss),
        )

    def settle(self, events: SingleEvents, cutoff: float) -> tuple[Rows | None, float]:
        """Find a release that loses little, and a sum of terms below that of any.

        The terms are concave in the losses: they are above a line between the least losses and those
        where the terms reach what is found. Along it an event has a cost, and a release costs the sum of
        its events. No release is found where any has a sum above the cutoff.
        """
        at = range(len(events.scheme)), events.scheme
        greatest = events.rows(events.chosen)
        base = self.losses(events.scheme, greatest)[at]
        low = self.losses(events.scheme, greatest, events.lost)[at]
        shares = self.shares(events)
        found = self.terms_of(events, events.found)
        line = Chord.below(self.cover, low, found.sum())
        costs = line.slopes @ shares
        kept, least = events.cheapest(costs, cutoff - line.at(base))
        if kept is None:
            return None, np.nextafter(max(line.at(base) + least, cutoff), math.inf)
        made = self.terms_of(events, kept)
        if made.sum() > found.sum():
            kept, made = events.found, found
        there = events.chosen & (costs > 0)
        if not there.any():
            return events.rows(kept), line.at(base)
        # the same costs bound each loss, and so give a shorter line
        ratios = (shares[:, there] / costs[there]).min(axis=1)
        closer = Chord.below(self.cover, np.maximum(low, base + ratios * least), made.sum())
        ratio = float(((closer.slopes @ shares[:, there]) / costs[there]).min())
        return events.rows(kept), max(line.at(base) + least, closer.at(base) + ratio * least)

    def terms_of(self, events: SingleEvents, kept: Mask) -> NDArray[np.float64]:
        """Return the terms at a scheme, with some of the events that may be known."""
        losses = self.losses(events.scheme, events.rows(kept))
        return self.cover.terms(losses[range(len(events.scheme)), events.scheme])

    def shares(self, events: SingleEvents) -> NDArray[np.float64]:
        """Return what the loss of each event that may be known adds to the loss of each attribute."""
        study, known = self.study, self.supports.known
        shares = []
        for place, levels in enumerate(study.split(events.scheme)):
            microdata = study.tables[place].microdata
            for attribute, level in enumerate(levels):
                domain = microdata.domain
                code = domain.offsets[attribute] + microdata.codes[attribute].astype(np.int64)
                size, least = domain.sizes[attribute], domain.least[attribute]
                lost = (size - domain.covered[level, code]) / (
                    microdata.records * max(1, size - least)
                )
                of_rows = [
                    lost[microdata.tuple_of_row]
                    if other == place
                    else np.zeros(study.tables[other].rows)
                    for other in known
                ]
                shares.append(self.supports.events.arrange(of_rows))
        return np.array(shares)

    def score(
        self, scheme: Scheme, rows: Rows, complete: bool = True, lost: Lost | None = None
    ) -> Evaluation:
        """Weigh what is lost of the rows kept and the others, and bound it at finer schemes.

        `lost` says how many more events of each person go, at least, of each table that may be known.
        """
        gone = count_false(rows[PEOPLE])
        terms = self.cover.terms(self.losses(scheme, rows, lost))
        beyond = gone > self.suppression_limit or self.beyond_event_limit(rows, lost)
        loss = self.measure.aggregate.of_terms(sum_at(terms, scheme))
        return Evaluation(scheme, gone, loss, not beyond, gone, beyond, terms, complete=complete)

    def beyond_event_limit(self, rows: Rows, lost: Lost | None) -> bool:
        """Whether more rows of a table of events are gone than may be."""
        gone = np.array([count_false(mask) for mask in rows])
        if lost is not None:
            gone[list(self.supports.known)] += lost[:, :-1].sum(axis=0)
        # a product such as 0.29 * 100 may fall just short of the whole number that is meant
        most = [self.model.event_limit * mask.size + 1e-9 for mask in rows]
        return bool((gone[1:] > most[1:]).any())

    def attribute_losses(self, scheme: Scheme, rows: Rows) -> tuple[float, ...]:
        """Return the loss of each attribute at a scheme, before weights."""
        losses = self.losses(scheme, rows)
        return tuple(losses[range(len(scheme)), scheme].tolist())

    def losses(self, scheme: Scheme, rows: Rows, lost: Lost | None = None) -> NDArray[np.float64]:
        """Return the loss of each attribute at every level up to the scheme's, with some rows gone."""
        study = self.study
        losses = np.zeros((len(scheme), max(study.lattice.high, default=0) + 1))
        at = 0
        for place, (table, kept, levels) in enumerate(
            zip(study.tables, rows, study.split(scheme), strict=True)
        ):
            if not levels:
                continue
            microdata = table.microdata
            gone: NDArray[np.int32] = count_gone(microdata.tuple_of_row, kept, microdata.distinct)
            chosen = np.flatnonzero(gone).astype(np.int32)
            below = Lattice((0,) * len(levels), levels)
            covered, _ = table.with_counts(gone).sum_covered(chosen, below)
            number = int(gone.sum(dtype=np.int64))
            if lost is not None and place in self.supports.known:
                of_person = lost[:, self.supports.known.index(place)]
                covered += most_covered(table, study.person_of_row[place], kept, of_person, levels)
                number += int(of_person.sum())
            found = loss_without(microdata, GoneCover(number, covered, covered))
            losses[at : at + len(levels), : found.shape[1]] = found
            at += len(levels)
        return losses


@dataclass(frozen=True, eq=False)
class Chord:
    """A sum of linear functions of the losses that is nowhere above the sum of terms.

    It is so for all losses from `low` on whose terms sum up to no more than a given sum.
    """

    low: NDArray[np.float64]
    start: float
    """The sum of terms at these."""
    slopes: NDArray[np.float64]

    @staticmethod
    def below(cover: AttributeMeasure, low: NDArray[np.float64], total: float) -> Chord:
        """Return the line between the terms at the least losses and those that one may reach."""
        terms = cover.terms(low)
        room = max(0.0, total - float(terms.sum())) + 1e-9
        high, past = low.copy(), np.ones(low.size)
        for _ in range(50):
            middle = (high + past) / 2
            within = cover.terms(middle) - terms <= room
            high, past = np.where(within, middle, high), np.where(within, past, middle)
        past = np.maximum(past, low + 1e-9)  # a term at 1 may be within
        return Chord(low, float(terms.sum()), (cover.terms(past) - terms) / (past - low))

    def at(self, losses: NDArray[np.float64]) -> float:
        """Return the sum at some losses, also below the least."""
        return self.start + float(self.slopes @ (losses - self.low))


def most_covered(
    table: StudyTable,
    person: NDArray[np.int32],
    kept: Mask,
    lost: NDArray[np.int64],
    levels: Scheme,
) -> NDArray[np.int64]:
    """Sum what some rows cover where each person loses so many of those kept, and those that cover most.

    They cost least. One sum for each attribute and level.
    """
    microdata = table.microdata
    covered = np.zeros_like(microdata.total_covered)
    rows = np.flatnonzero(kept & (lost[person] > 0))
    whose, tuples = person[rows], microdata.tuple_of_row[rows]
    order = np.argsort(whose, kind="stable")
    whose, tuples = whose[order], tuples[order]
    first = np.flatnonzero(np.diff(whose, prepend=-1))
    counts = np.diff(np.append(first, whose.size))
    place = np.arange(whose.size) - np.repeat(first, counts)
    cheapest = place < lost[whose]
    offsets, leaves = microdata.domain.offsets, microdata.domain.covered
    for attribute, top in enumerate(levels):
        code = offsets[attribute] + microdata.codes[attribute, tuples].astype(np.int64)
        for level in range(top + 1):
            cover = leaves[level, code]
            covered[attribute, level] = cover[np.lexsort((-cover, whose))][cheapest].sum()
    return covered


def count_false(mask: Mask) -> int:
    """Count what is not kept."""
    return mask.size - int(np.count_nonzero(mask))


def sum_at(terms: NDArray[np.float64], scheme: Scheme) -> float:
    """Add up the terms at the levels of a scheme."""
    return sum_left_to_right(terms[range(len(scheme)), scheme])
