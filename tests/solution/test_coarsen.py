"""A release in layers can be widened to one level without losing k, and tells each cell's level."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from anonymizer import DataError, Policy, anonymize, coarsen_to, released_levels, write_release
from tests.wards import POLICY, change, patients, write_files

LIMITED = change(
    POLICY,
    age='age = { role = "quasi", hierarchy = "age.toml", max_level = 3 }',
    zip='zip = { role = "quasi", hierarchy = "zip.toml", max_level = 2 }',
)
LAYERS = LIMITED + "\n[release]\nlayers = true\n"
QUASI = ["age", "sex", "zip"]


@pytest.fixture
def policy(tmp_path: Path) -> Policy:
    return Policy.read(write_files(tmp_path, policy=LAYERS))


def test_the_level_of_each_cell_is_that_of_its_layer(policy: Policy) -> None:
    solution = anonymize(patients(), policy)
    levels = released_levels(solution.to_frame(seed=1), policy)
    schemes = {tuple(scheme[name] for name in QUASI) for scheme in solution.schemes}
    rows = {tuple(row) for row in np.array([levels[name] for name in QUASI]).T.tolist()}
    assert rows == schemes


def test_widened_columns_are_at_one_level_and_classes_keep_k(policy: Policy) -> None:
    released = anonymize(patients(), policy).to_frame(seed=1)
    widened = coarsen_to(released, policy, {"age": 3, "zip": 2})
    assert list(widened.columns) == list(released.columns)
    levels = released_levels(widened, policy)
    assert set(levels["age"]) == {3}
    assert set(levels["zip"]) == {2}
    assert widened.groupby(QUASI, observed=True).size().min() >= 3
    assert (widened["days"] == released["days"]).all()


def test_a_file_is_widened_too(policy: Policy, tmp_path: Path) -> None:
    files = write_release(anonymize(None, policy), tmp_path / "out")
    widened = coarsen_to(files["release"], policy, {"age": 3})
    assert set(released_levels(widened, policy)["age"]) == {3}


@pytest.mark.parametrize(
    ("levels", "reason"),
    [
        ({"age": 0}, "which is above level 0 already; choose at least"),
        ({"age": 9}, "'age' has no level 9; its highest is 4."),
        ({"aeg": 1}, "'aeg' is not a quasi-identifier; did you mean 'age'?"),
    ],
)
def test_what_cannot_be_widened_is_one_sentence(levels, reason: str, policy: Policy) -> None:
    released = anonymize(patients(), policy).to_frame(seed=1)
    with pytest.raises(DataError) as caught:
        coarsen_to(released, policy, levels)
    assert reason in str(caught.value)


def test_a_label_that_stands_at_two_levels_is_at_the_lower(policy: Policy, tmp_path: Path) -> None:
    (tmp_path / "sex.csv").write_text("F;*;*\nM;*;*\n")
    released = anonymize(patients(), policy).to_frame(seed=1)
    levels = released_levels(released.assign(sex="*"), policy)
    assert set(levels["sex"]) == {1}


def test_nothing_to_widen_leaves_every_row(policy: Policy) -> None:
    released = anonymize(patients(), policy).to_frame(seed=1)
    assert len(coarsen_to(released, policy, {})) == len(released) > 0
