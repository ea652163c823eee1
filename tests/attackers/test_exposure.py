"""The risks of records, exact and drawn, against the slow and obvious ways."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from anonymizer.attackers.attack import AttackedTable
from anonymizer.attackers.exposure import (
    MEASURES,
    Exposure,
    Method,
    count_subsets,
    draw,
    expose,
    sum_exactly,
)
from anonymizer.attackers.overall import check_exact
from anonymizer.attackers.placed import Subjects
from anonymizer.attackers.probability import HIGH, LOW, Chance
from anonymizer.attackers.scenario import AttributeGroup, Scenario
from anonymizer.attackers.statistics import statistic_of
from anonymizer.attackers.uniqueness import lower_end, upper_end
from anonymizer.demo.example import ATTACKERS
from anonymizer.errors import PolicyError
from anonymizer.estimators.uniques import unique_given_unique as by_pitman
from tests.attackers import matching_oracle, people
from tests.attackers import overall_oracle as oracle
from tests.attackers.people import AGE, CELLS, HIERARCHIES, read
from tests.attackers.tables import (
    Table,
    estimate,
    half,
    overall_risk,
    overall_risks,
    random_table,
    scenario_of,
    tables,
    with_ranges,
)
from tests.attackers.test_statistics import STATISTICS


def columns_of(exposure: Exposure) -> NDArray[np.float64]:
    return np.array([exposure.measure(name) for name in MEASURES])


def oracle_columns(risks: Sequence[oracle.Risks]) -> NDArray[np.float64]:
    return np.array([[getattr(risk, name) for risk in risks] for name in MEASURES])


def exact(attack: AttackedTable, estimate: Any = estimate) -> Exposure:
    return sum_exactly(attack, estimate=estimate)


# --- one level for each column, as a search has it


@given(tables())
def test_the_exact_risk_is_that_of_enumeration(table: Table) -> None:
    attack = table.attack()
    expected = oracle_columns(table.oracle())
    np.testing.assert_allclose(columns_of(exact(attack)), expected, rtol=0, atol=1e-12)
    alone = overall_risks(attack, estimate)[attack.row_of_tuple]
    np.testing.assert_allclose(alone, expected[0], rtol=0, atol=1e-12)


@given(tables(), st.data())
def test_suppressed_records_neither_match_nor_count(table: Table, data: st.DataObject) -> None:
    size = len(table.people)
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=size, max_size=size)))
    attack = table.attack(kept=kept)
    exposure, rows = exact(attack), np.flatnonzero(kept)
    expected = oracle_columns(table.oracle(rows.tolist())).reshape(4, -1)
    np.testing.assert_allclose(columns_of(exposure)[:, rows], expected, atol=1e-12)
    assert (columns_of(exposure)[:, ~kept] == 0).all()
    for name in STATISTICS:
        of_oracle = oracle.statistic(expected[0].tolist(), name)
        assert overall_risk(attack, name, estimate) == pytest.approx(of_oracle, abs=1e-12)


@given(tables())
def test_counts_are_repeated_rows(table: Table) -> None:
    distinct = sorted(set(table.people))
    counts = [table.people.count(person) for person in distinct]
    counted, repeated = table.attack(distinct, counts), table.attack()
    at = [distinct.index(person) for person in table.people]
    both = columns_of(exact(counted))[:, at], columns_of(exact(repeated))
    np.testing.assert_allclose(*both, atol=1e-14)
    for name in STATISTICS:
        same = overall_risk(repeated, name, estimate)
        assert overall_risk(counted, name, estimate) == pytest.approx(same, abs=1e-14)


@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_tuples_never_matters(table: Table, random: Any) -> None:
    order = list(range(len(table.people)))
    random.shuffle(order)
    shuffled = exact(table.attack([table.people[row] for row in order]))
    assert (columns_of(shuffled) == columns_of(exact(table.attack()))[:, order]).all()


@given(tables())
def test_risks_are_probabilities_and_in_their_order(table: Table) -> None:
    risk = exact(table.attack())
    assert ((columns_of(risk) >= 0) & (columns_of(risk) <= 1)).all()
    assert (risk.journalist <= risk.prosecutor).all()
    assert (risk.prosecutor <= risk.marketer + 1e-12).all()


@given(tables(), st.data())
def test_within_ranges_no_risk_is_above_that_at_their_upper_ends(table, data) -> None:
    ranged, within = data.draw(with_ranges(table.scenario))
    subjects = table.subjects()
    high, low = (exact(AttackedTable.of(subjects, ranged, end=end)) for end in (HIGH, LOW))
    some = AttackedTable.of(subjects, within)
    assert (exact(some).overall <= high.overall + 1e-12).all()
    if ranged.has_learned_ranges:  # then u_S is at least that of anything less known
        some = replace(some, monotone=True)
    assert (exact(some).overall <= high.overall + 1e-12).all()
    assert (exact(some).overall >= low.overall - 1e-12).all()


def test_an_estimate_that_falls_as_more_is_known_hides_nothing_within_a_range() -> None:
    """Alone by a0, and certain to be unique; with a1 too the estimate says the opposite."""

    def risk(a1: Any) -> float:
        scenario = scenario_of(
            AttributeGroup(("a0",), 1), AttributeGroup(("a1",), a1), p_m=0, p_c=0, p_cu=1
        )
        attack = Table(((0, 0), (1, 0), (1, 1)), (1, 1), scenario).attack()
        exposure = exact(attack, lambda sizes, _: float(sizes.size == 2))
        return float(exposure.overall[attack.row_of_tuple[0]])

    assert (risk(0.0), risk(1.0)) == (1.0, 0.0)
    assert risk((0.0, 1.0)) == 1.0


@given(tables(), st.data())
def test_of_a_population_table_the_unique_are_counted(table, data) -> None:
    """Among the table's people, and others, generalized alike."""
    others = data.draw(st.lists(st.sampled_from(table.people), max_size=4))
    among = [*table.people, *others]
    scenario = replace(table.scenario, population="people.csv")
    of_row = {
        name: np.array([row[at] for row in among], np.int64) for at, name in enumerate(table.names)
    }
    attack = AttackedTable.of(table.subjects().among(of_row), scenario)
    mine = columns_of(exact(attack))[:, : len(table.people)]
    for row, person in enumerate(table.people):
        expected = np.zeros(4)
        likely = oracle.all_known(
            scenario, lambda chance, row=row: oracle.number(chance, table.person(row))
        )
        parameters = [oracle.number(chance, table.person(row)) for chance in scenario.parameters]
        for weight, known in likely:
            groups = [g for g, is_known in zip(scenario.learned, known, strict=True) if is_known]
            names = {name for group in groups for name in group.attributes}
            mates, people = (
                sum(table.agree(person, other, names) for other in those)
                for those in (table.people, among)
            )
            expected += weight * np.array(
                oracle.routes(mates, parameters, lambda alone=people == 1: float(alone))
            )
        np.testing.assert_allclose(mine[:, row], expected, atol=1e-12)


