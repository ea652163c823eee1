from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.kernels.known_losses import (
    MAX_KNOWN,
    add_known,
    coarsest_to_close,
    make_known,
    most_lost,
)
from anonymizer.kernels.subtree_nodes import make_nodes
from anonymizer.search import SearchParams
from anonymizer.search.subtree_bounds import SubtreeBounds
from tests.oracle import Problem
from tests.strategies import evaluator_of, problems

SCHEMES = st.tuples(*[st.integers(0, 3)] * 3)


@given(st.lists(st.tuples(SCHEMES, st.integers(0, 50)), max_size=20), SCHEMES, st.integers(0, 50))
def test_a_scheme_loses_what_is_lost_at_any_coarser_one(
    partitions: list[tuple[tuple[int, ...], int]], scheme: tuple[int, ...], before: int
) -> None:
    known = make_known(3)
    for each, lost in partitions:
        add_known(known, np.array(each), lost)
    coarser = [
        lost
        for each, lost in partitions
        if all(one >= other for one, other in zip(each, scheme, strict=True))
    ]
    assert most_lost(known, np.array(scheme), before) == max([before, *coarser])


def test_the_oldest_partitions_make_room_for_new_ones() -> None:
    known = make_known(1)
    for lost in range(MAX_KNOWN + 2, 0, -1):
        add_known(known, np.array([1]), lost)
    assert most_lost(known, np.array([0]), 0) == MAX_KNOWN


@given(problems(), st.floats(0, 1.2), st.data())
def test_the_scheme_that_may_close_a_node_lies_between_its_classes_and_its_highest_scheme(
    problem: Problem, share: float, data: st.DataObject
) -> None:
    prepared = SubtreeBounds.prepare([evaluator_of(problem)], SearchParams())
    assert prepared is not None
    task = prepared.task
    nodes = make_nodes(task.heights.size, task.total_covered.shape[1], 1)
    nodes.covered[0], nodes.suppressed[0] = task.total_covered, 0
    nodes.at[0] = task.heights - 1
    nodes.high[0] = [data.draw(st.integers(0, int(top))) for top in nodes.at[0]]
    nodes.low[0] = [data.draw(st.integers(0, int(top))) for top in nodes.high[0]]
    steps = np.tile(-np.arange(float(task.heights.max())), (task.heights.size, 1))
    scheme = nodes.high[0].copy()
    coarsest_to_close(task, nodes, 0, steps, share * task.max_terms, scheme)
    assert (nodes.high[0] <= scheme).all()
    assert (scheme <= nodes.at[0]).all()


@pytest.mark.parametrize(("target", "expected"), [(0.0, [2, 2]), (1.0, [0, 0])])
def test_levels_are_lowered_no_further_than_it_takes(target: float, expected: list[int]) -> None:
    tree = {str(leaf): (str(leaf), f"half {leaf // 2}", "*") for leaf in range(4)}
    rows = tuple((str(i % 4), str(i // 4 % 4)) for i in range(32))
    prepared = SubtreeBounds.prepare(
        [evaluator_of(Problem(rows, (tree, tree), k=3))], SearchParams()
    )
    assert prepared is not None
    task = prepared.task
    nodes = make_nodes(2, task.total_covered.shape[1], 1)
    nodes.covered[0], nodes.suppressed[0] = task.total_covered, 0
    nodes.at[0], nodes.high[0], nodes.low[0] = [2, 2], [0, 0], [0, 0]
    scheme = nodes.high[0].copy()
    coarsest_to_close(task, nodes, 0, np.tile([0.0, -0.1, -0.2], (2, 1)), target, scheme)
    assert scheme.tolist() == expected
