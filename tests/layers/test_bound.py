"""How far prices may rise is what all classes, one by one, leave over."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from anonymizer.layers.bound import Prices
from anonymizer.layers.costs import Costs
from anonymizer.table.classes import partition
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
def test_active_prices_may_rise_by_what_their_classes_leave_over(
    problem: Problem, limit: float, data: Any
) -> None:
    microdata = microdata_of(problem.rows, problem.trees)
    costs = Costs.of(microdata, problem.weights)
    size, least = microdata.distinct, max(1, problem.k)
    prices = Prices(microdata, costs, lattice_of(problem), least)
    few = st.lists(st.integers(0, 3), min_size=size, max_size=size)
    prices.of_tuple = np.minimum(limit, np.array(data.draw(few)) * costs.whole / 20)
    active = np.array(data.draw(st.lists(st.booleans(), min_size=size, max_size=size)))
    raises, cheapest = allowed_one_by_one(prices, limit, active)
    found = prices.visit(limit, active)
    assert found is not None
    assert np.allclose(found[0][active], raises[active])
    assert np.allclose(found[1][active], cheapest[active])
