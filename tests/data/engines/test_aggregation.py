"""Distinct tuples that do not fit this machine's memory are refused before they come over."""

from __future__ import annotations

from pathlib import Path

import pytest

from anonymizer import anonymize
from anonymizer.data.engines import aggregation
from anonymizer.errors import DataError
from tests.data.engines import tables
from tests.data.engines.makers import EMBEDDED, Servers

pytestmark = pytest.mark.xdist_group("engines")


def test_tuples_that_do_not_fit_are_said_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = EMBEDDED["folder"](tables.drawn(), tmp_path, Servers(str))
    monkeypatch.setattr(aggregation, "available_memory", lambda: 5000)
    monkeypatch.setattr(aggregation, "fetch_integers", None)  # nothing is fetched
    with pytest.raises(
        DataError, match=r"parts: \d+ distinct tuples take about 0\.0 GiB for search and release"
    ) as raised:
        anonymize(given, tables.policy_of())
    assert "\n" not in str(raised.value)


def test_nineteen_million_tuples_of_nine_columns_fit_four_gib_and_not_three(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(aggregation, "available_memory", lambda: 3 << 30)
    with pytest.raises(
        DataError, match=r"19,000,000 distinct tuples take about 3\.4 GiB .* 3\.0 GiB"
    ):
        aggregation.check_room(19_000_000, 9, "parts")
    monkeypatch.setattr(aggregation, "available_memory", lambda: 4 << 30)
    aggregation.check_room(19_000_000, 9, "parts")


def test_the_free_memory_is_that_of_the_machine() -> None:
    assert 1 << 26 < aggregation.available_memory() < 1 << 50
