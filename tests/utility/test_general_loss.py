from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.risk import Binding
from anonymizer.table.classes import partition
from anonymizer.utility import Aggregate, GeneralLoss, Loss, make_loss
from tests.oracle import Problem
from tests.strategies import microdata_of, problems

MEANS = [Aggregate.GEOMETRIC, Aggregate.ARITHMETIC]


@pytest.mark.parametrize("aggregate", MEANS)
def test_a_mean_with_the_factor_0_5_has_the_fast_bounds(aggregate: Aggregate) -> None:
    assert make_loss(aggregate, (1.0,), 0.5) == Loss(aggregate, (1.0,))
    assert make_loss(aggregate, (1.0,), 0.4) == GeneralLoss(aggregate, (1.0,), 0.4)
    assert make_loss(Aggregate.SUM, (1.0,)) == GeneralLoss(Aggregate.SUM, (1.0,), 0.5)


@given(problems(), st.sampled_from(MEANS))
def test_with_a_mean_and_the_factor_0_5_it_is_the_loss(
    problem: Problem, aggregate: Aggregate
) -> None:
    microdata = microdata_of(problem.rows, problem.trees)
    classes = partition(microdata, problem.high)
    small = classes.sizes < problem.k
    general, plain = (
        measure.appraise(microdata, classes, small, Binding(small))
        for measure in (GeneralLoss(aggregate, problem.weights), Loss(aggregate, problem.weights))
    )
    assert general.loss == pytest.approx(plain.loss, abs=1e-15)


@given(problems(), st.sampled_from(Aggregate), st.floats(0, 0.5))
def test_up_to_0_5_the_loss_rises_with_the_factor(
    problem: Problem, aggregate: Aggregate, factor: float
) -> None:
    microdata = microdata_of(problem.rows, problem.trees)
    classes = partition(microdata, problem.high)
    small = classes.sizes < problem.k
    measure = GeneralLoss(aggregate, problem.weights, factor)
    free, some, even = (
        dataclasses.replace(measure, factor=each)
        .appraise(microdata, classes, small, Binding(small))
        .loss
        for each in (0.0, factor, 0.5)
    )
    nothing = np.zeros_like(small)
    kept = measure.appraise(microdata, classes, nothing, Binding(nothing)).loss
    assert free == pytest.approx(kept, abs=1e-12)
    assert free - 1e-12 <= some <= even + 1e-12


@given(problems(ranges=False))
def test_with_the_factor_1_only_suppressed_records_count(problem: Problem) -> None:
    microdata = microdata_of(problem.rows, problem.trees)
    classes = partition(microdata, problem.high)
    small = classes.sizes < problem.k
    measure = GeneralLoss(Aggregate.ARITHMETIC, problem.weights, 1.0)
    share = classes.sizes[small].sum() / microdata.records
    for tree, loss in zip(
        problem.trees, measure.attribute_losses(microdata, classes, small), strict=True
    ):
        assert loss == pytest.approx(share if len(tree) > 1 else 0.0)


@pytest.mark.parametrize("factor", [-0.1, 1.1, float("nan")])
def test_a_factor_is_from_0_to_1(factor: float) -> None:
    with pytest.raises(ValueError, match="a factor must be from 0 to 1"):
        GeneralLoss(Aggregate.SUM, (1.0,), factor)
