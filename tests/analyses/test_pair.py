"""A table and its release row by row, against the released table itself."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymizer import AnonymizerWarning, DataError
from anonymizer.analyses.pair import ABSENT, Pair
from tests.analyses.people import people, release


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 99), scheme=st.tuples(*(st.integers(0, h) for h in (3, 1, 2))))
def test_each_row_is_beside_what_became_of_it(seed: int, scheme: tuple[int, ...]) -> None:
    frame = people(60, seed)
    solution = release(frame, [], scheme, k=2, release={"shuffle": False})
    pair, released = Pair(solution), solution.to_frame()
    town = pair.categories("town")
    assert len(released) == pair.released.sum()
    stay = pair.numbers("stay")
    assert stay is not None
    assert stay.after[pair.released].tolist() == released["stay"].astype(float).tolist()
    assert np.isnan(stay.after[~pair.released]).all()
    assert (town.after[~pair.released] == ABSENT).all()
    if not town.lost:
        labels = [town.labels[code] for code in town.after[pair.released]]
        assert labels == released["town"].astype(str).tolist()


def test_a_midpoint_is_that_of_the_released_interval() -> None:
    frame = people(60)
    solution = release(frame, [], (1, 0, 0), release={"shuffle": False})
    ages = Pair(solution).numbers("age")
    assert ages is not None
    ends = solution.to_frame()["age"].astype(str).str.split("-", expand=True).astype(float)
    assert ages.after.tolist() == ends.mean(axis=1).tolist()
    assert ages.before.tolist() == frame["age"].tolist()


def test_a_mean_that_is_released_in_place_of_an_interval_enters_as_it_is() -> None:
    frame = people(60)
    age = {
        "role": "quasi",
        "hierarchy": release(frame, []).problem.policy.attributes["age"].hierarchy,
    }
    attributes = {"age": {**age, "microaggregation": "mean"}}
    solution = release(frame, [], (2, 0, 1), attributes=attributes, release={"shuffle": False})
    ages = Pair(solution).numbers("age")
    assert ages is not None
    assert ages.after.tolist() == pytest.approx(solution.to_frame()["age"].astype(float).tolist())


def test_a_missing_cell_is_nan_or_absent_on_both_sides() -> None:
    frame = people(60)
    frame["ward"] = pd.Series(["x", None, "y"] * 20)
    frame["age"] = frame["age"].astype("Int64")
    frame.loc[:4, "age"] = pd.NA
    with pytest.warns(AnonymizerWarning, match="missing"):
        pair = Pair(release(frame, [], (1, 0, 0)))
    ages, ward = pair.numbers("age"), pair.categories("ward")
    assert ages is not None
    assert np.isnan(ages.before[:5]).all()
    assert np.isnan(ages.after[:5]).all()
    assert (ward.before == ABSENT).sum() == 20
    assert pair.categories("ward", missing=True).labels == ("x", "y", "(missing)")


def test_a_column_that_is_not_released_is_named() -> None:
    frame = people(60)
    frame["name"] = [f"p{number}" for number in range(60)]
    pair = Pair(release(frame, [], attributes={"name": {"role": "identifying"}}))
    with pytest.raises(DataError, match="the release has no column 'name'; it has 'age'"):
        pair.numbers("name")
