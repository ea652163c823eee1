"""Who matches whom, and what may be known."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from anonymizer.attackers.attack import AttackedTable, attack_on
from anonymizer.attackers.exposure import sum_exactly
from anonymizer.attackers.scenario import AttributeGroup
from anonymizer.data.pandas import FrameTable
from anonymizer.errors import DataError, PolicyError
from anonymizer.hierarchy import Hierarchy
from anonymizer.table.microdata import encode
from tests.attackers.people import read, scenario_of
from tests.attackers.tables import Table, tables


def matching(people: list[dict[str, str]], group: AttributeGroup) -> list[int]:
    """How many match each person when a group is known."""
    subjects = read(people)
    attack = AttackedTable.of(subjects, scenario_of(group))
    matches = attack.count(attack.know([True]).parts)
    of_tuple = matches.records[matches.labels][attack.row_of_tuple]
    return of_tuple[subjects.tuple_of_row].tolist()


def test_finer_and_coarser_values_match_and_suppressed_cells_match_everything() -> None:
    table = [
        {"age": "25", "sex": "F", "zip": "11"},
        {"age": "20s", "sex": "F", "zip": "11"},  # covers the first
        {"age": "33", "sex": "F", "zip": "11"},  # covered by none of them
        {"age": "*", "sex": "*", "zip": "*"},  # suppressed
        {"age": "47", "sex": "M", "zip": "21"},
    ]
    names = "age", "sex", "zip"
    assert matching(table, AttributeGroup(names, 1.0)) == [3, 3, 2, 5, 2]
    assert matching(table, AttributeGroup(names, 1.0, levels={"age": 2})) == [4, 4, 4, 5, 2]


def test_a_missing_cell_matches_missing_and_suppressed_cells_only() -> None:
    table = [{"age": "25", "sex": sex, "zip": "11"} for sex in ("", "", "F", "*")]
    assert matching(table, AttributeGroup(("sex",), 1.0)) == [3, 3, 2, 4]


def test_too_many_combinations_of_levels_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anonymizer.attackers.attack.MIXTURE_LIMIT", 2)
    table = [{"age": age, "sex": "F", "zip": "11"} for age in ("25", "20s", "-39")]
    with pytest.raises(DataError, match="mixes 3 combinations of levels"):
        AttackedTable.of(read(table), scenario_of(AttributeGroup(("age",), 1.0)))


def test_a_table_at_one_level_for_each_column_needs_no_joins() -> None:
    table = [{"age": age, "sex": "F", "zip": "1*"} for age in ("25", "33")]
    group = AttributeGroup(("age", "sex", "zip"), 1.0, levels={"age": 2})
    assert AttackedTable.of(read(table), scenario_of(group)).joins == ()


@given(tables())
def test_every_set_that_may_be_known_is_walked_once(table: Table) -> None:
    attack = table.attack()
    groups = len(table.scenario.learned)
    walked = [tuple(knowledge.known.tolist()) for knowledge in attack.walk()]
    everything = list(product((False, True), repeat=groups))
    possible = [known for known in everything if attack.chances.probability(np.array(known)).any()]
    assert walked == possible
    further = [tuple(knowledge.known.tolist()) for knowledge in attack.walk(but_for=1)]
    assert further == [
        known
        for known in everything
        if attack.chances.probability(np.array(known)).any()
        or attack.chances.probability_without(np.array(known)).any()
    ]
    for depth in range(groups + 2):
        parts = [attack.walk(branch, but_for=1) for branch in attack.branches(depth)]
        assert [tuple(k.known.tolist()) for part in parts for k in part] == further


@given(tables())
def test_rows_are_merged_exactly_if_the_attacker_cannot_tell_them_apart(table: Table) -> None:
    attack = table.attack()
    seen = [
        (
            *(labels.of_row[row] for labels in attack.group_labels),
            *attack.chances.groups[attack.kind[row]].tolist(),
            *attack.chances.causes[attack.kind[row]].tolist(),
            *attack.chances.parameters[attack.kind[row]].tolist(),
        )
        for row in range(attack.counts.size)
    ]
    assert len(set(seen)) == attack.counts.size
    assert attack.counts.sum() == len(table.people)


def test_a_scheme_generalizes_what_matches_but_not_what_is_learned() -> None:
    age = Hierarchy.from_rows("age", [("1", "young"), ("2", "young"), ("3", "old")])
    sex = Hierarchy.from_rows("sex", [("F", "*"), ("M", "*")])
    frame = pd.DataFrame([("1", "F"), ("2", "F"), ("3", "M")], columns=["age", "sex"])
    voters = AttributeGroup(("age",), by="age", probabilities={"1": 1.0}, default=0.0)
    scenario = scenario_of(voters)
    risk = sum_exactly(attack_on(encode(FrameTable(frame), [age, sex]), (1, 1), scenario))
    np.testing.assert_allclose(risk.marketer, [1 / 2, 1 / 3, 1 / 3])
    with pytest.raises(PolicyError, match="'age' is not a quasi-identifier"):
        attack_on(encode(FrameTable(frame[["sex"]]), [sex]), (0,), scenario)
    too_coarse = scenario_of(AttributeGroup(("sex",), 0.5, levels={"sex": 2}))
    with pytest.raises(PolicyError, match=r"levels\.sex: 2 is above the top"):
        attack_on(encode(FrameTable(frame), [age, sex]), (0, 0), too_coarse)
