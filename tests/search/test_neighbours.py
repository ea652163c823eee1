from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.lattice import Lattice
from anonymizer.search.forecast import Forecast
from anonymizer.search.neighbours import likeliest, neighbours
from tests.oracle import Problem
from tests.strategies import evaluator_of, lattice_of, problems


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)).map(sorted), min_size=1, max_size=4),
    st.integers(1, 4),
    st.data(),
)
def test_neighbours_differ_in_one_attribute_or_two_within_reach(
    ranges: list[list[int]], reach: int, data: st.DataObject
) -> None:
    lattice = Lattice(tuple(low for low, _ in ranges), tuple(high for _, high in ranges))
    scheme = data.draw(st.sampled_from(list(lattice)))
    expected = [
        other
        for other in lattice
        if 1 <= max(abs(a - b) for a, b in zip(scheme, other, strict=True)) <= reach
        and sum(a != b for a, b in zip(scheme, other, strict=True)) <= 2
    ]
    assert [tuple(row) for row in neighbours(scheme, lattice, reach).tolist()] == expected


@given(problems(max_attributes=3))
def test_the_likeliest_come_in_the_order_of_the_forecast(problem: Problem) -> None:
    evaluator, lattice = evaluator_of(problem), lattice_of(problem)
    forecast = Forecast(lattice, evaluator.microdata.records)
    coarsest = evaluator.evaluate(lattice.high)
    forecast.learn(coarsest.scheme, coarsest.binding_records)
    most = float(evaluator.measure.terms(np.ones(len(lattice.high))).sum())

    def expected_terms(scheme: tuple[int, ...]) -> float:
        logit = forecast.logit(coarsest.binding_records) + forecast.change(coarsest.scheme, scheme)
        plain = sum(coarsest.terms[a, level] for a, level in enumerate(scheme))
        return float(plain + (most - plain) / (1 + np.exp(-logit)))

    found = [expected_terms(s) for s in likeliest(coarsest, coarsest, lattice, forecast, most, 2)]
    assert all(one <= other + 1e-12 for one, other in itertools.pairwise(found))
