"""Events with parents: matched with the parents that connect them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.study.drawing import evaluator_of
from tests.study.oracle import Case, Child, Generalized

KINDS = ({"d1": ("d1",), "d2": ("d2",)},)


@pytest.mark.parametrize(("power", "kept"), [(1, {0, 1, 2}), (2, {1, 2}), ("profile", {1, 2})])
def test_two_diagnoses_of_one_visit_are_not_two_of_two(power: int | str, kept: set[int]) -> None:
    """All have two visits, d1 and d2; of the first alone both are of one visit."""
    visits = Child("visit", None, tuple((person, ()) for person in (0, 0, 1, 1, 2, 2)), ())
    rows = ((0, "d1"), (0, "d2"), (2, "d1"), (3, "d2"), (4, "d1"), (5, "d2"))
    diagnoses = Child("diagnosis", 0, tuple((visit, (kind,)) for visit, kind in rows), KINDS)
    case = Case(((),) * 3, (), (visits, diagnoses), k=2, power=power, weights=(1.0,))
    found = set(np.flatnonzero(evaluator_of(case).kept((0,))).tolist())
    assert found == Generalized(case, (0,)).greatest() == kept