AGES = ((0, 0), (1, 0), (1, 1))
"""Three people: the first has an age of her own, the other two differ by sex."""


def test_with_one_group_known_for_sure_the_risk_is_that_of_its_classes() -> None:
    scenario = scenario_of(AttributeGroup(("a0",), 1), AttributeGroup(("a1",), 0))
    risk = exact(Table(AGES, (1, 1), scenario).attack(), half)
    assert risk.marketer.tolist() == [1, 0.5, 0.5]
    assert risk.prosecutor.tolist() == [1, 0, 0]
    assert risk.journalist.tolist() == [0.5, 0, 0]
    unique = 1 - (1 - 0.5 * 0.4) * (1 - 0.8 * 0.5) * (1 - 0.25)
    np.testing.assert_allclose(risk.overall, [unique, 0.125, 0.125], rtol=1e-15)


def test_with_nothing_known_everyone_matches() -> None:
    scenario = scenario_of(AttributeGroup(("a0",), 0))
    risk = exact(Table(AGES, (1, 1), scenario).attack())
    np.testing.assert_allclose(risk.overall, 0.25 / 3, rtol=1e-15)
    assert not risk.prosecutor.any()
    assert not risk.journalist.any()


def test_without_confirmation_only_the_unique_are_at_risk() -> None:
    scenario = scenario_of(AttributeGroup(("a0",), 0.5), p_c=0)
    risk = exact(Table(AGES, (1, 1), scenario).attack(), half)
    np.testing.assert_allclose(risk.overall, [0.5 * (1 - (1 - 0.2) * (1 - 0.4)), 0, 0], rtol=1e-15)


def test_with_everything_certain_the_unique_are_re_identified() -> None:
    groups = AttributeGroup(("a0",), 1), AttributeGroup(("a1",), 1)
    scenario = scenario_of(*groups, p_m=1, p_fm=1, p_c=1, p_cu=1)
    risk = exact(Table(((0, 0), (1, 1), (1, 1)), (1, 1), scenario).attack(), half)
    assert risk.overall.tolist() == [1, 0.5, 0.5]


def test_what_cannot_be_estimated_counts_as_unique() -> None:
    attack = Table(AGES, (1, 1), scenario_of(AttributeGroup(("a0",), 1))).attack()
    assert exact(attack, lambda *_: None).journalist[0] == 1


