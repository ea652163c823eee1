"""StudyEvaluator: what a scheme of a study costs, in people and in the values of all its tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonymizer.errors import PolicyError
from anonymizer.evaluation.evaluate import Evaluation
from anonymizer.kernels.multisets import count_gone
from anonymizer.lattice import Lattice, Scheme
from anonymizer.risk.study import StudyAnonymity
from anonymizer.study.study import Study
from anonymizer.study.supports import Mask, Supports
from anonymizer.utility.loss import GoneCover, loss_without
from anonymizer.utility.measure import AttributeMeasure, Measure, sum_left_to_right


@dataclass(frozen=True, eq=False)
class StudyEvaluator:
    """Everything needed to evaluate a scheme of a study; suppressed records are people here.

    Whoever goes at a scheme goes at every finer one, with all rows. So the loss of what is gone bounds
    that of finer schemes, as for any model of single people.

    Whole people go. To drop single events, `Supports.narrow` would yield a mask of events beside that of
    people, and `losses` count the rows of both; nothing else asks who or what is gone.
    """

    study: Study
    model: StudyAnonymity
    measure: Measure
    suppression_limit: int
    """The largest number of people that may be dropped."""

    def __post_init__(self) -> None:
        if self.measure.cover is None:
            raise PolicyError(
                f"policy: the measure '{self.measure.name}' is not one for linked tables; use 'loss' "
                "with a mean of the attributes and the factor 0.5."
            )
        if len(self.cover.weights) != len(self.study.attributes):
            raise ValueError("one weight for each quasi-identifier of each table")

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

    def kept(self, scheme: Scheme) -> Mask:
        """Return who is kept at a scheme."""
        return self.supports.kept(scheme)

    def evaluate(self, scheme: Scheme, cutoff: float = math.inf) -> Evaluation:
        """Drop whoever must go, and sum up what is lost.

        Where what is lost with those who go for a smaller power already costs more than the cutoff, a sum
        of terms, the rest is not looked for.
        """
        for kept, last in self.supports.narrow(scheme):
            if last or cutoff < math.inf:
                found = self.score(scheme, kept, last)
                if last or sum_at(found.terms, scheme) > cutoff:
                    return found
        raise AssertionError("the last step says that it is the last")

    def score(self, scheme: Scheme, kept: Mask, complete: bool = True) -> Evaluation:
        """Weigh what is lost of the people kept and the others, and bound it at finer schemes."""
        gone = self.study.people - int(np.count_nonzero(kept))
        terms = self.cover.terms(self.losses(scheme, kept))
        beyond = gone > self.suppression_limit
        loss = self.measure.aggregate.of_terms(sum_at(terms, scheme))
        return Evaluation(scheme, gone, loss, not beyond, gone, beyond, terms, complete=complete)

    def attribute_losses(self, scheme: Scheme, kept: Mask) -> tuple[float, ...]:
        """Return the loss of each attribute at a scheme, before weights."""
        losses = self.losses(scheme, kept)
        return tuple(losses[range(len(scheme)), scheme].tolist())

    def losses(self, scheme: Scheme, kept: Mask) -> NDArray[np.float64]:
        """Return the loss of each attribute at every level up to the scheme's, with some people gone."""
        study = self.study
        losses = np.zeros((len(scheme), max(study.lattice.high, default=0) + 1))
        at = 0
        for table, person, levels in zip(
            study.tables, study.person_of_row, study.split(scheme), strict=True
        ):
            if not levels:
                continue
            microdata = table.microdata
            gone: NDArray[np.int32] = count_gone(
                person, microdata.tuple_of_row, kept, microdata.distinct
            )
            chosen = np.flatnonzero(gone).astype(np.int32)
            below = Lattice((0,) * len(levels), levels)
            covered, _ = table.with_counts(gone).sum_covered(chosen, below)
            rows = int(gone.sum(dtype=np.int64))
            found = loss_without(microdata, GoneCover(rows, covered, covered))
            losses[at : at + len(levels), : found.shape[1]] = found
            at += len(levels)
        return losses


def sum_at(terms: NDArray[np.float64], scheme: Scheme) -> float:
    """Add up the terms at the levels of a scheme."""
    return sum_left_to_right(terms[range(len(scheme)), scheme])
