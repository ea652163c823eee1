"""A tuple counts to the first layer that releases it by the same values."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.layers.layering import first_fitting
from tests.layers.test_optimize import with_stars
from tests.oracle import Problem, generalize
from tests.strategies import microdata_of, problems


@given(problems(max_attributes=3).map(with_stars), st.data())
def test_a_tuple_moves_to_the_first_layer_that_releases_it_alike(
    problem: Problem, data: Any
) -> None:
    microdata = microdata_of(problem.rows, problem.trees)
    listed = st.sampled_from(list(problem.schemes()))
    schemes = data.draw(st.lists(listed, min_size=1, max_size=5, unique=True))
    layer = st.integers(-1, len(schemes) - 1)
    tuples = microdata.distinct
    layers = np.array(data.draw(st.lists(layer, min_size=tuples, max_size=tuples)), np.int32)
    moved = first_fitting(microdata, schemes, layers)
    for row, of_tuple in zip(problem.rows, microdata.tuple_of_row, strict=True):
        looks = [generalize(row, problem.trees, levels) for levels in schemes]
        was = layers[of_tuple]
        assert moved[of_tuple] == (was if was < 0 else looks.index(looks[was]))
