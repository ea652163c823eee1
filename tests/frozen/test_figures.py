"""The gate: what the program finds, says and releases is what it was, to 1e-12."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frozen.figures import assert_frozen, differences
from tests.frozen.fixtures import TABLES, all_said, published


@pytest.mark.filterwarnings("ignore::anonymizer.AnonymizerWarning")
@pytest.mark.parametrize("name", TABLES)
def test_release_manifest_and_all_that_is_said_of_a_table_are_what_they_were(
    name: str, tmp_path: Path
) -> None:
    assert_frozen(name, all_said(name, tmp_path))


def test_what_is_said_of_a_published_table_is_what_it_was(tmp_path: Path) -> None:
    assert_frozen("published", published(tmp_path))


def test_every_kind_of_change_is_a_difference() -> None:
    before = {"a": [1.0, {"b": 0.0}], "c": "x", "d": None, "e": [1, 2], "f": 1}
    assert not list(differences(before, {**before, "a": [1.0 + 1e-15, {"b": 1e-13}]}))
    for change in (
        {"a": [1.0 + 1e-11, {"b": 0.0}]},
        {"a": [1.0, {"b": 1e-11}]},
        {"a": [1.0, {"b": float("nan")}]},
        {"c": "y"},
        {"d": 0},
        {"e": [1]},
        {"e": [2, 1]},
        {"f": True},
        {"g": 1},
    ):
        assert list(differences(before, {**before, **change})), change
