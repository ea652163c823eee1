"""Suppressing classes one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer.errors import PolicyError
from anonymizer.knowledge import cuts
from anonymizer.knowledge.cuts import SuppressionOrder, shortest_cut
from anonymizer.knowledge.exposure import overall_risk
from anonymizer.knowledge.scenario import AttributeGroup
from anonymizer.knowledge.statistics import passes
from tests.knowledge import overall_oracle as oracle
from tests.knowledge.tables import Table, estimate, random_table, scenario_of, tables
from tests.knowledge.test_statistics import STATISTICS


def risk_after(
    table: Table, suppressed: Sequence[int], statistic: str, estimate: Any = estimate
) -> float:
    """The risk of what remains when some classes are suppressed, computed from scratch."""
    kept = ~np.isin(table.classes(), suppressed)
    return overall_risk(table.attack(kept=kept), statistic, estimate)


def cut_of(
    table: Table, order: Sequence[int], statistic: str, threshold: float, **options: Any
) -> int:
    arguments = table.classes(), order, statistic, threshold, estimate
    return shortest_cut(table.attack(by_class=True), *arguments, **options)


def scan(table: Table, order: Sequence[int], statistic: str, threshold: float) -> int:
    """The shortest cut, by trying every prefix from scratch."""
    return next(
        prefix
        for prefix in range(len(order) + 1)
        if passes(risk_after(table, order[:prefix], statistic), threshold)
    )


@pytest.mark.parametrize("p_cu", [0.0, None])
@settings(max_examples=150)
@given(data=st.data())
def test_the_shortest_cut_is_that_of_a_scan(p_cu: float | None, data: st.DataObject) -> None:
    table = data.draw(tables(max_rows=14, p_cu=p_cu))
    order = data.draw(st.permutations(range(table.classes().max() + 1)))
    statistic = data.draw(st.sampled_from(STATISTICS))
    risks = [risk_after(table, order[:prefix], statistic) for prefix in range(len(order) + 1)]
    threshold = data.draw(st.sampled_from([*risks, *(risk * 0.99 for risk in risks), 0.1]))
    assert cut_of(table, order, statistic, threshold) == scan(table, order, statistic, threshold)


@given(tables(max_rows=14), st.data())
def test_the_means_after_all_prefixes_are_those_computed_from_scratch(
    table: Table, data: st.DataObject
) -> None:
    classes = table.classes()
    order = data.draw(st.permutations(range(classes.max() + 1)))
    attack = table.attack(by_class=True)
    bounds = SuppressionOrder.of(attack, classes, np.array(order)).mean_bounds()
    for means, unique in zip(bounds, (0.0, 1.0), strict=True):
        expected = [
            risk_after(table, order[:prefix], "mean", lambda *_, u=unique: u)
            for prefix in range(len(order) + 1)
        ]
        np.testing.assert_allclose(means, expected, rtol=0, atol=1e-14)


@given(tables(), st.data())
def test_the_risk_of_what_remains_is_that_of_enumeration(table: Table, data: st.DataObject) -> None:
    classes = table.classes()
    gone = data.draw(st.lists(st.integers(0, int(classes.max())), unique=True))
    kept = np.flatnonzero(~np.isin(classes, gone)).tolist()
    risks = [risk.overall for risk in table.oracle(kept)]
    for name in STATISTICS:
        expected = oracle.statistic(risks, name)
        assert risk_after(table, gone, name) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("p_cu", [0.0, 0.8])
def test_larger_tables_are_cut_as_a_scan_does(statistic: str, p_cu: float) -> None:
    table = random_table(300, 3, p_cu=p_cu)
    order = np.argsort(np.bincount(table.classes()), kind="stable").tolist()
    whole = risk_after(table, [], statistic)
    for share in (0.95, 0.8, 0.5):
        cut = cut_of(table, order, statistic, whole * share)
        assert cut == scan(table, order, statistic, whole * share)


@pytest.mark.parametrize("statistic", STATISTICS)
def test_beyond_the_scan_limit_the_cut_passes_and_the_one_before_does_not(statistic: str) -> None:
    table = random_table(300, 3)
    order = np.argsort(np.bincount(table.classes()), kind="stable").tolist()
    threshold = 0.7 * risk_after(table, [], statistic)
    cut = cut_of(table, order, statistic, threshold, scan_limit=1)
    assert passes(risk_after(table, order[:cut], statistic), threshold)
    assert not passes(risk_after(table, order[: cut - 1], statistic), threshold)


def test_subsets_made_anew_give_the_same_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    table = random_table(100, 3)
    order = range(table.classes().max() + 1)
    kept = cut_of(table, order, "p95", 0.2)
    monkeypatch.setattr(cuts, "CACHE_LIMIT", 0)
    assert cut_of(table, order, "p95", 0.2) == kept > 0


def test_without_p_cu_nothing_is_estimated() -> None:
    def refuse(sizes: Any, population: int) -> float:
        raise AssertionError

    table = random_table(100, 3, p_cu=0.0)
    order = range(table.classes().max() + 1)
    for statistic in STATISTICS:
        arguments = table.classes(), order, statistic, 0.1, refuse
        shortest_cut(table.attack(by_class=True), *arguments)


@pytest.mark.parametrize("order", [[0], [0, 1, 1], []])
def test_an_order_that_leaves_out_or_repeats_a_class_is_refused(order: list[int]) -> None:
    table = Table(((0,), (1,)), (1,), scenario_of(AttributeGroup(("a0",), 1)))
    with pytest.raises(ValueError, match="must have each class with records once"):
        cut_of(table, order, "mean", 0.1)


def test_rows_of_several_classes_are_refused() -> None:
    table = Table(((0, 0), (0, 1)), (1, 1), scenario_of(AttributeGroup(("a0",), 1)))
    with pytest.raises(ValueError, match="must not be of several classes"):
        shortest_cut(table.attack(), table.classes(), [0, 1], "mean", 0.1, estimate)


def test_a_threshold_below_0_is_refused() -> None:
    table = Table(((0,),), (1,), scenario_of(AttributeGroup(("a0",), 1)))
    with pytest.raises(ValueError, match="a threshold is at least 0, got -1"):
        cut_of(table, [0], "mean", -1)


def test_a_table_without_records_needs_no_cut() -> None:
    table = Table(((0,), (1,)), (1,), scenario_of(AttributeGroup(("a0",), 0.5)))
    attack = table.attack(kept=[False, False])
    assert shortest_cut(attack, table.classes(), [0], "mean", 0, estimate) == 0


def test_too_many_groups_are_refused() -> None:
    table = random_table(5, 21)
    with pytest.raises(PolicyError, match="21 groups are more than the 20"):
        cut_of(table, range(5), "mean", 0.1)
