"""How far prices may rise is what all classes, one by one, leave over."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from anonymizer.layers.bound import Prices, bound_of
from anonymizer.layers.costs import Costs
from anonymizer.table.classes import partition
from anonymizer.utility import Aggregate, Loss
from tests.oracle import Problem
from tests.strategies import lattice_of, microdata_of, problems


def allowed_one_by_one(
    prices: Prices, limit: float, active: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Go through the classes of all schemes, as the demand on prices is written."""
    microdata, k = prices.microdata, prices.least
    raises, cheapest = limit - prices.of_tuple, np.full(microdata.distinct, limit)
    for scheme in prices.lattice:
        classes = partition(microdata, scheme)
        for label, cost in enumerate(
            prices.costs.of_tuples(microdata, np.array(scheme))[classes.first_tuple]
        ):
            tuples = np.flatnonzero(classes.label_of_tuple == label)
            counts = microdata.counts[tuples]
            rising = int(counts[active[tuples]].sum())
            if cost >= limit or counts.sum() < k:
                continue
            cheapest[tuples] = np.minimum(cheapest[tuples], cost)
            highest = np.sort(np.repeat(prices.of_tuple[tuples], counts))[-k:].sum()
            share = (k * cost - highest) / max(1, min(k, rising))
            raises[tuples] = np.minimum(raises[tuples], share)
    return raises, cheapest


@given(problems(max_attributes=3), st.floats(0.05, 1.0), st.data())
def test_active_prices_may_rise_by_what_their_classes_leave_over_and_no_class_is_overcharged(
    problem: Problem, limit: float, data: Any
) -> None:
    microdata = microdata_of(problem.rows, problem.trees)
    costs = Costs.of(microdata, problem.weights)
    size, least = microdata.distinct, max(1, problem.k)
    prices = Prices(microdata, costs, lattice_of(problem), least)
    everybody = np.ones(size, np.bool_)
    found = prices.visit(limit, everybody)
    assert found is not None
    cheapest = allowed_one_by_one(prices, limit, everybody)[1]
    assert np.allclose(found[1], cheapest)
    shares = data.draw(st.lists(st.floats(0, 1), min_size=size, max_size=size))
    prices.of_tuple = cheapest * np.array(shares)
    active = np.array(data.draw(st.lists(st.booleans(), min_size=size, max_size=size)))
    prices.reach[:] = np.inf
    raises, _ = allowed_one_by_one(prices, limit, active)
    found = prices.visit(limit, active)
    assert found is not None
    # a class that could not demand anything, however high all prices rise, is not looked at
    assert (found[0] >= raises - 1e-12)[active].all()
    prices.of_tuple = prices.of_tuple + np.where(active, np.maximum(found[0], 0.0), 0.0)
    assert (prices.of_tuple <= limit + 1e-12).all()
    nobody = np.zeros(size, np.bool_)
    left, _ = allowed_one_by_one(prices, np.inf, nobody)
    assert left.min(initial=0.0) >= -1e-12


@given(
    st.lists(
        st.tuples(st.floats(0, 1), st.floats(0.1, 1), st.floats(0, 1)), min_size=1, max_size=5
    ),
    st.floats(0, 1),
)
def test_no_release_loses_less_than_what_its_sum_and_the_others_of_each_attribute_say(
    attributes: list[tuple[float, float, float]], known: float
) -> None:
    largest = max(weight for _, weight, _ in attributes)
    weights = tuple(weight / largest for _, weight, _ in attributes)
    losses = np.array([loss * w for (loss, _, _), w in zip(attributes, weights, strict=True)])
    without = [
        (losses.sum() - loss) / losses.size * share
        for loss, (_, _, share) in zip(losses, attributes, strict=True)
    ]
    lost = float(np.expm1(np.log1p(losses).mean()))
    measure = Loss(Aggregate.GEOMETRIC, weights)
    bound = bound_of(measure, float(losses.mean()) * known, without)
    assert bound_of(measure, float(losses.mean()) * known) <= bound + 1e-12
    assert bound <= lost + 1e-12


def test_the_geometric_bound_rises_where_the_others_bear_their_part() -> None:
    measure = Loss(Aggregate.GEOMETRIC, (1.0,) * 4)
    assert bound_of(measure, 0.1, [0.08] * 4) > bound_of(measure, 0.1, [0.05] * 4)
    assert bound_of(measure, 0.1, [0.05] * 4) > bound_of(measure, 0.1)
