from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from anonymizer.attackers.sources import least_people

limits = st.floats(1e-12, 1) | st.integers(1, 10**6).map(lambda k: 1 / k)


@given(st.floats(0, 1), limits)
@example(0.9, 0.3)
@example(1.0, 1 / 49)
@example(1.0, 1e-12)
def test_so_many_people_are_enough_and_one_fewer_is_not(certainty: float, limit: float) -> None:
    (least,) = least_people(np.array([certainty]), limit).tolist()
    assert least >= 1
    assert certainty / least <= limit
    assert least == 1 or certainty / (least - 1) > limit
