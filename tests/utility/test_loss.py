from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.utility import Aggregate, Loss
from anonymizer.utility.loss import attribute_loss
from tests import oracle
from tests.oracle import Problem
from tests.strategies import problems

UNIT = st.floats(0, 1)
WEIGHT = st.floats(0, 5)
MEANS = st.sampled_from([aggregate for aggregate in Aggregate if aggregate.is_mean])


@given(st.integers(1, 10**9), st.integers(2, 10**5), st.data())
def test_an_attribute_s_loss_is_the_formula_of_the_design(
    records: int, leaves: int, data: st.DataObject
) -> None:
    covered = data.draw(st.integers(records, records * leaves))
    total, untouched = Fraction(covered, leaves), Fraction(records, leaves)
    expected = (total - untouched) / (records - untouched)
    found = attribute_loss(np.array([covered]), records, np.array([leaves]))
    assert found.tolist() == [pytest.approx(float(expected), abs=1e-15)]
    assert 0 <= found[0] <= 1


def test_untouched_is_0_and_nothing_left_is_1() -> None:
    covered = np.array([10 * 1, 10 * 4])
    assert attribute_loss(covered, 10, np.array([4, 4])).tolist() == [0, 1]


def test_an_attribute_with_one_leaf_has_nothing_to_lose() -> None:
    assert attribute_loss(np.array([[10, 10]]), 10, np.array([[1]])).tolist() == [[0, 0]]


def test_loss_is_never_below_0() -> None:
    assert attribute_loss(np.array([0]), 10, np.array([4])).tolist() == [0]


@given(st.lists(st.tuples(UNIT, WEIGHT), min_size=1, max_size=6))
def test_the_aggregates_are_a_geometric_and_an_arithmetic_mean(
    attributes: list[tuple[float, float]],
) -> None:
    losses = np.array([loss for loss, _ in attributes])
    weights = tuple(weight for _, weight in attributes)
    largest = max(weights) or 1.0
    weighted = [loss * weight / largest for loss, weight in attributes]
    expected = {
        Aggregate.ARITHMETIC: sum(weighted) / len(weighted),
        Aggregate.GEOMETRIC: math.prod(1 + x for x in weighted) ** (1 / len(weighted)) - 1,
    }
    for aggregate, value in expected.items():
        measure = Loss(aggregate, weights)
        found = measure.aggregate.of_terms(float(measure.terms(losses).sum()))
        assert found == pytest.approx(value, rel=1e-12, abs=1e-14)


@given(problems(), MEANS)
def test_losses_of_whole_tables_are_the_oracle_s(problem: Problem, aggregate: Aggregate) -> None:
    problem = Problem(**(vars(problem) | {"aggregate": aggregate.value}))
    losses = oracle.attribute_losses(problem, problem.high, frozenset())
    measure = Loss(aggregate, problem.weights)
    found = measure.aggregate.of_terms(float(measure.terms(np.array(losses, float)).sum()))
    assert found == pytest.approx(oracle.loss(problem, problem.high, frozenset()), abs=1e-13)


@given(MEANS, st.floats(0, 10))
def test_terms_and_loss_are_inverse(aggregate: Aggregate, loss: float) -> None:
    measure = Loss(aggregate, (1.0,))
    assert measure.aggregate.of_terms(measure.aggregate.to_terms(loss)) == pytest.approx(
        loss, rel=1e-14, abs=1e-300
    )


@given(MEANS, st.floats(0, 10), st.floats(0, 10))
def test_the_transformation_is_monotone(aggregate: Aggregate, one: float, other: float) -> None:
    measure = Loss(aggregate, (1.0,))
    if one <= other:
        assert measure.aggregate.of_terms(one) <= measure.aggregate.of_terms(other)
        assert measure.aggregate.to_terms(one) <= measure.aggregate.to_terms(other)


@given(MEANS, st.lists(UNIT, min_size=2, max_size=6), WEIGHT)
def test_terms_rise_with_losses(aggregate: Aggregate, losses: list[float], weight: float) -> None:
    terms = Loss(aggregate, (weight,)).terms(np.array([sorted(losses)]))
    assert (np.diff(terms) >= 0).all()


def test_an_attribute_of_weight_0_does_not_count_but_divides() -> None:
    measure = Loss(Aggregate.ARITHMETIC, (0.0, 1.0))
    assert measure.aggregate.of_terms(float(measure.terms(np.array([1.0, 0.5])).sum())) == 0.25


@given(MEANS, st.lists(st.floats(0, 1e6), min_size=1, max_size=4))
def test_a_loss_is_never_above_1(aggregate: Aggregate, weights: list[float]) -> None:
    measure = Loss(aggregate, tuple(weights))
    assert measure.combine(np.ones(len(weights)))[0] <= 1 + 1e-12


@pytest.mark.parametrize("weight", [-1.0, math.inf, math.nan])
def test_weights_are_finite_and_at_least_0(weight: float) -> None:
    with pytest.raises(ValueError, match="weights must be finite and at least 0"):
        Loss(Aggregate.GEOMETRIC, (1.0, weight))


def test_measures_are_values() -> None:
    assert Loss(Aggregate.GEOMETRIC, (1.0,)) == Loss(Aggregate("geometric"), (1.0,))
    assert Loss(Aggregate.GEOMETRIC, (1.0,)) != Loss(Aggregate.ARITHMETIC, (1.0,))
    assert len({Loss(Aggregate.GEOMETRIC, (1.0,)), Loss(Aggregate.GEOMETRIC, (1.0,))}) == 1


@pytest.mark.parametrize("aggregate", [Aggregate.MAXIMUM, Aggregate.SUM])
def test_other_aggregates_have_no_fast_bounds(aggregate: Aggregate) -> None:
    with pytest.raises(ValueError, match=f"for the {aggregate} of the attributes, use GeneralLoss"):
        Loss(aggregate, (1.0,))
