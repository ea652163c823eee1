"""Events with parents: matched with the parents that connect them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    found = set(np.flatnonzero(evaluator_of(case).supports.kept((0,))).tolist())
    assert found == Generalized(case, (0,)).greatest() == kept


@st.composite
def arrangements(draw: st.DrawFn) -> Case:
    """Draw people with as many visits and the same diagnoses each, at one visit or another."""
    people, visits = draw(st.integers(2, 5)), draw(st.integers(1, 3))
    found = draw(st.lists(st.sampled_from(["d1", "d2"]), min_size=1, max_size=4))
    at = st.lists(st.integers(0, visits - 1), min_size=len(found), max_size=len(found))
    rows = tuple(
        (person * visits + visit, (kind,))
        for person in range(people)
        for visit, kind in zip(draw(at), found, strict=True)
    )
    tables = (
        Child("visit", None, tuple((n // visits, ()) for n in range(people * visits)), ()),
        Child("diagnosis", 0, rows, KINDS),
    )
    power = draw(st.sampled_from([1, 2, 3, "profile"]))
    powers = draw(st.sampled_from([{}, {"visit": 0}, {"visit": 0 if power == "profile" else 1}]))
    return Case(((),) * people, (), tables, draw(st.integers(2, 3)), power, powers, weights=(1.0,))


@given(arrangements())
def test_the_same_diagnoses_at_other_visits_are_told_apart(case: Case) -> None:
    found = frozenset(np.flatnonzero(evaluator_of(case).supports.kept((0,))).tolist())
    assert found == Generalized(case, (0,)).greatest()
