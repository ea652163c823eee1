"""The overall risk: exact, simulated, and along an order of suppression."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from anonymizer.data.table import FrameTable
from anonymizer.engine.microdata import encode
from anonymizer.errors import PolicyError
from anonymizer.hierarchy import Hierarchy
from anonymizer.knowledge import cuts, simulation
from anonymizer.knowledge.cuts import Suppression, risk_after, shortest_cut
from anonymizer.knowledge.overall_risk import (
    Attack,
    OverallRisk,
    assess,
    attack_on,
    learned_probabilities,
    passes,
    quantile_of,
    statistic_of,
)
from anonymizer.knowledge.scenario import AttributeGroup, Scenario
from anonymizer.knowledge.simulation import simulate
from tests.knowledge import overall_oracle as oracle

MEASURES = ("overall", "prosecutor", "journalist", "marketer")
STATISTICS = ("mean", "maximum", "p95", "p50", "p33.3")

probabilities = st.sampled_from([0.0, 1.0, 0.5, 0.3, 0.07])


def estimate(sizes: Any, population: int) -> float | None:
    """Some probability that depends on all sizes but not their order; often not to be had."""
    ones, records = sum(size == 1 for size in sizes), sum(sizes)
    if ones in (len(sizes), 3):
        return None
    return ones / (len(sizes) + records / population)


@dataclass(frozen=True)
class Table:
    """People as tuples of leaf numbers, and what an attacker may know about them."""

    people: tuple[tuple[int, ...], ...]
    widths: tuple[int, ...]
    """How many leaves become one value, for each attribute."""
    scenario: Scenario

    @property
    def names(self) -> list[str]:
        return [f"a{number}" for number in range(len(self.widths))]

    def oracle(self, kept: Sequence[int] | None = None) -> list[oracle.Risks]:
        rows = self.people if kept is None else [self.people[row] for row in kept]
        people = [dict(zip(self.names, map(str, row), strict=True)) for row in rows]
        records = [
            {
                name: str(leaf // width)
                for name, leaf, width in zip(self.names, row, self.widths, strict=True)
            }
            for row in rows
        ]
        return oracle.all_risks(records, people, self.scenario, estimate)

    def attack(self, rows: Sequence[tuple[int, ...]] | None = None, counts: Any = None) -> Attack:
        """The attack on these rows, each once unless counts are given."""
        rows = self.people if rows is None else rows
        leaves = np.array(rows, np.int64).reshape(len(rows), len(self.widths)).T
        generalized = leaves // np.array(self.widths)[:, np.newaxis]
        values = [str(leaf) for leaf in range(10)]
        learned = learned_probabilities(
            self.scenario,
            {name: (values, codes) for name, codes in zip(self.names, leaves, strict=True)},
            len(rows),
        )
        codes = dict(zip(self.names, generalized, strict=True))
        return Attack.build(
            self.scenario, codes, np.ones(len(rows), int) if counts is None else counts, learned
        )

    def classes(self) -> NDArray[np.int64]:
        """The class of each person at the scheme, by all attributes."""
        rows = np.array(self.people) // np.array(self.widths)
        return np.unique(rows, axis=0, return_inverse=True)[1].ravel()


@st.composite
def tables(draw: st.DrawFn, max_rows: int = 10, p_cu: float | None = None) -> Table:
    """Draw a small table; some attributes may be in no group."""
    number = draw(st.integers(1, 4))
    names = [f"a{i}" for i in range(number)]
    row = st.tuples(*(st.integers(0, draw(st.integers(0, 4))) for _ in names))
    people = draw(st.lists(row, min_size=1, max_size=max_rows))
    widths = tuple(draw(st.integers(1, 3)) for _ in names)
    group_of = [0, *(draw(st.integers(0, 3)) for _ in names[1:])]
    groups = tuple(
        draw(groups_of(tuple(n for n, g in zip(names, group_of, strict=True) if g == i), names))
        for i in sorted({0, *group_of} - {3})
    )
    parameters = [draw(probabilities) for _ in range(4)]
    if p_cu is not None:
        parameters[3] = p_cu
    scenario = Scenario(groups, draw(st.sampled_from([50, 10**6])), *parameters)
    return Table(tuple(people), widths, scenario)


@st.composite
def groups_of(draw: st.DrawFn, members: tuple[str, ...], names: list[str]) -> AttributeGroup:
    """Draw how likely a group is learned, for all or by leaf."""
    if draw(st.booleans()):
        return AttributeGroup(members, draw(probabilities))
    listed = draw(st.dictionaries(st.sampled_from("0123"), probabilities, max_size=2))
    by, default = draw(st.sampled_from(names)), draw(probabilities)
    return AttributeGroup(members, by=by, probabilities=listed, default=default)


def columns_of(risk: OverallRisk) -> NDArray[np.float64]:
    return np.array([getattr(risk, name) for name in MEASURES])


def oracle_columns(risks: Sequence[oracle.Risks]) -> NDArray[np.float64]:
    return np.array([[getattr(risk, name) for risk in risks] for name in MEASURES])


# --- the exact risk


@given(tables())
def test_the_exact_risk_is_that_of_enumeration(table: Table) -> None:
    exact = columns_of(assess(table.attack(), estimate))
    np.testing.assert_allclose(exact, oracle_columns(table.oracle()), rtol=0, atol=1e-12)


@given(tables(), st.data())
def test_suppressed_records_neither_match_nor_count(table: Table, data: st.DataObject) -> None:
    kept = data.draw(
        st.lists(st.booleans(), min_size=len(table.people), max_size=len(table.people))
    )
    exact = assess(table.attack(counts=np.array(kept, int)), estimate)
    rows = np.flatnonzero(kept)
    expected = oracle_columns(table.oracle(rows.tolist()))
    np.testing.assert_allclose(columns_of(exact)[:, rows], expected.reshape(4, -1), atol=1e-12)
    assert (columns_of(exact)[:, ~np.array(kept)] == 0).all()
    for name in STATISTICS:
        assert exact.statistic(name) == pytest.approx(
            oracle.statistic([risk.overall for risk in table.oracle(rows.tolist())], name),
            abs=1e-12,
        )


@given(tables())
def test_counts_are_repeated_rows(table: Table) -> None:
    distinct = sorted(set(table.people))
    counts = np.array([table.people.count(person) for person in distinct])
    counted = assess(table.attack(distinct, counts), estimate)
    repeated = assess(table.attack(), estimate)
    at = [distinct.index(person) for person in table.people]
    np.testing.assert_allclose(columns_of(counted)[:, at], columns_of(repeated), atol=1e-14)
    for name in STATISTICS:
        assert counted.statistic(name) == pytest.approx(repeated.statistic(name), abs=1e-14)


@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_tuples_never_matters(table: Table, random: Any) -> None:
    order = list(range(len(table.people)))
    random.shuffle(order)
    shuffled = assess(table.attack([table.people[row] for row in order]), estimate)
    assert (columns_of(shuffled) == columns_of(assess(table.attack(), estimate))[:, order]).all()


@given(tables())
def test_risks_are_probabilities_and_in_their_order(table: Table) -> None:
    risk = assess(table.attack(), estimate)
    assert ((columns_of(risk) >= 0) & (columns_of(risk) <= 1)).all()
    assert (risk.journalist <= risk.prosecutor).all()
    assert (risk.prosecutor <= risk.marketer + 1e-12).all()


def scenario_of(*groups: AttributeGroup, **changes: Any) -> Scenario:
    parameters = {"population": 1000, "p_m": 0.5, "p_fm": 0.4, "p_c": 0.25, "p_cu": 0.8} | changes
    return Scenario(groups, **parameters)


def half(sizes: NDArray[np.int64], population: int) -> float:
    return 0.5


AGES = ((0, 0), (1, 0), (1, 1))
"""Three people: the first has an age of her own, the other two differ by sex."""


def test_with_one_group_known_for_sure_the_risk_is_that_of_its_classes() -> None:
    scenario = scenario_of(AttributeGroup(("a0",), 1), AttributeGroup(("a1",), 0))
    risk = assess(Table(AGES, (1, 1), scenario).attack(), half)
    assert risk.marketer.tolist() == [1, 0.5, 0.5]
    assert risk.prosecutor.tolist() == [1, 0, 0]
    assert risk.journalist.tolist() == [0.5, 0, 0]
    unique = 1 - (1 - 0.5 * 0.4) * (1 - 0.8 * 0.5) * (1 - 0.25)
    np.testing.assert_allclose(risk.overall, [unique, 0.125, 0.125], rtol=1e-15)


def test_with_nothing_known_everyone_matches() -> None:
    scenario = scenario_of(AttributeGroup(("a0",), 0))
    risk = assess(Table(AGES, (1, 1), scenario).attack(), estimate)
    np.testing.assert_allclose(risk.overall, 0.25 / 3, rtol=1e-15)
    assert not risk.prosecutor.any()
    assert not risk.journalist.any()


def test_without_confirmation_only_the_unique_are_at_risk() -> None:
    scenario = scenario_of(AttributeGroup(("a0",), 0.5), p_c=0)
    risk = assess(Table(AGES, (1, 1), scenario).attack(), half)
    np.testing.assert_allclose(risk.overall, [0.5 * (1 - (1 - 0.2) * (1 - 0.4)), 0, 0], rtol=1e-15)


def test_with_everything_certain_the_unique_are_re_identified() -> None:
    groups = AttributeGroup(("a0",), 1), AttributeGroup(("a1",), 1)
    scenario = scenario_of(*groups, p_m=1, p_fm=1, p_c=1, p_cu=1)
    risk = assess(Table(((0, 0), (1, 1), (1, 1)), (1, 1), scenario).attack(), half)
    assert risk.overall.tolist() == [1, 0.5, 0.5]


def test_what_cannot_be_estimated_counts_as_unique() -> None:
    scenario = scenario_of(AttributeGroup(("a0",), 1))
    attack = Table(AGES, (1, 1), scenario).attack()
    for unknown in (None, float("nan")):
        assert assess(attack, lambda *_, unknown=unknown: unknown).journalist[0] == 1


def test_the_estimate_gets_sizes_of_classes_that_remain_and_a_population_not_below_them() -> None:
    scenario = scenario_of(AttributeGroup(("a0",), 1), population=1)
    asked = []

    def remember(sizes: NDArray[np.int64], population: int) -> float:
        asked.append((sorted(sizes.tolist()), population))
        return 0.5

    assess(Table(AGES, (1, 1), scenario).attack(counts=np.array([1, 3, 0])), remember)
    assert asked == [([1, 3], 4)]


def test_a_table_without_records_has_risk_0() -> None:
    scenario = scenario_of(AttributeGroup(("a0",), 0.5))
    attack = Table(AGES, (1, 1), scenario).attack(counts=np.zeros(3, int))
    assert not columns_of(assess(attack, estimate)).any()
    assert assess(attack, estimate).statistic("p95") == 0
    assert assess(attack, estimate).describe()["overall"]["maximum"] == 0
    assert simulate(attack, np.random.default_rng(1), 10, estimate).mean == 0
    assert shortest_cut(attack, np.zeros(3, int), [0], "mean", 0, estimate) == 0


def test_too_many_groups_are_sent_to_the_simulation() -> None:
    groups = [AttributeGroup((f"a{number}",), 0.02) for number in range(40)]
    people = np.random.default_rng(5).integers(0, 2, (50, 40))
    table = Table(tuple(map(tuple, people.tolist())), (1,) * 40, scenario_of(*groups))
    with pytest.raises(
        PolicyError, match=r"40 groups are more than the 20 .* Monte Carlo simulation"
    ):
        assess(table.attack(), estimate)
    with pytest.raises(PolicyError, match="Monte Carlo simulation"):
        shortest_cut(table.attack(), np.arange(50), np.arange(50), "mean", 0.1, estimate)
    assert 0.25 / 50 < simulate(table.attack(), np.random.default_rng(5), 20, estimate).mean < 1


def test_arrays_that_do_not_fit_are_refused() -> None:
    scenario = scenario_of(AttributeGroup(("a0",), 0.5))
    with pytest.raises(ValueError, match="1 groups and 2 tuples do not fit"):
        Attack.build(scenario, {"a0": np.zeros(2, int)}, np.ones(2), np.zeros((1, 3)))
    for code in (-1, 2**31):
        with pytest.raises(ValueError, match=f"codes are from 0 to 2147483647, got {code}"):
            Attack.build(scenario, {"a0": np.array([code])}, np.ones(1), np.zeros((1, 1)))


def test_a_scheme_generalizes_what_matches_but_not_what_is_learned() -> None:
    age = Hierarchy.from_rows("age", [("1", "young"), ("2", "young"), ("3", "old")])
    sex = Hierarchy.from_rows("sex", [("F", "*"), ("M", "*")])
    frame = pd.DataFrame([("1", "F"), ("2", "F"), ("3", "M")], columns=["age", "sex"])
    voters = AttributeGroup(("age",), by="age", probabilities={"1": 1.0}, default=0.0)
    scenario = scenario_of(voters)
    risk = assess(attack_on(encode(FrameTable(frame), [age, sex]), (1, 1), scenario), estimate)
    np.testing.assert_allclose(risk.marketer, [1 / 2, 1 / 3, 1 / 3])
    with pytest.raises(PolicyError, match="'age' is not a quasi-identifier"):
        attack_on(encode(FrameTable(frame[["sex"]]), [sex]), (0,), scenario)


# --- statistics


@pytest.mark.parametrize("wrong", ["median", "p0", "p101", "95", 0, 1.5, True, float("nan"), None])
def test_unknown_statistics_are_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match="is unknown; use 'mean', 'maximum' or a percentile"):
        quantile_of(wrong)


def test_a_percentile_counts_records_exactly() -> None:
    risks = np.arange(100) / 100
    counts = np.ones(100, np.int64)
    # 0.07 * 100 is 7.000000000000001 in binary numbers
    assert statistic_of(risks, counts, 0.07) == statistic_of(risks, counts, "p7") == risks[6]
    assert statistic_of(risks, counts, "p7.1") == risks[7]
    assert statistic_of(risks, counts, "maximum") == statistic_of(risks, counts, 1.0) == risks[99]


# --- the simulation


@settings(max_examples=30)
@given(tables(), st.integers(0, 2**32))
def test_the_simulation_agrees_with_the_exact_risk(table: Table, seed: int) -> None:
    exact = assess(table.attack(), estimate)
    simulated = simulate(table.attack(), np.random.default_rng(seed), 4000, estimate)
    slack = 4 * simulated.standard_error + 1e-9
    assert abs(simulated.mean - exact.statistic("mean")) <= slack + 1 / 4000
    assert simulated.mean == pytest.approx(simulated.risk.statistic("mean"))
    np.testing.assert_allclose(
        columns_of(simulated.risk), columns_of(exact), atol=4 * 0.5 / 4000**0.5
    )


def test_the_simulation_repeats_with_its_seed_and_is_within_4_standard_errors() -> None:
    table = random_table(500, 3)
    runs = [simulate(table.attack(), np.random.default_rng(7), 300, estimate) for _ in range(2)]
    assert runs[0].mean == runs[1].mean
    assert 0 < runs[0].standard_error < 0.01
    exact = assess(table.attack(), estimate).statistic("mean")
    assert abs(runs[0].mean - exact) < 4 * runs[0].standard_error


def test_trials_in_batches_are_all_played(monkeypatch: pytest.MonkeyPatch) -> None:
    table = random_table(40, 3)
    monkeypatch.setattr(simulation, "DRAWS_AT_ONCE", 40 * 3 * 7)
    simulated = simulate(table.attack(), np.random.default_rng(7), 1000, estimate)
    exact = assess(table.attack(), estimate).statistic("mean")
    assert abs(simulated.mean - exact) < 4 * simulated.standard_error
    assert simulated.mean == pytest.approx(simulated.risk.statistic("mean"))


def test_a_simulation_needs_two_trials_and_few_enough_groups() -> None:
    with pytest.raises(ValueError, match="at least 2 trials, got 1"):
        simulate(random_table(5, 2).attack(), np.random.default_rng(1), 1, estimate)
    groups = [AttributeGroup((f"a{number}",), 0.5) for number in range(63)]
    table = Table(((0,) * 63,), (1,) * 63, scenario_of(*groups))
    with pytest.raises(PolicyError, match="63 groups are more than the 62"):
        simulate(table.attack(), np.random.default_rng(1), 2, estimate)


def random_table(rows: int, groups: int, **changes: Any) -> Table:
    """A table of random people, each attribute a group of its own."""
    people = np.random.default_rng(rows).geometric(0.3, (rows, groups)).clip(1, 9)
    scenario = scenario_of(
        *(AttributeGroup((f"a{g}",), 0.3 + 0.4 * g / groups) for g in range(groups)), **changes
    )
    return Table(tuple(map(tuple, people.tolist())), (1,) * groups, scenario)


# --- suppressing classes one by one


def scan(table: Table, order: Sequence[int], statistic: str, threshold: float) -> int:
    """The shortest cut, by trying every prefix from workspace."""
    classes = table.classes()
    return next(
        prefix
        for prefix in range(len(order) + 1)
        if passes(
            risk_after(table.attack(), classes, order[:prefix], statistic, estimate), threshold
        )
    )


@pytest.mark.parametrize("p_cu", [0.0, None])
@settings(max_examples=150)
@given(data=st.data())
def test_the_shortest_cut_is_that_of_a_scan(p_cu: float | None, data: st.DataObject) -> None:
    table = data.draw(tables(max_rows=14, p_cu=p_cu))
    order = data.draw(st.permutations(range(table.classes().max() + 1)))
    statistic = data.draw(st.sampled_from(STATISTICS))
    risks = [
        risk_after(table.attack(), table.classes(), order[:prefix], statistic, estimate)
        for prefix in range(len(order) + 1)
    ]
    threshold = data.draw(st.sampled_from([*risks, *(risk * 0.99 for risk in risks), 0.1]))
    cut = shortest_cut(table.attack(), table.classes(), order, statistic, threshold, estimate)
    assert cut == scan(table, order, statistic, threshold)


@given(tables(max_rows=14), st.data())
def test_the_means_after_all_prefixes_are_those_computed_from_scratch(
    table: Table, data: st.DataObject
) -> None:
    classes = table.classes()
    order = data.draw(st.permutations(range(classes.max() + 1)))
    bounds = Suppression.of(table.attack(), classes, np.array(order)).mean_bounds()
    for means, unique in zip(bounds, (0.0, 1.0), strict=True):
        expected = [
            risk_after(table.attack(), classes, order[:prefix], "mean", lambda *_, u=unique: u)
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
        risk = risk_after(table.attack(), classes, gone, name, estimate)
        assert risk == pytest.approx(oracle.statistic(risks, name), abs=1e-12)


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("p_cu", [0.0, 0.8])
def test_larger_tables_are_cut_as_a_scan_does(statistic: str, p_cu: float) -> None:
    table = random_table(300, 3, p_cu=p_cu)
    classes = table.classes()
    order = np.argsort(np.bincount(classes), kind="stable").tolist()
    whole = risk_after(table.attack(), classes, [], statistic, estimate)
    for share in (0.95, 0.8, 0.5):
        cut = shortest_cut(table.attack(), classes, order, statistic, whole * share, estimate)
        assert cut == scan(table, order, statistic, whole * share)


@pytest.mark.parametrize("statistic", STATISTICS)
def test_beyond_the_scan_limit_the_cut_passes_and_the_one_before_does_not(statistic: str) -> None:
    table = random_table(300, 3)
    classes = table.classes()
    order = np.argsort(np.bincount(classes), kind="stable").tolist()
    threshold = 0.7 * risk_after(table.attack(), classes, [], statistic, estimate)
    arguments = table.attack(), classes, order, statistic, threshold, estimate
    cut = shortest_cut(*arguments, scan_limit=1)
    assert passes(risk_after(table.attack(), classes, order[:cut], statistic, estimate), threshold)
    before = risk_after(table.attack(), classes, order[: cut - 1], statistic, estimate)
    assert not passes(before, threshold)


def test_subsets_made_anew_give_the_same_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    table = random_table(100, 3)
    arguments = table.attack(), table.classes(), np.arange(table.classes().max() + 1), "p95", 0.2
    kept = shortest_cut(*arguments, estimate)
    monkeypatch.setattr(cuts, "CACHE_LIMIT", 0)
    assert shortest_cut(*arguments, estimate) == kept > 0


def test_without_p_cu_nothing_is_estimated() -> None:
    def refuse(sizes: Any, population: int) -> float:
        raise AssertionError

    table = random_table(100, 3, p_cu=0.0)
    classes = table.classes()
    for statistic in STATISTICS:
        shortest_cut(table.attack(), classes, np.arange(classes.max() + 1), statistic, 0.1, refuse)


@pytest.mark.parametrize("order", [[0], [0, 1, 1], []])
def test_an_order_that_leaves_out_or_repeats_a_class_is_refused(order: list[int]) -> None:
    table = Table(((0,), (1,)), (1,), scenario_of(AttributeGroup(("a0",), 1)))
    with pytest.raises(ValueError, match="must have each class with records once"):
        shortest_cut(table.attack(), table.classes(), order, "mean", 0.1, estimate)


def test_a_threshold_below_0_is_refused() -> None:
    table = Table(((0,),), (1,), scenario_of(AttributeGroup(("a0",), 1)))
    with pytest.raises(ValueError, match="a threshold is at least 0, got -1"):
        shortest_cut(table.attack(), table.classes(), [0], "mean", -1, estimate)


def test_the_demo_scenario_can_be_assessed_with_the_default_estimate() -> None:
    path = Path(__file__).parents[2] / "hierarchies" / "demo" / "scenario.toml"
    scenario = Scenario.read(path)
    people = np.random.default_rng(1).integers(0, 3, (200, 7))
    codes = dict(zip(scenario.attributes, people.T, strict=True))
    learned = learned_probabilities(scenario, {"age": (["1", "40", "80"], people[:, 0])}, 200)
    risk = assess(Attack.build(scenario, codes, np.ones(200, int), learned))
    assert (risk.prosecutor[people[:, 0] == 0] < risk.prosecutor.max()).all()
    assert 0 < risk.statistic("mean") < risk.statistic("p95") <= risk.statistic("maximum") < 1