def test_a_table_without_records_has_risk_0() -> None:
    scenario = scenario_of(AttributeGroup(("a0",), 0.5))
    attack = Table(AGES, (1, 1), scenario).attack(kept=[False] * 3)
    assert not columns_of(exact(attack)).any()
    for name in STATISTICS:
        assert overall_risk(attack, name, estimate) == 0
    assert not columns_of(draw(attack, np.random.default_rng(1), 10)).any()


def test_the_demo_scenario_can_be_assessed_with_the_default_estimate() -> None:
    path = ATTACKERS / "scenario.toml"
    scenario = Scenario.read(path)
    rows = np.random.default_rng(1).integers(0, 3, (200, 7))
    renamed = dict(zip(scenario.attributes, (f"a{at}" for at in range(7)), strict=True))
    groups = tuple(
        replace(
            group,
            attributes=tuple(renamed[name] for name in group.attributes),
            by=group.by and renamed[group.by],
            probabilities={"0": 0.0} if group.by else {},
        )
        for group in scenario.learned
    )
    table = Table(tuple(map(tuple, rows.tolist())), (1,) * 7, replace(scenario, learned=groups))
    attack = table.attack()
    risk = expose(attack)
    assert (risk.prosecutor[rows[:, 0] == 0] < risk.prosecutor.max()).all()
    mean, p95, highest = (overall_risk(attack, name) for name in ("mean", "p95", "maximum"))
    assert 0 < mean < p95 <= highest < 1


# --- mixed levels, as an assessment may have them


def per_row(subjects: Subjects, attack: AttackedTable) -> NDArray[np.float64]:
    exposure = sum_exactly(attack)
    measures = np.stack([exposure.prosecutor, exposure.journalist, exposure.marketer], axis=1)
    return measures[subjects.tuple_of_row]


