from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.kernels.class_splitting import subtract_dropped
from anonymizer.search import SearchParams
from anonymizer.search.subtree_bounds import SubtreeBounds
from tests.oracle import Problem
from tests.strategies import evaluator_of, problems


@given(problems(), st.data())
def test_what_dropped_tuples_cover_is_subtracted_at_all_levels_of_a_box(
    problem: Problem, data: st.DataObject
) -> None:
    prepared = SubtreeBounds.prepare([evaluator_of(problem)], SearchParams())
    assert prepared is not None
    task, workspace = prepared.task, prepared.workspace
    # with more dropped tuples than values of an attribute, and with fewer
    dropped = data.draw(st.lists(st.sampled_from(range(task.counts.size)), unique=True))
    workspace.dropped[: len(dropped)] = dropped
    high = task.heights - 1
    low = np.array([data.draw(st.integers(0, int(top))) for top in high])
    covered = task.total_covered.copy()
    lost = subtract_dropped(task, workspace, len(dropped), low, high, covered)

    assert lost == sum(int(task.counts[i]) for i in dropped)
    for a, top in enumerate(high):
        for level in range(task.total_covered.shape[1]):
            places = [task.offsets[a] + task.values[i, a] for i in dropped]
            gone = sum(
                int(task.counts[i] * task.covered[level, place])
                for i, place in zip(dropped, places, strict=True)
            )
            inside = low[a] <= level <= top
            assert covered[a, level] == task.total_covered[a, level] - (gone if inside else 0)
