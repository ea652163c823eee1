"""The risks of records of any level, against the slow and obvious way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer.data.table import FrameTable
from anonymizer.errors import DataError, HierarchyError
from anonymizer.hierarchy import Hierarchy
from anonymizer.knowledge.exposure import Method, count_subsets, draw, expose, sum_exactly
from anonymizer.knowledge.scenario import AttributeGroup, Scenario
from anonymizer.knowledge.target import Target
from anonymizer.knowledge.values import Subjects, Values
from tests.assessment.procedure import oracle

AGE = Hierarchy.from_rows(
    "age", [("21", "20s", "-39", "*"), ("25", "20s", "-39", "*"), ("33", "30s", "-39", "*"),
            ("47", "40s", "40-", "*"), ("90", "90", "40-", "*")]
)  # fmt: skip
SEX = Hierarchy.from_rows("sex", [("F",), ("M",)])  # no top of its own
ZIP = Hierarchy.from_rows("zip", [("11", "1*", "*"), ("12", "1*", "*"), ("21", "2*", "*")])
HIERARCHIES = {h.name: h for h in (AGE, SEX, ZIP)}
CELLS = {h.name: sorted({"*", *(t for row in h.rows() for t in row)}) for h in (AGE, SEX, ZIP)}

chances = st.sampled_from([0.0, 1.0, 0.5, 0.3, 0.07])


def read(people: list[dict[str, str]]) -> Subjects:
    return Subjects.read(FrameTable(pd.DataFrame(people)), list(HIERARCHIES.values()))


def scenario_of(*groups: AttributeGroup, population: int = 1000) -> Scenario:
    return Scenario(groups, population, 0.5, 0.4, 0.3, 0.2)


@st.composite
def scenarios(draw_: st.DrawFn) -> Scenario:
    names = draw_(st.permutations(list(HIERARCHIES)))
    cut = draw_(st.integers(1, 2))
    groups = []
    for attributes in (names[:cut], names[cut:]):
        levels = {
            name: draw_(st.integers(0, HIERARCHIES[name].height - 1))
            for name in attributes
            if draw_(st.booleans())
        }
        if draw_(st.booleans()):
            by = draw_(st.sampled_from(list(HIERARCHIES)))
            leaf = draw_(st.sampled_from(HIERARCHIES[by].leaves))
            group = AttributeGroup(
                tuple(attributes),
                by=by,
                probabilities={leaf: draw_(chances)},
                default=draw_(chances),
                levels=levels,
            )
        else:
            group = AttributeGroup(tuple(attributes), draw_(chances), levels=levels)
        groups.append(group)
    return scenario_of(*groups)


people = st.lists(
    st.fixed_dictionaries({name: st.sampled_from(cells) for name, cells in CELLS.items()}),
    min_size=1,
    max_size=9,
)


def per_row(subjects: Subjects, target: Target) -> np.ndarray:
    exposure = sum_exactly(target, 1, None)
    measures = np.stack([exposure.prosecutor, exposure.journalist, exposure.marketer], axis=1)
    return measures[subjects.tuple_of_row]


@settings(max_examples=150, deadline=None)
@given(people, scenarios())
def test_risks_at_mixed_levels_are_those_of_the_oracle(table, scenario) -> None:
    subjects = read(table)
    mine = per_row(subjects, Target.of(subjects, scenario))
    np.testing.assert_allclose(mine, oracle.risks(table, HIERARCHIES, scenario), atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(people, scenarios())
def test_without_a_group_is_the_scenario_in_which_it_is_never_learned(table, scenario) -> None:
    subjects = read(table)
    exposure = sum_exactly(Target.of(subjects, scenario), 1, None)
    for driver in exposure.drivers:
        group = replace(
            scenario.groups[driver.group], probability=0.0, by=None, probabilities={}, default=None
        )
        groups = [group if at == driver.group else g for at, g in enumerate(scenario.groups)]
        never = sum_exactly(Target.of(subjects, replace(scenario, groups=tuple(groups))), 1, None)
        mean = (never.overall * subjects.counts).sum() / subjects.records
        assert driver.overall(scenario) == pytest.approx(mean, abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(people, scenarios())
def test_the_sets_that_may_be_known_add_up_to_the_mean(table, scenario) -> None:
    subjects = read(table)
    exposure = sum_exactly(Target.of(subjects, scenario), 1, None)
    mean = (exposure.overall * subjects.counts).sum() / subjects.records
    assert sum(known.overall for known in exposure.known_sets) == pytest.approx(mean, abs=1e-12)
    assert exposure.subsets <= count_subsets(Target.of(subjects, scenario))


@given(st.permutations(range(8)), st.integers(1, 3))
@settings(max_examples=20, deadline=None)
def test_neither_the_order_of_rows_nor_the_workers_change_a_risk(order, workers) -> None:
    table = [
        {"age": CELLS["age"][i % 9], "sex": "FM"[i % 2], "zip": CELLS["zip"][i % 5]}
        for i in range(8)
    ]
    scenario = scenario_of(*(AttributeGroup((name,), 0.3) for name in HIERARCHIES))
    one = read(table)
    other = read([table[i] for i in order])
    first = expose(Target.of(one, scenario), 1)
    second = expose(Target.of(other, scenario), workers)
    np.testing.assert_array_equal(first.overall, second.overall)
    np.testing.assert_array_equal(one.tuple_of_row[list(order)], other.tuple_of_row)


def test_finer_and_coarser_values_match_and_suppressed_cells_match_everything() -> None:
    table = [
        {"age": "25", "sex": "F", "zip": "11"},
        {"age": "20s", "sex": "F", "zip": "11"},  # covers the first
        {"age": "33", "sex": "F", "zip": "11"},  # covered by none of them
        {"age": "*", "sex": "*", "zip": "*"},  # suppressed
        {"age": "47", "sex": "M", "zip": "21"},
    ]
    certain = scenario_of(AttributeGroup(("age", "sex", "zip"), 1.0))
    subjects = read(table)
    shares = expose(Target.of(subjects, certain)).marketer[subjects.tuple_of_row]
    assert (1 / shares).round(9).tolist() == [3, 3, 2, 5, 2]
    decades = scenario_of(AttributeGroup(("age", "sex", "zip"), 1.0, levels={"age": 2}))
    shares = expose(Target.of(subjects, decades)).marketer[subjects.tuple_of_row]
    assert (1 / shares).round(9).tolist() == [4, 4, 4, 5, 2]


def test_drawing_agrees_with_the_sum_within_three_standard_errors() -> None:
    random = np.random.default_rng(5)
    table = [
        {name: str(random.choice(HIERARCHIES[name].leaves)) for name in HIERARCHIES}
        for _ in range(12)
    ]
    by = AttributeGroup(("age",), by="sex", probabilities={"F": 0.2}, default=0.7)
    scenario = scenario_of(by, AttributeGroup(("sex",), 0.4), AttributeGroup(("zip",), 0.3))
    subjects = read(table)
    target = Target.of(subjects, scenario)
    exact, drawn = expose(target), draw(target, random, 1000, None)
    assert (exact.method, drawn.method) == (Method.EXACT, Method.SIMULATED)
    assert drawn.standard_error is not None
    means = [(e.overall * subjects.counts).sum() / subjects.records for e in (exact, drawn)]
    assert abs(means[0] - means[1]) <= 3 * drawn.standard_error
    for one, other in zip(exact.drivers, drawn.drivers, strict=True):
        assert other.probability == one.probability
        assert other.overall(scenario) == pytest.approx(one.overall(scenario), abs=0.02)
    assert expose(target, work_limit=0).method is Method.SIMULATED


def test_what_is_always_drawn_cannot_be_left_out_by_drawing() -> None:
    """Without a certain group there is no draw to look at: it is left out, not said to be nothing."""
    groups = AttributeGroup(("age",), 1.0), AttributeGroup(("zip",), 0.5)
    table = [{"age": age, "sex": "F", "zip": "11"} for age in AGE.leaves]
    target = Target.of(read(table), scenario_of(*groups))
    drawn = draw(target, np.random.default_rng(1), 20, None)
    assert [driver.group for driver in drawn.drivers] == [1]


def test_a_value_that_no_level_has_is_named() -> None:
    with pytest.raises(HierarchyError, match=r"column 'zip': 1 values are unknown.*'99'"):
        read([{"age": "25", "sex": "F", "zip": "99"}])


def test_a_missing_cell_matches_missing_and_suppressed_cells_only() -> None:
    table = [{"age": "25", "sex": sex, "zip": "11"} for sex in ("", "", "F", "*")]
    certain = scenario_of(AttributeGroup(("sex",), 1.0))
    subjects = read(table)
    shares = expose(Target.of(subjects, certain)).marketer[subjects.tuple_of_row]
    assert (1 / shares).round(9).tolist() == [3, 3, 2, 4]


def test_too_many_combinations_of_levels_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anonymizer.knowledge.target.MIXTURE_LIMIT", 2)
    table = [{"age": age, "sex": "F", "zip": "11"} for age in ("25", "20s", "-39")]
    with pytest.raises(DataError, match="mixes 3 combinations of levels"):
        Target.of(read(table), scenario_of(AttributeGroup(("age",), 1.0)))


def test_a_value_covers_the_leaves_below_it() -> None:
    values = Values.of(AGE, ["20s", "90", "*", "33"])
    assert values.texts == ("33", "90", "20s", "*")
    assert [values.leaves_of(at) for at in range(4)] == [
        ["33"],
        ["90"],
        ["21", "25"],
        list(AGE.leaves),
    ]
