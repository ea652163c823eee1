"""Singling out against the slow and obvious way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer import Policy, attack
from anonymizer.attacks.reading import read_setting
from anonymizer.attacks.setting import AttackPlan, Setting
from anonymizer.attacks.singling_out import (
    compared_with,
    multivariate,
    rarest,
    singling_out,
    try_column,
    try_rows,
    univariate,
)
from tests.attacks.small import Small, smalls


def has(small: Small, released: int, record: int, known: list[int]) -> bool:
    return small.covers(released, record, known)


@pytest.mark.parametrize("grows", [True, False])
@given(small=smalls(), data=st.data())
def test_a_predicate_grows_until_no_other_row_has_it_and_singles_out_if_one_record_does(
    small: Small, data: st.DataObject, grows: bool
) -> None:
    setting = small.setting()
    columns = list(setting.quasi)
    order = np.array(data.draw(st.permutations(range(len(columns)))), np.int64)
    for levels, rows in setting.cells.parts(columns):
        some = np.arange(rows.size)
        random = np.random.default_rng(0)
        found = try_rows(setting, columns, levels, rows, some, order, grows, None, random)
        for at, row in enumerate(rows.tolist()):
            known: list[int] = []
            for column in order.tolist():
                known.append(column)
                cells = [tuple(small.cells[other][c] for c in known) for other in rows.tolist()]
                if grows and cells.count(cells[at]) == 1:
                    break
            people = sum(has(small, row, record, known) for record in range(len(small.rows)))
            assert found.alone[at] == (people == 1)


@given(smalls())
def test_the_rarest_cells_of_a_column_single_out_where_one_record_has_them(small: Small) -> None:
    setting = small.setting()
    for column in setting.quasi:
        kinds: dict[tuple[int, str], list[int]] = {}
        for row, (_, levels) in enumerate(small.released):
            kinds.setdefault((levels[column], small.cells[row][column]), []).append(row)
        fewest = min(map(len, kinds.values()))
        assert rarest(setting, column) == fewest
        expected = sorted(
            sum(has(small, rows[0], record, [column]) for record in range(len(small.rows))) == 1
            for rows in kinds.values()
            if len(rows) == fewest
        )
        assert sorted(try_column(setting, column, None)[0].tolist()) == expected


def distinct(people: int) -> pd.DataFrame:
    return pd.DataFrame({"a": [f"v{at}" for at in range(people)], "secret": ["x"] * people})


def policy_of(people: int) -> dict[str, Any]:
    groups = {f"v{at}": "*" for at in range(people)}
    return {
        "attributes": {
            "a": {"role": "quasi", "hierarchy": groups},
            "secret": {"role": "sensitive"},
        },
        "risk": [{"model": "k-anonymity", "k": 2}],
    }


def test_an_original_that_is_released_as_it_is_singles_everybody_out() -> None:
    frame = distinct(40)
    found = attack(frame, policy_of(40), frame)
    for name in ("univariate", "multivariate", "all columns"):
        assert found[f"singling out, {name}"].success.estimate.value == 1


def test_where_everything_is_redacted_nobody_is_singled_out() -> None:
    frame = distinct(40)
    found = attack(frame.assign(a="*"), policy_of(40), frame)
    for name in ("univariate", "multivariate"):
        result = found[f"singling out, {name}"]
        assert result.success.successes == 0
        assert not result.exceeds


def test_with_a_control_table_the_same_predicates_are_tried_there() -> None:
    small = Small((("v0",), ("v1",)), ({"v0": ("v0",), "v1": ("v1",)},), ("x", "y"), ((0, (0,)),))
    there = pd.DataFrame({"a0": ["v0", "v0"]})
    found = attack(small.release(), small.policy(), small.frame(), control=there)
    one = found["singling out, univariate"]
    assert (one.success.successes, one.baseline.successes, one.baseline.trials) == (1, 0, 1)
    assert "control" in one.baseline_of


@given(smalls())
def test_no_more_is_tried_than_is_planned(small: Small) -> None:
    setting = small.setting(people=2)
    assert univariate(setting).success.trials <= 2
    assert multivariate(setting, setting.quasi, "", "").success.trials == min(
        2, len(small.released)
    )


@pytest.mark.parametrize("with_control", [False, True])
def test_what_two_people_have_singles_nobody_out_here_or_in_the_baseline(
    with_control: bool,
) -> None:
    tree = {f"v{at}": (f"v{at}",) for at in range(20)}
    rows = tuple((f"v{at // 2}", f"v{at // 2}") for at in range(40))
    small = Small(rows, (tree, tree), ("x",) * 40, tuple((at, (0, 0)) for at in range(40)))
    control = small.frame() if with_control else None
    found = attack(small.release(), small.policy(), small.frame(), control=control)
    for name in ("univariate", "multivariate", "all columns"):
        result = found[f"singling out, {name}"]
        assert result.success.successes == result.baseline.successes == 0
        assert result.baseline.trials > 0


@pytest.mark.parametrize("with_control", [False, True])
def test_what_one_person_has_singles_them_out_in_the_baseline_too(with_control: bool) -> None:
    tree = {f"v{at}": (f"v{at}",) for at in range(20)}
    rows = tuple((f"v{at}",) for at in range(20))
    small = Small(rows, (tree,), ("x",) * 20, tuple((at, (0,)) for at in range(20)))
    control = small.frame() if with_control else None
    found = attack(small.release(), small.policy(), small.frame(), control=control)
    for name in ("univariate", "multivariate"):
        assert found[f"singling out, {name}"].baseline.estimate.value == 1


def setting_of(released: pd.DataFrame, original: pd.DataFrame, **others: Any) -> Setting:
    policy = policy_of(len(original))
    if "secret" not in original:
        del policy["attributes"]["secret"]
    return read_setting(released, original, Policy(**policy), None, AttackPlan(), **others)


def test_all_columns_are_tried_where_there_are_more_than_quasi_identifiers() -> None:
    frame = distinct(6)
    assert [each.name for each in singling_out(setting_of(frame, frame))] == [
        "singling out, univariate",
        "singling out, multivariate",
        "singling out, all columns",
    ]
    bare = frame[["a"]]
    assert len(singling_out(setting_of(bare, bare))) == 2


def test_where_no_row_is_released_it_is_said_and_not_tried() -> None:
    frame = distinct(6)
    found = singling_out(setting_of(frame.head(0), frame))
    assert {each.skipped for each in found} == {"no row is released."}


@pytest.mark.parametrize(("there", "expected"), [(40, 6), (3, 3)])
def test_of_a_control_table_as_many_people_are_compared_as_the_original_has(
    there: int, expected: int
) -> None:
    frame = distinct(6)
    control = pd.concat([frame] * there)[:there]
    setting = setting_of(frame, frame, control=control)
    compared, _ = compared_with(setting, setting.quasi)
    assert compared is not None
    assert compared.shape[1] == expected


def test_with_a_control_table_predicates_of_several_cells_are_tried_there_too() -> None:
    frame = distinct(6)
    for control, singled_out in ((None, 6), (frame, 6), (frame.assign(a="v0"), 0)):
        setting = setting_of(frame, frame, control=control)
        found = multivariate(setting, setting.quasi, "", "")
        assert found.success.successes == 6
        assert found.baseline.successes == singled_out, control
