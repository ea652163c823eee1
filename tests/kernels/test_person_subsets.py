"""Runs of tuples: numbered alike with a table of all pairs and without."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.kernels.person_subsets import MANY, NONE, join_owner, refine, refine_sparse


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9)), min_size=1, max_size=40))
def test_pairs_are_numbered_one_to_one(pairs: list[tuple[int, int]]) -> None:
    labels, column = (np.array(part, np.int32) for part in zip(*pairs, strict=True))
    for numbers, count in (refine(labels, 6, column, 10), refine_sparse(labels, column, 10)):
        assert count == len(set(pairs))
        assert set(numbers.tolist()) == set(range(count))
        assert len(set(zip(pairs, numbers.tolist(), strict=True))) == count


def test_a_run_is_one_person_s_only_if_all_its_tuples_are() -> None:
    assert join_owner(NONE, 3) == join_owner(3, NONE) == join_owner(3, 3) == 3
    assert join_owner(3, 4) == join_owner(MANY, 3) == join_owner(3, MANY) == MANY
    assert join_owner(NONE, NONE) == NONE
