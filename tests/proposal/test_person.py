"""Which column tells whose a row is."""

from __future__ import annotations

import numpy as np
import pytest

from anonymizer.data.column import Column
from anonymizer.proposal.person import find_person
from tests.proposal.test_figures import coded


def repeated(prefix: str, people: int, rows: int) -> Column:
    """Numbers of people, each in some rows."""
    return coded([f"{prefix}{row % people}" for row in range(rows)])


def test_a_number_of_people_that_repeats_is_it_and_the_one_with_the_fewest_people_counts() -> None:
    columns = {
        "patient_id": repeated("P", 20, 60),
        "person_nr": repeated("N", 10, 60),
        "ward_id": repeated("W", 3, 60),
    }
    assert find_person(columns) == "person_nr"


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("patient_id", repeated("P", 60, 60)),  # all different: each row is a person
        ("patient_id", coded(["", "P1", "P1", "P2"])),  # a row would be nobody's
        ("ward_id", repeated("W", 3, 60)),
        ("member", coded(["yes", "no"] * 30)),
        ("id", Column(np.zeros(5_000, np.uint8), ("A1",))),  # of a place, or a constant
    ],
)
def test_other_columns_are_not(name: str, column: Column) -> None:
    assert find_person({name: column}) is None


def test_an_address_that_one_person_has_tells_it_too() -> None:
    mails = coded([f"p{row % 7}@example.org" for row in range(21)])
    assert find_person({"e-mail": mails, "phone": repeated("030 12345", 5, 21)}) == "e-mail"
