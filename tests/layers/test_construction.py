from __future__ import annotations

from dataclasses import replace

import numpy as np

from anonymizer.layers.construction import STEP, construct_by_size
from anonymizer.layers.costs import Candidates, Costs
from tests.oracle import Problem
from tests.strategies import microdata_of


def test_a_cost_that_is_rounded_into_the_step_before_its_own_does_not_stop_the_construction() -> (
    None
):
    whole, step = next(
        (whole, step)
        for whole in np.arange(1.0, 3.0, 0.01).tolist()
        for step in range(1000)
        if int((step + 1) * (STEP * whole) / (STEP * whole)) == step
    )
    width = STEP * whole
    tree = {leaf: (leaf, leaf * 2) for leaf in "ab"}
    problem = Problem((("a",), ("a",), ("b",), ("b",)), (tree,), k=2)
    microdata = microdata_of(problem.rows, problem.trees)
    costs = Costs.of(microdata, (1.0,))
    # at the same level, one value costs nothing and the other just what the next step begins with
    table = np.array([[0.0, (step + 1) * width]] * 2)
    costs = replace(costs, table=table, whole=whole)
    candidates = Candidates.of(microdata, costs, np.array([[0]], np.int64))
    candidates = replace(candidates, least_cost=np.array([step * width]))
    assert construct_by_size(microdata, costs, candidates, 2).tolist() == [0, 0]
