from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.kernels.class_splitting import CellNumbers, relabel, subtract_dropped
from anonymizer.search import SearchParams
from anonymizer.search.subtree_bounds import SubtreeBounds
from tests.oracle import Problem
from tests.strategies import evaluator_of, problems


@given(problems(), st.data())
def test_what_dropped_tuples_cover_is_subtracted_at_all_levels_of_a_box(
    problem: Problem, data: st.DataObject
) -> None:
    evaluator = evaluator_of(problem)
    prepared = SubtreeBounds.prepare([evaluator], SearchParams())
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
            column = evaluator.microdata.columns[a]
            codes = evaluator.microdata.codes[a][dropped]
            of_leaf = column.covered[level] if level <= top else np.zeros(column.leaves.size, int)
            gone = int((task.counts[dropped] * of_leaf[codes]).sum())
            inside = low[a] <= level <= top
            assert covered[a, level] == task.total_covered[a, level] - (gone if inside else 0)


@given(problems(), st.integers(1, 4), st.integers(0, 3), st.integers(0, 200), st.data())
def test_classes_are_the_cells_that_are_large_enough_and_the_others_are_dropped(
    problem: Problem, least_class: int, suppressed: int, spare: int, data: st.DataObject
) -> None:
    prepared = SubtreeBounds.prepare([evaluator_of(problem)], SearchParams())
    assert prepared is not None
    workspace = prepared.workspace
    number = suppressed + 3 + spare
    keys = [data.draw(st.integers(0, suppressed + 2)) for _ in range(workspace.keys.size)]
    workspace.keys[:] = keys
    workspace.cells[:number] = np.bincount(keys, minlength=number)
    labels = np.empty_like(workspace.keys)
    n_labels, n_dropped = relabel(workspace, CellNumbers(suppressed, number), least_class, labels)

    large = {key for key in keys if key >= suppressed and keys.count(key) >= least_class}
    small = [i for i, key in enumerate(keys) if key >= suppressed and key not in large]
    assert workspace.dropped[:n_dropped].tolist() == small
    assert [label > 0 for label in labels.tolist()] == [key in large for key in keys]
    pairs = {(key, label) for key, label in zip(keys, labels.tolist(), strict=True) if label}
    assert sorted(label for _, label in pairs) == list(range(1, n_labels))
    assert len(pairs) == len(large)
