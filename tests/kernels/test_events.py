"""Least hitting sets, against all of them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.kernels.events import hit, hit_greedily

MASKS = st.lists(st.integers(1, 2**7 - 1), min_size=1, max_size=12)


@given(MASKS)
def test_a_hitting_set_is_of_the_least_size_or_its_bound_holds(drawn: list[int]) -> None:
    masks = np.array(drawn, np.int64)
    least = min(
        chosen.bit_count() for chosen in range(2**7) if all(chosen & mask for mask in drawn)
    )
    size, chosen = hit(masks, masks.size)
    assert size <= least
    assert chosen == 0 or (size == least == int(chosen).bit_count())
    assert chosen == 0 or all(chosen & mask for mask in drawn)
    assert all(hit_greedily(masks, masks.size) & mask for mask in drawn)
