"""Designs: numbers and categories as columns, and categories of few people."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from anonymizer import evidence
from anonymizer.analyses.design import indicators, merge_rare
from anonymizer.analyses.pair import ABSENT, Categories
from tests.analyses.people import STAY, people, release


@given(st.lists(st.tuples(st.integers(-1, 4), st.integers(0, 12), st.booleans()), min_size=1))
def test_no_category_of_fewer_than_five_people_is_left(rows: list[tuple[int, int, bool]]) -> None:
    before = np.array([code for code, _, _ in rows])
    person = np.array([whose for _, whose, _ in rows])
    after = np.where([gone for _, _, gone in rows], ABSENT, before)
    merged = merge_rare(Categories(tuple("abcde"), before, after), person)
    frame = pd.DataFrame({"before": merged.before, "person": person})
    there = frame[frame["before"] != ABSENT].groupby("before")["person"].nunique()
    assert (there >= 5).all()
    assert len(there) == len(merged.labels)
    for code in range(5):  # a category that stays has the rows that it had, on both sides
        if pd.Series(person[before == code]).nunique() >= 5:
            new = merged.labels.index("abcde"[code])
            assert ((merged.before == new) == (before == code)).all()
            assert ((merged.after == new) == (after == code)).all()


def test_the_coefficient_of_a_single_person_is_not_shown() -> None:
    frame = people()
    frame["ward"] = ["rare", *["x", "y"] * 199, "x"]
    found = evidence(release(frame, [{**STAY, "formula": "stay ~ ward"}]))["stay"]
    assert [row.term for row in found.rows] == ["intercept", "ward: y"]
    assert "Fitted to 399 records" in found.method


def test_the_most_frequent_category_that_is_released_is_what_others_are_compared_with() -> None:
    frame = people(200)
    frame["ward"] = ["x"] * 100 + ["y"] * 60 + ["z"] * 40
    found = evidence(release(frame, [{**STAY, "formula": "stay ~ ward"}]))["stay"]
    assert [row.term for row in found.rows] == ["intercept", "ward: y", "ward: z"]


def test_a_column_whose_categories_all_have_too_few_people_has_no_coefficient() -> None:
    absent = np.full(6, ABSENT)
    assert list(indicators("sex", Categories((), absent, absent, True))) == []