@settings(max_examples=150, deadline=None)
@given(people.tables, people.scenarios())
def test_risks_at_mixed_levels_are_those_of_the_oracle(table, scenario) -> None:
    subjects = read(table)
    mine = per_row(subjects, AttackedTable.of(subjects, scenario))
    theirs = matching_oracle.risks(table, HIERARCHIES, scenario)
    np.testing.assert_allclose(mine, theirs, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(people.tables, people.scenarios())
def test_without_a_group_is_the_scenario_in_which_it_is_never_learned(table, scenario) -> None:
    subjects = read(table)
    exposure = sum_exactly(AttackedTable.of(subjects, scenario))
    for driver in exposure.drivers:
        group = scenario.learned[driver.group].with_chance(Chance(0.0))
        groups = [group if at == driver.group else g for at, g in enumerate(scenario.learned)]
        never = sum_exactly(AttackedTable.of(subjects, replace(scenario, learned=tuple(groups))))
        mean = statistic_of(never.overall, subjects.counts, "mean")
        assert driver.overall == pytest.approx(mean, abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(people.tables, people.scenarios())
def test_the_sets_that_may_be_known_add_up_to_the_mean(table, scenario) -> None:
    subjects = read(table)
    attack = AttackedTable.of(subjects, scenario)
    exposure = sum_exactly(attack)
    mean = statistic_of(exposure.overall, subjects.counts, "mean")
    shown = sum(known.overall for known in exposure.known_sets)
    assert shown <= mean + 1e-12
    if len(exposure.known_sets) < 10:  # no more are listed
        assert shown == pytest.approx(mean, abs=1e-12)
    assert exposure.subsets <= count_subsets(attack)


@given(st.permutations(range(8)), st.integers(1, 3))
@settings(max_examples=20, deadline=None)
def test_neither_the_order_of_rows_nor_the_workers_change_a_risk(order, workers) -> None:
    table = [
        {"age": CELLS["age"][i % 9], "sex": "FM"[i % 2], "zip": CELLS["zip"][i % 5]}
        for i in range(8)
    ]
    scenario = people.scenario_of(*(AttributeGroup((name,), 0.3) for name in HIERARCHIES))
    one = read(table)
    other = read([table[i] for i in order])
    first = expose(AttackedTable.of(one, scenario), 1)
    second = expose(AttackedTable.of(other, scenario), workers)
    np.testing.assert_array_equal(first.overall, second.overall)
    np.testing.assert_array_equal(one.tuple_of_row[list(order)], other.tuple_of_row)


# --- by drawing


@settings(max_examples=30)
@given(tables(), st.integers(0, 2**32))
def test_draws_agree_with_the_exact_risk(table: Table, seed: int) -> None:
    attack = table.attack()
    drawn = draw(attack, np.random.default_rng(seed), 2000, estimate=estimate)
    assert drawn.standard_error is not None
    ones = np.ones(len(table.people), np.int64)
    mean = statistic_of(drawn.overall, ones, "mean")
    slack = 4 * drawn.standard_error + 1 / 2000
    assert abs(mean - overall_risk(attack, "mean", estimate)) <= slack
    expected = columns_of(exact(attack))
    np.testing.assert_allclose(columns_of(drawn), expected, atol=4 * 0.5 / 2000**0.5)


def test_draws_repeat_with_their_seed_and_are_within_4_standard_errors() -> None:
    table = random_table(500, 3)
    attack = table.attack()
    runs = [draw(attack, np.random.default_rng(7), 300, estimate=estimate) for _ in range(2)]
    np.testing.assert_array_equal(runs[0].overall, runs[1].overall)
    error = runs[0].standard_error
    assert error is not None
    assert 0 < error < 0.02
    mean = statistic_of(runs[0].overall, np.ones(500, np.int64), "mean")
    assert abs(mean - overall_risk(attack, "mean", estimate)) < 4 * error


def test_drawing_agrees_with_the_sum_within_three_standard_errors() -> None:
    random = np.random.default_rng(5)
    table = [
        {name: str(random.choice(HIERARCHIES[name].leaves)) for name in HIERARCHIES}
        for _ in range(12)
    ]
    by = AttributeGroup(("age",), by="sex", probabilities={"F": 0.2}, default=0.7)
    groups = by, AttributeGroup(("sex",), 0.4), AttributeGroup(("zip",), 0.3)
    scenario = people.scenario_of(*groups)
    subjects = read(table)
    attack = AttackedTable.of(subjects, scenario)
    summed, drawn = expose(attack), draw(attack, random, 1000)
    assert (summed.method, drawn.method) == (Method.EXACT, Method.SIMULATED)
    assert drawn.standard_error is not None
    means = [statistic_of(e.overall, subjects.counts, "mean") for e in (summed, drawn)]
    assert abs(means[0] - means[1]) <= 3 * drawn.standard_error
    for one, other in zip(summed.drivers, drawn.drivers, strict=True):
        assert other.probability == one.probability
        assert other.overall == pytest.approx(one.overall, abs=0.02)
    assert expose(attack, work_limit=0).method is Method.SIMULATED


@settings(max_examples=40, deadline=None)
@given(people.tables, people.scenarios(), st.booleans())
def test_the_interval_is_the_mean_with_every_u_at_an_end(table, scenario, drawn) -> None:
    subjects = read(table)
    attack = AttackedTable.of(subjects, scenario)

    def measure(estimate) -> Exposure:
        if drawn:
            return draw(attack, np.random.default_rng(3), 20, estimate=estimate)
        return sum_exactly(attack, estimate=estimate)

    def mean(exposure: Exposure) -> float:
        return statistic_of(exposure.journalist, subjects.counts, "mean")

    found = measure(by_pitman)
    assert found.journalist_interval.low == pytest.approx(mean(measure(lower_end)), abs=1e-12)
    # where the model cannot be fitted u_S is 1, which is the upper end there
    assert found.journalist_interval.high == pytest.approx(mean(measure(upper_end)), abs=1e-12)
    assert found.journalist_interval.low <= mean(found) + 1e-12
    assert mean(found) <= found.journalist_interval.high + 1e-12


def test_what_is_always_drawn_cannot_be_left_out_by_drawing() -> None:
    """Without a certain group there is no draw to look at: it is left out, not said to be nothing."""
    groups = AttributeGroup(("age",), 1.0), AttributeGroup(("zip",), 0.5)
    table = [{"age": age, "sex": "F", "zip": "11"} for age in AGE.leaves]
    attack = AttackedTable.of(read(table), people.scenario_of(*groups))
    drawn = draw(attack, np.random.default_rng(1), 20)
    assert [driver.group for driver in drawn.drivers] == [1]


def test_too_many_groups_are_drawn_or_refused() -> None:
    groups = [AttributeGroup((f"a{number}",), 0.02) for number in range(40)]
    rows = np.random.default_rng(5).integers(0, 2, (50, 40))
    attack = Table(tuple(map(tuple, rows.tolist())), (1,) * 40, scenario_of(*groups)).attack()
    with pytest.raises(PolicyError, match=r"40 groups are more than the 20 .* which draws"):
        check_exact(attack.scenario)
    drawn = draw(attack, np.random.default_rng(5), 20, estimate=estimate)
    assert (drawn.overall >= 0.25 / 50).all()
    assert (drawn.overall < 1).all()
    with pytest.raises(ValueError, match="at least 2 trials, got 1"):
        draw(attack, np.random.default_rng(1), 1)
