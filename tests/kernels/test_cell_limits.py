"""Cells under limits against a slow and obvious fixpoint."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer.evaluation.evaluate import Evaluator
from anonymizer.kernels.cell_limits import begin_root, commit_limited, split_limited
from anonymizer.lattice import Scheme
from anonymizer.search import SearchParams
from anonymizer.search.cell_limits import cell_limits_of
from anonymizer.search.subtree_bounds import SubtreeBounds, limits_of
from tests.search.test_cell_limits import limited


def kept_at(evaluator: Evaluator, scheme: Scheme) -> set[int]:
    """The greatest set of tuples whose cells all have enough people, one limit after the other."""
    microdata = evaluator.microdata
    limits = cell_limits_of(evaluator, limits_of(evaluator))

    def cell(limit, codes) -> tuple[int, ...]:
        return tuple(
            int(microdata.columns[at].groups[max(scheme[at], finest)][codes[at]])
            for at, finest in limit.levels.items()
        )

    def has_enough(limit, i: int, kept: set[int]) -> bool:
        mine = cell(limit, microdata.codes[:, i])
        if limit.of_population:
            others = zip(microdata.population.codes.T, microdata.population.counts, strict=True)
        else:
            others = ((microdata.codes[:, j], microdata.counts[j]) for j in kept)
        return sum(int(n) for codes, n in others if cell(limit, codes) == mine) >= limit.least[i]

    kept = set(range(microdata.distinct))
    while True:
        left = {i for i in kept if all(has_enough(limit, i, kept) for limit in limits)}
        if left == kept:
            return kept
        kept = left


@settings(max_examples=150)
@given(limited(), st.sampled_from([1, 1 << 20]), st.data())
def test_the_greatest_set_with_enough_people_is_kept_at_every_node(case, cells: int, data) -> None:
    """Down a path of schemes, each a node; some are split in two steps before they are committed."""
    _, evaluator = case
    prepared = SubtreeBounds.prepare([evaluator], SearchParams(max_subtree_cells=cells))
    if prepared is None or not prepared.task.limits.least.shape[0]:
        return
    task, workspace = prepared.task, prepared.workspace
    arrays, tuples = workspace.limits, evaluator.microdata.distinct
    begin_root(task, arrays)
    above, depth = task.heights.copy(), 0
    for to in range(1, 5):
        aim = np.array([data.draw(st.integers(0, int(top) - (depth == 0))) for top in above])
        for step in range(data.draw(st.integers(1, 3))):
            high = aim.copy()
            split_limited(task, workspace, depth, above, high, step == 0)
            above = high
        commit_limited(task, workspace, depth, to)
        depth = to
        if (above < task.heights).all():  # above the top, all are in one group
            expected = kept_at(evaluator, tuple(above.tolist()))
            for labels in arrays.labels[to]:
                assert set(np.flatnonzero(labels[:tuples]).tolist()) == expected
            gone = set(range(tuples)) - expected
            assert workspace.lost[0] <= sum(int(task.counts[i]) for i in gone)
            for limit, one in itertools.product(range(arrays.number.size), sorted(expected)):
                label = arrays.labels[to, limit, one]
                same = np.flatnonzero(arrays.labels[to, limit] == label)
                assert arrays.sizes[to, limit, label] == task.limits.people[limit, same].sum()
