from __future__ import annotations

import pytest

from anonymizer.errors import show_values
from anonymizer.hierarchy import (
    Builder,
    Defect,
    Explicit,
    Hierarchy,
    Priority,
    Redaction,
    check_values,
)

AGES = Hierarchy.from_rows("age", [("34", "*"), ("35", "*")], "hierarchies/age.csv")
pytestmark = pytest.mark.usefixtures("values_shown")
MONTHS = Hierarchy.from_rows("month", [("07", "*"), ("12", "*")])
SEXES = Hierarchy.from_rows("sex", [("Male", "*"), ("Female", "*")])


def test_covered_values_have_no_defects() -> None:
    assert check_values(AGES, ["34", "35", "34"]) == []


def test_values_without_a_leaf_are_listed_with_the_file_to_fix() -> None:
    assert check_values(AGES, ["34", "1", "2", "1"]) == [
        Defect(
            "error",
            "age",
            None,
            "1",
            "column 'age': 2 values have no row in its hierarchy: '1', '2'. "
            "Add them to hierarchies/age.csv.",
        )
    ]


@pytest.mark.parametrize(
    ("hierarchy", "value", "message"),
    [
        (AGES, "34.0", "it differs from a leaf by a decimal point: write it as '34'."),
        (SEXES, " Male", "it differs from a leaf by blanks around the value: write it as 'Male'."),
        (MONTHS, "7", "it differs from a leaf by leading zeros: write it as '07'."),
        (MONTHS, " 7.0", "it differs from a leaf by leading zeros: write it as '07'."),
        (SEXES, "female", "it differs from a leaf by upper and lower case: write it as 'Female'."),
    ],
)
def test_a_type_trap_is_named_with_the_leaf_that_was_meant(
    hierarchy: Hierarchy, value: str, message: str
) -> None:
    (defect,) = check_values(hierarchy, [value])
    assert defect.message.startswith(f"column '{hierarchy.name}': 1 value has no row: '{value}'; ")
    assert defect.message.endswith(message)
    assert (defect.severity, defect.value) == ("error", value)


def test_values_in_one_trap_share_a_message_apart_from_the_others() -> None:
    trapped, unknown = check_values(AGES, ["34.0", "35.0", "99"])
    assert trapped.message == (
        "column 'age': 2 values have no row: '34.0', '35.0'; they differ from its leaves by "
        "a decimal point: write '34.0' as '34', and so on."
    )
    assert unknown.value == "99"


def test_missing_cells_without_a_leaf_are_a_warning() -> None:
    (defect,) = check_values(AGES, ["34", ""])
    assert (defect.severity, defect.message) == (
        "warning",
        "column 'age': missing cells have no row in its hierarchy; they get one of their own "
        "below the top unless you add it to hierarchies/age.csv.",
    )
    assert check_values(AGES.with_missing(), [""]) == []


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            ["Mx"],
            "column 'sex': 1 value has no row in its hierarchy (hidden without --show-values). ",
        ),
        (["male"], "it differs from a leaf by upper and lower case: write it as the leaf."),
        (["male", "female"], "by upper and lower case: write them as the leaves."),
    ],
)
def test_unless_they_may_be_shown_values_are_neither_in_the_message_nor_in_the_defect(
    values: list[str], message: str
) -> None:
    with show_values(False):
        (defect,) = check_values(SEXES, values)
    assert message in defect.message
    assert not any(f"'{value}'" in defect.message for value in [*values, "Male", "Female"])
    assert defect.value is None


@pytest.mark.parametrize(
    ("builder", "remedy"),
    [
        (Priority(("flu", "gout")), "Add it to dx.toml, or write `unlisted = true` there."),
        (
            Explicit(values=("flu", "gout")),
            "Add it to dx.toml, or cover what is not listed with `unlisted = true`.",
        ),
        (
            Redaction(values=("J45", "E11")),
            "Add it to dx.toml, or cover those of the same form with `unlisted = true`.",
        ),
    ],
)
def test_a_value_that_is_not_listed_is_refused_with_the_way_to_cover_it(
    builder: Builder, remedy: str
) -> None:
    (defect,) = check_values(builder.build("dx", "dx.toml"), ["new"])
    assert defect.message == f"column 'dx': 1 value has no row in its hierarchy: 'new'. {remedy}"
