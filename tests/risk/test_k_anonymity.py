from __future__ import annotations

import pytest
from hypothesis import given

from anonymizer.risk import KAnonymity
from anonymizer.table.classes import partition
from tests import oracle
from tests.oracle import Problem
from tests.strategies import evaluator_of, microdata_of, problems


@given(problems(max_attributes=3))
def test_the_classes_below_k_break_it(problem: Problem) -> None:
    microdata = microdata_of(problem.rows, problem.trees)
    for scheme in problem.schemes():
        classes = partition(microdata, scheme)
        violating = KAnonymity(problem.k).violating(classes)
        assert violating.tolist() == [size < problem.k for size in classes.sizes.tolist()]


@given(problems(max_attributes=3))
def test_what_is_left_after_suppression_is_k_anonymous(problem: Problem) -> None:
    evaluator = evaluator_of(problem)
    for scheme in problem.schemes():
        gone = oracle.rows_in_small_classes(problem.rows, problem.trees, scheme, problem.k)
        assert evaluator.evaluate(scheme).suppressed_records == len(gone)
        left = [row for number, row in enumerate(problem.rows) if number not in gone]
        members = oracle.classes(left, problem.trees, scheme).values()
        assert all(len(rows) >= problem.k for rows in members)


@pytest.mark.parametrize("k", [0, -1])
def test_k_is_at_least_1(k: int) -> None:
    with pytest.raises(ValueError, match=f"k must be at least 1, got {k}"):
        KAnonymity(k)


@pytest.mark.parametrize("k", [2.0, "2", True, None])
def test_k_is_a_whole_number(k: object) -> None:
    with pytest.raises(ValueError, match="k must be a whole number"):
        KAnonymity(k)  # type: ignore[arg-type]


def test_a_k_above_the_number_of_people_can_never_be_met() -> None:
    assert KAnonymity(5).check(5, ("age",)) == []
    (message,) = KAnonymity(6).check(5, ("age",))
    assert message == "k = 6 is larger than the table, which has 5 people; lower k."
