from __future__ import annotations

import itertools

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from anonymizer.lattice import Lattice, Scheme
from anonymizer.search.forecast import Forecast
from anonymizer.search.neighbours import NeighbourRanking
from tests.oracle import Problem
from tests.search.test_boxes import medium
from tests.strategies import evaluator_of, lattice_of, problems

ALL = 10**9


def neighbourhood(problem: Problem, scheme: Scheme) -> NeighbourRanking:
    """The neighbours of a scheme, with a forecast that knows it and the coarsest one."""
    evaluator, lattice = evaluator_of(problem), lattice_of(problem)
    forecast = Forecast(lattice, evaluator.microdata.records)
    best, coarsest = evaluator.evaluate(scheme), evaluator.evaluate(lattice.high)
    records = [best.binding_records, coarsest.binding_records]
    forecast.learn([best.scheme, coarsest.scheme], records)
    return NeighbourRanking(best, coarsest, lattice, forecast, evaluator.measure.aggregate.most)


def expected_terms(near: NeighbourRanking, scheme: Scheme) -> float:
    """The sum of terms that the forecast expects, from its definition."""
    forecast, best = near.forecast, near.best
    logit = forecast.logit(best.binding_records) + forecast.change(best.scheme, scheme)
    plain = sum(near.coarsest.terms[a, level] for a, level in enumerate(scheme))
    return float(plain + (near.max_terms - plain) / (1 + np.exp(-logit)))


def differences(one: Scheme, other: Scheme) -> list[int]:
    return [abs(a - b) for a, b in zip(one, other, strict=True) if a != b]


def neighbours(scheme: Scheme, lattice: Lattice, reach: int) -> list[Scheme]:
    """All schemes that differ in one attribute or two, by so many levels at most."""
    near = ((other, differences(scheme, other)) for other in lattice)
    return [other for other, by in near if 1 <= len(by) <= 2 and max(by) <= reach]


@given(problems(), st.integers(1, 4), st.data())
def test_neighbours_differ_in_one_attribute_or_two_within_reach(
    problem: Problem, reach: int, data: st.DataObject
) -> None:
    lattice = lattice_of(problem)
    scheme = data.draw(st.sampled_from(list(lattice)))
    found = neighbourhood(problem, scheme).rank(reach, ALL, ALL)
    assert sorted(found) == neighbours(scheme, lattice, reach)


@given(problems(max_attributes=3), st.integers(1, 20))
@example(medium(), 30)
def test_the_most_promising_come_first_in_the_order_of_the_forecast(
    problem: Problem, count: int
) -> None:
    near = neighbourhood(problem, lattice_of(problem).high)
    found = [expected_terms(near, scheme) for scheme in near.rank(2, count, ALL)]
    assert all(one <= other + 1e-12 for one, other in itertools.pairwise(found))
    schemes = neighbours(near.best.scheme, near.lattice, 2)
    least = sorted(expected_terms(near, scheme) for scheme in schemes)[:count]
    assert np.allclose(found, least, atol=1e-12)


@given(problems(), st.integers(1, 6))
@example(medium(), 3)
def test_only_the_best_moves_are_combined_in_pairs(problem: Problem, moves: int) -> None:
    near = neighbourhood(problem, lattice_of(problem).high)
    found = near.rank(ALL, ALL, moves)
    scheme = near.best.scheme
    single = [other for other in found if len(differences(scheme, other)) == 1]
    pairs = [other for other in found if len(differences(scheme, other)) == 2]
    low, high = near.lattice.low, near.lattice.high
    assert len(single) == sum(high) - sum(low)
    assert len(pairs) <= moves * (moves - 1) / 2
