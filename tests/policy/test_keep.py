"""Conditions that tell groups: what is read, what is refused, and in which words."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer.errors import PolicyError
from anonymizer.policy import Policy
from anonymizer.policy.keep import Condition


@pytest.mark.parametrize(
    ("text", "column", "sign", "values"),
    [
        ("died = 1", "died", "=", ("1",)),
        ("died=1", "died", "=", ("1",)),
        ("ward != 'A, left'", "ward", "!=", ("A, left",)),
        ("`ward no` in (3, 'x y', z z)", "ward no", "in", ("3", "x y", "z z")),
        ("age >= 80", "age", ">=", ("80",)),
        ("t < -1.5", "t", "<", ("-1.5",)),
        ("note = ''", "note", "=", ("",)),
        ("größe = groß", "größe", "=", ("groß",)),
    ],
)
def test_a_condition_is_a_column_a_sign_and_values(
    text: str, column: str, sign: str, values: tuple[str, ...]
) -> None:
    assert Condition.parse(text) == Condition(column, sign, values)


@pytest.mark.parametrize(
    "text",
    [
        "", "died", "= 1", "died =", "died == 1", "died = 1, 2", "died in 1, 2", "died in ()",
        "age > old", "ward no = 3", "died = 1 or 1 = 1", "__import__('os') = 1", "died = (1)",
        "died in (1,)", "died = 'it's'", "died like 1", "age < 1 < 2", "died = `x`",
    ],
)  # fmt: skip
def test_what_is_no_condition_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(ValueError, match=r"write it as died = 1") as raised:
        Condition.parse(text)
    assert "\n" not in str(raised.value)


@given(text=st.text(max_size=30))
def test_any_text_is_a_condition_or_refused(text: str) -> None:
    try:
        read = Condition.parse(text)
    except ValueError:
        return
    assert read.column
    assert read.values


@given(
    cells=st.lists(st.sampled_from(["", "1", "1.0", "01", "2", "2.5", "-3"]), max_size=8),
    limit=st.sampled_from(["1", "2.5", "-3"]),
)
def test_cells_meet_a_condition_as_the_obvious_way_says(cells: list[str], limit: str) -> None:
    signs: dict[str, Any] = {
        "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
        ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
    }  # fmt: skip
    for sign, holds in signs.items():
        found = Condition.parse(f"x {sign} {limit}").meets(cells).tolist()
        assert found == [bool(cell) and holds(float(cell), float(limit)) for cell in cells]
    same = {"1": {"1", "1.0"}, "2.5": {"2.5"}, "-3": {"-3"}}[limit]
    equal = Condition.parse(f"x = {limit}").meets(cells).tolist()
    assert equal == [cell in same for cell in cells]
    assert Condition.parse(f"x != {limit}").meets(cells).tolist() == [not each for each in equal]
    both = Condition.parse(f"x in ({limit}, '')").meets(cells).tolist()
    assert both == [cell in {*same, ""} for cell in cells]


def policy(**changes: Any) -> Policy:
    """Return a policy that keeps a group, with some keys changed."""
    keys: dict[str, Any] = {
        "attributes": {
            "sex": {"role": "quasi", "hierarchy": {"F": "*", "M": "*"}},
            "died": {"role": "insensitive"},
            "person": {"role": "identifying"},
        },
        "risk": [{"model": "k-anonymity", "k": 2}],
        "keep": [{"where": "died = 1", "at_least": 0.95}],
    }
    return Policy(**{**keys, **changes})


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"keep": [{"where": "dead = 1", "at_least": 1}]}, "did you mean"),
        ({"keep": [{"where": "died = 1", "at_least": 0}]}, "keep.0.at_least: 0 is too small"),
        ({"keep": [{"where": "died = 1", "at_least": 1.5}]}, "keep.0.at_least: 1.5 is too large"),
        ({"keep": [{"where": "died = 1"}]}, "keep.0.at_least"),
        ({"keep": [{"where": "died = 1", "at_least": 1}] * 2}, "is there twice"),
        (
            {"data": {"id": "person"}, "keep": [{"where": "person = 1", "at_least": 1}]},
            "whose a row is",
        ),
        ({"release": {"layers": True}}, "one scheme for all records"),
    ],
)
def test_what_keep_cannot_be_is_one_sentence(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(PolicyError, match=re.escape(said)):
        policy(**changes)


def test_linked_tables_keep_no_groups() -> None:
    events = {"id": "person", "attributes": {"person": {"role": "identifying"}}}
    with pytest.raises(PolicyError, match=r"\[\[keep\]\] counts the records of one table"):
        policy(
            data={"id": "person"},
            tables={"visits": events},
            risk=[{"model": "study", "k": 2, "power": 1}],
        )


def test_a_policy_says_what_it_keeps_and_only_then() -> None:
    assert policy().describe()["keep"] == [{"where": "died = 1", "at_least": 0.95}]
    assert "keep" not in policy(keep=[]).describe()
