"""Suppressing classes one by one, against sums made from scratch and against all subsets."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer.attackers.attack import attack_on
from anonymizer.attackers.cuts import Turns, least_suppressed, people_with, shortest_cut
from anonymizer.attackers.overall import ScenarioAttack
from anonymizer.attackers.scenario import AttributeGroup
from anonymizer.attackers.statistics import passes, statistic_of
from anonymizer.table.classes import partition
from anonymizer.table.microdata import Microdata
from tests.attackers.tables import overall_risk, scenario_of
from tests.attackers.test_statistics import STATISTICS
from tests.oracle import Problem
from tests.risk.test_people import with_people
from tests.strategies import evaluator_of, problems

SCENARIO = scenario_of(AttributeGroup(("a0",), 0.7), AttributeGroup(("*",), 0.3), p_cu=0.0)
BY_VALUE = scenario_of(
    AttributeGroup(("*",), by="a0", probabilities={"v0": 0.9}, default=0.2), p_cu=0.0
)


@st.composite
def cuts(draw: st.DrawFn) -> tuple[Turns, Microdata, np.ndarray, np.ndarray]:
    """An order of the classes of a scheme, any order at all."""
    problem: Problem = draw(problems(max_attributes=3, max_rows=14, ranges=False))
    evaluator = evaluator_of(problem)
    records = evaluator.microdata.records
    if draw(st.booleans()):
        evaluator = with_people(
            evaluator, draw(st.lists(st.integers(0, 5), min_size=records, max_size=records))
        )
    microdata = evaluator.microdata
    scheme = tuple(draw(st.integers(0, top)) for top in problem.high)
    classes = partition(microdata, scheme)
    order = np.array(draw(st.permutations(range(classes.sizes.size))))
    attack = ScenarioAttack.of(draw(st.sampled_from([SCENARIO, BY_VALUE])), microdata)
    return Turns.of(attack, classes, order), microdata, classes.label_of_tuple, order


def risks_after(turns: Turns, prefix: int) -> tuple[np.ndarray, np.ndarray]:
    kept = turns.of_row >= prefix
    risks = turns.attack.risks(turns.scheme, turns.rows, kept)
    return people_with(turns.attack, turns.rows, risks, kept)


@settings(max_examples=150)
@given(cut=cuts(), statistic=st.sampled_from(STATISTICS), data=st.data())
def test_the_shortest_cut_is_that_of_a_scan(cut, statistic, data) -> None:
    turns = cut[0]
    risks = [statistic_of(*risks_after(turns, p), statistic) for p in range(turns.number + 1)]
    threshold = data.draw(st.sampled_from([*risks, *(risk * 0.99 for risk in risks), 0.1]))
    start = data.draw(st.integers(0, turns.number))
    expected = next(p for p in range(start, len(risks)) if passes(risks[p], threshold))
    assert shortest_cut(turns, statistic, threshold, start) == expected


@settings(max_examples=60)
@given(cut=cuts())
def test_all_means_are_those_computed_from_scratch(cut) -> None:
    turns, microdata, label_of_tuple, order = cut
    means = [statistic_of(*risks_after(turns, p), "mean") for p in range(turns.number + 1)]
    sums = [float(np.dot(*risks_after(turns, p))) for p in range(turns.number + 1)]
    for prefix in range(turns.number + 1):
        people = int(risks_after(turns, prefix)[1].sum())
        assert turns.people[prefix] == people
        assert sums[prefix] == pytest.approx(means[prefix] * people)
    if microdata.people is not None:
        return
    np.testing.assert_allclose(turns.means, means, rtol=0, atol=1e-14)
    for prefix in range(turns.number + 1):
        kept = ~np.isin(label_of_tuple, order[:prefix])
        attack = attack_on(microdata, turns.scheme, turns.attack.scenario, kept)
        assert overall_risk(attack, "mean") == pytest.approx(means[prefix], abs=1e-14)


@settings(max_examples=150)
@given(
    risks=st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.7, 1.0]), min_size=1, max_size=8),
    statistic=st.sampled_from(STATISTICS),
    threshold=st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.5, 1.0]),
    whole=st.booleans(),
)
def test_no_smaller_set_passes_than_the_least_suppressed(
    risks, statistic, threshold, whole
) -> None:
    found = least_suppressed(
        np.array(risks), np.ones(len(risks), np.int64), statistic, threshold, whole=whole
    )
    least = math.inf
    for gone in range(len(risks) + 1):
        for subset in combinations(range(len(risks)), gone):
            rest = [risk for row, risk in enumerate(risks) if row not in subset]
            rest += [] if whole else [0.0] * gone
            ones = np.ones(len(rest), np.int64)
            if passes(statistic_of(np.array(rest), ones, statistic), threshold):
                least = min(least, gone)
    assert least - 1 <= found <= least  # rounding may cost one record of the bound
