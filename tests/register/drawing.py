"""Random people over a few releases, and the best next one by trying every subset of them."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st

from anonymizer.data.pandas import FrameTable
from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.register.evaluator import RegisterEvaluator
from anonymizer.register.past import Past
from anonymizer.register.promise import ABSENT, Classes, exposed, with_release
from anonymizer.table.microdata import encode
from tests import oracle
from tests.strategies import evaluator_of, frame_of, hierarchies_of, problems


@dataclass(frozen=True)
class Case:
    """A table, and what was released before."""

    problem: oracle.Problem
    classes: Classes
    """The class in each earlier release of everybody in the table, and then of those who left."""

    def evaluator(self) -> RegisterEvaluator:
        """Make what evaluates schemes."""
        plain = one_by_one(self.problem)
        return RegisterEvaluator(plain, Past.of(self.classes, row_of_tuple(plain)))

    def feasible(self, levels: oracle.Levels, kept: frozenset[int]) -> bool:
        """Whether a release of some rows exposes nobody but whoever was so before and is not in it."""
        problem, people = self.problem, len(self.classes)
        members = oracle.classes(problem.rows, problem.trees, levels).values()
        labels = {row: number for number, rows in enumerate(members) for row in rows}
        scheme = np.array([labels.get(person, ABSENT) for person in range(people)])
        there = np.array([person in kept for person in range(people)])
        lost = exposed(self.classes, problem.k) & ~there
        return not (exposed(with_release(self.classes, scheme, there), problem.k) & ~lost).any()

    def best(self, levels: oracle.Levels) -> tuple[float, int] | None:
        """Try every subset within the limit: the least loss and its suppressed rows; None for none."""
        rows = frozenset(range(len(self.problem.rows)))
        return min(
            (
                (oracle.loss(self.problem, levels, frozenset(gone)), size)
                for size in range(min(len(rows), self.problem.suppression_limit) + 1)
                for gone in itertools.combinations(rows, size)
                if self.feasible(levels, rows - set(gone))
            ),
            default=None,
        )


def one_by_one(problem: oracle.Problem) -> Evaluator:
    """Make an evaluator whose tuples are the rows, one person each."""
    frame = frame_of(problem.rows, problem.trees)
    frame["id"] = [f"{row:03}" for row in range(len(problem.rows))]
    table = encode(FrameTable(frame), hierarchies_of(problem.trees), beside=["id"])
    return replace(evaluator_of(problem), microdata=table)


def row_of_tuple(evaluator: Evaluator) -> np.ndarray:
    """Return the row of each tuple, where each row has its own."""
    return np.argsort(evaluator.microdata.tuple_of_row)


@st.composite
def cases(draw: st.DrawFn, max_rows: int = 8, max_releases: int = 2) -> Case:
    """Draw a table, and histories of its people and of some who left."""
    problem = draw(problems(max_attributes=2, max_rows=max_rows, ranges=False))
    rows = len(problem.rows)
    limit = draw(st.one_of(st.just(rows), st.integers(0, rows)))
    problem = replace(problem, k=draw(st.integers(1, 3)), suppression_limit=limit)
    shape = (rows + draw(st.integers(0, 4)), draw(st.integers(0, max_releases)))
    cells = st.lists(
        st.sampled_from([ABSENT, 0, 0, 1]),
        min_size=shape[0] * shape[1],
        max_size=shape[0] * shape[1],
    )
    return Case(problem, np.array(draw(cells), np.int64).reshape(shape))
